// Package train brings the solvers of log-linear training under one roof: which one is a choice, and what a fit begins from and ends
// with has one form for all of them.
package train

import (
	"math"

	"combpred/core/custom/walks"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train/newton"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Solver says how to minimise.
type Solver int

const (
	LBFGS  Solver = iota // loglinear.Minimise
	SGD                  // descent.Minimise
	Online               // descent.Continue: one pass that goes on from earlier ones
	Newton               // newton.Minimise, for entries of ψ that do not depend on each other and for classes; it asks for nothing
)

// Options are those of all solvers.
type Options struct {
	Solver   Solver
	Features int         // q, the constant one included
	Diagonal bool        // the second moment of the features is diagonal, as that of loglinear.KernelFeatures is
	Sampled  bool        // expectations are estimates
	Proposed bool        // ... by chains of uniform proposals that are asked for, see expect.Proposed
	Mover    walks.Mover // if not nil, ... by chains of moves that are asked for, see expect.Moved
	Alpha    float64
	Tol      float64
	MaxIter  int
	Seed     uint64 // of the order of rows
}

func (o Options) sizes(space structure.Space) loglinear.Sizes {
	return loglinear.Sizes{Features: o.Features, Outputs: space.FeatureLen(), Diagonal: o.Diagonal}
}

// Search returns the options of a search.
func (o Options) Search(space structure.Space) loglinear.SearchOptions {
	return loglinear.SearchOptions{Sizes: o.sizes(space), Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter}
}

func (o Options) descent(space structure.Space) descent.Options {
	return descent.Options{Sizes: o.sizes(space), Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter, Seed: o.Seed, Sampled: o.Sampled}
}

func (o Options) online(space structure.Space) descent.OnlineOptions {
	return descent.OnlineOptions{Sizes: o.sizes(space), Alpha: o.Alpha, Seed: o.Seed}
}

// check returns an error where a solver cannot do with the expectations.
func (o Options) check() error {
	if (o.Solver == LBFGS || o.Solver == Newton) && (o.Sampled || o.Proposed || o.Mover != nil) {
		return fault.Value("this solver needs exact expectations, not estimates: take solver='auto' or 'sgd', or exact inference")
	}
	return nil
}

// MomentLen returns the length of the second moment of a Model.
func (o Options) MomentLen(space structure.Space) int {
	s := o.sizes(space)
	s.LargestGram = descent.LargestMoment
	return s.MomentLen()
}

// Model is what training begins from and ends with. Its matrices are q×d.
type Model struct {
	Weights matrix // the solution, or the last iterate; zeros: nothing to begin from
	Average matrix // the average of the iterates of a descent
	// What Online passes go on from. SGD leaves Known false.
	Moment      []float64 // of the features of the rows so far, or no numbers
	Known       bool
	Variance    float64
	Steps, Rows int
	Seen        float64
}

// start returns weights to begin from, without rows where they are zero.
func start(w matrix) matrix {
	for _, v := range w.Data {
		if v != 0 {
			return w
		}
	}
	return matrix{}
}

func (m *Model) progress(o Options, s loglinear.Sizes) descent.Progress {
	from := descent.Progress{Weights: start(m.Weights), Average: start(m.Average), Variance: m.Variance, Steps: m.Steps, Rows: m.Rows,
		Seen: m.Seen}
	if m.Known {
		s.LargestGram = descent.LargestMoment
		from.Moment = s.MomentOf(m.Moment)
	}
	return from
}

func (m *Model) check(o Options, space structure.Space) error {
	d := space.FeatureLen()
	for _, w := range []matrix{m.Weights, m.Average} {
		if w.Rows != o.Features || w.Cols != d {
			return fault.Value("the weights are %d×%d, must be %d×%d", w.Rows, w.Cols, o.Features, d)
		}
	}
	if o.Solver != Online {
		return nil
	}
	switch n := o.MomentLen(space); {
	case len(m.Moment) != n:
		return fault.Value("the moment has %d numbers, must have %d", len(m.Moment), n)
	case m.Steps < 0 || m.Rows < 0 || !(m.Seen >= 0) || math.IsInf(m.Seen, 0) || !(m.Variance >= 0):
		return fault.Value("%d steps, %d rows of the weight %v and the variance %v must not be negative", m.Steps, m.Rows,
			m.Seen, m.Variance)
	case m.Known && !linalg.Finite(m.Moment):
		return fault.Value("the moment has entries that are infinite or NaN")
	}
	return nil
}

// Report says where training has got to.
type Report struct {
	Objective  float64 // NaN where it is not known
	Residual   float64 // of LBFGS: the largest entry of the preconditioned gradient, relative to that at zero
	Iterations int     // or passes over the rows
	// Of SGD: what was left at the last checkpoint, about, with its standard error; what was asked for; what was left at zero.
	Left, Error, Limit, Gain float64
	Converged                bool
}

// reportOf returns the report of a search.
func reportOf(f loglinear.Found, tol float64) Report {
	return Report{Objective: f.Objective, Residual: f.Residual, Iterations: f.Iterations, Converged: f.Residual <= tol}
}

// Err returns an error where training has ended before its tolerance.
func (r Report) Err(o Options) error {
	if r.Converged {
		return nil
	}
	residual := r.Residual
	if o.Solver == SGD && r.Gain > 0 {
		residual = math.Sqrt(max(r.Left, 0) / r.Gain)
	}
	return &solve.NotConvergedError{Residual: residual, Tol: o.Tol, Iter: r.Iterations}
}

// Run trains on the rows of a problem, with what an oracle knows about distributions, which Newton does without. The model is written
// where there is no error.
func Run(o Options, space structure.Space, p *loglinear.Problem, oracle loglinear.Oracle, model *Model,
	mon *parallel.Monitor) (Report, error) {
	if err := fault.First(o.check(), model.check(o, space)); err != nil {
		return Report{}, err
	}
	if o.Proposed {
		oracle = expect.NewProposed(oracle, p.Len(), space.FeatureLen(), o.Seed)
	}
	if o.Mover != nil {
		oracle = expect.NewMoved(o.Mover, p.Len(), space.FeatureLen(), o.Seed)
	}
	switch o.Solver {
	case SGD:
		return descend(o, space, p, oracle, model, mon)
	case Online:
		return proceed(o, space, p, oracle, model, mon)
	case Newton:
		f, err := newton.Minimise(o.Search(space), p, space, start(model.Weights), mon)
		return model.keep(f, o, err)
	}
	f, err := loglinear.Fit(o.Search(space), p, space, oracle, start(model.Weights), mon)
	return model.keep(f, o, err)
}

// Search trains by LBFGS on rows that lie elsewhere. Large matrices are multiplied at work.
func Search(o Options, space structure.Space, summer loglinear.Summer, model *Model, work loglinear.Workplace,
	mon *parallel.Monitor) (Report, error) {
	if err := fault.First(o.check(), model.check(o, space)); err != nil {
		return Report{}, err
	}
	covariance, err := loglinear.Covariance(space)
	if err != nil {
		return Report{}, err
	}
	f, err := loglinear.Minimise(o.Search(space), summer, covariance, start(model.Weights), work, mon)
	return model.keep(f, o, err)
}

// keep writes the end of a search to the model, unless there is an error.
func (m *Model) keep(f loglinear.Found, o Options, err error) (Report, error) {
	if err != nil {
		return Report{}, err
	}
	m.Weights.CopyFrom(f.Weights)
	m.Average.CopyFrom(f.Weights)
	return reportOf(f, o.Tol), nil
}

func descend(o Options, space structure.Space, p *loglinear.Problem, oracle loglinear.Oracle, m *Model,
	mon *parallel.Monitor) (Report, error) {
	f, err := descent.Minimise(o.descent(space), p, space, oracle, start(m.Weights), mon)
	if err != nil {
		return Report{}, err
	}
	m.Weights.CopyFrom(f.Last)
	m.Average.CopyFrom(f.Weights)
	m.Known, m.Variance, m.Steps, m.Rows, m.Seen = false, 0, f.Steps, f.Passes*p.Len(), 0
	for i := range p.Len() {
		m.Seen += float64(f.Passes) * p.Weight(i)
	}
	return Report{Objective: f.Objective, Iterations: f.Passes, Left: f.Left.Value, Error: f.Left.Error, Limit: f.Limit, Gain: f.Gain,
		Converged: f.Converged}, nil
}

func proceed(o Options, space structure.Space, p *loglinear.Problem, oracle loglinear.Oracle, m *Model,
	mon *parallel.Monitor) (Report, error) {
	f, err := descent.Continue(o.online(space), p, space, oracle, m.progress(o, o.sizes(space)), mon)
	if err != nil {
		return Report{}, err
	}
	m.Weights.CopyFrom(f.Weights)
	m.Average.CopyFrom(f.Average)
	copy(m.Moment, f.Moment.Data)
	m.Known, m.Variance, m.Steps, m.Rows, m.Seen = true, f.Variance, f.Steps, f.Rows, f.Seen
	return Report{Objective: math.NaN(), Iterations: 1, Converged: true}, nil
}
