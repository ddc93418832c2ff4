// Package train brings the machines of log-linear training under one roof: the solver is a choice, and what a fit begins from and ends
// with has one form for all of them.
package train

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Solver says how to minimise.
type Solver int

const (
	LBFGS  Solver = iota // a loglinear.Search
	SGD                  // a descent.Descent
	Online               // a descent.Online: one pass that goes on from earlier ones
	Newton               // newton.Minimise, for entries of ψ that do not depend on each other and for classes; it asks for nothing
)

// Options are those of all solvers.
type Options struct {
	Solver   Solver
	Features int  // q, the constant one included
	Diagonal bool // the second moment of the features is diagonal, as that of loglinear.KernelFeatures is
	Sampled  bool // expectations are estimates
	Proposed bool // ... by chains of uniform proposals that are asked for, see expect.Proposed
	Alpha    float64
	Tol      float64
	MaxIter  int
	Seed     uint64 // of the order of rows
}

func (o Options) sizes(space structure.Space) loglinear.Sizes {
	return loglinear.Sizes{Features: o.Features, Outputs: space.FeatureLen(), Diagonal: o.Diagonal}
}

// Search returns the options of a Search.
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
	if (o.Solver == LBFGS || o.Solver == Newton) && (o.Sampled || o.Proposed) {
		return fault.Value("the solver needs exact expectations, not estimates: take solver='sgd'")
	}
	return nil
}

// StateLen returns the length of the state of training on n rows that count.
func (o Options) StateLen(space structure.Space, n int) (int, error) {
	length, err := o.machineLen(space, n)
	if err == nil && o.Proposed {
		return expect.ProposedLen(length, n, space.FeatureLen())
	}
	return length, err
}

func (o Options) machineLen(space structure.Space, n int) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	p := &loglinear.Problem{X: &solve.Design{Rows: linalg.Rows{Dense: matrix{Rows: n}}}}
	switch o.Solver {
	case Newton:
		return 0, errAsksNothing
	case SGD:
		return descent.StateLen(o.descent(space), p)
	case Online:
		return descent.OnlineLen(o.online(space), p)
	}
	return p.StateLen(o.Search(space))
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
	// What Online passes go on from. A Descent that ends leaves Known false.
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
	case m.Known && !flat.Finite(m.Moment):
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

// Training is a machine of any solver.
type Training struct {
	loglinear.Machine
	o       Options
	problem *loglinear.Problem
	model   *Model
	report  func() Report
	end     func()
}

// Open begins training where the state is that of nothing yet, all zeros, and else goes on. The model is read to begin with, and written
// when Next asks for Nothing.
func Open(o Options, space structure.Space, p *loglinear.Problem, state []float64, model *Model) (*Training, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := model.check(o, space); err != nil {
		return nil, err
	}
	t := &Training{o: o, problem: p, model: model}
	length, err := o.machineLen(space, p.Len())
	if err != nil {
		return nil, err
	}
	whole := state
	if o.Proposed && len(state) >= length {
		state = state[:length]
	}
	switch begin := len(state) == 0 || state[0] == 0; o.Solver {
	case SGD:
		err = t.openDescent(space, state, begin)
	case Online:
		err = t.openOnline(space, state, begin)
	default:
		err = t.openSearch(space, state, begin)
	}
	if err == nil && o.Proposed {
		t.Machine, err = expect.NewProposed(t.Machine, whole, length, p.Len(), space.FeatureLen(), o.Seed)
	}
	return t, err
}

func (t *Training) openSearch(space structure.Space, state []float64, begin bool) error {
	o := t.o.Search(space)
	var fit *loglinear.Fit
	var err error
	if begin {
		var covariance matrix
		if covariance, err = loglinear.Covariance(space); err == nil {
			fit, err = loglinear.NewFit(o, t.problem, state, covariance, start(t.model.Weights))
		}
	} else {
		fit, err = loglinear.ResumeFit(o, t.problem, state)
	}
	if err != nil {
		return err
	}
	t.Machine, t.report = fit, func() Report { return SearchReport(fit.Found(), o.Tol) }
	t.end = func() {
		t.model.Weights.CopyFrom(fit.Found().Weights)
		t.model.Average.CopyFrom(t.model.Weights)
	}
	return nil
}

