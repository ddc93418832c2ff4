package structure

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/structure/examples"
)

// TestAssignmentsMoments checks the published ratios (n−1)!/n! and (n−2)!/n! beyond 170!, on sampled entries: the whole
// matrix has 1.6·10⁹.
func TestAssignmentsMoments(t *testing.T) {
	const n = 200
	space := mustNew(t, "assignments", examples.Sized(n)).(assignments)
	if want := new(big.Int).MulRange(1, n); space.Count().Cmp(want) != 0 {
		t.Errorf("there are %v assignments, want %v", space.Count(), want)
	}
	mean := make([]float64, n*n)
	space.Mean(mean)
	if slices.Min(mean) != 1.0/n || slices.Max(mean) != 1.0/n {
		t.Error("the mean is not 1/n everywhere")
	}
	// Σv from the spectrum against Mv − μ(μᵀv), with M from its three values.
	rng := rand.New(rand.NewPCG(1, 1))
	v := blas64.General{Rows: 1, Cols: n * n, Stride: n * n, Data: make([]float64, n*n)}
	rows, columns := make([]float64, n), make([]float64, n)
	var all float64
	for cell := range v.Data {
		x := rng.NormFloat64()
		v.Data[cell] = x
		rows[cell/n] += x
		columns[cell%n] += x
		all += x
	}
	got := blas64.General{Rows: 1, Cols: n * n, Stride: n * n, Data: make([]float64, n*n)}
	space.AnalyzeTo(got, v, 0)
	for cell, x := range v.Data {
		others := all - rows[cell/n] - columns[cell%n] + x
		want := x/n + others/(n*(n-1)) - all/(n*n)
		if g := got.Data[cell] * space.Eigenvalues()[0]; math.Abs(g-want) > 1e-12 {
			t.Fatalf("entry %d of Σv is %v, want %v", cell, g, want)
		}
	}
}

// TestAssignmentsTies: without scores the diagonal is taken, of any size.
func TestAssignmentsTies(t *testing.T) {
	const n = 60
	space := mustNew(t, "assignments", examples.Sized(n)).(assignments)
	y := make([]int32, n)
	score := Scores{Linear: make([]float64, n*n), Magnitude: make([]float64, n*n)}
	fill(score.Magnitude, -0.5)
	cert, err := space.Decode(y, score)
	if err != nil || !slices.IsSorted(y) || cert.Value != -0.5*n || !cert.Optimal {
		t.Errorf("zero scores give %v with %+v, error %v", y, cert, err)
	}
}

func TestAssignmentsMessages(t *testing.T) {
	space := mustNew(t, "assignments", examples.Sized(4))
	expectError(t, space.Check([]int32{0, 2, 1, 2}), "items 1 and 3 share a column in [0, 2, 1, 2]; give each item a column of its own")
	expectError(t, space.Check([]int32{0, 4, 1, 2}), "[0, 4, 1, 2] counts columns from 1, they count from 0: subtract 1")
	_, err := build("assignments", examples.Sized(maxAssigned+1))
	expectError(t, err, `(n) is 2049, must be between 1 and 2048`)
}
