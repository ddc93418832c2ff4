package structure

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"combpred/core/logsum"
)

// maskedIndices is the space of some of the outputs of a space that has few.
type maskedIndices struct {
	maskedSpace
	all   indexed
	kept  []int32 // numbers of the outputs, ascending
	fixed []int8  // entries of ψ that are the same for all of these
}

var (
	_ Counter     = (*maskedIndices)(nil)
	_ Decoder     = (*maskedIndices)(nil)
	_ Partitioner = (*maskedIndices)(nil)
)

// maskIndexed returns the space of the outputs y of which ψ(y) is 1 where the state is 1 and 0 where it is −1, in a space
// whose ψ has entries 0 and 1. So a hierarchy is held to a node and all that is below by requiring this node, and grades to a
// range by requiring its first one and forbidding what comes behind its last. It returns ErrNoOutput if there are none. Cost:
// that of the scores of all outputs.
func maskIndexed(x indexed, state []int8) (*maskedIndices, error) {
	d := x.FeatureLen()
	mustState(state, d)
	m := &maskedIndices{maskedSpace: maskedSpace{x, "entry", state, 0, d}, all: x}
	// A required entry scores 1, a forbidden one so little that outputs which have it score less than none: integers, and exact.
	asked := make([]float64, d)
	want := 0.0
	for i := range asked {
		switch m.of(i) {
		case required:
			asked[i] = 1
			want++
		case forbidden:
			asked[i] = -float64(d + 1)
		}
	}
	values := make([]float64, x.outputs())
	x.scoresTo(values, asked)
	for i, v := range values {
		if v == want {
			m.kept = append(m.kept, int32(i))
		}
	}
	if len(m.kept) == 0 {
		return nil, ErrNoOutput
	}
	m.settle()
	return m, nil
}

// settle finds the entries of ψ that the outputs share. Multiples of 2⁻³⁰ add up without rounding.
func (m *maskedIndices) settle() {
	const one = 0x1p-30
	p, average := make([]float64, m.all.outputs()), make([]float64, m.FeatureLen())
	for _, i := range m.kept {
		p[i] = one
	}
	m.all.averageTo(average, p)
	m.fixed = make([]int8, len(average))
	for i, v := range average {
		switch v {
		case 0:
			m.fixed[i] = forbidden
		case one * float64(len(m.kept)):
			m.fixed[i] = required
		}
	}
	m.state = m.fixed
}

func (m *maskedIndices) String() string {
	return fmt.Sprintf("%s, %d that obey a mask", Describe(m.all), len(m.kept))
}

func (m *maskedIndices) Count() *big.Int { return big.NewInt(int64(len(m.kept))) }

// values returns the scores of the outputs that are left.
func (m *maskedIndices) values(scores []float64) ([]float64, error) {
	all, err := indexedScores(m.all, scores)
	if err != nil {
		return nil, err
	}
	for k, i := range m.kept {
		all[k] = all[i]
	}
	return all[:len(m.kept)], nil
}

// Decode compares the scores of the outputs; the first one wins among equals.
func (m *maskedIndices) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, m.FeatureLen())
	s := make([]float64, m.FeatureLen())
	for i := range s {
		s[i] = score.indicator(i)
	}
	all := make([]float64, m.all.outputs())
	m.all.scoresTo(all, s)
	best := m.kept[0]
	for _, i := range m.kept[1:] {
		if all[i] > all[best] {
			best = i
		}
	}
	dst[0] = m.all.output(int(best))
	return proven(all[best]), nil
}

func (m *maskedIndices) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	values, err := m.values(scores)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return logsum.Of(values), nil
	}
	mustLen("marginals", len(marginals), m.FeatureLen())
	logZ := logsum.SoftmaxTo(values, values)
	p := make([]float64, m.all.outputs())
	for k, i := range m.kept {
		p[i] = values[k]
	}
	m.all.averageTo(marginals, p)
	m.pin(marginals)
	return logZ, nil
}

func (m *maskedIndices) PartitionCost(marginals bool) float64 {
	if _, ok := m.all.(Partitioner); ok {
		return m.all.Facts().Sums.Cost(marginals)
	}
	return math.Inf(1)
}

func (m *maskedIndices) Distribution(scores []float64, _ func() error) (Draw, error) {
	values, err := m.values(scores)
	if err != nil {
		return nil, err
	}
	table := logsum.NewTable(values)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), 1)
		dst[0] = m.all.output(int(m.kept[table.Draw(rng)]))
	}, nil
}
