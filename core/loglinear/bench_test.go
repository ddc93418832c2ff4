package loglinear_test

import (
	"testing"

	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/loglineartest"
)

// BenchmarkLoss evaluates loss and gradient of 1000 rankings of 8 labels.
func BenchmarkLoss(b *testing.B) {
	c := benchmarked(b)
	s := c.Sizes()
	w := loglineartest.Shaped(loglineartest.Random(s.Features*s.Outputs, 0.2, 1), s.Features, s.Outputs)
	for b.Loop() {
		sums := make([]float64, s.SumsLen(loglinear.Loss))
		if err := loglinear.AddSums(s, c.Problem, loglinear.Loss, w, sums, expect.Exact{Space: c.Space, Workers: 1}, nil); err != nil {
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
		f, err = loglinear.Minimise(c.Options(), c.Problem, c.Space, expect.Exact{Space: c.Space, Workers: 1}, matrix{}, nil)
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
		if _, err := descent.Minimise(o, c.Problem, c.Space, expect.Exact{Space: c.Space, Workers: 1}, matrix{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarked(b *testing.B) *loglineartest.Instance {
	c := loglineartest.New(b, loglineartest.Build(b, "permutations", 8), 1000, 10, 1)
	c.Alpha = 1
	return c
}
