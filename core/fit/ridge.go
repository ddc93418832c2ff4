// Package fit composes structures and solvers into training calls: it checks what is asked against what the structure can do,
// chooses the solver by cost, and returns the trained coefficients in the space of ψ.
package fit

import (
	"math"
	"math/big"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/dual"
	"combpred/core/structure"
)

// Ridge holds the options of structured ridge regression.
type Ridge struct {
	Loss      Loss
	Alpha     float64 // penalty λ, > 0
	Tol       float64 // relative residual, > 0
	MaxIter   int     // 0: the solver's own
	Shift     float64 // added to every entry of the kernel
	Solver    Solver
	Precision Precision // of the factors
	Workers   int
}

// Loss, Solver and Precision are options of Ridge, Decision is what predictions go by; spelt as in the catalogue.
type (
	Loss      string
	Decision  string
	Solver    string
	Precision string
)

// ByScore predicts the output of largest score, ByRisk that of least expected squared distance between embeddings (minimum Bayes risk),
// ByMode the most probable one, in spaces where expected features tell the probabilities of outputs.
// AutoSolver is for Plan, which chooses one of the others; Primal is what Ridge.Primal does, and Ridge.Kernel does the rest.
const (
	AUC     Loss = "auc"
	Squared Loss = "squared"

	ByScore Decision = "score"
	ByRisk  Decision = "mbr"
	ByMode  Decision = "mode"

	AutoSolver Solver = "auto"
	ClosedForm Solver = "closed-form"
	CG         Solver = "cg"
	NewtonCG   Solver = "newton-cg"
	Primal     Solver = "primal"

	Single Precision = "single"
	Double Precision = "double"
)

// Losses, Decisions, Solvers and Precisions are the values of these options.
var (
	Losses     = []Loss{AUC, Squared}
	Decisions  = []Decision{ByScore, ByRisk, ByMode}
	Solvers    = []Solver{AutoSolver, ClosedForm, CG, NewtonCG, Primal}
	Precisions = []Precision{Single, Double}
)

// Check returns an error that names the first illegal option.
func (o Ridge) Check() error {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	switch {
	case !slices.Contains(Losses, o.Loss):
		return fault.Value("loss is %q, must be \"auc\" or \"squared\"", o.Loss)
	case !finite(o.Alpha) || o.Alpha <= 0:
		return fault.Value("alpha is %g, must be positive and finite", o.Alpha)
	case !finite(o.Tol) || o.Tol <= 0:
		return fault.Value("tol is %g, must be positive and finite", o.Tol)
	case o.MaxIter < 0:
		return fault.Value("max_iter is %d, must not be negative", o.MaxIter)
	case !finite(o.Shift) || o.Shift < 0:
		return fault.Value("shift is %g, must be finite and not negative", o.Shift)
	case !slices.Contains(Precisions, o.Precision):
		return fault.Value("precision is %q, must be \"single\" or \"double\"", o.Precision)
	}
	return nil
}

// Targets are the outputs to learn.
type Targets struct {
	Psi     linalg.Matrix[float64] // embedded outputs, d columns
	Weights []float64              // of the m examples; nil means all 1
	// First gives example i the outputs First[i] to First[i+1] of Psi, all equally correct; nil means one output an example.
	First []int
}

// examples returns m.
func (t Targets) examples() int {
	if t.First == nil {
		return t.Psi.Rows
	}
	return len(t.First) - 1
}

// example returns the number of the example that has row i of Psi among its outputs.
func (t Targets) example(i int) int {
	if t.First == nil {
		return i
	}
	after, _ := slices.BinarySearch(t.First, i+1)
	return after - 1
}

func (t Targets) checkWeights() error {
	for i, w := range t.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fault.At(i, fault.Value("the weight is %g, must be finite and not negative", w))
		}
	}
	return nil
}

