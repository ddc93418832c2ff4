// Package predict scores new rows and decodes the scores: f(x) = W x + b for a linear model, or k(x, X) A + b for one with a
// coefficient vector for each row X of training, and the outputs y that maximise ⟨f(x), ψ(y)⟩.
//
// Rows are taken in blocks, so that neither the kernel matrix between new rows and those of training nor the scores of all rows are
// ever held at once.
//
// A model trained for the squared loss predicts the pre-image of f(x) + μ, with μ the mean of ψ under the uniform distribution: the
// output whose ψ is nearest, which maximises ⟨f(x) + μ, ψ(y)⟩ − ½‖ψ(y)‖² (Weston et al. 2003, Kernel dependency estimation).
package predict

import (
	"errors"
	"fmt"

	"combpred/core/decode"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// blockNumbers is the number of float64 in one block of scores or kernel values: 16 MiB, enough for BLAS to run at full speed.
const blockNumbers = 1 << 21

// Model is what f(x) and its decoding follow from. Exactly one of Weights and Dual is set.
type Model struct {
	Space structure.Space
	// Weights is W, of a row for each entry of ψ and a column for each feature.
	Weights linalg.Matrix[float64]
	// Dual is A, of a row for each row of training and a column for each entry of ψ.
	Dual linalg.Matrix[float64]
	// Kernel is prepared with the rows of training. Where it is nil with Dual, the inputs are kernel values themselves: those between
	// new rows and the rows of training.
	Kernel *kernel.Matrix
	// Intercept is b, of an entry for each one of ψ; nil for none.
	Intercept []float64
	// PreImage is whether the pre-image is predicted, and Mean then is μ; nil for that of the space.
	PreImage bool
	Mean     []float64

	blockLength int // rows in a block; 0: as many as fill blockNumbers. For tests.
}

// Options are how rows are worked on.
type Options struct {
	Method  decode.Method
	Seed    uint64 // of the random decoders
	Workers int
	Monitor *parallel.Monitor // counts rows
}

// Check returns an error unless the parts of the model fit together.
func (m *Model) Check() error {
	d := m.Space.FeatureLen()
	linear, dual := m.Weights.Rows > 0, m.Dual.Cols > 0
	switch {
	case linear == dual:
		return errors.New("predict: a model has either weights or dual coefficients")
	case linear && m.Weights.Rows != d:
		return fmt.Errorf("predict: there are weights of %d scores, %s needs %d", m.Weights.Rows, structure.Describe(m.Space), d)
	case dual && m.Dual.Cols != d:
		return fmt.Errorf("predict: there are dual coefficients of %d scores, %s needs %d", m.Dual.Cols, structure.Describe(m.Space), d)
	case linear && m.Kernel != nil:
		return errors.New("predict: weights are for inputs themselves, not for a kernel")
	case m.Kernel != nil && m.Kernel.Len() != m.Dual.Rows:
		return fmt.Errorf("predict: there are %d rows of training and dual coefficients of %d", m.Kernel.Len(), m.Dual.Rows)
	case m.Intercept != nil && len(m.Intercept) != d:
		return fmt.Errorf("predict: the intercept has %d entries, %s needs %d", len(m.Intercept), structure.Describe(m.Space), d)
	}
	if m.PreImage && m.Mean != nil && len(m.Mean) != d {
		return fmt.Errorf("predict: the mean has %d entries, %s needs %d", len(m.Mean), structure.Describe(m.Space), d)
	}
	if m.PreImage && m.Mean == nil {
		if _, ok := m.Space.(structure.Moments); !ok {
			return &structure.CapabilityError{Structure: structure.Describe(m.Space), Need: "Moments, for the mean that scores are relative to"}
		}
	}
	return nil
}
