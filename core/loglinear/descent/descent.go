package descent

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	// LargestMoment is the order of a second moment of inputs that is diagonalised for a descent, which multiplies by its eigenvectors
	// in each step.
	LargestMoment = 512
	// SampledTol is what Tol is taken to be at least with sampled gradients, so that a 400th of the gain may be left.
	SampledTol   = 0.05
	leastRounds  = 4   // evaluations of all rows that one estimate may cost at most ...
	roundRows    = 400 // ... or as many as make up this many rows
	sampledSlack = 4   // times what they are asked for sampled fits may have left and count as converged: a hundredth of the gain
	spacing      = 1.5 // by how much a checkpoint comes later than the one before
	damping      = 0.1 // share of the covariance under the uniform distribution that steps add to that where the descent is
	firstRenewed = 6   // passes after which the preconditioner is first renewed; then after twice as many each time
	much         = .01 // of the gain: where more is left, steps that have shrunk are long again
)

// Options are those of Minimise.
type Options struct {
	loglinear.Sizes // LargestGram is LargestMoment where it is not given
	Alpha           float64
	Tol             float64 // it ends when the objective is estimated to exceed its minimum by Tol² times as much as at W = 0, at most
	MaxIter         int     // passes over the rows at most, at least 1
	Seed            uint64  // of the order of rows
	// Sampled says that expectations are estimates, which come in independent pairs where two are asked for.
	Sampled bool
}

func (o Options) check() error {
	if o.MaxIter < 1 {
		return fault.Value("the passes are limited to %d, must be at least 1", o.MaxIter)
	}
	return loglinear.SearchOptions{Sizes: o.Sizes, Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter}.Check()
}

// limited returns the options with the limit of a descent where none is given.
func (o Options) limited() Options {
	if o.LargestGram == 0 {
		o.LargestGram = LargestMoment
	}
	return o
}

// tol returns the tolerance that is kept to.
func (o Options) tol() float64 {
	if o.Sampled {
		return max(o.Tol, SampledTol)
	}
	return o.Tol
}

type matrix = linalg.Matrix[float64]

// descent is one that is under way.
type descent struct {
	*steps
	o       Options
	hessian *loglinear.Hessian
	// Preconditioners: of estimates, of the Hessian where the descent was when it was renewed, and of steps, damped.
	now, stepping *loglinear.Preconditioner

	passes      int
	checkpoints []checkpoint
	left        Decrement // at the last of them
	gain        float64
	objective   float64 // NaN where it is not known
}

// Found is where a descent has ended.
type Found struct {
	Weights   matrix // the average
	Last      matrix // the last iterate
	Passes    int
	Steps     int
	Objective float64   // at the last checkpoint, with exact expectations
	Left      Decrement // what was left then, about
	Limit     float64   // what was asked for
	Gain      float64   // what was left at W = 0
	Converged bool      // whether no more was left than noise excuses
}

// Minimise minimises α‖W‖² plus the loss of the rows of a problem by passes of preconditioned steps on mini-batches of up to 32 of them,
// and averages its iterates. Start, unless it has no rows, are weights to begin with.
//
// It ends when the objective is estimated to exceed its minimum by at most Tol² times as much as at W = 0, or after MaxIter passes. The
// estimate is half the squared norm of the preconditioned gradient, or what the second half of the passes has gained, whichever is
// larger; with sampled gradients both are estimated, up to two standard errors.
func Minimise(o Options, p *loglinear.Problem, space structure.Space, oracle loglinear.Oracle, start matrix,
	mon *parallel.Monitor) (Found, error) {
	if err := o.check(); err != nil {
		return Found{}, err
	}
	covariance, err := begin(o.Sizes, p, space, start)
	if err != nil {
		return Found{}, err
	}
	o = o.limited()
	s := &descent{steps: newSteps(o, p, oracle, mon), o: o, objective: math.NaN()}
	s.weights.CopyFrom(start)
	s.average.CopyFrom(start)
	if err := s.prepare(covariance); err != nil {
		return Found{}, err
	}
	if err := s.run(); err != nil {
		return Found{}, err
	}
	d := Found{Weights: s.average, Last: s.weights, Passes: s.passes, Steps: s.count, Objective: s.objective, Left: s.left,
		Gain: s.gain, Limit: s.limit()}
	slack := 1.0
	if d.Left.Error > 0 {
		slack = sampledSlack
	}
	d.Converged = d.Left.Value+d.Left.Error <= slack*d.Limit
	return d, nil
}

// begin checks what a descent begins with, and returns the covariance of ψ.
func begin(s loglinear.Sizes, p *loglinear.Problem, space structure.Space, starts ...matrix) (matrix, error) {
	switch {
	case p.X.Columns() != s.Features || p.Psi.Cols != s.Outputs:
		return matrix{}, fault.Value("the rows have %d features and %d outputs, must have %d and %d", p.X.Columns(), p.Psi.Cols,
			s.Features, s.Outputs)
	case p.Len() == 0:
		return matrix{}, loglinear.ErrNoWeight
	}
	covariance, err := loglinear.Covariance(space)
	for _, start := range starts {
		if err == nil {
			err = s.CheckBegin(covariance, start)
		}
	}
	return covariance, err
}

