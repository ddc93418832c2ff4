package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// The distributions that are no method of chains.
var exact, drawn = distribution("exact"), distribution("draws")

func distribution(name string) int {
	number, err := catalogue.Distributions.Number("distribution", name)
	if err != nil {
		panic(err)
	}
	return number
}

// loglinearCall is what calls of log-linear training have in common.
type loglinearCall struct {
	space        structure.Space
	opt          train.Options
	distribution int
	constant     int // features after those of cp_loglinear_sums: 1, or none
	problem      *loglinear.Problem
	execution
}

// newLoglinearCall reads structure and options; q is set later.
func newLoglinearCall(s C.cp_space, options *C.cp_in_loglinear_options) (c loglinearCall, err error) {
	if c.space, err = space(s); err != nil {
		return c, err
	}
	r, err := cabi.Record(options, "options")
	if err != nil {
		return c, err
	}
	c.opt = train.Options{Alpha: float64(r.alpha), Tol: float64(r.tol), MaxIter: int(r.max_iter), Seed: uint64(r.seed)}
	if c.opt.Solver, err = named[train.Solver](catalogue.LoglinearSolvers, r.solver, "solver"); err != nil {
		return c, err
	}
	if c.distribution, err = named[int](catalogue.Distributions, r.distribution, "distribution"); err != nil {
		return c, err
	}
	if c.opt.Diagonal, err = flag(r.kernel, "kernel"); err != nil {
		return c, err
	}
	if c.opt.Sampled, err = flag(r.sampled, "sampled"); err != nil {
		return c, err
	}
	intercept, err := flag(r.intercept, "intercept")
	if intercept {
		c.constant = 1
	}
	return c, err
}

// withQ sets the number of features.
func (c *loglinearCall) withQ(q C.int64_t) error {
	if q < 1 || q > maxRows {
		return cabi.Illegal("q is %d, must be from 1 to %d", int64(q), maxRows)
	}
	c.opt.Features = int(q)
	return nil
}

// newRowsCall reads rows as well.
func newRowsCall(s C.cp_space, options *C.cp_in_loglinear_options, design *C.cp_in_design, targets *C.cp_in_targets,
	workers C.int32_t, control *C.cp_control) (c loglinearCall, err error) {
	if c, err = newLoglinearCall(s, options); err != nil {
		return c, err
	}
	if c.execution, err = readExecution(workers, control); err != nil {
		return c, err
	}
	x, err := readDesign(design)
	if err != nil {
		return c, err
	}
	if err := c.withQ(C.int64_t(x.Columns())); err != nil {
		return c, err
	}
	r, err := cabi.Record(targets, "targets")
	if err != nil {
		return c, err
	}
	if err := equal("targets.d", r.d, c.space.FeatureLen()); err != nil {
		return c, err
	}
	t, err := readTargets(r)
	if err != nil {
		return c, err
	}
	if err := cabi.Equal("targets.n", r.n, "the design", x.Len()); err != nil {
		return c, err
	}
	mean, err := loglinear.MeanOf(c.space)
	if err != nil {
		return c, err
	}
	c.problem = &loglinear.Problem{X: x, Psi: t.Psi, Weights: t.Weights, Mean: mean, Workers: c.workers}
	if t.First != nil {
		if c.problem.Psi, c.problem.Weights, err = means(t); err != nil {
			return c, err
		}
	}
	return c, c.problem.Prepare()
}

// means returns the mean outputs of sets, and their weights.
func means(t fit.Targets) (linalg.Matrix[float64], []float64, error) {
	for i := range t.First[1:] {
		if t.First[i] < 0 || t.First[i+1] <= t.First[i] {
			return linalg.Matrix[float64]{}, nil, cabi.Illegal("first[%d] is %d, first[%d] is %d: a set must have outputs", i, t.First[i],
				i+1, t.First[i+1])
		}
	}
	psi, weights := loglinear.MeanOutputs(t.Psi, t.First, t.Weights)
	return psi, weights, nil
}

// engine returns what answers requests about distributions.
func (c loglinearCall) engine() (loglinear.Engine, *expect.Sampled, error) {
	if c.distribution == exact {
		return expect.Exact{Space: c.space, Workers: c.workers}, nil, nil
	}
	method := chain.Method(0)
	if c.distribution != drawn {
		method = chain.Method(c.distribution)
	}
	e, err := expect.NewSampled(c.space, c.problem.Len(), method, c.distribution == drawn, c.opt.Seed, c.workers)
	return e, e, err
}

