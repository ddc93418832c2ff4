package chain

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"

	"gonum.org/v1/gonum/blas/blas64"
)

// autoregressive returns chains x' = φx + noise in their stationary distribution, one a row.
func autoregressive(chains, draws int, phi float64, seed uint64) blas64.General {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := blas64.General{Rows: chains, Cols: draws, Stride: draws, Data: make([]float64, chains*draws)}
	for i := range chains {
		x := rng.NormFloat64()
		for j := range draws {
			m.Data[i*draws+j] = x
			x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
		}
	}
	return m
}

// TestAutocorrelation compares with the defining sums.
func TestAutocorrelation(t *testing.T) {
	x := autoregressive(1, 37, 0.5, 1).Data
	got := make([]float64, 37)
	Autocorrelation(got, x)
	mean := average(x)
	var scale float64
	for _, v := range x {
		scale += (v - mean) * (v - mean)
	}
	for lag := range got {
		var want float64
		for i := lag; i < len(x); i++ {
			want += (x[i] - mean) * (x[i-lag] - mean) / scale
		}
		if math.Abs(got[lag]-want) > 1e-12 {
			t.Errorf("lag %d: %v, want %v", lag, got[lag], want)
		}
	}
	Autocorrelation(got[:3], []float64{2, 2, 2, 2})
	if !math.IsNaN(got[0]) {
		t.Errorf("a constant has autocorrelation %v", got[0])
	}
}

// TestEffectiveSampleSize: for autoregressive chains τ is (1+φ)/(1−φ). Seeds are fixed, tolerances
// wide: estimates of τ from 80 000 draws vary by a few per cent. Alternating draws count for more, up to the limit.
func TestEffectiveSampleSize(t *testing.T) {
	const chains, draws = 4, 20000
	for phi, tolerance := range slicex.InOrder(map[float64]float64{0: 0.1, 0.5: 0.15, 0.9: 0.3, -0.5: 0.25}) {
		got := effectiveSize(t, autoregressive(chains, draws, phi, 2)) / (chains * draws)
		want := (1 - phi) / (1 + phi)
		if math.Abs(got/want-1) > tolerance {
			t.Errorf("φ = %v: a draw is worth %v, want %v", phi, got, want)
		}
	}
	alternating := autoregressive(1, 1000, 0, 3)
	for i := range alternating.Data {
		alternating.Data[i] = float64(i%2) + 1e-9*alternating.Data[i]
	}
	if got := effectiveSize(t, alternating); got != 3000 {
		t.Errorf("1000 alternating draws are worth %v, the limit is 3000", got)
	}
}

// TestSplitRHat: chains with one distribution have R̂ near 1; shifted or drifting ones have not.
func TestSplitRHat(t *testing.T) {
	x := autoregressive(4, 2001, 0.5, 4)
	if got := SplitRHat(x); math.Abs(got-1) > 0.01 {
		t.Errorf("R̂ is %v", got)
	}
	whole := effectiveSize(t, x)
	shifted, drifting := autoregressive(4, 2001, 0.5, 4), autoregressive(4, 2001, 0.5, 4)
	for j := range 2001 {
		shifted.Data[j] += 3
		for i := range 4 {
			drifting.Data[i*2001+j] += 4 * float64(j) / 2001
		}
	}
	for name, y := range slicex.InOrder(map[string]blas64.General{"shifted": shifted, "drifting": drifting}) {
		if got := SplitRHat(y); got < 1.3 {
			t.Errorf("chains %s: R̂ is %v", name, got)
		}
		if got := effectiveSize(t, y); got > whole/50 {
			t.Errorf("chains %s: effective sample size %v, with one distribution %v", name, got, whole)
		}
	}
	// Two halves of two draws: W = (½ + ½)/2, the variance of the means 1 and 5 is 8, V = W/2 + 8.
	small := blas64.General{Rows: 1, Cols: 4, Stride: 4, Data: []float64{0.5, 1.5, 4.5, 5.5}}
	if got, want := SplitRHat(small), math.Sqrt((0.25+8)/0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("R̂ is %v, want %v", got, want)
	}
	constant := blas64.General{Rows: 2, Cols: 8, Stride: 8, Data: make([]float64, 16)}
	short := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 4, 5, 6}}
	for name, y := range slicex.InOrder(map[string]blas64.General{"constant": constant, "short": short}) {
		if r, n := SplitRHat(y), effectiveSize(t, y); !math.IsNaN(r) || !math.IsNaN(n) {
			t.Errorf("%s chains have R̂ %v and effective size %v", name, r, n)
		}
	}
}

func TestMixingBounds(t *testing.T) {
	for name, pair := range slicex.InOrder(map[string][2]float64{
		"uniform":          {MixingBoundIndependence(0, 0.01), 1},
		"β = 1/2":          {MixingBoundIndependence(math.Log(0.5), 0.01), 7},
		"β = e⁻¹⁰⁰":        {MixingBoundIndependence(-100, 0.01) / (math.Log(100) * math.Exp(100)), 1},
		"β = e⁻⁹⁹⁹":        {MixingBoundIndependence(-999, 0.01), math.Inf(1)},
		"coalescence":      {CoalescenceBoundIndependence(math.Log(0.5), 0.25), 2 * math.Log(4)},
		"cube":             {MixingBoundCube(8, 0.01), math.Ceil(16 * math.Log(800))},
		"heat bath":        {MixingBoundHeatBath(8, 0.01), math.Ceil(8 * math.Log(800))},
		"one label, cubes": {MixingBoundCube(1, 0.5), 2},
	}) {
		if got, want := pair[0], pair[1]; got != want && math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func effectiveSize(t *testing.T, x blas64.General) float64 {
	t.Helper()
	size, err := EffectiveSampleSize(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return size
}
