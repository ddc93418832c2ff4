package structure

import (
	"fmt"
	"iter"
	"math/big"

	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/graph/dag"
)

// Bounds of the graph of paths: the number of paths that start at a vertex has up to as many bits as there are vertices,
// and is kept for each.
const (
	maxPathVertices = 1 << 16
	maxPathArcs     = 1 << 20
)

var _ = register(Spec{
	Name: "paths",
	Doc:  "Directed paths from a source to a target in an acyclic graph; ψ marks the arcs, or counts them by group.",
	Params: []Param{
		{Name: "vertices", Kind: "int", Least: 2, Most: maxPathVertices,
			Doc: "number of vertices"},
		{Name: "arcs", Kind: "int", Least: 1, Most: maxPathArcs,
			Doc: "number of arcs"},
		{Name: "source", Kind: "int", Least: 0, Most: maxPathVertices - 1, Bound: "vertices - 1",
			Doc: "the vertex where every path starts"},
		{Name: "target", Kind: "int", Least: 0, Most: maxPathVertices - 1, Bound: "vertices - 1",
			Doc: "the vertex where every path ends, not the source"},
		{Name: "groups", Kind: "int", Least: 0, Most: maxPathArcs, Bound: "arcs", Optional: true,
			Doc: "number of groups of tied arcs; 0 or absent: every arc is its own"},
		{Name: "ends", Kind: "int32 buffer", Doc: "first 2·arcs entries: tail and head of each arc"},
		{Name: "tied", Kind: "int32 buffer", Doc: "next entries, one for each arc where there are groups: its group"},
	},
	Conditions: pathTerms,
	Parts:      "the arcs in their order, and then -1 up to as many as the longest path has",
	Psi:        "the arcs, or the groups of tied arcs",
	Ref:        "forward and backward counts; Viterbi (1967) for decoding",
	Typical:    []Args{{Scalars: map[string]int64{"vertices": 2, "arcs": 1, "source": 0, "target": 1}, Ints: []int32{0, 1}}},
	build:      newPaths,
})

// arc leads from one vertex to another.
type arc struct{ tail, head int32 }

// paths is the space of the paths from source to target, encoded as the indices of their arcs in order, followed by -1
// up to the length of the longest path.
type paths struct {
	*memo
	vertices       int
	arcs           []arc
	source, target int32
	group          []int32 // feature of each arc
	features       int
	repeats        bool              // whether a path can count a feature twice
	longest        int               // arcs of a longest path
	out            [][]int32         // usable arcs out of each vertex, ascending: those from which the target can be reached
	order          []int32           // vertices from which the target can be reached, each before the heads of its arcs
	ahead          []*big.Int        // number of paths from each vertex to the target; nil where there is none
	counts         func() pathCounts // for walks
	graph          *dag.Graph        // the same arcs, each with its group as the symbol
	sums           *scratch
	work           *pool[dag.Workspace]
}

var (
	_ Counter    = (*paths)(nil)
	_ Momenter   = (*paths)(nil)
	_ Enumerator = (*paths)(nil)
	_ Sampler    = (*paths)(nil)
	_ Decoder    = (*paths)(nil)
)

func (p *paths) String() string {
	return fmt.Sprintf("paths through %d arcs with %d features", len(p.arcs), p.features)
}

func (p *paths) PartLen() int    { return p.longest }
func (p *paths) FeatureLen() int { return p.features }
func (p *paths) Count() *big.Int { return new(big.Int).Set(p.ahead[p.source]) }

// Facts: where arcs are tied two paths may have the same counts. Where none are, entries of ψ are arcs.
func (p *paths) Facts() Facts {
	f := Facts{
		Layout: Layout{Format: p.Format(), AnyWidth: true, General: p.features != len(p.arcs)},
		Moves:  movesOf(p.moveGaps()),
		Sums:   sumsOf(p.partitionCost),
	}
	if p.tied() {
		f.Names = Names(nil).each("group", p.features)
		return f
	}
	f.Cells = p.cells()
	return f
}

// cells are the arcs, whether or not some are tied.
func (p *paths) cells() Cells {
	return Cells{"arcs", p.vertices, func(yield func(int, int) bool) {
		for _, a := range p.arcs {
			if !yield(int(a.tail), int(a.head)) {
				return
			}
		}
	}}
}

// tied reports whether the features of arcs have other numbers than these.
func (p *paths) tied() bool {
	for i, g := range p.group {
		if int(g) != i {
			return true
		}
	}
	return false
}

