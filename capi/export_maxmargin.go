package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/core/decode"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// maxCandidates bounds how many outputs a step draws, so that a step ends soon.
const maxCandidates = 1 << 20

// marginProblem reads what a pass does not change.
func marginProblem(s *C.cp_in_structure, rule, method C.int32_t, candidates C.int64_t, seed C.uint64_t,
	design *C.cp_in_design, psi *C.cp_in_f64, d C.int64_t, constant, gradient, magnitude *C.cp_in_f64,
	weights *C.cp_in_f64) (*maxmargin.Problem, error) {
	p := &maxmargin.Problem{Rule: maxmargin.Rule(rule), Candidates: int(candidates), Seed: uint64(seed)}
	var err error
	if p.Space, err = space(s); err != nil {
		return p, err
	}
	if p.Method, err = methodOf(method, decode.Metropolis, "CP_DECODE_"); err != nil {
		return p, err
	}
	if candidates < 0 || candidates > maxCandidates {
		return p, illegal("n_candidates is %d, must be from 0 to %d", int64(candidates), maxCandidates)
	}
	if design == nil {
		return p, illegal("design is NULL")
	}
	n := design.n
	if n < 1 || n > maxRows {
		return p, illegal("n is %d, must be from 1 to %d", int64(n), maxRows)
	}
	if err := equal("d", d, p.Space.FeatureLen()); err != nil {
		return p, err
	}
	if p.X, err = readDesign(design); err != nil {
		return p, err
	}
	if p.Psi, err = matrixIn(psi, "psi", n, d); err != nil {
		return p, err
	}
	if p.Rule == maxmargin.FrankWolfe {
		if p.Loss.Constant, err = float64s(constant, "constant", n); err != nil {
			return p, err
		}
		if p.Loss.Gradient, err = matrixIn(gradient, "gradient", n, d); err != nil {
			return p, err
		}
		if magnitude != nil {
			if p.Loss.Magnitude, err = matrixIn(magnitude, "magnitude", n, d); err != nil {
				return p, err
			}
		}
	}
	p.Weights, err = float64s(weights, "weights", n)
	return p, err
}

// marginState reads what a pass changes.
func marginState(v, offset, lateV, lateOffset, coef *C.double, n, d, q, step C.int64_t) (*maxmargin.State, error) {
	s := &maxmargin.State{Step: int(step)}
	var err error
	if s.V, err = matrixOut(v, "v", n, d); err != nil {
		return s, err
	}
	if s.Offset, err = outFloat64s(offset, "offset", n); err != nil {
		return s, err
	}
	s.LateV = linalg.Matrix[float64]{Cols: int(d)}
	if lateV != nil {
		if s.LateV, err = matrixOut(lateV, "late_v", n, d); err != nil {
			return s, err
		}
		if s.LateOffset, err = outFloat64s(lateOffset, "late_offset", n); err != nil {
			return s, err
		}
	}
	s.W, err = matrixOut(coef, "coef", q, d)
	return s, err
}

//export go_cp_maxmargin_pass
func go_cp_maxmargin_pass(s *C.cp_in_structure, rule, method C.int32_t, candidates C.int64_t, seed C.uint64_t,
	design *C.cp_in_design, psi *C.cp_in_f64, d C.int64_t, constant, gradient, magnitude, weights *C.cp_in_f64,
	order *C.cp_in_i64, nOrder, step C.int64_t, v, offset, lateV, lateOffset, coef *C.double, q C.int64_t,
	report *C.cp_margin_report, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		p, e := marginProblem(s, rule, method, candidates, seed, design, psi, d, constant, gradient, magnitude, weights)
		if e != nil {
			return e
		}
		if int64(q) != int64(p.X.Len()) {
			return illegal("q is %d, the design has %d features with the constant", int64(q), p.X.Len())
		}
		visits, e := int64s(order, "order", nOrder)
		if e != nil {
			return e
		}
		state, e := marginState(v, offset, lateV, lateOffset, coef, design.n, d, q, step)
		if e != nil {
			return e
		}
		out, e := one(report, "report")
		if e != nil {
			return e
		}
		if _, e = workers(nWorkers); e != nil {
			return e
		}
		found, e := p.Pass(visits, state, monitor(control))
		if e != nil {
			return e
		}
		*out = C.cp_margin_report{gap: C.double(found.Gap), radius: C.double(found.Radius), updates: C.int64_t(found.Updates),
			proven: C.int64_t(found.Proven)}
		return nil
	})
}
