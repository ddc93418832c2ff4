package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
)

// maxSetTable bounds the table for sets of given sizes, a quarter of a gigabyte.
const maxSetTable = 1 << 25

// setSizes are the sets of lo to hi out of n elements. lo ≤ hi are between 0 and n.
type setSizes struct{ n, lo, hi int }

// all reports whether every set is one of them.
func (s setSizes) all() bool { return s.lo == 0 && s.hi == s.n }

// band returns how few and how many elements can be chosen among the first i for a size to be reached at the end.
func (s setSizes) band(i int) (least, most int) { return max(0, s.lo-(s.n-i)), min(i, s.hi) }

// width returns the number of entries of the longest band.
func (s setSizes) width() int { return min(s.hi, s.n-s.lo) + 1 }

func (s setSizes) cost(marginals bool) float64 {
	cells := float64(s.n) * float64(s.width())
	switch {
	case s.all():
		return 4 * float64(s.n)
	case marginals && cells > maxSetTable:
		return math.Inf(1)
	case marginals:
		return 5 * cells
	}
	return 2 * cells
}

func (s setSizes) checkTable() error {
	if s.n <= maxSetTable/s.width() {
		return nil
	}
	what := fmt.Sprintf("the exact sum over all sets of %d labels", s.lo)
	if s.lo < s.hi {
		what = fmt.Sprintf("the exact sum over all sets of %d to %d labels", s.lo, s.hi)
	}
	return &LimitError{
		What: what, Size: s.n, Unit: "labels", Limit: maxSetTable / s.width(),
		Alternatives: "leave out the size, or take one nearer to 0 or to all labels",
	}
}

// mostDirectSet is the largest number of elements whose weights are relative to those of the best set.
const mostDirectSet = 800

// setSums is the recursion for sets of some sizes. A threshold is taken off all scores, and put back by the weights of the
// sizes at the end.
//
// Up to 800 elements the threshold is the ℓ-th largest score, where ℓ is the size nearest to the number of positive ones, and
// an element above it has its score charged when it is left out instead of earned when it is taken. So no weight is above 1,
// the best set weighs 1, and what is lost to underflow weighs less than 10⁻³⁰⁰ for each of 2⁸⁰⁰ < 10²⁴¹ sets, which is also
// the largest sum.
//
// Beyond that weights are probabilities, of elements that are independent, with such a threshold that ℓ of them are expected:
// then at least 1/(n+1) of all probability is that of size ℓ (Darroch, 1964), and what is lost to underflow is less than
// 10⁻³⁰⁰ for each entry.
type setSums struct {
	setSizes
	take, leave []float64 // weights of taking an element and of leaving it
	end         []float64 // weights of the sizes
	rows        []float64 // what the choices among the first i elements weigh, by their number from the least in the band
	base        float64   // what was taken off
}

func newSetSums(sizes setSizes, scores []float64) *setSums {
	t := &setSums{setSizes: sizes, take: make([]float64, sizes.n), leave: make([]float64, sizes.n)}
	size, threshold := t.threshold(scores)
	if t.n > mostDirectSet && t.lo < t.n && t.hi > 0 {
		size, threshold = t.balance(scores)
		for i, s := range scores {
			x := (s - threshold[0]) - threshold[1]
			t.take[i], t.leave[i] = logsum.Sigmoid(x), logsum.Sigmoid(-x)
			t.base += logsum.Softplus(x)
		}
	} else {
		for i, s := range scores {
			s -= threshold[0]
			t.take[i], t.leave[i] = min(s, 0), -max(s, 0)
			t.base += max(s, 0)
		}
		logsum.ExpTo(t.take, t.take)
		logsum.ExpTo(t.leave, t.leave)
	}
	off := threshold[0] + threshold[1]
	t.base += float64(size)*threshold[0] + float64(size)*threshold[1]
	t.end = make([]float64, t.hi-t.lo+1)
	for k := range t.end {
		t.end[k] = math.Exp(float64(t.lo+k-size) * off)
	}
	return t
}

// threshold returns the size nearest to the number of positive scores, and the score that as many reach: 0 if that is their
// number.
func (t *setSums) threshold(scores []float64) (size int, at [2]float64) {
	positive := 0
	for _, s := range scores {
		if s > 0 {
			positive++
		}
	}
	if positive >= t.lo && positive <= t.hi {
		return positive, at
	}
	size = min(max(positive, t.lo), t.hi)
	return size, [2]float64{reachedBy(scores, size), 0}
}

// reachedBy returns the score that as many elements reach, the largest one for none.
func reachedBy(scores []float64, size int) float64 {
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-size, len(sorted)-1)]
}

// balance returns the size nearest to the expected number of elements, and the threshold for which it is about that of
// elements: in two parts, of which the second is moderate whatever the scores are.
func (t *setSums) balance(scores []float64) (size int, at [2]float64) {
	expected := func() (sum float64) {
		for _, s := range scores {
			sum += logsum.Sigmoid((s - at[0]) - at[1])
		}
		return sum
	}
	free := expected()
	if free >= float64(t.lo) && free <= float64(t.hi) {
		return min(max(int(math.Round(free)), t.lo), t.hi), at
	}
	size = t.lo
	if free > float64(t.hi) {
		size = t.hi
	}
	at[0] = reachedBy(scores, size)
	most := math.Log(float64(t.n)) + 1 // one way or the other, that is too many or too few
	low, high := -most, most
	for range 60 {
		at[1] = (low + high) / 2
		off := expected() - float64(size)
		switch {
		case math.Abs(off) < 0.25:
			return size, at
		case off > 0:
			low = at[1]
		default:
			high = at[1]
		}
	}
	return size, at
}

