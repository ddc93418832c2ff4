package parallel

import "math/rand/v2"

// Stream starts the random stream that belongs to index i under a seed: results then do not depend on which worker takes
// the index. The streams of different indices, and of different seeds, are unrelated.
func Stream(source *rand.PCG, seed uint64, i int) { source.Seed(mix(seed), mix(uint64(i))) }

// mix scatters the bits of x, a bijection. Generators seeded with consecutive numbers would start out correlated. It is the
// finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
