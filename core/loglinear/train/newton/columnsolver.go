package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/linalg"
	"combpred/core/loglinear"
)

const (
	mostGradients  = 500  // conjugate gradients of a step
	loosest        = 0.1  // what they reduce the gradient of a column to, at most ...
	loosestJoint   = 0.3  // ... and that of all classes: their first steps have to be shortened, whatever the accuracy
	mostShortening = 40   // of a step
	enough         = 1e-4 // share of the fall that the slope promises
	flattened      = 0.5  // share of the slope that may be left where values differ by rounding
	rounding       = 1e-13
)

// columnSolver minimises the objective of one column at a time. Vectors of the features are q long, those of the rows n.
type columnSolver struct {
	*fit
	j       int
	stage   stage
	started bool // from weights other than zero
	column

	// At the weights: the gradient, and of each row the score, w (E ψ − ψ) and w times the variance.
	weights, gradient          []float64
	scores, residual, variance []float64
	psi                        []float64
	rowWeights                 []float64 // nil: all 1
	total                      float64   // their sum
	scale                      preconditioner

	// Of conjugate gradients: the step and its scores, what is left of the equation, it preconditioned, the direction and its scores.
	step, left, scaled, direction []float64
	stepScores, directionScores   []float64
	product                       []float64 // of the Hessian of the loss and the direction
	leftSquare, leftFirst, within float64
	gradients                     int
}

// stage says what the solver of a column has to be given by the next pass over the rows.
type stage int

const (
	atStart    stage = iota // the scores of the weights
	atGradient              // the gradient of the residuals
	atProduct               // the product of the Hessian with the direction
	atEnd
)

func newColumnSolver(f *fit) *columnSolver {
	s := &columnSolver{fit: f}
	q, n := f.o.Features, f.problem.Len()
	for _, v := range []*[]float64{&s.weights, &s.gradient, &s.step, &s.left, &s.scaled, &s.direction, &s.product} {
		*v = make([]float64, q)
	}
	for _, v := range []*[]float64{&s.scores, &s.residual, &s.variance, &s.psi, &s.stepScores, &s.directionScores} {
		*v = make([]float64, n)
	}
	s.scale = f.metric.preconditioner()
	return s
}

// begin takes a column in.
func (s *columnSolver) begin(j int, start matrix) error {
	s.j, s.column, s.started = j, column{}, false
	for i := range s.psi {
		s.psi[i] = s.problem.Psi.Row(s.problem.Row(i))[j]
	}
	s.rowWeights, s.total = s.weightsOf(j)
	for k := range start.Rows {
		s.weights[k] = start.Row(k)[j]
		s.started = s.started || s.weights[k] != 0
	}
	if s.started {
		if !linalg.Finite(s.weights) {
			return loglinear.ErrStart
		}
		s.stage = atStart
		return nil
	}
	return s.fromZero()
}

// fromZero begins at zero, where the gradient is known.
func (s *columnSolver) fromZero() error {
	clear(s.weights)
	clear(s.scores)
	copy(s.gradient, s.slopes.Row(s.j))
	var err error
	if s.objective, err = s.evaluated(s.scores, 0); err != nil {
		return err
	}
	return s.arrive()
}

// evaluated returns the objective at the weights, given scores of which t times those of the step are to be added.
func (s *columnSolver) evaluated(stepScores []float64, t float64) (float64, error) {
	loss, _ := s.dist.evaluate(s.scores, stepScores, t, s.psi, s.rowWeights, s.residual, s.variance)
	value := loss + s.o.Alpha*linalg.SquaredNorm(s.weights)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, errObjective
	}
	return value, nil
}

// job returns what the next pass over the rows is to do for the column.
func (s *columnSolver) job() job {
	switch s.stage {
	case atStart:
		return job{in: s.weights, scores: s.scores}
	case atGradient:
		return job{residual: s.residual, out: s.gradient}
	}
	return job{in: s.direction, scores: s.directionScores, variance: s.variance, out: s.product}
}

