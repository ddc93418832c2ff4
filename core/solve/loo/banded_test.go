package loo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// banded writes what Squared finds for the penalty of p, the middle one of three.
func banded[T linalg.Float](p *solve.Problem, op *dual.Kernel, dst matrix) error {
	m := len(p.Root)
	b, err := NewBanded(p, op, make([]T, m*m))
	if err != nil {
		return err
	}
	n, err := b.Squared([]float64{7 * p.Lambda, p.Lambda, p.Lambda / 2}, []matrix{p.NewBlock(), dst, p.NewBlock()})
	if err == nil && n != 3 {
		err = fmt.Errorf("accurate enough for %d penalties of 3", n)
	}
	return err
}

// On a smooth kernel with more rows than a block, whose mean is its largest eigenvalue by far, the banded form gives what factors do; where
// single precision does not do for the smaller penalties, it says so for these alone, and writes nothing for them.
func TestBandedFormAgreesWithFactors(t *testing.T) {
	p, _ := lowRank(t, false, 1)
	const m = 300
	psi, k := linalg.NewMatrix[float64](m, p.Z.Cols), linalg.NewMatrix[float64](m, m)
	rng := rand.New(rand.NewPCG(9, 9))
	x, weights := make([]float64, m), make([]float64, m)
	for i := range m {
		copy(psi.Row(i), p.Z.Row(i%p.Z.Rows))
		x[i], weights[i] = 20*rng.Float64(), float64(i%3)
	}
	for i := range m {
		for j := range m {
			k.Row(i)[j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
	}
	p, err := solve.NewProblem(1, false, p.Coord, solve.Targets{Psi: psi, Mean: make([]float64, p.Z.Cols), Weights: weights}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	op := dual.NewKernel(p, k, 1)
	b, err := NewBanded(p, op, make([]float32, m*m))
	if err != nil {
		t.Fatal(err)
	}
	penalties := []float64{100, 1, 1e-1, 1e-12}
	got := make([]matrix, len(penalties))
	for i := range got {
		got[i] = p.NewBlock()
	}
	n, err := b.Squared(penalties, got)
	if err != nil || n != 3 {
		t.Fatalf("accurate enough for %d penalties, want the first three; %v", n, err)
	}
	for _, v := range got[3].Data {
		if v != 0 {
			t.Fatal("scores of the last penalty are written")
		}
	}
	for i, lambda := range penalties[:n] {
		p.Lambda = lambda
		want := p.NewBlock()
		if err := Factored(p, op, make([]float64, FactoredWork[float64](m, 1, false)/8), want); err != nil {
			t.Fatal(err)
		}
		for j, v := range got[i].Data {
			if gap := math.Abs(v - want.Data[j]); !(gap <= 1e-4) {
				t.Fatalf("penalty %g: coordinate %d is %g, by factors %g", lambda, j, v, want.Data[j])
			}
		}
	}
}
