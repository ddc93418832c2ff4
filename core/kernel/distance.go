package kernel

import (
	"math"

	"combpred/core/linalg"
)

// Distances come from what two rows have in common: ‖x − x'‖² = s − 2⟨x, x'⟩ with s = ‖x‖² + ‖x'‖², and, of sparse rows,
// ‖x − x'‖₁ = s − 2 Σ_j min(|x_j|, |x'_j|), over the columns in which both have the same sign, with s = ‖x‖₁ + ‖x'‖₁. Such a distance
// is off by some roundoff·s. It is summed entry by entry where it is less than nearShare·s, as for rows that are nearly equal,
// and where the kernel value would be off by more than allowedError.
const (
	roundoff     = 0x1p-51
	nearShare    = 0x1p-36
	allowedError = 1e-13
	// centredGain is how many times smaller the largest ‖x‖² has to become for rows to be centred, which takes a copy.
	centredGain = 4
)

// distanceRow overwrites what a row x and the rows of y from number first on have in common by kernel values. own is the norm of x, and
// norms are those of all rows y, of the same origin as what they have in common; distance computes one distance entry by entry.
func (k *Matrix) distanceRow(values []float64, x row, own float64, norms []float64, first int, distance func(a, b row) float64) {
	gamma := k.f.Gamma
	norms = norms[first : first+len(values)]
	for j, v := range values {
		s := own + norms[j]
		squared := s - 2*v
		value := exp(-gamma * squared)
		if !(squared > nearShare*s) || value*(gamma*s)*roundoff > allowedError {
			value = exp(-gamma * distance(x, rowAt(k.y, first+j)))
		}
		values[j] = value
	}
}

// smaller returns min(|a|, |b|) for numbers of the same sign, 0 for others.
func smaller(a, b float64) float64 {
	if a < 0 {
		a, b = -a, -b
	}
	switch {
	case b <= 0:
		return 0
	case b < a:
		return b
	}
	return a
}

// squaredDistance returns ‖a − b‖², which is 0 for equal rows.
func squaredDistance(a, b row) float64 {
	if !a.sparse && !b.sparse {
		x, y := a.values, b.values[:len(a.values)]
		var s0, s1, s2, s3 float64
		for len(x) >= 4 && len(y) >= 4 {
			d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
			s0 += d0 * d0
			s1 += d1 * d1
			s2 += d2 * d2
			s3 += d3 * d3
			x, y = x[4:], y[4:]
		}
		for i, v := range x {
			s0 += (v - y[i]) * (v - y[i])
		}
		return (s0 + s1) + (s2 + s3)
	}
	var sum float64
	join(a, b, func(x, y float64) { sum += (x - y) * (x - y) }) // rare
	return sum
}

// absoluteDistance returns ‖a − b‖₁.
func absoluteDistance(a, b row) float64 {
	if !a.sparse && !b.sparse {
		x, y := a.values, b.values[:len(a.values)]
		// Four sums at a time, because additions wait for one another.
		var s0, s1, s2, s3 float64
		for len(x) >= 4 && len(y) >= 4 {
			s0 += math.Abs(x[0] - y[0])
			s1 += math.Abs(x[1] - y[1])
			s2 += math.Abs(x[2] - y[2])
			s3 += math.Abs(x[3] - y[3])
			x, y = x[4:], y[4:]
		}
		for i, v := range x {
			s0 += math.Abs(v - y[i])
		}
		return (s0 + s1) + (s2 + s3)
	}
	var sum float64
	join(a, b, func(x, y float64) { sum += math.Abs(x - y) })
	return sum
}

// cosine returns the cosine of two rows whose lengths' product may overflow or underflow; neither is 0.
func cosine(a, b row, lengthA, lengthB float64) float64 {
	var sum float64
	join(a, b, func(x, y float64) { sum += (x / lengthA) * (y / lengthB) })
	return sum
}

// origin is a point that dense rows are seen from, with the rows and their squared norms as seen from there.
type origin struct {
	point []float64
	y     matrix
	norms []float64
}

// newOrigin returns the mean of rows as an origin, or nil where kernel values do not need one or gain little.
func newOrigin(y matrix, norms []float64, gamma float64) *origin {
	largest := maximum(norms)
	if !(2*gamma*largest*roundoff > allowedError) || largest > math.MaxFloat64 {
		return nil
	}
	o := &origin{point: make([]float64, y.Cols), y: linalg.NewMatrix[float64](y.Rows, y.Cols)}
	for i := range y.Rows {
		linalg.Axpy(o.point, y.Row(i), 1/float64(y.Rows))
	}
	o.from(o.y, y)
	o.norms = squares(o.y)
	if !(maximum(o.norms)*centredGain <= largest) {
		return nil
	}
	return o
}

// from writes rows as seen from the origin to dst.
func (o *origin) from(dst, x matrix) {
	for i := range x.Rows {
		to := dst.Row(i)
		for j, v := range x.Row(i) {
			to[j] = v - o.point[j]
		}
	}
}

func squares(x matrix) []float64 { return norms(Rows{Dense: x}) }

func maximum(values []float64) float64 {
	var top float64
	for _, v := range values {
		if v > top {
			top = v
		}
	}
	return top
}
