package newton

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
)

const (
	mostGradients  = 500  // conjugate gradients of a step
	loosest        = 0.1  // what they reduce the gradient to, at most
	mostShortening = 40   // of a step
	enough         = 1e-4 // share of the fall that the slope promises
	flattened      = 0.5  // share of the slope that may be left where values differ by rounding
	rounding       = 1e-13
)

// lane holds the column that goes through it. Vectors of the features are q long, those of the rows n.
type lane struct {
	*fit
	j       int
	stage   stage
	started bool // from weights other than zero
	column

	// At the weights: the gradient, and of each row the score, w (E ψ − ψ) and w times the variance.
	weights, gradient          []float64
	scores, residual, variance []float64
	psi                        []float64
	scale                      preconditioner

	// Of conjugate gradients: the step and its scores, what is left of the equation, it preconditioned, the direction and its scores.
	step, left, scaled, direction []float64
	stepScores, directionScores   []float64
	product                       []float64 // of the Hessian of the loss and the direction
	leftSquare, leftFirst, within float64
	gradients                     int
}

// stage says what a lane has to be given by the next pass over the rows.
type stage int

const (
	atStart    stage = iota // the scores of the weights
	atGradient              // the gradient of the residuals
	atProduct               // the product of the Hessian with the direction
	atEnd
)

func newLane(f *fit) *lane {
	l := &lane{fit: f}
	q, n := f.o.Features, f.problem.Len()
	for _, v := range []*[]float64{&l.weights, &l.gradient, &l.step, &l.left, &l.scaled, &l.direction, &l.product} {
		*v = make([]float64, q)
	}
	for _, v := range []*[]float64{&l.scores, &l.residual, &l.variance, &l.psi, &l.stepScores, &l.directionScores} {
		*v = make([]float64, n)
	}
	l.scale = f.metric.preconditioner()
	return l
}

// begin takes a column in.
func (l *lane) begin(j int, start matrix) error {
	l.j, l.column, l.started = j, column{}, false
	for i := range l.psi {
		l.psi[i] = l.problem.Psi.Row(l.problem.Row(i))[j]
	}
	for k := range start.Rows {
		l.weights[k] = start.Row(k)[j]
		l.started = l.started || l.weights[k] != 0
	}
	if l.started {
		if !flat.Finite(l.weights) {
			return loglinear.ErrStart
		}
		l.stage = atStart
		return nil
	}
	return l.fromZero()
}

// fromZero begins at zero, where the gradient is known.
func (l *lane) fromZero() error {
	clear(l.weights)
	clear(l.scores)
	copy(l.gradient, l.slopes.Row(l.j))
	var err error
	if l.objective, err = l.evaluated(l.scores, 0); err != nil {
		return err
	}
	return l.arrive()
}

// evaluated returns the objective at the weights, given scores of which t times those of the step are to be added.
func (l *lane) evaluated(stepScores []float64, t float64) (float64, error) {
	loss, _ := l.law.evaluate(l.scores, stepScores, t, l.psi, l.fit.weights, l.residual, l.variance)
	value := loss + l.o.Alpha*flat.Dot(l.weights, l.weights)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, errObjective
	}
	return value, nil
}

// job returns what the next pass over the rows is to do for the lane.
func (l *lane) job() job {
	switch l.stage {
	case atStart:
		return job{in: l.weights, scores: l.scores}
	case atGradient:
		return job{residual: l.residual, out: l.gradient}
	}
	return job{in: l.direction, scores: l.directionScores, variance: l.variance, out: l.product}
}

// advance takes in what a pass has found and goes on until another is needed, or the column has ended.
func (l *lane) advance() error {
	switch l.stage {
	case atStart:
		value, err := l.evaluated(l.scores, 0)
		if err != nil {
			return err
		}
		zero := l.total * l.law.logZero
		if !(value < zero) {
			return l.fromZero()
		}
		l.objective, l.stage = value, atGradient
		l.moved(value - zero)
		return nil
	case atGradient:
		flat.Axpy(l.gradient, 2*l.o.Alpha, l.weights)
		return l.arrive()
	}
	return l.conjugate()
}

// arrive judges the gradient and begins a step, or ends.
func (l *lane) arrive() error {
	l.largest = l.metric.largest(l.gradient, l.scaled)
	if math.IsNaN(l.largest) || math.IsInf(l.largest, 0) {
		return errObjective
	}
	if l.largest <= l.limit || l.steps >= l.o.MaxIter {
		l.stage = atEnd
		return nil
	}
	if err := l.scale.set(flat.Sum(l.variance) / l.total); err != nil {
		return err
	}
	linalg.ScaleTo(l.left, -1, l.gradient)
	clear(l.step)
	clear(l.stepScores)
	l.scale.applyTo(l.scaled, l.left)
	copy(l.direction, l.scaled)
	l.leftSquare = flat.Dot(l.left, l.scaled)
	l.leftFirst = l.leftSquare
	l.within = l.accuracy(l.largest)
	l.gradients, l.stage = 0, atProduct
	return nil
}

// conjugate takes a conjugate gradient.
func (l *lane) conjugate() error {
	flat.Axpy(l.product, 2*l.o.Alpha, l.direction)
	curvature := flat.Dot(l.direction, l.product)
	if !(curvature > 0) || math.IsInf(curvature, 0) {
		return errObjective
	}
	a := l.leftSquare / curvature
	flat.Axpy(l.step, a, l.direction)
	flat.Axpy(l.stepScores, a, l.directionScores)
	flat.Axpy(l.left, -a, l.product)
	l.scale.applyTo(l.scaled, l.left)
	square := flat.Dot(l.left, l.scaled)
	l.gradients++
	if square <= l.within*l.within*l.leftFirst || l.gradients >= mostGradients {
		return l.search()
	}
	b := square / l.leftSquare
	l.leftSquare = square
	for k, v := range l.scaled {
		l.direction[k] = v + b*l.direction[k]
	}
	return nil
}

// search goes along the step as far as the objective falls.
func (l *lane) search() error {
	alpha := l.o.Alpha
	along, length := flat.Dot(l.weights, l.step), flat.Dot(l.step, l.step)
	norm, slope := flat.Dot(l.weights, l.weights), flat.Dot(l.gradient, l.step)
	t := 1.0
	for range mostShortening {
		loss, found := l.law.evaluate(l.scores, l.stepScores, t, l.psi, l.fit.weights, l.residual, l.variance)
		value := loss + alpha*(norm+2*t*along+t*t*length)
		found += 2 * alpha * (along + t*length)
		if falls(l.objective, value, t, slope, found) {
			flat.Axpy(l.weights, t, l.step)
			flat.Axpy(l.scores, t, l.stepScores)
			l.moved(value - l.objective)
			l.objective, l.stage = value, atGradient
			l.steps++
			return nil
		}
		t = shortened(t, slope, found)
	}
	l.stage = atEnd // rounding: nothing more is to be gained
	return nil
}

// accuracy returns the share of a gradient that conjugate gradients may leave, given its largest entry. Newton's method converges faster
// than linearly where the equation is solved the better the nearer it has got; what the tolerance does not ask for is not solved for.
func (f *fit) accuracy(largest float64) float64 {
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
