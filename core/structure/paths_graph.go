package structure

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"combpred/core/fault"
	"combpred/core/graph/dag"
)

func newPaths(a arguments) (Space, error) {
	p := &paths{memo: a.memo(), sums: new(scratch), work: new(pool[dag.Workspace])}
	if err := p.read(a); err != nil {
		return nil, err
	}
	order, cycle := dag.Order(p.vertices, p.dagArcs())
	if cycle != nil {
		return nil, fault.Value("the arcs form a cycle: %s", p.shownCycle(cycle))
	}
	p.prepare(order)
	if p.ahead[p.source] == nil {
		return nil, fault.Value("no path leads from the source, vertex %s, to the target, vertex %s",
			p.names.of(int(p.source)), p.names.of(int(p.target)))
	}
	p.graph = p.newGraph()
	p.longest = p.graph.Longest()
	p.repeats = p.features != len(p.arcs) && p.countsTwice()
	p.counts = sync.OnceValue(p.countsFewBits)
	return p, nil
}

// read takes the graph from the parameters and checks each of them by itself.
func (p *paths) read(a arguments) error {
	n, err := a.Int("vertices")
	if err != nil {
		return err
	}
	m, err := a.Int("arcs")
	if err != nil {
		return err
	}
	source, err := a.IntTo("source", int64(n-1))
	if err != nil {
		return err
	}
	target, err := a.IntTo("target", int64(n-1))
	if err != nil {
		return err
	}
	if source == target {
		return fault.Value("vertex %s is both source and target, so that the empty path is the only one", p.names.of(source))
	}
	groups := 0
	if _, ok := a.Scalars["groups"]; ok {
		if groups, err = a.Int("groups"); err != nil { // more groups than arcs leave one without arcs
			return err
		}
	}
	if behind := len(a.Ints) - 2*m; behind != 0 && (groups == 0 || behind != m) {
		return fault.Value("tied has %d groups for %d arcs; give a group for each arc, or none", behind, m)
	}
	p.vertices, p.source, p.target = n, int32(source), int32(target)
	if err := p.readArcs(a.Ints[:2*m]); err != nil {
		return err
	}
	return p.readGroups(groups, a.Ints[2*m:])
}

func (p *paths) readArcs(ends []int32) error {
	seen := make(map[arc]int, len(ends)/2)
	for i := 0; i < len(ends); i += 2 {
		x := arc{ends[i], ends[i+1]}
		for _, v := range []int32{x.tail, x.head} {
			if v < 0 || int(v) >= p.vertices {
				return fault.Value("arc %d leads from vertex %s to %s, must be between 0 and %d", i/2, p.names.of(int(x.tail)),
					p.names.of(int(x.head)), p.vertices-1)
			}
		}
		if x.tail == x.head {
			return fault.Value("arc %d leads from vertex %s to itself", i/2, p.names.of(int(x.tail)))
		}
		if first, dup := seen[x]; dup {
			return fault.Value("arcs %d and %d both lead from vertex %s to vertex %s", first, i/2, p.names.of(int(x.tail)),
				p.names.of(int(x.head)))
		}
		seen[x] = i / 2
		p.arcs = append(p.arcs, x)
	}
	return nil
}

// readGroups takes the group of each arc, its own without groups.
func (p *paths) readGroups(groups int, tied []int32) error {
	p.features, p.group = len(p.arcs), slices.Clone(tied)
	if groups == 0 {
		p.group = make([]int32, len(p.arcs))
		for i := range p.group {
			p.group[i] = int32(i)
		}
		return nil
	}
	p.features = groups
	used := make([]bool, groups)
	for i, g := range tied {
		if g < 0 || int(g) >= groups {
			return fault.Value("arc %d has the group %d, must be between 0 and %d", i, g, groups-1)
		}
		used[g] = true
	}
	if g := slices.Index(used, false); g >= 0 {
		return fault.Value("tied has the group %d but no arc of group %d; number groups without gaps", groups-1, g)
	}
	return nil
}

// dagArcs returns the arcs, each with its group as the symbol.
func (p *paths) dagArcs() []dag.Arc {
	arcs := make([]dag.Arc, len(p.arcs))
	for i, x := range p.arcs {
		arcs[i] = dag.Arc{Tail: x.tail, Head: x.head, Symbol: p.group[i]}
	}
	return arcs
}

// newGraph returns the engine of a space that has a path.
func (p *paths) newGraph() *dag.Graph {
	g, err := dag.New(p.vertices, p.dagArcs(), p.source, p.target, p.features)
	if err != nil {
		panic(err)
	}
	return g
}

func (p *paths) shownCycle(walk []int32) string {
	const shown = 10
	var text strings.Builder
	for _, u := range walk[:min(shown, len(walk))] {
		text.WriteString(p.names.of(int(u)) + " → ")
	}
	if len(walk) > shown {
		fmt.Fprintf(&text, "… (%d vertices) → ", len(walk))
	}
	return text.String() + p.names.of(int(walk[0]))
}

// prepare counts the paths to the target and drops arcs and vertices that do not lead to it, given all vertices in
// topological order. Cost: one addition of big integers for each arc.
func (p *paths) prepare(order []int32) {
	p.out = make([][]int32, p.vertices)
	p.ahead = make([]*big.Int, p.vertices)
	p.ahead[p.target] = big.NewInt(1)
	all := make([][]int32, p.vertices)
	for i, x := range p.arcs {
		all[x.tail] = append(all[x.tail], int32(i))
	}
	for _, v := range slices.Backward(order) {
		if v == p.target {
			p.order = append(p.order, v)
			continue
		}
		total := new(big.Int)
		for _, a := range all[v] {
			head := p.arcs[a].head
			if n := p.ahead[head]; n != nil {
				p.out[v] = append(p.out[v], a)
				total.Add(total, n)
			}
		}
		if total.Sign() > 0 {
			p.ahead[v] = total
			p.order = append(p.order, v)
		}
	}
	slices.Reverse(p.order)
}

// countsTwice reports whether some path from the source holds two arcs of one group. Each vertex collects, 64 groups at
// a time, those on the paths from it to the target. Cost: one operation for each arc and 64 groups.
func (p *paths) countsTwice() bool {
	reached := p.reached()
	ahead := make([]uint64, p.vertices)
	for lo := 0; lo < p.features; lo += 64 {
		clear(ahead)
		for _, v := range slices.Backward(p.order) {
			for _, a := range p.out[v] {
				head := p.arcs[a].head
				var own uint64
				if g := int(p.group[a]) - lo; g >= 0 && g < 64 {
					own = 1 << g
				}
				if reached[v] && own&ahead[head] != 0 {
					return true
				}
				ahead[v] |= own | ahead[head]
			}
		}
	}
	return false
}

// reached marks the vertices on paths from the source to the target.
func (p *paths) reached() []bool {
	marked := make([]bool, p.vertices)
	marked[p.source] = true
	for _, v := range p.order {
		if marked[v] {
			for _, a := range p.out[v] {
				marked[p.arcs[a].head] = true
			}
		}
	}
	return marked
}
