package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/logsum"
)

// maxSetTable bounds the table for sets of a given size, a quarter of a gigabyte.
const maxSetTable = 1 << 25

var _ Partitioner = labelSets{}

// LogPartition adds up ln(1 + eˢ) over the labels, which are independent; for sets of ℓ labels it is an elementary
// symmetric polynomial of the eˢ. Cost: O(n), for sets of ℓ labels O(n min(ℓ, n−ℓ)), and as many float64s for marginals: it
// returns a *LimitError for those beyond 2²⁵.
func (l labelSets) LogPartition(marginals, scores []float64, poll func() error) (logZ float64, err error) {
	mustLen("scores", len(scores), l.n)
	if marginals != nil {
		mustLen("marginals", len(marginals), l.n)
	}
	if l.size >= 0 {
		return l.sizedPartition(marginals, scores, poll)
	}
	for i, s := range scores {
		logZ += logsum.Softplus(s)
		if marginals != nil {
			marginals[i] = logsum.Sigmoid(s)
		}
	}
	return logZ, nil
}

func (l labelSets) partitionCost(marginals bool) float64 {
	cells := float64(l.n) * float64(l.width())
	switch {
	case l.size < 0:
		return 4 * float64(l.n)
	case marginals && cells > maxSetTable:
		return math.Inf(1)
	}
	cost := 2 * cells
	if l.n > mostDirectSet {
		cost = 20 * cells
	}
	if marginals {
		cost *= 3
	}
	return cost
}

// width returns the number of entries of a row of the table of setSums.
func (l labelSets) width() int { return min(l.size, l.n-l.size) + 1 }

// mostDirectSet is the largest number of labels for which setSums keeps weights as such.
const mostDirectSet = 800

// setSums is the recursion for sets of ℓ of n labels. sums[i·width + j] is what the choices of lo(i)+j of the first i
// labels weigh, lo(i) being how few can be chosen for ℓ to be reached at the end. The threshold, the ℓ-th largest score,
// is taken off all scores, and a label above it has its score charged when it is left out instead of earned when it is
// taken. So no weight is above 1, and the best set weighs 1.
//
// Up to 800 labels weights are numbers: what is lost to underflow weighs less than 10⁻³⁰⁰ for each of 2⁸⁰⁰ < 10²⁴¹ sets,
// and no sum is above 2⁸⁰⁰. Beyond that they are logarithms.
type setSums struct {
	labelSets
	logs        bool
	take, leave []float64 // weights of taking a label and of leaving it
	sums        []float64
	base        float64 // what was taken off
}

func (l labelSets) newSetSums(scores []float64) *setSums {
	t := &setSums{labelSets: l, logs: l.n > mostDirectSet, take: make([]float64, l.n), leave: make([]float64, l.n)}
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	threshold := sorted[min(l.n-l.size, l.n-1)] // of no labels: the largest score
	for i, s := range scores {
		s -= threshold
		t.take[i], t.leave[i] = min(s, 0), -max(s, 0)
		if !t.logs {
			t.take[i], t.leave[i] = math.Exp(t.take[i]), math.Exp(t.leave[i])
		}
		t.base += max(s, 0)
	}
	t.base += float64(l.size) * threshold
	return t
}

// lo returns the fewest labels that can be chosen among the first i.
func (t *setSums) lo(i int) int { return max(0, t.size-(t.n-i)) }

// next writes the row behind the first i+1 labels, given that behind the first i.
func (t *setSums) next(to, from []float64, i int) {
	shift := t.lo(i+1) - t.lo(i) // entry j of to follows entry j+shift of from, or takes a label after the one before
	take, leave := t.take[i], t.leave[i]
	for j := range to {
		at := j + shift
		switch stay, come := at < len(from), at > 0; {
		case !t.logs && stay && come:
			to[j] = from[at]*leave + from[at-1]*take
		case stay && come:
			to[j] = logsum.Add(from[at]+leave, from[at-1]+take)
		case t.logs && stay:
			to[j] = from[at] + leave
		case t.logs:
			to[j] = from[at-1] + take
		case stay:
			to[j] = from[at] * leave
		default:
			to[j] = from[at-1] * take
		}
	}
}

