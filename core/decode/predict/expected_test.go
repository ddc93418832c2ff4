package predict

import (
	"math"
	"slices"
	"testing"

	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// covariances multiplies rows by Σ.
type covariances struct{ sigma matrix }

func (c covariances) CovarianceTo(dst, rows matrix) {
	for i := range rows.Rows {
		for l := range dst.Cols {
			dst.Row(i)[l] = linalg.Dot(c.sigma.Row(l), rows.Row(i))
		}
	}
}

// moments returns the mean and the covariance of ψ by enumeration.
func moments(space structure.Space) ([]float64, matrix) {
	d := space.FeatureLen()
	mean, sigma, psi, count := make([]float64, d), linalg.NewMatrix[float64](d, d), make([]float64, d), 0.0
	for y := range space.(structure.Enumerator).All() {
		space.Embed(psi, y)
		count++
		for l, v := range psi {
			mean[l] += v
			linalg.Axpy(sigma.Row(l), psi, v)
		}
	}
	for l := range d {
		mean[l] /= count
	}
	for l := range d {
		for k := range d {
			sigma.Row(l)[k] = sigma.Row(l)[k]/count - mean[l]*mean[k]
		}
	}
	return mean, sigma
}

// TestPredictionsMaximiseTheScoreOverAllOutputs, for each kind of model, by f(x) and by expected features of either loss, with and without
// pre-images.
func TestPredictionsMaximiseTheScoreOverAllOutputs(t *testing.T) {
	const n = 20
	for name, size := range slicex.InOrder(map[string]int64{"permutations": 4, "labelsets": 5, "ordinal": 4}) {
		space := build(t, name, size)
		d, parts := space.FeatureLen(), space.PartLen()
		mean, sigma := moments(space)
		for way, expected := range slicex.InOrder(map[string]*Expected{
			"scores":                  nil,
			"squared":                 {},
			"squared, pre-image":      {PreImage: true},
			"squared, mean given":     {Mean: slices.Repeat([]float64{0.3}, d)},
			"squared, mode":           {Mode: true},
			"covariances":             {Covariance: covariances{sigma}},
			"covariances, pre-image ": {Covariance: covariances{sigma}, PreImage: true},
		}) {
			moder, ok := space.(structure.Moder)
			if !ok && expected != nil && expected.Mode {
				continue
			}
			for kind, one := range slicex.InOrder(models(t, space, expected)) {
				x := inputs(kind, n)
				got, certs := make([]int32, n*parts), make([]structure.Certificate, n)
				var counted parallel.Monitor
				if err := one.m.PredictTo(got, certs, linalg.Matrix[float64]{}, kernel.Rows{Dense: x},
					Options{Workers: 2, Monitor: &counted}); err != nil {
					t.Fatal(err)
				}
				if counted.Steps() != n {
					t.Errorf("%d steps for %d rows", counted.Steps(), n)
				}
				reached := make([]float64, n)
				if err := one.m.ValuesTo(reached, kernel.Rows{Dense: x}, got, Options{Workers: 2}); err != nil {
					t.Fatal(err)
				}
				psi, f := make([]float64, d), make([]float64, d)
				for i := range n {
					for l := range d {
						f[l] = one.score(x.Row(i), l)
					}
					decisive := slices.Clone(f)
					if expected != nil {
						for l := range d {
							if expected.Covariance != nil {
								decisive[l] = linalg.Dot(sigma.Row(l), f)
							}
							if expected.Mean != nil {
								decisive[l] += expected.Mean[l]
							} else {
								decisive[l] += mean[l]
							}
						}
					}
					if expected != nil && expected.Mode {
						moder.ModeScores(decisive)
					}
					best := math.Inf(-1)
					for y := range space.(structure.Enumerator).All() {
						space.Embed(psi, y)
						value := linalg.Dot(psi, decisive)
						if expected != nil && expected.PreImage {
							value -= linalg.Dot(psi, psi) / 2
						}
						best = max(best, value)
					}
					for _, v := range []float64{certs[i].Value, certs[i].UpperBound, reached[i]} {
						if math.Abs(v-best) > 1e-11 {
							t.Fatalf("%s, %s, %s, row %d: %v, the largest score of all is %v", name, way, kind, i, v, best)
						}
					}
				}
			}
		}
	}
}
