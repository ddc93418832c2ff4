package fit

import (
	"fmt"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
	"combpred/core/structure"
)

// Descent holds what the steps of stochastic gradient descent change, one row for each row of the support or each input feature, in the space of ψ.
type Descent struct {
	Coef     linalg.Matrix[float64]
	Average  linalg.Matrix[float64] // without rows: no averaging
	Velocity linalg.Matrix[float64] // without rows: no stochastic meta-descent
	Gains    []float64              // d, where there is a velocity
}

func (s Descent) check(rows int) error {
	for _, m := range []struct {
		name   string
		matrix linalg.Matrix[float64]
	}{{"coef", s.Coef}, {"average", s.Average}, {"velocity", s.Velocity}} {
		if m.matrix.Rows != 0 && m.matrix.Rows != rows {
			return fmt.Errorf("fit: %s has %d rows, must have %d", m.name, m.matrix.Rows, rows)
		}
		if _, err := badEntry(m.name, m.matrix); err != nil {
			return err
		}
	}
	for j, v := range s.Gains {
		if !(v > 0) || v-v != 0 {
			return fmt.Errorf("fit: gains[%d] is %g, must be positive and finite", j, v)
		}
	}
	return nil
}

// DescendInExpansion takes a step on each example, with the coefficients of the support, and returns the sum of the losses before the steps.
func (o Ridge) DescendInExpansion(space structure.Space, steps sgd.StepSizes, visits sgd.Visits, targets Targets,
	state Descent, mon *parallel.Monitor) (float64, error) {
	p, err := o.descent(space, targets, state, visits.Kernel.Cols, mon)
	if err != nil {
		return 0, err
	}
	visits.Shift = o.Shift
	if _, err := largestEntry(visits.Kernel, o.Workers, nil); err != nil {
		return 0, err
	}
	return sgd.DescendInExpansion(p, steps, visits, state.Coef, state.Average, state.Velocity, state.Gains)
}

// DescendInFeatures does the same with the weights of input features.
func (o Ridge) DescendInFeatures(space structure.Space, steps sgd.StepSizes, design *solve.Design, targets Targets,
	state Descent, mon *parallel.Monitor) (float64, error) {
	p, err := o.descent(space, targets, state, design.Len(), mon)
	if err != nil {
		return 0, err
	}
	return sgd.DescendInFeatures(p, steps, design, state.Coef, state.Average, state.Velocity, state.Gains)
}

func (o Ridge) descent(space structure.Space, targets Targets, state Descent, rows int, mon *parallel.Monitor) (*solve.Problem, error) {
	if err := state.check(rows); err != nil {
		return nil, err
	}
	return o.problem(space, targets, mon)
}

// Losses writes to losses the weighted loss of each example at its scores (m×d), and to curvatures a bound on the largest curvature of that
// loss. Either may be nil.
func (o Ridge) Losses(space structure.Space, scores linalg.Matrix[float64], targets Targets, losses, curvatures []float64,
	mon *parallel.Monitor) error {
	p, err := o.problem(space, targets, mon)
	if err != nil {
		return err
	}
	for i := range curvatures {
		curvatures[i] = p.Curvature(i)
	}
	if losses == nil {
		return nil
	}
	if i, err := badEntry("scores", scores); err != nil {
		return badrow.Named(i, "%w", err)
	}
	f := linalg.NewMatrix[float64](scores.Rows, p.Coord.Len())
	p.Coord.AnalyzeTo(f, scores)
	for i := range losses {
		losses[i] = p.Loss(i, f.Row(i))
	}
	return nil
}
