package fit

import (
	"errors"
	"fmt"
	"math"

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

// Stream says where rows stand in all that are learned from.
type Stream struct {
	Eta       float64 // p of the step sizes
	Seen      int     // visits to rows before
	Curvature float64 // the largest of the rows before
}

// Train takes steps in the weights of input features, in passes. A row that a pass visits c times has the c-th part of its weight in each. It
// returns the largest curvature of all rows, too, also where it was cancelled.
func (o Ridge) Train(space structure.Space, design *solve.Design, targets Targets, stream Stream, passes sgd.Passes, state Descent,
	mon *parallel.Monitor) (sgd.Outcome, float64, error) {
	var none sgd.Outcome
	if !(stream.Eta > 0) || math.IsInf(stream.Eta, 1) {
		return none, 0, fmt.Errorf("fit: eta0 is %g, must be positive and finite", stream.Eta)
	}
	if !(stream.Curvature >= 0) || math.IsInf(stream.Curvature, 1) {
		return none, 0, fmt.Errorf("fit: curvature is %g, must be finite and not negative", stream.Curvature)
	}
	if math.IsNaN(passes.Tol) {
		return none, 0, errors.New("fit: tol is NaN")
	}
	if len(passes.Order) == 0 {
		return none, 0, errors.New("fit: order is empty: there is no row to visit")
	}
	if design.Rows == nil {
		if i, err := badEntry("the design", design.Dense); err != nil {
			return none, 0, badrow.Named(i, "%w", err)
		}
	} else {
		for i := range design.N {
			_, values := design.Rows.Row(i)
			for _, v := range values {
				if v-v != 0 {
					return none, 0, badrow.Named(i, "fit: the design holds %g in row %d, must be finite", v, i)
				}
			}
		}
	}
	visits, err := perVisit(targets, passes.Order)
	if err != nil {
		return none, 0, err
	}
	p, err := o.descent(space, visits, state, design.Len(), mon)
	if err != nil {
		return none, 0, err
	}
	curvature := max(stream.Curvature, sgd.Curvature(p, design))
	steps := sgd.NewStepSizes(o.Alpha, stream.Eta, curvature, stream.Seen, stream.Seen+len(passes.Order))
	passes.Weights = visits.Weights
	out, err := sgd.Train(p, steps, design, passes, state.Coef, state.Average, state.Velocity, state.Gains)
	return out, curvature, err
}

// perVisit returns the targets with the weight that each row has in one visit of a pass: none in rows that are not visited.
func perVisit(t Targets, order []int64) (Targets, error) {
	m := t.examples()
	counts := make([]float64, m)
	for at, i := range order {
		if i < 0 || i >= int64(m) {
			return t, fmt.Errorf("fit: order[%d] is %d, must be from 0 to %d", at, i, m-1)
		}
		counts[i]++
	}
	visits := t
	visits.Weights = make([]float64, m)
	for i, c := range counts {
		w := 1.0
		if t.Weights != nil {
			w = t.Weights[i]
		}
		if visits.Weights[i] = w; c > 0 {
			visits.Weights[i] = w / c
		} else if w >= 0 && !math.IsInf(w, 1) { // what is illegal is refused where weights are
			visits.Weights[i] = 0
		}
	}
	return visits, nil
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
