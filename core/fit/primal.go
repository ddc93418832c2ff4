package fit

import (
	"math"
	"math/big"

	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// Primal returns the problem in the weights of input features that these options ask for, with a constant feature if there is an
// intercept, which is penalised like the others. Where its rows are, the caller decides: see primal.Task.
func (o Ridge) Primal(space structure.Space, intercept bool) (*primal.Task, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	moments, ok := space.(structure.Moments)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	coord, err := o.coordinates(space)
	if err != nil {
		return nil, err
	}
	t := &primal.Task{Coord: coord, Mean: make([]float64, space.FeatureLen()), Structure: structure.Describe(space), Lambda: o.Alpha,
		Margin: o.Loss == "auc", Intercept: intercept, Tol: o.Tol, MaxIter: o.MaxIter, Share: math.NaN()}
	moments.Mean(t.Mean)
	if counter, ok := space.(structure.Counter); ok {
		members, _ := new(big.Float).SetInt(counter.Count()).Float64() // +Inf beyond the range, whose share is nothing
		t.Share = 2 / members
	} else if log, err := structure.LogCount(space); err == nil {
		t.Share = 2 * math.Exp(-log)
	}
	return t, nil
}
