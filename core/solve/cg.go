package solve

import "math"

// ConjugateGradient writes the coefficients C to dst by conjugate gradient on R(C) = 0 in the inner product of K̃, in which the
// equation's operator is self-adjoint. It needs no factor and no memory beyond six m×Len blocks; its number of steps grows with
// the condition of 2λI + σK̃. Cost: one product with K̃ a step.
//
// That inner product does not see the null space of K̃, where R is 2λC's alone: so each round of conjugate gradient ends with
// C += R/2λ, which clears those directions and leaves the scores as they are, and the next round starts from the true residual.
func ConjugateGradient(p *Problem, op Operator, dst matrix, opt Options) (Info, error) {
	m := len(p.Root)
	limit := opt.MaxIter
	if limit == 0 {
		limit = 10 * max(m, 100)
	}
	for i := range m {
		clear(dst.Row(i))
	}
	s := &cgState{p: p, op: op, c: dst, kc: p.newBlock(), r: p.newBlock(), kr: p.newBlock(), d: p.newBlock(), kd: p.newBlock(), ad: p.newBlock()}
	var info Info
	var err error
	target := opt.Tol
	previous := math.Inf(1)
	for {
		if info.Residual, err = p.residualTo(s.r, dst, s.kc); err != nil {
			return info, err
		}
		if err := checkFinite(info.Residual); err != nil {
			return info, err
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Iter >= limit || info.Residual > 0.9*previous {
			break
		}
		previous = info.Residual
		if err := s.round(target/info.Residual/2, limit, &info.Iter); err != nil {
			return info, err
		}
		target /= 10
		if err := p.rows(func(i int) { axpy(dst.Row(i), s.r.Row(i), 1/(2*p.Lambda)) }); err != nil {
			return info, err
		}
		if err := op.MulTo(s.kc, dst); err != nil {
			return info, err
		}
	}
	if info.Objective, err = p.objective(dst, s.kc); err != nil {
		return info, err
	}
	if info.Residual > opt.Tol {
		return info, &NotConvergedError{info.Residual, opt.Tol, info.Iter}
	}
	return info, checkFinite(info.Objective)
}

// cgState holds the blocks of conjugate gradient: coefficients, residual and direction, and their products with K̃.
type cgState struct {
	p                       *Problem
	op                      Operator
	c, kc, r, kr, d, kd, ad matrix
}

// round runs conjugate gradient from residual r until its K̃-norm has shrunk by the given factor.
func (s *cgState) round(shrink float64, limit int, iter *int) error {
	p := s.p
	var first, previous float64
	for step := 0; *iter < limit; step++ {
		if err := s.op.MulTo(s.kr, s.r); err != nil {
			return err
		}
		rho, err := p.inner(s.r, s.kr)
		if err != nil {
			return err
		}
		if step == 0 {
			first = rho
		}
		if !(rho > shrink*shrink*first) && step > 0 || !(rho > 0) {
			return nil
		}
		beta := 0.0
		if step > 0 {
			beta = rho / previous
		}
		previous = rho
		if err := p.rows(func(i int) {
			extend(s.d.Row(i), s.r.Row(i), beta)
			extend(s.kd.Row(i), s.kr.Row(i), beta)
		}); err != nil {
			return err
		}
		if err := p.hessianTo(s.ad, s.d, s.kd); err != nil {
			return err
		}
		energy, err := p.inner(s.kd, s.ad)
		if err != nil {
			return err
		}
		if err := checkFinite(energy); err != nil {
			return err
		}
		if !(energy > 0) {
			return nil // the direction lies in the null space of K̃, to rounding
		}
		a := rho / energy
		if err := p.rows(func(i int) {
			axpy(s.c.Row(i), s.d.Row(i), a)
			axpy(s.r.Row(i), s.ad.Row(i), -a)
		}); err != nil {
			return err
		}
		*iter++
		p.Mon.Advance(1)
	}
	return nil
}

// extend writes x + beta·d to d.
func extend(d, x []float64, beta float64) {
	for j, v := range x {
		d[j] = v + beta*d[j]
	}
}
