package solve

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// Factored is the resolvent by one Cholesky factor of I + (σ/2λ)K̃ for each distinct σ, in either precision. Two factors share
// one m×(m+1) array, the first in its lower triangle, the second in its upper one.
//
// With fewer factors than there are distinct σ it is the resolvent of a nearby problem, in which each σ is replaced by that of
// its cluster: a preconditioner whose quality depends on the ratio of the two only.
type Factored[T linalg.Float] struct {
	p       *Problem
	groups  []group // of the factors
	factors []linalg.Cholesky[T]
	tmp     []T
}

// FactorWork returns the bytes of work that NewFactored needs for m rows and the given number of factors.
func FactorWork[T linalg.Float](m, factors int) int64 {
	var t T
	return int64((factors+1)/2) * int64(m) * int64(m+1) * int64(unsafe.Sizeof(t))
}

// NewFactored factors K̃ of the operator o, in work, with at most the given number of factors. Cost: m³/3 for each factor.
func NewFactored[T linalg.Float](o *Kernel, work []T, factors int) (*Factored[T], error) {
	p := o.p
	m := len(p.Root)
	f := &Factored[T]{p: p, groups: cluster(p.Coord.groups, factors)}
	width := 0
	for _, grp := range f.groups {
		width = max(width, grp.hi-grp.lo)
	}
	f.tmp = make([]T, m*width)
	pair := m * (m + 1)
	for g, grp := range f.groups {
		buf := work[g/2*pair : (g/2+1)*pair]
		uplo := blas.Lower
		a := linalg.Matrix[T]{Rows: m, Cols: m, Stride: m + 1, Data: buf[: pair-1 : pair-1]}
		if g%2 == 1 {
			uplo = blas.Upper
			a.Data = buf[1:]
		}
		t := grp.sigma / (2 * p.Lambda)
		if err := p.rows(func(i int) {
			lo, hi := 0, i+1
			if uplo == blas.Upper {
				lo, hi = i, m
			}
			row, k := a.Data[i*a.Stride:], o.k.Row(i)
			ti := t * p.Root[i]
			for j := lo; j < hi; j++ {
				row[j] = T(ti * p.Root[j] * (k[j] + o.shift))
			}
			row[i]++
		}); err != nil {
			return nil, err
		}
		c, err := linalg.FactorCholesky(uplo, a, p.Mon)
		if err == linalg.ErrNotPositiveDefinite {
			return nil, &NumericalError{"2·alpha·I + σK is not positive definite in this precision: K has negative eigenvalues, or alpha is too small for it"}
		}
		if err != nil {
			return nil, err
		}
		f.factors = append(f.factors, c)
	}
	return f, nil
}

// inverse overwrites the scratch of group g with (I + (σ/2λ)K̃)⁻¹ times its columns of v and returns it.
func (f *Factored[T]) inverse(g int, v matrix) (linalg.Matrix[T], error) {
	grp := f.groups[g]
	x := linalg.Matrix[T]{Rows: v.Rows, Cols: grp.hi - grp.lo, Stride: grp.hi - grp.lo, Data: f.tmp[:v.Rows*(grp.hi-grp.lo)]}
	if err := f.p.rows(func(i int) {
		out := x.Row(i)
		for j, a := range v.Row(i)[grp.lo:grp.hi] {
			out[j] = T(a)
		}
	}); err != nil {
		return x, err
	}
	f.factors[g].Solve(x)
	return x, f.p.Mon.Err()
}

// ApplyTo implements Resolvent: H_σ v = (v − (I + (σ/2λ)K̃)⁻¹v)/σ. dst may be v.
func (f *Factored[T]) ApplyTo(dst, v matrix) error {
	return f.each(dst, v, func(sigma, a, x float64) float64 { return (a - x) / sigma })
}

// SolveTo writes (2λI + σK̃)⁻¹v to dst. dst may be v.
func (f *Factored[T]) SolveTo(dst, v matrix) error {
	return f.each(dst, v, func(_, _, x float64) float64 { return x / (2 * f.p.Lambda) })
}

func (f *Factored[T]) each(dst, v matrix, combine func(sigma, a, x float64) float64) error {
	for g, grp := range f.groups {
		x, err := f.inverse(g, v)
		if err != nil {
			return err
		}
		if err := f.p.rows(func(i int) {
			in, out := v.Row(i)[grp.lo:grp.hi], dst.Row(i)[grp.lo:grp.hi]
			for j, b := range x.Row(i) {
				out[j] = combine(grp.sigma, in[j], float64(b))
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// Diagonal implements Resolvent: the diagonal of an inverse costs as much as the factor, so there is none.
func (f *Factored[T]) Diagonal(matrix) (bool, error) { return false, nil }

// Accuracy implements Inverse.
func (f *Factored[T]) Accuracy() float64 {
	var t T
	if unsafe.Sizeof(t) == 4 {
		return 1e-5
	}
	return 1e-10
}
