package count

import (
	"math/big"
	"math/rand/v2"
)

// Uniform draws exactly uniform big integers. The zero value is ready for use; it keeps its memory from draw to draw and
// is not safe for concurrent use.
type Uniform struct{ words []big.Word }

// Draw sets dst to a number between 0 and n−1, each with the same probability, and returns it. n must be positive. It
// draws as many bits as n has until they form a number below n: at most two trials on average.
func (u *Uniform) Draw(dst, n *big.Int, rng *rand.Rand) *big.Int {
	if n.Sign() <= 0 {
		panic("count: a uniform number below one that is not positive")
	}
	const wordBits = 32 << (^big.Word(0) >> 63)
	bits := n.BitLen()
	size := (bits + wordBits - 1) / wordBits
	if cap(u.words) < size {
		u.words = make([]big.Word, size)
	}
	u.words = u.words[:size]
	for {
		for i := range u.words {
			u.words[i] = big.Word(rng.Uint64())
		}
		u.words[size-1] >>= size*wordBits - bits
		var drawn big.Int
		if drawn.SetBits(u.words); drawn.Cmp(n) < 0 {
			return dst.Set(&drawn)
		}
	}
}