// advance takes in what a pass has found and goes on until another is needed, or the column has ended.
func (s *columnSolver) advance() error {
	switch s.stage {
	case atStart:
		value, err := s.evaluated(s.scores, 0)
		if err != nil {
			return err
		}
		zero := s.total * s.dist.logZero
		if !(value < zero) {
			return s.fromZero()
		}
		s.objective, s.stage = value, atGradient
		s.moved(value - zero)
		return nil
	case atGradient:
		linalg.Axpy(s.gradient, s.weights, 2*s.o.Alpha)
		return s.arrive()
	}
	return s.conjugate()
}

// arrive judges the gradient and begins a step, or ends.
func (s *columnSolver) arrive() error {
	s.largest = s.metric.largest(s.gradient, s.scaled)
	if math.IsNaN(s.largest) || math.IsInf(s.largest, 0) {
		return errObjective
	}
	if s.largest <= s.limit || s.steps >= s.o.MaxIter {
		s.stage = atEnd
		return nil
	}
	if err := s.scale.set(linalg.Sum(s.variance) / s.total); err != nil {
		return err
	}
	linalg.ScaleTo(s.left, -1, s.gradient)
	clear(s.step)
	clear(s.stepScores)
	s.scale.applyTo(s.scaled, s.left)
	copy(s.direction, s.scaled)
	s.leftSquare = floats.Dot(s.left, s.scaled)
	s.leftFirst = s.leftSquare
	s.within = s.accuracy(s.largest, loosest)
	s.gradients, s.stage = 0, atProduct
	return nil
}

// conjugate takes a conjugate gradient.
func (s *columnSolver) conjugate() error {
	linalg.Axpy(s.product, s.direction, 2*s.o.Alpha)
	curvature := floats.Dot(s.direction, s.product)
	if !(curvature > 0) || math.IsInf(curvature, 0) {
		return errObjective
	}
	a := s.leftSquare / curvature
	linalg.Axpy(s.step, s.direction, a)
	linalg.Axpy(s.stepScores, s.directionScores, a)
	linalg.Axpy(s.left, s.product, -a)
	s.scale.applyTo(s.scaled, s.left)
	square := floats.Dot(s.left, s.scaled)
	s.gradients++
	if square <= s.within*s.within*s.leftFirst || s.gradients >= mostGradients {
		return s.search()
	}
	b := square / s.leftSquare
	s.leftSquare = square
	for k, v := range s.scaled {
		s.direction[k] = v + b*s.direction[k]
	}
	return nil
}

// search goes along the step as far as the objective falls.
func (s *columnSolver) search() error {
	alpha := s.o.Alpha
	along, length := floats.Dot(s.weights, s.step), linalg.SquaredNorm(s.step)
	norm, slope := linalg.SquaredNorm(s.weights), floats.Dot(s.gradient, s.step)
	t := 1.0
	for range mostShortening {
		loss, found := s.dist.evaluate(s.scores, s.stepScores, t, s.psi, s.rowWeights, s.residual, s.variance)
		value := loss + alpha*(norm+2*t*along+t*t*length)
		found += 2 * alpha * (along + t*length)
		if falls(s.objective, value, t, slope, found) {
			linalg.Axpy(s.weights, s.step, t)
			linalg.Axpy(s.scores, s.stepScores, t)
			s.moved(value - s.objective)
			s.objective, s.stage = value, atGradient
			s.steps++
			return nil
		}
		t = shortened(t, slope, found)
	}
	s.stage = atEnd // rounding: nothing more is to be gained
	return nil
}

// accuracy returns the share of a gradient, loosest at most, that conjugate gradients may leave, given its largest entry. Newton's method
// converges faster than linearly where the equation is solved the better the nearer it has got; what the tolerance does not ask for is not
// solved for.
func (f *fit) accuracy(largest, loosest float64) float64 {
	return max(min(loosest, math.Sqrt(largest/f.first)), 0.3*f.limit/largest)
}

// falls says whether an objective falls enough at t times a step, from a value and a slope to others.
func falls(from, value, t, slope, found float64) bool {
	return value <= from+enough*t*slope || math.Abs(found) <= -flattened*slope && value <= from+rounding*math.Abs(from)
}

// shortened returns what t is to be next: where the derivative would be 0, were it linear.
func shortened(t, slope, found float64) float64 {
	shorter := t / 2
	if found > 0 {
		shorter = t * slope / (slope - found)
	}
	return max(t/10, min(t/2, shorter))
}
