package structure

import (
	"math"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
)

// maxFilteredNumbers bounds the entries of ψ of the outputs that a mask allows of a space without a recursion: 256 MiB.
const maxFilteredNumbers = 1 << 25

// filteredList computes on a list of the outputs that a mask allows.
type filteredList struct {
	all     *listed
	outputs [][]int32
}

var _ engine = (*filteredList)(nil)

// listWithin lists the outputs of a space that its mask allows.
func listWithin(r *restricted) (engine, error) {
	refusal := &CapabilityError{
		Structure:    Describe(r.all),
		Need:         "a recursion that takes conditions, or fewer outputs to list",
		Alternatives: "leave the conditions out",
	}
	_, ok := r.all.(Enumerator)
	if _, knows := r.all.(bounded); !ok || r.mask.hasBounds() && !knows || r.subspace.Facts().Layout.General {
		return nil, refusal
	}
	if log, err := LogCount(r.all); err != nil || !(log <= mostFiltered) {
		return nil, refusal
	}
	d := r.FeatureLen()
	l := &filteredList{}
	psi := blas64.General{Cols: d, Stride: d}
	for y := range (filter{r}).All() {
		if len(psi.Data) >= maxFilteredNumbers {
			return nil, &CapabilityError{Structure: r.String(), Need: "fewer outputs to list", Alternatives: "add conditions"}
		}
		l.outputs = append(l.outputs, append([]int32(nil), y...))
		psi.Data = append(psi.Data, make([]float64, d)...)
		psi.Rows++
		r.Embed(row(psi, psi.Rows-1), y)
	}
	if len(l.outputs) == 0 {
		return nil, ErrNone
	}
	l.all = &listed{indices: newIndices(new(kept), len(l.outputs), "output"), psi: psi}
	return l, nil
}

func (l *filteredList) count() *big.Int { return big.NewInt(int64(len(l.outputs))) }

func (l *filteredList) facts() Facts {
	cost := float64(l.all.psi.Rows) * float64(l.all.psi.Cols)
	return Facts{Sums: Sums{Plain: cost, Marginals: 2 * cost, Draws: !math.IsInf(cost, 1)}}
}

func (l *filteredList) Decode(dst []int32, score Scores) (Certificate, error) {
	var at [1]int32
	cert, err := l.all.Decode(at[:], score)
	copy(dst, l.outputs[at[0]])
	return cert, err
}

func (l *filteredList) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return l.all.LogPartition(marginals, scores, poll)
}

func (l *filteredList) Distribution(scores []float64, poll func() error) (Draw, error) {
	draw, err := l.all.Distribution(scores, poll)
	if err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		var at [1]int32
		draw(at[:], rng)
		copy(dst, l.outputs[at[0]])
	}, nil
}
