package solve

import (
	"math"

	"combpred/core/linalg"
)

// Loss returns the weighted loss of row i at the scores f.
func (p *Problem) Loss(i int, f []float64) float64 {
	if p.Margin && p.Sets.first == nil {
		root, u, squares := p.Root[i], 0.0, 0.0
		z, sigma := p.Z.Row(i)[:len(f)], p.Sigma[:len(f)]
		for j, v := range f {
			u += z[j] * v
			squares += sigma[j] * v * v
		}
		u *= root
		return root*root*squares/2 + u*u/2 - root*u
	}
	scaled := make([]float64, len(f))
	linalg.ScaleTo(scaled, p.Root[i], f)
	return p.lossAt(i, scaled)
}

// lossAt is Loss at scores that are multiplied by √w.
func (p *Problem) lossAt(i int, scaled []float64) float64 {
	v := p.loss(i, scaled)
	if p.spread != nil {
		v += p.spread[i]
	}
	return v
}

// LossGradientTo writes the gradient of row i's weighted loss at the scores f to dst. scaled is scratch.
func (p *Problem) LossGradientTo(dst, scaled, f []float64, i int) {
	root := p.Root[i]
	linalg.ScaleTo(scaled, root, f)
	clear(dst)
	p.pull(dst, scaled, i)
	for j := range dst {
		dst[j] = root * (p.Sigma[j]*scaled[j] - dst[j])
	}
}

// LossAndGradientTo returns what Loss does and writes what LossGradientTo does.
func (p *Problem) LossAndGradientTo(dst, scaled, f []float64, i int) float64 {
	if !p.Margin || p.Sets.first != nil {
		p.LossGradientTo(dst, scaled, f, i)
		return p.lossAt(i, scaled)
	}
	// One output: the derivative is √w(σs − (√w − u)z) for s = √w f and u = ⟨z, s⟩, in two passes over its entries.
	root, z := p.Root[i], p.Z.Row(i)
	sigma, f, dst := p.Sigma[:len(z)], f[:len(z)], dst[:len(z)]
	var u, squares float64
	for j, v := range f {
		u += z[j] * v
		squares += sigma[j] * v * v
	}
	u *= root
	pull := root - u
	for j, v := range f {
		dst[j] = root * (sigma[j]*root*v - pull*z[j])
	}
	return root*root*squares/2 + u*u/2 - root*u
}

// LossHessianTo writes the product of v with the second derivative of row i's weighted loss to dst. scaled is scratch.
func (p *Problem) LossHessianTo(dst, scaled, v []float64, i int) {
	root := p.Root[i]
	linalg.ScaleTo(scaled, root, v)
	clear(dst)
	if p.Margin {
		p.Sets.pull(p.Z, dst, scaled, i, 0)
	}
	for j := range dst {
		dst[j] = root * (p.Sigma[j]*scaled[j] - dst[j])
	}
}

// Curvature returns a bound on the largest curvature of row i's weighted loss, as a function of its scores.
func (p *Problem) Curvature(i int) float64 {
	var top, squares float64
	for _, s := range p.Sigma {
		top = max(top, s)
	}
	if p.Margin {
		lo, hi := p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			squares += linalg.Dot(p.Z.Row(a), p.Z.Row(a))
		}
	}
	return p.Root[i] * p.Root[i] * (top + squares)
}

// loss returns the weighted loss of row i, given its scores times √w.
func (p *Problem) loss(i int, f []float64) float64 {
	var v float64
	if p.Margin {
		for j, fj := range f {
			v += p.Sigma[j] * fj * fj
		}
		return v/2 + p.Sets.loss(p.Z, f, i, p.Root[i]/math.Sqrt(p.Sets.size(i)))
	}
	z := p.Z.Row(i)
	for j, fj := range f {
		r := fj - p.Root[i]*z[j]
		v += r * r
	}
	return v / 2
}

// pull adds the negative derivative of row i's loss at the scores f (times √w), but for its part −σf, to dst.
func (p *Problem) pull(dst, f []float64, i int) {
	if !p.Margin {
		linalg.Axpy(dst, p.Z.Row(i), p.Root[i])
		return
	}
	p.Sets.pull(p.Z, dst, f, i, p.Root[i]/math.Sqrt(p.Sets.size(i)))
}
