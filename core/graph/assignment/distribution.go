package assignment

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// MaxSummed is the largest number of rows with a choice over whose assignments a Distribution sums: its tables have
	// 2^MaxSummed entries.
	MaxSummed = 20
	// leastTotal is the least sum of weights of at most 1 that is trusted: fewer than 20! products are lost as they fall
	// below the least number, 2e-308, which changes a sum of this size by less than 1e-40 of it.
	leastTotal = 1e-250
	// pollEvery is the number of blocks of eight sets between two polls.
	pollEvery = 1 << 9
)

// Distribution is the Gibbs distribution over the assignments of a small instance: the probability of one is proportional to
// exp of the sum of its gains. Its partition function is a permanent.
//
// With sums[S] what the assignments of the first |S| rows to the columns S weigh together, sums[S] = Σ over j in S of
// sums[S∖j] exp gain[|S|−1, j]. All terms are positive, so that nothing cancels, unlike in Ryser's formula. With onward[S]
// what the assignments of the other rows to the other columns weigh, the same recursion from the last row on, cell (i, j)
// has the weight exp gain[i, j] · Σ sums[S∖j]·onward[S] over the S of i+1 columns with j. Sets come in blocks of the eight
// that differ in their first three columns.
//
// Weights are numbers of at most 1: gains are taken relative to the largest of their row, or, where all assignments then
// weigh too little to be told from 0, to potentials of the Hungarian method, with which a best one weighs 1. What falls
// below the least number then changes no result. The zero value is ready for use.
type Distribution struct {
	n       int
	gain    []float64 // n×n; −Inf in cells that are absent
	mask    []Cell    // n×n, or empty
	choice  reduction
	width   int       // the number of columns with a choice, and 3 at least: others weigh nothing
	weight  []float64 // weight[j·width + i] of row i and column j, both by their places in choice
	cells   []float64 // likewise, their probabilities
	sums    []float64
	onward  []float64 // over sums[all]
	counts  []uint64
	solver  Workspace
	optimum []int32
	poll    parallel.Poll
}

// Reset begins a distribution on n rows and columns and returns its n×n matrix of gains by rows, all 0, for the caller to
// fill with finite numbers.
func (d *Distribution) Reset(n int) []float64 {
	d.n = n
	d.gain, d.mask = slicex.Grow(d.gain, n*n), d.mask[:0]
	clear(d.gain)
	return d.gain
}

// Restrict returns the n×n mask of the distribution by rows, all cells allowed, for the caller to change before Sum or
// Count. Without this call there is none. It holds until the next Reset.
func (d *Distribution) Restrict() []Cell {
	d.mask = allowAll(d.mask, d.n)
	return d.mask
}

// Sum returns ln Σ exp(gains of an assignment) over all assignments that the mask allows, or ErrNone where there are none.
// The other methods but Count need it to be called first. It returns a *SizeError if more than MaxSummed rows have a choice of
// columns. An error of poll, which may be nil, ends the work and is returned. Cost for k rows with a choice: O(k 2ᵏ), 2ᵏ
// float64s.
func (d *Distribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	base, err := d.reduce()
	if err != nil {
		return 0, err
	}
	k := len(d.choice.rows)
	d.width = max(k, 3)
	d.sums = slicex.Grow(d.sums, 1<<d.width)
	all := 1<<k - 1
	base += d.weighByRows()
	if d.recurse(); !(d.sums[all] >= leastTotal) && d.poll.Err() == nil {
		shift, err := d.weighByPotentials()
		if err != nil {
			return 0, err
		}
		base += shift
		d.recurse()
	}
	return math.Log(d.sums[all]) + base, d.poll.Err()
}

// reduce finds the rows with a choice and returns what the others earn.
func (d *Distribution) reduce() (base float64, err error) {
	d.choice.all(d.n)
	if len(d.mask) > 0 {
		exclude(d.gain, d.mask, d.n)
		if !d.choice.reduce(d.gain, d.n) {
			return 0, ErrNone
		}
		for i, j := range d.choice.fixed {
			if j >= 0 {
				base += d.gain[i*d.n+int(j)]
			}
		}
	}
	if k := len(d.choice.rows); k > MaxSummed {
		return 0, &SizeError{Size: k, Limit: MaxSummed}
	}
	return base, nil
}