// loglinearModel reads what training begins from, and returns what writes what it has ended with.
func loglinearModel(p *C.cp_loglinear_model, c loglinearCall) (*train.Model, []int32, func(), error) {
	r, err := cabi.Record(p, "model")
	if err != nil {
		return nil, nil, nil, err
	}
	if err := cabi.Equal("model.q", r.q, "the design, with the constant,", c.opt.Features); err != nil {
		return nil, nil, nil, err
	}
	if err := equal("model.d", r.d, c.space.FeatureLen()); err != nil {
		return nil, nil, nil, err
	}
	if r.steps < 0 || r.steps > maxSteps || r.rows < 0 || r.rows > maxSteps {
		return nil, nil, nil, cabi.Illegal("model: steps and rows are %d and %d, must be from 0 to %d", int64(r.steps), int64(r.rows),
			int64(maxSteps))
	}
	m := &train.Model{Variance: float64(r.variance), Steps: int(r.steps), Rows: int(r.rows), Seen: float64(r.seen)}
	if m.Weights, err = matrix(r.weights, "model.weights", r.q, r.d); err != nil {
		return nil, nil, nil, err
	}
	if m.Average, err = matrix(r.average, "model.average", r.q, r.d); err != nil {
		return nil, nil, nil, err
	}
	if m.Moment, err = float64s(r.moment, "model.moment", r.n_moment); err != nil {
		return nil, nil, nil, err
	}
	if m.Known, err = flag(r.has_moment, "model.has_moment"); err != nil {
		return nil, nil, nil, err
	}
	var chains []int32
	if c.problem != nil {
		chains, err = cabi.Optional[int32](unsafe.Pointer(r.chains), "model.chains", C.int64_t(c.problem.Len()), 2,
			C.int64_t(c.space.PartLen()))
	}
	return m, chains, func() {
		p.has_moment = 0
		if m.Known {
			p.has_moment = 1
		}
		p.variance, p.steps, p.rows, p.seen = C.double(m.Variance), C.int64_t(m.Steps), C.int64_t(m.Rows), C.double(m.Seen)
	}, err
}

// loglinearInfo returns what writes how training went.
func loglinearInfo(p *C.cp_loglinear_info) (func(train.Report), error) {
	out, err := cabi.OutRecord(p, "info", true)
	return func(r train.Report) {
		out.Set(C.cp_loglinear_info{objective: C.double(r.Objective), residual: C.double(r.Residual), n_iter: C.int64_t(r.Iterations),
			left: C.double(r.Left), left_error: C.double(r.Error), limit: C.double(r.Limit), gain: C.double(r.Gain)})
	}, err
}

//export go_cp_loglinear_fit
func go_cp_loglinear_fit(s C.cp_space, options *C.cp_in_loglinear_options, design *C.cp_in_design, targets *C.cp_in_targets,
	model *C.cp_loglinear_model, info *C.cp_loglinear_info, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRowsCall(s, options, design, targets, workers, control)
		if e != nil {
			return e
		}
		m, chains, keep, e := loglinearModel(model, c)
		if e != nil {
			return e
		}
		set, e := loglinearInfo(info)
		if e != nil {
			return e
		}
		if e := c.problem.Check(); e != nil {
			return e
		}
		c.opt.Sampled = c.distribution != exact
		engine, sampled, e := c.engine()
		if e != nil {
			return e
		}
		report, e := train.Run(c.opt, c.space, c.problem, engine, m, c.mon)
		if e != nil {
			return e
		}
		keep()
		set(report)
		if sampled != nil && len(chains) > 0 {
			copy(chains, sampled.States())
		}
		return report.Err(c.opt)
	})
}

//export go_cp_loglinear_sums
func go_cp_loglinear_sums(s C.cp_space, options *C.cp_in_loglinear_options, features *C.cp_in_features,
	outputs *C.cp_in_outputs, kind *C.cp_in_char, weights *C.cp_in_f64, sums *C.double, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newLoglinearCall(s, options)
		if e != nil {
			return e
		}
		if c.execution, e = readExecution(workers, control); e != nil {
			return e
		}
		rows, e := readRows(c.space, features, outputs)
		if e != nil {
			return e
		}
		mean, e := loglinear.MeanOf(c.space)
		if e != nil {
			return e
		}
		if e := rows.Check(&primal.Task{Mean: mean}); e != nil {
			return e
		}
		n, p := rows.X.Size()
		if e := c.withQ(C.int64_t(p + c.constant)); e != nil {
			return e
		}
		which, e := named[loglinear.Kind](catalogue.LoglinearSums, kind, "kind")
		if e != nil {
			return e
		}
		search := c.opt.Search(c.space)
		data, e := float64s(sums, "sums", C.int64_t(search.SumsLen(which)))
		if e != nil {
			return e
		}
		var w linalg.Matrix[float64]
		if which != loglinear.Moments {
			if w, e = matrix(weights, "weights", C.int64_t(search.Features), C.int64_t(search.Outputs)); e != nil {
				return e
			}
		}
		if c.distribution != exact {
			return cabi.Illegal("distribution must be \"exact\" for sums")
		}
		if _, e := c.opt.StateLen(c.space, n); e != nil {
			return e
		}
		if e := search.Check(); e != nil {
			return e
		}
		engine := expect.Exact{Space: c.space, Workers: c.workers}
		return rows.EachWide(c.mon, func(lo int, some primal.Wide) error {
			x := &solve.Design{Rows: some.X, Intercept: c.constant == 1}
			part := &loglinear.Problem{X: x, Psi: some.Psi, Weights: some.Weights, Mean: mean, Workers: c.workers}
			if some.First != nil {
				part.Psi, part.Weights = loglinear.MeanOutputs(some.Psi, some.First, some.Weights)
			}
			if e := part.Prepare(); e != nil {
				return e
			}
			e := loglinear.AddSums(search.Sizes, part, which, w, data, engine, c.mon)
			return fault.Renumbered(e, func(row int) int { return lo + row })
		})
	})
}
