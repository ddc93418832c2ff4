package loglinear

import (
	"math"

	"combpred/core/fault"
	"combpred/core/loglinear/flat"
	"combpred/core/loglinear/lbfgs"
	"combpred/core/parallel"
)

const (
	mostPairs   = 100     // pairs of differences that L-BFGS keeps at most: nearly separable data need many
	fewestPairs = 20      // at least
	pairNumbers = 1 << 20 // in more pairs than the fewest, which would cost as much as partition functions do
	firstLength = 60      // iterations with the first preconditioner ...
	lengthening = 3       // ... and by how much each search is longer than the one before
)

// SearchOptions are those of a Search. The covariance of ψ is what a structure says of the uniform distribution.
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
	return o.Sizes.check()
}

// pairs returns how many pairs of differences are kept.
func (o SearchOptions) pairs() int {
	return max(fewestPairs, min(mostPairs, pairNumbers/o.Len()))
}

// Where a search is: what it waits for.
const (
	toBegin   = iota
	atMoments // the moments of the features
	atZero    // the loss at W = 0
	atStart   // the loss at the weights of an earlier fit
	atSpread  // the spread at the current weights
	atTrial   // the loss at the point that a line search tries
	atEnd
)

// Search minimises α‖W‖² plus a loss over the weights W (q×d), from zero or from weights that are better. It is all on its state.
//
// It stops when no entry of the gradient, preconditioned by the Hessian at zero, exceeds Tol times the largest one there, or after
// MaxIter iterations. Each costs about one evaluation of the loss. Where distributions come to be far from uniform, the search is
// preconditioned by the Hessian where it is: after 60 iterations, after 180 more, and so on.
type Search struct {
	o   SearchOptions
	own *searchState
}

// searchState are views of the flat state.
type searchState struct {
	mark, stage, iterations, evaluations, searches *float64
	current, residual, firstLargest                *float64 // objective, and the gradient's largest entry relative to that at zero
	length, left, before                           *float64 // of this search: iterations and those left, and where it began
	weight, warm, moved                            *float64
	line                                           *lbfgs.Method
	weights, trial, accepted                       matrix // accepted: the gradient by the weights
	loss                                           []float64
	scratch                                        matrix
	shared                                         []float64 // sums of moments, which are read before there are pairs
	curvature, movedCurvature, variances, spread   []float64
	zero, followed                                 Preconditioner
	size                                           int
}

const searchHeader = 16

// layout cuts a state into its parts.
func (o SearchOptions) layout(state []float64) *searchState {
	t := &flat.Tape{Data: state}
	s, q, d := new(searchState), o.Features, o.Outputs
	if header := t.Take(searchHeader); header != nil {
		for i, p := range []**float64{&s.mark, &s.stage, &s.iterations, &s.evaluations, &s.searches, &s.current, &s.residual,
			&s.firstLargest, &s.length, &s.left, &s.before, &s.weight, &s.warm, &s.moved} {
			*p = &header[i]
		}
	}
	s.weights, s.trial, s.accepted = t.Matrix(q, d), t.Matrix(q, d), t.Matrix(q, d)
	s.scratch = t.Matrix(q, d)
	s.loss = t.Take(o.SumsLen(Loss))
	m := o.pairs()
	header, vectors, inverse := t.Take(lbfgs.HeaderLen), t.Take(3*o.Len()), t.Take(m)
	lo := t.At
	pairs := t.Take(2 * m * o.Len())
	// What is summed between searches lies where the pairs do, which each search begins without.
	if more := max(o.SumsLen(Moments), o.SumsLen(Spread)) - 2*m*o.Len(); more > 0 {
		t.Take(more)
	}
	if state != nil {
		s.shared = state[lo:t.At:t.At]
		s.line = lbfgs.Open(o.Len(), header, vectors, inverse, pairs)
	}
	work := [2]matrix{t.Matrix(q, d), t.Matrix(q, d)}
	s.zero, s.followed = Preconditioner{Work: work}, Preconditioner{Work: work}
	s.curvature, s.movedCurvature = t.Take(q), t.Take(q)
	s.zero.Scale, s.followed.Scale = t.Matrix(q, d), t.Matrix(q, d)
	if o.Gram() {
		s.zero.Features = t.Matrix(q, q)
		s.followed.Features = s.zero.Features
	}
	if o.Moves() {
		s.followed.Features = t.Matrix(q, q)
	}
	s.variances, s.spread = t.Take(d), t.Take(d)
	if o.HasCovariance() {
		s.zero.Outputs, s.followed.Outputs = t.Matrix(d, d), t.Matrix(d, d)
	}
	s.size = t.At
	return s
}