func (s *descent) limit() float64 { return s.o.tol() * s.o.tol() * s.gain }

// prepare finds the preconditioner of the Hessian at W = 0, the first step size, and what there is to gain.
func (s *descent) prepare(covariance matrix) error {
	sums := make([]float64, s.o.SumsLen(loglinear.Moments))
	err := loglinear.AddSums(s.o.Sizes, s.problem, loglinear.Moments, matrix{}, sums, nil, s.mon)
	if err != nil {
		return err
	}
	if s.hessian, err = loglinear.NewHessian(s.o.Sizes, s.alpha, sums, covariance, s.problem.Work, s.mon); err != nil {
		return err
	}
	s.now, s.stepping = s.hessian.Preconditioner, s.hessian.Preconditioner
	if s.first, err = firstStep(s.problem, s.stepping, s.hessian, 1, s.mon); err != nil {
		return err
	}
	zero := s.point(linalg.NewMatrix[float64](s.o.Features, s.o.Outputs))
	if err := s.gradientAtZero(zero.gradient); err != nil {
		return err
	}
	s.left, err = known(zero, nil, s.now, s.scratch)
	s.gain = s.left.Value
	// What an earlier fit has gained says nothing about what is left.
	if linalg.SquaredNorm(s.average.Data) == 0 {
		s.checkpoints = append(s.checkpoints, zero)
	}
	return err
}

// gradientAtZero writes the gradient at W = 0 to dst: every distribution is uniform there, and its mean is known, unless the spaces of rows
// differ.
func (s *descent) gradientAtZero(dst matrix) error {
	n := s.problem.Len()
	for lo := 0; lo < n; lo += batchRows {
		at := loglinear.Between(lo, min(lo+batchRows, n))
		r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: at, Scores: linalg.NewMatrix[float64](at.Len(), s.o.Outputs),
			Means: linalg.NewMatrix[float64](at.Len(), s.o.Outputs)}
		for k := range r.Means.Rows {
			copy(r.Means.Row(k), s.problem.Mean)
		}
		if s.problem.Uneven {
			if err := s.problem.Answer(s.oracle, r, s.mon); err != nil {
				return err
			}
		}
		if err := s.problem.Residuals(r, 1, s.mon); err != nil {
			return err
		}
		if err := s.problem.AddGradient(dst, at, r.Means); err != nil {
			return err
		}
	}
	return nil
}

// run passes over the rows until little enough is left.
func (s *descent) run() error {
	check, renewal := 1, firstRenewed
	for s.passes < s.o.MaxIter {
		s.passes++
		if err := s.pass(s.stepping, s.o.Seed, s.passes); err != nil {
			return err
		}
		last := s.passes == s.o.MaxIter
		if s.passes == check || last {
			check = max(check+1, int(spacing*float64(s.passes)))
			if err := s.check(); err != nil {
				return err
			}
			if s.left.within(s.limit()) {
				return nil
			}
		}
		if s.passes == renewal && !last {
			renewal *= 2
			if err := s.renew(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check finds what is left at the average.
func (s *descent) check() (err error) {
	// Of the checkpoints at no more than half the passes, the last is left.
	for len(s.checkpoints) > 1 && 2*s.checkpoints[1].passes <= s.passes {
		s.checkpoints = s.checkpoints[1:]
	}
	now := s.point(s.average)
	if s.o.Sampled {
		s.left, err = s.sampled(now)
	} else {
		s.left, err = s.exact(now)
	}
	if err != nil {
		return err
	}
	s.checkpoints = append(s.checkpoints, now)
	s.mon.Report(s.left.Value)
	return nil
}

// renew preconditions by the Hessian at the average, where its spread is known.
func (s *descent) renew() error {
	if !s.o.HasCovariance() {
		return nil
	}
	sums := make([]float64, s.o.SumsLen(loglinear.Spread))
	err := loglinear.AddSums(s.o.Sizes, s.problem, loglinear.Spread, s.average, sums, s.oracle, s.mon)
	if err != nil {
		return err
	}
	now, err := s.hessian.Follow(sums, 0, s.mon)
	if err != nil || now == nil {
		return err
	}
	if s.stepping, err = s.hessian.Follow(sums, damping, s.mon); err != nil {
		return err
	}
	s.now = now
	if s.first, err = firstStep(s.problem, s.stepping, s.hessian, 1, s.mon); err != nil {
		return err
	}
	// Steps that have shrunk are long again where much is left, else they go on shrinking, as noise is what is left.
	if s.left.Value > much*s.gain {
		s.begun = s.count
	}
	return nil
}