// Kernel trains on the m×m kernel matrix k and writes the dual coefficients (m×d) to coef. work is scratch of WorkBytes bytes,
// as two views of the same memory. With precision "single" and the bytes for double, a problem that is too hard for factors in single
// precision is solved in double.
func (o Ridge) Kernel(space structure.Space, k linalg.Matrix[float64], targets Targets, work32 []float32, work64 []float64,
	coef linalg.Matrix[float64], mon *parallel.Monitor) (solve.Info, error) {
	p, err := o.problem(space, targets, mon)
	if err != nil {
		return solve.Info{}, err
	}
	if _, err := largestEntry(k, o.Workers, mon); err != nil {
		return solve.Info{}, err
	}
	op := dual.NewKernel(p, k, o.Shift)
	c := linalg.NewMatrix[float64](targets.examples(), p.Coord.Len())
	opt := solve.Options{Tol: o.Tol, MaxIter: o.MaxIter}
	var info solve.Info
	switch {
	case o.bySpectrum(p.Coord):
		info, err = o.spectral(p, op, c)
	case o.Solver == ClosedForm || o.Solver == CG:
		direct := explicit(len(p.Root)) && targets.First == nil
		double := o.Precision == Double
		if !double {
			info, err = factored(o, p, op, direct, work32, c)
			double = err != nil && fault.KindOf(err) == fault.KindNumerical &&
				int64(len(work64))*8 >= o.workBytes(p.Coord, len(p.Root), Double)
		}
		if double {
			info, err = factored(o, p, op, direct, work64, c)
		}
		info.Single = !double && o.Solver == ClosedForm
	case o.Solver == NewtonCG:
		info, err = dual.NewtonCG(p, op, c, opt)
	default:
		return info, fault.Value("solver is %q, must be \"closed-form\", \"cg\" or \"newton-cg\" for a kernel matrix", o.Solver)
	}
	if !valid(err) {
		if fault.KindOf(err) == fault.KindNumerical {
			err = fault.Wrap("%w; alpha is %g, tol %g: "+remedies, err, o.Alpha, o.Tol)
		}
		return info, err
	}
	writeDual(p, c, coef)
	return info, err
}

// remedies end what is said where numbers do not allow to train with a kernel matrix.
const remedies = "raise alpha, or check that the kernel is positive semi-definite"

// factored runs the solvers that factor the kernel matrix, in the precision of work; direct makes the closed form invert the factors.
func factored[T linalg.Float](o Ridge, p *solve.Problem, op *dual.Kernel, direct bool, work []T,
	c linalg.Matrix[float64]) (solve.Info, error) {
	opt := solve.Options{Tol: o.Tol, MaxIter: o.MaxIter}
	f, err := dual.NewFactored(op, work, o.factors(p.Coord))
	if err != nil {
		return solve.Info{}, err
	}
	if o.Solver == CG {
		return dual.ConjugateGradient(p, op, f, c, opt)
	}
	var margins dual.MarginSolver
	switch {
	case !p.Margin:
	case direct:
		if err := f.Invert(); err != nil {
			return solve.Info{}, err
		}
		var g *dual.MarginMatrix[T]
		if g, err = dual.NewMarginMatrix(f, work); err == nil {
			margins, err = g.Solver(o.MaxIter)
		}
	default:
		margins, err = dual.NewMarginIteration(p, dual.NewImplicitMargins(p, f), o.MaxIter)
	}
	if err != nil {
		return solve.Info{}, err
	}
	return dual.ClosedForm(p, op, f, margins, c, opt)
}

// explicit says whether the closed form of m rows inverts the factors and forms the system of the margins. Below the limit that costs
// less than some tens of products in conjugate gradient, whose many short calls also suffer on a busy machine.
func explicit(m int) bool { return m <= 6000 }

// WorkBytes returns the bytes of work that Kernel needs for m rows in the given precision.
func (o Ridge) WorkBytes(space structure.Space, m int, precision Precision) (int64, error) {
	coord, err := o.coordinates(space)
	if err != nil {
		return 0, err
	}
	return o.workBytes(coord, m, precision), nil
}

func (o Ridge) workBytes(coord *solve.Coordinates, m int, precision Precision) int64 {
	triangles := o.factors(coord)
	if o.Solver == ClosedForm && o.Loss == AUC && explicit(m) && !o.bySpectrum(coord) {
		triangles++
	}
	if precision == Single {
		return dual.FactorWork[float32](m, triangles)
	}
	return dual.FactorWork[float64](m, triangles)
}

// preconditioners bounds the factors that precondition conjugate gradient: four in single precision fill one kernel-sized matrix.
const preconditioners = 4

// factors returns how many factors the solver makes.
func (o Ridge) factors(coord *solve.Coordinates) int {
	switch {
	case o.Solver == NewtonCG || o.bySpectrum(coord):
		return 0
	case o.Solver == CG:
		return min(coord.Distinct(), preconditioners)
	}
	return coord.Distinct()
}

