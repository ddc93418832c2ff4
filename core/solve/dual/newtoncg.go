package dual

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// NewtonCG writes the coefficients C to dst by Newton's method on the objective as a function of C, the inner systems solved by
// conjugate gradient with Hessian products (Vembu 2010, section 5.2): the reference method. The objective is quadratic, so one Newton
// step with an exact inner solution would do; the inner solution is stopped early and the step repeated from the new gradient.
// Its residual is that of the gradient K̃R. Cost: two products with K̃ an inner step.
func NewtonCG(p *solve.Problem, op Operator, dst matrix, opt solve.Options) (solve.Info, error) {
	m := len(p.Root)
	limit := opt.MaxIter
	if limit == 0 {
		limit = 100 * max(m, 100)
	}
	dst.Zero()
	kc, res := p.NewBlock(), p.NewBlock()
	var info solve.Info
	var scale float64
	inner := &newtonStep{p, op, definiteness{op.Scale()}, p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock()}
	g := inner.gradient
	for outer := 0; ; outer++ {
		if outer > 0 {
			if err := op.MulTo(kc, dst); err != nil {
				return info, err
			}
		}
		if _, err := p.ResidualTo(res, dst, kc); err != nil {
			return info, err
		}
		if err := op.MulTo(g, res); err != nil { // the negative gradient
			return info, err
		}
		gg, err := p.Inner(g, g)
		if err != nil {
			return info, err
		}
		if err := solve.CheckFinite(gg); err != nil {
			return info, err
		}
		if outer == 0 {
			scale = math.Sqrt(gg)
		}
		if scale > 0 {
			info.Residual = math.Sqrt(gg) / scale
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Iter >= limit {
			break
		}
		before := info.Iter
		if err := inner.solve(gg, max(opt.Tol/info.Residual/10, 1e-6), limit, &info); err != nil { // to a tenth of what is missing
			return info, err
		}
		if info.Iter == before {
			break // the gradient is lost in rounding, or in underflow: no step can be taken
		}
		if err := p.EachRow(func(i int) { linalg.Axpy(dst.Row(i), inner.step.Row(i), 1) }); err != nil {
			return info, err
		}
	}
	var err error
	if info.Objective, err = p.Objective(dst, kc); err != nil {
		return info, err
	}
	if info.Residual > opt.Tol {
		return info, &solve.NotConvergedError{Residual: info.Residual, Tol: opt.Tol, Iter: info.Iter}
	}
	return info, solve.CheckFinite(info.Objective)
}

// newtonStep solves for a step of Newton's method by conjugate gradient.
type newtonStep struct {
	p        *solve.Problem
	op       Operator
	definite definiteness

	gradient        matrix // negative; what is left of it
	step, d, kd, hd matrix
}

// solve finds the step for which Hessian·step is the negative gradient, of squared norm gg, to within the share tol of it. It adds its
// iterations to info, up to limit.
func (s *newtonStep) solve(gg, tol float64, limit int, info *solve.Info) error {
	s.step.Zero()
	s.d.CopyFrom(s.gradient)
	rr := gg
	for math.Sqrt(rr) > tol*math.Sqrt(gg) && info.Iter < limit {
		if err := s.op.MulTo(s.kd, s.d); err != nil {
			return err
		}
		if err := s.definite.check(s.d, s.kd); err != nil {
			return err
		}
		if err := s.p.HessianTo(s.hd, s.d, s.kd); err != nil {
			return err
		}
		if err := s.op.MulTo(s.kd, s.hd); err != nil {
			return err
		}
		energy, err := s.p.Inner(s.d, s.kd)
		if err != nil {
			return err
		}
		if !(energy > 0) {
			return nil
		}
		a := rr / energy
		if err := s.p.EachRow(func(i int) {
			linalg.Axpy(s.step.Row(i), s.d.Row(i), a)
			linalg.Axpy(s.gradient.Row(i), s.kd.Row(i), -a)
		}); err != nil {
			return err
		}
		next, err := s.p.Inner(s.gradient, s.gradient)
		if err != nil {
			return err
		}
		if err := s.p.EachRow(func(i int) { extend(s.d.Row(i), s.gradient.Row(i), next/rr) }); err != nil {
			return err
		}
		rr = next
		info.Iter++
		s.p.Mon.Advance(1)
	}
	return nil
}
