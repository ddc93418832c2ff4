package main

/*
#include "combpred.h"
*/
import "C"

import (
	"math"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/maxmargin"
	"combpred/core/parallel"
)

// svmCall is a training of a support vector machine.
type svmCall struct {
	p        *maxmargin.Problem
	opt      maxmargin.SVMOptions
	solution *svmSolutionIn
	info     *svmInfoIn
}

// call returns the training; own says that outputs are the caller's.
func (in *svmOptionsIn) call(design *designIn, targets *targetsIn, loss *affineLossIn, own bool, workers int) (*svmCall, error) {
	c := &svmCall{opt: maxmargin.SVMOptions{Tol: in.tol, MaxIter: in.maxIter, Seed: in.seed, BlockRows: in.mostRows, Workers: workers}}
	var err error
	if c.opt.Solver, err = choice[maxmargin.Solver](catalogue.MarginSolvers, in.solver, "solver"); err != nil {
		return nil, err
	}
	rescaling, err := choice[int](catalogue.Rescalings, in.rescaling, "rescaling")
	if err != nil {
		return nil, err
	}
	if !(in.c_ > 0) || math.IsInf(in.c_, 1) {
		return nil, cabi.Illegal("c is %g, must be finite and above 0", in.c_)
	}
	if c.opt.Average, err = flag(in.c.average, "average"); err != nil {
		return nil, err
	}
	zeroOne, err := flag(in.c.zero_one, "zero_one")
	if err != nil {
		return nil, err
	}
	if err := checkCandidates(in.nCandidates); err != nil {
		return nil, err
	}
	asked := own && !loss.given
	if in.nCandidates > 0 && (rescaling == 1 || zeroOne || asked) {
		return nil, cabi.Illegal("n_candidates is %d, must be 0 with slack rescaling and with losses that are not affine", in.nCandidates)
	}
	if own && zeroOne {
		return nil, fault.Capability("a loss of 0 and 1 needs a list of all outputs, and those of a caller are not listed: take " +
			"another loss, or a perceptron, which needs none")
	}
	if err := checkCount(in.mostRows, "most_rows"); err != nil {
		return nil, err
	}
	if c.p, err = targets.problem(design, in.order, in.c_, asked); err != nil {
		return nil, err
	}
	c.p.Slack, c.p.Asked, c.p.Loss.ZeroOne = rescaling == 1, asked, zeroOne
	switch {
	case zeroOne && loss.given:
		return nil, cabi.Illegal("loss must be NULL where zero_one is 1")
	case zeroOne || asked:
		return c, nil
	}
	return c, loss.addTo(c.p)
}

// into says where the solution goes.
func (c *svmCall) into(solution *svmSolutionIn, info *svmInfoIn) error {
	c.solution, c.info = solution, info
	if solution.q != c.p.X.Columns() || solution.d != c.p.Psi.Cols {
		return cabi.Illegal("solution: q and d are %d and %d, must be %d and %d", solution.q, solution.d, c.p.X.Columns(), c.p.Psi.Cols)
	}
	return nil
}

// train trains by an oracle and writes what has been found.
func (c *svmCall) train(oracle maxmargin.Oracle, mon *parallel.Monitor) error {
	found, looks, err := maxmargin.TrainSVM(c.p, c.opt, oracle, mon)
	if err != nil {
		return err
	}
	curve := c.solution.curve
	c.solution.coef.CopyFrom(found.Weights)
	curve.Zero()
	for k, l := range looks {
		if curve.Rows > 0 {
			copy(curve.Row(min(k, curve.Rows-1)), []float64{float64(l.Iter), l.Objective, l.Bound})
		}
	}
	c.info.to.Set(C.cp_svm_info{objective: C.double(found.Objective), gap: C.double(found.Gap), n_iter: C.int64_t(found.Iter),
		n_calls: C.int64_t(found.Calls), exact: asFlag(found.Exact), n_curve: C.int64_t(min(len(looks), curve.Rows))})
	return c.opt.Check(found)
}

func doSvmFit(a *svmFitArgs) error {
	c, err := a.options.call(a.design, a.targets, a.loss, false, a.workers)
	if err != nil {
		return err
	}
	if err := decodedBy(c.p, a.space, a.options.method, a.options.nCandidates, a.options.seed); err != nil {
		return err
	}
	if err := c.into(a.solution, a.info); err != nil {
		return err
	}
	if err := c.p.SetMembers(); err != nil {
		return err
	}
	return c.train(c.p.Decoder(a.workers), a.mon)
}

func doSvmStart(a *svmStartArgs) error {
	c, err := a.options.call(a.design, a.targets, a.loss, true, a.workers)
	if err != nil {
		return err
	}
	if err := c.into(a.solution, a.info); err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error { return c.train(&marginOracle{session: s}, a.mon) })
}
