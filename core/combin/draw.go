package combin

import (
	"math/bits"
	"math/rand/v2"
)

// mostFaces bounds the product of the faces of a batch.
const mostFaces = 1 << 62

// word draws the word of a batch whose dice have that product of faces.
func word(faces uint64, rng *rand.Rand) uint64 {
	for {
		w := rng.Uint64()
		rest := w * faces // what the last die leaves
		if rest >= faces || rest >= -faces%faces {
			return w
		}
	}
}

// growing returns how many dice with least, least+1, … faces up to most make a batch, and the product of the faces.
// least must be at least 2 and at most 2³¹.
func growing(least, most int) (dice int, faces uint64) {
	dice = 21 - least // 20! is below mostFaces
	if least > 8 {
		dice = 62 / bits.Len(uint(least+12)) // less than 13, so that this length is that of all of them at most
	}
	dice = min(dice, most-least+1)
	faces = 1
	for i := range dice {
		faces *= uint64(least + i)
	}
	return dice, faces
}

// Below fills dst with independent uniform numbers from 0 to n−1. n must be at least 1 and at most 2³¹. Cost: one word
// for ⌊62/log₂ n⌋ of them.
func Below(dst []int32, n int, rng *rand.Rand) {
	if n < 2 {
		clear(dst)
		return
	}
	for len(dst) > 0 {
		dice, faces := 0, uint64(1)
		for dice < len(dst) && faces <= mostFaces/uint64(n) {
			faces *= uint64(n)
			dice++
		}
		for ; len(dst) >= dice && dice > 0; dst = dst[dice:] {
			rest := word(faces, rng)
			for i := range dst[:dice] {
				var result uint64
				result, rest = bits.Mul64(rest, uint64(n))
				dst[i] = int32(result)
			}
		}
	}
}

// Permutation fills dst with a uniform permutation of first, first+1, …, by the shuffle of Fisher and Yates (1938) from
// the inside out: the number i comes to a random place up to its own, and what was there moves to place i.
func Permutation(dst []int32, first int32, rng *rand.Rand) {
	if len(dst) == 0 {
		return
	}
	dst[0] = first
	for i := 1; i < len(dst); {
		dice, faces := growing(i+1, len(dst))
		rest := word(faces, rng)
		for range dice {
			var place uint64
			place, rest = bits.Mul64(rest, uint64(i+1))
			dst[i] = dst[place]
			dst[place] = first + int32(i)
			i++
		}
	}
}

// Subset marks a uniform subset of the given size by 1 in dst, 0 elsewhere, by Floyd's algorithm (Bentley and Floyd,
// 1987). Of sizes above a half it marks what is left out.
func Subset(dst []int32, size int, rng *rand.Rand) {
	in, marked := int32(1), size
	if 2*size > len(dst) {
		in, marked = 0, len(dst)-size
	}
	for i := range dst {
		dst[i] = 1 - in
	}
	for last := len(dst) - marked; last < len(dst); {
		dice, faces := growing(last+1, len(dst))
		rest := word(faces, rng)
		for range dice {
			var element uint64
			element, rest = bits.Mul64(rest, uint64(last+1))
			if dst[element] == in {
				element = uint64(last)
			}
			dst[element] = in
			last++
		}
	}
}
