package plackettluce

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// comparisonModel has the parameters of Comparisons, and what Newton's method needs.
type comparisonModel struct {
	*Comparisons
	linear             int
	total, gauge       float64 // the weight of all comparisons; what makes the second derivatives along (1, …, 1) positive
	x, gradient        []float64
	theta, slopes      []float64
	hessian, step      linalg.Matrix[float64]
	curvatures, mapped linalg.Matrix[float64] // by θ, and times Z
	mixed              []float64              // by θ and ln ν
}

func (c *Comparisons) model() *comparisonModel {
	k := c.Wins.Rows
	linear, all := c.params()
	m := &comparisonModel{Comparisons: c, linear: linear, x: make([]float64, all), gradient: make([]float64, all),
		theta: make([]float64, k), slopes: make([]float64, k),
		hessian: linalg.NewMatrix[float64](all, all), step: linalg.NewMatrix[float64](all, 1),
		curvatures: linalg.NewMatrix[float64](k, k), mapped: linalg.NewMatrix[float64](k, linear), mixed: make([]float64, k)}
	wins, ties := linalg.Sum(c.Wins.Data), linalg.Sum(c.Ties.Data)/2
	m.total = wins + ties + c.Penalty
	if c.Covariates.Data == nil {
		m.gauge = m.total / float64(k)
	}
	if all > linear {
		m.x[linear] = math.Log(2 * ties / wins)
	}
	return m
}

// derive returns the penalised negative logarithm of the likelihood, and sets its derivatives.
func (m *comparisonModel) derive(x []float64) float64 {
	k, tying := m.Wins.Rows, len(x) > m.linear
	logNu := math.Inf(-1)
	if tying {
		logNu = x[m.linear]
	}
	z := m.Covariates
	for u := range k {
		if z.Data == nil {
			m.theta[u] = x[u]
		} else {
			m.theta[u] = linalg.Dot(z.Row(u), x[:m.linear])
		}
	}
	clear(m.slopes)
	clear(m.mixed)
	clear(m.curvatures.Data)
	value, slope, curvature := 0.0, 0.0, 0.0 // the latter two by ln ν
	for u := range k {
		for v := range u {
			w, l, t := m.Wins.Row(u)[v], m.Wins.Row(v)[u], m.tied(u, v)
			n := w + l + t
			if n == 0 {
				continue
			}
			half := (m.theta[u] - m.theta[v]) / 2
			top := max(math.Abs(half), logNu)
			won, lost, even := math.Exp(half-top), math.Exp(-half-top), math.Exp(logNu-top)
			// One of the three is 1. Sums of what is not negative keep the last digits of what almost never happens.
			others := won + lost
			if top != logNu {
				others = min(won, lost) + even
			}
			logSum, sum := math.Log1p(others), 1+others
			won, lost, even = won/sum, lost/sum, even/sum
			value += w*((top-half)+logSum) + l*((top+half)+logSum)
			d := (l*(2*won+even) - w*(2*lost+even) + t*(won-lost)) / 2
			h := n * (4*won*lost + even*(won+lost)) / 4
			m.slopes[u] += d
			m.slopes[v] -= d
			m.curvatures.Row(u)[u] += h
			m.curvatures.Row(v)[v] += h
			m.curvatures.Row(u)[v] -= h
			m.curvatures.Row(v)[u] -= h
			if tying {
				value += t * ((top - logNu) + logSum)
				slope += n*even - t
				curvature += n * even * (won + lost)
				m.mixed[u] -= n * even * (won - lost) / 2
				m.mixed[v] += n * even * (won - lost) / 2
			}
		}
	}
	m.assemble(slope, curvature)
	for i, b := range x[:m.linear] {
		value += m.Penalty * b * b / 2
		m.gradient[i] += m.Penalty * b
		m.hessian.Row(i)[i] += m.Penalty
	}
	return value
}

// assemble maps derivatives by θ to those by the parameters.
func (m *comparisonModel) assemble(slope, curvature float64) {
	k, z := m.Wins.Rows, m.Covariates
	clear(m.gradient)
	clear(m.hessian.Data)
	if z.Data == nil {
		copy(m.gradient, m.slopes)
		for u := range k {
			copy(m.hessian.Row(u), m.curvatures.Row(u))
		}
	} else {
		clear(m.mapped.Data)
		for u := range k {
			for v, h := range m.curvatures.Row(u) {
				linalg.Axpy(m.mapped.Row(u), z.Row(v), h)
			}
		}
		for u := range k {
			linalg.Axpy(m.gradient[:m.linear], z.Row(u), m.slopes[u])
			for i, x := range z.Row(u) {
				linalg.Axpy(m.hessian.Row(i)[:m.linear], m.mapped.Row(u), x)
			}
		}
	}
	if len(m.gradient) == m.linear {
		return
	}
	m.gradient[m.linear], m.hessian.Row(m.linear)[m.linear] = slope, curvature
	for u, h := range m.mixed {
		if z.Data == nil {
			m.hessian.Row(u)[m.linear] = h
		} else {
			for i, x := range z.Row(u) {
				m.hessian.Row(i)[m.linear] += h * x
			}
		}
	}
	for i := range m.linear {
		m.hessian.Row(m.linear)[i] = m.hessian.Row(i)[m.linear]
	}
}

// factor returns the Cholesky factor of the second derivatives, to which the gauge is added, and overwrites them.
func (m *comparisonModel) factor(mon *parallel.Monitor) (linalg.Cholesky[float64], error) {
	if m.gauge > 0 {
		for u := range m.linear {
			for v := range m.linear {
				m.hessian.Row(u)[v] += m.gauge / float64(m.linear)
			}
		}
	}
	factor, err := linalg.FactorCholesky(blas.Lower, m.hessian, mon)
	if errors.Is(err, linalg.ErrNotPositiveDefinite) {
		return factor, penaltyLost(m.total, m.Penalty)
	}
	return factor, err
}
