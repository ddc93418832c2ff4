package assignment

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/polling"
)

const (
	// MaxSummed is the largest number of rows over whose assignments a Law sums: its tables have 2^MaxSummed entries.
	MaxSummed = 20
	// mostDirect bounds half the sum of the ranges of the rows' gains up to which weights are kept as such, and not as
	// their logarithms: neither exp(−600) nor the sum of 20! times exp(600) is out of range.
	mostDirect = 600
	// pollEvery is the number of sets between two polls.
	pollEvery = 1 << 12
)

// Law is the law of the assignments of a small instance in which the probability of one is proportional to exp of the sum
// of its gains. Its normaliser is a permanent.
//
// With sums[S] what the assignments of the first |S| rows to the columns S weigh together, sums[S] = Σ over j in S of
// sums[S∖j] exp gain[|S|−1, j]. All terms are positive, so that nothing cancels, unlike in Ryser's formula. The terms are
// the conditional probabilities of the last row's column, which marginals and samples need. Weights are numbers where the
// gains are small and logarithms where they are not. The zero value is ready for use.
type Law struct {
	n      int
	logs   bool
	gain   []float64 // n×n
	weight []float64 // exp of the gains less the middle of their row, or those differences
	sums   []float64
	reach  []float64 // the probability that the first rows have the columns of a set
	poll   polling.Poll
}

// Reset begins a law of n rows and columns, at most MaxSummed, and returns its n×n matrix of gains by rows, for the caller
// to fill with finite numbers.
func (l *Law) Reset(n int) []float64 {
	l.n = n
	l.gain = grow(l.gain, n*n)
	return l.gain
}

// Sum returns ln Σ exp(gains of an assignment) over all assignments. The other methods need it to be called first. An
// error of poll, which may be nil, ends the work and is returned. Cost: O(n 2ⁿ), 2ⁿ float64s.
func (l *Law) Sum(poll func() error) (float64, error) {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	base := l.weigh()
	l.sums = grow(l.sums, 1<<l.n)
	l.sums[0] = 1
	if l.logs {
		l.sums[0] = 0
	}
	var terms [MaxSummed]float64
	for s := 1; s < len(l.sums); s++ {
		if s%pollEvery == 1 && l.poll.Stopped() {
			return 0, l.poll.Err()
		}
		row := l.row(s)
		if l.logs {
			k := 0
			for x := uint(s); x != 0; x &= x - 1 {
				j := bits.TrailingZeros(x)
				terms[k] = l.sums[s&^(1<<j)] + row[j]
				k++
			}
			l.sums[s] = logsum.Of(terms[:k])
			continue
		}
		var sum float64
		for x := uint(s); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			sum += l.sums[s&^(1<<j)] * row[j]
		}
		l.sums[s] = sum
	}
	total := l.sums[len(l.sums)-1]
	if !l.logs {
		total = math.Log(total)
	}
	return total + base, nil
}

// row returns the weights of the last row that the columns of s are for.
func (l *Law) row(s int) []float64 {
	i := bits.OnesCount(uint(s)) - 1
	return l.weight[i*l.n : (i+1)*l.n]
}

// weigh decides on logarithms, fills weight and returns what was taken off all assignments.
func (l *Law) weigh() (base float64) {
	l.weight = grow(l.weight, l.n*l.n)
	var ranges float64
	for i := range l.n {
		low, high := math.Inf(1), math.Inf(-1)
		for _, g := range l.gain[i*l.n : (i+1)*l.n] {
			low, high = min(low, g), max(high, g)
		}
		middle := low/2 + high/2
		base += middle
		ranges += high/2 - low/2
		for j := i * l.n; j < (i+1)*l.n; j++ {
			l.weight[j] = l.gain[j] - middle
		}
	}
	l.logs = !(ranges <= mostDirect)
	if !l.logs {
		for i, g := range l.weight {
			l.weight[i] = math.Exp(g)
		}
	}
	return base
}

// last writes, for each column of s, the probability that it is that of the last row, given that the columns of s are
// those of the first rows, times scale.
func (l *Law) last(dst *[MaxSummed]float64, s int, scale float64) {
	row := l.row(s)
	if !l.logs {
		scale /= l.sums[s]
	}
	for x := uint(s); x != 0; x &= x - 1 {
		j := bits.TrailingZeros(x)
		before := l.sums[s&^(1<<j)]
		if l.logs {
			dst[j] = scale * logsum.Share(before+row[j], l.sums[s])
		} else {
			dst[j] = scale * (before * row[j])
		}
	}
}

// CellsTo writes the probability of each cell to the n×n matrix p by rows. Cost: O(n 2ⁿ), 2ⁿ float64s.
func (l *Law) CellsTo(p []float64, poll func() error) error {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	l.reach = grow(l.reach, 1<<l.n)
	clear(l.reach)
	clear(p)
	l.reach[len(l.reach)-1] = 1
	var q [MaxSummed]float64
	for s := len(l.reach) - 1; s > 0; s-- {
		if s%pollEvery == 1 && l.poll.Stopped() {
			return l.poll.Err()
		}
		if l.reach[s] == 0 {
			continue
		}
		l.last(&q, s, l.reach[s])
		cells := p[(bits.OnesCount(uint(s))-1)*l.n:][:l.n]
		for x := uint(s); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			l.reach[s&^(1<<j)] += q[j]
			cells[j] += q[j]
		}
	}
	for i, v := range p {
		p[i] = min(v, 1)
	}
	return nil
}

// DrawTo writes a random assignment, the column of each row, drawn from the last row to the first. Several goroutines may
// call it at once. Cost: O(n²).
func (l *Law) DrawTo(column []int32, rng *rand.Rand) {
	var q [MaxSummed]float64
	s := 1<<l.n - 1
	for i := l.n - 1; i >= 0; i-- {
		l.last(&q, s, 1)
		chosen := logsum.DrawMember(q[:], s, rng.Float64())
		column[i] = int32(chosen)
		s &^= 1 << chosen
	}
}
