package sgd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// featureBank is a bank of the weights of input features, in coordinates.
type featureBank struct {
	coord *solve.Coordinates
	x     *solve.Design
	psi   matrix // the caller's memory, in the space of ψ
	own   matrix
}

func newFeatureBank(p *solve.Problem, x *solve.Design, psi matrix) *featureBank {
	w := &featureBank{coord: p.Coord, x: x, psi: psi, own: linalg.NewMatrix[float64](psi.Rows, p.Coord.Len())}
	w.coord.AnalyzeTo(w.own, psi)
	return w
}

func (w *featureBank) productTo(dst []float64, t int) {
	if w.large() {
		blas64.Gemv(blas.Trans, 1, w.dense(), vector(w.x.Dense.Row(t)), 0, vector(dst))
		if w.x.Intercept {
			linalg.Axpy(dst, w.own.Row(w.x.Features()), 1)
		}
		return
	}
	clear(dst)
	w.x.Entries(t, func(k int, v float64) { linalg.Axpy(dst, w.own.Row(k), v) })
}

func (w *featureBank) add(t int, delta []float64) {
	if w.large() {
		blas64.Ger(1, vector(w.x.Dense.Row(t)), vector(delta), w.dense())
		if w.x.Intercept {
			linalg.Axpy(w.own.Row(w.x.Features()), delta, 1)
		}
		return
	}
	w.x.Entries(t, func(k int, v float64) { linalg.Axpy(w.own.Row(k), delta, v) })
}

// large says whether a step is quicker by calls of BLAS: on dense rows, unless there are few numbers.
func (w *featureBank) large() bool { return w.x.Sparse == nil && w.x.Features()*w.own.Cols >= 64 }

// dense returns the weights of the features but for the constant one.
func (w *featureBank) dense() blas64.General {
	return linalg.General(w.own.Slice(0, w.x.Features(), 0, w.own.Cols))
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

func (w *featureBank) drop(int) {}

func (w *featureBank) combine(a []float64, other bank, b []float64) {
	scaleRows(w.own, a)
	if other != nil {
		addScaled(w.own, other.(*featureBank).own, b)
	}
}

func (w *featureBank) store() { w.coord.SynthesizeTo(w.psi, w.own) }

// prepare returns the descent on the banks that hold makes of the three functions.
func prepare(p *solve.Problem, steps StepSizes, hold func(m matrix, withValues bool) (bank, error), coef, average, velocity matrix,
	gains []float64) (*Descent, error) {
	iterate, err := hold(coef, true)
	if err != nil {
		return nil, err
	}
	var mean bank
	if average.Rows > 0 {
		if mean, err = hold(average, false); err != nil {
			return nil, err
		}
	}
	var meta *metaDescent
	if velocity.Rows > 0 {
		v, err := hold(velocity, true)
		if err != nil {
			return nil, err
		}
		_, first := StepSizes{Rows: steps.Rows, First: steps.First, Shift: steps.Shift}.at(p.Lambda)
		meta = newMetaDescent(p, v, gains, first)
	}
	return newDescent(p, steps, iterate, mean, meta), nil
}
