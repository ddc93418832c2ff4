package dual

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Factored is the resolvent by one Cholesky factor of I + (σ/2λ)K̃ for each distinct σ, in either precision. Two factors share
// one m×(m+1) array, the first in its lower triangle, the second in its upper one.
//
// With fewer factors than there are distinct σ it is the resolvent of a nearby problem, in which each σ is replaced by that of
// its cluster: a preconditioner whose quality depends on the ratio of the two only.
type Factored[T linalg.Float] struct {
	p        *solve.Problem
	Groups   []solve.Group // of the factors
	factors  []linalg.Cholesky[T]
	Inverses []linalg.Symmetric[T] // instead of the factors, after Invert
	tmp, out []T
}

// FactorWork returns the bytes of work that the given number of triangles of order m need, two of them in one array.
func FactorWork[T linalg.Float](m, triangles int) int64 {
	var t T
	return int64((triangles+1)/2) * int64(m) * int64(m+1) * int64(unsafe.Sizeof(t))
}

// Triangle returns the place of the triangle number k of order m in work.
func Triangle[T linalg.Float](work []T, m, k int) linalg.Symmetric[T] {
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
	f := &Factored[T]{p: p, Groups: cluster(p.Coord.Groups(), factors)}
	width := 0
	for _, grp := range f.Groups {
		width = max(width, grp.Hi-grp.Lo)
	}
	f.tmp = make([]T, m*width)
	for g, grp := range f.Groups {
		a := Triangle(work, m, g)
		t := grp.Sigma / (2 * p.Lambda)
		if err := p.EachRow(func(i int) {
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
			return nil, fault.Numerical("2·alpha·I + σK is not positive definite in this precision: K has negative " +
				"eigenvalues, or alpha is too small for it")
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
		f.Inverses = append(f.Inverses, inv)
	}
	f.out = make([]T, len(f.tmp))
	return nil
}

// inverse returns (I + (σ/2λ)K̃)⁻¹ times the columns of group g of v, in the scratch of f.
func (f *Factored[T]) inverse(g int, v matrix) (linalg.Matrix[T], error) {
	grp := f.Groups[g]
	cols := grp.Hi - grp.Lo
	block := func(data []T) linalg.Matrix[T] {
		return linalg.Matrix[T]{Rows: v.Rows, Cols: cols, Stride: cols, Data: data[:v.Rows*cols]}
	}
	x := block(f.tmp)
	if err := f.p.EachRow(func(i int) {
		out := x.Row(i)
		for j, a := range v.Row(i)[grp.Lo:grp.Hi] {
			out[j] = T(a)
		}
	}); err != nil {
		return x, err
	}
	if f.Inverses == nil {
		return x, f.factors[g].Solve(x, f.p.Mon)
	}
	y := block(f.out)
	return y, f.Inverses[g].MulTo(y, x, f.p.Mon)
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
	for g, grp := range f.Groups {
		x, err := f.inverse(g, v)
		if err != nil {
			return err
		}
		if err := f.p.EachRow(func(i int) {
			in, out := v.Row(i)[grp.Lo:grp.Hi], dst.Row(i)[grp.Lo:grp.Hi]
			for j, b := range x.Row(i) {
				out[j] = combine(grp.Sigma, in[j], float64(b))
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// InverseDiagonal returns the diagonal of (I + (σ/2λ)K̃)⁻¹ for the σ of group g, before Invert.
func (f *Factored[T]) InverseDiagonal(g int) ([]T, error) {
	return f.factors[g].InverseDiagonal(f.p.Mon)
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

// cluster merges neighbouring groups until at most limit are left, each with the geometric middle of its σ. The clusters span
// equal ratios, so that no σ is further from its cluster's than need be.
func cluster(groups []solve.Group, limit int) []solve.Group {
	if len(groups) <= limit {
		return groups
	}
	top, bottom := math.Log(groups[0].Sigma), math.Log(groups[len(groups)-1].Sigma)
	width := (top - bottom) / float64(limit)
	var out []solve.Group
	var first float64 // ln of the largest σ of the last cluster
	for _, g := range groups {
		at := min(int((top-math.Log(g.Sigma))/width), limit-1)
		if last := len(out) - 1; last >= 0 && min(int((top-first)/width), limit-1) == at {
			out[last].Hi = g.Hi
			out[last].Sigma = math.Exp((first + math.Log(g.Sigma)) / 2)
			continue
		}
		first = math.Log(g.Sigma)
		out = append(out, g)
	}
	return out
}
