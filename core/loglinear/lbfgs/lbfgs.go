// Package lbfgs holds L-BFGS (Liu and Nocedal 1989) with the line search of Moré and Thuente (1994) in gonum's implementation. Unlike
// gonum's own L-BFGS it goes on where values differ by no more than rounding, as slopes still tell points apart there.
package lbfgs

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"combpred/core/linalg"
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

// Inverse is the inverse of the Hessian as far as it is known, H.
type Inverse interface {
	Apply(g []float64) error             // replaces g by H g
	Square(g []float64) (float64, error) // returns gᵀ H g
}

// Method is L-BFGS. Its caller sets Point and Gradient to begin with.
type Method struct {
	// Inverse is what the pairs correct, up to a factor; nil: the identity. It may be replaced at any time: pairs do not depend on it.
	Inverse                    Inverse
	Point, Gradient, Direction []float64 // the current point, the gradient there, and where the last line search has led
	slope                      float64   // along Direction

	most  int    // pairs that are kept
	pairs []pair // a ring, whose oldest one is next
	next  int
	spare pair // memory for the next one
}

// pair is a step and by how much the gradient differs behind it.
type pair struct {
	step, difference []float64
	inverse          float64 // of their product
}

// New returns the method in n variables that keeps so many pairs of differences at most.
func New(n, most int) *Method {
	return &Method{Point: make([]float64, n), Gradient: make([]float64, n), Direction: make([]float64, n), most: most}
}

// Forget drops all pairs.
func (l *Method) Forget() { l.pairs, l.next = nil, 0 }

// Empty says whether there are no pairs, so that the direction is that of the gradient.
func (l *Method) Empty() bool { return len(l.pairs) == 0 }

// Move goes so far along the direction, to a point of the given gradient, and takes in the pair.
func (l *Method) Move(size float64, gradient []float64) {
	if l.spare.step == nil {
		l.spare = pair{step: make([]float64, len(l.Point)), difference: make([]float64, len(l.Point))}
	}
	p := l.spare
	for i, v := range l.Direction {
		p.step[i] = size * v
		p.difference[i] = gradient[i] - l.Gradient[i]
		l.Point[i] += p.step[i]
	}
	copy(l.Gradient, gradient)
	product := floats.Dot(p.step, p.difference)
	if product <= roundingCurvature*-l.slope*size {
		return
	}
	p.inverse = 1 / product
	if len(l.pairs) < l.most {
		l.pairs, l.spare = append(l.pairs, p), pair{}
	} else {
		l.pairs[l.next], l.spare = p, l.pairs[l.next]
	}
	l.next = (l.next + 1) % l.most
}

// turn sets the direction to −Hg, and its slope.
func (l *Method) turn() error {
	count := len(l.pairs)
	at := func(k int) pair { return l.pairs[(l.next-1-k+count)%count] } // from the last to the first
	copy(l.Direction, l.Gradient)
	shares := make([]float64, count)
	for k := range count {
		p := at(k)
		shares[k] = p.inverse * floats.Dot(p.step, l.Direction)
		linalg.Axpy(l.Direction, p.difference, -shares[k])
	}
	if l.Inverse != nil {
		if err := l.Inverse.Apply(l.Direction); err != nil {
			return err
		}
	}
	if count > 0 {
		p := at(0)
		square, err := l.square(p.difference)
		if err != nil {
			return err
		}
		floats.Scale(1/(p.inverse*square), l.Direction)
	}
	for k := count - 1; k >= 0; k-- {
		p := at(k)
		linalg.Axpy(l.Direction, p.step, shares[k]-p.inverse*floats.Dot(p.difference, l.Direction))
	}
	floats.Scale(-1, l.Direction)
	l.slope = floats.Dot(l.Gradient, l.Direction)
	return nil
}

func (l *Method) square(g []float64) (float64, error) {
	if l.Inverse == nil {
		return linalg.SquaredNorm(g), nil
	}
	return l.Inverse.Square(g)
}

// Search finds a step along a new direction from the current point, which has the given value. The function returns value and slope
// there. The step is 0 where none is found: for rounding, or because the function is not what Gradient says.
func (l *Method) Search(value float64, at func(step float64) (value, slope float64, err error)) (step float64, err error) {
	if err := l.turn(); err != nil || !(l.slope < 0) {
		return 0, err
	}
	line := &optimize.MoreThuente{DecreaseFactor: decrease, CurvatureFactor: slopeShare, StepTolerance: tolerance}
	step = 1
	line.Init(value, l.slope, step)
	for trial := 1; ; trial++ {
		v, slope, err := at(step)
		if err != nil {
			return 0, err
		}
		op, next, failed := line.Iterate(v, slope)
		switch {
		case failed == nil && op == optimize.MajorIteration:
			return step, nil
		case math.Abs(v-value) <= valueRounding*math.Abs(value) && slope >= slopeShare*l.slope && slope <= (2*decrease-1)*l.slope:
			return step, nil // values cannot tell, slopes can
		case failed == nil && trial < mostTrials:
			step = next
			continue
		case v < value: // no better point is known where it ends so
			return step, nil
		}
		return 0, nil
	}
}
