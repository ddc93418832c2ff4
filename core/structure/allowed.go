package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"strings"

	"combpred/core/fault"
)

// allowedIndices is what spaces share whose outputs are the index of one of n things, of which only some are allowed.
type allowedIndices struct {
	indices
	allowed []int32 // the allowed things, ascending
	place   []int32 // where each thing is among these, -1 if it is not allowed
}

// allowIndices reads a mask with an entry for each of n things; without one all are allowed.
func allowIndices(k *memo, n int, noun, space string, mask []int32) (allowedIndices, error) {
	x := allowedIndices{indices: newIndices(k, n, noun), place: make([]int32, n)}
	for i := range x.place {
		allowed := int32(1)
		if mask != nil {
			allowed = mask[i]
		}
		switch allowed {
		case 0:
			x.place[i] = -1
		case 1:
			x.place[i] = int32(len(x.allowed))
			x.allowed = append(x.allowed, int32(i))
		default:
			return x, fault.Value("the allowed mask is %d for %s %s, must be 0 or 1", allowed, noun, x.names.of(i))
		}
	}
	if len(x.allowed) == 0 {
		return x, fault.Value("no %s of the %s is allowed, so there is nothing to predict", noun, space)
	}
	return x, nil
}

func (x allowedIndices) Check(y []int32) error {
	if err := x.indices.Check(y); err != nil || x.place[y[0]] >= 0 {
		return err
	}
	const most = 10
	shown := make([]string, 0, most+1)
	for _, v := range x.allowed[:min(most, len(x.allowed))] {
		shown = append(shown, x.noun+" "+x.names.of(int(v)))
	}
	if len(x.allowed) > most {
		shown = append(shown, fmt.Sprintf("… (%d in all)", len(x.allowed)))
	}
	return fault.Value("%s %s is not allowed; change what is allowed, or drop the row (allowed are %s)", x.noun, x.names.of(int(y[0])),
		strings.Join(shown, ", "))
}

func (x allowedIndices) Count() *big.Int { return big.NewInt(int64(len(x.allowed))) }

// All lists the allowed things in ascending order.
func (x allowedIndices) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, 1)
		for _, v := range x.allowed {
			y[0] = v
			if !yield(y) {
				return
			}
		}
	}
}

func (x allowedIndices) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	dst[0] = x.allowed[rng.IntN(len(x.allowed))]
}

// Propose goes to any other allowed thing.
func (x allowedIndices) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	dst[0] = x.allowed[otherIndex(int(x.place[y[0]]), len(x.allowed), rng)]
}

// facts has the moves of as many indices as are allowed.
func (x allowedIndices) facts() Facts {
	f := x.indices.facts()
	f.Moves = movesOf(indices{n: len(x.allowed)}.moveGaps())
	return f
}

func (x allowedIndices) outputs() int       { return len(x.allowed) }
func (x allowedIndices) output(i int) int32 { return x.allowed[i] }
