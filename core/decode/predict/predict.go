// Package predict scores new rows and decodes the scores: f(x) = x·A + b for a linear model with a coefficient vector for each feature, or
// k(x, X)·A + b for one with a coefficient vector for each row X of training, and the outputs y that maximise ⟨f(x), ψ(y)⟩.
//
// Rows are taken in blocks, so that neither the kernel matrix between new rows and those of training nor the scores of all rows are
// ever held at once.
//
// Decisions may go by expected features Eψ in place of f(x). A model trained for the squared loss estimates them as f(x) + μ, with μ the
// mean of ψ under the uniform distribution; of log-odds against that distribution, which the AUC loss estimates, they are μ + Σf(x) to
// first order. The output whose ψ is nearest to Eψ, its pre-image, is the one of least expected squared distance, and maximises
// ⟨Eψ, ψ(y)⟩ − ½‖ψ(y)‖² (Weston et al. 2003, Kernel dependency estimation). Where Eψ tells the probability of each output, the most
// probable one may be predicted instead.
package predict

import (
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// blockNumbers is the number of float64 in one block of scores or kernel values: 16 MiB, enough for BLAS to run at full speed.
const blockNumbers = 1 << 21

// Inputs are rows to predict for. Blocks are asked for in the order of rows, each once in a pass; one may use the memory of another.
// kernel.Rows are such.
type Inputs interface {
	Len() int
	Features() int
	Check() error
	Slice(lo, hi int) kernel.Rows
}

// Model is what f(x) and its decoding follow from.
type Model struct {
	Space structure.Space
	// Coef is A, of a column for each entry of ψ.
	Coef linalg.Matrix[float64]
	// Kernel is prepared with the rows of training, one for each row of A. Where it is nil the rows of A are those of the inputs' features,
	// which may be kernel values.
	Kernel *kernel.Matrix
	// Intercept is b, of an entry for each one of ψ; nil for none.
	Intercept []float64
	// Expected is how expected features follow from f(x), and decisions from them; nil where the output of largest ⟨f(x), ψ(y)⟩ is
	// predicted.
	Expected *Expected

	blockLength int // rows in a block; 0: as many as fill blockNumbers. For tests.
}

// Expected are expected features Eψ = μ + f(x), or μ + Σf(x).
type Expected struct {
	// Mean is μ; nil for that of the space.
	Mean []float64
	// Covariance multiplies f(x) by Σ; nil for Eψ = μ + f(x).
	Covariance Multiplier
	// PreImage is whether the output whose ψ is nearest to Eψ is predicted, in place of that of largest ⟨Eψ, ψ(y)⟩.
	PreImage bool
	// Mode is whether the most probable output is predicted, which the space, a structure.Moder, tells by Eψ.
	Mode bool
}

// Multiplier multiplies every row of a matrix by a symmetric matrix, as solve.Coordinates do by Σ.
type Multiplier interface {
	CovarianceTo(dst, rows linalg.Matrix[float64])
}

// Options are how rows are worked on.
type Options struct {
	Method  decode.Method
	Seed    uint64 // of the random decoders
	First   int    // the number by which errors call the first row
	Workers int
	Monitor *parallel.Monitor // counts rows

	streams []uint64 // get the numbers of the rows' random streams; nil: not wanted
}

// TakeShift takes in the constant feature with which A was trained, given shift, the square of its value, and the number of features of the
// inputs: without a kernel its weights are the last row of A, with one they are shift times the sum of all rows. A shift of 0 is none.
func (m *Model) TakeShift(shift float64, features int) error {
	if shift-shift != 0 {
		return fault.Value("shift is %g, must be finite", shift)
	}
	rows := features
	if shift != 0 {
		rows++
		m.Intercept = append(make([]float64, 0, m.Coef.Cols), m.Intercept...)
		m.Intercept = m.Intercept[:m.Coef.Cols]
	}
	switch {
	case m.Kernel == nil && m.Coef.Rows != rows:
		return fault.Value("model.m is %d, %d features with shift %g need %d", m.Coef.Rows, features, shift, rows)
	case shift == 0:
	case m.Kernel == nil:
		linalg.Axpy(m.Intercept, m.Coef.Row(features), shift)
		m.Coef = m.Coef.Slice(0, features, 0, m.Coef.Cols)
	default:
		for i := range m.Coef.Rows {
			linalg.Axpy(m.Intercept, m.Coef.Row(i), shift)
		}
	}
	return nil
}

// Check returns an error unless the parts of the model fit together.
func (m *Model) Check() error {
	d := m.Space.FeatureLen()
	switch {
	case m.Coef.Cols != d:
		return fault.Value("there are coefficients of %d scores, %s needs %d", m.Coef.Cols, structure.Describe(m.Space), d)
	case m.Kernel != nil && m.Kernel.Len() != m.Coef.Rows:
		return fault.Value("there are %d rows of training and coefficients of %d", m.Kernel.Len(), m.Coef.Rows)
	case m.Intercept != nil && len(m.Intercept) != d:
		return fault.Value("the intercept has %d entries, %s needs %d", len(m.Intercept), structure.Describe(m.Space), d)
	}
	if m.Expected == nil {
		return nil
	}
	if mean := m.Expected.Mean; mean != nil && len(mean) != d {
		return fault.Value("the mean has %d entries, %s needs %d", len(mean), structure.Describe(m.Space), d)
	}
	if _, ok := m.Space.(structure.Moder); m.Expected.Mode && !ok {
		return &structure.CapabilityError{Structure: structure.Describe(m.Space), Need: "probabilities of outputs by expected features"}
	}
	if m.Expected.Mean == nil {
		if _, ok := m.Space.(structure.Momenter); !ok {
			return &structure.CapabilityError{Structure: structure.Describe(m.Space),
				Need: "the mean of its embedding, which scores are relative to"}
		}
	}
	return nil
}
