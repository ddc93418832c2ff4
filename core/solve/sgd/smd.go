package sgd

import (
	"combpred/core/linalg"
	"combpred/core/solve"
)

// metaDescent adapts one gain for each coordinate of the scores, by stochastic meta-descent (Schraudolph 1999; Vishwanathan,
// Schraudolph and Smola 2006, "Step size adaptation in reproducing kernel Hilbert space"). The velocity v is the derivative
// of f by the logarithms of the gains, through steps that count less by the factor memory each:
//
//	p ← p·max(½, 1 − µ g∘v(x_t)/h),   v ← memory·v − pη(∇ + memory·H_t v),
//
// with g the gradient of the row's loss by its scores, ∇ and H_t gradient and Hessian of that loss with the penalty's share,
// and h by how much the loss of the row can fall from f = 0 at most, which makes µ a number without unit. (The penalty's
// share in the first line, which takes an inner product of functions, is left out: it is smaller by the number of rows.) v
// is scale∘velocity + share∘f, so that no step moves all coefficients.
type metaDescent struct {
	velocity bank
	gains    []float64
	scale    []float64
	share    []float64
	most     float64       // of gain times η, by the largest curvature: a step with gains is no expansion below 2
	groups   []solve.Group // coordinates that have one gain, nil where each has its own
	v, hv    []float64
	scaled   []float64
}

const (
	metaRate   = 0.1  // µ, of the order that the sources use
	metaMemory = 0.99 // the factor λ of the sources, who take 0.95 to 1
	leastGain  = 1.0 / 64
	mostStep   = 1.5 // of gain times step size, in units of the inverse of the largest curvature
)

// newMetaDescent continues from gains, one for each coordinate, or for each eigenvalue of Σ where coordinates are redundant: scores would
// leave the range of the coordinates otherwise. Further entries of gains are not used.
func newMetaDescent(p *solve.Problem, velocity bank, gains []float64, firstStep float64) *metaDescent {
	q := p.Coord.Len()
	m := &metaDescent{velocity: velocity, gains: make([]float64, q), scale: ones(q), share: make([]float64, q), most: mostStep * firstStep,
		v: make([]float64, q), hv: make([]float64, q), scaled: make([]float64, q)}
	if p.Coord.Redundant() {
		m.groups = p.Coord.Groups()
		for i, g := range m.groups {
			for j := g.Lo; j < g.Hi; j++ {
				m.gains[j] = gains[i]
			}
		}
	} else {
		copy(m.gains, gains[:q])
	}
	return m
}

// gainsTo writes the gains to dst as newMetaDescent takes them.
func (m *metaDescent) gainsTo(dst []float64) {
	if m.groups == nil {
		copy(dst, m.gains)
		return
	}
	for i, g := range m.groups {
		dst[i] = m.gains[g.Lo]
	}
}

// adapt moves the gains, and the velocity, by the gradient d.grad of row i at the scores d.f. It is called before f moves.
func (m *metaDescent) adapt(d *Descent, i int, shrink, eta float64) {
	p := d.p
	m.velocity.productTo(m.v, i)
	for j := range m.v {
		m.v[j] = m.scale[j]*m.v[j] + m.share[j]*d.f[j]
	}
	m.move(d.grad, typicalLoss(p, i), shrink, eta)
	p.LossHessianTo(m.hv, m.scaled, m.v, i)
	for j, g := range d.grad {
		decay := (1 - shrink) * m.gains[j]
		keep := 1 - decay
		move := -eta * m.gains[j] * g
		// f = (f' − move φ_t)/keep, with f' after the step: what v gains of f becomes a share of f' and a coefficient of row t.
		share := (metaMemory*keep*m.share[j] - decay) / keep
		m.scale[j] *= metaMemory * keep
		m.hv[j] = (-eta*m.gains[j]*(g+metaMemory*m.hv[j]) - share*move) / m.scale[j]
		m.share[j] = share
	}
	m.velocity.add(i, m.hv)
	for _, s := range m.scale {
		if s < foldBelow {
			m.velocity.combine(m.scale, nil, nil)
			for j := range m.scale {
				m.scale[j] = 1
			}
			return
		}
	}
}

// move moves the gains against the gradient.
func (m *metaDescent) move(grad []float64, unit, shrink, eta float64) {
	if unit == 0 {
		return
	}
	step := func(j int) float64 { return metaRate * grad[j] * m.v[j] / unit }
	top := min(m.most/eta, 0.5/(1-shrink)) // nor may a step of the penalty shrink to nothing
	if m.groups == nil {
		for j := range grad {
			m.gains[j] = min(max(m.gains[j]*max(0.5, 1-step(j)), leastGain), top)
		}
		return
	}
	for _, g := range m.groups {
		var total float64
		for j := g.Lo; j < g.Hi; j++ {
			total += step(j)
		}
		gain := min(max(m.gains[g.Lo]*max(0.5, 1-total), leastGain), top)
		for j := g.Lo; j < g.Hi; j++ {
			m.gains[j] = gain
		}
	}
}

// typicalLoss returns by how much the loss of row i may fall from f = 0, at most: the unit of its derivatives.
func typicalLoss(p *solve.Problem, i int) float64 {
	weight := p.Root[i] * p.Root[i]
	if p.Margin {
		return weight / 2
	}
	return weight * linalg.Dot(p.Z.Row(i), p.Z.Row(i)) / 2
}