// tabulate fills all rows.
func (t *setSums) tabulate(poll func() error) error {
	w := t.width()
	t.sums = make([]float64, (t.n+1)*w)
	t.begin(t.sums[:w])
	for i := range t.n {
		if i%64 == 0 {
			if err := polled(poll); err != nil {
				return err
			}
		}
		t.next(t.sums[(i+1)*w:(i+2)*w], t.sums[i*w:(i+1)*w], i)
	}
	return nil
}

// begin writes the row of no labels.
func (t *setSums) begin(first []float64) {
	nothing, unit := 0.0, 1.0
	if t.logs {
		nothing, unit = math.Inf(-1), 0
	}
	fill(first, nothing)
	first[0] = unit
}

// total returns ln Z, given the last row.
func (t *setSums) total(last []float64) float64 {
	if t.logs {
		return last[0] + t.base
	}
	return math.Log(last[0]) + t.base
}

// taken returns the probability that label i is in, given that k of the first i+1 labels are.
func (t *setSums) taken(i, k int) float64 {
	w, at := t.width(), k-1-t.lo(i)
	if at < 0 || at >= w {
		return 0
	}
	before, here := t.sums[i*w+at], t.sums[(i+1)*w+k-t.lo(i+1)]
	switch {
	case t.logs:
		return logsum.Share(before+t.take[i], here)
	case here == 0:
		return 0
	}
	return min(before*t.take[i]/here, 1)
}

func (l labelSets) sizedPartition(marginals, scores []float64, poll func() error) (float64, error) {
	t := l.newSetSums(scores)
	w := l.width()
	if marginals == nil {
		from, to := make([]float64, w), make([]float64, w)
		t.begin(from)
		for i := range l.n {
			if i%64 == 0 {
				if err := polled(poll); err != nil {
					return 0, err
				}
			}
			t.next(to, from, i)
			from, to = to, from
		}
		return t.total(from), nil
	}
	if err := l.checkTable(); err != nil {
		return 0, err
	}
	if err := t.tabulate(poll); err != nil {
		return 0, err
	}
	// reach[j]: the probability that lo+j of the first i labels are chosen, i going down.
	reach, before := make([]float64, w), make([]float64, w)
	reach[0] = 1
	for i := l.n - 1; i >= 0; i-- {
		if i%64 == 0 {
			if err := polled(poll); err != nil {
				return 0, err
			}
		}
		clear(before)
		marginals[i] = 0
		lo, below := t.lo(i+1), t.lo(i)
		for j, p := range reach {
			if p == 0 {
				continue
			}
			in := p * t.taken(i, lo+j)
			marginals[i] += in
			if at := lo + j - 1 - below; at >= 0 && at < w {
				before[at] += in
			}
			if at := lo + j - below; at >= 0 && at < w {
				before[at] += p - in
			}
		}
		reach, before = before, reach
		marginals[i] = min(marginals[i], 1)
	}
	return t.total(t.sums[l.n*w:]), nil
}

func (l labelSets) checkTable() error {
	if l.n > maxSetTable/l.width() {
		return &LimitError{
			What:         fmt.Sprintf("the exact sum over all sets of %d labels", l.size),
			Size:         l.n,
			Unit:         "labels",
			Limit:        maxSetTable / l.width(),
			Alternatives: "leave out the size, or take one nearer to 0 or to all labels",
		}
	}
	return nil
}

// Distribution draws each label on its own, for sets of ℓ labels from the last to the first, given how many are left to be
// chosen. Cost: O(n) for each output, beside that of LogPartition for sets of ℓ.
func (l labelSets) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), l.n)
	if l.size < 0 {
		p := make([]float64, l.n)
		for i, s := range scores {
			p[i] = logsum.Sigmoid(s)
		}
		return func(dst []int32, rng *rand.Rand) {
			mustLen("dst", len(dst), len(p))
			for i := range dst {
				dst[i] = 0
				if rng.Float64() < p[i] {
					dst[i] = 1
				}
			}
		}, nil
	}
	if err := l.checkTable(); err != nil {
		return nil, err
	}
	t := l.newSetSums(scores)
	if err := t.tabulate(poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), l.n)
		left := l.size
		for i := l.n - 1; i >= 0; i-- {
			dst[i] = 0
			// Where all must be taken, or none may be, rounding has no say.
			if left > i || left > 0 && rng.Float64() < t.taken(i, left) {
				dst[i] = 1
				left--
			}
		}
	}, nil
}
