package main

// #include "combpred.h"
import "C"

import (
	"cmp"

	"combpred/capi/cabi"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// ridge returns the options of a call in a space.
func (in *ridgeOptionsIn) ridge(sp structure.Space, workers int) (fit.Ridge, error) {
	out := fit.Ridge{Loss: fit.Loss(in.loss), Alpha: in.alpha, Tol: in.tol, MaxIter: in.maxIter, Shift: in.shift, Workers: workers,
		Solver: cmp.Or(fit.Solver(in.solver), fit.ClosedForm), Precision: cmp.Or(fit.Precision(in.precision), fit.Single)}
	if out.Loss == "" || out.Loss == "auto" {
		out.Loss, _ = fit.Suited(sp)
	}
	return out, out.Check()
}

// targets returns the outputs to learn.
func (in *targetsIn) targets() (fit.Targets, error) {
	if in.n < 1 || in.n > maxRows {
		return fit.Targets{}, cabi.Illegal("targets.n is %d, must be from 1 to %d", in.n, maxRows)
	}
	if err := in.mustHavePsi(); err != nil {
		return fit.Targets{}, err
	}
	return fit.Targets{Psi: in.psi, First: ints(in.first), Weights: in.weights}, checkCount(in.psi.Rows, "targets.first[n]")
}

// mustHavePsi returns an error where embeddings are not given.
func (in *targetsIn) mustHavePsi() error {
	if in.c.psi == nil && in.n > 0 && in.d > 0 {
		return cabi.Illegal("targets.psi is NULL")
	}
	return nil
}

// learning returns the options of a call in a space, and the outputs to learn.
func learning(sp structure.Space, options *ridgeOptionsIn, targets *targetsIn, workers int) (opt fit.Ridge, t fit.Targets, err error) {
	if opt, err = options.ridge(sp, workers); err == nil {
		t, err = targets.targets()
	}
	return opt, t, err
}

// set writes how training ended.
func (in *fitInfoIn) set(info solve.Info) {
	result := C.cp_fit_info{objective: C.double(info.Objective), residual: C.double(info.Residual),
		n_iter: C.int64_t(max(info.Iter, 1)), n_refine: C.int64_t(info.Refine)}
	precision := fit.Double
	if info.Single {
		precision = fit.Single
	}
	cabi.PutName(result.precision[:], string(precision))
	in.to.Set(result)
}

func doRidgePlan(a *ridgePlanArgs) error {
	opt, err := a.options.ridge(a.space, a.workers)
	if err != nil {
		return err
	}
	if a.n < 1 || a.n > maxRows || a.p < 0 || a.p > maxRows || a.nnz < 0 {
		return cabi.Illegal("n, p, nnz are %d, %d, %d: n must be from 1 to %d, p from 0 to %d, nnz not negative", a.n, a.p, a.nnz, maxRows,
			maxRows)
	}
	made := new(fit.Plan)
	if err := parallel.Detached(a.mon, func() (err error) {
		*made, err = opt.Plan(a.space, a.n, a.p, int64(a.nnz))
		return err
	}); err != nil {
		return err
	}
	result := C.cp_ridge_plan_info{distinct: C.int64_t(made.Distinct),
		work_single: C.int64_t(made.WorkSingle), work_double: C.int64_t(made.WorkDouble),
		work_loo_single: C.int64_t(made.WorkLOOSingle), work_loo_double: C.int64_t(made.WorkLOODouble),
		beside: C.int64_t(made.Beside), beside_loo: C.int64_t(made.BesideLOO)}
	cabi.PutName(result.solver[:], string(made.Solver))
	cabi.PutName(result.route[:], made.Route)
	cabi.PutName(result.route_loo[:], made.RouteLOO)
	cabi.PutName(result.precision[:], string(made.Precision))
	a.plan.to.Set(result)
	return nil
}

// maxRows bounds row and feature counts so that the bytes of a square matrix fit an int64.
const maxRows = 1 << 28

func doRidgeKernel(a *ridgeKernelArgs) error {
	opt, targets, err := learning(a.space, a.options, a.targets, a.workers)
	if err != nil {
		return err
	}
	need, err := opt.WorkBytes(a.space, a.targets.n, opt.Precision)
	if err != nil {
		return err
	}
	work32, work64, err := a.workspace.scratch(need, opt.Precision)
	if err != nil {
		return err
	}
	result, err := opt.Kernel(a.space, a.kernel, targets, work32, work64, a.dual, a.mon)
	a.info.set(result)
	return err
}

// scratch returns the caller's work memory as slices of either precision, after checking that it has the bytes needed.
func (in *workspaceIn) scratch(need int64, precision fit.Precision) ([]float32, []float64, error) {
	if int64(in.bytes) < need {
		return nil, nil, cabi.Illegal("workspace.bytes is %d, precision %q needs %d", in.bytes, precision, need)
	}
	if need == 0 {
		return nil, nil, nil
	}
	work64, err := cabi.View[float64](in.data, "workspace.data", int64(in.bytes)/8)
	if err != nil {
		return nil, nil, err
	}
	work32, err := cabi.View[float32](in.data, "workspace.data", int64(in.bytes)/4)
	return work32, work64, err
}

func doRidgeLoo(a *ridgeLooArgs) error {
	opt, targets, err := learning(a.space, a.options, a.targets, a.workers)
	if err != nil {
		return err
	}
	n, d := a.loo.n, a.loo.d
	if err := cabi.Equal("loo.n", int64(n), "targets", a.targets.n); err != nil {
		return err
	}
	if a.loo.nAlphas < 1 || a.loo.nAlphas > maxRows {
		return cabi.Illegal("n_alphas is %d, must be from 1 to %d", a.loo.nAlphas, maxRows)
	}
	if a.loo.p < 0 || a.loo.p > maxRows {
		return cabi.Illegal("loo.p is %d, must be from 0 to %d", a.loo.p, maxRows)
	}
	need, err := opt.LeaveOneOutBytes(a.space, n, a.loo.p, opt.Precision)
	if err != nil {
		return err
	}
	work32, work64, err := a.workspace.scratch(need, opt.Precision)
	if err != nil {
		return err
	}
	scores := make([]linalg.Matrix[float64], a.loo.nAlphas)
	for i := range scores {
		scores[i] = linalg.Matrix[float64]{Rows: n, Cols: d, Stride: d, Data: a.loo.scores[i*n*d : (i+1)*n*d]}
	}
	return opt.LeaveOneOut(a.space, a.kernel, a.loo.p > 0, targets, a.loo.alphas, work32, work64, scores, a.mon)
}
