package primal

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Task is a training problem but for its rows.
type Task struct {
	Coord     *solve.Coordinates // of Σ, or the identity for the squared loss
	Mean      []float64          // μ, of ψ under the uniform distribution
	Share     float64            // 2 over the number of members of the space, NaN where that is not known; only read for sets of outputs
	Structure string             // what the space is called in messages
	Lambda    float64
	Margin    bool // the AUC loss; false is the squared loss
	Intercept bool // whether x has a last entry 1
	Tol       float64
	MaxIter   int  // most products, 0 for the solver's own limit
	Double    bool // all products in double precision
}

// weights returns q, the number of rows of W.
func (t *Task) weights(p int) int {
	if t.Intercept {
		return p + 1
	}
	return p
}

// Rows are examples, all of them or a block. Nothing of them is changed.
type Rows struct {
	X   Inputs
	Psi Outputs
	// First gives row i the outputs First[i] to First[i+1] of Psi, each of them as correct as the others; nil means one output for each.
	First   []int
	Weights []float64 // of the rows; nil means all 1
	// Release, if not nil, is called when rows lo to hi of X and Psi will not be read again in this pass: their pages in mapped files can
	// be given back.
	Release func(lo, hi int)

	cache  *rowCache
	spaces [mostParts]workspaces // of the parts, kept for the next pass
}

const (
	batchEntries = 1 << 16 // numbers of a batch's inputs or scores: both stay in cache, and products of that size run at full speed
	mostRows     = 512     // of a batch
	leastRows    = 32
	releaseRows  = 8192 // of a call of Release, about: the call asks the system
	// Rows are cut into that many parts, each with sums of its own, at most; they are added in order, so that nothing depends on the number
	// of workers.
	mostParts  = 8
	partRows   = 4096    // at least, of a part
	partsLimit = 1 << 23 // numbers in the sums of all parts: 64 MiB
)

// workspaces are the scratch of one part's passes.
type workspaces struct {
	wide   workspace[float64]
	single workspace[float32]
	psi    psiRows
}

// workspace holds a batch's features and scores.
type workspace[T linalg.Float] struct{ design, scores []T }

// block returns the first rows×cols numbers of a buffer, which it lets grow.
func block[T linalg.Float](buffer *[]T, rows, cols int) linalg.Matrix[T] {
	*buffer = slicex.Grow(*buffer, rows*cols)
	return linalg.Shaped(*buffer, rows, cols)
}

// batchRows returns how many rows are worked on together.
func batchRows(p, d int) int {
	width := max(p+1, d+1)
	n := min(mostRows, batchEntries/width)
	// A product of a batch must be done before the next poll.
	n = min(n, int(2e9/(2*float64(p+1)*float64(d+1))))
	return max(n, leastRows)
}

// each calls f for each part of the rows, in parallel, with an accumulator of size numbers, zero at first, and add for each of them in
// order.
func (r *Rows) each(size, workers int, f func(w *workspaces, dst []float64, lo, hi int) error, dst []float64) error {
	n, _ := r.X.Size()
	parts := max(1, min(mostParts, n/partRows, partsLimit/max(size, 1)))
	if parts == 1 {
		return f(&r.spaces[0], dst, 0, n)
	}
	sums := make([]float64, parts*size)
	err := parallel.For(parts, 1, workers, nil, func(k, _ int) error {
		return f(&r.spaces[k], sums[k*size:(k+1)*size], k*n/parts, (k+1)*n/parts)
	})
	for k := range parts {
		linalg.Axpy(dst, sums[k*size:(k+1)*size], 1)
	}
	return err
}

// batches calls f for consecutive ranges of rows, polling mon before each.
func (r *Rows) batches(lo, hi int, mon *parallel.Monitor, f func(lo, hi int) error) error {
	_, p := r.X.Size()
	_, d := r.Psi.Size()
	done := lo
	for step := batchRows(p, d); lo < hi; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		end := min(lo+step, hi)
		if err := f(lo, end); err != nil {
			return err
		}
		if r.Release != nil && (end == hi || end-done >= releaseRows) {
			r.Release(done, end)
			done = end
		}
	}
	return nil
}

// outputs returns the range of the outputs of rows lo to hi.
func (r *Rows) outputs(lo, hi int) (int, int) {
	if r.First == nil {
		return lo, hi
	}
	return r.First[lo], r.First[hi]
}

// renumbered turns the number of an output, in an error about one, into that of its row.
func (r *Rows) renumbered(err error) error {
	if r.First == nil {
		return err
	}
	return fault.Renumbered(err, func(output int) int {
		after, _ := slices.BinarySearch(r.First, output+1)
		return after - 1
	})
}

// Check returns an error unless the rows fit the task and one another. The entries of X and Psi are checked as they are read.
func (r *Rows) Check(t *Task) error {
	n, _ := r.X.Size()
	outputs, d := r.Psi.Size()
	if d != len(t.Mean) {
		return fault.Value("psi has %d columns, want %d", d, len(t.Mean))
	}
	if r.Weights != nil && len(r.Weights) != n {
		return fault.Value("%d weights for %d rows", len(r.Weights), n)
	}
	for i, w := range r.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fault.At(i, fault.Value("the weight is %g, must be finite and not negative", w))
		}
	}
	if r.First == nil {
		if outputs != n {
			return fault.Value("%d outputs for %d rows", outputs, n)
		}
		return nil
	}
	if len(r.First) != n+1 || r.First[0] != 0 || r.First[n] != outputs {
		return fault.Value("the sets of outputs must be %d and begin at 0 and end at %d, the number of rows of psi", n, outputs)
	}
	if t.Margin && math.IsNaN(t.Share) {
		return &structure.CapabilityError{Structure: t.Structure, Need: "the number of its members, to train on sets of outputs"}
	}
	for i := range n {
		k := r.First[i+1] - r.First[i]
		if k < 1 {
			return fault.At(i, fault.Value("the set has no outputs, must have at least one"))
		}
		if t.Margin && float64(k)*t.Share >= 1 {
			return fault.At(i, fault.Value("the set has %d correct outputs, loss='auc' takes fewer than half of all %g: leave the row "+
				"out, or take loss='squared'", k, 2/t.Share))
		}
	}
	return nil
}

// weight returns the weight of row i, and that with all its outputs.
func (r *Rows) weight(i int) (one, all float64) {
	one = 1
	if r.Weights != nil {
		one = r.Weights[i]
	}
	lo, hi := r.outputs(i, i+1)
	return one, one * float64(hi-lo)
}
