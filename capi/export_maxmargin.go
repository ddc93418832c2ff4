package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// maxCandidates bounds how many outputs a step draws, so that a step ends soon.
const maxCandidates = 1 << 20

// marginProblem reads what a pass does not change.
func marginProblem(s *C.cp_in_structure, options C.cp_maxmargin_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss) (*maxmargin.Problem, error) {
	p := &maxmargin.Problem{Candidates: int(options.n_candidates), Seed: uint64(options.seed)}
	var err error
	if p.Space, err = space(s); err != nil {
		return p, err
	}
	if p.Rule, err = named[maxmargin.Rule](catalogue.Rules, options.rule, "rule"); err != nil {
		return p, err
	}
	if p.Method, err = named[decode.Method](catalogue.Decoders, options.method, "method"); err != nil {
		return p, err
	}
	if options.n_candidates < 0 || options.n_candidates > maxCandidates {
		return p, cabi.Illegal("n_candidates is %d, must be from 0 to %d", int64(options.n_candidates), maxCandidates)
	}
	if p.X, err = readDesign(design); err != nil {
		return p, err
	}
	r, err := cabi.Record(targets, "targets")
	if err != nil {
		return p, err
	}
	if err := cabi.Equal("targets: n", r.n, "the design", p.X.N); err != nil {
		return p, err
	}
	if err := equal("d", r.d, p.Space.FeatureLen()); err != nil {
		return p, err
	}
	if r.first != nil {
		return p, cabi.Illegal("first must be NULL: each example has one output")
	}
	y, err := readTargets(r)
	if err != nil {
		return p, err
	}
	p.Psi, p.Weights = y.Psi, y.Weights
	if p.Weights == nil {
		p.Weights = make([]float64, r.n)
		for i := range p.Weights {
			p.Weights[i] = 1
		}
	}
	return p, affineLoss(p, loss, r.n, r.d)
}

// affineLoss reads the losses of a problem, for the rule that has some.
func affineLoss(p *maxmargin.Problem, loss *C.cp_in_affine_loss, n, d C.int64_t) error {
	if p.Rule != maxmargin.FrankWolfe {
		if loss != nil {
			return cabi.Illegal("loss must be NULL for the perceptron")
		}
		return nil
	}
	r, err := cabi.Record(loss, "loss")
	if err != nil {
		return err
	}
	if r.n != n || r.d != d {
		return cabi.Illegal("loss: n and d are %d and %d, targets have %d and %d", int64(r.n), int64(r.d), int64(n), int64(d))
	}
	if p.Loss.Constant, err = float64s(r.constant, "constant", n); err != nil {
		return err
	}
	if p.Loss.Gradient, err = matrix(r.gradient, "gradient", n, d); err != nil {
		return err
	}
	if r.magnitude != nil {
		p.Loss.Magnitude, err = matrix(r.magnitude, "magnitude", n, d)
	}
	return err
}

// marginState reads what a pass changes.
func marginState(p *C.cp_in_maxmargin_state, problem *maxmargin.Problem, step C.int64_t) (*maxmargin.State, error) {
	s := &maxmargin.State{Step: int(step)}
	r, err := cabi.Record(p, "state")
	if err != nil {
		return s, err
	}
	n, d, q := problem.X.N, problem.Psi.Cols, problem.X.Len()
	if int(r.n) != n || int(r.d) != d || int(r.q) != q {
		return s, cabi.Illegal("state: n, d and q are %d, %d and %d, must be %d, %d and %d as in the design and targets", int64(r.n),
			int64(r.d), int64(r.q), n, d, q)
	}
	if s.V, err = matrix(r.v, "v", r.n, r.d); err != nil {
		return s, err
	}
	if s.Offset, err = float64s(r.offset, "offset", r.n); err != nil {
		return s, err
	}
	s.LateV = linalg.Matrix[float64]{Cols: d}
	if r.late_v != nil {
		if s.LateV, err = matrix(r.late_v, "late_v", r.n, r.d); err != nil {
			return s, err
		}
		if s.LateOffset, err = float64s(r.late_offset, "late_offset", r.n); err != nil {
			return s, err
		}
	}
	s.W, err = matrix(r.coef, "coef", r.q, r.d)
	return s, err
}

//export go_cp_maxmargin_pass
func go_cp_maxmargin_pass(s *C.cp_in_structure, options *C.cp_in_maxmargin_options, design *C.cp_in_design,
	targets *C.cp_in_targets, loss *C.cp_in_affine_loss, state *C.cp_in_maxmargin_state, report *C.cp_maxmargin_report,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		opt, e := cabi.Record(options, "options")
		if e != nil {
			return e
		}
		p, e := marginProblem(s, opt, design, targets, loss)
		if e != nil {
			return e
		}
		visits, e := int64s(opt.order, "order", opt.n_order)
		if e != nil {
			return e
		}
		changed, e := marginState(state, p, opt.step)
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(report, "report", false)
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		found, e := p.Pass(visits, changed, t.mon)
		if e != nil {
			return e
		}
		out.Set(C.cp_maxmargin_report{gap: C.double(found.Gap), radius: C.double(found.Radius),
			updates: C.int64_t(found.Updates), proven: C.int64_t(found.Proven)})
		return nil
	})
}
