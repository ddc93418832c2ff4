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
	p        *Problem
	groups   []group // of the factors
	factors  []linalg.Cholesky[T]
	inverses []linalg.Symmetric[T] // instead of the factors, after Invert
	tmp, out []T
}

// FactorWork returns the bytes of work that the given number of triangles of order m need, two of them in one array.
func FactorWork[T linalg.Float](m, triangles int) int64 {
	var t T
	return int64((triangles+1)/2) * int64(m) * int64(m+1) * int64(unsafe.Sizeof(t))
}

// triangle returns the place of the triangle number k of order m in work.
func triangle[T linalg.Float](work []T, m, k int) linalg.Symmetric[T] {
	pair := m * (m + 1)
	buf := work[k/2*pair : (k/2+1)*pair]
	a := linalg.Matrix[T]{Rows: m, Cols: m, Stride: m + 1, Data: buf[: pair-1 : pair-1]}
	if k%2 == 0 {
		return linalg.NewSymmetric(blas.Lower, a)
	}
	a.Data = buf[1:]
	return linalg.NewSymmetric(blas.Upper, a)
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
	for g, grp := range f.groups {
		a := triangle(work, m, g)
		t := grp.sigma / (2 * p.Lambda)
		if err := p.rows(func(i int) {
			row, first := a.Row(i)
			k, ti := o.k.Row(i)[first:], t*p.Root[i]
			for j, root := range p.Root[first : first+len(row)] {
				row[j] = T(ti * root * (k[j] + o.shift))
			}
			row[i-first]++
		}); err != nil {
			return nil, err
		}
		c, err := a.Factor(p.Mon)
		if err == linalg.ErrNotPositiveDefinite {
			return nil, &NumericalError{"2·alpha·I + σK is not positive definite in this precision: K has negative " +
				"eigenvalues, or alpha is too small for it"}
		}
		if err != nil {
			return nil, err
		}
		f.factors = append(f.factors, c)
	}
	return f, nil
}

// Invert replaces the factors by explicit inverses: two thirds of an m³ more for each, after which a product takes one pass over the
// matrix instead of two, and NewMarginMatrix is possible.
func (f *Factored[T]) Invert() error {
	for _, c := range f.factors {
		inv, err := c.Invert(f.p.Mon)
		if err != nil {
			return err
		}
		f.inverses = append(f.inverses, inv)
	}
	f.out = make([]T, len(f.tmp))
	return nil
}

// inverse returns (I + (σ/2λ)K̃)⁻¹ times the columns of group g of v, in the scratch of f.
func (f *Factored[T]) inverse(g int, v matrix) (linalg.Matrix[T], error) {
	grp := f.groups[g]
	cols := grp.hi - grp.lo
	block := func(data []T) linalg.Matrix[T] {
		return linalg.Matrix[T]{Rows: v.Rows, Cols: cols, Stride: cols, Data: data[:v.Rows*cols]}
	}
	x := block(f.tmp)
	if err := f.p.rows(func(i int) {
		out := x.Row(i)
		for j, a := range v.Row(i)[grp.lo:grp.hi] {
			out[j] = T(a)
		}
	}); err != nil {
		return x, err
	}
	if f.inverses == nil {
		return x, f.factors[g].Solve(x, f.p.Mon)
	}
	y := block(f.out)
	return y, f.inverses[g].MulTo(y, x, f.p.Mon)
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
