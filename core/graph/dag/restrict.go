package dag

import (
	"slices"

	"combpred/core/fault"
)

// ErrTooLarge says that a graph with a counter beside its vertices would have more than MaxArcs arcs.
var ErrTooLarge = fault.Value("the graph that counts arcs is too large")

// MaxArcs bounds the arcs of a graph with a counter beside its vertices, some hundreds of megabytes.
const MaxArcs = 1 << 25

// Hold returns the graph of the paths that hold every arc whose state is 1 and none whose state is −1. state has an entry for each arc
// that New was given, or is nil. It returns ErrEmpty if there is no such path. Arcs keep their symbols, and labels: g itself must not come
// from Within. Cost: O(vertices + arcs).
func (g *Graph) Hold(state []int8) (*Graph, error) {
	if state == nil {
		return g, nil
	}
	if len(state) != g.arcCount {
		panic("dag: state must have an entry for each arc")
	}
	// A path that holds the arcs u₁→v₁, u₂→v₂, … in topological order is between them among the vertices from vᵢ to uᵢ₊₁; and where no
	// other arcs are left than those with both ends in one of these ranges, there is no way around an arc that is required.
	n := g.Vertices()
	d := draft{sink: int32(n - 1), start: g.start, head: g.head, symbol: g.symbol, label: g.label, drop: make([]bool, g.Arcs())}
	missing := 0
	for _, s := range state {
		if s > 0 {
			missing++
		}
	}
	var bridges []int32 // heads of required arcs, ascending
	for v := range int32(n) {
		for a := g.start[v]; a < g.start[v+1]; a++ {
			if state[g.label[a]] <= 0 {
				continue
			}
			missing--
			if len(bridges) > 0 && v < bridges[len(bridges)-1] {
				return nil, ErrEmpty
			}
			bridges = append(bridges, g.head[a])
		}
	}
	if missing > 0 {
		return nil, ErrEmpty
	}
	part := make([]int32, n) // how many required arcs lead to a vertex or past it; those in their midst are between two ranges
	d.number(part, bridges, state)
	for v := range int32(n) {
		for a := g.start[v]; a < g.start[v+1]; a++ {
			s := state[g.label[a]]
			d.drop[a] = s < 0 || s == 0 && part[v] != part[g.head[a]]
		}
	}
	return d.graph(g.symbols, g.arcCount)
}

// number writes to part the range in which each vertex lies, given the heads of required arcs.
func (d *draft) number(part, bridges []int32, state []int8) {
	ranges, next := int32(0), 0
	inside := true // before a required arc, not in its midst
	for v := range int32(len(part)) {
		if next < len(bridges) && v == bridges[next] {
			ranges, inside = ranges+1, true
			next++
		}
		part[v] = ranges
		if !inside {
			part[v] = -1 - v // in the midst: in a range of its own
		}
		for a := d.start[v]; a < d.start[v+1]; a++ {
			if state[d.label[a]] > 0 {
				inside = false
			}
		}
	}
}

// counter says which copies of each vertex keep the number of arcs counted so far: those from which both paths that obey the bounds and
// others lead on. The rest need no count.
type counter struct {
	lo, hi      int
	of          []bool  // symbols that are counted; nil: all
	least, most []int32 // how many more are counted on the way to the sink
	first, base []int32 // copies of v are first[v] to first[v+1], the one without a count last; the count of the first copy
	room        int     // arcs out of all copies
}

// ArcsWithin returns how many arcs the graph that Within builds has at most, more than MaxArcs if there are too many. Cost:
// O(vertices + arcs).
func (g *Graph) ArcsWithin(of []bool, lo, hi int) int {
	c, err := g.counter(of, lo, hi)
	switch {
	case err != nil:
		return 0
	case c == nil:
		return g.Arcs()
	}
	return c.room
}

