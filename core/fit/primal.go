package fit

import (
	"math"
	"math/big"

	"combpred/core/fault"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// Primal returns the problem in the weights of input features that these options ask for, with a constant feature if Shift is 1, which is
// penalised like the others, and with none if it is 0. Where its rows are, the caller decides: see primal.Task.
func (o Ridge) Primal(space structure.Space) (*primal.Task, error) {
	t, err := o.PrimalRows(space)
	if err != nil {
		return nil, err
	}
	t.Coord, err = o.coordinates(space)
	return t, err
}

// PrimalRows returns what passes over rows need of the problem, which is found at once.
func (o Ridge) PrimalRows(space structure.Space) (*primal.Task, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Shift != 0 && o.Shift != 1 {
		return nil, fault.Value("shift is %g, must be 0 or 1 for training in the features: 1 stands for a constant one", o.Shift)
	}
	moments, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	t := &primal.Task{Mean: make([]float64, space.FeatureLen()), Structure: structure.Describe(space), Lambda: o.Alpha,
		Margin: o.Loss == AUC, Intercept: o.Shift == 1, Tol: o.Tol, MaxIter: o.MaxIter, Share: math.NaN(), Double: o.Precision == Double}
	moments.Mean(t.Mean)
	if counter, ok := space.(structure.Counter); ok {
		members, _ := new(big.Float).SetInt(counter.Count()).Float64() // +Inf beyond the range, whose share is nothing
		t.Share = 2 / members
	} else if log, err := structure.LogCount(space); err == nil {
		t.Share = 2 * math.Exp(-log)
	}
	return t, nil
}
