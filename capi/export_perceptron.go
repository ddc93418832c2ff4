package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/fault"
	"combpred/core/maxmargin"
	"combpred/core/parallel"
)

// perceptronCall is a training of a perceptron.
type perceptronCall struct {
	p        *maxmargin.Problem
	opt      maxmargin.PerceptronOptions
	solution *perceptronSolutionIn
	info     *perceptronInfoIn
}

func (in *perceptronOptionsIn) call(design *designIn, targets *targetsIn, loss *affineLossIn, workers int) (*perceptronCall, error) {
	c := &perceptronCall{opt: maxmargin.PerceptronOptions{MaxIter: in.maxIter, Seed: in.seed, Sampled: in.nCandidates > 0,
		Squared: in.squared, Least: in.least, Visits: in.visits, Start: in.start, Workers: workers}}
	var err error
	if c.opt.Shuffle, err = flag(in.c.shuffle, "shuffle"); err != nil {
		return nil, err
	}
	if err := checkCandidates(in.nCandidates); err != nil {
		return nil, err
	}
	if c.p, err = targets.problem(design, in.order, 1, false); err != nil {
		return nil, err
	}
	if in.squared != 0 {
		return c, loss.addTo(c.p)
	}
	if loss.given {
		return nil, cabi.Illegal("loss must be NULL where squared is 0")
	}
	return c, nil
}

// into says where the weights go.
func (c *perceptronCall) into(solution *perceptronSolutionIn, info *perceptronInfoIn) error {
	c.solution, c.info = solution, info
	p, r := c.p, &solution.c
	if solution.n != p.X.Len() || solution.q != p.X.Columns() || solution.d != p.Psi.Cols {
		return cabi.Illegal("solution: n, q and d are %d, %d and %d, must be %d, %d and %d", solution.n, solution.q, solution.d,
			p.X.Len(), p.X.Columns(), p.Psi.Cols)
	}
	if (r.last == nil) != (r.late == nil) || (r.dual_last == nil) != (r.dual_late == nil) {
		return cabi.Illegal("solution: of last and late, and of dual_last and dual_late, one is NULL")
	}
	return nil
}

// train trains by an oracle, and adds what that has changed.
func (c *perceptronCall) train(oracle maxmargin.Oracle, mon *parallel.Monitor) error {
	found, err := maxmargin.TrainPerceptron(c.p, c.opt, oracle, mon)
	if err != nil {
		return err
	}
	to := c.solution
	if to.dualLast.Rows > 0 {
		found.AddCoefficients(to.dualLast, to.dualLate)
	}
	if to.last.Rows > 0 {
		if err := found.AddWeights(to.last, to.late); err != nil {
			return err
		}
	}
	c.info.to.Set(C.cp_perceptron_info{mistakes: C.int64_t(found.Mistakes), n_iter: C.int64_t(found.Iter),
		visits: C.int64_t(found.Visits), separated: asFlag(found.Separated), radius: C.double(found.Radius), bound: C.double(found.Bound)})
	return nil
}

func doPerceptronFit(a *perceptronFitArgs) error {
	c, err := a.options.call(a.design, a.targets, a.loss, a.workers)
	if err != nil {
		return err
	}
	if err := fault.First(decodedBy(c.p, a.space, a.options.method, a.options.nCandidates, a.options.seed),
		c.into(a.solution, a.info)); err != nil {
		return err
	}
	return c.train(c.p.Decoder(a.workers), a.mon)
}

func doPerceptronStart(a *perceptronStartArgs) error {
	c, err := a.options.call(a.design, a.targets, a.loss, a.workers)
	if err != nil {
		return err
	}
	if err := c.into(a.solution, a.info); err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error { return c.train(&marginOracle{session: s}, a.mon) })
}
