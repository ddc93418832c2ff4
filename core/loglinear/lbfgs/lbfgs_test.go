package lbfgs

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestRosenbrock: L-BFGS alone finds the minimum of a function that is hard to follow, forgets what it must, and gives up where no step
// leads down.
func TestRosenbrock(t *testing.T) {
	l := New(2, 5)
	copy(l.Point, []float64{-1.2, 1})
	evaluations := 0
	f := func(x []float64) (float64, []float64) {
		evaluations++
		a, b := 1-x[0], x[1]-x[0]*x[0]
		return a*a + 100*b*b, []float64{-2*a - 400*x[0]*b, 200 * b}
	}
	value, g := f(l.Point)
	copy(l.Gradient, g)
	for iteration := 0; floats.Norm(l.Gradient, 2) > 1e-9 && iteration < 100; iteration++ {
		last := 0.0
		step, err := l.Search(value, func(step float64) (float64, float64, error) {
			last, g = f([]float64{l.Point[0] + step*l.Direction[0], l.Point[1] + step*l.Direction[1]})
			return last, floats.Dot(g, l.Direction), nil
		})
		if step == 0 || err != nil {
			t.Fatalf("a line search fails: %v", err)
		}
		l.Move(step, g)
		value = last
	}
	if value > 1e-18 || evaluations > 100 {
		t.Errorf("the value is %v after %d evaluations", value, evaluations)
	}
	l.Forget()
	if !l.Empty() {
		t.Error("there are pairs")
	}
	copy(l.Gradient, []float64{1, 0})
	trials := 0
	step, err := l.Search(0, func(float64) (float64, float64, error) { trials++; return 1, 1, nil })
	if step != 0 || err != nil || trials == 0 || trials > mostTrials || l.Direction[0] != -1 {
		t.Errorf("where nothing is better the step is %v along %v after %d trials, error %v", step, l.Direction, trials, err)
	}
	broken := errors.New("no")
	if _, err := l.Search(0, func(float64) (float64, float64, error) { return 0, 0, broken }); err != broken {
		t.Errorf("the error of the function is %v", err)
	}
	clear(l.Gradient)
	if step, _ := l.Search(0, nil); step != 0 {
		t.Error("there is a descent from where there is no slope")
	}
}

// scaled is the inverse of the Hessian diag(1, 100) or, where it is broken, none.
type scaled struct{ broken error }

func (s scaled) Apply(g []float64) error {
	g[1] /= 100
	return s.broken
}

func (s scaled) Square(g []float64) (float64, error) { return g[0]*g[0] + g[1]*g[1]/100, s.broken }

// TestInverse: with the inverse of its Hessian a quadratic function is at its minimum after one step, also where the inverse comes late,
// beside pairs of earlier steps. Its errors end a search.
func TestInverse(t *testing.T) {
	gradient := func(x []float64) []float64 { return []float64{x[0], 100 * x[1]} }
	value := func(x []float64) float64 { return (x[0]*x[0] + 100*x[1]*x[1]) / 2 }
	for _, before := range []int{0, 2} { // steps
		l := New(2, 5)
		copy(l.Point, []float64{3, 1})
		copy(l.Gradient, gradient(l.Point))
		for k := range before + 1 {
			if k == before {
				l.Inverse = scaled{}
			}
			step, err := l.Search(value(l.Point), func(step float64) (float64, float64, error) {
				x := []float64{l.Point[0] + step*l.Direction[0], l.Point[1] + step*l.Direction[1]}
				return value(x), floats.Dot(gradient(x), l.Direction), nil
			})
			if step == 0 || err != nil {
				t.Fatalf("a line search fails: %v", err)
			}
			l.Move(step, gradient([]float64{l.Point[0] + step*l.Direction[0], l.Point[1] + step*l.Direction[1]}))
		}
		if norm := floats.Norm(l.Gradient, 2); norm > 1e-12 {
			t.Errorf("after %d other steps the gradient is %v", before, norm)
		}
		broken := errors.New("no")
		copy(l.Gradient, []float64{1, 1})
		l.Inverse = scaled{broken}
		if _, err := l.Search(0, nil); err != broken {
			t.Errorf("the error of the inverse is %v", err)
		}
	}
}