// bySpectrum says whether Kernel takes the eigenvectors of the kernel matrix, which serve any number of distinct σ, in place of a factor
// for each of them.
func (o Ridge) bySpectrum(coord *solve.Coordinates) bool {
	return o.Solver == ClosedForm && coord.Distinct() > maxFactors
}

// spectral solves by the eigendecomposition of D(K + shift)D.
func (o Ridge) spectral(p *solve.Problem, op *dual.Kernel, c linalg.Matrix[float64]) (solve.Info, error) {
	sp, err := dual.NewSpectral(p, op)
	if err != nil {
		return solve.Info{}, err
	}
	var margins dual.MarginSolver
	if p.Margin {
		if margins, err = dual.NewMarginIteration(p, dual.NewImplicitMargins(p, sp), o.MaxIter); err != nil {
			return solve.Info{}, err
		}
	}
	return dual.ClosedForm(p, sp, sp, margins, c, solve.Options{Tol: o.Tol, MaxIter: o.MaxIter})
}

func (o Ridge) problem(space structure.Space, targets Targets, mon *parallel.Monitor) (*solve.Problem, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := badEntry("psi", targets.Psi); err != nil {
		return nil, fault.Renumbered(err, targets.example)
	}
	if err := targets.checkWeights(); err != nil {
		return nil, err
	}
	moments, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	coord, err := o.coordinates(space)
	if err != nil {
		return nil, err
	}
	t := solve.Targets{Psi: targets.Psi, Weights: targets.Weights, First: targets.First, Mean: make([]float64, space.FeatureLen())}
	moments.Mean(t.Mean)
	if t.First != nil {
		if t.Share, err = o.share(space, targets); err != nil {
			return nil, err
		}
	}
	return solve.NewProblem(o.Alpha, o.Loss == AUC, coord, t, o.Workers, mon)
}

// share returns 2/|𝒴| after checking the sets of outputs.
func (o Ridge) share(space structure.Space, targets Targets) (float64, error) {
	var count *big.Int
	if counter, ok := space.(structure.Counter); ok {
		count = counter.Count()
	}
	if count == nil {
		return 0, &structure.CapabilityError{Structure: structure.Describe(space),
			Need: "the number of its members, to train on sets of outputs"}
	}
	members, _ := new(big.Float).SetInt(count).Float64() // +Inf beyond the range, whose share is nothing
	first := targets.First
	if len(first) == 0 || first[0] != 0 || first[len(first)-1] != targets.Psi.Rows {
		return 0, fault.Value("the sets of outputs must begin at 0 and end at %d, the number of rows of psi", targets.Psi.Rows)
	}
	for i := range targets.examples() {
		n := first[i+1] - first[i]
		if n < 1 {
			return 0, fault.At(i, fault.Value("the set has %d outputs, must have at least one", n))
		}
		if o.Loss == AUC && 2*float64(n) >= members {
			return 0, fault.At(i, fault.Value("the set has %d correct outputs, loss='auc' takes fewer than half of all %g: leave the row "+
				"out, or take loss='squared'", n, members))
		}
	}
	return 2 / members, nil
}

// coordinates are kept with the space: a search over alphas would diagonalise Σ each time.
func (o Ridge) coordinates(space structure.Space) (*solve.Coordinates, error) {
	if o.Loss == Squared {
		return solve.IdentityCoordinates(space.FeatureLen()), nil
	}
	return CovarianceOf(space)
}

// writeDual turns coefficients of K̃ = DKD into those of K, a = D·C, in the space of ψ.
func writeDual(p *solve.Problem, c, coef linalg.Matrix[float64]) {
	for i, root := range p.Root {
		row := c.Row(i)
		for j := range row {
			row[j] *= root
		}
	}
	p.Coord.SynthesizeTo(coef, c)
}

// valid says whether a solver that returned err has left a usable result.
func valid(err error) bool {
	if err == nil {
		return true
	}
	_, partial := err.(*solve.NotConvergedError)
	return partial
}

// badEntry returns an error about the first row with a number that is not finite.
func badEntry(name string, m linalg.Matrix[float64]) error {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v-v != 0 {
				return fault.At(i, fault.Value("%s holds %g in column %d, must be finite", name, v, j))
			}
		}
	}
	return nil
}