// weighByRows fills weight relative to the largest gain of each row, and returns what was taken off all assignments.
func (d *Distribution) weighByRows() (base float64) {
	d.weight = slicex.Grow(d.weight, d.width*d.width)
	clear(d.weight)
	for i, row := range d.choice.rows {
		gain := d.gain[int(row)*d.n:][:d.n]
		most := math.Inf(-1)
		for _, j := range d.choice.columns {
			most = max(most, gain[j])
		}
		base += most
		for at, j := range d.choice.columns {
			w := 1.0
			if g := gain[j]; g < most {
				w = math.Exp(g - most)
			}
			d.weight[at*d.width+i] = w
		}
	}
	return base
}

// weighByPotentials is weighByRows, relative to potentials. Where there is no assignment, it returns ErrNone.
func (d *Distribution) weighByPotentials() (change float64, err error) {
	k := len(d.choice.rows)
	gain := d.solver.Reset(k)
	for i, row := range d.choice.rows {
		most := math.Inf(-1)
		for at, j := range d.choice.columns {
			gain[i*k+at] = d.gain[int(row)*d.n+int(j)]
			most = max(most, gain[i*k+at])
		}
		change -= most // what weighByRows has taken off
	}
	d.optimum = slicex.Grow(d.optimum, k)
	if err := d.solver.Solve(d.optimum); err != nil {
		return 0, err
	}
	for i, price := range d.solver.rowPrice {
		change -= price + d.solver.colPrice[i]
		for j, other := range d.solver.colPrice {
			d.weight[j*d.width+i] = math.Exp(min(gain[i*k+j]+price+other, 0)) // above 0 by rounding
		}
	}
	return change, nil
}

// recurse fills sums.
func (d *Distribution) recurse() {
	n, weight, sums := d.width, d.weight, d.sums
	for t := range len(sums) / 8 { // the columns from the fourth on
		if t%pollEvery == 1 && d.poll.Stopped() {
			return
		}
		var a [8]float64
		if t == 0 {
			a[0] = 1
		}
		row := bits.OnesCount(uint(t)) // the first one that the first three columns are for
		for x := uint(t); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			from := (*[8]float64)(sums[(t&^(1<<j))*8:])
			w := (*[4]float64)(weight[(j+3)*n+row-1:])
			a[0] += from[0] * w[0]
			a[1] += from[1] * w[1]
			a[2] += from[2] * w[1]
			a[3] += from[3] * w[2]
			a[4] += from[4] * w[1]
			a[5] += from[5] * w[2]
			a[6] += from[6] * w[2]
			a[7] += from[7] * w[3]
		}
		u, v, w := (*[3]float64)(weight[row:]), (*[3]float64)(weight[n+row:]), (*[3]float64)(weight[2*n+row:])
		a[1] += a[0] * u[0]
		a[2] += a[0] * v[0]
		a[4] += a[0] * w[0]
		a[3] += a[2]*u[1] + a[1]*v[1]
		a[5] += a[4]*u[1] + a[1]*w[1]
		a[6] += a[4]*v[1] + a[2]*w[1]
		a[7] += a[6]*u[2] + a[5]*v[2] + a[3]*w[2]
		*(*[8]float64)(sums[t*8:]) = a
	}
}

// CellsTo writes the probability of each cell to the n×n matrix p by rows: exactly 0 of cells that no assignment has, and
// exactly 1 of those that all have. Cost: O(k 2ᵏ), 2ᵏ float64s.
func (d *Distribution) CellsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.onward, d.cells = slicex.Grow(d.onward, len(d.sums)), slicex.Grow(d.cells, len(d.weight))
	clear(d.onward)
	clear(d.cells)
	k := len(d.choice.rows)
	all := 1<<k - 1
	d.onward[all] = 1 / d.sums[all]
	for t := len(d.onward)/8 - 1; t >= 0; t-- {
		if t%pollEvery == 1 && d.poll.Stopped() {
			return d.poll.Err()
		}
		d.backward(t)
	}
	clear(p)
	for i, j := range d.choice.fixed {
		if j >= 0 {
			p[i*d.n+int(j)] = 1
		}
	}
	for i, row := range d.choice.rows {
		var sum float64
		for j := range k {
			sum += d.cells[j*d.width+i] * d.weight[j*d.width+i]
		}
		for j, column := range d.choice.columns {
			p[int(row)*d.n+int(column)] = d.cells[j*d.width+i] * d.weight[j*d.width+i] / sum
		}
	}
	return nil
}

