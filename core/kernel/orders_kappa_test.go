package kernel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
)

// TestPositionKernelsByAnyKappa: Σ_u w_u κ(p_u, p'_u) by loops, for κ of each kind.
func TestPositionKernelsByAnyKappa(t *testing.T) {
	const n, items = 9, 5
	rng := rand.New(rand.NewPCG(3, 1))
	x := &Orders{N: n, Items: items, Positions: make([]float64, n*items)}
	for k := range x.Positions {
		x.Positions[k] = float64(rng.IntN(7) - 1)
	}
	var factor [items][3]float64
	for a := range factor {
		for k := range factor[a] {
			factor[a][k] = rng.NormFloat64()
		}
	}
	kappa := make([]float64, items*items)
	for a := range items {
		for b := range items {
			lo, hi := min(a, b), max(a, b)
			for k := range 3 {
				kappa[a*items+b] += factor[lo][k] * factor[hi][k]
			}
		}
	}
	weights := []float64{0, 2, 0.5, 1, 3}
	for name, c := range slicex.InOrder(map[string]struct {
		f     OrderFunction
		kappa func(a, b int) float64
	}{
		"matrix": {OrderFunction{Kind: Positions, Kappa: kappa}, func(a, b int) float64 { return kappa[a*items+b] }},
		"weighted matrix": {OrderFunction{Kind: Positions, Kappa: kappa, Weights: weights},
			func(a, b int) float64 { return kappa[a*items+b] }},
		"weighted": {OrderFunction{Kind: Positions, Weights: weights}, func(a, b int) float64 { return float64(a * b) }},
		"weighted rbf": {OrderFunction{Kind: PositionsRBF, Gamma: 0.3, Weights: weights},
			func(a, b int) float64 { return math.Exp(-0.3 * float64((a-b)*(a-b))) }},
	}) {
		for _, normalize := range []bool{false, true} {
			c.f.Normalize = normalize
			found := linalg.NewMatrix[float64](n, n)
			if err := OrdersTo(found, c.f, x, nil, 1, nil); err != nil {
				t.Fatal(err)
			}
			by := func(i, j int) (sum float64) {
				p, q := fromPositions(x.Positions[i*items:(i+1)*items]), fromPositions(x.Positions[j*items:(j+1)*items])
				for u := range items {
					sum += c.f.weight(u) * c.kappa(p.predecessors(u), q.predecessors(u))
				}
				return sum
			}
			for i := range n {
				for j := range n {
					want := by(i, j)
					if scale := math.Sqrt(by(i, i) * by(j, j)); normalize && scale > 0 {
						want /= scale
					}
					if got := found.Row(i)[j]; !(math.Abs(got-want) < 1e-12*(1+math.Abs(want))) {
						t.Fatalf("%s, normalised %t: %g for rows %d and %d, must be %g", name, normalize, got, i, j, want)
					}
				}
			}
		}
	}
	refuse := func(f OrderFunction, want string) {
		t.Helper()
		if err := OrdersTo(linalg.NewMatrix[float64](n, n), f, x, nil, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, must say %q", err, want)
		}
	}
	refuse(OrderFunction{Kind: Positions, Kappa: kappa[1:]}, "kappa has 24 entries, must have 25")
	refuse(OrderFunction{Kind: Edges, Weights: weights}, "are for kernels of positions")
	refuse(OrderFunction{Kind: Positions, Weights: []float64{1, 1, -1, 1, 1}}, "the weight of item 2 is -1")
	wrong := make([]float64, items*items)
	wrong[1], wrong[items] = 1, 1
	refuse(OrderFunction{Kind: Positions, Kappa: wrong}, "eigenvalues reach from -1 to 1")
	wrong[1] = 2
	refuse(OrderFunction{Kind: Positions, Kappa: wrong}, "must be finite and symmetric")
}
