package partition

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	// groupRows is the number of rows for which the outputs are listed together, at most: enough to make the listing a
	// small part of the work, and few enough for the weights of a block to stay in cache.
	groupRows = 256
	// mostInBlock is the number of outputs that are scored together, at most.
	mostInBlock = 512
	// blockFeatures bounds the entries of the embedded outputs of a block, where that leaves leastInBlock.
	blockFeatures = 1 << 18
	leastInBlock  = 16
	// firstOutputs is the number of embedded outputs for which there is memory from the start; it grows as they come.
	firstOutputs = 32
	// grainWeights is the number of weights for which a worker takes rows, about: a tenth of a millisecond.
	grainWeights = 1 << 14
)

// blockSums adds up the weights exp⟨s, ψ(y)⟩ of outputs, and their ψ with these weights, for a group of rows s. Outputs
// come in blocks: their scores, and the sums of ψ, are matrix products.
//
// Weights are kept relative to the largest of their row so far. Sums are of two levels, within a block and over blocks,
// so that the rounding errors of a million terms are those of a few thousand.
//
// The products run in the goroutine that calls, on the threads of the BLAS; workers share the exponentials.
type blockSums struct {
	scores, means linalg.Matrix[float64] // of the group; means has no rows where they are not wanted
	rows          structure.Group        // themselves
	added         int                    // outputs so far
	top, sum      []float64              // for every row the largest score so far, and Σ exp(score − top)
	psi           []float64              // the embedded outputs of the block, one after the other
	weights       []float64              // rows × outputs of the block: first the scores
}

// reset begins the sums of a group of rows. Means are summed in the rows of means, whatever is there.
func (b *blockSums) reset(rows structure.Group, scores, means linalg.Matrix[float64]) {
	b.rows, b.added, b.scores, b.means = rows, 0, scores, means
	means.Zero()
	b.top, b.sum = slices.Grow(b.top[:0], scores.Rows)[:scores.Rows], slices.Grow(b.sum[:0], scores.Rows)[:scores.Rows]
	for i := range b.top {
		b.top[i], b.sum[i] = math.Inf(-1), 0
	}
}

// addAll adds all outputs of a space.
func (b *blockSums) addAll(space structure.Space, workers int, mon *parallel.Monitor) error {
	d := space.FeatureLen()
	most := max(leastInBlock, min(mostInBlock, blockFeatures/max(d, 1)))
	if psi := space.Facts().Table; psi.Rows > 0 {
		table := linalg.FromGeneral(psi)
		for lo := 0; lo < table.Rows; lo += most {
			if err := b.add(table.Slice(lo, min(lo+most, table.Rows), 0, d), workers, mon); err != nil {
				return err
			}
		}
		return nil
	}
	outputs := 0
	b.psi = slices.Grow(b.psi[:0], min(most, firstOutputs)*d)
	flush := func() error {
		err := b.add(linalg.Matrix[float64]{Rows: outputs, Cols: d, Stride: max(d, 1), Data: b.psi}, workers, mon)
		outputs, b.psi = 0, b.psi[:0]
		return err
	}
	err := visit(space, mon, func(y []int32) error {
		b.psi = slices.Grow(b.psi, d)[:(outputs+1)*d]
		space.Embed(b.psi[outputs*d:], y)
		if outputs++; outputs == most {
			return flush()
		}
		return nil
	})
	if err != nil || outputs == 0 {
		return err
	}
	return flush()
}

// add adds the outputs with the embeddings psi.
func (b *blockSums) add(psi linalg.Matrix[float64], workers int, mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	rows, outputs := b.scores.Rows, psi.Rows
	b.weights = slices.Grow(b.weights[:0], rows*outputs)[:rows*outputs]
	w := linalg.Matrix[float64]{Rows: rows, Cols: outputs, Stride: outputs, Data: b.weights}
	scoreTo(w, b.scores, psi)
	err := parallel.For(rows, grainWeights/outputs, workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if k := b.weigh(i, w.Row(i)); k >= 0 {
				return fault.At(b.rows.Row(i),
					fault.Value("the score of member %d overflows, scale the scores down", b.added+k))
			}
		}
		return nil
	})
	if err == nil && b.means.Rows > 0 {
		addTo(b.means, w, psi)
	}
	b.added += outputs
	return err
}

// scoreTo writes scores·psiᵀ to dst. BLAS takes a single row faster as a vector.
func scoreTo(dst, scores, psi linalg.Matrix[float64]) {
	if dst.Rows == 1 && psi.Cols > 0 {
		clear(dst.Data)
		blas64.Gemv(blas.NoTrans, 1, linalg.General(psi), vector(scores), 0, vector(dst))
		return
	}
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, scores, psi, 0, dst)
}

// addTo adds weights·psi to dst.
func addTo(dst, weights, psi linalg.Matrix[float64]) {
	if dst.Rows == 1 && psi.Cols > 0 {
		blas64.Gemv(blas.Trans, 1, linalg.General(psi), vector(weights), 1, vector(dst))
		return
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, weights, psi, 1, dst)
}

// vector returns the first row of m.
func vector(m linalg.Matrix[float64]) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Row(0)}
}

// weigh replaces scores of row i by weights, and adds these to their sum. It returns −1, or the number of a score that
// overflows: ψ may be of any size.
func (b *blockSums) weigh(i int, scores []float64) int {
	top, bottom := b.top[i], 0.0
	for _, v := range scores {
		top, bottom = max(top, v), min(bottom, v)
	}
	if math.IsNaN(top) || math.IsInf(top, 1) || math.IsInf(bottom, -1) {
		return slices.IndexFunc(scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	}
	if top > b.top[i] {
		scale := math.Exp(b.top[i] - top)
		b.top[i] = top
		b.sum[i] *= scale
		if b.means.Rows > 0 {
			mean := b.means.Row(i)
			for j := range mean {
				mean[j] *= scale
			}
		}
	}
	var sum float64
	for k, v := range scores {
		v = math.Exp(v - top)
		scores[k] = v
		sum += v
	}
	b.sum[i] += sum
	return -1
}

// finish writes the logarithms of the sums of weights, and divides the means by these sums.
func (b *blockSums) finish(logZ []float64) {
	for i, sum := range b.sum {
		logZ[b.rows.Row(i)] = b.top[i] + math.Log(sum)
		if b.means.Rows > 0 {
			mean := b.means.Row(i)
			for j := range mean {
				mean[j] /= sum
			}
		}
	}
}
