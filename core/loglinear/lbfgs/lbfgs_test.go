package lbfgs

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestRosenbrock: L-BFGS alone finds the minimum of a function that is hard to follow, forgets what it must, and gives up where no step
// leads down.
func TestRosenbrock(t *testing.T) {
	const n, m = 2, 5
	l := Open(n, make([]float64, HeaderLen), make([]float64, 3*n), make([]float64, m), make([]float64, 2*n*m))
	copy(l.Point, []float64{-1.2, 1})
	f := func(x []float64) (float64, []float64) {
		a, b := 1-x[0], x[1]-x[0]*x[0]
		return a*a + 100*b*b, []float64{-2*a - 400*x[0]*b, 200 * b}
	}
	v, g := f(l.Point)
	copy(l.Gradient, g)
	evaluations := 1
	for iteration := 0; blas64.Nrm2(vector(l.Gradient)) > 1e-9 && iteration < 100; iteration++ {
		if !l.Begin(v) {
			t.Fatal("no descent")
		}
		step := l.First()
		for {
			x := []float64{l.Point[0] + step*l.Direction[0], l.Point[1] + step*l.Direction[1]}
			v, g = f(x)
			evaluations++
			next, o := l.Try(v, dot(g, l.Direction))
			if o == Accepted {
				l.Remember(next, g)
				break
			}
			if o == Failed {
				t.Fatal("a line search fails")
			}
			step = next
		}
	}
	if v > 1e-18 || evaluations > 100 {
		t.Errorf("the value is %v after %d evaluations", v, evaluations)
	}
	l.Forget()
	if !l.Empty() {
		t.Error("there are pairs")
	}
	copy(l.Gradient, []float64{1, 0})
	if !l.Begin(0) || l.Direction[0] != -1 {
		t.Errorf("without pairs the direction is %v", l.Direction)
	}
	for k := range mostTrials {
		if _, o := l.Try(1, 1); o == Failed {
			break
		} else if o == Accepted || k == mostTrials-1 {
			t.Fatal("a point that is no better is taken")
		}
	}
	clear(l.Gradient)
	if l.Begin(0) {
		t.Error("there is a descent from where there is no slope")
	}
}
