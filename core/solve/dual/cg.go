// Package dual solves for the coefficients of examples, one row each: in closed form, by conjugate gradient or by Newton's method.
package dual

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// roundLimit is how far one round of conjugate gradient is driven: its recurrences drift from the true residual beyond.
const roundLimit = 1e-6

// Preconditioner approximates the inverse of 2λI + σK̃ by a function of K̃.
type Preconditioner interface {
	// SolveTo writes its product with v to dst.
	SolveTo(dst, v matrix) error
}

// ConjugateGradient writes the coefficients C to dst by conjugate gradient on R(C) = 0 in the inner product of K̃, in which the
// equation's operator is self-adjoint. Without a preconditioner (nil) it needs no memory beyond a few m×Len blocks, and its number of
// steps grows with the condition of 2λI + σK̃; with one it does not. Cost: one product with K̃ and one with pre a step.
//
// That inner product does not see the null space of K̃, where R is 2λC's alone: so each round of conjugate gradient ends with a step
// that clears those directions (see sweep), and the next round starts from the true residual.
func ConjugateGradient(p *solve.Problem, op Operator, pre Preconditioner, dst matrix, opt solve.Options) (solve.Info, error) {
	m := len(p.Root)
	limit := opt.MaxIter
	if limit == 0 {
		limit = 10 * max(m, 100)
	}
	dst.Zero()
	s := &cgState{p: p, op: op, pre: pre, c: dst, kc: p.NewBlock(), r: p.NewBlock(), z: p.NewBlock(), kz: p.NewBlock(),
		d: p.NewBlock(), kd: p.NewBlock(), ad: p.NewBlock(), definite: definiteness{op.Scale()}}
	if pre == nil {
		s.z = s.r
	}
	var info solve.Info
	var err error
	target := opt.Tol
	previous := math.Inf(1)
	for {
		if info.Residual, err = p.ResidualTo(s.r, dst, s.kc); err != nil {
			return info, err
		}
		if err := solve.CheckFinite(info.Residual); err != nil {
			return info, err
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Iter >= limit || info.Residual > 0.9*previous {
			break
		}
		previous = info.Residual
		if err := s.round(max(target/info.Residual/2, roundLimit), limit, &info.Iter); err != nil {
			return info, err
		}
		target /= 10
		if err := s.sweep(); err != nil {
			return info, err
		}
	}
	if info.Objective, err = p.Objective(dst, s.kc); err != nil {
		return info, err
	}
	if info.Residual > opt.Tol {
		return info, &solve.NotConvergedError{Residual: info.Residual, Tol: opt.Tol, Iter: info.Iter}
	}
	return info, solve.CheckFinite(info.Objective)
}

// cgState holds the blocks of conjugate gradient: coefficients, residual, preconditioned residual and direction, and their
// products with K̃.
type cgState struct {
	p                          *solve.Problem
	op                         Operator
	pre                        Preconditioner
	c, kc, r, z, kz, d, kd, ad matrix
	definite                   definiteness
}

// round runs conjugate gradient from residual r until its norm, in the products of K̃ and the preconditioner, has shrunk by the
// given factor.
func (s *cgState) round(shrink float64, limit int, iter *int) error {
	p := s.p
	var first, previous float64
	for step := 0; *iter < limit; step++ {
		if s.pre != nil {
			if err := s.pre.SolveTo(s.z, s.r); err != nil {
				return err
			}
		}
		if err := s.op.MulTo(s.kz, s.z); err != nil {
			return err
		}
		if err := s.definite.check(s.z, s.kz); err != nil {
			return err
		}
		rho, err := p.Inner(s.r, s.kz)
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
		if err := p.EachRow(func(i int) {
			extend(s.d.Row(i), s.z.Row(i), beta)
			extend(s.kd.Row(i), s.kz.Row(i), beta)
		}); err != nil {
			return err
		}
		if err := p.HessianTo(s.ad, s.d, s.kd); err != nil {
			return err
		}
		energy, err := p.Inner(s.kd, s.ad)
		if err != nil {
			return err
		}
		if !(energy > 0) {
			return nil // the direction lies in the null space of K̃, to rounding
		}
		a := rho / energy
		if err := p.EachRow(func(i int) {
			linalg.Axpy(s.c.Row(i), s.d.Row(i), a)
			linalg.Axpy(s.r.Row(i), s.ad.Row(i), -a)
		}); err != nil {
			return err
		}
		*iter++
		p.Mon.Advance(1)
	}
	return nil
}

// sweep takes the step C += P⁻¹R of the preconditioner P (2λI without one), which is exact in the null space of K̃ and leaves the scores
// there as they are. Elsewhere it may overshoot where R is not yet small: the step is taken back unless it lowers the residual.
func (s *cgState) sweep() error {
	p := s.p
	if err := s.op.MulTo(s.kc, s.c); err != nil {
		return err
	}
	before, err := p.ResidualTo(s.r, s.c, s.kc)
	if err != nil {
		return err
	}
	if s.pre != nil {
		err = s.pre.SolveTo(s.d, s.r)
	} else {
		err = p.EachRow(func(i int) { linalg.ScaleTo(s.d.Row(i), 1/(2*p.Lambda), s.r.Row(i)) })
	}
	if err != nil {
		return err
	}
	if err := p.EachRow(func(i int) { linalg.Axpy(s.c.Row(i), s.d.Row(i), 1) }); err != nil {
		return err
	}
	if err := s.op.MulTo(s.kd, s.c); err != nil {
		return err
	}
	after, err := p.ResidualTo(s.ad, s.c, s.kd)
	if err != nil {
		return err
	}
	if after < before {
		s.kc, s.kd = s.kd, s.kc
		return nil
	}
	return p.EachRow(func(i int) { linalg.Axpy(s.c.Row(i), s.d.Row(i), -1) })
}

// extend writes x + beta·d to d.
func extend(d, x []float64, beta float64) {
	for j, v := range x {
		d[j] = v + beta*d[j]
	}
}
