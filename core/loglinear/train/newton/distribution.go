package newton

import "math"

// distribution is the exponential family p(v) ∝ exp(s·v) of an entry of ψ over the values that it takes, with the score s as its parameter.
type distribution struct {
	values                  []float64
	binary                  bool    // they are 0 and 1
	mean, variance, logZero float64 // at s = 0
}

func newDistribution(values []float64) distribution {
	d := distribution{values: values, binary: len(values) == 2 && values[0] == 0 && values[1] == 1}
	d.logZero, d.mean, d.variance = d.at(0)
	return d
}

// at returns ln Σ exp(s·v), mean and variance.
func (d distribution) at(s float64) (logZ, mean, variance float64) {
	top := max(s*d.values[0], s*d.values[len(d.values)-1])
	var z float64
	for _, v := range d.values {
		e := math.Exp(s*v - top)
		z += e
		mean += e * v
	}
	mean /= z
	for _, v := range d.values {
		variance += math.Exp(s*v-top) / z * (v - mean) * (v - mean)
	}
	return top + math.Log(z), mean, variance
}

// factors is how many numbers from 1 to 2 are multiplied before the logarithm is taken.
const factors = 512

// evaluate returns Σ w [ln Z − s ψ] at the scores s = z + t·step and Σ residual·step, the derivative by t, and writes w (E ψ − ψ) to
// residual and w times the variances to curvature.
func (d distribution) evaluate(z, step []float64, t float64, psi, weights, residual, curvature []float64) (loss, slope float64) {
	n := len(z)
	step, psi, residual, curvature = step[:n], psi[:n], residual[:n], curvature[:n]
	if !d.binary || weights != nil {
		for i, s := range z {
			s += t * step[i]
			var logZ, mean, variance float64
			if d.binary {
				e := math.Exp(-math.Abs(s))
				logZ = max(s, 0) + math.Log1p(e)
				mean, variance = share(s, e)
			} else {
				logZ, mean, variance = d.at(s)
			}
			w := weightOf(weights, i)
			loss += w * (logZ - s*psi[i])
			residual[i] = w * (mean - psi[i])
			curvature[i] = w * variance
			slope += residual[i] * step[i]
		}
		return loss, slope
	}
	// The sum of ln(1 + e) is the logarithm of a product.
	for lo := 0; lo < n; lo += factors {
		product := 1.0
		for i := lo; i < min(lo+factors, n); i++ {
			s := z[i] + t*step[i]
			e := math.Exp(-math.Abs(s))
			product *= 1 + e
			loss += max(s, 0) - s*psi[i]
			mean, variance := share(s, e)
			residual[i] = mean - psi[i]
			curvature[i] = variance
			slope += residual[i] * step[i]
		}
		loss += math.Log(product)
	}
	return loss, slope
}

// share returns mean and variance of 0 or 1 at a score, given e to the minus of its size.
func share(s, e float64) (mean, variance float64) {
	small := 1 / (1 + e)
	variance = e * small * small
	if s >= 0 {
		return small, variance
	}
	return e * small, variance
}
