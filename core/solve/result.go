package solve

import (
	"fmt"
	"math"

	"combpred/core/fault"
)

// Options steer the iterative parts of the solvers.
type Options struct {
	Tol     float64 // relative residual to reach
	MaxIter int     // limit of inner iterations, 0 for the solver's own
}

// Info says how a solver ended.
type Info struct {
	Objective float64
	Residual  float64 // relative
	Iter      int     // inner iterations: of conjugate gradient, or solutions with a factor of G
	Refine    int     // refinements in double precision
	Single    bool    // the factors of the kernel matrix are in single precision
}

// NotConvergedError reports that the iteration limit came before the tolerance. The result is valid as far as it goes.
type NotConvergedError struct {
	Residual, Tol float64
	Iter          int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("relative residual %.3g after %d iterations, tol is %.3g; raise max_iter, tol or alpha", e.Residual,
		e.Iter, e.Tol)
}

func (e *NotConvergedError) Kind() fault.Kind { return fault.KindNotConverged }

// CheckFinite returns an error when a result that should be finite is not.
func CheckFinite(v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fault.Numerical("the numbers overflow; scale the kernel or raise alpha")
	}
	return nil
}
