package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// Multiplying the result by shift·I + c_k Σ gives back the part of v that lies in the range of Σ.
func TestResolventInvertsShiftedCovariance(t *testing.T) {
	for _, in := range instances(t) {
		t.Run(in.name, func(t *testing.T) {
			c := in.problem(t, 1).Coord
			if len(c.groups) == 0 {
				t.Skip("the covariance is zero")
			}
			const rows, shift = 5, 0.3
			rng := rand.New(rand.NewPCG(1, 2))
			v, out := linalg.NewMatrix[float64](rows, c.d), linalg.NewMatrix[float64](rows, c.d)
			for i := range v.Data {
				v.Data[i] = rng.NormFloat64()
			}
			curvature := []float64{0, 0.1, 1, 10, 1e6}
			if err := c.ResolventTo(out, v, shift, curvature, nil); err != nil {
				t.Fatal(err)
			}
			f := linalg.NewMatrix[float64](c.d, c.Len()) // frames of all eigenspaces, the identity analysed
			id := linalg.NewMatrix[float64](c.d, c.d)
			for i := range c.d {
				id.Row(i)[i] = 1
			}
			c.AnalyzeTo(f, id)
			projector, sigma := linalg.NewMatrix[float64](c.d, c.d), linalg.NewMatrix[float64](c.d, c.d)
			for _, g := range c.groups {
				part := f.Slice(0, c.d, g.lo, g.hi)
				linalg.Gemm(blas.NoTrans, blas.Trans, 1, part, part, 1, projector)
				linalg.Gemm(blas.NoTrans, blas.Trans, g.sigma, part, part, 1, sigma)
			}
			for k := range rows {
				for j := range c.d {
					got := shift * out.Row(k)[j]
					got += curvature[k] * dot(sigma.Row(j), out.Row(k))
					if want := dot(projector.Row(j), v.Row(k)); math.Abs(got-want) > 1e-9 {
						t.Errorf("curvature %g: entry %d is %g, want %g", curvature[k], j, got, want)
					}
				}
			}
		})
	}
}
