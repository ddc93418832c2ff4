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
	defaultMarginIter = 2000 // inner iterations; the condition number bound makes some tens usual
	maxRefine         = 20   // refinements before giving up
	stallFactor       = 0.3  // a refinement that leaves more of the residual than this is not converging
)

// ClosedForm writes the coefficients C to dst: r from G r = √w, then C = (2λI + σK̃)⁻¹ diag(r) Z, each refined until the residual
// R(C), computed in double precision with op, is at most opt.Tol relative to R(0). An inverse in single precision is thus enough
// as long as it contracts; where it does not, the error is a *NumericalError.
func ClosedForm(p *Problem, op Operator, inv Inverse, dst matrix, opt Options) (Info, error) {
	m := len(p.Root)
	limit := opt.MaxIter
	if limit == 0 {
		limit = defaultMarginIter
	}
	res, kc := p.newBlock(), p.newBlock()
	var sys *marginSystem
	q, b := make([]float64, m), make([]float64, m)
	if p.Margin {
		var err error
		if sys, err = newMarginSystem(p, inv, kc); err != nil {
			return Info{}, err
		}
	}
	largest := p.largestRow()
	var info Info
	previous := math.Inf(1)
	for {
		if info.Refine == 0 {
			for i := range m {
				clear(dst.Row(i))
				clear(kc.Row(i))
			}
		} else if err := op.MulTo(kc, dst); err != nil {
			return info, err
		}
		var err error
		if info.Residual, err = p.residualTo(res, dst, kc); err != nil {
			return info, err
		}
		if err := checkFinite(info.Residual); err != nil {
			return info, err
		}
		p.Mon.Report(info.Residual)
		stalled := info.Residual > stallFactor*previous || info.Refine == maxRefine
		exhausted := sys != nil && sys.iter >= limit && info.Refine > 0
		if info.Residual <= opt.Tol || stalled || exhausted {
			break
		}
		previous = info.Residual
		// Solve for the correction E of R(C + E) = 0: with q = rowsum(Z ∘ K̃E), G q = rowsum(Z ∘ H R), E = (2λI + σK̃)⁻¹(R − diag(q) Z).
		if sys != nil {
			if err := inv.ApplyTo(kc, res); err != nil {
				return info, err
			}
			if err := p.rowDotsTo(b, kc); err != nil {
				return info, err
			}
			// A residual ρ of that system leaves R = diag(ρ)Z.
			target := max(opt.Tol/2, info.Residual*inv.Accuracy()) * p.total / largest
			if _, err := sys.solveTo(q, b, target, limit); err != nil {
				return info, err
			}
			if err := p.rows(func(i int) { axpy(res.Row(i), p.Z.Row(i), -q[i]) }); err != nil {
				return info, err
			}
		}
		if err := inv.SolveTo(res, res); err != nil {
			return info, err
		}
		if err := p.rows(func(i int) { axpy(dst.Row(i), res.Row(i), 1) }); err != nil {
			return info, err
		}
		info.Refine++
	}
	var err error
	if info.Objective, err = p.objective(dst, kc); err != nil {
		return info, err
	}
	info.Iter = info.Refine
	if sys != nil {
		info.Iter = sys.iter
	}
	if info.Residual > opt.Tol {
		if sys != nil && sys.iter >= limit {
			return info, &NotConvergedError{info.Residual, opt.Tol, info.Iter}
		}
		return info, &NumericalError{"refinement stalls above tol: the factors are not accurate enough"}
	}
	return info, checkFinite(info.Objective)
}
