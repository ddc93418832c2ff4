package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear/lbfgs"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	mostPairs   = 100     // pairs of differences that L-BFGS keeps at most: nearly separable data need many
	fewestPairs = 20      // at least
	pairNumbers = 1 << 20 // in more pairs than the fewest, which would cost as much as partition functions do
	firstLength = 8       // iterations with the first preconditioner: soon distributions are far from uniform ...
	lengthening = 2       // ... and by how much each search is longer than the one before
	rounding    = 1e-12   // of a preconditioned gradient, for each root of the weight of all rows
)

// SearchOptions are those of Minimise.
type SearchOptions struct {
	Sizes
	Alpha   float64 // penalty, positive
	Tol     float64 // the search is over when no entry of the gradient exceeds this share of the largest at W = 0, both preconditioned
	MaxIter int     // iterations at most
}

// Check returns an error that names the first option that is illegal.
func (o SearchOptions) Check() error {
	switch {
	case !(o.Alpha > 0) || math.IsInf(o.Alpha, 0):
		return fault.Value("alpha is %v, must be positive and finite", o.Alpha)
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 0):
		return fault.Value("tol is %v, must be finite and at least 0", o.Tol)
	case o.MaxIter < 0:
		return fault.Value("the iterations are limited to %d, must be at least 0", o.MaxIter)
	}
	return o.check()
}

// pairs returns how many pairs of differences are kept.
func (o SearchOptions) pairs() int {
	return max(fewestPairs, min(mostPairs, pairNumbers/o.Len()))
}

// Summer knows rows by sums over all of them.
type Summer interface {
	// AddSums adds the sums of a kind to sums, of which there are SumsLen(kind), all zero. Moments are without weights.
	AddSums(kind Kind, weights matrix, sums []float64) error
}

// Found is where a search has ended.
type Found struct {
	Weights     matrix
	Objective   float64
	Iterations  int
	Evaluations int     // of the loss
	Residual    float64 // largest entry of the preconditioned gradient, relative to that at zero
}

// search minimises the objective.
type search struct {
	Found
	o       SearchOptions
	summer  Summer
	mon     *parallel.Monitor
	hessian *Hessian
	largest float64 // entry of the preconditioned gradient at zero

	gradient       matrix // at the weights
	trial, scratch matrix
	loss           []float64     // the sums at trial, the gradient of the objective among them
	line           *lbfgs.Method // whose point and gradient are those of the search
}

// Minimise minimises α‖W‖² plus a loss over the weights W (q×d). The covariance of ψ under the uniform distribution is not read where d is
// above LargestCovariance. It begins at zero or, where they are better, at the weights start, unless these have no rows.
//
// It ends when no entry of the gradient, preconditioned by the Hessian at zero, exceeds Tol times the largest one there, or after MaxIter
// iterations. Each costs about one evaluation of the loss. Where distributions come to be far from uniform, the search is preconditioned
// by the Hessian where it is: after 8 iterations, after 16 more, after 32, and so on.
//
// Where the whole output was not seen of all rows, the loss is a difference of convex functions, and the search ends where it is
// stationary.
func Minimise(o SearchOptions, summer Summer, covariance, start matrix, work Workplace, mon *parallel.Monitor) (Found, error) {
	if err := o.Check(); err != nil {
		return Found{}, err
	}
	if err := o.CheckBegin(covariance, start); err != nil {
		return Found{}, err
	}
	q, d := o.Features, o.Outputs
	room := func() matrix { return linalg.NewMatrix[float64](q, d) }
	s := &search{o: o, summer: summer, mon: mon, trial: room(), scratch: room(), loss: make([]float64, o.SumsLen(Loss)),
		line: lbfgs.New(o.Len(), o.pairs())}
	s.Weights, s.gradient = linalg.Shaped(s.line.Point, q, d), linalg.Shaped(s.line.Gradient, q, d)
	if err := s.begin(covariance, start, work); err != nil {
		return Found{}, err
	}
	if err := s.descend(); err != nil {
		return Found{}, err
	}
	return s.Found, nil
}

// descend searches until there is nothing more to do.
func (s *search) descend() error {
	for length := firstLength; !s.over(); length = lengthening * min(length, s.o.MaxIter) {
		before := s.Objective
		if err := s.run(length); err != nil {
			return err
		}
		if !(s.Objective < before) { // a line search can fail for rounding: others go on where it has led further
			return nil
		}
	}
	return nil
}

