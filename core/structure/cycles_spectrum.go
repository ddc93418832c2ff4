package structure

import (
	"cmp"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// The covariance of cycles depends only on how many vertices two edges share, so its eigenspaces are those of the
// Johnson scheme, see pairScheme. With the counts P, Q, R of edges and K cycles its eigenvalues are
//
//	constants  (P + 2(n−2)Q + (n−2)(n−3)/2·R)/K − d(P/K)², the variance of the length over d;
//	degrees    (P + (n−4)Q − (n−3)R)/K;
//	the rest   (P − 2Q + R)/K.
//
// The terms nearly cancel for large n, so they are added as integers. For n = 3 there is one cycle and no variance; for n
// = 4 the degrees and the rest share the eigenvalue 2/7 and make one space, the complement of the constants.

// pairComplement stands for degrees and rest as one space, beside the spaces of pairScheme.
const pairComplement = pairRest + 1

// eigenspace is one of the spaces and its eigenvalue.
type eigenspace struct {
	value float64
	space int
}

// eigenspaces returns those with a positive eigenvalue, the largest first.
func (c cycles) eigenspaces() []eigenspace {
	if c.n == leastCycle {
		return nil
	}
	n, d := int64(c.n), int64(c.len())
	e, total := c.edges(), c.Count()
	sum := func(adjacent, disjoint int64) *big.Int {
		s := new(big.Int).Mul(e.adjacent, big.NewInt(adjacent))
		s.Add(s, e.one)
		return s.Add(s, new(big.Int).Mul(e.disjoint, big.NewInt(disjoint)))
	}
	constants := sum(2*(n-2), (n-2)*(n-3)/2)
	constants.Mul(constants, total)
	square := new(big.Int).Mul(e.one, e.one)
	constants.Sub(constants, square.Mul(square, big.NewInt(d)))
	spaces := []eigenspace{
		{combin.Ratio(constants, new(big.Int).Mul(total, total)), pairConstants},
		{combin.Ratio(sum(n-4, -(n-3)), total), pairDegrees},
		{combin.Ratio(sum(-2, 1), total), pairRest},
	}
	if c.n == leastCycle+1 {
		spaces = []eigenspace{spaces[pairConstants], {spaces[pairRest].value, pairComplement}}
	}
	slices.SortFunc(spaces, func(a, b eigenspace) int { return cmp.Compare(b.value, a.value) })
	return spaces
}

func (c cycles) Eigenvalues() []float64 {
	values := []float64{}
	for _, s := range c.spaces() {
		values = append(values, s.value)
	}
	return values
}

func (c cycles) FrameLen(i int) int {
	if s := c.spaces()[i].space; s != pairComplement {
		return pairScheme{c.n}.frameLen(s)
	}
	return c.len()
}

// AnalyzeTo costs O(d) for each row.
func (c cycles) AnalyzeTo(dst, v blas64.General, i int) {
	if s := c.spaces()[i].space; s != pairComplement {
		pairScheme{c.n}.analyzeTo(dst, v, s)
		return
	}
	mustFrame(dst, v, c.len(), c.len())
	centreTo(dst, v)
}

// SynthesizeTo costs O(d) for each row.
func (c cycles) SynthesizeTo(dst, x blas64.General, i int) {
	if s := c.spaces()[i].space; s != pairComplement {
		pairScheme{c.n}.synthesizeTo(dst, x, s)
		return
	}
	mustFrame(x, dst, c.len(), c.len())
	addCentredTo(dst, x)
}
