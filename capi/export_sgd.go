package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
	"combpred/core/structure"
)

// maxSteps bounds the number of a step: beyond, steps are too small to change a float64.
const maxSteps = 1 << 52

// descending returns coefficients that steps change, and what else there is of them.
func descending(coef, average, velocity linalg.Matrix[float64], gains []float64) (fit.Descent, error) {
	if velocity.Data == nil {
		gains = nil
	} else if gains == nil {
		return fit.Descent{}, cabi.Illegal("gains is NULL, and velocity is not")
	}
	return fit.Descent{Coef: coef, Average: average, Velocity: velocity, Gains: gains}, nil
}

// growth is a descent in the coefficients of a support, ready to run on kernel values.
type growth struct {
	opt     fit.Ridge
	targets fit.Targets
	stream  fit.Stream
	passes  sgd.Passes
	support sgd.Support
	x       kernel.Rows // of the kernel, none where it has no rows
	first   int         // rows that are in the support alone
	mon     *parallel.Monitor
}

// growth takes in what both functions of it are given.
func (to *sgdSupportIn) growth(space structure.Space, options *ridgeOptionsIn, targets *targetsIn, passes *sgdPassesIn, workers int,
	mon *parallel.Monitor) (g *growth, err error) {
	g = &growth{mon: mon}
	in := to.kernel
	if in == nil {
		return nil, cabi.Illegal("support.kernel is NULL")
	}
	if g.opt, g.targets, err = learning(space, options, targets, workers); err != nil {
		return nil, err
	}
	if g.stream, g.passes, err = passes.passes(); err != nil {
		return nil, err
	}
	if g.support, err = to.support(); err != nil {
		return nil, err
	}
	if in.n < targets.n || in.n > maxRows {
		return nil, cabi.Illegal("kernel.n is %d, must be from the %d of targets to %d", in.n, targets.n, maxRows)
	}
	g.first = in.n - targets.n
	var design *solve.Design
	if in.x != nil {
		if g.x, err = in.x.rows("kernel.x"); err == nil {
			err = cabi.Equal("kernel.n", int64(in.n), "x", g.x.Len())
		}
		if err != nil {
			return nil, err
		}
		design = &solve.Design{Rows: g.x.Slice(g.first, in.n)}
	}
	return g, visit(&g.passes, g.targets, design, g.opt, mon)
}

// run takes the steps, and writes what they have made.
func (g *growth) run(space structure.Space, values sgd.Kernel, support *sgdSupportIn, report *sgdReportIn) error {
	done, curvature, err := g.opt.Grow(space, values, g.first, g.targets, g.stream, g.passes, &g.support, g.mon)
	if err == nil || fault.KindOf(err) == fault.KindCancelled {
		support.c.n = C.int64_t(g.support.Len)
		support.to.Set(support.c)
		report.set(done, curvature, len(g.passes.Order))
	}
	return err
}

func doSgdExpansion(a *sgdExpansionArgs) error {
	g, err := a.support.growth(a.space, a.options, a.targets, a.passes, a.workers, a.mon)
	if err != nil {
		return err
	}
	k := a.support.kernel
	if k.c.matrix != nil {
		return g.run(a.space, &fit.MatrixKernel{Values: k.matrix}, a.support, a.report)
	}
	if k.function == nil || k.x == nil {
		return cabi.Illegal("the kernel must have a matrix, or a function and x")
	}
	f, err := k.function.function(g.x.Features())
	if err != nil {
		return err
	}
	values, err := fit.NewRowKernel(f, g.x, g.first, g.passes.Most > 2 && g.support.Most == 0, g.opt.Workers, a.mon)
	if err != nil {
		return err
	}
	return g.run(a.space, values, a.support, a.report)
}

func doSgdExpansionStart(a *sgdExpansionStartArgs) error {
	g, err := a.support.growth(a.space, a.options, a.targets, a.passes, a.workers, a.mon)
	if err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		return g.run(a.space, valuesElsewhere{s}, a.support, a.report)
	})
}

// valuesElsewhere are kernel values that the caller of a session computes.
type valuesElsewhere struct{ *session }

