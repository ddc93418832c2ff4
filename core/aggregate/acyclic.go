package aggregate

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// AcyclicMajority is a partial order that follows from an acyclic part of the majority's preferences.
type AcyclicMajority struct {
	Relation   []bool  // k×k: whether u is before v, by a preference that is kept or by a chain of such
	Kept       []bool  // k×k: the preferences that are kept
	Weight     float64 // their weight, the sum of the majorities' margins
	UpperBound float64 // no acyclic part has more
	Ratio      float64 // Weight is at least Ratio times the largest possible one: 1 or 1/2
	Optimal    bool    // whether no acyclic part has more weight
	Method     Method  // the method that was used
}

// Margins returns the weights of the majority's preferences: where more than a share threshold of the weight of the rankings that know
// u and v has u before v, that of these rankings less that of those with v before u, otherwise 0. threshold is at least 1/2 and
// less than 1. The result is what groups and programs of Acyclic are about. Cost: O(k²).
func Margins(w *Pairs, threshold float64) (linalg.Matrix[float64], error) {
	k := w.Items()
	if !(threshold >= 0.5 && threshold < 1) {
		return matrix{}, fault.Value("the threshold is %v, must be at least 1/2 and less than 1", threshold)
	}
	margins := linalg.NewMatrix[float64](k, k)
	for u := range k {
		for v := range k {
			// The sign of a margin is known as exactly as the weights are, shares up to rounding.
			if a, b := w.Before.Row(u)[v], w.Before.Row(v)[u]; a > b && a > threshold*(a+b+w.tied(u, v)) {
				margins.Row(u)[v] = a - b
			}
		}
	}
	return margins, nil
}

// Acyclic returns the partial order that follows from the acyclic part of largest weight of the majority's preferences: the
// maximum acyclic subgraph problem. margins are what Margins returns.
//
// An acyclic part is one that some order of the items agrees with, so that a best one follows from an order that violates
// preferences of the least weight. Methods are Auto, Exact, MILP and LocalSearch, which keeps at least half of what can be
// kept, as the better one of an order and its reverse does. Cost: as that of Kemeny.
func Acyclic(margins linalg.Matrix[float64], o Options) (*AcyclicMajority, error) {
	if !o.Method.Acyclic() {
		return nil, fault.Value("method %v is not one of auto, exact, milp and local-search", o.Method)
	}
	s := solver{method: o.Method, programs: o.Programs, workers: o.Workers, mon: o.Monitor}
	parts, err := s.solve(margins)
	if err != nil {
		return nil, err
	}
	order, lost := joined(parts, margins)
	k := len(order)
	a := &AcyclicMajority{Relation: make([]bool, k*k), Kept: make([]bool, k*k), Ratio: 0.5, Optimal: true, Method: o.Method}
	after := relation.New(k)
	var total float64
	for i := k - 1; i >= 0; i-- {
		u := int(order[i])
		for _, v := range order[i+1:] {
			if margins.Row(u)[v] > 0 {
				a.Kept[u*k+int(v)] = true
				after.Add(u, int(v))
				after.Include(u, after.Row(int(v)))
			}
		}
		for v := range after.Related(u) {
			a.Relation[u*k+v] = true
		}
		total += linalg.Sum(margins.Row(u))
	}
	for _, p := range parts {
		a.Optimal = a.Optimal && p.optimal
	}
	a.Weight = total - CostOf(margins, order)
	a.UpperBound = max(a.Weight, total-lost)
	if a.Optimal {
		a.UpperBound, a.Ratio = a.Weight, 1
	}
	if o.Method == Auto {
		a.Method = LocalSearch
		if a.Optimal {
			a.Method = Exact
		}
	}
	return a, nil
}

// Chains finds, for the probabilities in each row of p, k² that u is before v, the strongest chains: dst, as large, gets the largest
// least probability along a chain from u to v, 0 on the diagonal. The pairs of which it is above q are the transitive closure of those
// whose probability is. least[i] is the smallest q from 1/2 on for which that closure has no two items before each other: that of the
// strongest cycle (Cheng, Rademaker, De Baets and Hüllermeier, 2010). Cost: O(k³) for each row.
func Chains(dst linalg.Matrix[float64], least []float64, p linalg.Matrix[float64], k, workers int, mon *parallel.Monitor) error {
	return parallel.For(p.Rows, 1+(1<<14)/(k*k*k+1), workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			chains := dst.Row(i)
			if err := readProbabilities(chains, p.Row(i), k); err != nil {
				return fault.At(i, err)
			}
			for w := range k {
				through := chains[w*k : (w+1)*k]
				for u := range k {
					row := chains[u*k : (u+1)*k]
					for v, bound := 0, row[w]; v < k; v++ {
						row[v] = max(row[v], min(bound, through[v]))
					}
				}
			}
			least[i] = 0.5
			for u := range k {
				chains[u*k+u] = 0
				for v := range u {
					least[i] = max(least[i], min(chains[u*k+v], chains[v*k+u]))
				}
			}
		}
		return nil
	})
}

// readProbabilities copies those of pairs, whose sums may exceed 1 by rounding, but for the diagonal, which gets 0.
func readProbabilities(dst, p []float64, k int) error {
	copy(dst, p)
	for u := range k {
		dst[u*k+u] = 0
		for v := range u {
			for _, x := range []float64{p[v*k+u], p[u*k+v]} {
				if !(x >= 0 && x <= 1) {
					return fault.Value("proba of the items %d and %d is %v, must be from 0 to 1", v, u, x)
				}
			}
			if sum := p[u*k+v] + p[v*k+u]; sum > 1+1e-6 {
				return fault.Value("proba of the items %d and %d, which are before each other, have a sum of %v, must be at most 1",
					v, u, sum)
			}
		}
	}
	return nil
}

// Abstention is how complete and how correct partial orders are, by the threshold above which pairs are stated.
type Abstention struct {
	Thresholds   []float64
	Completeness []float64 // of the pairs of known order, the share that is stated, in the mean over rows
	Correctness  []float64 // of the pairs stated, the share in the right order less that in the wrong one; NaN where no row states any
}

// NewAbstention measures the partial orders that the probabilities in each row of p, k² that u is before v, give: the closure of the
// pairs that are more probable than the threshold, or than the least at which that has no cycle. truth has for each pair u < v 1 where
// u is before v, −1 where it is behind, 0 where neither is known; rows without known pairs do not count. weights are finite and at
// least 0; nil: 1 each. thresholds nil are all at which anything changes or, beyond most, so many of them, evenly by rank. Cost: O(k³)
// for each row, and O(k²) for each row and threshold.
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
