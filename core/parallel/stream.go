package parallel

import (
	"math"
	"math/rand/v2"
)

// Stream starts the random stream of number i under a seed: results then do not depend on which worker takes the index i. The streams of
// different numbers, and of different seeds, are unrelated. Rows of data have the numbers that RowStream gives them.
func Stream(source *rand.PCG, seed uint64, i int) { source.Seed(mix(seed), mix(uint64(i))) }

// RowStream returns the number of the random stream of a row of data: a hash of its nonzero entries and their columns, those from 0 on if
// columns is nil. What is drawn for a row then does not depend on the rows beside it, and a sparse row draws what the dense one does.
//
// It is the sum of one hash for each entry, so that entries may come in any order.
func RowStream(columns []int32, values []float64) uint64 {
	var sum uint64
	for k, v := range values {
		if v == 0 {
			continue
		}
		j := k
		if columns != nil {
			j = int(columns[k])
		}
		sum += mix(math.Float64bits(v) ^ mix(uint64(j)))
	}
	return sum
}

// Numbered returns the numbers 0..n−1 as those of streams, for training: its draws need not follow rows to other places, and must not
// change with the last bits of scores.
func Numbered(n int) []uint64 {
	streams := make([]uint64, n)
	for i := range streams {
		streams[i] = uint64(i)
	}
	return streams
}

// Substream returns the number of the k-th stream that belongs to another, which is the 0th itself.
func Substream(stream uint64, k int) uint64 {
	if k == 0 {
		return stream
	}
	return mix(stream ^ mix(uint64(k)))
}

// Apart tells equal streams of the same group apart by how many come before, so that their draws are independent. Without groups all are
// of the same one.
func Apart(streams []uint64, group func(i int) int) {
	type key struct {
		group int
		of    uint64
	}
	before := make(map[key]int, len(streams))
	for i, of := range streams {
		k := key{of: of}
		if group != nil {
			k.group = group(i)
		}
		streams[i] = Substream(of, before[k])
		before[k]++
	}
}

// mix scatters the bits of x, a bijection. Generators seeded with consecutive numbers would start out correlated. It is the
// finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
