package structure

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

// maxFilteredNumbers bounds the entries of ψ of the outputs that a mask allows of a space without a recursion: 256 MiB.
const maxFilteredNumbers = 1 << 25

// filteredList computes on a list of the outputs that a mask allows.
type filteredList struct {
	all     *listed
	partLen int
	parts   []int32 // of all outputs, one after the other
}

var (
	_ engine     = (*filteredList)(nil)
	_ Enumerator = (*filteredList)(nil)
)

// listWithin lists the outputs of a space that its mask allows.
func listWithin(r *restricted) (engine, error) {
	refusal := &CapabilityError{
		Structure:    Describe(r.all),
		Need:         "a recursion that takes conditions, or fewer outputs to list",
		Alternatives: "leave the conditions out",
	}
	if _, ok := r.all.(Enumerator); !ok {
		return nil, refusal
	}
	facts := r.all.Facts()
	if log, err := LogCount(r.all); facts.Table.Rows == 0 && (err != nil || !(log <= mostFiltered)) {
		return nil, refusal
	}
	if err := r.signed(facts.Table); err != nil {
		return nil, err
	}
	l, err := newFilteredList(r, filter{r}.All())
	if errors.Is(err, errTooManyListed) {
		return nil, &CapabilityError{Structure: r.String(), Need: "fewer outputs to list", Alternatives: "add conditions"}
	}
	return l, err
}

// errTooManyListed says that a list would be too large.
var errTooManyListed = fault.Value("too many outputs to list")

// newFilteredList lists outputs of a space.
func newFilteredList(s Space, outputs iter.Seq[[]int32]) (*filteredList, error) {
	d := s.FeatureLen()
	l := &filteredList{partLen: s.PartLen()}
	psi := blas64.General{Cols: d, Stride: d}
	for y := range outputs {
		if len(psi.Data) >= maxFilteredNumbers {
			return nil, errTooManyListed
		}
		l.parts = append(l.parts, y...)
		psi.Data = append(psi.Data, make([]float64, d)...)
		psi.Rows++
		s.Embed(row(psi, psi.Rows-1), y)
	}
	if psi.Rows == 0 {
		return nil, ErrNone
	}
	l.all = &listed{indices: newIndices(new(memo), psi.Rows, "output"), psi: psi}
	return l, nil
}

// signed returns an error if an entry of a mask has other values than −1, 0 and 1 in a list.
func (r *restricted) signed(table blas64.General) error {
	for j, v := range r.mask.Entries {
		for i := 0; i < table.Rows && v != AnyValue; i++ {
			if x := row(table, i)[j]; !isSign(x) {
				return &CapabilityError{Structure: Describe(r.all), Alternatives: "leave it out",
					Need: fmt.Sprintf("entry %d of ψ to be -1, 0 or 1 under conditions, not %g", j, x)}
			}
		}
	}
	return nil
}

func (l *filteredList) output(i int32) []int32 { return l.parts[int(i)*l.partLen:][:l.partLen] }

func (l *filteredList) count() *big.Int { return l.all.Count() }

func (l *filteredList) facts() Facts {
	return Facts{Table: l.all.psi, Sums: sumsOf(l.all.partitionCost)}
}

// All lists the outputs in the order in which they came.
func (l *filteredList) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, l.partLen)
		for i := range int32(l.all.n) {
			if copy(y, l.output(i)); !yield(y) {
				return
			}
		}
	}
}

func (l *filteredList) Decode(dst []int32, score Scores) (Certificate, error) {
	var at [1]int32
	cert, err := l.all.Decode(at[:], score)
	copy(dst, l.output(at[0]))
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
		copy(dst, l.output(at[0]))
	}, nil
}
