package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Solver is a way to train a support vector machine.
type Solver int

const (
	CuttingPlanes Solver = iota // one-slack cutting planes
	Blockwise                   // block-coordinate Frank–Wolfe
)

// SVMOptions say how a support vector machine is trained.
type SVMOptions struct {
	Solver  Solver
	Tol     float64 // duality gap at which training ends, relative to the primal
	MaxIter int     // passes over the blocks, at least 1
	// Average, of Blockwise: the result is the average of all iterates, each weighted by its number.
	Average bool
	Seed    uint64 // of the order in the passes of Blockwise
	// BlockRows is how many blocks are looked at together, 0 for as many as are quick; requests are of no more rows.
	BlockRows int
	Workers   int
}

// Look is what is known about the objective.
type Look struct {
	Iter             int
	Objective, Bound float64 // of the primal, and of the dual, below all values of the primal
}

// Solution of a support vector machine.
type Solution struct {
	Weights   linalg.Matrix[float64] // of the features, q×d
	Objective float64                // the primal there
	Gap       float64                // how much less the dual is
	Iter      int                    // passes
	Calls     int                    // blocks decoded
	Exact     bool                   // whether every hinge loss in Objective is proven
	Converged bool                   // whether the gap is small enough
}

func (o SVMOptions) check(p *Problem) error {
	switch {
	case o.Solver != CuttingPlanes && o.Solver != Blockwise:
		return fault.Value("there is no solver number %d", o.Solver)
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return fault.Value("tol is %g, must be finite and at least 0", o.Tol)
	case o.MaxIter < 1:
		return fault.Value("max_iter is %d, must be at least 1", o.MaxIter)
	case o.BlockRows < 0:
		return fault.Value("block_rows is %d, must be at least 0", o.BlockRows)
	case o.MaxIter > maxSteps/max(1, p.blocks()):
		return fault.Value("%d passes over %d blocks are too many", o.MaxIter, p.blocks())
	}
	if err := p.checkRows(); err != nil {
		return err
	}
	if !p.Asked {
		if err := p.checkLoss(); err != nil {
			return err
		}
	}
	return p.checkNumbers()
}

// Check returns an error unless a solution has converged.
func (o SVMOptions) Check(s Solution) error {
	if s.Converged {
		return nil
	}
	return fault.NotConverged("a duality gap of %.3g of the objective after %d passes, tol is %.3g; raise max_iter or tol, or lower C",
		s.Gap/s.Objective, s.Iter, o.Tol)
}

// TrainSVM trains a support vector machine whose outputs, or planes, an oracle finds, such as the problem's Decoder. It returns the looks
// at the objective on the way, too, the last being that of the solution.
func TrainSVM(p *Problem, o SVMOptions, oracle Oracle, mon *parallel.Monitor) (Solution, []Look, error) {
	if err := o.check(p); err != nil {
		return Solution{}, nil, err
	}
	t := &svm{planes: p.newPlanes(o.BlockRows, o.Workers, oracle, mon), o: o, weights: p.newWeights()}
	train := t.cut
	if o.Solver == Blockwise {
		train = t.walk
	}
	if err := train(); err != nil {
		return Solution{}, nil, err
	}
	return t.found, t.looks, nil
}

// svm is a training under way.
type svm struct {
	*planes
	o       SVMOptions
	weights matrix // at which planes are looked for
	cache   cache  // nil: none is kept
	found   Solution
	looks   []Look
}

// startOf returns the loss of ψ_i itself, which is not 0 where that is a mean over several outputs.
func (p *Problem) startOf(block int) float64 {
	if p.Asked || p.Slack || p.Members.Rows > 0 {
		return 0
	}
	row := p.row(block)
	return p.Loss.of(row, p.Psi.Row(row))
}

// look says how far training has come, and whether that is far enough.
func (t *svm) look(iter int, objective, bound float64) bool {
	t.looks = append(t.looks, Look{Iter: iter, Objective: objective, Bound: bound})
	t.found.Iter, t.found.Objective, t.found.Gap = iter, objective, objective-bound
	t.found.Converged = t.found.Gap <= t.o.Tol*objective
	return t.found.Converged
}

// swept is what a look at all blocks finds.
type swept struct {
	norm     float64 // ½‖W‖²
	risk     float64 // Σ C_i H_i
	offset   float64 // Σ C_i ℓ_i
	unproven int     // blocks whose plane is not proven largest
}

// sweep looks for planes of all blocks at the weights, and writes Σ C_i x_i v_iᵀ to plane, unless that has no rows.
func (t *svm) sweep(plane matrix) (swept, error) {
	s := swept{norm: linalg.Dot(t.weights.Data, t.weights.Data) / 2}
	plane.Zero()
	for lo := 0; lo < t.blocks(); lo += t.f.Rows {
		if err := t.findAt(t.weights, lo); err != nil {
			return s, err
		}
		for k, block := range t.numbers {
			weight := t.Weights[block]
			s.risk += weight * t.value(k)
			s.offset += weight * t.offset[k]
			if !t.proven[k] {
				s.unproven++
			}
			if t.cache != nil {
				t.cache.keep(block, t.psi.Row(k), t.offset[k])
			}
			if plane.Rows > 0 {
				linalg.ScaleTo(t.psi.Row(k), weight, t.psi.Row(k))
			}
		}
		t.found.Calls += len(t.numbers)
		if plane.Rows == 0 {
			continue
		}
		err := t.weigh(len(t.numbers), func() error {
			t.combineTo(plane, t.some(t.psi), t.numbers)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	if !finite(s.norm + s.risk) {
		return s, fault.Numerical("the numbers overflow; scale the inputs, or lower C")
	}
	return s, nil
}
