package train

import (
	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/loglinear/train/newton"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// errAsksNothing is what Open says of a solver that is no machine.
var errAsksNothing = fault.Value("solver='newton' knows the distributions, and asks for none: take solver='lbfgs' to answer requests")

// runNewton is Run for the solver that is no machine.
func runNewton(o Options, space structure.Space, p *loglinear.Problem, model *Model, mon *parallel.Monitor) (Report, error) {
	if err := fault.First(o.check(), model.check(o, space)); err != nil {
		return Report{}, err
	}
	found, err := newton.Minimise(o.Search(space), p, space, start(model.Weights), mon)
	if err != nil {
		return Report{}, err
	}
	model.Weights.CopyFrom(found.Weights)
	model.Average.CopyFrom(found.Weights)
	return SearchReport(found, o.Tol), nil
}
