package loglinear_test

import (
	"testing"

	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
)

// BenchmarkLoss evaluates loss and gradient of 1000 rankings of 8 labels.
func BenchmarkLoss(b *testing.B) {
	c := benchmarked(b)
	s := c.sizes()
	w := shaped(random(s.Features*s.Outputs, 0.2, 1), s.Features, s.Outputs)
	for b.Loop() {
		sums := make([]float64, s.SumsLen(loglinear.Loss))
		if err := loglinear.AddSums(s, c.problem, loglinear.Loss, w, sums, expect.Exact{Space: c.space, Workers: 1}, nil); err != nil {
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
		f, err = loglinear.Minimise(c.options(), c.problem, c.space, expect.Exact{Space: c.space, Workers: 1}, matrix{}, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.Evaluations), "evaluations/op")
}

// BenchmarkPasses passes ten times over 1000 rankings of 8 labels by exact steps.
func BenchmarkPasses(b *testing.B) {
	c := benchmarked(b)
	o := loglinear.DescentOptions{Sizes: c.sizes(), Alpha: c.alpha, Tol: 0, MaxIter: 10}
	for b.Loop() {
		if _, err := loglinear.Descend(o, c.problem, c.space, expect.Exact{Space: c.space, Workers: 1}, matrix{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarked(b *testing.B) *instance {
	c := newInstance(b, build(b, "permutations", 8), 1000, 10, 1)
	c.alpha = 1
	return c
}
