// Package dag maximises, sums, counts and draws over the paths of an acyclic graph that lead from a source to a sink.
//
// An arc earns the score of its symbol, or nothing where it has none; arcs may share symbols, and several may lead from one
// vertex to another. Chains, trellises, layered diagrams and trees in depth-first order are such graphs, and whatever can be
// counted by passing through them can be held to conditions by leaving out arcs: Hold and Within return graphs of the same kind.
//
// # Conventions
//
// The destination comes first, is called dst, and is overwritten in full. Logarithms are natural. A Graph is immutable and
// safe for concurrent use; a Workspace serves one goroutine at a time.
package dag

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"combpred/core/fault"
)

// ErrEmpty says that no path is left.
var ErrEmpty = fault.Value("no path leads from the source to the sink")

// Silent is the symbol of arcs without a score.
const Silent = -1

// Arc leads from one vertex to another.
type Arc struct {
	Tail, Head int32
	Symbol     int32 // which score it earns; Silent: none
}

// Graph holds the arcs and vertices that lie on a path from the source to the sink. Its vertices are numbered in topological
// order, the source 0 and the sink last; the arcs out of a vertex are in the order in which they were given.
type Graph struct {
	symbols  int
	arcCount int     // arcs that New was given
	silent   bool    // whether some arc has no symbol: it has the symbol `symbols`, whose score is 0
	start    []int32 // arcs out of v are start[v] to start[v+1]
	head     []int32
	symbol   []int32
	label    []int32 // number of each arc in the list that New was given
	far      []int32 // the last of the heads of each vertex
	longest  int     // arcs of a longest path
}

// New returns the graph of the paths from the source to the sink, which are different vertices out of n. Symbols are below
// the number of scores. Arcs must not form a cycle, which Order finds. It returns ErrEmpty if there is no path. Cost: O(n + arcs).
func New(n int, arcs []Arc, source, sink int32, symbols int) (*Graph, error) {
	order, cycle := Order(n, arcs)
	if cycle != nil {
		panic("dag: the arcs form a cycle")
	}
	at := make([]int32, n)
	for i, v := range order {
		at[v] = int32(i)
	}
	d := draft{source: at[source], sink: at[sink], start: make([]int32, n+1)}
	for _, a := range arcs {
		d.start[at[a.Tail]+1]++
	}
	for v := range n {
		d.start[v+1] += d.start[v]
	}
	d.head, d.symbol, d.label = make([]int32, len(arcs)), make([]int32, len(arcs)), make([]int32, len(arcs))
	next := slices.Clone(d.start[:n])
	for i, a := range arcs {
		to := &next[at[a.Tail]]
		d.head[*to], d.symbol[*to], d.label[*to] = at[a.Head], a.Symbol, int32(i)
		if a.Symbol == Silent {
			d.symbol[*to] = int32(symbols)
		}
		*to++
	}
	return d.graph(symbols, len(arcs))
}

// Order returns all of n vertices, each before the heads of its arcs, or the vertices of a cycle. Of a graph in layers it is
// the order of these (Kahn, 1962). Cost: O(n + arcs).
func Order(n int, arcs []Arc) (order, cycle []int32) {
	start := make([]int32, n+1)
	waiting := make([]int32, n) // arcs into a vertex from vertices that are not in the order yet
	for _, a := range arcs {
		start[a.Tail+1]++
		waiting[a.Head]++
	}
	for v := range n {
		start[v+1] += start[v]
	}
	heads, next := make([]int32, len(arcs)), slices.Clone(start[:n])
	for _, a := range arcs {
		heads[next[a.Tail]] = a.Head
		next[a.Tail]++
	}
	order = make([]int32, 0, n)
	for v, k := range waiting {
		if k == 0 {
			order = append(order, int32(v))
		}
	}
	for i := 0; i < len(order); i++ {
		for _, w := range heads[start[order[i]]:start[order[i]+1]] {
			if waiting[w]--; waiting[w] == 0 {
				order = append(order, w)
			}
		}
	}
	if len(order) == n {
		return order, nil
	}
	return nil, cycleAmong(waiting, arcs)
}

// cycleAmong returns a cycle, its smallest vertex first. Each vertex that is still waiting has an arc from another, so that
// following such arcs backwards comes back to where it has been.
func cycleAmong(waiting []int32, arcs []Arc) []int32 {
	before := make([]int32, len(waiting))
	var v int32
	for _, a := range arcs {
		if waiting[a.Tail] > 0 && waiting[a.Head] > 0 {
			before[a.Head] = a.Tail
			v = a.Head
		}
	}
	place := make(map[int32]int)
	var walk []int32
	for {
		if at, back := place[v]; back {
			walk = walk[at:]
			break
		}
		place[v] = len(walk)
		walk = append(walk, v)
		v = before[v]
	}
	slices.Reverse(walk)
	first := slices.Index(walk, slices.Min(walk))
	return slices.Concat(walk[first:], walk[:first])
}

