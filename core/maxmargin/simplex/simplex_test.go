package simplex

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// problem returns the inner products of k vectors, of which two are the same, and the linear part.
func problem(rng *rand.Rand, k, rank int, scale float64) (linalg.Matrix[float64], []float64) {
	a, b := linalg.NewMatrix[float64](k, rank), make([]float64, k)
	for i := range a.Data {
		a.Data[i] = scale * rng.NormFloat64()
	}
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	copy(a.Row(k-1), a.Row(k-2))
	b[k-1] = b[k-2]
	gram := linalg.NewMatrix[float64](k, k)
	for i := range k {
		for j := range k {
			gram.Row(i)[j] = linalg.Dot(a.Row(i), a.Row(j))
		}
	}
	return gram, b
}

// valueAndGap returns the value at x, and a bound on how far the maximum is above it.
func valueAndGap(gram linalg.Matrix[float64], b, x []float64) (value, gap float64) {
	best := math.Inf(-1)
	for i, v := range x {
		product := linalg.Dot(gram.Row(i), x)
		value += v * (b[i] - product/2)
		gap -= v * (b[i] - product)
		best = max(best, b[i]-product)
	}
	return value, best + gap
}

func vertex(k int) []float64 {
	x := make([]float64, k)
	x[0] = 1
	return x
}

func mustBeInSimplex(t *testing.T, x []float64) {
	t.Helper()
	for i, v := range x {
		if !(v >= 0) {
			t.Fatalf("x[%d] is %g", i, v)
		}
	}
	if s := linalg.Sum(x); math.Abs(s-1) > 1e-12 {
		t.Fatalf("x sums to %g", s)
	}
}

func TestNoDerivativeLeadsUpFromTheMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := 2 + rng.IntN(8)
		gram, b := problem(rng, k, 1+rng.IntN(k), 1)
		x := vertex(k)
		start, _ := valueAndGap(gram, b, x)
		if err := Maximise(gram, b, x, 0, nil); err != nil {
			t.Fatal(err)
		}
		mustBeInSimplex(t, x)
		value, gap := valueAndGap(gram, b, x)
		if gap > 1e-9 || value < start {
			t.Errorf("the value %g after %g is up to %g too small", value, start, gap)
		}
		// The second route: small steps of Frank and Wolfe from there gain nothing; from the middle they stay below.
		y := make([]float64, k)
		for i := range y {
			y[i] = 1 / float64(k)
		}
		for step := range 300 {
			best := 0
			for i := range y {
				if b[i]-linalg.Dot(gram.Row(i), y) > b[best]-linalg.Dot(gram.Row(best), y) {
					best = i
				}
			}
			for i := range y {
				y[i] *= 1 - 2/float64(step+2)
			}
			y[best] += 2 / float64(step+2)
		}
		other, far := valueAndGap(gram, b, y)
		if other > value+1e-9 || other+far < value-1e-9 {
			t.Errorf("steps lead to %g, at most %g below the maximum, which is not %g", other, far, value)
		}
	}
}

func TestAGapIsGapEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	gram, b := problem(rng, 30, 12, 1)
	x := vertex(30)
	if err := Maximise(gram, b, x, 0.2, nil); err != nil {
		t.Fatal(err)
	}
	mustBeInSimplex(t, x)
	if _, gap := valueAndGap(gram, b, x); gap > 0.2 {
		t.Errorf("the gap is %g", gap)
	}
}

// TestVectorsMuchLongerThanTheLinearPart has the maximum where long vectors cancel; rounding leaves a gap of a thousandth or so of the
// value.
func TestVectorsMuchLongerThanTheLinearPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for range 5 {
		gram, b := problem(rng, 40, 12, 1e5)
		for i := range b {
			b[i] = math.Abs(b[i])
		}
		x := vertex(40)
		if err := Maximise(gram, b, x, 0, nil); err != nil {
			t.Fatal(err)
		}
		mustBeInSimplex(t, x)
		if _, gap := valueAndGap(gram, b, x); gap > 2e-2*linalg.Dot(b, x) {
			t.Errorf("the gap is %g of %g", gap, linalg.Dot(b, x))
		}
	}
}

func TestCancelled(t *testing.T) {
	gram, b := problem(rand.New(rand.NewPCG(4, 2)), 4, 4, 1)
	var mon parallel.Monitor
	mon.Cancel()
	if err := Maximise(gram, b, vertex(4), 0, &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("got %v", err)
	}
}