func (p *paths) Check(y []int32) error {
	mustLen("y", len(y), p.longest)
	at := p.source
	for place, a := range y {
		if at == p.target {
			if a != -1 {
				return fault.Value("place %d holds %d after the path has reached the target, vertex %s, must be -1; %s",
					place, a, p.names.of(int(p.target)), p.remedy())
			}
			continue
		}
		if a == -1 {
			break
		}
		if a < 0 || int(a) >= len(p.arcs) {
			return wrongPart(y, place, nil, p.Format())
		}
		if t := p.arcs[a].tail; t != at {
			return fault.Value("arc %d at place %d starts at vertex %s, but the path has come to vertex %s; %s",
				a, place, p.names.of(int(t)), p.names.of(int(at)), p.remedy())
		}
		at = p.arcs[a].head
	}
	if at != p.target {
		return fault.Value("the path ends at vertex %s, must end at the target, vertex %s; %s", p.names.of(int(at)),
			p.names.of(int(p.target)), p.remedy())
	}
	return nil
}

func (p *paths) remedy() string {
	return fmt.Sprintf("a path lists its arcs in order, from vertex %s to vertex %s", p.names.of(int(p.source)), p.names.of(int(p.target)))
}

func (p *paths) Format() string {
	return fmt.Sprintf("paths list arcs 0..%d in order, and may end in -1", len(p.arcs)-1)
}

// Read takes lists that are padded with −1.
func (p *paths) Read(dst []int32, row []float64) error {
	for i := range dst {
		dst[i] = -1
	}
	for i, x := range row {
		a := int32(x)
		if float64(a) != x || a < -1 || int(a) >= len(p.arcs) {
			return wrongNumber(row, i, nil, p.Format())
		}
		if i < p.longest {
			dst[i] = a
		} else if a >= 0 {
			return fault.Value("the longest path has %d arcs; %s", p.longest, p.Format())
		}
	}
	return p.Check(dst)
}

func (p *paths) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), p.features)
	mustLen("y", len(y), p.longest)
	clear(dst)
	for _, a := range y {
		if a < 0 {
			return
		}
		dst[p.group[a]]++
	}
}

// All lists the paths in lexicographic order of their arcs.
func (p *paths) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, p.longest)
		p.extend(y, 0, p.source, yield)
	}
}

// extend yields all paths that begin with the first n arcs of y, which lead to vertex v, and reports whether to go on.
func (p *paths) extend(y []int32, n int, v int32, yield func([]int32) bool) bool {
	if v == p.target {
		for i := n; i < len(y); i++ {
			y[i] = -1
		}
		return yield(y)
	}
	for _, a := range p.out[v] {
		y[n] = a
		if !p.extend(y, n+1, p.arcs[a].head, yield) {
			return false
		}
	}
	return true
}

// Decode finds a longest path by dynamic programming from the target back to the source, the smallest arc winning among
// equals. A Magnitude is refused where a path can count a feature twice: its square does not add up along the path. Cost:
// one addition for each arc.
func (p *paths) Decode(dst []int32, score Scores) (Certificate, error) {
	return p.best(p.graph, dst, score)
}

func (p *paths) best(g *dag.Graph, dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), p.longest)
	mustScores(score, p.features)
	linear := score.Linear
	if score.Magnitude != nil {
		if p.repeats {
			return Certificate{}, &CapabilityError{
				Structure: p.String(),
				Need: "counts that are 0 or 1, so that scores of their squares add up along a path (no path may hold two arcs " +
					"of one group)",
				Alternatives: "take loss='auc', or leave arcs untied",
			}
		}
		buf := p.sums.get(p.features)
		defer p.sums.put(buf)
		linear = *buf
		floats.AddTo(linear, score.Linear, score.Magnitude)
	}
	w := p.work.get()
	defer p.work.put(w)
	n, value := g.Best(dst, linear, w)
	fillParts(dst[n:], -1)
	return proven(value), nil
}

// Restrict takes arcs that are required or forbidden, and how many arcs there are. Where arcs share entries of ψ, the mask names the arcs
// themselves.
func (p *paths) Restrict() func([]Condition) (Restriction, error) {
	restrict := restrictEdges(pathTerms, p.cells(), p.names)
	return func(conditions []Condition) (r Restriction, err error) {
		if r, err = restrict(conditions); err == nil && p.tied() {
			r.Mask.Items, err = r.Mask.states()
			r.Mask.Entries = nil
		}
		return r, err
	}
}

func (p *paths) bounds() (items, ends int) { return len(p.arcs), 0 }

// keeps: the items of a mask are arcs, and its size bounds their number.
func (p *paths) keeps(m *Mask, y []int32) bool {
	k := visited(y)
	if !m.Size.has(k) {
		return false
	}
	if m.Items == nil {
		return true
	}
	missing := 0
	for _, x := range m.Items {
		if x > 0 {
			missing++
		}
	}
	for _, a := range y[:k] {
		switch m.Items[a] {
		case 1:
			missing--
		case -1:
			return false
		}
	}
	return missing == 0
}
