package loglinear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Problem holds rows of features and the embedded outputs observed for them. Rows of weight 0 are left out: those that count are numbered
// from 0 without them.
type Problem struct {
	X       *solve.Design
	Psi     matrix    // n×d: ψ of the observed outputs, or means of several
	Weights []float64 // nil: all 1
	Mean    []float64 // of ψ under the uniform distribution, d
	Workers int       // for products with sparse features

	kept    []int  // the rows of positive weight; nil: all
	scratch matrix // gathered or scaled rows of dense features
}

// Prepare checks a problem, but for the entries of X and Psi, and finds out which rows count. It comes before all else.
func (p *Problem) Prepare() error {
	n, d := p.X.N, p.Psi.Cols
	switch {
	case p.Psi.Rows != n:
		return fmt.Errorf("loglinear: psi has %d rows, must have %d", p.Psi.Rows, n)
	case p.Weights != nil && len(p.Weights) != n:
		return fmt.Errorf("loglinear: weights has %d entries, must have %d", len(p.Weights), n)
	case len(p.Mean) != d:
		return fmt.Errorf("loglinear: the mean has %d entries, must have %d", len(p.Mean), d)
	case p.X.Rows == nil && (p.X.Dense.Rows != n || p.X.Dense.Cols != p.X.P):
		return fmt.Errorf("loglinear: X is %d×%d, must be %d×%d", p.X.Dense.Rows, p.X.Dense.Cols, n, p.X.P)
	}
	if p.X.Rows != nil {
		if err := p.X.Rows.Check(); err != nil {
			return err
		}
	}
	p.kept = nil
	for i, w := range p.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return badrow.Named(i, "loglinear: weights[%d] is %v, must be finite and at least 0", i, w)
		}
		switch {
		case w > 0 && p.kept != nil:
			p.kept = append(p.kept, i)
		case w == 0 && p.kept == nil:
			p.kept = make([]int, i, n)
			for k := range i {
				p.kept[k] = k
			}
		}
	}
	return nil
}

// Len returns the number of rows that count.
func (p *Problem) Len() int {
	if p.kept != nil {
		return len(p.kept)
	}
	return p.X.N
}

// row returns the number among all rows of one that counts.
func (p *Problem) row(i int) int {
	if p.kept != nil {
		return p.kept[i]
	}
	return i
}

// weight returns the weight of a row that counts.
func (p *Problem) weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[p.row(i)]
}

// rows are some of those that count: consecutive ones or, with numbers, those.
type rows struct {
	lo, hi  int
	numbers []float64 // of a state
}

func (r rows) len() int {
	if r.numbers != nil {
		return len(r.numbers)
	}
	return r.hi - r.lo
}

func (r rows) at(k int) int {
	if r.numbers != nil {
		return int(r.numbers[k])
	}
	return r.lo + k
}

// dense returns the features of rows but for the constant one: a view where they lie together, else in memory that is reused.
func (p *Problem) dense(r rows) matrix {
	if r.numbers == nil && p.kept == nil {
		return p.X.Dense.Slice(r.lo, r.hi, 0, p.X.P)
	}
	to := p.buffer(r.len())
	for k := range to.Rows {
		copy(to.Row(k), p.X.Dense.Row(p.row(r.at(k))))
	}
	return to
}

// buffer returns a matrix of as many rows of features.
func (p *Problem) buffer(n int) matrix {
	if len(p.scratch.Data) < n*p.X.P {
		p.scratch = linalg.NewMatrix[float64](n, p.X.P)
	}
	return shaped(p.scratch.Data[:n*p.X.P], n, p.X.P)
}

// scoresTo writes the scores Wᵀφ of rows to dst.
func (p *Problem) scoresTo(dst matrix, r rows, w matrix) error {
	if p.X.Rows != nil {
		return p.sparseScoresTo(dst, r, w)
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, p.dense(r), w.Slice(0, p.X.P, 0, w.Cols), 0, dst)
	if p.X.Intercept {
		for k := range dst.Rows {
			axpy(dst.Row(k), 1, w.Row(p.X.P))
		}
	}
	return nil
}

// addGradient adds Σ φ rᵀ over rows with the gradients r by their scores to dst.
func (p *Problem) addGradient(dst matrix, r rows, residual matrix) error {
	if p.X.Rows != nil {
		return p.addSparseGradient(dst, r, residual)
	}
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, p.dense(r), residual, 1, dst.Slice(0, p.X.P, 0, dst.Cols))
	if p.X.Intercept {
		for k := range residual.Rows {
			axpy(dst.Row(p.X.P), 1, residual.Row(k))
		}
	}
	return nil
}

// addMoment adds Σ s φφᵀ over rows with factors s to dst, q×q, or the diagonal of that to dst, 1×q.
func (p *Problem) addMoment(dst matrix, r rows, factors []float64) {
	switch {
	case dst.Rows == 1:
		for k, s := range factors {
			p.X.Entries(p.row(r.at(k)), func(j int, v float64) { dst.Data[j] += s * v * v })
		}
	case p.X.Rows != nil:
		for k, s := range factors {
			i := p.row(r.at(k))
			p.X.Entries(i, func(j int, v float64) {
				to := dst.Row(j)
				p.X.Entries(i, func(l int, u float64) { to[l] += s * v * u })
			})
		}
	default:
		p.addDenseMoment(dst, r, factors)
	}
}

func (p *Problem) addDenseMoment(dst matrix, r rows, factors []float64) {
	n := p.X.P
	scaled := p.buffer(r.len())
	for k, s := range factors {
		root := math.Sqrt(s)
		linalg.ScaleTo(scaled.Row(k), root, p.X.Dense.Row(p.row(r.at(k))))
	}
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, scaled, scaled, 1, dst.Slice(0, n, 0, n))
	if !p.X.Intercept {
		return
	}
	last := dst.Row(n)
	for k, s := range factors {
		axpy(last[:n], math.Sqrt(s), scaled.Row(k))
		last[n] += s
	}
	for j := range n {
		dst.Row(j)[n] = last[j]
	}
}