// next writes the row behind the first i+1 elements, given that behind the first i, and returns it.
func (t *setSums) next(to, from []float64, i int) []float64 {
	least, _ := t.band(i)
	first, last := t.band(i + 1)
	// Entry j of to follows entry j+shift of from, or takes an element after the one before.
	to, shift := to[:last-first+1], first-least
	take, leave := t.take[i], t.leave[i]
	begin, end := 1-shift, len(from)-shift
	if shift == 0 {
		to[0] = from[0] * leave
	}
	if len(to) > end {
		to[end] = from[len(from)-1] * take
	}
	if begin < end {
		stay, come, into := from[begin+shift:], from[begin+shift-1:], to[begin:end]
		stay, come = stay[:len(into)], come[:len(into)]
		for j := range into {
			into[j] = stay[j]*leave + come[j]*take
		}
	}
	return to
}

// tabulate fills all rows, or those at hand if they are not to be kept, and returns the last one.
func (t *setSums) tabulate(keep bool, poll func() error) ([]float64, error) {
	w := t.width()
	stride := 0
	if keep {
		if err := t.checkTable(); err != nil {
			return nil, err
		}
		stride = w
	}
	t.rows = make([]float64, max(2*w, (t.n+1)*stride))
	row := t.rows[:1]
	row[0] = 1
	for i := range t.n {
		if i%64 == 0 {
			if err := polled(poll); err != nil {
				return nil, err
			}
		}
		at := (i + 1) * stride
		if !keep {
			at = (i + 1) % 2 * w
		}
		row = t.next(t.rows[at:at+w], row, i)
	}
	return row, nil
}

// row returns that behind the first i elements.
func (t *setSums) row(i int) []float64 {
	least, most := t.band(i)
	return t.rows[i*t.width():][:most-least+1]
}

// total adds up what the sizes weigh, given the last row.
func (t *setSums) total(last []float64) float64 { return floats.Dot(last, t.end) }

// marginals passes what the choices among the later elements weigh from the last element to the first.
func (t *setSums) marginals(dst []float64, total float64, poll func() error) error {
	w := t.width()
	behind, before := append(make([]float64, 0, w+1), t.end...), make([]float64, w+1)
	for i := t.n - 1; i >= 0; i-- {
		if i%64 == 0 {
			if err := polled(poll); err != nil {
				return err
			}
		}
		least, most := t.band(i)
		first, last := t.band(i + 1)
		ahead := t.row(i)
		before = before[:len(ahead)]
		take, leave := t.take[i], t.leave[i]
		if first > least { // too few, unless this element is taken
			before[0] = behind[0] * take
		}
		if last == most { // no more can be taken
			before[most-least] = behind[last-first] * leave
		}
		from, to := max(least, first), min(most, last-1)
		var sum, odd float64
		if first > least {
			sum = ahead[0] * before[0]
		}
		if from <= to {
			into, ahead := before[from-least:to-least+1], ahead[from-least:]
			stay, come := behind[from-first:], behind[from+1-first:]
			ahead, stay, come = ahead[:len(into)], stay[:len(into)], come[:len(into)]
			j := 0
			for ; j+1 < len(into); j += 2 { // two sums, as each waits for itself
				x, y := come[j]*take, come[j+1]*take
				into[j], into[j+1] = stay[j]*leave+x, stay[j+1]*leave+y
				sum += ahead[j] * x
				odd += ahead[j+1] * y
			}
			if j < len(into) {
				x := come[j] * take
				into[j] = stay[j]*leave + x
				sum += ahead[j] * x
			}
		}
		dst[i] = min((sum+odd)/total, 1)
		behind, before = before, behind[:cap(behind)]
	}
	return nil
}

func (s setSizes) logPartition(marginals, scores []float64, poll func() error) (float64, error) {
	if s.all() {
		return independent(marginals, scores), nil
	}
	t := newSetSums(s, scores)
	last, err := t.tabulate(marginals != nil, poll)
	if err != nil {
		return 0, err
	}
	total := t.total(last)
	if marginals != nil {
		if err := t.marginals(marginals, total, poll); err != nil {
			return 0, err
		}
	}
	return math.Log(total) + t.base, nil
}

// taken returns the probability that element i is in, given that k of the first i+1 elements are.
func (t *setSums) taken(i, k int) float64 {
	least, most := t.band(i)
	if k-1 < least || k-1 > most {
		return 0
	}
	first, _ := t.band(i + 1)
	here := t.row(i + 1)[k-first]
	if here == 0 {
		return 0
	}
	return min(t.row(i)[k-1-least]*t.take[i]/here, 1)
}

func (s setSizes) distribution(scores []float64, poll func() error) (Draw, error) {
	if s.all() {
		p := make([]float64, s.n)
		independent(p, scores)
		return func(dst []int32, rng *rand.Rand) {
			for i := range dst {
				dst[i] = 0
				if rng.Float64() < p[i] {
					dst[i] = 1
				}
			}
		}, nil
	}
	t := newSetSums(s, scores)
	last, err := t.tabulate(true, poll)
	if err != nil {
		return nil, err
	}
	sizes := make([]float64, len(last))
	for k, w := range t.end {
		sizes[k] = math.Log(last[k] * w)
	}
	size := logsum.NewTable(sizes)
	return func(dst []int32, rng *rand.Rand) {
		left := s.lo
		if s.lo < s.hi {
			left += size.Draw(rng)
		}
		for i := s.n - 1; i >= 0; i-- {
			dst[i] = 0
			// Where all must be taken, or none may be, rounding has no say.
			if left > i || left > 0 && rng.Float64() < t.taken(i, left) {
				dst[i] = 1
				left--
			}
		}
	}, nil
}
