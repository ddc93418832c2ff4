package aggregate

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
)

type matrix = linalg.Matrix[float64]

// largest bounds sums of weights: times any power of the number of items that occurs they are still finite.
const largest = 1e290

// Profile holds weighted rankings of k items. It belongs to the caller and is only read.
type Profile struct {
	// Ranks has a row for each ranking, with an entry for each item: the smaller is before the larger, equal ones are tied,
	// and −1 or NaN stands for an unknown item, which is in no pair that counts.
	Ranks matrix
	// Weights of the rankings, at least 0 and not all 0; nil: 1 each.
	Weights []float64
	// Extensions is the number of rows for each partial order where rows are samples of linear extensions, otherwise 0; see
	// Extend.
	Extensions int
}

// Check returns an error unless the rankings are legal: at least one row and two items, finite entries from 0 on beside the
// unknown ones, and weights whose sums cannot overflow. Every other function takes a legal profile. Cost: O(n k).
func (p *Profile) Check() error {
	n, k := p.Ranks.Rows, p.Ranks.Cols
	switch {
	case n < 1:
		return fault.Value("there are no rankings")
	case k < 2:
		return fault.Value("rankings must rank at least 2 items, not %d", k)
	case p.Weights != nil && len(p.Weights) != n:
		return fault.Value("there are %d weights for %d rankings", len(p.Weights), n)
	case p.Extensions < 0 || p.Extensions == 1 || p.Extensions > 0 && n%p.Extensions != 0:
		return fault.Value("%d rankings are no samples of %d extensions each", n, p.Extensions)
	}
	for i := range n {
		for u, x := range p.Ranks.Row(i) {
			if !(x >= 0 && x <= math.MaxFloat64 || x == -1 || math.IsNaN(x)) {
				return fault.At(i, fault.Value("the ranking has %v for item %d; positions are finite numbers from 0 on, the "+
					"smaller before the larger, or -1 (or NaN) where unknown", x, u))
			}
		}
	}
	return checkWeights(p.Weights)
}

// checkWeights returns an error that names the first weight that is illegal.
func checkWeights(weights []float64) error {
	some := weights == nil
	for i, w := range weights {
		switch {
		case !(w >= 0):
			return fault.At(i, fault.Value("the weight is %v, must be a number from 0 on", w))
		case w > largest/float64(len(weights)):
			return fault.At(i, fault.Value("the weight is %.3g, so that sums of weights may overflow: scale them down", w))
		}
		some = some || w > 0
	}
	if !some {
		return fault.Value("all weights are zero")
	}
	return nil
}

// Items returns k.
func (p *Profile) Items() int { return p.Ranks.Cols }

// weight returns the weight of ranking i.
func (p *Profile) weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// total returns the weight of all rankings.
func (p *Profile) total() float64 {
	if p.Weights == nil {
		return float64(p.Ranks.Rows)
	}
	return linalg.Sum(p.Weights)
}

// complete reports whether every ranking of positive weight ranks all items. Cost: O(n k).
func (p *Profile) complete() bool {
	return p.every(func(row []float64) bool { return !slices.ContainsFunc(row, isUnknown) })
}

// strict reports whether no ranking of positive weight has a tie of known items. Cost: O(n k log k).
func (p *Profile) strict() bool {
	sorted := make([]float64, p.Items())
	return p.every(func(row []float64) bool {
		copy(sorted, row)
		slices.Sort(sorted)
		for u, x := range sorted[1:] {
			if x == sorted[u] && x >= 0 {
				return false
			}
		}
		return true
	})
}

func (p *Profile) every(holds func(row []float64) bool) bool {
	for i := range p.Ranks.Rows {
		if p.weight(i) > 0 && !holds(p.Ranks.Row(i)) {
			return false
		}
	}
	return true
}

func isUnknown(x float64) bool { return !(x >= 0) }

// standardError returns the standard error that sampled extensions cause in the weighted sum of the rankings' distances.
func (p *Profile) standardError(distances []float64) float64 {
	m := p.Extensions
	if m == 0 {
		return 0
	}
	var variance float64
	for lo := 0; lo < len(distances); lo += m {
		var mean, squares float64
		for i := lo; i < lo+m; i++ {
			mean += p.weight(i) * distances[i]
		}
		mean /= float64(m)
		for i := lo; i < lo+m; i++ {
			d := p.weight(i)*distances[i] - mean
			squares += d * d
		}
		variance += squares / float64(m-1)
	}
	return math.Sqrt(float64(m) * variance)
}

// coder turns rows of a profile into whole numbers, which compare faster.
type coder struct {
	values []float64
	sorted []float64
}

// codesTo writes numbers from 0 to less than 2³¹ − 1 that compare as the entries of a row do, −1 for unknown items. items
// are those that are wanted, in their order; nil: all. It returns the largest one, −1 if there is none. Cost: O(m) for m
// items where entries are whole numbers below 2³¹ − 1, otherwise O(m log m).
func (c *coder) codesTo(dst []int32, row []float64, items []int32) int32 {
	if items != nil {
		c.values = c.values[:0]
		for _, u := range items {
			c.values = append(c.values, row[u])
		}
		row = c.values
	}
	most := int32(-1)
	whole := true
	for u, x := range row {
		switch {
		case isUnknown(x):
			dst[u] = -1
			continue
		case x >= math.MaxInt32:
			whole = false
		default:
			dst[u] = int32(x)
			whole = whole && float64(dst[u]) == x
			most = max(most, dst[u])
		}
	}
	if whole {
		return most
	}
	c.sorted = append(c.sorted[:0], row...)
	slices.Sort(c.sorted)
	c.sorted = slices.Compact(c.sorted)
	known, _ := slices.BinarySearch(c.sorted, 0) // NaN and −1 are in front
	for u, x := range row {
		if isUnknown(x) {
			dst[u] = -1
			continue
		}
		at, _ := slices.BinarySearch(c.sorted, x)
		dst[u] = int32(at - known)
	}
	return int32(len(c.sorted) - known - 1)
}
