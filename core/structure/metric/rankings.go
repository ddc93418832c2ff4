// Package metric has measures of how predictions agree with truths: a value for each row, of which callers take means.
//
// Truths are called y_true and predictions y_pred in what it refuses, as everybody calls them.
package metric

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Ranking is a measure of rankings.
type Ranking int

const (
	KendallTau        Ranking = iota // τ_b: pairs in the same order less those in opposite ones, over the geometric mean of those untied
	TauX                             // of Emond and Mason: pairs in the same order, or tied in both, less those in opposite ones, over all
	SpearmanRho                      // the correlation of the positions, of which tied labels share the mean
	SpearmanFootrule                 // the sum of the absolute differences of these
	TopKRecall                       // the share of the first k labels that are among the first k of the other
	NDCG                             // discounted cumulative gain, gains being how many labels are behind, of the first k
	RankBiasedOverlap                // extrapolated, of persistence p
)

// partial reports whether labels of unknown place in the truth are left out; otherwise they are refused.
func (r Ranking) partial() bool { return r != SpearmanRho && r != SpearmanFootrule }

// weighsTops reports whether the parameter is a number of labels: those at the top.
func (r Ranking) weighsTops() bool { return r == TopKRecall || r == NDCG }

// rowsOfLabels is about how many labels the rows have that a worker takes at a time.
const rowsOfLabels = 1 << 12

