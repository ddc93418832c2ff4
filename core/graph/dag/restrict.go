package dag

import (
	"combpred/core/fault"
	"slices"
)

// ErrTooLarge says that a graph with a counter beside its vertices would have more than MaxArcs arcs.
var ErrTooLarge = fault.Value("the graph that counts arcs is too large")

// MaxArcs bounds the arcs of a graph with a counter beside its vertices, some hundreds of megabytes.
const MaxArcs = 1 << 25

// Restrict returns the graph of the paths that hold every arc whose state is 1 and none whose state is −1, and of lo to hi
// arcs that have a symbol. state has an entry for each arc that New was given, or is nil. It returns ErrEmpty if there is no
// such path, and ErrTooLarge where the bounds take too large a counter. Arcs keep their symbols, and labels: g itself must
// not have been restricted to a number of arcs. Cost: O(vertices + arcs), and at most hi + 1 times as much where paths of other
// lengths exist.
func (g *Graph) Restrict(state []int8, lo, hi int) (*Graph, error) {
	held := g
	if state != nil {
		if len(state) != g.given {
			panic("dag: state must have an entry for each arc")
		}
		var err error
		if held, err = g.hold(state); err != nil {
			return nil, err
		}
	}
	return held.within(lo, hi)
}

// hold leaves out arcs. A path that holds the arcs u₁→v₁, u₂→v₂, … in topological order is between them among the vertices
// from vᵢ to uᵢ₊₁; and where no other arcs are left than those with both ends in one of these ranges, there is no way around
// an arc that is required.
func (g *Graph) hold(state []int8) (*Graph, error) {
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
	return d.graph(g.symbols, g.given)
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

// within puts a counter of arcs that have a symbol beside each vertex from which both paths that obey the bounds and others
// lead on; the rest need none.
func (g *Graph) within(lo, hi int) (*Graph, error) {
	least, most := g.lengths(true)
	if int(least[0]) >= lo && int(most[0]) <= hi {
		return g, nil
	}
	if int(least[0]) > hi || int(most[0]) < lo {
		return nil, ErrEmpty
	}
	hi = min(hi, int(most[0]))
	lo = max(lo, 0)
	n := g.Vertices()
	before, after := g.lengthsTo()
	first := make([]int32, n+1) // copies of v are first[v] to first[v+1], the one without a counter last
	base := make([]int32, n)    // the count of the first copy
	room := 0                   // arcs out of all copies
	for v := range n {
		// Counts from which some path, but not every one, ends within the bounds.
		from, to := max(before[v], int32(lo)-most[v]), min(after[v], int32(hi)-least[v])
		base[v] = from
		copies := max(to-from+1, 0) + 1
		first[v+1] = first[v] + copies
		room += int(copies) * int(g.start[v+1]-g.start[v])
		if room > MaxArcs {
			return nil, ErrTooLarge
		}
	}
	free := func(v, count int32) bool { return int(count+least[v]) >= lo && int(count+most[v]) <= hi }
	d := draft{
		source: first[0], start: make([]int32, 1, first[n]+1), sink: first[n] - 1,
		head: make([]int32, 0, room), symbol: make([]int32, 0, room), label: make([]int32, 0, room),
	}
	for v := range int32(n) {
		for copied := first[v]; copied < first[v+1]; copied++ {
			plain, count := copied == first[v+1]-1, base[v]+copied-first[v]
			for a := g.start[v]; a < g.start[v+1] && (plain || !free(v, count)); a++ {
				w := g.head[a]
				next := count + g.counted(a)
				to := first[w] + next - base[w]
				switch {
				case plain || free(w, next):
					to = first[w+1] - 1
				case next < base[w] || to >= first[w+1]-1:
					continue
				}
				d.head, d.symbol, d.label = append(d.head, to), append(d.symbol, g.symbol[a]), append(d.label, g.label[a])
			}
			d.start = append(d.start, int32(len(d.head)))
		}
	}
	return d.graph(g.symbols, g.given)
}

// lengthsTo returns how many arcs with a symbol the paths from the source to each vertex have, at least and at most.
func (g *Graph) lengthsTo() (least, most []int32) {
	n := g.Vertices()
	least, most = slices.Repeat([]int32{int32(g.Arcs())}, n), make([]int32, n)
	least[0] = 0
	for v := range n {
		for a := g.start[v]; a < g.start[v+1]; a++ {
			w, one := g.head[a], g.counted(a)
			least[w], most[w] = min(least[w], least[v]+one), max(most[w], most[v]+one)
		}
	}
	return least, most
}
