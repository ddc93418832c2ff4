package structuretest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/structure"
)

// exact is the tolerance for numbers that differ from the oracle by the rounding of a few hundred operations on numbers
// near 1.
const exact = 1e-12

// padded returns a rows×cols matrix full of NaN whose rows are followed by padding.
func padded(rows, cols int) blas64.General {
	const pad = 3
	return blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: garbage(rows * (cols + pad))}
}

// row returns row i without the padding.
func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// checkPadding reports an error if the padding of a matrix from padded was written to.
func checkPadding(t *testing.T, what string, m blas64.General) {
	t.Helper()
	for i := range m.Rows {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if !math.IsNaN(v) {
				t.Fatalf("%s wrote to the padding of row %d", what, i)
			}
		}
	}
}

// moments compares the mean and the second moment with averages over the list.
func (e *enumerated) moments(t *testing.T) {
	m, ok := e.space.(structure.Momenter)
	if !ok {
		t.Skip("no Momenter")
	}
	if e.space.Facts().Moments != structure.ExactMoments {
		t.Skip("not the moments of this space")
	}
	d, n := e.space.FeatureLen(), float64(len(e.outputs))
	mean := garbage(d)
	m.Mean(mean)
	second := padded(d, d)
	m.SecondMoment(second)
	checkPadding(t, "SecondMoment", second)
	for i := range d {
		var want float64
		for _, psi := range e.psi {
			want += psi[i]
		}
		if want /= n; !(math.Abs(mean[i]-want) <= exact) {
			t.Fatalf("the mean of ψ_%d is %v, want %v", i, mean[i], want)
		}
		for j := range d {
			want = 0
			for _, psi := range e.psi {
				want += psi[i] * psi[j]
			}
			if want /= n; !(math.Abs(row(second, i)[j]-want) <= exact) {
				t.Fatalf("the second moment of ψ_%d and ψ_%d is %v, want %v", i, j, row(second, i)[j], want)
			}
		}
	}
}

// covariance returns Σ = M − μμᵀ.
func covariance(m structure.Momenter, d int) blas64.General {
	mean := make([]float64, d)
	m.Mean(mean)
	sigma := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	m.SecondMoment(sigma)
	for i, u := range mean {
		for j, v := range mean {
			sigma.Data[i*d+j] -= u * v
		}
	}
	return sigma
}

// mode compares the scores of a Moder with the probabilities of a distribution, given its expected features.
func (e *enumerated) mode(t *testing.T) {
	m, ok := e.space.(structure.Moder)
	if !ok {
		t.Skip("no Moder")
	}
	d := e.space.FeatureLen()
	expected, psi, total := make([]float64, d), make([]float64, d), 0.0
	probability := make([]float64, len(e.outputs))
	for i := range probability {
		probability[i] = 1 + float64(i*i%7)
		total += probability[i]
	}
	for i, y := range e.outputs {
		probability[i] /= total
		e.space.Embed(psi, y)
		linalg.Axpy(expected, psi, probability[i])
	}
	m.ModeScores(expected)
	for i, y := range e.outputs {
		e.space.Embed(psi, y)
		if got := linalg.Dot(psi, expected); math.Abs(got-probability[i]) > exact {
			t.Errorf("output %v has the score %v, its probability is %v", y, got, probability[i])
		}
	}
}
