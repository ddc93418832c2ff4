package labelrank

import "math"

// project sets the weights from θ: with t = rate·θ/(radius·scale),
//
//	W_jl = radius (e^t_jl − e^−t_jl) / Σ (e^t + e^−t),
//
// the difference of the two halves of a distribution on 2qk points, scaled to the radius. The rate falls as the scale grows, as it
// must where the largest input is not known beforehand; a W of θ and the rate (dual averaging, Nesterov 2009), not of the W before,
// keeps the bound on mistakes when it does.
func (r *lesson) project() {
	speed := 0.0
	if r.Tally.Scale > 0 {
		speed = r.Rate / (r.Radius * r.Tally.Scale)
	}
	var largest float64
	for j := range r.Theta.Rows {
		for _, v := range r.Theta.Row(j) {
			largest = max(largest, math.Abs(v))
		}
	}
	largest *= speed
	var total float64
	for j := range r.Theta.Rows {
		for _, v := range r.Theta.Row(j) {
			t := math.Abs(speed * v)
			total += math.Exp(t-largest) + math.Exp(-t-largest)
		}
	}
	for j := range r.Theta.Rows {
		w := r.Coef.Row(j)
		for l, v := range r.Theta.Row(j) {
			t := speed * v
			next := r.Radius * (math.Exp(t-largest) - math.Exp(-t-largest)) / total
			if r.Average.Data != nil {
				r.Average.Row(j)[l] += r.Tally.Weight * (next - w[l])
			}
			w[l] = next
		}
	}
}
