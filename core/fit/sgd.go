package fit

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
	"combpred/core/structure"
)

// Descent holds what the steps of stochastic gradient descent change, one row for each row of the support or each input feature, in the
// space of ψ.
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
			return fault.Value("%s has %d rows, must have %d", m.name, m.matrix.Rows, rows)
		}
		if err := badEntry(m.name, m.matrix); err != nil {
			return fault.At(fault.NoRow, err) // a row of weights is none of the data
		}
	}
	for j, v := range s.Gains {
		if !(v > 0) || v-v != 0 {
			return fault.Value("gains[%d] is %g, must be positive and finite", j, v)
		}
	}
	return nil
}

// Stream says where rows stand in all that are learned from.
type Stream struct {
	Eta       float64 // p of the step sizes
	Seen      int     // visits to rows before
	Curvature float64 // the largest of the rows before
}

func (s Stream) check(passes sgd.Passes) error {
	if !(s.Eta > 0) || math.IsInf(s.Eta, 1) {
		return fault.Value("eta0 is %g, must be positive and finite", s.Eta)
	}
	if !(s.Curvature >= 0) || math.IsInf(s.Curvature, 1) {
		return fault.Value("curvature is %g, must be finite and not negative", s.Curvature)
	}
	if math.IsNaN(passes.Tol) {
		return fault.Value("tol is NaN")
	}
	if len(passes.Order) == 0 {
		return fault.Value("order is empty: there is no row to visit")
	}
	return nil
}

// Train takes steps in the weights of input features, in passes. A row that a pass visits c times has the c-th part of its weight in each.
// It returns the largest curvature of all rows, too, also where it was cancelled.
func (o Ridge) Train(space structure.Space, design *solve.Design, targets Targets, stream Stream, passes sgd.Passes, state Descent,
	mon *parallel.Monitor) (sgd.Outcome, float64, error) {
	var none sgd.Outcome
	if err := stream.check(passes); err != nil {
		return none, 0, err
	}
	for i := range design.Len() {
		columns, values := design.Row(i)
		for j, v := range values {
			if v-v != 0 {
				if columns != nil {
					j = int(columns[j])
				}
				return none, 0, fault.At(i, fault.Value("X holds %g in column %d: remove rows with NaN or infinity, or impute them", v, j))
			}
		}
	}
	visits, err := perVisit(targets, passes.Order)
	if err != nil {
		return none, 0, err
	}
	for i, w := range visits.Weights {
		if _, values := design.Row(i); w > 0 && !(linalg.Dot(values, values) <= longest) {
			return none, 0, fault.At(i, fault.Value("the squares of the features in X overflow; scale the inputs"))
		}
	}
	p, err := o.descent(space, visits, state, design.Columns(), mon)
	if err != nil {
		return none, 0, err
	}
	curvature := max(stream.Curvature, sgd.Curvature(p, design))
	steps := sgd.NewStepSizes(o.Alpha, stream.Eta, curvature, stream.Seen, stream.Seen+len(passes.Order))
	passes.Weights = visits.Weights
	out, err := sgd.Train(p, steps, design, passes, state.Coef, state.Average, state.Velocity, state.Gains)
	return out, curvature, err
}

// longest is the largest squared length of a row that is visited: sums over rows, and products with weights, stay finite.
const longest = 1e280

// VisitedRows returns the visits of a pass over the examples of positive weight, as maxmargin.Visits makes them: in the order of the
// examples or, where their inputs x are given, in one that depends on what the rows hold alone.
func VisitedRows(t Targets, x *solve.Design, workers int, mon *parallel.Monitor) ([]int64, error) {
	order, sorted := make([]int64, t.examples()), make([]float64, t.examples())
	for i := range order {
		order[i] = int64(i)
	}
	if err := t.checkWeights(); err != nil {
		return nil, err
	}
	for i := range order {
		if t.First != nil && (t.First[i] < 0 || t.First[i] > t.First[i+1] || t.First[i+1] > t.Psi.Rows) {
			return nil, fault.At(i, fault.Value("the outputs are %d to %d of %d", t.First[i], t.First[i+1], t.Psi.Rows))
		}
	}
	if x != nil {
		if err := maxmargin.RowsOrder(order, x, t.Psi, t.First, workers, nil); err != nil {
			return nil, err
		}
	}
	for k, row := range order {
		if sorted[k] = 1; t.Weights != nil {
			sorted[k] = t.Weights[row]
		}
	}
	visits, _ := maxmargin.Visits(sorted)
	for k, at := range visits {
		visits[k] = order[at]
	}
	return visits, mon.Err()
}

// perVisit returns the targets with the weight that each row has in one visit of a pass: none in rows that are not visited.
func perVisit(t Targets, order []int64) (Targets, error) {
	m := t.examples()
	counts := make([]float64, m)
	for at, i := range order {
		if i < 0 || i >= int64(m) {
			return t, fault.Value("order[%d] is %d, must be from 0 to %d", at, i, m-1)
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
