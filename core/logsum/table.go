package logsum

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"
)

// SoftmaxTo writes exp(x) / Σ exp(x) to dst, which may be x, and returns ln Σ exp(x). Not all numbers may be −Inf.
func SoftmaxTo(dst, x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		dst[i] = v - top
	}
	ExpTo(dst, dst)
	var sum float64
	for _, v := range dst {
		sum += v
	}
	for i := range dst {
		dst[i] /= sum
	}
	return top + math.Log(sum)
}

// DrawMember returns the member of a set, given by its bits, on whose share a uniform number falls. shares holds a
// probability for each member; where rounding leaves a rest, it is the last one's that may be drawn.
func DrawMember(shares []float64, set int, uniform float64) int {
	rest, drawn := uniform, -1
	for x := uint(set); x != 0; x &= x - 1 {
		i := bits.TrailingZeros(x)
		if shares[i] == 0 {
			continue
		}
		drawn = i
		if rest -= shares[i]; rest < 0 {
			break
		}
	}
	return drawn
}

// Table draws from a list of weights, in time that is logarithmic in their number.
type Table struct{ sums []float64 }

// NewTable returns a table of the weights exp(x), which are not kept. Not all numbers may be −Inf.
func NewTable(x []float64) Table {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	sums := make([]float64, len(x))
	var total float64
	for i, v := range x {
		total += math.Exp(v - top)
		sums[i] = total
	}
	return Table{sums}
}

// Draw returns i with probability proportional to its weight.
func (t Table) Draw(rng *rand.Rand) int {
	total := t.sums[len(t.sums)-1]
	u := min(rng.Float64()*total, math.Nextafter(total, 0)) // the product may be rounded up
	return sort.Search(len(t.sums), func(i int) bool { return t.sums[i] > u })
}
