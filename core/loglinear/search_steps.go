package loglinear

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear/flat"
	"combpred/core/loglinear/lbfgs"
	"combpred/core/parallel"
)

// setZero builds the preconditioner of the Hessian at W = 0.
func (s *Search) setZero(mon *parallel.Monitor) error {
	own := s.own
	sums := own.shared[:s.o.SumsLen(Moments)]
	*own.weight = sums[WeightSum]
	return SetZero(s.o.Sizes, s.o.Alpha, sums, &own.zero, own.curvature, own.variances, mon)
}

// evaluated adds the penalty at some weights to the loss that was asked for there, and returns the objective. The gradient is complete
// in the sums of the loss.
func (s *Search) evaluated(weights matrix) (float64, error) {
	gradient := s.o.GradientOf(s.own.loss)
	flat.Axpy(gradient.Data, 2*s.o.Alpha, weights.Data)
	value := s.own.loss[LossSum] + s.o.Alpha*flat.Dot(weights.Data, weights.Data)
	if math.IsNaN(value) || math.IsInf(value, 0) || !flat.Finite(gradient.Data) {
		return 0, fault.Numerical("the objective is %v, or its gradient is not finite: scale the inputs down", value)
	}
	*s.own.evaluations++
	return value, nil
}

// largest returns the largest entry of a gradient by W, preconditioned by the Hessian at zero.
func (s *Search) largest(gradient matrix) (top float64) {
	s.own.zero.PullBackTo(s.own.scratch, gradient)
	for _, v := range s.own.scratch.Data {
		top = max(top, math.Abs(v))
	}
	return top
}

func (s *Search) afterZero(mon *parallel.Monitor) (SearchRequest, error) {
	own := s.own
	value, err := s.evaluated(own.weights)
	if err != nil {
		return SearchRequest{}, err
	}
	own.accepted.CopyFrom(s.o.GradientOf(own.loss))
	*own.current, *own.firstLargest, *own.length = value, s.largest(own.accepted), firstLength
	if *own.firstLargest > 0 { // else the observed means are the uniform ones
		*own.residual = 1
	}
	mon.Report(value)
	if *own.warm != 0 {
		return s.ask(atStart), nil
	}
	return s.begin(), nil
}

func (s *Search) afterStart(mon *parallel.Monitor) (SearchRequest, error) {
	own := s.own
	value, err := s.evaluated(own.trial)
	if err != nil {
		return SearchRequest{}, err
	}
	if value < *own.current {
		s.move(value)
		mon.Report(value)
	}
	return s.begin(), nil
}

// move makes the point tried the current one.
func (s *Search) move(value float64) {
	own := s.own
	own.weights.CopyFrom(own.trial)
	own.accepted.CopyFrom(s.o.GradientOf(own.loss))
	*own.current = value
	if *own.firstLargest > 0 {
		*own.residual = s.largest(own.accepted) / *own.firstLargest
	}
}

// over says whether there is nothing more to do.
func (s *Search) over() bool {
	return *s.own.residual <= s.o.Tol || int(*s.own.iterations) >= s.o.MaxIter
}

// begin begins a search with a preconditioner of its own.
func (s *Search) begin() SearchRequest {
	if s.over() {
		return s.ask(atEnd)
	}
	if s.o.HasCovariance() && linalg.Dot(s.own.weights.Data, s.own.weights.Data) > 0 {
		return s.ask(atSpread)
	}
	*s.own.moved = 0
	return s.launch()
}

// afterSpread builds the preconditioner of the Hessian at the current weights, where the spread is known.
func (s *Search) afterSpread(mon *parallel.Monitor) (SearchRequest, error) {
	own := s.own
	f := Following{s.o.Sizes, s.o.Alpha, own.shared[:s.o.SumsLen(Spread)], *own.weight, &own.zero, own.curvature, own.variances}
	if *own.moved = 0; !f.Known() {
		return s.launch(), nil
	}
	if err := f.Set(&own.followed, own.movedCurvature, own.spread, 0, mon); err != nil {
		return SearchRequest{}, err
	}
	*own.moved = 1
	return s.launch(), nil
}

// preconditioner returns that of the current search.
func (s *Search) preconditioner() *Preconditioner {
	if *s.own.moved != 0 {
		return &s.own.followed
	}
	return &s.own.zero
}

// coordinates returns x, q×d in one piece, as a matrix.
func (s *Search) coordinates(x []float64) matrix { return flat.Shaped(x, s.o.Features, s.o.Outputs) }

// launch begins a search from the current weights.
func (s *Search) launch() SearchRequest {
	own, p := s.own, s.preconditioner()
	p.CoordinatesTo(s.coordinates(own.line.Point), own.weights)
	p.PullBackTo(s.coordinates(own.line.Gradient), own.accepted)
	own.line.Forget()
	*own.before = *own.current
	*own.left = min(math.Floor(*own.length), float64(s.o.MaxIter)-*own.iterations)
	*own.searches++
	return s.advance()
}

// advance begins a line search.
func (s *Search) advance() SearchRequest {
	line := s.own.line
	if !line.Begin(*s.own.current) {
		if line.Empty() {
			return s.endSearch()
		}
		// Rounding: the pairs are forgotten.
		line.Forget()
		return s.advance()
	}
	return s.tryStep(line.First())
}

// tryStep asks for the loss at a step along the direction.
func (s *Search) tryStep(step float64) SearchRequest {
	own := s.own
	copy(own.scratch.Data, own.line.Point)
	flat.Axpy(own.scratch.Data, step, own.line.Direction)
	s.preconditioner().WeightsTo(own.trial, own.scratch)
	return s.ask(atTrial)
}

func (s *Search) afterTrial(mon *parallel.Monitor) (SearchRequest, error) {
	own, line := s.own, s.own.line
	value, err := s.evaluated(own.trial)
	if err != nil {
		return SearchRequest{}, err
	}
	s.preconditioner().PullBackTo(own.scratch, s.o.GradientOf(own.loss))
	step, outcome := line.Try(value, flat.Dot(own.scratch.Data, line.Direction))
	switch outcome {
	case lbfgs.Going:
		return s.tryStep(step), nil
	case lbfgs.Failed:
		if line.Empty() {
			return s.endSearch(), nil
		}
		line.Forget()
		return s.advance(), nil
	}
	line.Remember(step, own.scratch.Data)
	before, residual := *own.current, *own.residual
	s.move(value)
	gained := value < before || *own.residual < residual // where values differ by rounding
	*own.iterations++
	*own.left--
	mon.Advance(1)
	mon.Report(value)
	switch {
	case s.over():
		return s.ask(atEnd), nil
	case !gained || *own.left <= 0:
		return s.endSearch(), nil
	}
	return s.advance(), nil
}

// endSearch begins another search, where the one that ends has led further: a line search can fail for rounding.
func (s *Search) endSearch() SearchRequest {
	if !(*s.own.current < *s.own.before) {
		return s.ask(atEnd)
	}
	*s.own.length *= lengthening
	return s.begin()
}
