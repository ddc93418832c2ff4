package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"strings"
)

// indices is what spaces of n things share whose outputs are encoded as the index of one of them, their only part.
type indices struct {
	*memo
	n    int
	noun string // what messages call one of the things
}

func newIndices(k *memo, n int, noun string) indices { return indices{memo: k, n: n, noun: noun} }

func (x indices) PartLen() int          { return 1 }
func (x indices) Check(y []int32) error { return checkIndex(y, x.n, x.noun) }
func (x indices) Format() string        { return formatOfIndices(x.n, x.noun) }
func (x indices) Count() *big.Int       { return big.NewInt(int64(x.n)) }

// facts are those that depend on the number of things alone.
func (x indices) facts() Facts {
	return Facts{Layout: Layout{Format: x.Format()}, Moves: movesOf(x.moveGaps())}
}

// All lists 0..n−1.
func (x indices) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, 1)
		for i := range x.n {
			y[0] = int32(i)
			if !yield(y) {
				return
			}
		}
	}
}

func (x indices) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	dst[0] = int32(rng.IntN(x.n))
}

// Propose goes to any other index.
func (x indices) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	dst[0] = int32(otherIndex(int(y[0]), x.n, rng))
}

func (x indices) outputs() int       { return x.n }
func (x indices) output(i int) int32 { return int32(i) }

// checkIndex checks the only part of an output that is the index of one of n things.
func checkIndex(y []int32, n int, noun string) error {
	mustLen("y", len(y), 1)
	if y[0] < 0 || int(y[0]) >= n {
		return wrongPart(y, 0, nil, formatOfIndices(n, noun))
	}
	return nil
}

// formatOfIndices is what rows of data hold where outputs are indices of n things.
func formatOfIndices(n int, noun string) string {
	return fmt.Sprintf("%s are whole numbers 0..%d", plural(noun), n-1)
}

// plural returns the noun for several things.
func plural(noun string) string {
	switch {
	case noun == "vertex":
		return "vertices"
	case strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}

// moveGaps: all eigenvalues but the first are −1/(n−1).
func (x indices) moveGaps() (below, above float64) {
	if x.n == 1 {
		return 1, 1
	}
	rest := 1 / float64(x.n-1)
	return 1 + rest, 1 - rest
}