// backward hands what onward holds for the block of sets t on to the sets with one column less, and adds up cells.
func (d *Distribution) backward(t int) {
	n, weight, cells := d.width, d.weight, d.cells
	row := bits.OnesCount(uint(t))
	a, b := (*[8]float64)(d.sums[t*8:]), *(*[8]float64)(d.onward[t*8:])
	u, v, w := (*[3]float64)(weight[row:]), (*[3]float64)(weight[n+row:]), (*[3]float64)(weight[2*n+row:])
	p, q, r := (*[3]float64)(cells[row:]), (*[3]float64)(cells[n+row:]), (*[3]float64)(cells[2*n+row:])
	b[6] += b[7] * u[2]
	b[5] += b[7] * v[2]
	b[3] += b[7] * w[2]
	b[4] += b[5]*u[1] + b[6]*v[1]
	b[2] += b[3]*u[1] + b[6]*w[1]
	b[1] += b[3]*v[1] + b[5]*w[1]
	b[0] += b[1]*u[0] + b[2]*v[0] + b[4]*w[0]
	p[0], p[1], p[2] = p[0]+a[0]*b[1], p[1]+(a[2]*b[3]+a[4]*b[5]), p[2]+a[6]*b[7]
	q[0], q[1], q[2] = q[0]+a[0]*b[2], q[1]+(a[1]*b[3]+a[4]*b[6]), q[2]+a[5]*b[7]
	r[0], r[1], r[2] = r[0]+a[0]*b[4], r[1]+(a[1]*b[5]+a[2]*b[6]), r[2]+a[3]*b[7]
	for x := uint(t); x != 0; x &= x - 1 {
		j := bits.TrailingZeros(x)
		before := (t &^ (1 << j)) * 8
		from, to := (*[8]float64)(d.sums[before:]), (*[8]float64)(d.onward[before:])
		w, c := (*[4]float64)(weight[(j+3)*n+row-1:]), (*[4]float64)(cells[(j+3)*n+row-1:])
		to[0] += b[0] * w[0]
		to[1] += b[1] * w[1]
		to[2] += b[2] * w[1]
		to[3] += b[3] * w[2]
		to[4] += b[4] * w[1]
		to[5] += b[5] * w[2]
		to[6] += b[6] * w[2]
		to[7] += b[7] * w[3]
		c[0] += from[0] * b[0]
		c[1] += from[1]*b[1] + from[2]*b[2] + from[4]*b[4]
		c[2] += from[3]*b[3] + from[5]*b[5] + from[6]*b[6]
		c[3] += from[7] * b[7]
	}
}

// DrawTo writes a random assignment, the column of each row, drawn from the last row to the first. Several goroutines may
// call it at once. Cost: O(n²).
func (d *Distribution) DrawTo(column []int32, rng *rand.Rand) {
	copy(column, d.choice.fixed)
	var q [MaxSummed]float64
	k := len(d.choice.rows)
	s := 1<<k - 1
	for i := k - 1; i >= 0; i-- {
		for x := uint(s); x != 0; x &= x - 1 {
			j := bits.TrailingZeros(x)
			q[j] = d.sums[s&^(1<<j)] * d.weight[j*d.width+i] / d.sums[s]
		}
		chosen := logsum.DrawMember(q[:], s, rng.Float64())
		column[d.choice.rows[i]] = d.choice.columns[chosen]
		s &^= 1 << chosen
	}
}

// Count returns the number of assignments that the mask allows, the permanent of its matrix of 0 and 1, by the recursion of
// Sum in whole numbers. Its errors are those of Sum but ErrNone: the number is 0 then. Cost for k rows with a choice: O(k 2ᵏ),
// 2ᵏ uint64s.
func (d *Distribution) Count(poll func() error) (uint64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	if _, err := d.reduce(); err == ErrNone {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	k := len(d.choice.rows)
	var present [MaxSummed]uint // the columns of each row
	for i, row := range d.choice.rows {
		for at, j := range d.choice.columns {
			if !absent(d.gain[int(row)*d.n+int(j)]) {
				present[i] |= 1 << at
			}
		}
	}
	d.counts = slicex.Grow(d.counts, 1<<k)
	d.counts[0] = 1
	for s := uint(1); s < 1<<k; s++ {
		if s%(8*pollEvery) == 1 && d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		var sum uint64
		for x := s & present[bits.OnesCount(s)-1]; x != 0; x &= x - 1 {
			sum += d.counts[s&^(x&-x)]
		}
		d.counts[s] = sum
	}
	return d.counts[1<<k-1], nil
}
