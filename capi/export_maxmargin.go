package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/maxmargin/affine"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// maxCandidates bounds how many outputs a step draws, so that a step ends soon.
const maxCandidates = 1 << 20

func checkCandidates(n int) error {
	if n < 0 || n > maxCandidates {
		return cabi.Illegal("n_candidates is %d, must be from 0 to %d", n, maxCandidates)
	}
	return nil
}

// problem returns the problem of rows to learn, in blocks of an order; ψ may be missing where the caller's own losses say all.
func (in *targetsIn) problem(design *designIn, order []int64, factor float64, optional bool) (*maxmargin.Problem, error) {
	x, err := design.design()
	if err != nil {
		return nil, err
	}
	if err := cabi.Equal("targets.n", int64(in.n), "the design", x.Len()); err != nil {
		return nil, err
	}
	if in.first != nil {
		return nil, cabi.Illegal("first must be NULL: each example has one output")
	}
	if err := checkCount(in.d, "targets.d"); err != nil {
		return nil, err
	}
	p := &maxmargin.Problem{X: x, Psi: in.psi}
	if in.c.psi == nil {
		if err := in.mustHavePsi(); err != nil && !optional {
			return nil, err
		}
		p.Psi = linalg.Matrix[float64]{Cols: in.d, Stride: max(in.d, 1)}
	}
	return p, p.SetBlocks(in.weights, order, factor)
}

// addTo adds the losses to a problem.
func (in *affineLossIn) addTo(p *maxmargin.Problem) error {
	if !in.given {
		return cabi.Illegal("loss is NULL")
	}
	if in.n != p.X.Len() || in.d != p.Psi.Cols {
		return cabi.Illegal("loss: n and d are %d and %d, targets have %d and %d", in.n, in.d, p.X.Len(), p.Psi.Cols)
	}
	p.Loss.Constant, p.Loss.Gradient, p.Loss.Magnitude = in.constant, in.gradient, in.magnitude
	return nil
}

// decodedBy says who decodes.
func decodedBy(p *maxmargin.Problem, space structure.Space, method string, candidates int, seed uint64) (err error) {
	p.Space, p.Candidates, p.Seed = space, candidates, seed
	p.Method, err = choice[decode.Method](catalogue.Decoders, method, "method")
	return err
}

// marginOracle asks the caller of a session for outputs, or planes.
type marginOracle struct {
	*session
	proven []uint8
}

func (o *marginOracle) Answer(r maxmargin.Request, _ *parallel.Monitor) error {
	to, ask := &o.request, C.int64_t(C.CP_ASK_BEST)
	to.n, to.stream = C.int64_t(len(r.Rows)), C.int64_t(r.Stream)
	to.rows, to.linear = (*C.cp_in_i64)(lend(o.session, r.Rows)), (*C.cp_in_f64)(lend(o.session, r.Linear.Data))
	to.magnitude = (*C.cp_in_f64)(lend(o.session, r.Magnitude.Data))
	to.psi = (*C.double)(lend(o.session, r.Psi.Data))
	if r.Planes {
		ask, to.losses = C.CP_ASK_PLANES, (*C.double)(lend(o.session, r.Offset))
	}
	var proven *uint8
	o.proven, proven = room(o.session, o.proven, len(r.Rows))
	to.proven = (*C.uint8_t)(proven)
	err := o.ask(ask)
	for k, v := range o.proven {
		r.Proven[k] = v != 0
	}
	return err
}

func (o *marginOracle) Work(f func() error) error { return o.onCaller(f) }

func doAffineLosses(a *affineLossesArgs) error {
	kind, err := choice[affine.Entries](catalogue.EntryKinds, a.entries, "entries")
	if err != nil {
		return err
	}
	which, err := choice[affine.Cost](catalogue.Costs, a.cost, "cost")
	if err != nil {
		return err
	}
	if a.magnitude.Data == nil && kind == affine.SignsAndZeros && a.n*a.d > 0 {
		return cabi.Illegal("magnitude is NULL")
	}
	var counts []bool
	for _, v := range a.counted {
		counts = append(counts, v != 0)
	}
	loss, err := affine.New(a.psi, kind, which, counts, a.parent)
	if err != nil {
		return err
	}
	copy(a.constant, loss.Constant)
	a.gradient.CopyFrom(loss.Gradient)
	a.magnitude.Zero()
	if loss.Magnitude.Rows > 0 {
		a.magnitude.CopyFrom(loss.Magnitude)
	}
	return nil
}

func doRowsOrder(a *rowsOrderArgs) error {
	x, err := a.design.design()
	if err != nil {
		return err
	}
	if err := cabi.Equal("targets.n", int64(a.targets.n), "the design", x.Len()); err != nil {
		return err
	}
	y, err := a.targets.targets()
	if err != nil {
		return err
	}
	for i := range x.Len() {
		if y.First != nil && (y.First[i] < 0 || y.First[i] > y.First[i+1] || y.First[i+1] > y.Psi.Rows) {
			return fault.At(i, fault.Value("the outputs are %d to %d of %d", y.First[i], y.First[i+1], y.Psi.Rows))
		}
	}
	return maxmargin.RowsOrder(a.order, x, y.Psi, y.First, a.workers, a.mon)
}
