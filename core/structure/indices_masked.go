package structure

import (
	"math/big"
	"math/rand/v2"

	"combpred/core/logsum"
)

// maskedIndices computes on the outputs that a mask allows in a space that has few.
type maskedIndices struct {
	all     indexed
	allowed []int32 // numbers of the outputs, ascending
}

var (
	_ maskable = multiClass{}
	_ maskable = ordinal{}
	_ maskable = (*hierarchy)(nil)
	_ maskable = (*posetElements)(nil)
	_ engine   = (*maskedIndices)(nil)
)

// indexedUnder returns what computes on the outputs that a mask allows in a space whose ψ has entries 0 and 1. So a hierarchy is held to a
// node and all that is below by requiring this node, and grades to a range by requiring its first one and forbidding what comes behind its
// last. Cost: that of the scores of all outputs.
func indexedUnder(x indexed, mask *Mask) (engine, error) {
	states, err := mask.states()
	if err != nil {
		return nil, err
	}
	// A required entry scores 1, a forbidden one so little that outputs which have it score less than none: integers, and exact.
	asked := make([]float64, x.FeatureLen())
	want := 0.0
	for i, s := range states {
		switch {
		case s > 0:
			asked[i] = 1
			want++
		case s < 0:
			asked[i] = -float64(len(states) + 1)
		}
	}
	values := make([]float64, x.outputs())
	x.scoresTo(values, asked)
	m := &maskedIndices{all: x}
	for i, v := range values {
		if v == want {
			m.allowed = append(m.allowed, int32(i))
		}
	}
	if len(m.allowed) == 0 {
		return nil, ErrNone
	}
	return m, nil
}

func (m *maskedIndices) count() *big.Int { return big.NewInt(int64(len(m.allowed))) }
func (m *maskedIndices) facts() Facts    { return Facts{Sums: m.all.Facts().Sums} }

// values returns the scores of the outputs that are left.
func (m *maskedIndices) values(scores []float64) ([]float64, error) {
	all, err := indexedScores(m.all, scores)
	if err != nil {
		return nil, err
	}
	for k, i := range m.allowed {
		all[k] = all[i]
	}
	return all[:len(m.allowed)], nil
}

// Decode compares the scores of the outputs; the first one wins among equals.
func (m *maskedIndices) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, m.all.FeatureLen())
	s := make([]float64, m.all.FeatureLen())
	for i := range s {
		s[i] = score.indicator(i)
	}
	all := make([]float64, m.all.outputs())
	m.all.scoresTo(all, s)
	best := m.allowed[0]
	for _, i := range m.allowed[1:] {
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
	mustLen("marginals", len(marginals), m.all.FeatureLen())
	logZ := logsum.SoftmaxTo(values, values)
	p := make([]float64, m.all.outputs())
	for k, i := range m.allowed {
		p[i] = values[k]
	}
	m.all.averageTo(marginals, p)
	return logZ, nil
}

func (m *maskedIndices) Distribution(scores []float64, _ func() error) (Draw, error) {
	values, err := m.values(scores)
	if err != nil {
		return nil, err
	}
	table := logsum.NewTable(values)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), 1)
		dst[0] = m.all.output(int(m.allowed[table.Draw(rng)]))
	}, nil
}
