package main

// #include "combpred.h"
import "C"

import (
	"errors"

	"combpred/capi/cabi"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
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

func doSgdExpansion(a *sgdExpansionArgs) error {
	opt, targets, err := learning(a.space, a.options, a.targets, a.workers)
	if err != nil {
		return err
	}
	stream, how, err := a.passes.passes()
	if err != nil {
		return err
	}
	held, at, err := a.support.support()
	if err != nil {
		return err
	}
	k, err := a.kernel(opt, how.Most > 2 && held.Most == 0)
	if err != nil {
		return err
	}
	if err := visit(&how, targets, k.design, opt, a.mon); err != nil {
		return err
	}
	err = opt.Grow(a.space, k.values, k.first, targets, stream, how, &held, &at, a.mon)
	if err = k.ask(a.given_, err); err == nil || a.mon.Err() != nil {
		a.support.set(held, at, len(how.Order))
	}
	return err
}

// sgdKernel is a kernel as a call of descent takes it.
type sgdKernel struct {
	values sgd.Kernel
	first  int           // rows that are in the support alone
	design *solve.Design // the inputs of the others, nil where there are none
	asked  *fit.AskedKernel
}

func (a *sgdExpansionArgs) kernel(opt fit.Ridge, repeated bool) (k sgdKernel, err error) {
	in, n := a.given_, a.given_.n
	if n < a.targets.n || n > maxRows {
		return k, cabi.Illegal("given.n is %d, must be from the %d of targets to %d", n, a.targets.n, maxRows)
	}
	if in.nRows < 0 || in.nRows > n || in.nColumns < 0 || in.nColumns > n {
		return k, cabi.Illegal("given: n_rows and n_columns are %d and %d, must be from 0 to %d", in.nRows, in.nColumns, n)
	}
	k.first = n - a.targets.n
	var x kernel.Rows
	if in.x != nil {
		if x, err = in.x.rows("given.x"); err == nil {
			err = cabi.Equal("given.n", int64(n), "x", x.Len())
		}
		if err != nil {
			return k, err
		}
		k.design = &solve.Design{Rows: x.Slice(k.first, n)}
	}
	switch {
	case in.c.matrix != nil:
		k.values = &fit.MatrixKernel{Values: in.matrix}
	case in.function != nil:
		if in.x == nil {
			return k, cabi.Illegal("given: function needs x, which is NULL")
		}
		f, err := in.function.function(x.Features())
		if err != nil {
			return k, err
		}
		k.values, err = fit.NewRowKernel(f, x, k.first, repeated, opt.Workers, a.mon)
		return k, err
	case in.rows == nil || in.columns == nil:
		return k, cabi.Illegal("given: rows and columns must be there without function and matrix")
	default:
		k.asked = &fit.AskedKernel{Answer: in.values.Data}
		k.values = k.asked
	}
	return k, nil
}

// ask writes down what a call that ended with an error asks for: then it is none.
func (k sgdKernel) ask(in *sgdKernelIn, err error) error {
	if k.asked == nil {
		return err
	}
	in.c.n_rows, in.c.n_columns = 0, 0
	if errors.Is(err, sgd.ErrAsked) {
		in.c.n_rows, in.c.n_columns = C.int64_t(copy(in.rows, k.asked.Rows)), C.int64_t(copy(in.columns, k.asked.Columns))
		err = nil
	}
	in.to.Set(in.c)
	return err
}

// support returns the function that steps change, and where they stand.
func (in *sgdSupportIn) support() (s sgd.Support, at sgd.Progress, err error) {
	if in.capacity < 1 || in.capacity > maxRows {
		return s, at, cabi.Illegal("support: capacity is %d, must be from 1 to %d", in.capacity, maxRows)
	}
	for _, field := range []struct {
		name        string
		value, most int
	}{{"n", in.n, in.capacity}, {"most", in.most, maxRows}, {"passes", in.passes, maxRows}, {"steps", in.steps, maxSteps},
		{"stage", in.stage, 3}, {"at", in.at, maxSteps}, {"quiet", in.quiet, maxRows}, {"visits", in.visits, maxSteps},
		{"converged", in.converged, 1}} {
		if field.value < 0 || field.value > field.most {
			return s, at, cabi.Illegal("support.%s is %d, must be from 0 to %d", field.name, field.value, field.most)
		}
	}
	held, err := descending(in.coef, in.average, in.velocity, in.gains)
	s = sgd.Support{Rows: in.rows, Len: in.n, Coef: held.Coef, Average: held.Average, Velocity: held.Velocity, Gains: held.Gains,
		Most: in.most}
	at = sgd.Progress{Stage: in.stage, At: in.at, Quiet: in.quiet, Value: in.value, Curvature: in.curvature,
		Outcome: sgd.Outcome{Passes: in.passes, Steps: in.steps, Loss: in.loss, Weight: in.weight, Start: in.start,
			Converged: in.converged != 0}}
	return s, at, err
}

// set writes where steps stand.
func (in *sgdSupportIn) set(s sgd.Support, at sgd.Progress, visits int) {
	r := in.c
	r.n, r.visits = C.int64_t(s.Len), C.int64_t(visits)
	r.passes, r.steps, r.converged = C.int64_t(at.Passes), C.int64_t(at.Steps), asFlag(at.Converged)
	r.loss, r.weight, r.start, r.curvature = C.double(at.Loss), C.double(at.Weight), C.double(at.Start), C.double(at.Curvature)
	r.stage, r.at, r.quiet, r.value = C.int64_t(at.Stage), C.int64_t(at.At), C.int64_t(at.Quiet), C.double(at.Value)
	in.to.Set(r)
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
	a.report.to.Set(C.cp_sgd_report{passes: C.int64_t(done.Passes), steps: C.int64_t(done.Steps), loss: C.double(done.Loss),
		weight: C.double(done.Weight), start: C.double(done.Start), curvature: C.double(curvature), visits: C.int64_t(len(how.Order)),
		converged: asFlag(done.Converged)})
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