func (v valuesElsewhere) ValuesTo(dst linalg.Matrix[float64], rows, columns []int64) error {
	if len(dst.Data) == 0 {
		return nil
	}
	r := &v.request
	r.n, r.rows, r.results = C.int64_t(len(rows)), (*C.cp_in_i64)(lend(v.session, rows)), (*C.double)(lend(v.session, dst.Data))
	r.n_columns, r.columns = C.int64_t(len(columns)), (*C.cp_in_i64)(lend(v.session, columns))
	return v.ask(C.CP_ASK_VALUES)
}

func (v valuesElsewhere) DiagonalTo(dst []float64, rows []int64) error {
	return v.ValuesTo(linalg.Matrix[float64]{Rows: len(rows), Cols: 1, Stride: 1, Data: dst}, rows, nil)
}

// support returns the function that steps change.
func (in *sgdSupportIn) support() (s sgd.Support, err error) {
	if in.capacity < 1 || in.capacity > maxRows {
		return s, cabi.Illegal("support: capacity is %d, must be from 1 to %d", in.capacity, maxRows)
	}
	if in.n < 0 || in.n > in.capacity {
		return s, cabi.Illegal("support: n is %d, must be from 0 to the capacity, which is %d", in.n, in.capacity)
	}
	if err := checkCount(in.most, "support.most"); err != nil {
		return s, err
	}
	held, err := descending(in.coef, in.average, in.velocity, in.gains)
	return sgd.Support{Rows: in.rows, Len: in.n, Coef: held.Coef, Average: held.Average, Velocity: held.Velocity, Gains: held.Gains,
		Most: in.most}, err
}

// set writes what steps have made.
func (in *sgdReportIn) set(done sgd.Outcome, curvature float64, visits int) {
	in.to.Set(C.cp_sgd_report{passes: C.int64_t(done.Passes), steps: C.int64_t(done.Steps), loss: C.double(done.Loss),
		weight: C.double(done.Weight), start: C.double(done.Start), curvature: C.double(curvature), visits: C.int64_t(visits),
		converged: asFlag(done.Converged)})
}

func doSgdFit(a *sgdFitArgs) error {
	opt, targets, err := learning(a.space, a.options, a.targets, a.workers)
	if err != nil {
		return err
	}
	x, err := a.design.design()
	if err != nil {
		return err
	}
	stream, how, err := a.passes.passes()
	if err != nil {
		return err
	}
	if err := fault.First(cabi.Equal("targets.n", int64(a.targets.n), "the design", x.Len()),
		cabi.Equal("state.rows", int64(a.state.rows), "the design, with the constant,", x.Columns())); err != nil {
		return err
	}
	if err := visit(&how, targets, x, opt, a.mon); err != nil {
		return err
	}
	state, err := descending(a.state.coef, a.state.average, a.state.velocity, a.state.gains)
	if err != nil {
		return err
	}
	done, curvature, err := opt.Train(a.space, x, targets, stream, how, state, a.mon)
	a.report.set(done, curvature, len(how.Order))
	return err
}

// visit makes the visits of a pass where the caller does not say which: of rows x, which may be nil.
func visit(passes *sgd.Passes, targets fit.Targets, x *solve.Design, opt fit.Ridge, mon *parallel.Monitor) (err error) {
	if passes.Order != nil {
		return nil
	}
	if !passes.Shuffle {
		x = nil
	}
	passes.Order, err = fit.VisitedRows(targets, x, opt.Workers, mon)
	return err
}

// passes returns how rows are gone through.
func (in *sgdPassesIn) passes() (fit.Stream, sgd.Passes, error) {
	var r refusals
	if in.seen < 0 || in.seen > maxSteps {
		r.add(cabi.Illegal("seen is %d, must be from 0 to %d", in.seen, int64(maxSteps)))
	}
	shuffle := r.flag(in.shuffle, "shuffle")
	if in.maxIter < 1 || in.maxIter > maxRows {
		r.add(cabi.Illegal("max_iter is %d, must be from 1 to %d", in.maxIter, maxRows))
	}
	return fit.Stream{Eta: in.eta0, Seen: in.seen, Curvature: in.curvature},
		sgd.Passes{Order: in.order, Shuffle: shuffle, Seed: in.seed, Most: in.maxIter, Tol: in.tol, Curve: in.curve}, r.err
}
