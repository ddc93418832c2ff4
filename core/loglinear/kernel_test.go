package loglinear_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// copied returns the features of the rows that count, with the constant one, and their kernel.
func copied(c *loglineartest.Instance) (x, kernel matrix, weights []float64, psi matrix) {
	p := c.Problem
	x, psi = linalg.NewMatrix[float64](p.Len(), p.X.Columns()), linalg.NewMatrix[float64](p.Len(), p.Psi.Cols)
	at := 0
	for i, w := range p.Weights {
		if w > 0 {
			p.X.Entries(i, func(j int, v float64) { x.Row(at)[j] = v })
			copy(psi.Row(at), p.Psi.Row(i))
			weights = append(weights, w)
			at++
		}
	}
	kernel = linalg.NewMatrix[float64](at, at)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, kernel)
	return x, kernel, weights, psi
}

// TestKernelFeatures: in those of the linear kernel, with more rows than features and with fewer, search and descent end where those in the
// inputs do; coefficients of rows have the scores of the weights, and lead back to them.
func TestKernelFeatures(t *testing.T) {
	for _, n := range []int{30, 5} {
		c := loglineartest.New(t, loglineartest.Build(t, "permutations", 4), n, 6, 21)
		x, kernel, weights, psi := copied(c)
		m, d := x.Rows, psi.Cols
		shifted := linalg.NewMatrix[float64](m, m)
		for i, v := range kernel.Data {
			shifted.Data[i] = v - 0.75
		}
		f, err := loglinear.NewKernelFeatures(shifted, weights, 0.75, new(parallel.Monitor))
		if err != nil {
			t.Fatal(err)
		}
		q := f.Rows.Cols
		if want := min(m, 7); q != want {
			t.Fatalf("there are %d features, want %d", q, want)
		}
		again := linalg.NewMatrix[float64](m, m)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, f.Rows, f.Rows, 0, again)
		near(t, "the inner products", again, kernel, 1e-12)
		p := &loglinear.Problem{X: f.Design(), Psi: psi, Weights: weights, Mean: c.Problem.Mean}
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
		o := c.Options()
		o.Features, o.Diagonal = q, true
		exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
		found, err := loglinear.Fit(o, p, c.Space, exact, matrix{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := loglineartest.Minimum(t, c); math.Abs(found.Objective-want.Objective) > 1e-8*want.Objective {
			t.Errorf("the objective is %v, want %v", found.Objective, want.Objective)
		}
		dual, scores, direct := linalg.NewMatrix[float64](m, d), linalg.NewMatrix[float64](m, d), linalg.NewMatrix[float64](m, d)
		f.DualTo(dual, found.Weights)
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, kernel, dual, 0, scores)
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, f.Rows, found.Weights, 0, direct)
		near(t, "the scores of the coefficients", scores, direct, 1e-10)
		back := linalg.NewMatrix[float64](q, d)
		f.OfDualTo(back, dual)
		near(t, "the weights of the coefficients", back, found.Weights, 1e-9)
		f.OfScoresTo(back, direct)
		near(t, "the weights of the scores", back, found.Weights, 1e-9)
		s := descent.Options{Sizes: o.Sizes, Alpha: c.Alpha, Tol: 0.03, MaxIter: 300, Seed: 1}
		for _, limit := range []int{0, 1} {
			s.LargestMoved = limit
			descended, err := descent.Minimise(s, p, c.Space, exact, matrix{}, nil)
			if err != nil || !descended.Converged || descended.Objective-found.Objective > 2*descended.Limit {
				t.Errorf("a descent ends at %v after %d passes, error %v", descended.Objective, descended.Passes, err)
			}
		}
	}
}

func near(t *testing.T, what string, got, want matrix, tolerance float64) {
	t.Helper()
	for i := range want.Rows {
		for j, v := range want.Row(i) {
			if !(math.Abs(got.Row(i)[j]-v) <= tolerance*max(1, math.Abs(v))) {
				t.Fatalf("entry (%d, %d) of %s is %v, want %v", i, j, what, got.Row(i)[j], v)
			}
		}
	}
}

