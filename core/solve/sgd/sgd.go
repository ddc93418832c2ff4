// Package sgd trains structured ridge models by steps of stochastic gradient descent, one row a step.
package sgd

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

type matrix = linalg.Matrix[float64]

// StepSizes are those of stochastic gradient descent (Vembu 2010, section 5.3.2): at step t, η_t = p·m/(λ(t + t₀)), by which coefficients
// shrink to 1 − 2(λ/m)η_t = 1 − 2p/(t + t₀) before −η_t times the gradient of the row's loss is added.
type StepSizes struct {
	Rows  float64 // m, the rows that the penalty is weighed against
	First float64 // p
	Shift float64 // t₀, above 2p, so that no step shrinks to nothing
	Done  int     // t, the steps done so far
}

// at returns the sizes of the next step.
func (s StepSizes) at(lambda float64) (shrink, eta float64) {
	t := float64(s.Done) + s.Shift
	return 1 - 2*s.First/t, s.First * s.Rows / (lambda * t)
}

// foldBelow is the common factor of the coefficients below which it is multiplied in.
const foldBelow = 1e-6

// bank holds the coefficients of one function f(x) = Σ_k φ_k(x) c_k, in coordinates of Σ: of the rows of the support, or of input features.
type bank interface {
	// productTo writes the value at row t to dst.
	productTo(dst []float64, t int)
	// add adds φ_k(x_t) times delta to each coefficient that row t moves: its own in an expansion, all in a linear model.
	add(t int, delta []float64)
	// drop sets to zero what is left out after step t.
	drop(t int)
	// combine replaces the coefficients c by a∘c, plus b∘c' for those of other unless that is nil.
	combine(a []float64, other bank, b []float64)
	// store writes the coefficients to the caller's memory, in the space of ψ.
	store()
}

// Descent takes steps of stochastic gradient descent over the rows of a Problem, each once and in their order. Its functions are f, their
// average and, for stochastic meta-descent, a velocity. Products with what all coefficients have in common are put off: f is scale∘iterate,
// and the sum that averages are taken of is summed∘iterate + average.
type Descent struct {
	p        *solve.Problem
	steps    StepSizes
	iterate  bank
	average  bank // nil: no averaging
	meta     *metaDescent
	scale    []float64
	summed   []float64
	f, grad  []float64
	delta    []float64
	correct  []float64
	Loss     float64 // sum of the weighted losses of the rows, each before the step on it
	averaged float64 // steps that the average counts
}

func newDescent(p *solve.Problem, steps StepSizes, iterate, average bank, meta *metaDescent) *Descent {
	q := p.Coord.Len()
	d := &Descent{p: p, steps: steps, iterate: iterate, average: average, meta: meta, scale: ones(q), summed: make([]float64, q),
		f: make([]float64, q), grad: make([]float64, q), delta: make([]float64, q), correct: make([]float64, q),
		averaged: float64(steps.Done)}
	if average != nil {
		average.combine(filled(q, totalAt(d.averaged)), nil, nil)
	}
	return d
}

// averagingAt returns the weight of step t = 1, 2, … in the average, which grows as its cube (Shamir and Zhang 2013): the last half of the
// steps makes up 94 per cent of it.
func averagingAt(t float64) float64 { return t * (t + 1) * (t + 2) / 6 }

// totalAt returns the sum of averagingAt over 1 to t.
func totalAt(t float64) float64 { return averagingAt(t) * (t + 3) / 4 }

// pollSteps is the number of steps between polls for cancellation.
const pollSteps = 32

// Run takes one step on each row and writes the functions to the caller's memory.
func (d *Descent) Run() error {
	for i := range d.p.Root {
		if i%pollSteps == 0 {
			if err := d.p.Mon.Err(); err != nil {
				return err
			}
		}
		d.step(i)
	}
	if err := solve.CheckFinite(d.Loss); err != nil {
		return err
	}
	d.finish()
	return nil
}

func (d *Descent) step(i int) {
	if len(d.scale) == 0 { // the structure has one member only
		d.steps.Done++
		d.averaged++
		return
	}
	d.iterate.productTo(d.f, i)
	for j, s := range d.scale {
		d.f[j] *= s
	}
	d.Loss += d.p.LossAndGradientTo(d.grad, d.correct, d.f, i)
	shrink, eta := d.steps.at(d.p.Lambda)
	d.steps.Done++
	if d.meta != nil {
		d.meta.adapt(d, i, shrink, eta)
	}
	smallest := d.move(shrink, eta)
	d.iterate.add(i, d.delta)
	if d.average != nil {
		for j, v := range d.delta {
			d.correct[j] = -d.summed[j] * v
		}
		d.average.add(i, d.correct)
		d.averaged++
		weight := averagingAt(d.averaged)
		linalg.Axpy(d.summed, d.scale, weight)
		d.average.drop(i)
	}
	d.iterate.drop(i)
	if d.meta != nil {
		d.meta.velocity.drop(i)
	}
	if smallest < foldBelow {
		d.fold()
	}
}

// move makes delta of the gradient, shrinks what coefficients have in common, and returns the smallest of that.
func (d *Descent) move(shrink, eta float64) float64 {
	if d.meta == nil { // all coordinates have the same factor
		factor := d.scale[0] * shrink
		rate := -eta / factor
		for j, g := range d.grad {
			d.scale[j] = factor
			d.delta[j] = rate * g
		}
		return factor
	}
	smallest := 1.0
	for j, g := range d.grad {
		gain := d.meta.gains[j]
		d.scale[j] *= 1 - (1-shrink)*gain
		d.delta[j] = -eta * gain * g / d.scale[j]
		smallest = min(smallest, d.scale[j])
	}
	return smallest
}

// fold multiplies the common factors into the coefficients. What the sum has of the iterate is added up first: as a multiple of an iterate
// that has shrunk, it would cancel with the rest of the sum.
func (d *Descent) fold() {
	if d.average != nil {
		d.average.combine(ones(len(d.summed)), d.iterate, d.summed)
		clear(d.summed)
	}
	d.iterate.combine(d.scale, nil, nil)
	for j := range d.scale {
		d.scale[j] = 1
	}
}

func (d *Descent) finish() {
	q := len(d.scale)
	if d.average != nil {
		total := totalAt(d.averaged)
		for j := range d.summed {
			d.summed[j] /= total
		}
		d.average.combine(filled(q, 1/total), d.iterate, d.summed)
		d.average.store()
	}
	d.iterate.combine(d.scale, nil, nil)
	if d.meta != nil {
		d.meta.velocity.combine(d.meta.scale, d.iterate, d.meta.share)
		d.meta.velocity.store()
	}
	d.iterate.store()
}

// check returns an error where the step sizes are not legal.
func (s StepSizes) check() error {
	if !(s.Shift > 2*s.First) || !(s.First > 0) || !(s.Rows >= 1) || s.Done < 0 {
		return fault.Value("steps p = %g, t0 = %g, m = %g, t = %d: p must be positive, t0 above 2p, m at least 1, t not "+
			"negative", s.First, s.Shift, s.Rows, s.Done)
	}
	return nil
}

func ones(n int) []float64 { return filled(n, 1) }

func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