// draft is a graph in topological order that may hold arcs and vertices on no path from source to sink.
type draft struct {
	source, sink        int32
	start               []int32
	head, symbol, label []int32 // the graph takes their memory over, if nothing is to be dropped
	drop                []bool  // arcs to leave out; nil: none
}

func (d *draft) dropped(a int32) bool { return d.drop != nil && d.drop[a] }

// useful marks the vertices on a path from the source to the sink.
func (d *draft) useful() []bool {
	n := len(d.start) - 1
	from, marked := make([]bool, n), make([]bool, n)
	from[d.source], marked[d.sink] = true, true
	for v := range int32(n) {
		if !from[v] {
			continue
		}
		for a := d.start[v]; a < d.start[v+1]; a++ {
			if !d.dropped(a) {
				from[d.head[a]] = true
			}
		}
	}
	for v := int32(n) - 1; v >= 0; v-- {
		for a := d.start[v]; a < d.start[v+1] && !marked[v]; a++ {
			marked[v] = !d.dropped(a) && marked[d.head[a]]
		}
	}
	marked[d.sink] = from[d.sink]
	for v, ok := range from {
		marked[v] = marked[v] && ok
	}
	return marked
}

// graph leaves out what is on no path.
func (d *draft) graph(symbols, arcCount int) (*Graph, error) {
	useful := d.useful()
	if !useful[d.source] {
		return nil, ErrEmpty
	}
	number := make([]int32, len(useful))
	n := int32(0)
	for v, ok := range useful {
		number[v] = -1
		if ok {
			number[v] = n
			n++
		}
	}
	g := &Graph{
		symbols: symbols, arcCount: arcCount, start: make([]int32, 1, n+1), far: make([]int32, 0, n),
		head: d.head[:0], symbol: d.symbol[:0], label: d.label[:0], // no arc is written behind the one that is read
	}
	if d.drop != nil {
		g.head, g.symbol, g.label = make([]int32, 0, len(d.head)), make([]int32, 0, len(d.head)), make([]int32, 0, len(d.head))
	}
	longest := make([]int32, n) // arcs of a longest path from the source
	for v, ok := range useful {
		if !ok {
			continue
		}
		last, next := int32(-1), longest[number[v]]+1
		for a := d.start[v]; a < d.start[v+1] && int32(v) != d.sink; a++ {
			head := number[d.head[a]]
			if head < 0 || d.dropped(a) {
				continue
			}
			g.head, g.symbol, g.label = append(g.head, head), append(g.symbol, d.symbol[a]), append(g.label, d.label[a])
			g.silent = g.silent || d.symbol[a] == int32(symbols)
			last, longest[head] = max(last, head), max(longest[head], next)
		}
		g.start, g.far = append(g.start, int32(len(g.head))), append(g.far, last)
	}
	g.longest = int(longest[n-1])
	return g, nil
}

// lengths returns how many arcs the shortest and the longest path from each vertex have, each arc counted as often as said.
func (g *Graph) lengths(counted func(a int32) int32) (least, most []int32) {
	n := g.Vertices()
	least, most = make([]int32, n), make([]int32, n)
	for v := n - 2; v >= 0; v-- {
		least[v] = math.MaxInt32
		for a := g.start[v]; a < g.start[v+1]; a++ {
			w, k := g.head[a], counted(a)
			least[v], most[v] = min(least[v], k+least[w]), max(most[v], k+most[w])
		}
	}
	return least, most
}

// counted is 1 for arcs with a symbol out of a set, nil holding all of them, and 0 for others.
func (g *Graph) counted(a int32, of []bool) int32 {
	if symbol := int(g.symbol[a]); symbol < g.symbols && (of == nil || of[symbol]) {
		return 1
	}
	return 0
}

// Vertices returns how many vertices lie on paths.
func (g *Graph) Vertices() int { return len(g.far) }

// Arcs returns how many arcs lie on paths.
func (g *Graph) Arcs() int { return len(g.head) }

// Longest returns how many arcs a longest path has.
func (g *Graph) Longest() int { return g.longest }

// Count returns the number of paths. Cost: an addition for each arc, in 64 bits where that suffices.
func (g *Graph) Count() *big.Int {
	if few, ok := g.countFew(); ok {
		return new(big.Int).SetUint64(few)
	}
	n := g.Vertices()
	ahead := make([]big.Int, n)
	ahead[n-1].SetInt64(1)
	for v := n - 2; v >= 0; v-- {
		for _, w := range g.head[g.start[v]:g.start[v+1]] {
			ahead[v].Add(&ahead[v], &ahead[w])
		}
	}
	return &ahead[0]
}

func (g *Graph) countFew() (uint64, bool) {
	n := g.Vertices()
	ahead := make([]uint64, n)
	ahead[n-1] = 1
	for v := n - 2; v >= 0; v-- {
		var sum, over uint64
		for _, w := range g.head[g.start[v]:g.start[v+1]] {
			var carry uint64
			sum, carry = bits.Add64(sum, ahead[w], 0)
			over |= carry
		}
		if over > 0 {
			return 0, false
		}
		ahead[v] = sum
	}
	return ahead[0], true
}
