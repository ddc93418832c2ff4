package primal

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Over finds sums over all rows, wherever they lie.
type Over interface {
	// AddSums adds those of Task.AddSums, to zeros.
	AddSums(to Sums) error
	// AddProduct adds that of Task.AddProduct, to zeros.
	AddProduct(to linalg.Matrix[float64], v Direction) error
	// Work runs f, which multiplies large matrices, where that is to be done, and returns its error.
	Work(f func() error) error
}

// Solve trains on rows in memory or in mapped files and writes W to dst (q×d). Each pass counts as a step of mon. A
// *solve.NotConvergedError comes with the weights where it stopped.
func (t *Task) Solve(dst linalg.Matrix[float64], r *Rows, workers int, mon *parallel.Monitor) (solve.Info, error) {
	_, p := r.X.Size()
	own := *t
	own.Double = t.Double || r.X.sparse() != nil || r.Psi.sparse() != nil
	return own.SolveOver(dst, p, inMemory{&own, r, workers, mon}, mon)
}

// inMemory are rows that can be read.
type inMemory struct {
	t       *Task
	rows    *Rows
	workers int
	mon     *parallel.Monitor
}

func (m inMemory) AddSums(to Sums) error {
	err := m.t.AddSums(to, m.rows, m.workers, m.mon)
	m.mon.Advance(1)
	return err
}

func (m inMemory) AddProduct(to linalg.Matrix[float64], v Direction) error {
	err := m.t.AddProduct(to, v, m.rows, m.workers, m.mon)
	m.mon.Advance(1)
	return err
}

func (m inMemory) Work(f func() error) error { return f() }

const (
	maxSteps = 2000 // without a limit of the user's; some tens are usual
	// Directions that later ones are made conjugate to: as many as fit, up to a number that few problems reach.
	mostDirections   = 48
	directionEntries = 1 << 20
)

// SolveOver is Solve for rows of p features that lie elsewhere. Double says whether all products are made in double precision.
func (t *Task) SolveOver(dst linalg.Matrix[float64], p int, over Over, mon *parallel.Monitor) (solve.Info, error) {
	if err := t.check(); err != nil {
		return solve.Info{}, err
	}
	s := t.newSolver(p, over, mon)
	if err := s.train(); err != nil {
		return solve.Info{}, err
	}
	dst.CopyFrom(s.direction.Weights())
	info := solve.Info{Objective: s.objective, Residual: s.relative, Iter: s.passes, Refine: s.verified}
	tol := t.Tol
	if !t.Margin {
		tol = max(t.Tol, 1e-10)
	}
	if s.relative > tol {
		return info, &solve.NotConvergedError{Residual: s.relative, Tol: tol, Iter: s.passes}
	}
	return info, nil
}

// solver is a training under way. What is in the basis of the vectors says so.
type solver struct {
	t       *Task
	over    Over
	mon     *parallel.Monitor
	p, q, d int

	values     []float64    // eigenvalues of S
	vectors    matrix       // of S, one a column
	b, w, r    matrix       // in the basis of the vectors: right-hand side, weights, residual
	mw         matrix       // and M times the weights
	directions []*conjugate // the last directions, number i in place i mod most
	most       int          // directions that are stored
	steps      int          // directions that steps were made along
	isDouble   bool         // products are made in double precision

	passes    int     // over the rows, that of the sums included
	verified  int     // residuals computed anew
	start     float64 // square of the norm of the residual at W = 0
	relative  float64 // norm of the residual, relative to that at 0
	base      float64 // of it, where it was computed last
	drift     float64 // of the recurrence's residual, relative to base
	norm      float64 // ‖B‖
	objective float64 // at the end

	next      wanted
	direction Direction // what a product is asked of, and W at the end
	product   matrix
	scratch   matrix
}

// conjugate is a direction with its products with M and H, in the basis of the vectors.
type conjugate struct {
	p, mp, hp matrix
	energy    float64 // ⟨P, HP⟩
}

func (t *Task) newSolver(p int, over Over, mon *parallel.Monitor) *solver {
	s := &solver{t: t, over: over, mon: mon, p: p, q: t.weights(p), d: len(t.Mean), isDouble: t.Double}
	s.values, s.vectors = make([]float64, s.q), linalg.NewMatrix[float64](s.q, s.q)
	for _, m := range []*matrix{&s.b, &s.w, &s.mw, &s.r, &s.product, &s.scratch} {
		*m = linalg.NewMatrix[float64](s.q, s.d)
	}
	s.most = max(1, min(mostDirections, directionEntries/max(1, s.q*s.d)))
	s.direction = t.NewDirection(make([]float64, t.DirectionLen(p)), p)
	return s
}

// current returns the last direction.
func (s *solver) current() *conjugate {
	at := s.steps % s.most
	if at == len(s.directions) {
		block := func() matrix { return linalg.NewMatrix[float64](s.q, s.d) }
		s.directions = append(s.directions, &conjugate{p: block(), mp: block(), hp: block()})
	}
	return s.directions[at]
}

func (t *Task) check() error {
	switch {
	case !(t.Lambda > 0) || math.IsInf(t.Lambda, 1):
		return fault.Value("the penalty must be positive and finite")
	case !(t.Tol > 0) || math.IsInf(t.Tol, 1):
		return fault.Value("the tolerance must be positive and finite")
	case t.MaxIter < 0:
		return fault.Value("the limit of iterations must not be negative")
	}
	return nil
}

// heavy is how many operations are worth to be done where large products of matrices are.
const heavy = 1 << 24

// work runs a part between two questions.
func (s *solver) work(f func() error) error {
	if s.q*s.q*(s.q+s.d) < heavy {
		return f()
	}
	return s.over.Work(f)
}

// train leaves W in the direction.
func (s *solver) train() error {
	if err := s.mon.Err(); err != nil {
		return err
	}
	sums := NewSums(make([]float64, SumsLen(s.p, s.d)), s.p, s.d)
	if err := s.over.AddSums(sums); err != nil {
		return err
	}
	if err := s.work(func() error {
		err := s.begin(sums)
		if err == nil && !s.t.Margin {
			s.squared(sums.Gram())
		}
		return err
	}); err != nil {
		return err
	}
	for s.next != done {
		clear(s.product.Data)
		if err := s.over.AddProduct(s.product, s.direction); err != nil {
			return err
		}
		goOn := s.step
		if s.next == anew {
			goOn = s.verify
		}
		if err := s.work(goOn); err != nil {
			return err
		}
	}
	return nil
}

// wanted says of what the next product is.
type wanted int

const (
	done  wanted = iota // none
	along               // the last direction
	anew                // W, for the residual
)
