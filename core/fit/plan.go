package fit

import (
	"combpred/core/fault"
	"combpred/core/solve"
	"combpred/core/solve/loo"
	"combpred/core/structure"
)

// Plan says how a problem is best solved. The routes "factor", "iterate" and "spectral" are those of Kernel, "primal" that of Primal.
type Plan struct {
	Solver     Solver    // never AutoSolver
	Route      string    // "factor", "iterate", "spectral" or "primal"
	Precision  Precision // of the factors, to begin with
	Distinct   int       // distinct non-zero eigenvalues of Σ
	WorkSingle int64     // bytes of work for Kernel in single precision
	WorkDouble int64     // and in double
	Beside     int64     // bytes that Kernel allocates beside them
	RouteLOO   string    // of LeaveOneOut: from the features, or, unless the kernel matrix is of low rank, by "factor" or "spectral"

	WorkLOOSingle int64 // bytes of work for LeaveOneOut in single precision
	WorkLOODouble int64 // and in double
	BesideLOO     int64 // bytes that LeaveOneOut allocates beside them
}

const (
	// Above this many distinct σ one eigendecomposition costs less memory than all the factors: three kernel-sized matrices.
	maxFactors = 8
	// Below this many rows factors are made in double: they cost little, and no refinement is needed.
	singleFrom = 1000
	// Relative costs of an operation of an eigendecomposition and of a factorisation in double precision to one in single
	// precision, measured with OpenBLAS on two cores at orders from 1000 to 4000.
	eigenCost, doubleCost = 9 * 5.0, 2.0
	// Products with G that conjugate gradient usually takes to tol 1e-8.
	usualSteps = 25
	// Steps of preconditioned conjugate gradient with clustered σ.
	usualPreconditioned = 60
)

// Plan chooses among the solvers by operation counts. n rows, p input features (0: only a kernel is known), nnz stored entries.
func (o Ridge) Plan(space structure.Space, n, p int, nnz int64) (Plan, error) {
	if err := o.Check(); err != nil {
		return Plan{}, err
	}
	coord, err := o.coordinates(space)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Solver: o.Solver, Route: "factor", Precision: Single, Distinct: coord.Distinct(), RouteLOO: "factor"}
	if n < singleFrom {
		plan.Precision = Double
	}
	square := int64(n) * int64(n)
	plan.BesideLOO = 2*square + 1<<14*int64(n)
	if coord.Distinct() > maxFactors {
		plan.RouteLOO, plan.BesideLOO = "spectral", 3*8*square
	}
	features := 0
	if p > 0 && loo.FewFeatures(n, p) {
		q := int64(p+1) * int64(max(coord.Len(), 1))
		features, plan.RouteLOO, plan.BesideLOO = p, "features", 8*(int64(n)*int64(3*p+4*coord.Len())+min(3*q*q, square/2))+1<<24
	}
	if plan.WorkLOOSingle, err = o.LeaveOneOutBytes(space, n, features, Single); err != nil {
		return Plan{}, err
	}
	if plan.WorkLOODouble, err = o.LeaveOneOutBytes(space, n, features, Double); err != nil {
		return Plan{}, err
	}
	switch o.Solver {
	case AutoSolver:
		plan.Solver = o.cheapest(n, p, nnz, coord)
	case ClosedForm, CG, NewtonCG:
	case Primal:
		if p == 0 {
			return Plan{}, fault.Value("solver='primal' needs input features, that is the linear kernel; take solver='closed-form'")
		}
	default:
		return Plan{}, fault.Value("solver is %q, must be \"auto\", \"closed-form\", \"cg\", \"newton-cg\" or \"primal\"", o.Solver)
	}
	switch o.Solver = plan.Solver; {
	case plan.Solver == Primal:
		plan.Route = "primal"
		return plan, nil
	case o.bySpectrum(coord):
		plan.Route, plan.Beside = "spectral", 3*8*square
		return plan, nil
	case plan.Solver != ClosedForm:
		plan.Route = "iterate"
	}
	if plan.WorkSingle, err = o.WorkBytes(space, n, Single); err != nil {
		return Plan{}, err
	}
	plan.WorkDouble, err = o.WorkBytes(space, n, Double)
	return plan, err
}

// cheapest returns the solver of least estimated cost.
func (o Ridge) cheapest(n, p int, nnz int64, coord *solve.Coordinates) Solver {
	m, cols := float64(n), float64(coord.Len())
	kernel := doubleCost * float64(nnz) * m
	closed := kernel + float64(coord.Distinct())*m*m*m/3 + usualSteps*2*m*m*cols
	if coord.Distinct() > maxFactors {
		closed = kernel + eigenCost*m*m*m + usualSteps*doubleCost*4*m*m*cols
	}
	best, solver := closed, ClosedForm
	if coord.Distinct() > maxFactors {
		if cost := kernel + preconditioners*m*m*m/3 + usualPreconditioned*(1+doubleCost)*2*m*m*cols; cost < best {
			best, solver = cost, CG
		}
	}
	if p > 0 {
		q := float64(p) + 1
		if cost := doubleCost*float64(nnz)*q + eigenCost*q*q*q + usualSteps*doubleCost*4*(float64(nnz)+q*q)*cols; cost < best {
			solver = Primal
		}
	}
	return solver
}
