package structure

import (
	"fmt"
	"iter"
	"math/big"

	"combpred/core/fault"
)

// Bounds of the graph of paths: the number of paths that start at a vertex has up to as many bits as there are vertices,
// and is kept for each.
const (
	maxPathVertices = 1 << 16
	maxPathArcs     = 1 << 20
)

var _ = register[*paths](Spec{
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
	Conditions: edgeTerms,
	Parts:      "the arcs in their order, and then -1 up to as many as the longest path has",
	Psi:        "the arcs, or the groups of tied arcs",
	Ref:        "forward and backward counts; Viterbi (1967) for decoding",
	build:      newPaths,
})

// arc leads from one vertex to another.
type arc struct{ tail, head int32 }

// paths is the space of the paths from source to target, encoded as the indices of their arcs in order, followed by -1
// up to the length of the longest path.
type paths struct {
	*kept
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
	sums           *scratch
}

var (
	_ Counter     = (*paths)(nil)
	_ Moments     = (*paths)(nil)
	_ Enumerator  = (*paths)(nil)
	_ Sampler     = (*paths)(nil)
	_ Decoder     = (*paths)(nil)
	_ Generalized = (*paths)(nil)
)

func (p *paths) String() string {
	return fmt.Sprintf("paths through %d arcs with %d features", len(p.arcs), p.features)
}

func (p *paths) PartLen() int    { return p.longest }
func (p *paths) FeatureLen() int { return p.features }
func (p *paths) Count() *big.Int { return new(big.Int).Set(p.ahead[p.source]) }

// General reports whether arcs are tied: two paths may then have the same counts.
func (p *paths) General() bool { return p.features != len(p.arcs) }

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

// Reads takes lists of any width.
func (p *paths) Reads(int) bool { return true }

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

// Cells has a Kind where no arcs are tied.
func (p *paths) Cells() Cells {
	for i, g := range p.group {
		if int(g) != i {
			return Cells{}
		}
	}
	return Cells{"arcs", p.vertices, func(yield func(int, int) bool) {
		for _, a := range p.arcs {
			if !yield(int(a.tail), int(a.head)) {
				return
			}
		}
	}}
}

// Names are those of arcs, or of groups of them.
func (p *paths) Names() iter.Seq[string] {
	if c := p.Cells(); c.Kind != "" {
		return joined(c.At, joints[c.Kind], p.names, p.names)
	}
	return Names(nil).each("group", p.features)
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
	mustLen("dst", len(dst), p.longest)
	mustScores(score, p.features)
	if score.Magnitude != nil && p.repeats {
		return Certificate{}, &CapabilityError{
			Structure: p.String(),
			Need: "counts that are 0 or 1, so that scores of their squares add up along a path (no path may hold two arcs " +
				"of one group)",
		}
	}
	buf := p.sums.get(p.vertices)
	defer p.sums.put(buf)
	best := *buf
	for i := len(p.order) - 1; i >= 0; i-- {
		v := p.order[i]
		if v == p.target {
			best[v] = 0
			continue
		}
		a := p.next(v, best, score)
		best[v] = score.indicator(int(p.group[a])) + best[p.arcs[a].head]
	}
	v := p.source
	for place := range dst {
		if v == p.target {
			dst[place] = -1
			continue
		}
		dst[place] = p.next(v, best, score)
		v = p.arcs[dst[place]].head
	}
	return proven(best[p.source]), nil
}

// next returns the best arc out of v, given the best scores from the heads of its arcs.
func (p *paths) next(v int32, best []float64, score Scores) int32 {
	found, most := int32(-1), 0.0
	for _, a := range p.out[v] {
		if s := score.indicator(int(p.group[a])) + best[p.arcs[a].head]; found < 0 || s > most {
			found, most = a, s
		}
	}
	return found
}

// Restrict holds paths to arcs, which are told apart in a space where none are tied.
func (p *paths) Restrict() func([]Condition) (Restriction, error) {
	untied := *p
	untied.kept, untied.features, untied.repeats = p.fresh(), len(p.arcs), false
	untied.group = make([]int32, len(p.arcs))
	for i := range untied.group {
		untied.group[i] = int32(i)
	}
	restrict := restrictEdges(untied.Cells(), p.names)
	if p.Cells().Kind != "" {
		return restrict
	}
	return func(given []Condition) (Restriction, error) {
		r, err := restrict(given)
		r.Space, r.Entries = &untied, p.group
		return r, err
	}
}