// ValuesTo writes to dst the measure of every row of positions n×k: at least 0, equal ones tied, and NaN where they are unknown, which
// only truths may be. Rows of which fewer than two labels are known have no value, NaN. parameter is the k or p of measures that have
// one. Where ties leave places open, measures of tops are means over all ways to break them.
//
// Cost: O(k²) for each row, of Spearman's and of recall and gain O(k log k).
func (r Ranking) ValuesTo(dst []float64, truth, predicted linalg.Matrix[float64], parameter float64, workers int,
	mon *parallel.Monitor) error {
	if err := r.check(parameter, truth.Cols); err != nil {
		return err
	}
	return parallel.For(truth.Rows, 1+rowsOfLabels/truth.Cols, workers, mon, func(lo, hi int) error {
		var a, b places
		for i := lo; i < hi; i++ {
			if err := r.load(&a, &b, truth.Row(i), predicted.Row(i)); err != nil {
				return fault.At(i, err)
			}
			dst[i] = math.NaN()
			if len(a.positions) < 2 {
				continue
			}
			var err error
			if dst[i], err = r.value(&a, &b, parameter); err != nil {
				return fault.At(i, err)
			}
			if err := mon.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r Ranking) check(parameter float64, k int) error {
	switch {
	case k < 2:
		return fault.Value("y_true ranks %d labels, must rank at least 2", k)
	case r.weighsTops() && !(parameter >= 1 && parameter <= float64(k) && parameter == math.Floor(parameter)):
		return fault.Value("k is %g, must be a whole number from 1 to %d", parameter, k)
	case r == RankBiasedOverlap && !(parameter > 0 && parameter < 1):
		return fault.Value("p is %g, must be between 0 and 1", parameter)
	}
	return nil
}

// load takes the labels whose positions in the truth are known.
func (r Ranking) load(a, b *places, truth, predicted []float64) error {
	a.positions, b.positions = a.positions[:0], b.positions[:0]
	for u, at := range truth {
		if err := checkPosition("y_true", u, at, r.partial()); err != nil {
			return err
		}
		if err := checkPosition("y_pred", u, predicted[u], false); err != nil {
			return err
		}
		if !math.IsNaN(at) {
			a.positions, b.positions = append(a.positions, at), append(b.positions, predicted[u])
		}
	}
	return nil
}

func checkPosition(name string, label int, at float64, partial bool) error {
	switch {
	case math.IsNaN(at) && !partial:
		return fault.Value("%s leaves the position of label %d unknown", name, label)
	case at < 0 || math.IsInf(at, 1):
		return fault.Value("%s has label %d at %g; positions are finite numbers from 0 on", name, label, at)
	}
	return nil
}

func (r Ranking) value(a, b *places, parameter float64) (float64, error) {
	switch r {
	case KendallTau:
		agreement, _, untiedA, untiedB := compare(a.positions, b.positions)
		if err := refuseTied(untiedA == 0, untiedB == 0, "Kendall's tau"); err != nil {
			return 0, err
		}
		return float64(agreement) / math.Sqrt(float64(untiedA)*float64(untiedB)), nil
	case TauX:
		agreement, tied, _, _ := compare(a.positions, b.positions)
		m := len(a.positions)
		return float64(agreement+tied) / float64(m*(m-1)/2), nil
	}
	a.find()
	b.find()
	switch r {
	case SpearmanRho:
		return rho(a, b)
	case SpearmanFootrule:
		total := 0
		for u := range a.first {
			total += max(a.twice(u), b.twice(u)) - min(a.twice(u), b.twice(u))
		}
		return float64(total) / 2, nil
	case TopKRecall:
		return common(a, b, int(parameter)) / float64(min(int(parameter), len(a.first))), nil
	case NDCG:
		return gain(a, b, int(parameter)), nil
	default:
		return overlap(a, b, parameter), nil
	}
}

// refuseTied returns an error where a measure is not defined, since there are ties alone.
func refuseTied(truth, predicted bool, measure string) error {
	name := "y_true"
	switch {
	case !truth && !predicted:
		return nil
	case !truth:
		name = "y_pred"
	}
	return fault.Value("%s ties all labels, so that %s is undefined; leave the row out", name, measure)
}

// compare counts the pairs that both put in the same order less those in opposite orders, those that both tie, and those that each orders.
func compare(a, b []float64) (agreement, tied, untiedA, untiedB int) {
	for u := range a {
		x, y := a[u], b[u]
		for v := u + 1; v < len(a); v++ {
			// Which label is first cannot be predicted: numbers in place of branches.
			s, t := number(a[v] > x)-number(a[v] < x), number(b[v] > y)-number(b[v] < y)
			agreement += s * t
			untiedA += s * s
			untiedB += t * t
			tied += (1 - s*s) * (1 - t*t)
		}
	}
	return agreement, tied, untiedA, untiedB
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// rho returns the correlation of means of places, twice and centred so that all numbers are whole.
func rho(a, b *places) (float64, error) {
	var both, ownA, ownB int
	for u := range a.first {
		x, y := a.twice(u)-len(a.first)-1, b.twice(u)-len(b.first)-1
		both += x * y
		ownA += x * x
		ownB += y * y
	}
	if err := refuseTied(ownA == 0, ownB == 0, "Spearman's rho"); err != nil {
		return 0, err
	}
	return float64(both) / math.Sqrt(float64(ownA)*float64(ownB)), nil
}

// common returns how many labels are among the first d of both.
func common(a, b *places, d int) float64 {
	sum := 0.0
	for u := range a.first {
		sum += a.inFirst(u, d) * b.inFirst(u, d)
	}
	return sum
}

func gain(a, b *places, most int) float64 {
	m := len(a.first)
	gains, total := make([]float64, m), make([]float64, m+1) // total of the discounts of the places up to each
	for u := range gains {
		gains[u] = float64(m) - float64(a.twice(u))/2
		total[u+1] = total[u]
		if u < most {
			total[u+1] += 1 / math.Log2(float64(u+2))
		}
	}
	found, ideal := 0.0, 0.0
	for u, g := range gains {
		found += g * (total[b.last[u]] - total[b.first[u]-1]) / float64(b.last[u]-b.first[u]+1)
	}
	slices.Sort(gains)
	for at := range gains {
		ideal += gains[m-1-at] * (total[at+1] - total[at])
	}
	return found / ideal
}

func overlap(a, b *places, p float64) float64 {
	sum, weight := 0.0, 1-p
	for d := 1; d <= len(a.first); d++ {
		sum += weight * common(a, b, d) / float64(d)
		weight *= p
	}
	return sum + weight/(1-p) // at the end all known labels are common
}

// places are those that ties leave open to labels, counted from 1.
type places struct {
	positions   []float64
	first, last []int
	order       []int
}

// find sets the first and the last place of every label.
func (p *places) find() {
	m := len(p.positions)
	p.first, p.last, p.order = slices.Grow(p.first[:0], m)[:m], slices.Grow(p.last[:0], m)[:m], slices.Grow(p.order[:0], m)[:m]
	for u := range p.order {
		p.order[u] = u
	}
	slices.SortFunc(p.order, func(u, v int) int { return cmp.Compare(p.positions[u], p.positions[v]) })
	for lo, hi := 0, 0; lo < m; lo = hi {
		for hi = lo; hi < m && p.positions[p.order[hi]] == p.positions[p.order[lo]]; hi++ {
		}
		for _, u := range p.order[lo:hi] {
			p.first[u], p.last[u] = lo+1, hi
		}
	}
}

// twice returns double the mean of the places.
func (p *places) twice(u int) int { return p.first[u] + p.last[u] }

// inFirst returns the probability of being among the first d where ties are broken at random.
func (p *places) inFirst(u, d int) float64 {
	return min(max(float64(d-p.first[u]+1)/float64(p.last[u]-p.first[u]+1), 0), 1)
}
