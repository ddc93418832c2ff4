package assignment

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

const (
	// MaxSummed is the largest number of rows over whose assignments a Distribution sums: its tables have 2^MaxSummed entries.
	MaxSummed = 20
	// mostDirect bounds half the sum of the ranges of the rows' gains up to which weights are kept as such, and not as
	// their logarithms: neither exp(−600) nor the sum of 20! times exp(600) is out of range.
	mostDirect = 600
	// pollEvery is the number of sets between two polls.
	pollEvery = 1 << 12
)

// Distribution is the Gibbs distribution over the assignments of a small instance: the probability of one is proportional to
// exp of the sum of its gains. Its partition function is a permanent.
//
// With sums[S] what the assignments of the first |S| rows to the columns S weigh together, sums[S] = Σ over j in S of
// sums[S∖j] exp gain[|S|−1, j]. All terms are positive, so that nothing cancels, unlike in Ryser's formula. The terms are
// the conditional probabilities of the last row's column, which marginals and samples need. Weights are numbers where the
// gains are small and logarithms where they are not. The zero value is ready for use.
type Distribution struct {
	n      int
	logs   bool
	gain   []float64 // n×n
	weight []float64 // exp of the gains less the middle of their row, or those differences
	sums   []float64
	reach  []float64 // the probability that the first rows have the columns of a set
	poll   parallel.Poll
}

// Reset begins a distribution on n rows and columns, at most MaxSummed, and returns its n×n matrix of gains by rows, for the caller
// to fill with finite numbers.
func (d *Distribution) Reset(n int) []float64 {
	d.n = n
	d.gain = grow(d.gain, n*n)
	return d.gain
}

// Sum returns ln Σ exp(gains of an assignment) over all assignments. The other methods need it to be called first. An
// error of poll, which may be nil, ends the work and is returned. Cost: O(n 2ⁿ), 2ⁿ float64s.
func (d *Distribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	base := d.weigh()
	d.sums = grow(d.sums, 1<<d.n)
	d.sums[0] = 1
	if d.logs {
		d.sums[0] = 0
	}
	var terms [MaxSummed]float64
	for s := 1; s < len(d.sums); s++ {
		if s%pollEvery == 1 && d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		row := d.row(s)
		if d.logs {
			k := 0
			for x := uint(s); x != 0; x &= x - 1 {
				j := bits.TrailingZeros(x)
				terms[k] = d.sums[s&^(1<<j)] + row[j]
				k++
			}
			d.sums[s] = logsum.Of(terms[:k])
			continue
		}
		var sum float64
		for x := uint(s); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			sum += d.sums[s&^(1<<j)] * row[j]
		}
		d.sums[s] = sum
	}
	total := d.sums[len(d.sums)-1]
	if !d.logs {
		total = math.Log(total)
	}
	return total + base, nil
}

// row returns the weights of the last row that the columns of s are for.
func (d *Distribution) row(s int) []float64 {
	i := bits.OnesCount(uint(s)) - 1
	return d.weight[i*d.n : (i+1)*d.n]
}

// weigh decides on logarithms, fills weight and returns what was taken off all assignments.
func (d *Distribution) weigh() (base float64) {
	d.weight = grow(d.weight, d.n*d.n)
	var ranges float64
	for i := range d.n {
		low, high := math.Inf(1), math.Inf(-1)
		for _, g := range d.gain[i*d.n : (i+1)*d.n] {
			low, high = min(low, g), max(high, g)
		}
		middle := low/2 + high/2
		base += middle
		ranges += high/2 - low/2
		for j := i * d.n; j < (i+1)*d.n; j++ {
			d.weight[j] = d.gain[j] - middle
		}
	}
	d.logs = !(ranges <= mostDirect)
	if !d.logs {
		for i, g := range d.weight {
			d.weight[i] = math.Exp(g)
		}
	}
	return base
}

// last writes, for each column of s, the probability that it is that of the last row, given that the columns of s are
// those of the first rows, times scale.
func (d *Distribution) last(dst *[MaxSummed]float64, s int, scale float64) {
	row := d.row(s)
	if !d.logs {
		scale /= d.sums[s]
	}
	for x := uint(s); x != 0; x &= x - 1 {
		j := bits.TrailingZeros(x)
		before := d.sums[s&^(1<<j)]
		if d.logs {
			dst[j] = scale * logsum.Share(before+row[j], d.sums[s])
		} else {
			dst[j] = scale * (before * row[j])
		}
	}
}

// CellsTo writes the probability of each cell to the n×n matrix p by rows. Cost: O(n 2ⁿ), 2ⁿ float64s.
func (d *Distribution) CellsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.reach = grow(d.reach, 1<<d.n)
	clear(d.reach)
	clear(p)
	d.reach[len(d.reach)-1] = 1
	var q [MaxSummed]float64
	for s := len(d.reach) - 1; s > 0; s-- {
		if s%pollEvery == 1 && d.poll.Stopped() {
			return d.poll.Err()
		}
		if d.reach[s] == 0 {
			continue
		}
		d.last(&q, s, d.reach[s])
		cells := p[(bits.OnesCount(uint(s))-1)*d.n:][:d.n]
		for x := uint(s); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			d.reach[s&^(1<<j)] += q[j]
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
func (d *Distribution) DrawTo(column []int32, rng *rand.Rand) {
	var q [MaxSummed]float64
	s := 1<<d.n - 1
	for i := d.n - 1; i >= 0; i-- {
		d.last(&q, s, 1)
		chosen := logsum.DrawMember(q[:], s, rng.Float64())
		column[i] = int32(chosen)
		s &^= 1 << chosen
	}
}
