package structure

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/logsum"
)

// indexed is a space of few outputs, each of them a single part, whose scores are found for all of them together: a
// softmax then has the partition function, the marginals and the samples.
type indexed interface {
	Space
	// outputs returns the number of outputs, output the part of the one of the given number.
	outputs() int
	output(i int) int32
	// scoresTo writes ⟨s, ψ(y)⟩ for each output to dst.
	scoresTo(dst, s []float64)
	// averageTo writes Σ p ψ(y) to dst for the probabilities p of the outputs, which it may overwrite.
	averageTo(dst, p []float64)
}

var (
	_ indexed = multiClass{}
	_ indexed = ordinal{}
	_ indexed = (*posetElements)(nil)
	_ indexed = (*hierarchy)(nil)
	_ indexed = (*listed)(nil)
)

func partitionIndexed(x indexed, marginals, scores []float64) (float64, error) {
	values, err := indexedScores(x, scores)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return logsum.Of(values), nil
	}
	mustLen("marginals", len(marginals), x.FeatureLen())
	logZ := logsum.SoftmaxTo(values, values)
	x.averageTo(marginals, values)
	return logZ, nil
}

// distributeIndexed draws by binary search in a table.
func distributeIndexed(x indexed, scores []float64) (Draw, error) {
	values, err := indexedScores(x, scores)
	if err != nil {
		return nil, err
	}
	table := logsum.NewTable(values)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), 1)
		dst[0] = x.output(table.Draw(rng))
	}, nil
}

// indexedScores returns the score of each output. Only those of a list may overflow: its ψ is of any size.
func indexedScores(x indexed, scores []float64) ([]float64, error) {
	mustLen("scores", len(scores), x.FeatureLen())
	values := make([]float64, x.outputs())
	x.scoresTo(values, scores)
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("structure: the score of member %d overflows, scale the scores down", i)
		}
	}
	return values, nil
}

func (m multiClass) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(m, marginals, scores)
}
func (m multiClass) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(m, scores)
}
func (m multiClass) PartitionCost(bool) float64 { return float64(2 * m.n) }
func (m multiClass) outputs() int               { return m.n }
func (m multiClass) output(i int) int32         { return int32(i) }
func (m multiClass) scoresTo(dst, s []float64)  { copy(dst, s) }
func (m multiClass) averageTo(dst, p []float64) { copy(dst, p) }

func (o ordinal) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(o, marginals, scores)
}
func (o ordinal) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(o, scores)
}
func (o ordinal) PartitionCost(bool) float64 { return float64(4 * o.n) }
func (o ordinal) outputs() int               { return o.n }
func (o ordinal) output(i int) int32         { return int32(i) }

// scoresTo adds up the scores of the grades passed.
func (o ordinal) scoresTo(dst, s []float64) {
	var sum float64
	for i, v := range s {
		sum += v
		dst[i] = sum
	}
}

// averageTo adds up the probabilities of the grades from each on.
func (o ordinal) averageTo(dst, p []float64) {
	var sum float64
	for i := o.n - 1; i >= 0; i-- {
		sum += p[i]
		dst[i] = min(sum, 1)
	}
}

func (p *posetElements) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(p, marginals, scores)
}
func (p *posetElements) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(p, scores)
}

// PartitionCost is at most that of one addition for each pair of elements, and as many again for marginals.
func (p *posetElements) PartitionCost(bool) float64 { return float64(2 * p.n * p.n) }
func (p *posetElements) outputs() int               { return p.n }
func (p *posetElements) output(i int) int32         { return int32(i) }

// scoresTo adds up the scores below each element.
func (p *posetElements) scoresTo(dst, s []float64) {
	for a := range p.n {
		dst[a] = 0
		for b := range p.down.related(a) {
			dst[a] += s[b]
		}
	}
}

// averageTo adds up the probabilities above each element.
func (p *posetElements) averageTo(dst, probability []float64) {
	for b := range p.n {
		var sum float64
		for a := range p.up.related(b) {
			sum += probability[a]
		}
		dst[b] = min(sum, 1)
	}
}

func (h *hierarchy) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(h, marginals, scores)
}
func (h *hierarchy) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(h, scores)
}
func (h *hierarchy) PartitionCost(bool) float64 { return float64(6 * len(h.parent)) }
func (h *hierarchy) outputs() int               { return len(h.allowed) }
func (h *hierarchy) output(i int) int32         { return h.allowed[i] }

// scoresTo adds up the scores on the way from the root.
func (h *hierarchy) scoresTo(dst, s []float64) {
	buf := h.sums.get(len(h.parent))
	defer h.sums.put(buf)
	sum := *buf
	for _, v := range h.order {
		sum[v] = s[v]
		if p := h.parent[v]; p >= 0 {
			sum[v] += sum[p]
		}
	}
	for i, v := range h.allowed {
		dst[i] = sum[v]
	}
}

// averageTo adds up the probabilities of the nodes below each.
func (h *hierarchy) averageTo(dst, p []float64) {
	clear(dst)
	for i, v := range h.allowed {
		dst[v] = p[i]
	}
	for i := len(h.order) - 1; i > 0; i-- {
		v := h.order[i]
		dst[h.parent[v]] += dst[v]
	}
	for i, v := range dst {
		dst[i] = min(v, 1)
	}
}

func (l *listed) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(l, marginals, scores)
}
func (l *listed) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(l, scores)
}
func (l *listed) PartitionCost(bool) float64 { return 4 * float64(l.psi.Rows) * float64(l.psi.Cols) }
func (l *listed) outputs() int               { return l.psi.Rows }
func (l *listed) output(i int) int32         { return int32(i) }

func (l *listed) scoresTo(dst, s []float64) {
	v := blas64.Vector{N: len(s), Inc: 1, Data: s}
	for i := range dst {
		dst[i] = blas64.Dot(v, blas64.Vector{N: len(s), Inc: 1, Data: row(l.psi, i)})
	}
}

func (l *listed) averageTo(dst, p []float64) {
	clear(dst)
	mean := blas64.Vector{N: len(dst), Inc: 1, Data: dst}
	for i, w := range p {
		blas64.Axpy(w, blas64.Vector{N: len(dst), Inc: 1, Data: row(l.psi, i)}, mean)
	}
}
