package newton

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/loglinear"
)

// The second moment of the features is kept whole, to precondition steps by, up to this order, and where factoring it takes no more than
// so many passes over dense rows.
const (
	largestMoment = 512
	mostPasses    = 32
)

// metric is the Hessian at zero, v·M + 2α for the second moment M of the features, by the weights of rows, and the variance v of the
// uniform distribution; or its diagonal.
type metric struct {
	moment   matrix // M, or its diagonal, 1×q
	ridge    float64
	variance float64
	zero     preconditioner
}

// moment returns M, or its diagonal where it is too large to be kept.
func (f *fit) moment() (matrix, error) {
	sizes := f.o.Sizes
	q := sizes.Features
	sizes.LargestGram = 1
	if q <= largestMoment && float64(q)*float64(q) <= 12*mostPasses*float64(f.problem.Len()) {
		sizes.LargestGram = largestMoment
	}
	sums := make([]float64, sizes.SumsLen(loglinear.Moments))
	if err := loglinear.AddSums(sizes, f.problem, loglinear.Moments, matrix{}, sums, nil, f.mon); err != nil {
		return matrix{}, err
	}
	return sizes.MomentOf(sums[len(sums)-sizes.MomentLen():]), nil
}

func newMetric(f *fit, moment matrix) (*metric, error) {
	m := &metric{moment: moment, ridge: 2 * f.o.Alpha, variance: f.dist.variance}
	m.zero = m.preconditioner()
	return m, m.zero.set(m.variance)
}

// largest returns the largest entry of a gradient, preconditioned by the metric. Scratch is as long.
func (m *metric) largest(gradient, scratch []float64) float64 {
	m.zero.rootTo(scratch, gradient)
	return largest(scratch)
}

// preconditioner is an approximation of a Hessian by c·M + 2α.
type preconditioner struct {
	*metric
	factor   matrix    // of Cholesky, lower; without rows where M is diagonal
	diagonal []float64 // else that of c·M + 2α
}

func (m *metric) preconditioner() preconditioner {
	if q := m.moment.Cols; m.moment.Rows == q && q > 1 {
		return preconditioner{metric: m, factor: linalg.NewMatrix[float64](q, q)}
	}
	return preconditioner{metric: m, diagonal: make([]float64, m.moment.Cols)}
}

// set makes it that for a variance c.
func (p *preconditioner) set(c float64) error {
	for j := range p.diagonal {
		p.diagonal[j] = c*p.moment.Data[j] + p.ridge
		if math.IsInf(p.diagonal[j], 0) || math.IsNaN(p.diagonal[j]) {
			return errObjective
		}
	}
	for j := range p.factor.Rows {
		to := p.factor.Row(j)
		linalg.ScaleTo(to[:j+1], c, p.moment.Row(j)[:j+1])
		to[j] += p.ridge
	}
	if p.factor.Rows == 0 {
		return nil
	}
	if _, err := linalg.FactorCholesky(blas.Lower, p.factor, nil); err != nil {
		return errObjective
	}
	return nil
}

// rootTo writes L⁻¹v to dst, for c·M + 2α = LLᵀ.
func (p *preconditioner) rootTo(dst, v []float64) {
	for j, d := range p.diagonal {
		dst[j] = v[j] / math.Sqrt(d)
	}
	for j := range p.factor.Rows {
		row := p.factor.Row(j)
		dst[j] = (v[j] - linalg.Dot(row[:j], dst)) / row[j]
	}
}

// applyTo writes (c·M + 2α)⁻¹v to dst.
func (p *preconditioner) applyTo(dst, v []float64) {
	for j, d := range p.diagonal {
		dst[j] = v[j] / d
	}
	if p.factor.Rows == 0 {
		return
	}
	p.rootTo(dst, v)
	for j := p.factor.Rows - 1; j >= 0; j-- {
		row := p.factor.Row(j)
		dst[j] /= row[j]
		linalg.Axpy(dst[:j], row, -dst[j])
	}
}
