package structure

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"

	"combpred/core/combin"
)

// maskedSets computes on the sets that a mask allows: those that are required, and a number of the free labels.
type maskedSets struct {
	n           int
	taken, free []int32  // the labels of all sets, and of some
	sizes       setSizes // of the sets of free labels
}

var (
	_ maskable = labelSets{}
	_ engine   = (*maskedSets)(nil)
)

// under costs O(n).
func (l labelSets) under(mask *Mask) (engine, error) {
	states, err := mask.states()
	if err != nil {
		return nil, err
	}
	m := &maskedSets{n: l.n}
	for i := range int32(l.n) {
		switch {
		case states == nil || states[i] == 0:
			m.free = append(m.free, i)
		case states[i] > 0:
			m.taken = append(m.taken, i)
		}
	}
	size := mask.Size
	if l.size >= 0 {
		size = Range{max(size.Least, l.size), min(size.Most, l.size)}
	}
	n, in := len(m.free), len(m.taken)
	m.sizes = setSizes{n, max(size.Least-in, 0), min(size.Most-in, n)}
	if m.sizes.lo > m.sizes.hi {
		return nil, ErrNone
	}
	return m, nil
}

// mostCountedSizes bounds the 64-bit words that counting sets of several sizes goes through, a second of work: nothing can stop it.
const mostCountedSizes = 1 << 27

func (m *maskedSets) count() *big.Int {
	s := m.sizes
	switch {
	case s.all():
		return new(big.Int).Lsh(big.NewInt(1), uint(s.n))
	case s.hi-s.lo > mostCountedSizes/(s.n/64+1):
		return nil
	}
	count := combin.Binomial(s.n, s.lo)
	one := new(big.Int).Set(count)
	for k := s.lo; k < s.hi; k++ { // C(n, k+1) = C(n, k) (n − k)/(k + 1)
		one.Mul(one, big.NewInt(int64(s.n-k)))
		one.Quo(one, big.NewInt(int64(k+1)))
		count.Add(count, one)
	}
	return count
}

func (m *maskedSets) facts() Facts {
	return Facts{Sums: sumsOf(func(marginals bool) float64 { return float64(m.n) + m.sizes.cost(marginals) })}
}

// Decode takes the free labels of positive score, but as many as are needed and no more than are allowed, by their scores; the
// smallest indices among equals. Cost: O(n), and O(n log n) where other numbers of labels must do.
func (m *maskedSets) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), m.n)
	mustScores(score, m.n)
	m.begin(dst)
	positive := 0
	for _, i := range m.free {
		if score.indicator(int(i)) > 0 {
			dst[i] = 1
			positive++
		}
	}
	if k := max(m.sizes.lo, min(positive, m.sizes.hi)); k != positive {
		order := slices.Clone(m.free)
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(score.indicator(int(b)), score.indicator(int(a))) })
		for at, i := range order {
			dst[i] = 0
			if at < k {
				dst[i] = 1
			}
		}
	}
	var value float64
	for i, in := range dst {
		if in == 1 {
			value += score.indicator(i)
		}
	}
	return proven(value), nil
}

// begin writes the set of the required labels.
func (m *maskedSets) begin(dst []int32) {
	clear(dst)
	for _, i := range m.taken {
		dst[i] = 1
	}
}

// ofFree returns the scores of the free labels.
func (m *maskedSets) ofFree(scores []float64) []float64 {
	mustLen("scores", len(scores), m.n)
	x := make([]float64, len(m.free))
	for k, i := range m.free {
		x[k] = scores[i]
	}
	return x
}

// LogPartition sums over the sets of free labels. Cost and *LimitError: those of as many labels and sizes.
func (m *maskedSets) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	x := m.ofFree(scores)
	var p []float64
	if marginals != nil {
		mustLen("marginals", len(marginals), m.n)
		p = make([]float64, len(x))
	}
	logZ, err := m.sizes.logPartition(p, x, poll)
	if err != nil {
		return 0, err
	}
	for _, i := range m.taken {
		logZ += scores[i]
	}
	if marginals != nil {
		clear(marginals)
		for _, i := range m.taken {
			marginals[i] = 1
		}
		for k, i := range m.free {
			marginals[i] = p[k]
		}
	}
	return logZ, nil
}

func (m *maskedSets) Distribution(scores []float64, poll func() error) (Draw, error) {
	draw, err := m.sizes.distribution(m.ofFree(scores), poll)
	if err != nil {
		return nil, err
	}
	drawn := make([]int32, len(m.free))
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), m.n)
		m.begin(dst)
		draw(drawn, rng)
		for k, i := range m.free {
			dst[i] = drawn[k]
		}
	}, nil
}