// OpenSearch is Open for the search alone, which asks for sums over rows that lie elsewhere.
func OpenSearch(o Options, space structure.Space, state []float64, model *Model) (*loglinear.Search, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := model.check(o, space); err != nil {
		return nil, err
	}
	if state[0] != 0 {
		return loglinear.ResumeSearch(o.Search(space), state)
	}
	covariance, err := loglinear.Covariance(space)
	if err != nil {
		return nil, err
	}
	return loglinear.NewSearch(o.Search(space), state, covariance, start(model.Weights))
}

// SearchReport returns that of a Search.
func SearchReport(f loglinear.Found, tol float64) Report {
	return Report{Objective: f.Objective, Residual: f.Residual, Iterations: f.Iterations, Converged: f.Residual <= tol}
}

func (t *Training) openDescent(space structure.Space, state []float64, begin bool) error {
	o := t.o.descent(space)
	var d *descent.Descent
	var err error
	if begin {
		var covariance matrix
		if covariance, err = loglinear.Covariance(space); err == nil {
			d, err = descent.New(o, t.problem, state, covariance, start(t.model.Weights))
		}
	} else {
		d, err = descent.Resume(o, t.problem, state)
	}
	if err != nil {
		return err
	}
	t.Machine = d
	t.report = func() Report {
		f := d.Found()
		return Report{Objective: f.Objective, Iterations: f.Passes, Left: f.Left.Value, Error: f.Left.Error, Limit: f.Limit,
			Gain: f.Gain, Converged: f.Converged}
	}
	t.end = func() {
		f, m := d.Found(), t.model
		m.Weights.CopyFrom(f.Last)
		m.Average.CopyFrom(f.Weights)
		m.Known, m.Variance, m.Steps, m.Rows, m.Seen = false, 0, f.Steps, f.Passes*t.problem.Len(), 0
		for i := range t.problem.Len() {
			m.Seen += float64(f.Passes) * t.problem.Weight(i)
		}
	}
	return nil
}

func (t *Training) openOnline(space structure.Space, state []float64, begin bool) error {
	o := t.o.online(space)
	var d *descent.Online
	var err error
	if begin {
		var covariance matrix
		if covariance, err = loglinear.Covariance(space); err == nil {
			d, err = descent.NewOnline(o, t.problem, state, covariance, t.model.progress(t.o, o.Sizes))
		}
	} else {
		d, err = descent.ResumeOnline(o, t.problem, state)
	}
	if err != nil {
		return err
	}
	t.Machine = d
	t.report = func() Report { return Report{Objective: math.NaN(), Iterations: 1, Converged: true} }
	t.end = func() {
		f, m := d.Progress(), t.model
		m.Weights.CopyFrom(f.Weights)
		m.Average.CopyFrom(f.Average)
		copy(m.Moment, f.Moment.Data)
		m.Known, m.Variance, m.Steps, m.Rows, m.Seen = true, f.Variance, f.Steps, f.Rows, f.Seen
	}
	return nil
}

// Next takes in what was asked for last and goes on until more is needed, or asks for Nothing: the model is then what training has found.
func (t *Training) Next(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	r, err := t.Machine.Next(mon)
	if err == nil && r.Ask == loglinear.Nothing {
		t.end()
	}
	return r, err
}

// Report returns where training has got to.
func (t *Training) Report() Report { return t.report() }

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

// Run trains on the rows of a problem, with expectations from an engine, which Newton does without.
func Run(o Options, space structure.Space, p *loglinear.Problem, engine loglinear.Engine, model *Model,
	mon *parallel.Monitor) (Report, error) {
	if o.Solver == Newton {
		return runNewton(o, space, p, model, mon)
	}
	length, err := o.StateLen(space, p.Len())
	if err != nil {
		return Report{}, err
	}
	t, err := Open(o, space, p, make([]float64, length), model)
	if err != nil {
		return Report{}, err
	}
	if err := loglinear.Drive(t, p, engine, mon); err != nil {
		return Report{}, err
	}
	return t.Report(), nil
}
