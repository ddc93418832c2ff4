// Package lbfgs holds the directions and the line search of L-BFGS (Liu and Nocedal 1989) in memory that the caller owns, so that a search
// can stop at any evaluation and go on later. The line search is that of Moré and Thuente (1994) in gonum's implementation, whose state is
// not to be had: it is replayed from the values of the points tried.
package lbfgs

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"

	"combpred/core/fault"
	"combpred/core/loglinear/flat"
)

const (
	mostTrials = 20   // points that a line search tries
	decrease   = 1e-3 // the share of the expected decrease that is asked for
	slopeShare = 0.9  // the share of the slope that may be left
	tolerance  = 0.1  // relative width of a bracket that ends a line search at the best point so far
	// roundingCurvature is the curvature along a step below which it is not taken in, relative to the slope.
	roundingCurvature = 2.3e-16
	// valueRounding is the relative difference of values below which slopes alone decide, by the approximate Wolfe conditions (Hager and
	// Zhang 2005).
	valueRounding = 1e-13
)

// HeaderLen is the length of the header.
const HeaderLen = 6 + 2*mostTrials

// Method is L-BFGS in n variables. It is all on the memory that it was opened on.
type Method struct {
	count, next, trials         *float64  // pairs, the place of the next, and points that the line search has tried
	value, slope, first         *float64  // where the line search began, and its first step
	tried                       []float64 // value and slope of each point tried
	Point, Gradient, Direction  []float64 // the current point and the gradient there, which the caller sets to begin with
	steps, differences, inverse []float64 // the pairs, and the inverses of their products
}

// Open returns the method on a header of HeaderLen numbers, vectors of 3n, the inverses of as many products as there may be pairs, and
// 2n numbers for each pair. Begun with zeros in the header.
func Open(n int, header, vectors, inverse, pairs []float64) *Method {
	half := len(inverse) * n
	return &Method{
		count: &header[0], next: &header[1], trials: &header[2], value: &header[3], slope: &header[4], first: &header[5],
		tried: header[6:HeaderLen], Point: vectors[:n], Gradient: vectors[n : 2*n], Direction: vectors[2*n : 3*n],
		steps: pairs[:half], differences: pairs[half : 2*half], inverse: inverse,
	}
}

// Check returns an error unless the numbers of pairs and of points tried are such.
func (l *Method) Check() error {
	return fault.First(flat.CheckWhole(*l.count, 0, l.most()), flat.CheckWhole(*l.next, 0, l.most()-1),
		flat.CheckWhole(*l.trials, 0, mostTrials-1))
}

func (l *Method) most() int { return len(l.inverse) }

func (l *Method) pair(i int) (step, difference []float64) {
	n := len(l.Point)
	return l.steps[i*n : (i+1)*n], l.differences[i*n : (i+1)*n]
}

// Forget drops all pairs.
func (l *Method) Forget() { *l.count, *l.next = 0, 0 }

// Remember takes in a pair of which the step is dir times size, and the new gradient is given; it becomes the current one.
func (l *Method) Remember(size float64, gradient []float64) {
	at := int(*l.next)
	step, difference := l.pair(at)
	for i, v := range l.Direction {
		step[i] = size * v
		difference[i] = gradient[i] - l.Gradient[i]
		l.Point[i] += step[i]
	}
	copy(l.Gradient, gradient)
	product := dot(step, difference)
	if product <= roundingCurvature*-*l.slope*size {
		return
	}
	l.inverse[at] = 1 / product
	*l.next = float64((at + 1) % l.most())
	*l.count = min(*l.count+1, float64(l.most()))
}

// Begin writes the direction −Hg and begins a line search at a value. It returns false where that is no descent.
func (l *Method) Begin(value float64) bool {
	*l.value = value
	most, count, last := l.most(), int(*l.count), int(*l.next)
	copy(l.Direction, l.Gradient)
	shares := make([]float64, count)
	for k := range count { // from the last pair to the first
		i := (last - 1 - k + most) % most
		step, difference := l.pair(i)
		shares[k] = l.inverse[i] * dot(step, l.Direction)
		axpy(l.Direction, -shares[k], difference)
	}
	*l.first = 1
	if count > 0 {
		i := (last - 1 + most) % most
		_, difference := l.pair(i)
		scale(1/(l.inverse[i]*dot(difference, difference)), l.Direction)
	}
	for k := count - 1; k >= 0; k-- {
		i := (last - 1 - k + most) % most
		step, difference := l.pair(i)
		axpy(l.Direction, shares[k]-l.inverse[i]*dot(difference, l.Direction), step)
	}
	scale(-1, l.Direction)
	*l.slope, *l.trials = dot(l.Gradient, l.Direction), 0
	return *l.slope < 0
}

// Outcome is what a line search comes to.
type Outcome int

const (
	Going    Outcome = iota // another point is to be tried
	Accepted                // the point tried last is taken
	Failed                  // no point is
)

// Try takes in the value and the slope of the point that is tried, and returns its step where it is accepted, else that of the next one.
func (l *Method) Try(value, slope float64) (step float64, o Outcome) {
	if !(*l.slope < 0 && *l.first > 0) { // of a state that has been damaged
		return 0, Failed
	}
	line, step := l.replay()
	at := 2 * int(*l.trials)
	l.tried[at], l.tried[at+1] = value, slope
	*l.trials++
	op, next, err := line.Iterate(value, slope)
	switch {
	case err == nil && op == optimize.MajorIteration:
		return step, Accepted
	case math.Abs(value-*l.value) <= valueRounding*math.Abs(*l.value) && slope >= slopeShare**l.slope && slope <= (2*decrease-1)**l.slope:
		return step, Accepted // values cannot tell, slopes can
	case err == nil && int(*l.trials) < mostTrials:
		return next, Going
	case value < *l.value: // no better point is known where it ends so
		return step, Accepted
	}
	return 0, Failed
}

// replay returns the line search as the points tried have left it, and the step of the one that is tried now.
func (l *Method) replay() (line *optimize.MoreThuente, step float64) {
	line = &optimize.MoreThuente{DecreaseFactor: decrease, CurvatureFactor: slopeShare, StepTolerance: tolerance}
	line.Init(*l.value, *l.slope, *l.first)
	step = *l.first
	for k := range int(*l.trials) {
		_, step, _ = line.Iterate(l.tried[2*k], l.tried[2*k+1])
	}
	return line, step
}

// Empty says whether there are no pairs, so that the direction is that of the gradient.
func (l *Method) Empty() bool { return *l.count == 0 }

// First returns the first step of the line search.
func (l *Method) First() float64 { return *l.first }

func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

func axpy(dst []float64, a float64, x []float64) { blas64.Axpy(a, vector(x), vector(dst)) }

func scale(a float64, x []float64) { blas64.Scal(a, vector(x)) }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
