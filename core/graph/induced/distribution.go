package induced

import (
	"math"
	"math/bits"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

// MaxSummed is the largest number of vertices over whose sets a Distribution sums: its table has 2^MaxSummed entries then.
const MaxSummed = 22

// Distribution is the Gibbs distribution over the vertex sets S of a small graph: the probability of S is proportional to exp
// of the weight inside S.
//
// The weights of all sets are tabulated: that of S is that of S without its smallest vertex, and what this vertex adds.
type Distribution struct {
	n     int
	table []float64 // the weight inside each set; then, after Pairs, probabilities
}

// NewDistribution tabulates the distribution for a symmetric n×n matrix of weights by rows, whose diagonal holds what single vertices
// weigh, and for sets of lo to hi vertices. Weights may be −∞, which bars two vertices from one set; where no set is left it
// returns ErrNone. n is at most MaxSummed. poll may be nil; its first error ends the work and is returned. Cost: O(2ⁿ n)
// additions, 2ⁿ float64s.
func NewDistribution(n int, weight []float64, lo, hi int, poll func() error) (*Distribution, error) {
	d := &Distribution{n: n, table: make([]float64, 1<<n)}
	var p parallel.Poll
	p.Reset(poll)
	for s := 1; s < len(d.table); s++ {
		if s%(1<<12) == 1 && p.Stopped() {
			return nil, p.Err()
		}
		rest := s & (s - 1)
		row := weight[bits.TrailingZeros(uint(s))*n:][:n]
		sum := d.table[rest] + row[bits.TrailingZeros(uint(s))]
		for x := uint(rest); x != 0; x &= x - 1 {
			sum += row[bits.TrailingZeros(x)]
		}
		d.table[s] = sum
	}
	if lo <= 0 && hi >= n { // the empty set is left
		return d, nil
	}
	for s := range d.table {
		if size := bits.OnesCount(uint(s)); size < lo || size > hi {
			d.table[s] = math.Inf(-1)
		}
	}
	if d.Count() == 0 {
		return nil, ErrNone
	}
	return d, nil
}

// Count returns the number of the sets. It must come before PairsTo. Cost: O(2ⁿ).
func (d *Distribution) Count() (count int) {
	for _, weight := range d.table {
		if !math.IsInf(weight, -1) {
			count++
		}
	}
	return count
}

// LogSum returns ln Σ exp(weight inside S) over the sets S. Cost: O(2ⁿ).
func (d *Distribution) LogSum() float64 { return logsum.Of(d.table) }

// PairsTo writes the probabilities that both of two vertices are in S to the n×n matrix p by rows, those of single
// vertices on its diagonal, and returns LogSum. It uses the table up. Cost: O(2ⁿ n).
func (d *Distribution) PairsTo(p []float64) float64 {
	logSum := logsum.SoftmaxTo(d.table, d.table)
	// Add up over supersets, vertex by vertex (Yates, 1937): all pairs are then in the table.
	for bit := 1; bit < len(d.table); bit <<= 1 {
		for base := 0; base < len(d.table); base += 2 * bit {
			low, high := d.table[base:base+bit], d.table[base+bit:base+2*bit]
			for i, v := range high {
				low[i] += v
			}
		}
	}
	for u := range d.n {
		for v := range d.n {
			p[u*d.n+v] = min(d.table[1<<u|1<<v], 1)
		}
	}
	return logSum
}

// Sets returns a table of the sets, as the numbers whose bits are their vertices. Cost: O(2ⁿ).
func (d *Distribution) Sets() logsum.Table { return logsum.NewTable(d.table) }
