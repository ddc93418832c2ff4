package structure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/relation"
)

// maxElements bounds posets: their relation has n² entries, and checking that it is transitive costs up to n³/64 word
// operations.
const maxElements = 8192

var _ = register(Spec{
	Name: "posetelements",
	Doc:  "One allowed element of a partially ordered set; ψ marks the element and all elements below it.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxElements,
			Reason: "checking that a relation of n elements is transitive takes time proportional to n³", Doc: "number of elements"},
		{Name: "relation", Kind: "int32 buffer", Doc: "first n·n entries by rows, 1 where row a ⪰ column b, a partial order"},
		{Name: "allowed", Kind: "int32 buffer", Optional: true,
			Doc: "next n entries: 1 for elements that may be predicted, 0 for others; without them all may"},
	},
	Parts:   "the element",
	Psi:     "the elements",
	Ref:     "Vembu (2010), section 4.3.1, with the reflexive order so that ψ is injective, restricted to the allowed elements",
	Typical: []Args{{Scalars: map[string]int64{"n": 1}, Ints: []int32{1}}},
	build:   newPosetElements,
})

// posetElements is the space of the allowed elements of a poset, encoded as the element's index.
type posetElements struct {
	allowedIndices
	down relation.Relation // down.Has(a, b): a ⪰ b
	up   relation.Relation // up.Has(b, a): a ⪰ b and a is allowed
}

var (
	_ Counter    = (*posetElements)(nil)
	_ Momenter   = (*posetElements)(nil)
	_ Enumerator = (*posetElements)(nil)
	_ Sampler    = (*posetElements)(nil)
	_ Proposer   = (*posetElements)(nil)
	_ Decoder    = (*posetElements)(nil)
)

func newPosetElements(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	var mask []int32
	switch len(a.Ints) {
	case n * n:
	case n*n + n:
		mask = a.Ints[n*n:]
	default:
		return nil, fault.Value("the relation of %d elements needs %d integers, or %d with the allowed mask, not %d", n, n*n,
			n*n+n, len(a.Ints))
	}
	allowed, err := allowIndices(a.memo(), n, "element", "poset", mask)
	if err != nil {
		return nil, err
	}
	p := &posetElements{allowedIndices: allowed, down: relation.New(n), up: relation.New(n)}
	for i, v := range a.Ints[:n*n] {
		switch v {
		case 0:
		case 1:
			p.down.Add(i/n, i%n)
			if p.place[i/n] >= 0 {
				p.up.Add(i%n, i/n)
			}
		default:
			return nil, fault.Value("the relation is %d for elements %s and %s, must be 0 or 1", v, p.names.of(i/n), p.names.of(i%n))
		}
	}
	if err := p.checkOrder(); err != nil {
		return nil, err
	}
	return p, nil
}

// checkOrder returns an error that names the elements where the relation is not a partial order.
func (p *posetElements) checkOrder() error {
	for a := range p.n {
		if !p.down.Has(a, a) {
			return fault.Value("the relation is not reflexive: element %s is not ⪰ itself", p.names.of(a))
		}
		for b := range p.down.Related(a) {
			if b != a && p.down.Has(b, a) {
				return fault.Value("the relation is not antisymmetric: elements %s and %s are ⪰ each other",
					p.names.of(a), p.names.of(b))
			}
			if c := p.down.Extra(a, b); c >= 0 {
				return fault.Value("the relation is not transitive: element %[1]s is ⪰ element %[2]s and "+
					"element %[2]s ⪰ element %[3]s, but element %[1]s is not ⪰ element %[3]s",
					p.names.of(a), p.names.of(b), p.names.of(c))
			}
		}
	}
	return nil
}

func (p *posetElements) String() string {
	if len(p.allowed) < p.n {
		return fmt.Sprintf("%d allowed elements of a poset of %d", len(p.allowed), p.n)
	}
	return fmt.Sprintf("%d elements of a poset", p.n)
}

func (p *posetElements) FeatureLen() int { return p.n }

// Facts has the thesis's loss: an element that is nearest to what is expected is seldom the likeliest.
func (p *posetElements) Facts() Facts {
	f := p.facts()
	f.Names, f.Sums = prefixed(">=", p.names.each("", p.n)), sumsOf(p.partitionCost)
	f.Loss, f.Decision = "auc", "mbr"
	return f
}

func (p *posetElements) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), p.n)
	clear(dst)
	for b := range p.down.Related(int(y[0])) {
		dst[b] = 1
	}
}

// Mean: ψ_i is 1 for the allowed elements above i, itself included. Cost: O(n²/64).
func (p *posetElements) Mean(dst []float64) {
	mustLen("dst", len(dst), p.n)
	for i := range dst {
		dst[i] = float64(p.up.Common(i, i)) / float64(len(p.allowed))
	}
}

// SecondMoment: ψ_i ψ_j is 1 for the allowed elements above both. Cost: O(n³/64).
func (p *posetElements) SecondMoment(dst blas64.General) {
	mustLen("dst's column", dst.Rows, p.n)
	mustLen("dst's row", dst.Cols, p.n)
	for i := range p.n {
		for j := range i + 1 {
			both := float64(p.up.Common(i, j)) / float64(len(p.allowed))
			dst.Data[i*dst.Stride+j] = both
			dst.Data[j*dst.Stride+i] = both
		}
	}
}

// Decode sums the scores below each allowed element; the smallest index wins among equals. Cost: one addition for each
// element below one of them.
func (p *posetElements) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, p.n)
	best, value := int32(-1), 0.0
	for _, a := range p.allowed {
		var sum float64
		for b := range p.down.Related(int(a)) {
			sum += score.indicator(b)
		}
		if best < 0 || sum > value {
			best, value = a, sum
		}
	}
	dst[0] = best
	return proven(value), nil
}
