package dual

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// NewtonCG writes the coefficients C to dst by Newton's method on the objective as a function of C, the inner systems solved by
// conjugate gradient with Hessian products (Vembu 2010, ch. 5): the reference method. The objective is quadratic, so one Newton
// step with an exact inner solution would do; the inner solution is stopped early and the step repeated from the new gradient.
// Its residual is that of the gradient K̃R. Cost: two products with K̃ an inner step.
func NewtonCG(p *solve.Problem, op Operator, dst matrix, opt solve.Options) (solve.Info, error) {
	m := len(p.Root)
	limit := opt.MaxIter
	if limit == 0 {
		limit = 100 * max(m, 100)
	}
	dst.Zero()
	kc, res, g, step, d, kd, hd := p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock(), p.NewBlock()
	var info solve.Info
	var scale float64
	definite := definiteness{op.Scale()}
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
		// Inner conjugate gradient: Hessian·step = g, to a tenth of what is missing.
		inner := max(opt.Tol/info.Residual/10, 1e-6)
		step.Zero()
		d.CopyFrom(g)
		rr, before := gg, info.Iter
		for math.Sqrt(rr) > inner*math.Sqrt(gg) && info.Iter < limit {
			if err := op.MulTo(kd, d); err != nil {
				return info, err
			}
			if err := definite.check(d, kd); err != nil {
				return info, err
			}
			if err := p.HessianTo(hd, d, kd); err != nil {
				return info, err
			}
			if err := op.MulTo(kd, hd); err != nil {
				return info, err
			}
			energy, err := p.Inner(d, kd)
			if err != nil {
				return info, err
			}
			if !(energy > 0) {
				break
			}
			a := rr / energy
			if err := p.EachRow(func(i int) {
				linalg.Axpy(step.Row(i), d.Row(i), a)
				linalg.Axpy(g.Row(i), kd.Row(i), -a)
			}); err != nil {
				return info, err
			}
			next, err := p.Inner(g, g)
			if err != nil {
				return info, err
			}
			if err := p.EachRow(func(i int) { extend(d.Row(i), g.Row(i), next/rr) }); err != nil {
				return info, err
			}
			rr = next
			info.Iter++
			p.Mon.Advance(1)
		}
		if info.Iter == before {
			break // the gradient is lost in rounding, or in underflow: no step can be taken
		}
		if err := p.EachRow(func(i int) { linalg.Axpy(dst.Row(i), step.Row(i), 1) }); err != nil {
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
