package structure

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"combpred/core/combin"
)

// maskedSets is the space of the sets that obey a mask: those that are required, and a number of the free labels.
type maskedSets struct {
	maskedSpace
	free  []int32  // the free labels
	sizes setSizes // of their sets
}

var (
	_ Counter     = (*maskedSets)(nil)
	_ Decoder     = (*maskedSets)(nil)
	_ Partitioner = (*maskedSets)(nil)
)

// masked returns the space of the sets that hold every label whose state is 1 and none whose state is −1, and of lo to hi
// labels. state may be nil. It returns ErrNoOutput if there are none.
func (l labelSets) masked(state []int8, lo, hi int) (*maskedSets, error) {
	mustState(state, l.n)
	if l.size >= 0 {
		lo, hi = max(lo, l.size), min(hi, l.size)
	}
	m := &maskedSets{maskedSpace: maskedSpace{l, "label", state, lo, hi}}
	in := 0
	for i := range l.n {
		switch m.of(i) {
		case required:
			in++
		case forbidden:
		default:
			m.free = append(m.free, int32(i))
		}
	}
	n := len(m.free)
	m.sizes = setSizes{n, max(max(lo, 0)-in, 0), min(max(hi, -1)-in, n)} // whatever the bounds are
	if m.sizes.lo > m.sizes.hi {
		return nil, ErrNoOutput
	}
	return m, nil
}

func (m *maskedSets) String() string { return fmt.Sprintf("%v, those that obey a mask", m.Space) }

func (m *maskedSets) Count() *big.Int {
	count := combin.Binomial(m.sizes.n, m.sizes.lo)
	one := new(big.Int).Set(count)
	for k := m.sizes.lo; k < m.sizes.hi; k++ { // C(n, k+1) = C(n, k) (n − k)/(k + 1)
		one.Mul(one, big.NewInt(int64(m.sizes.n-k)))
		one.Quo(one, big.NewInt(int64(k+1)))
		count.Add(count, one)
	}
	return count
}

// Decode takes the labels of positive score, but as many as are needed and no more than are allowed, by their scores; the
// smallest indices among equals. Cost: O(n log n).
func (m *maskedSets) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), m.PartLen())
	mustScores(score, m.PartLen())
	m.begin(dst)
	order := slices.Clone(m.free)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(score.indicator(int(b)), score.indicator(int(a))) })
	for k, i := range order[:m.sizes.hi] {
		if k >= m.sizes.lo && !(score.indicator(int(i)) > 0) {
			break
		}
		dst[i] = 1
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
	for i, s := range m.state {
		if s == required {
			dst[i] = 1
		}
	}
}

// ofFree returns the scores of the free labels.
func (m *maskedSets) ofFree(scores []float64) []float64 {
	mustLen("scores", len(scores), m.PartLen())
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
		mustLen("marginals", len(marginals), m.PartLen())
		p = make([]float64, len(x))
	}
	logZ, err := m.sizes.logPartition(p, x, poll)
	if err != nil {
		return 0, err
	}
	for i, s := range m.state {
		if s == required {
			logZ += scores[i]
		}
	}
	if marginals != nil {
		m.pin(marginals)
		for k, i := range m.free {
			marginals[i] = p[k]
		}
	}
	return logZ, nil
}

func (m *maskedSets) PartitionCost(marginals bool) float64 {
	return float64(m.PartLen()) + m.sizes.cost(marginals)
}

func (m *maskedSets) Distribution(scores []float64, poll func() error) (Draw, error) {
	draw, err := m.sizes.distribution(m.ofFree(scores), poll)
	if err != nil {
		return nil, err
	}
	drawn := make([]int32, len(m.free))
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), m.PartLen())
		m.begin(dst)
		draw(drawn, rng)
		for k, i := range m.free {
			dst[i] = drawn[k]
		}
	}, nil
}

// maskedObserved is the list of the observed sets that obey a mask.
type maskedObserved struct {
	*observedSets
	maskedSpace maskedSpace
}

// masked is as for sets that need not be observed.
func (o *observedSets) masked(state []int8, lo, hi int) (*maskedObserved, error) {
	mustState(state, o.all.n)
	m := maskedSpace{o, "label", state, lo, hi}
	var left [][]int32
	psi := make([]float64, o.all.n)
	for _, y := range o.sets {
		if o.Embed(psi, y); m.obeys(psi) == nil {
			left = append(left, y)
		}
	}
	if len(left) == 0 {
		return nil, ErrNoOutput
	}
	list, err := listSets(o.all, left)
	return &maskedObserved{list, m}, err
}

func (m *maskedObserved) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	logZ, err := m.observedSets.LogPartition(marginals, scores, poll)
	if marginals != nil {
		m.maskedSpace.pin(marginals)
	}
	return logZ, err
}
