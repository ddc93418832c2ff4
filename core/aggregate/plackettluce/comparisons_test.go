package plackettluce

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
)

// compared draws comparisons of k items, few so that not all pairs have all outcomes.
func compared(rng *rand.Rand, k int, ties bool, most int) *Comparisons {
	c := &Comparisons{Wins: linalg.NewMatrix[float64](k, k)}
	if ties {
		c.Ties = linalg.NewMatrix[float64](k, k)
	}
	for u := range k {
		for v := range u {
			c.Wins.Row(u)[v], c.Wins.Row(v)[u] = float64(rng.IntN(most)), float64(rng.IntN(most))
			if ties {
				t := float64(rng.IntN(most))
				c.Ties.Row(u)[v], c.Ties.Row(v)[u] = t, t
			}
		}
	}
	return c
}

// loss is what is minimised, by the definition of the model.
func (c *Comparisons) loss(x []float64) (sum float64) {
	k := c.Wins.Rows
	linear, _ := c.params()
	theta := x[:linear]
	if c.Covariates.Data != nil {
		theta = make([]float64, k)
		for u := range k {
			theta[u] = linalg.Dot(c.Covariates.Row(u), x[:linear])
		}
	}
	nu := 0.0
	if c.Ties.Data != nil {
		nu = math.Exp(x[linear])
	}
	for u := range k {
		for v := range u {
			a, b := math.Exp(theta[u]), math.Exp(theta[v])
			all := a + b + nu*math.Sqrt(a*b)
			sum -= c.Wins.Row(u)[v]*math.Log(a/all) + c.Wins.Row(v)[u]*math.Log(b/all)
			if c.tied(u, v) > 0 {
				sum -= c.tied(u, v) * math.Log(nu*math.Sqrt(a*b)/all)
			}
		}
	}
	return sum + c.Penalty/2*linalg.Dot(x[:linear], x[:linear])
}

// TestDerivativesOfComparisons: against differences, with and without ties and covariates.
func TestDerivativesOfComparisons(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 8 {
		c := compared(rng, 4, trial%2 == 1, 6)
		c.Penalty = 0.3
		if trial%4 >= 2 {
			c.Covariates = linalg.NewMatrix[float64](4, 2)
			for i := range c.Covariates.Data {
				c.Covariates.Data[i] = rng.NormFloat64()
			}
		}
		m := c.model()
		x, step := make([]float64, len(m.x)), 1e-5
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if value := m.derive(x); math.Abs(value-c.loss(x)) > 1e-10*(1+value) {
			t.Errorf("trial %d: value %g, want %g", trial, value, c.loss(x))
		}
		hessian := linalg.NewMatrix[float64](len(x), len(x))
		hessian.CopyFrom(m.hessian)
		gradient := append([]float64(nil), m.gradient...)
		for i := range x {
			for j := range x {
				at := append([]float64(nil), x...)
				at[j] += step
				up := c.loss(at)
				m.derive(at)
				high := m.gradient[i]
				at[j] -= 2 * step
				m.derive(at)
				if want := (high - m.gradient[i]) / (2 * step); math.Abs(hessian.Row(i)[j]-want) > 1e-6 {
					t.Errorf("trial %d: second derivative %g by %d and %d, want %g", trial, hessian.Row(i)[j], i, j, want)
				}
				if want := (up - c.loss(at)) / (2 * step); math.Abs(gradient[j]-want) > 1e-6 {
					t.Errorf("trial %d: derivative %g by %d, want %g", trial, gradient[j], j, want)
				}
			}
		}
	}
}

// TestBoundedComparisons: against all directions on a grid that is fine enough for constraints on differences.
func TestBoundedComparisons(t *testing.T) {
	const k = 3
	rng := rand.New(rand.NewPCG(5, 2))
	found := map[bool]int{}
	for range 400 {
		c := compared(rng, k, true, 2)
		if linalg.Sum(c.Wins.Data) == 0 || linalg.Sum(c.Ties.Data) == 0 {
			continue
		}
		unbounded := false
		for code := range 5 * 5 * 5 * 2 {
			theta, delta := [k]int{code % 5, code / 5 % 5, code / 25 % 5}, code/125
			allowed, moves := true, delta > 0
			for u := range k {
				for v := range k {
					d := theta[u] - theta[v]
					moves = moves || d != 0
					allowed = allowed && (c.Wins.Row(u)[v] == 0 || d >= 2*delta) && (c.tied(u, v) == 0 || d <= 2*delta)
				}
			}
			unbounded = unbounded || allowed && moves
		}
		err := c.bounded()
		if (err != nil) != unbounded {
			t.Errorf("%v and ties %v: %v, unbounded %v", c.Wins.Data, c.Ties.Data, err, unbounded)
		}
		found[unbounded]++
		if !unbounded {
			x := make([]float64, k+1)
			if done, err := c.FitTo(x, linalg.NewMatrix[float64](k+1, k+1), nil); !done || err != nil {
				t.Errorf("%v and ties %v: %v, %v", c.Wins.Data, c.Ties.Data, done, err)
			}
		}
	}
	if found[true] < 30 || found[false] < 30 {
		t.Errorf("unbounded or not: %v", found)
	}
}
