package structuretest

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/structure"
)

// spectrum: the eigenvalues are positive, distinct and descending; the frames F are tight (FFᵀ is a projector),
// orthogonal to one another, and Σ = Σ_i σ_i F_i F_iᵀ; AnalyzeTo multiplies by F and SynthesizeTo adds the product with
// Fᵀ.
func (e *enumerated) spectrum(t *testing.T) {
	s := e.space.Facts().Spectrum
	if s == nil {
		t.Skip("no Spectrum")
	}
	d := e.space.FeatureLen()
	sigma := covariance(e.space.(structure.Momenter), d)
	sum := zeros(d, d)
	var projectors []blas64.General
	eigenvalues := s.Eigenvalues()
	for i, v := range eigenvalues {
		if !(v > 0) || i > 0 && v >= eigenvalues[i-1] {
			t.Fatalf("the eigenvalues %v are not positive and descending", eigenvalues)
		}
		frame := padded(d, s.FrameLen(i))
		s.AnalyzeTo(frame, identity(d), i)
		checkPadding(t, "AnalyzeTo", frame)
		p := zeros(d, d)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, frame, frame, 0, p)
		square := zeros(d, d)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, p, p, 0, square)
		checkClose(t, "the square of the projector", square, p)
		for _, q := range projectors {
			product := zeros(d, d)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, p, q, 0, product)
			checkClose(t, "the product of two projectors", product, zeros(d, d))
		}
		projectors = append(projectors, p)
		for j := range sum.Data {
			sum.Data[j] += v * p.Data[j]
		}
		checkFrame(t, s, i, frame)
	}
	checkClose(t, "the covariance from the spectrum", sum, sigma)
}

// checkFrame compares AnalyzeTo and SynthesizeTo with products with the explicit frame.
func checkFrame(t *testing.T, s structure.Spectrum, i int, frame blas64.General) {
	t.Helper()
	const rows = 5
	v := gaussian(rows, frame.Rows, 1)
	c, want := padded(rows, frame.Cols), zeros(rows, frame.Cols)
	before := slices.Clone(v.Data)
	s.AnalyzeTo(c, v, i)
	checkPadding(t, "AnalyzeTo", c)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v, frame, 0, want)
	checkClose(t, "AnalyzeTo", c, want)

	coefficients := gaussian(rows, frame.Cols, 2)
	out, sum := padded(rows, frame.Rows), gaussian(rows, frame.Rows, 3)
	for r := range rows {
		copy(row(out, r), row(sum, r))
	}
	original := slices.Clone(coefficients.Data)
	s.SynthesizeTo(out, coefficients, i)
	checkPadding(t, "SynthesizeTo", out)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, coefficients, frame, 1, sum)
	checkClose(t, "SynthesizeTo", out, sum)
	if !slices.Equal(before, v.Data) || !slices.Equal(original, coefficients.Data) {
		t.Error("AnalyzeTo or SynthesizeTo changed its input")
	}
}

func zeros(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

func identity(d int) blas64.General {
	m := zeros(d, d)
	for i := range d {
		m.Data[i*d+i] = 1
	}
	return m
}

func gaussian(rows, cols int, seed uint64) blas64.General {
	rng, m := generator(seed), zeros(rows, cols)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

func checkClose(t *testing.T, what string, got, want blas64.General) {
	t.Helper()
	for i := range want.Rows {
		for j, v := range row(want, i) {
			if g := row(got, i)[j]; !(math.Abs(g-v) <= exact*(1+math.Abs(v))) {
				t.Fatalf("%s has entry (%d, %d) = %v, want %v", what, i, j, g, v)
			}
		}
	}
}
