package weak

import (
	"combpred/core/fault"
	"combpred/core/slicex"
)

// Choices are the ways in which a pair of items may stand, as bits: those of the first of the two.
type Choices uint8

const (
	MayPrecede Choices = 1 << iota // the first item may be before the second
	MayLevel                       // the two may be tied
	MayFollow                      // the second item may be before the first

	MayAll = MayPrecede | MayLevel | MayFollow
)

// ErrNone says that no ranking agrees with the mask in all pairs.
var ErrNone = fault.Value("the choices of the pairs contradict each other")

// reversed returns the choices of the pair whose first item is the second one.
func (c Choices) reversed() Choices { return c&MayLevel | c<<2&MayFollow | c>>2&MayPrecede }

// allowAll returns an n×n mask in which pairs may stand in any way, in the memory of mask where that suffices.
func allowAll(mask []Choices, n int) []Choices {
	mask = slicex.Grow(mask, n*n)
	for i := range mask {
		mask[i] = MayAll
	}
	return mask
}

// complete writes the reversed choices of the pairs u < v to the other half of a mask and reports whether every pair has one
// at least.
func complete(mask []Choices, n int) bool {
	for u := range n {
		mask[u*n+u] = MayLevel
		for v := u + 1; v < n; v++ {
			c := mask[u*n+v] & MayAll
			if c == 0 {
				return false
			}
			mask[u*n+v], mask[v*n+u] = c, c.reversed()
		}
	}
	return true
}