// CheckBegin returns an error unless covariance and start fit weights of these sizes, which start, unless it has no rows, holds.
func (s Sizes) CheckBegin(covariance, start matrix) error {
	switch d := s.Outputs; {
	case s.HasCovariance() && (covariance.Rows != d || covariance.Cols != d):
		return fault.Value("the covariance is %d×%d, must be %d×%d", covariance.Rows, covariance.Cols, d, d)
	case start.Rows != 0 && (start.Rows != s.Features || start.Cols != d):
		return fault.Value("the start is %d×%d, must be %d×%d", start.Rows, start.Cols, s.Features, d)
	}
	for i := range start.Rows {
		if !linalg.Finite(start.Row(i)) {
			return ErrStart
		}
	}
	return nil
}

// sums asks for the sums of a kind.
func (s *search) sums(kind Kind, weights matrix, sums []float64) error {
	if err := s.mon.Err(); err != nil {
		return err
	}
	clear(sums)
	return s.summer.AddSums(kind, weights, sums)
}

// begin finds the Hessian at zero, and out of zero and start where to begin.
func (s *search) begin(covariance, start matrix, work Workplace) error {
	sums := make([]float64, s.o.SumsLen(Moments))
	err := s.sums(Moments, s.Weights, sums)
	if err != nil {
		return err
	}
	if s.hessian, err = NewHessian(s.o.Sizes, s.o.Alpha, sums, covariance, work, s.mon); err != nil {
		return err
	}
	value, err := s.evaluate()
	if err != nil {
		return err
	}
	if s.largest, err = s.largestOf(s.o.GradientOf(s.loss)); err != nil {
		return err
	}
	if s.largest <= rounding*math.Sqrt(sums[WeightSum]) { // nothing is known of the rows
		s.largest = 0
	}
	if err := s.move(value); err != nil {
		return err
	}
	s.mon.Report(value)
	if start.Rows == 0 {
		return nil
	}
	s.trial.CopyFrom(start)
	if value, err = s.evaluate(); err != nil || !(value < s.Objective) {
		return err
	}
	s.mon.Report(value)
	return s.move(value)
}

// evaluate returns the objective at trial.
func (s *search) evaluate() (float64, error) {
	if err := s.sums(Loss, s.trial, s.loss); err != nil {
		return 0, err
	}
	gradient, w := s.o.GradientOf(s.loss).Data, s.trial.Data
	linalg.Axpy(gradient, w, 2*s.o.Alpha)
	value := s.loss[LossSum] + s.o.Alpha*linalg.SquaredNorm(w)
	if math.IsNaN(value) || math.IsInf(value, 0) || !linalg.Finite(gradient) {
		return 0, fault.Numerical("the objective is %v, or its gradient is not finite: scale the inputs down", value)
	}
	s.Evaluations++
	return value, nil
}

// largestOf returns the largest entry of a gradient by W, preconditioned by the Hessian at zero.
func (s *search) largestOf(gradient matrix) (top float64, err error) {
	err = s.hessian.PullBackTo(s.scratch, gradient)
	for _, v := range s.scratch.Data {
		top = max(top, math.Abs(v))
	}
	return top, err
}

// move makes trial the current point.
func (s *search) move(value float64) error {
	s.Weights.CopyFrom(s.trial)
	s.gradient.CopyFrom(s.o.GradientOf(s.loss))
	s.Objective = value
	if s.largest == 0 { // the observed means are the uniform ones
		return nil
	}
	top, err := s.largestOf(s.gradient)
	s.Residual = top / s.largest
	return err
}

// over says whether there is nothing more to do.
func (s *search) over() bool { return s.Residual <= s.o.Tol || s.Iterations >= s.o.MaxIter }

// preconditioner returns that of the Hessian where the search is.
func (s *search) preconditioner() (*Preconditioner, error) {
	if !s.o.HasCovariance() || linalg.SquaredNorm(s.Weights.Data) == 0 {
		return s.hessian.Preconditioner, nil
	}
	sums := make([]float64, s.o.SumsLen(Spread))
	if err := s.sums(Spread, s.Weights, sums); err != nil {
		return nil, err
	}
	if !linalg.Finite(sums) {
		return nil, fault.Value("the sums of distributions' spread are infinite or NaN")
	}
	by, err := s.hessian.Follow(sums, 0, s.mon)
	if by == nil {
		by = s.hessian.Preconditioner
	}
	return by, err
}

