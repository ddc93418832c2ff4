package solve

import "math"

// Inverse is a Resolvent that also solves with 2λI + σK̃.
type Inverse interface {
	Resolvent
	// SolveTo writes (2λI + σK̃)⁻¹v to dst, which may be v.
	SolveTo(dst, v matrix) error
	// Accuracy returns the relative residual below which its rounding errors drown a solution.
	Accuracy() float64
}

const (
	maxRefine   = 20  // refinements before giving up
	stallFactor = 0.3 // a refinement that leaves more of the residual than this is not converging
)

// ClosedForm writes the coefficients C to dst: the margins q from G q = b, then C = (2λI + σK̃)⁻¹(diag(√w − q) Z), and refines them until
// the residual R(C), computed in double precision with op, is at most opt.Tol relative to R(0). So inverses in single precision
// are enough as long as they contract; where they do not, the error is a *NumericalError, or a *NotConvergedError where a more
// accurate inverse would not help. margins is nil for the squared loss, which has no such term.
func ClosedForm(p *Problem, op Operator, inv Inverse, margins MarginSolver, dst matrix, opt Options) (Info, error) {
	m := len(p.Root)
	res, kc := p.newBlock(), p.newBlock()
	q, b := make([]float64, m), make([]float64, m)
	largest := p.largestRow()
	for i := range m {
		clear(dst.Row(i))
	}
	var info Info
	exhausted := false
	previous := math.Inf(1)
	for {
		var err error
		if info.Residual, err = p.residualTo(res, dst, kc); err != nil {
			return info, err
		}
		if err := checkFinite(info.Residual); err != nil {
			return info, err
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Residual > stallFactor*previous || info.Refine == maxRefine || exhausted {
			break
		}
		previous = info.Residual
		// The correction E with R(C + E) = 0: for q = rowsum(Z ∘ K̃E), G q = rowsum(Z ∘ H R) and E = (2λI + σK̃)⁻¹(R − diag(q) Z).
		if margins != nil {
			if err := inv.ApplyTo(kc, res); err != nil {
				return info, err
			}
			if err := p.rowDotsTo(b, kc); err != nil {
				return info, err
			}
			// A residual ρ of that system leaves R = diag(ρ)Z.
			target := max(opt.Tol/2, info.Residual*inv.Accuracy()) * p.total / largest
			if err := margins.SolveTo(q, b, target); err != nil {
				return info, err
			}
			if err := p.rows(func(i int) { axpy(res.Row(i), p.Z.Row(i), -q[i]) }); err != nil {
				return info, err
			}
			info.Iter, exhausted = margins.Iterations()
		}
		if err := inv.SolveTo(res, res); err != nil {
			return info, err
		}
		if err := p.rows(func(i int) { axpy(dst.Row(i), res.Row(i), 1) }); err != nil {
			return info, err
		}
		info.Refine++
		if err := op.MulTo(kc, dst); err != nil {
			return info, err
		}
	}
	var err error
	if info.Objective, err = p.objective(dst, kc); err != nil {
		return info, err
	}
	if margins == nil {
		info.Iter = info.Refine
	}
	if info.Residual > opt.Tol {
		if !exhausted && inv.Accuracy() > opt.Tol {
			return info, &NumericalError{"refinement stalls above tol: the factors are not accurate enough"}
		}
		return info, &NotConvergedError{info.Residual, opt.Tol, info.Iter}
	}
	return info, checkFinite(info.Objective)
}
