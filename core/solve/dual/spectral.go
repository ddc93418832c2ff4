package dual

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Spectral is operator and resolvent by the eigendecomposition K̃ = V diag(s) Vᵀ, at the same cost for any number of distinct σ.
type Spectral struct {
	p       *solve.Problem
	Values  []float64 // eigenvalues, negative ones taken as 0
	Vectors matrix    // m×m, one eigenvector a column
	temp    matrix    // m×Len
}

// NewSpectral decomposes the matrix of op. Cost: about 9m³, and memory of three matrices of order m.
func NewSpectral(p *solve.Problem, op *Kernel) (*Spectral, error) {
	m := len(p.Root)
	o := &Spectral{p: p, Vectors: linalg.NewMatrix[float64](m, m), temp: p.NewBlock()}
	if err := p.EachRow(func(i int) { op.RowTo(o.Vectors.Row(i), i) }); err != nil {
		return nil, err
	}
	found := new([]float64)
	if err := parallel.Detached(p.Mon, func() (err error) {
		*found, err = linalg.SymEig(linalg.General(o.Vectors))
		return err
	}); err != nil {
		return nil, err
	}
	o.Values = *found
	var low, high float64
	for i, s := range o.Values {
		if err := solve.CheckFinite(s); err != nil {
			return nil, err
		}
		low, high = min(low, s), max(high, math.Abs(s))
		o.Values[i] = max(s, 0)
	}
	if low < -indefinite*high {
		return nil, fault.Numerical("the kernel matrix is not positive semi-definite: it has the eigenvalue %.3g, "+
			"its largest is %.3g", low, high)
	}
	return o, nil
}

// MulTo implements Operator.
func (o *Spectral) MulTo(dst, c matrix) error {
	return o.transform(dst, c, func(s, _ float64) float64 { return s })
}

// ApplyTo implements Resolvent.
func (o *Spectral) ApplyTo(dst, v matrix) error { return o.transform(dst, v, o.Gain) }

// SolveTo implements Inverse.
func (o *Spectral) SolveTo(dst, v matrix) error {
	return o.transform(dst, v, o.inverse)
}

// inverse is the eigenvalue of (2λI + σK̃)⁻¹ that belongs to the eigenvalue s of K̃.
func (o *Spectral) inverse(s, sigma float64) float64 { return 1 / (2*o.p.Lambda + sigma*s) }

// Gain is the eigenvalue of H_σ that belongs to the eigenvalue s of K̃.
func (o *Spectral) Gain(s, sigma float64) float64 { return s / (2*o.p.Lambda + sigma*s) }

// transform writes V diag(f(s, σ)) Vᵀ x to dst, column by column with its own σ. Cost: 4m²·Len.
func (o *Spectral) transform(dst, x matrix, f func(s, sigma float64) float64) error {
	if err := linalg.GemmPolled(blas.Trans, o.Vectors, x, o.temp, o.p.Mon); err != nil {
		return err
	}
	if err := o.p.EachRow(func(k int) {
		row := o.temp.Row(k)
		for j := range row {
			row[j] *= f(o.Values[k], o.p.Sigma[j])
		}
	}); err != nil {
		return err
	}
	return linalg.GemmPolled(blas.NoTrans, o.Vectors, o.temp, dst, o.p.Mon)
}

// Diagonal implements Resolvent.
func (o *Spectral) Diagonal(dst matrix) (bool, error) { return true, o.diagonalTo(dst, o.Gain) }

// InverseDiagonal writes the diagonal of (2λI + σK̃)⁻¹ of each coordinate to dst, at the cost of Diagonal.
func (o *Spectral) InverseDiagonal(dst matrix) error { return o.diagonalTo(dst, o.inverse) }

// diagonalTo writes the diagonal of V diag(f(s, σ)) Vᵀ to dst, for each coordinate. Cost: 2m²·(distinct σ).
func (o *Spectral) diagonalTo(dst matrix, f func(s, sigma float64) float64) error {
	return o.p.EachRow(func(i int) {
		v, row := o.Vectors.Row(i), dst.Row(i)
		for _, g := range o.p.Coord.Groups() {
			var h float64
			for k, a := range v {
				h += a * a * f(o.Values[k], g.Sigma)
			}
			for j := g.Lo; j < g.Hi; j++ {
				row[j] = h
			}
		}
	})
}

// Accuracy implements Inverse.
func (o *Spectral) Accuracy() float64 { return 1e-10 }

// Scale implements Operator.
func (o *Spectral) Scale() float64 {
	var top float64
	for _, s := range o.Values {
		top = max(top, s)
	}
	return top
}
