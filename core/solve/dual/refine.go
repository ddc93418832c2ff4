package dual

import (
	"math"

	"combpred/core/fault"
	"combpred/core/solve"
)

// equation is a training problem as refinement sees it: coefficients, and the residual R of the stationarity equation at them.
type equation interface {
	// residual computes R and returns its norm, relative to that at zero coefficients.
	residual() (float64, error)
	// probe writes to b the right-hand side of the system of the margins, rowsum(Z ∘ H R).
	probe(b []float64) error
	// correct adds the solution E of R(C + E) = 0 to the coefficients, given the margins q = rowsum(Z ∘ K̃E), nil where the loss
	// has none. R is lost.
	correct(q []float64) error
	// objective returns the training objective.
	objective() (float64, error)
}

const (
	maxRefine   = 20  // refinements before giving up
	stallFactor = 0.3 // a refinement that leaves more of the residual than this is not converging
)

// refine improves the coefficients of eq, zero at first, until the relative residual is at most opt.Tol. Solutions of relative
// accuracy `accuracy` are enough as long as they contract; where they do not, the error is a numerical fault, or a
// *solve.NotConvergedError where more accurate ones would not help. margins is nil for the squared loss, which has no such term.
func refine(p *solve.Problem, eq equation, margins MarginSolver, accuracy float64, opt solve.Options) (solve.Info, error) {
	var q, b []float64
	if margins != nil {
		q, b = make([]float64, p.Z.Rows), make([]float64, p.Z.Rows)
	}
	largest := p.LargestRow()
	var info solve.Info
	exhausted := false
	previous := math.Inf(1)
	for {
		var err error
		if info.Residual, err = eq.residual(); err != nil {
			return info, err
		}
		if err := solve.CheckFinite(info.Residual); err != nil {
			return info, err
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Residual > stallFactor*previous || info.Refine == maxRefine || exhausted {
			break
		}
		previous = info.Residual
		if margins != nil {
			if err := eq.probe(b); err != nil {
				return info, err
			}
			// A residual ρ of that system leaves R = diag(ρ)Z.
			target := max(opt.Tol/2, info.Residual*accuracy) * p.InitialNorm / largest
			if err := margins.SolveTo(q, b, target); err != nil {
				return info, err
			}
			info.Iter, exhausted = margins.Iterations()
		}
		if err := eq.correct(q); err != nil {
			return info, err
		}
		info.Refine++
	}
	var err error
	if info.Objective, err = eq.objective(); err != nil {
		return info, err
	}
	if margins == nil {
		info.Iter = info.Refine
	}
	if info.Residual > opt.Tol {
		if !exhausted && accuracy > opt.Tol {
			return info, fault.Numerical("refinement stalls above tol: the factors are not accurate enough")
		}
		return info, &solve.NotConvergedError{Residual: info.Residual, Tol: opt.Tol, Iter: info.Iter}
	}
	return info, solve.CheckFinite(info.Objective)
}