// run searches for so many iterations at most, from the current weights, with a preconditioner of its own. What earlier ones have learnt
// about the Hessian, beyond their own preconditioners, stays known.
func (s *search) run(length int) error {
	by, err := s.preconditioner()
	if err != nil {
		return err
	}
	line := s.line
	line.Inverse = inverseHessian{by, s.scratch}
	var value float64 // at trial
	try := func(step float64) (_, slope float64, err error) {
		s.trial.CopyFrom(s.Weights)
		linalg.Axpy(s.trial.Data, line.Direction, step)
		if value, err = s.evaluate(); err != nil {
			return 0, 0, err
		}
		return value, floats.Dot(s.o.GradientOf(s.loss).Data, line.Direction), nil
	}
	for length = min(length, s.o.MaxIter-s.Iterations); length > 0; {
		step, err := line.Search(s.Objective, try)
		switch {
		case err != nil:
			return err
		case step == 0 && line.Empty():
			return nil
		case step == 0: // rounding
			line.Forget()
			continue
		}
		line.Move(step, s.o.GradientOf(s.loss).Data)
		before, residual := s.Objective, s.Residual
		if err := s.move(value); err != nil {
			return err
		}
		s.Iterations++
		length--
		s.mon.Advance(1)
		s.mon.Report(value)
		gained := value < before || s.Residual < residual // where values differ by rounding
		if !gained {                                      // the pairs do not, either, tell where to go
			line.Forget()
		}
		if s.over() || !gained {
			return nil
		}
	}
	return nil
}

// inverseHessian is what a preconditioner knows of the inverse of the Hessian.
type inverseHessian struct {
	by      *Preconditioner
	scratch matrix
}

func (h inverseHessian) shaped(g []float64) matrix {
	return linalg.Shaped(g, h.scratch.Rows, h.scratch.Cols)
}

func (h inverseHessian) Apply(g []float64) error { return h.by.ApplyTo(h.shaped(g), h.shaped(g)) }

func (h inverseHessian) Square(g []float64) (float64, error) {
	err := h.by.PullBackTo(h.scratch, h.shaped(g))
	return linalg.SquaredNorm(h.scratch.Data), err
}

// rows are those of a problem, of which an oracle knows the distributions.
type rows struct {
	sizes   Sizes
	problem *Problem
	oracle  Oracle
	mon     *parallel.Monitor
}

func (r rows) AddSums(kind Kind, weights matrix, sums []float64) error {
	return AddSums(r.sizes, r.problem, kind, weights, sums, r.oracle, r.mon)
}

// Fit minimises the objective of the rows of a problem, with expectations from an oracle. Start is as for Minimise.
func Fit(o SearchOptions, p *Problem, space structure.Space, oracle Oracle, start matrix, mon *parallel.Monitor) (Found, error) {
	covariance, err := Covariance(space)
	if err != nil {
		return Found{}, err
	}
	return Minimise(o, rows{o.Sizes, p, oracle, mon}, covariance, start, p.Work, mon)
}

// MeanOf returns the mean of ψ under the uniform distribution, which a Problem needs.
func MeanOf(space structure.Space) ([]float64, error) {
	m, err := moments(space)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, space.FeatureLen())
	m.Mean(mean)
	return mean, nil
}

// Covariance returns that of ψ under the uniform distribution, without rows where it is larger than a search reads.
func Covariance(space structure.Space) (matrix, error) {
	m, err := moments(space)
	d := space.FeatureLen()
	if err != nil || d > LargestCovariance {
		return matrix{}, err
	}
	mean, cov := make([]float64, d), linalg.NewMatrix[float64](d, d)
	m.Mean(mean)
	m.SecondMoment(linalg.General(cov))
	row := linalg.Shaped(mean, 1, d)
	linalg.Gemm(blas.Trans, blas.NoTrans, -1, row, row, 1, cov)
	return cov, nil
}

func moments(space structure.Space) (structure.Momenter, error) {
	m, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	return m, nil
}