// StateLen returns the length of the state of a search.
func (o SearchOptions) StateLen() (int, error) {
	if err := o.Check(); err != nil {
		return 0, err
	}
	return o.layout(nil).size, nil
}

func (o SearchOptions) mark() float64 { return flat.Mark("search", o) }

// NewSearch begins a search in a state of length StateLen. The covariance of ψ under the uniform distribution is d×d; it is not read
// where d is above LargestCovariance. Start, unless it has no rows, are weights to begin with where they are better than zero.
func NewSearch(o SearchOptions, state []float64, covariance, start matrix) (*Search, error) {
	length, err := o.StateLen()
	if err != nil {
		return nil, err
	}
	if err := flat.CheckLength(state, length); err != nil {
		return nil, err
	}
	switch d := o.Outputs; {
	case o.HasCovariance() && (covariance.Rows != d || covariance.Cols != d):
		return nil, fault.Value("the covariance is %d×%d, must be %d×%d", covariance.Rows, covariance.Cols, d, d)
	case start.Rows != 0 && (start.Rows != o.Features || start.Cols != d):
		return nil, fault.Value("the start is %d×%d, must be %d×%d", start.Rows, start.Cols, o.Features, d)
	}
	clear(state)
	own := o.layout(state)
	*own.mark = o.mark()
	if o.HasCovariance() {
		own.zero.Outputs.CopyFrom(covariance)
	}
	if start.Rows > 0 {
		own.trial.CopyFrom(start)
		if !flat.Finite(own.trial.Data) {
			return nil, fault.Value("the start has entries that are infinite or NaN")
		}
		*own.warm = 1
	}
	return &Search{o, own}, nil
}

// ResumeSearch returns the search that a state holds.
func ResumeSearch(o SearchOptions, state []float64) (*Search, error) {
	length, err := o.StateLen()
	if err != nil {
		return nil, err
	}
	if err := flat.CheckState(state, length, o.mark()); err != nil {
		return nil, err
	}
	own := o.layout(state)
	if err := fault.First(flat.CheckWhole(*own.stage, toBegin, atEnd), own.line.Check()); err != nil {
		return nil, err
	}
	return &Search{o, own}, nil
}

// SearchRequest says what a search needs, or that it is over.
type SearchRequest struct {
	Kind    Kind
	Weights matrix    // q×d, where the loss or the spread is asked for; when Finished, where the search has ended
	Sums    []float64 // SumsLen(Kind) zeros in the state, to which the sums over all rows are to be added
}

// Found is where a search has got to.
type Found struct {
	Weights     matrix // in the state
	Objective   float64
	Iterations  int
	Evaluations int     // of the loss
	Residual    float64 // largest entry of the preconditioned gradient, relative to that at zero
}

// Found returns where the search has got to, after the loss at zero is known.
func (s *Search) Found() Found {
	own := s.own
	return Found{own.weights, *own.current, int(*own.iterations), int(*own.evaluations), *own.residual}
}

// Next takes in the sums that were asked for last and goes on until others are needed. It returns the same request again where it is
// called after it has finished. After an error from mon it may be called again; after others the state is unspecified.
func (s *Search) Next(mon *parallel.Monitor) (SearchRequest, error) {
	if err := mon.Err(); err != nil {
		return SearchRequest{}, err
	}
	own := s.own
	switch *own.stage {
	case toBegin:
		return s.ask(atMoments), nil
	case atMoments:
		if err := s.setZero(mon); err != nil {
			return SearchRequest{}, err
		}
		return s.ask(atZero), nil
	case atZero:
		return s.afterZero(mon)
	case atStart:
		return s.afterStart(mon)
	case atSpread:
		return s.afterSpread(mon)
	case atTrial:
		return s.afterTrial(mon)
	}
	return s.ask(atEnd), nil
}

// ask moves to a stage and returns its request.
func (s *Search) ask(stage float64) SearchRequest {
	*s.own.stage = stage
	r := s.request()
	clear(r.Sums)
	return r
}

// request returns the request of the current stage.
func (s *Search) request() SearchRequest {
	own := s.own
	r := SearchRequest{Weights: own.weights}
	switch *own.stage {
	case atMoments:
		r.Kind, r.Sums = Moments, own.shared[:s.o.SumsLen(Moments)]
	case atSpread:
		r.Kind, r.Sums = Spread, own.shared[:s.o.SumsLen(Spread)]
	case atZero, atStart, atTrial:
		r.Kind, r.Sums = Loss, own.loss
		if *own.stage != atZero {
			r.Weights = own.trial
		}
	}
	return r
}
