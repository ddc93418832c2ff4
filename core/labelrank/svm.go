package labelrank

import (
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Options say how a support vector machine is trained.
type Options struct {
	Cost    float64 // C, of the losses against the norm; positive
	Tol     float64 // duality gap to reach, relative to the primal objective
	MaxIter int     // passes over the rows, at least 1
	Seed    uint64  // of the order of the rows
	Workers int
	Mon     *parallel.Monitor
}

// Info says how training ended.
type Info struct {
	Objective float64 // ½ Σ_l ‖w_l‖² + C Σ_i weight_i loss_i
	Gap       float64 // at most by how much that exceeds its minimum
	Iter      int     // passes
}

// machine is what weights are held in: those of features, or coefficients of the rows of a kernel.
type machine interface {
	scoresTo(dst []float64, i int)
	norm(i int) float64
	add(i int, delta []float64)
	squaredNorm() float64
	refresh(workers int, mon *parallel.Monitor) error // recomputes from the coefficients what steps have updated
}

// SolveLinear trains weights of features, writing those of label l to column l of coef (features × labels) and the dual variables to
// alpha, laid out as Signs. It returns *solve.NotConvergedError, with valid results, when MaxIter comes first. Cost of a
// pass over n rows: O(nnz k + n k²), and up to O(k³) more for a row with Stars, O(k⁴) with Whole.
func SolveLinear(e *Examples, x *solve.Design, opt Options, alpha []float64, coef matrix) (Info, error) {
	coef.Zero()
	return optimise(e, &features{x, coef}, opt, alpha)
}

// SolveKernel does the same from kernel values (n×n, symmetric), writing the coefficients of the rows to dual (n × labels):
// f(x) = Σ_i k(x, x_i) dual_i. Cost of a pass: O(n k) for each row whose variables change, in the place of O(nnz k) for all.
func SolveKernel(e *Examples, kernel matrix, opt Options, alpha []float64, dual matrix) (Info, error) {
	dual.Zero()
	return optimise(e, newExpansion(kernel, dual), opt, alpha)
}

// pollRows is the number of rows between polls for cancellation.
const pollRows = 32

// A visit leaves a quarter of a block's gap, or what blockSweeps sweeps leave: rows change one another, so more accuracy is wasted.
const (
	blockAccuracy = 0.25
	blockSweeps   = 4
)

// optimise is block-coordinate ascent on the dual: the rows in random order, a block each.
func optimise(e *Examples, m machine, opt Options, alpha []float64) (Info, error) {
	if err := e.requireDisjoint(); err != nil {
		return Info{}, err
	}
	clear(alpha)
	n, pairs := e.Rows(), e.pairs()
	rng := rand.New(rand.NewPCG(opt.Seed, 0x1ab31))
	b := newBlock(e.Labels)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var info Info
	var negligible float64 // gap of a row that is left as it is: all together a tenth of what is allowed
	for pass := 1; ; pass++ {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		var gap, losses float64
		for visited, i := range order {
			if visited%pollRows == 0 {
				if err := opt.Mon.Err(); err != nil {
					return info, err
				}
			}
			mine := alpha[i*pairs : (i+1)*pairs]
			b.load(e, i, mine, m.norm(i), opt.Cost)
			if b.limit == 0 {
				continue
			}
			m.scoresTo(b.f, i)
			open := b.gap()
			gap += open
			losses += b.limit * b.losses()
			if open > negligible {
				if err := b.ascend(blockAccuracy*open, 0, blockSweeps, opt.Mon); err != nil {
					return info, err
				}
				b.store(mine)
				m.add(i, b.moved)
			}
		}
		opt.Mon.Advance(1)
		// The gaps of the visits were those of different weights, so they only say when the true one is worth its cost.
		around := 0.5*m.squaredNorm() + losses
		opt.Mon.Report(gap / around)
		negligible = 0.1 * opt.Tol * around / float64(n)
		if !finite(around) {
			return info, fault.Numerical("the numbers overflow; scale the inputs or lower C")
		}
		if gap > opt.Tol*around && pass < opt.MaxIter {
			continue
		}
		var err error
		if info, err = certify(e, m, opt, alpha); err != nil {
			return info, err
		}
		info.Iter = pass
		if info.Gap <= opt.Tol*info.Objective {
			return info, nil
		}
		if pass >= opt.MaxIter {
			return info, &solve.NotConvergedError{Residual: info.Gap / info.Objective, Tol: opt.Tol, Iter: pass}
		}
	}
}

// certify evaluates the primal objective and the duality gap.
func certify(e *Examples, m machine, opt Options, alpha []float64) (Info, error) {
	if err := m.refresh(opt.Workers, opt.Mon); err != nil {
		return Info{}, err
	}
	n, pairs := e.Rows(), e.pairs()
	losses, gaps := make([]float64, n), make([]float64, n)
	err := parallel.For(n, 64, opt.Workers, nil, func(lo, hi int) error {
		b := newBlock(e.Labels)
		for i := lo; i < hi; i++ {
			b.load(e, i, alpha[i*pairs:(i+1)*pairs], m.norm(i), opt.Cost)
			if b.limit == 0 {
				continue
			}
			m.scoresTo(b.f, i)
			losses[i] = b.limit * b.losses()
			gaps[i] = losses[i] - b.credit()
		}
		return nil
	})
	info := Info{Objective: 0.5 * m.squaredNorm()}
	for i, loss := range losses {
		info.Objective += loss
		info.Gap += gaps[i]
	}
	info.Gap = max(info.Gap, 0)
	if err == nil && !finite(info.Objective) {
		err = fault.Numerical("the numbers overflow; scale the inputs or lower C")
	}
	return info, err
}

// squaredNorm returns Σ_l ‖w_l‖².
func (m *features) squaredNorm() float64 {
	var sum float64
	for j := range m.coef.Rows {
		sum += linalg.Dot(m.coef.Row(j), m.coef.Row(j))
	}
	return sum
}

// refresh does nothing: the weights are all there is.
func (m *features) refresh(int, *parallel.Monitor) error { return nil }

// Check returns an error where an option is not legal.
func (o Options) Check() error {
	if !finite(o.Cost) || o.Cost <= 0 {
		return fault.Value("c is %g, must be positive", o.Cost)
	}
	if !finite(o.Tol) || o.Tol < 0 {
		return fault.Value("tol is %g, must not be negative", o.Tol)
	}
	if o.MaxIter < 1 {
		return fault.Value("max_iter is %d, must be at least 1", o.MaxIter)
	}
	return nil
}
