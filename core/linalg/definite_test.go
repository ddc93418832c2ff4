package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// withSpectrum returns QᵀΛQ for a random orthogonal Q.
func withSpectrum(values []float64, seed uint64) Matrix[float64] {
	n := len(values)
	rng := rand.New(rand.NewPCG(seed, 1))
	a := NewMatrix[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := rng.NormFloat64()
			a.Row(i)[j], a.Row(j)[i] = v, v
		}
	}
	if _, err := SymEig(General(a)); err != nil {
		panic(err)
	}
	out := NewMatrix[float64](n, n)
	for i := range n {
		for j := range n {
			for k, v := range values {
				out.Row(i)[j] += a.Row(i)[k] * v * a.Row(j)[k]
			}
		}
	}
	return out
}

// TestIndefiniteMatricesAreRefused: where an eigenvalue is below zero by more than 1e-4 of the largest, and never where none is.
func TestIndefiniteMatricesAreRefused(t *testing.T) {
	for _, n := range []int{1, 2, 5, 40, 90} {
		for _, scale := range []float64{1, 1e-200, 1e200} {
			values := make([]float64, n)
			for i := range values {
				values[i] = scale * float64(i+1) / float64(n)
			}
			if err := RequireSemidefinite(withSpectrum(values, uint64(n)), nil); err != nil {
				t.Errorf("n = %d: %v", n, err)
			}
			values[0] = -1e-3 * scale
			err := RequireSemidefinite(withSpectrum(values, uint64(n)), nil)
			wrong, is := errors.AsType[*IndefiniteError](err)
			if !is || wrong.Kind() != fault.KindNumerical {
				t.Errorf("n = %d, scale %g: %v", n, scale, err)
				continue
			}
			// Both are values of vᵀKv at unit vectors, so between the extreme eigenvalues.
			if wrong.Low < values[0]*(1+1e-9) || wrong.High > values[n-1]*(1+1e-9) && n > 1 {
				t.Errorf("n = %d: %g and %g are beyond the spectrum from %g to %g", n, wrong.Low, wrong.High, values[0], values[n-1])
			}
		}
	}
}

func TestSemidefiniteEdges(t *testing.T) {
	if err := RequireSemidefinite(NewMatrix[float64](7, 7), nil); err != nil {
		t.Error(err)
	}
	if err := RequireSemidefinite(NewMatrix[float64](0, 0), nil); err != nil {
		t.Error(err)
	}
	tiny := NewMatrix[float64](1, 1)
	tiny.Data[0] = -math.SmallestNonzeroFloat64
	if err := RequireSemidefinite(tiny, nil); err != nil {
		t.Error(err)
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	if err := RequireSemidefinite(withSpectrum([]float64{1, 2}, 1), &cancelled); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
}

// TestEigenTo: vectors and values reproduce the matrix; a cancelled call leaves it as it was.
func TestEigenTo(t *testing.T) {
	want := []float64{-3, -1, 0.5, 0.5, 2, 7}
	a := withSpectrum(want, 3)
	v, values := NewMatrix[float64](6, 6), make([]float64, 6)
	v.CopyFrom(a)
	if err := EigenTo(values, v, 2, new(parallel.Monitor)); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if math.Abs(values[i]-want[i]) > 1e-13 {
			t.Errorf("eigenvalue %d is %v, want %v", i, values[i], want[i])
		}
		for j := range 6 {
			var sum float64
			for k, w := range values {
				sum += v.Row(i)[k] * w * v.Row(j)[k]
			}
			if math.Abs(sum-a.Row(i)[j]) > 1e-13 {
				t.Errorf("entry %d, %d is %v, want %v", i, j, sum, a.Row(i)[j])
			}
		}
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	v.CopyFrom(a)
	if err := EigenTo(values, v, 1, &cancelled); !errors.Is(err, parallel.ErrCancelled) || v.Row(2)[3] != a.Row(2)[3] {
		t.Error(err)
	}
	v.Row(4)[1] = math.Inf(1)
	err := EigenTo(values, v, 1, nil)
	if fault.RowOf(err) != 4 {
		t.Error(err)
	}
}
