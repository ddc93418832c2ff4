package solve_test

import (
	"math"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Coordinates reproduce Σ and the centred outputs, by frames, compressed frames and diagonalisation alike.
func TestCoordinatesDiagonaliseTheCovariance(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		if !in.Margin || in.Weights != nil {
			continue
		}
		c, err := solve.NewCoordinates(in.Space)
		if err != nil {
			t.Fatal(err)
		}
		d := in.Psi.Cols
		id := linalg.NewMatrix[float64](d, d)
		for i := range d {
			id.Data[i*d+i] = 1
		}
		f := linalg.NewMatrix[float64](d, c.Len())
		c.AnalyzeTo(f, id)
		sigma, cov, product := c.Sigmas(), in.Covariance(), linalg.NewMatrix[float64](d, d)
		c.CovarianceTo(product, id)
		for i := range d {
			for j := range d {
				var v float64
				for k := range sigma {
					v += sigma[k] * f.Row(i)[k] * f.Row(j)[k]
				}
				if math.Abs(v-cov.At(i, j)) > 1e-12 {
					t.Fatalf("%s: Σ[%d,%d] = %g, want %g", in.Name, i, j, v, cov.At(i, j))
				}
				if v := product.Row(i)[j]; math.Abs(v-cov.At(i, j)) > 1e-12 {
					t.Fatalf("%s: a row times Σ has %g at %d, %d, want %g", in.Name, v, i, j, cov.At(i, j))
				}
			}
		}
	}
}