// Within returns the graph of the paths that have lo to hi arcs with one of the symbols in of; nil: with any. It returns ErrEmpty if there
// is none, and ErrTooLarge where the counter takes too many arcs. Arcs keep their symbols and labels, and can be counted again, by other
// symbols. Cost: O(vertices + arcs), and at most hi + 1 times as much where paths of other numbers exist.
func (g *Graph) Within(of []bool, lo, hi int) (*Graph, error) {
	c, err := g.counter(of, lo, hi)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return g, nil
	case c.room > MaxArcs:
		return nil, ErrTooLarge
	}
	n := g.Vertices()
	d := draft{
		source: c.first[0], start: make([]int32, 1, c.first[n]+1), sink: c.first[n] - 1,
		head: make([]int32, 0, c.room), symbol: make([]int32, 0, c.room), label: make([]int32, 0, c.room),
	}
	for v := range int32(n) {
		for copied := c.first[v]; copied < c.first[v+1]; copied++ {
			plain, count := copied == c.first[v+1]-1, c.base[v]+copied-c.first[v]
			for a := g.start[v]; a < g.start[v+1] && (plain || !c.free(v, count)); a++ {
				w := g.head[a]
				next := count + g.counted(a, of)
				to := c.first[w] + next - c.base[w]
				switch {
				case plain || c.free(w, next):
					to = c.first[w+1] - 1
				case next < c.base[w] || to >= c.first[w+1]-1:
					continue
				}
				d.head, d.symbol, d.label = append(d.head, to), append(d.symbol, g.symbol[a]), append(d.label, g.label[a])
			}
			d.start = append(d.start, int32(len(d.head)))
		}
	}
	return d.graph(g.symbols, g.arcCount)
}

// counter returns nil where all paths obey the bounds. It does not number the copies of graphs that are too large.
func (g *Graph) counter(of []bool, lo, hi int) (*counter, error) {
	least, most := g.lengths(func(a int32) int32 { return g.counted(a, of) })
	if int(least[0]) >= lo && int(most[0]) <= hi {
		return nil, nil
	}
	if int(least[0]) > hi || int(most[0]) < lo {
		return nil, ErrEmpty
	}
	n := g.Vertices()
	c := &counter{
		lo: max(lo, 0), hi: min(hi, int(most[0])), of: of, least: least, most: most, first: make([]int32, n+1), base: make([]int32, n),
	}
	before, after := g.lengthsTo(of)
	for v := range n {
		// Counts from which some path, but not every one, ends within the bounds.
		from, to := max(before[v], int32(c.lo)-most[v]), min(after[v], int32(c.hi)-least[v])
		if int(before[v]+least[v]) >= c.lo {
			from = max(from, int32(c.hi)-most[v]+1)
		}
		if int(after[v]+most[v]) <= c.hi {
			to = min(to, int32(c.lo)-least[v]-1)
		}
		c.base[v] = from
		copies := max(to-from+1, 0) + 1
		c.first[v+1] = c.first[v] + copies
		if c.room += int(copies) * int(g.start[v+1]-g.start[v]); c.room > MaxArcs {
			break
		}
	}
	return c, nil
}

// free reports whether all paths on from a vertex end within the bounds.
func (c *counter) free(v, count int32) bool {
	return int(count+c.least[v]) >= c.lo && int(count+c.most[v]) <= c.hi
}

// lengthsTo returns how many arcs that are counted the paths from the source to each vertex have, at least and at most.
func (g *Graph) lengthsTo(of []bool) (least, most []int32) {
	n := g.Vertices()
	least, most = slices.Repeat([]int32{int32(g.Arcs())}, n), make([]int32, n)
	least[0] = 0
	for v := range n {
		for a := g.start[v]; a < g.start[v+1]; a++ {
			w, one := g.head[a], g.counted(a, of)
			least[w], most[w] = min(least[w], least[v]+one), max(most[w], most[v]+one)
		}
	}
	return least, most
}
