package aggregate

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Abstention is how complete and how correct partial orders are, by the threshold above which pairs are stated.
type Abstention struct {
	Thresholds   []float64
	Completeness []float64 // of the pairs of known order, the share that is stated, in the mean over rows
	Correctness  []float64 // of the pairs stated, the share in the right order less that in the wrong one; NaN where no row states any
}

// NewAbstention measures the partial orders that the probabilities in each row of p, k² that u is before v, give: the closure of the
// pairs that are more probable than the threshold, or than the least at which that has no cycle. truth has for each pair u < v 1 where
// u is before v, −1 where it is behind, 0 where neither is known; rows without known pairs do not count. weights are finite and at least 0; nil: 1 each.
// thresholds nil are all at which anything changes or, beyond most, so many of them, evenly by rank. Cost: O(k³) for each row, and
// O(k²) for each row and threshold.
func NewAbstention(
	truth []int8, p linalg.Matrix[float64], k int, weights, thresholds []float64, most, workers int, mon *parallel.Monitor,
) (*Abstention, error) {
	for _, q := range thresholds {
		if !(q >= 0.5 && q < 1) {
			return nil, fault.Value("thresholds has %v, must be from 1/2 to below 1", q)
		}
	}
	known, pairs, total := make([]int, p.Rows), k*(k-1)/2, 0.0
	for i := range known {
		for _, sign := range truth[i*pairs : (i+1)*pairs] {
			if sign != 0 {
				known[i]++
			}
		}
		if known[i] > 0 {
			total += weightOf(weights, i)
		}
	}
	if !(total > 0) {
		return nil, fault.Value("y_true: no row of positive weight has a known order to compare")
	}
	right, wrong, err := statedFrom(truth, p, k, workers, mon)
	if err != nil {
		return nil, err
	}
	if thresholds == nil {
		thresholds = changes(most, right.Data, wrong.Data)
	}
	m := len(thresholds)
	a := &Abstention{thresholds, make([]float64, m), make([]float64, m)}
	return a, parallel.For(m, 1, workers, mon, func(lo, hi int) error {
		for c := lo; c < hi; c++ {
			if err := mon.Err(); err != nil {
				return err
			}
			speaking, q := 0.0, thresholds[c]
			for i, n := range known {
				w, hits, misses := weightOf(weights, i), above(right.Row(i), q), above(wrong.Row(i), q)
				if stated := hits + misses; stated > 0 && w > 0 {
					a.Completeness[c] += w * float64(stated) / float64(n) / total
					a.Correctness[c] += w * float64(hits-misses) / float64(stated)
					speaking += w
				}
			}
			a.Correctness[c] /= speaking // NaN where that is 0
		}
		return nil
	})
}

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// statedFrom returns for each pair of known order, in the right and in the wrong one, the threshold from which on it is not stated; 0
// where it never is.
func statedFrom(
	truth []int8, p linalg.Matrix[float64], k, workers int, mon *parallel.Monitor,
) (right, wrong linalg.Matrix[float64], err error) {
	chains, least := linalg.NewMatrix[float64](p.Rows, k*k), make([]float64, p.Rows)
	pairs := k * (k - 1) / 2
	right, wrong = linalg.NewMatrix[float64](p.Rows, pairs), linalg.NewMatrix[float64](p.Rows, pairs)
	if err := Chains(chains, least, p, k, workers, mon); err != nil {
		return right, wrong, err
	}
	for i := range p.Rows {
		at, strengths := 0, chains.Row(i)
		for u := range k {
			for v := u + 1; v < k; v++ {
				of := [2]float64{strengths[u*k+v], strengths[v*k+u]}
				sign := truth[i*pairs+at]
				if sign < 0 {
					of[0], of[1] = of[1], of[0]
				}
				if sign != 0 && of[0] > least[i] {
					right.Row(i)[at] = of[0]
				}
				if sign != 0 && of[1] > least[i] {
					wrong.Row(i)[at] = of[1]
				}
				at++
			}
		}
	}
	return right, wrong, nil
}

// changes returns 1/2 and the values above it but for the largest one, or most of these, evenly by rank.
func changes(most int, values ...[]float64) []float64 {
	cuts := []float64{0.5}
	for _, some := range values {
		for _, x := range some {
			if x > 0.5 {
				cuts = append(cuts, x)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	cuts = cuts[:max(1, len(cuts)-1)]
	if len(cuts) <= most {
		return cuts
	}
	some := make([]float64, most)
	for i := range some {
		some[i] = cuts[int(math.RoundToEven(float64(i)*float64(len(cuts)-1)/float64(max(1, most-1))))]
	}
	return some
}

// above returns how many numbers are larger than q.
func above(x []float64, q float64) (n int) {
	for _, v := range x {
		if v > q {
			n++
		}
	}
	return n
}
