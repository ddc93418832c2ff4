package descent

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/solve"
)

func random(rng *rand.Rand, rows, cols int) matrix {
	m := linalg.NewMatrix[float64](rows, cols)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// TestStepIsStable: with the first step size, the preconditioned Hessian of mini-batches contracts: 1/size is at least its eigenvalue over
// all rows, which is 1 along eigenvectors and found by iteration along axes.
func TestStepIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, q, d = 200, 6, 2
	x := random(rng, n, q)
	for i := range n {
		for j := range q { // strongly correlated features
			x.Row(i)[j] = 0.3*x.Row(i)[j] + 2*x.Row(i)[0]
		}
	}
	p := &loglinear.Problem{X: &solve.Design{Rows: linalg.Rows{Dense: x}}, Psi: random(rng, n, d), Mean: make([]float64, d)}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, gram := range []int{q, 1} {
		s := loglinear.Sizes{Features: q, Outputs: d, LargestGram: gram, LargestMoved: 1}
		sums := make([]float64, s.SumsLen(loglinear.Moments))
		if err := loglinear.AddSums(s, p, loglinear.Moments, matrix{}, sums, nil, nil); err != nil {
			t.Fatal(err)
		}
		eye := linalg.NewMatrix[float64](d, d)
		eye.Data[0], eye.Data[3] = 1, 1
		by, err := loglinear.NewHessian(s, 1e-9, sums, eye, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		size, err := firstStep(p, by.Preconditioner, by, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Gram() {
			if size > 1/5.5 {
				t.Errorf("along axes the first step is %v, and the eigenvalue about %d", size, q)
			}
			cancelled := new(parallel.Monitor)
			cancelled.Cancel()
			if _, err := firstStep(p, by.Preconditioner, by, 1, cancelled); !errors.Is(err, parallel.ErrCancelled) {
				t.Errorf("a cancelled iteration gives %v", err)
			}
			continue
		}
		// R²/b is about q/b.
		if want := 1 / (1 + float64(q)/batchRows); math.Abs(size-want) > 0.1 {
			t.Errorf("the first step is %v, want about %v", size, want)
		}
	}
}

// TestSampledFigures: with independent normal noise of known variance the estimated gains are right on average, and their errors are those
// of the estimates; within 5 standard errors of 4000 trials.
func TestSampledFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, trials, noise = 30, 4000, 0.5
	truth := random(rng, n, 1)
	var values, squares, claimed float64
	one, two := make([]float64, n), make([]float64, n)
	for range trials {
		for i, v := range truth.Data {
			one[i], two[i] = v+noise*rng.NormFloat64(), v+noise*rng.NormFloat64()
		}
		d := newtonGain(one, two)
		values += d.Value / trials
		squares += d.Value * d.Value / trials
		claimed += d.Error * d.Error / trials
	}
	want, variance := linalg.SquaredNorm(truth.Data)/2, squares-values*values
	if math.Abs(values-want) > 5*math.Sqrt(variance/trials) {
		t.Errorf("the mean gain is %v, want %v", values, want)
	}
	if math.Abs(claimed/variance-1) > 0.15 {
		t.Errorf("the variance is said to be %v, is %v", claimed, variance)
	}
	d := Decrement{1, 0.1}
	if !d.within(1.21) || d.within(1.19) || !d.beyond(0.59) || d.beyond(0.61) {
		t.Error("bounds are not at two and four standard errors")
	}
}
