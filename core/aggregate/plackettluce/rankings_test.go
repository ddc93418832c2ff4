package plackettluce

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// TestRankingsAreOneSet: utilities are those of the ranks as one set, and the likelihood is that of choices place by place.
func TestRankingsAreOneSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n, k = 12, 5
	r := Rankings{Positions: linalg.NewMatrix[float64](n, k), Weights: make([]float64, n), Penalty: 0.3}
	f := Sets{Items: k, Penalty: r.Penalty, Ranks: make([]int32, n*k)}
	for i := range n {
		r.Weights[i] = rng.Float64()
		for at, u := range rng.Perm(k) {
			rank := min(at+1, k-i%3) // some rows end in a tie
			r.Positions.Row(i)[u], f.Ranks[i*k+u] = float64(7*rank), int32(rank)
		}
		if i%4 == 0 {
			u := rng.IntN(k)
			r.Positions.Row(i)[u], f.Ranks[i*k+u] = math.NaN(), 0
		}
	}
	f.Weights = linalg.Matrix[float64]{Rows: 1, Cols: n, Stride: n, Data: r.Weights}
	got, want := make([]float64, k), linalg.NewMatrix[float64](1, k)
	likelihood, err := r.FitTo(got, nil)
	if err := errors.Join(err, f.FitTo(want, 1, nil)); err != nil {
		t.Fatal(err)
	}
	for u, w := range want.Row(0) {
		if math.Abs(got[u]-w) > 1e-9 {
			t.Errorf("item %d: %v, want %v", u, got[u], w)
		}
	}
	sum := 0.0
	for i := range n {
		row := r.Positions.Row(i)
		for u, x := range row {
			left, last := 0.0, true
			for v, y := range row {
				if y >= x {
					left += math.Exp(got[v])
				}
				last = last && !(y > x)
			}
			if !math.IsNaN(x) && !last {
				sum += r.Weights[i] * (got[u] - math.Log(left))
			}
		}
	}
	if math.Abs(sum-likelihood) > 1e-9 {
		t.Errorf("likelihood %v, want %v", likelihood, sum)
	}
}

func TestRankingsRefused(t *testing.T) {
	of := func(rows ...[]float64) *Rankings {
		m := linalg.NewMatrix[float64](len(rows), len(rows[0]))
		for i, row := range rows {
			copy(m.Row(i), row)
		}
		return &Rankings{Positions: m, Names: []string{"tea", "milk", "juice"}}
	}
	dst := make([]float64, 3)
	_, err := of([]float64{1, 2, 3}, []float64{2, 2, 5}).FitTo(dst, nil)
	if fault.RowOf(err) != 1 || !strings.Contains(err.Error(), `"tea", "milk"`) {
		t.Errorf("a tie in front: %v", err)
	}
	_, err = of([]float64{1, 2, 3}, []float64{1, 3, 2}).FitTo(dst, nil)
	if fault.RowOf(err) != fault.NoRow || !strings.Contains(err.Error(), `item "tea"`) {
		t.Errorf("always first: %v", err)
	}
	two := of([]float64{1, 2, 3}, []float64{2, 1, 3})
	if _, err = two.FitTo(dst, nil); err == nil || !strings.Contains(err.Error(), `items "tea", "milk"`) {
		t.Errorf("never last: %v", err)
	}
	two.Penalty = -1
	if _, err = two.FitTo(dst, nil); err == nil {
		t.Error("the penalty is negative")
	}
	two.Penalty = 1e-30
	two.Weights = []float64{1e200, 1e200}
	if _, err = two.FitTo(dst, nil); err == nil || fault.KindOf(err) != fault.KindNumerical {
		t.Errorf("the penalty is lost: %v", err)
	}
	var stopped parallel.Monitor
	stopped.Cancel()
	two.Penalty, two.Weights = 1, nil
	if _, err = two.FitTo(dst, &stopped); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestUtilities: of covariates, utilities are Zβ less their mean; and ties that never occur have ν = 0.
func TestUtilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const k, p = 4, 2
	c := compared(rng, k, true, 3)
	c.Ties.Zero()
	c.Penalty, c.Covariates = 0.5, linalg.NewMatrix[float64](k, p)
	for i := range c.Covariates.Data {
		c.Covariates.Data[i] = rng.NormFloat64()
	}
	square := func(n int) linalg.Matrix[float64] { return linalg.NewMatrix[float64](n, n) }
	coef, covariance, plain, own := make([]float64, p+1), square(p+1), make([]float64, p), square(p)
	_, err := c.FitTo(coef, covariance, nil)
	if _, again := c.untied().FitTo(plain, own, nil); err != nil || again != nil {
		t.Fatal(err, again)
	}
	theta, spread := make([]float64, k), square(k)
	likelihood := c.UtilitiesTo(theta, spread, coef, covariance)
	want := 0.0
	for u := range k {
		for v := range k {
			want -= c.Wins.Row(u)[v] * math.Log1p(math.Exp(theta[v]-theta[u]))
		}
	}
	if math.Abs(likelihood-want) > 1e-9 || math.Abs(linalg.Sum(theta)) > 1e-12 || !math.IsInf(coef[p], -1) || covariance.Row(p)[p] != 0 {
		t.Errorf("likelihood %v, want %v; utilities %v; parameters %v", likelihood, want, theta, coef)
	}
	for u := range k {
		for v := range k {
			z, d := make([]float64, p), 0.0
			for i := range z {
				z[i] = c.Covariates.Row(u)[i] - c.Covariates.Row(v)[i]
			}
			for i := range z {
				for j := range z {
					d += z[i] * own.Row(i)[j] * z[j]
				}
			}
			got := spread.Row(u)[u] + spread.Row(v)[v] - 2*spread.Row(u)[v]
			if math.Abs(got-d) > 1e-9 || math.Abs(theta[u]-theta[v]-linalg.Dot(z, plain)) > 1e-9 {
				t.Errorf("difference of %d and %d: variance %v, want %v", u, v, got, d)
			}
		}
	}
}
