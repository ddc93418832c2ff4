package solve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
)

// Multiplying the result by shift·I + c_k Σ gives back the part of v that lies in the range of Σ.
func TestResolventInvertsShiftedCovariance(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		t.Run(in.Name, func(t *testing.T) {
			c, d := in.Problem(t, 1).Coord, in.Psi.Cols
			if len(c.Groups()) == 0 {
				t.Skip("the covariance is zero")
			}
			const rows, shift = 5, 0.3
			rng := rand.New(rand.NewPCG(1, 2))
			v, out := linalg.NewMatrix[float64](rows, d), linalg.NewMatrix[float64](rows, d)
			for i := range v.Data {
				v.Data[i] = rng.NormFloat64()
			}
			curvature := []float64{0, 0.1, 1, 10, 1e6}
			if err := c.ResolventTo(out, v, shift, curvature, nil); err != nil {
				t.Fatal(err)
			}
			f := linalg.NewMatrix[float64](d, c.Len()) // frames of all eigenspaces, the identity analysed
			id := linalg.NewMatrix[float64](d, d)
			for i := range d {
				id.Row(i)[i] = 1
			}
			c.AnalyzeTo(f, id)
			projector, sigma := linalg.NewMatrix[float64](d, d), linalg.NewMatrix[float64](d, d)
			for _, g := range c.Groups() {
				part := f.Slice(0, d, g.Lo, g.Hi)
				linalg.Gemm(blas.NoTrans, blas.Trans, 1, part, part, 1, projector)
				linalg.Gemm(blas.NoTrans, blas.Trans, g.Sigma, part, part, 1, sigma)
			}
			for k := range rows {
				for j := range d {
					got := shift * out.Row(k)[j]
					got += curvature[k] * linalg.Dot(sigma.Row(j), out.Row(k))
					if want := linalg.Dot(projector.Row(j), v.Row(k)); math.Abs(got-want) > 1e-9 {
						t.Errorf("curvature %g: entry %d is %g, want %g", curvature[k], j, got, want)
					}
				}
			}
		})
	}
}