// TestKernelOfZeros: there is one feature, of value 0, and nothing is to be learnt from it.
func TestKernelOfZeros(t *testing.T) {
	f, err := loglinear.NewKernelFeatures(linalg.NewMatrix[float64](3, 3), nil, 0, nil)
	if err != nil || f.Rows.Cols != 1 || f.Curvature[0] != 0 {
		t.Fatalf("the features are %+v, error %v", f, err)
	}
	dual, back := linalg.NewMatrix[float64](3, 2), linalg.NewMatrix[float64](1, 2)
	f.DualTo(dual, linalg.Shaped([]float64{1, 2}, 1, 2))
	f.OfScoresTo(back, linalg.Shaped([]float64{1, 2, 3, 4, 5, 6}, 3, 2))
	near(t, "the coefficients", dual, linalg.NewMatrix[float64](3, 2), 0)
	near(t, "the weights", back, linalg.NewMatrix[float64](1, 2), 0)
}

// TestKernelRefusals: what is no kernel matrix with positive weights is refused.
func TestKernelRefusals(t *testing.T) {
	square := func(x ...float64) matrix { n := int(math.Sqrt(float64(len(x)))); return linalg.Shaped(x, n, n) }
	for name, c := range slicex.InOrder(map[string]struct {
		kernel  matrix
		weights []float64
	}{
		"size":       {linalg.Shaped(make([]float64, 6), 2, 3), nil},
		"weights":    {square(1, 0, 0, 1), []float64{1}},
		"zero":       {square(1, 0, 0, 1), []float64{1, 0}},
		"indefinite": {square(1, 2, 2, 1), nil},
		"negative":   {square(-1), nil},
		"NaN":        {square(1, math.NaN(), math.NaN(), 1), nil},
	}) {
		_, err := loglinear.NewKernelFeatures(c.kernel, c.weights, 0, nil)
		if err == nil {
			t.Errorf("%s is taken", name)
		}
		if (fault.KindOf(err) == fault.KindNumerical) != (name == "indefinite" || name == "negative") {
			t.Errorf("%s gives %v", name, err)
		}
	}
	cancelled := new(parallel.Monitor)
	cancelled.Cancel()
	zeros := linalg.Shaped(make([]float64, 300*300), 300, 300)
	if _, err := loglinear.NewKernelFeatures(zeros, nil, 1, cancelled); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("a cancelled decomposition gives %v", err)
	}
}

// BenchmarkLoss evaluates loss and gradient of 1000 rankings of 8 labels.
func BenchmarkLoss(b *testing.B) {
	c := benchmarked(b)
	s := c.Sizes()
	w := linalg.Shaped(loglineartest.Random(s.Features*s.Outputs, 0.2, 1), s.Features, s.Outputs)
	for b.Loop() {
		sums := make([]float64, s.SumsLen(loglinear.Loss))
		exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
		if err := loglinear.AddSums(s, c.Problem, loglinear.Loss, w, sums, exact, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearch fits 1000 rankings of 8 labels exactly.
func BenchmarkSearch(b *testing.B) {
	c := benchmarked(b)
	var f loglinear.Found
	for b.Loop() {
		var err error
		f, err = loglinear.Fit(c.Options(), c.Problem, c.Space, expect.Exact{Spaces: expect.One(c.Space), Workers: 1}, matrix{}, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Evaluations), "evaluations/op")
}

// BenchmarkPasses passes ten times over 1000 rankings of 8 labels by exact steps.
func BenchmarkPasses(b *testing.B) {
	c := benchmarked(b)
	o := descent.Options{Sizes: c.Sizes(), Alpha: c.Alpha, Tol: 0, MaxIter: 10}
	for b.Loop() {
		exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
		if _, err := descent.Minimise(o, c.Problem, c.Space, exact, matrix{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarked(b *testing.B) *loglineartest.Instance {
	c := loglineartest.New(b, loglineartest.Build(b, "permutations", 8), 1000, 10, 1)
	c.Alpha = 1
	return c
}
