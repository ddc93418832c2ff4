package loglinear

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

const (
	mostTrials = 20   // points that a line search tries
	decrease   = 1e-3 // the share of the expected decrease that is asked for
	slopeShare = 0.9  // the share of the slope that may be left
	tolerance  = 0.1  // relative width of a bracket that ends a line search at the best point so far
	// roundingCurvature is the curvature along a step below which it is not taken in, relative to the slope.
	roundingCurvature = 2.3e-16
)

// lbfgs is the direction and the line search of L-BFGS in memory that others own. The line search is that of Moré and Thuente (1994) in
// gonum's implementation, whose state is not to be had: it is replayed from the values of the points tried.
type lbfgs struct {
	// Of the header: how many pairs there are, the place of the next, how many points the line search has tried, and where it began:
	// value, slope and first step.
	count, next, trials         *float64
	value, slope, first         *float64
	tried                       []float64 // value and slope of each point tried
	z, gradient, dir            []float64
	steps, differences, inverse []float64 // the pairs, and the inverses of their products
}

func (l *lbfgs) most() int { return len(l.inverse) }

func (l *lbfgs) pair(i int) (step, difference []float64) {
	n := len(l.z)
	return l.steps[i*n : (i+1)*n], l.differences[i*n : (i+1)*n]
}

// forget drops all pairs.
func (l *lbfgs) forget() { *l.count, *l.next = 0, 0 }

// remember takes in a pair of which the step is dir times size, and the new gradient is given; it becomes the current one.
func (l *lbfgs) remember(size float64, gradient []float64) {
	at := int(*l.next)
	step, difference := l.pair(at)
	for i, v := range l.dir {
		step[i] = size * v
		difference[i] = gradient[i] - l.gradient[i]
		l.z[i] += step[i]
	}
	copy(l.gradient, gradient)
	product := dot(step, difference)
	if product <= roundingCurvature*-*l.slope*size {
		return
	}
	l.inverse[at] = 1 / product
	*l.next = float64((at + 1) % l.most())
	*l.count = min(*l.count+1, float64(l.most()))
}

// direct writes the direction −Hg to dir and begins a line search. It returns false where that is no descent.
func (l *lbfgs) direct() bool {
	most, count, last := l.most(), int(*l.count), int(*l.next)
	copy(l.dir, l.gradient)
	shares := make([]float64, count)
	for k := range count { // from the last pair to the first
		i := (last - 1 - k + most) % most
		step, difference := l.pair(i)
		shares[k] = l.inverse[i] * dot(step, l.dir)
		axpy(l.dir, -shares[k], difference)
	}
	*l.first = 1
	if count > 0 {
		i := (last - 1 + most) % most
		_, difference := l.pair(i)
		scale(1/(l.inverse[i]*dot(difference, difference)), l.dir)
	}
	for k := count - 1; k >= 0; k-- {
		i := (last - 1 - k + most) % most
		step, difference := l.pair(i)
		axpy(l.dir, shares[k]-l.inverse[i]*dot(difference, l.dir), step)
	}
	scale(-1, l.dir)
	*l.slope, *l.trials = dot(l.gradient, l.dir), 0
	return *l.slope < 0
}

// outcome is what a line search comes to.
type outcome int

const (
	going    outcome = iota // another point is to be tried
	accepted                // the point tried last is taken
	failed                  // no point is
)

// try takes in the value and the slope of the point that is tried, and returns its step where it is accepted, else that of the next one.
func (l *lbfgs) try(value, slope float64) (step float64, o outcome) {
	line, step := l.replay()
	at := 2 * int(*l.trials)
	l.tried[at], l.tried[at+1] = value, slope
	*l.trials++
	op, next, err := line.Iterate(value, slope)
	switch {
	case err == nil && op == optimize.MajorIteration:
		return step, accepted
	case err == nil && int(*l.trials) < mostTrials:
		return next, going
	case value < *l.value: // no better point is known where it ends so
		return step, accepted
	}
	return 0, failed
}

// replay returns the line search as the points tried have left it, and the step of the one that is tried now.
func (l *lbfgs) replay() (line *optimize.MoreThuente, step float64) {
	line = &optimize.MoreThuente{DecreaseFactor: decrease, CurvatureFactor: slopeShare, StepTolerance: tolerance}
	line.Init(*l.value, *l.slope, *l.first)
	step = *l.first
	for k := range int(*l.trials) {
		_, step, _ = line.Iterate(l.tried[2*k], l.tried[2*k+1])
	}
	return line, step
}

// finite reports whether no entry is infinite or NaN.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
