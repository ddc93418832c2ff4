package structure

import (
	"fmt"
	"iter"

	"gonum.org/v1/gonum/blas/blas64"
)

// maxElements bounds posets: their relation has n² entries, and checking that it is transitive costs up to n³/64 word
// operations.
const maxElements = 8192

var _ = register[*posetElements](Spec{
	Name: "posetelements",
	Doc:  "One element of a partially ordered set; ψ marks the element and all elements below it.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxElements, Reason: "checking that a relation of n elements is transitive takes time proportional to n³",
			Doc: "number of elements"},
		{Name: "relation", Kind: "int32 buffer", Doc: "n·n entries by rows, 1 where row a ⪰ column b, a partial order"},
	},
	Parts: "the element",
	Psi:   "the elements",
	Ref:   "Vembu (2010), ch. 5, with the reflexive order so that ψ is injective",
	build: newPosetElements,
})

// posetElements is the space of the elements of a poset, encoded as the element's index.
type posetElements struct {
	indices
	down bitRelation // down.has(a, b): a ⪰ b
	up   bitRelation // its transpose
}

var (
	_ Counter    = (*posetElements)(nil)
	_ Moments    = (*posetElements)(nil)
	_ Enumerator = (*posetElements)(nil)
	_ Sampler    = (*posetElements)(nil)
	_ Proposer   = (*posetElements)(nil)
	_ Decoder    = (*posetElements)(nil)
)

func newPosetElements(a given) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	if len(a.Ints) != n*n {
		return nil, fmt.Errorf("structure: the relation of %d elements needs %d integers, not %d", n, n*n, len(a.Ints))
	}
	p := &posetElements{indices: newIndices(n, "element"), down: newBitRelation(n), up: newBitRelation(n)}
	for i, v := range a.Ints {
		switch v {
		case 0:
		case 1:
			p.down.set(i/n, i%n)
			p.up.set(i%n, i/n)
		default:
			return nil, fmt.Errorf("structure: the relation is %d for elements %d and %d, must be 0 or 1", v, i/n, i%n)
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
		if !p.down.has(a, a) {
			return fmt.Errorf("structure: the relation is not reflexive: element %d is not ⪰ itself", a)
		}
		for b := range p.down.related(a) {
			if b != a && p.down.has(b, a) {
				return fmt.Errorf("structure: the relation is not antisymmetric: elements %d and %d are ⪰ each other",
					a, b)
			}
			if c := p.down.extra(a, b); c >= 0 {
				return fmt.Errorf("structure: the relation is not transitive: %d ⪰ %d and %d ⪰ %d, but not %d ⪰ %d",
					a, b, b, c, a, c)
			}
		}
	}
	return nil
}

func (p *posetElements) String() string  { return fmt.Sprintf("%d elements of a poset", p.n) }
func (p *posetElements) FeatureLen() int { return p.n }

func (p *posetElements) Names() iter.Seq[string] { return numbered(">=", p.n) }

func (p *posetElements) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), p.n)
	clear(dst)
	for b := range p.down.related(int(y[0])) {
		dst[b] = 1
	}
}

// Mean: ψ_i is 1 for the elements above i, itself included. Cost: O(n²/64).
func (p *posetElements) Mean(dst []float64) {
	mustLen("dst", len(dst), p.n)
	for i := range dst {
		dst[i] = float64(p.up.common(i, i)) / float64(p.n)
	}
}

// SecondMoment: ψ_i ψ_j is 1 for the elements above both. Cost: O(n³/64).
func (p *posetElements) SecondMoment(dst blas64.General) {
	mustLen("dst's column", dst.Rows, p.n)
	mustLen("dst's row", dst.Cols, p.n)
	for i := range p.n {
		for j := range i + 1 {
			both := float64(p.up.common(i, j)) / float64(p.n)
			dst.Data[i*dst.Stride+j] = both
			dst.Data[j*dst.Stride+i] = both
		}
	}
}

// Decode sums the scores below each element; the smallest index wins among equals. Cost: one addition for each related
// pair.
func (p *posetElements) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, p.n)
	best, value := -1, 0.0
	for a := range p.n {
		var sum float64
		for b := range p.down.related(a) {
			sum += score.indicator(b)
		}
		if best < 0 || sum > value {
			best, value = a, sum
		}
	}
	dst[0] = int32(best)
	return proven(value), nil
}

// Suits is the thesis's loss: an element that is nearest to what is expected is seldom the likeliest.
func (p *posetElements) Suits() (loss, decision string) { return "auc", "score" }
