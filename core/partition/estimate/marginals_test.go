package estimate_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/partition/estimate"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func blank(n, d int) blas64.General {
	return blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
}

// TestAveragesAreNear: by Hoeffding's inequality each of 15 fails with 0.05, were it tight; by the standard errors far more seldom.
func TestAveragesAreNear(t *testing.T) {
	for name, space := range slicex.InOrder(spaces(t)) {
		d := space.FeatureLen()
		scores := normal(d, 8)
		exact := list(space, scores).mean()
		for _, sampler := range []estimate.Sampler{estimate.AutoSampler, estimate.Sampler(chain.FromPast),
			estimate.Sampler(chain.LocalMoves)} {
			opt := estimate.MarginalOptions{Options: estimate.Options{Epsilon: 0.1, Delta: 0.05, Sampler: sampler, MaxSteps: 1e8, Seed: 1}}
			value, bound := blank(1, d), blank(1, d)
			found, err := estimate.Marginals(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, value.Data, bound.Data, 2, nil)
			if err != nil || found[0].Failure != "" {
				t.Fatalf("%s by %v: %v %+v", name, sampler, err, found)
			}
			for j, want := range exact {
				if off := math.Abs(value.Data[j] - want); off > bound.Data[j]+1e-12 || bound.Data[j] > 0.1+1e-12 {
					t.Errorf("%s by %v, entry %d: off by %v, said to be within %v", name, sampler, j, off, bound.Data[j])
				}
			}
		}
	}
}

// TestQuotientsAreNear: the errors are relative to the distance from the least value; each fails with 0.2, were it tight.
func TestQuotientsAreNear(t *testing.T) {
	for name, space := range slicex.InOrder(spaces(t)) {
		d := space.FeatureLen()
		scores := normal(d, 9)
		all := list(space, scores)
		exact, low := all.mean(), make([]float64, d)
		copy(low, all.psi[0])
		for _, psi := range all.psi {
			for j, v := range psi {
				low[j] = min(low[j], v)
			}
		}
		opt := estimate.MarginalOptions{
			Options:  estimate.Options{Epsilon: 0.5, Delta: 0.2, Sampler: estimate.ExactSampler, MaxSteps: 1e8, Seed: 1},
			Counting: true,
		}
		value, bound := blank(1, d), blank(1, d)
		if _, err := estimate.Marginals(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, value.Data, bound.Data, 2, nil); err != nil {
			t.Fatal(name, err)
		}
		for j, want := range exact {
			if off := math.Abs(value.Data[j] - want); off > 0.5*(want-low[j])+1e-12 || off > bound.Data[j]+1e-12 {
				t.Errorf("%s, entry %d: off by %v, said to be within %v", name, j, off, bound.Data[j])
			}
		}
	}
}

// TestChainMeans: of 300 equal rows no more than 30 are expected to be beyond ε at δ = 0.1; 60 happen in 1e-7 of seeds.
func TestChainMeans(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 4})
	scores := []float64{0.8, -0.3, 0.5, 0, 0.9, -0.6}
	exact := list(space, scores).mean()
	opt := estimate.Options{Epsilon: 0.1, Delta: 0.1, Sampler: estimate.Sampler(chain.LocalMoves), MaxSteps: 4_000_000, Seed: 1}
	value, bound := blank(300, 6), blank(300, 6)
	found, err := estimate.ChainMeans(structure.OneSpaceLinear(space, rowsOf(300, scores)), opt, value.Data, bound.Data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	beyond, unsaid := 0, 0
	for i, row := range found {
		if row.Failure != "" || row.RHat > estimate.MaxRHat {
			t.Fatalf("row %d: %+v", i, row)
		}
		far, said := false, true
		for j, want := range exact {
			off := math.Abs(value.Data[i*6+j] - want)
			far, said = far || off > 0.1, said && off <= bound.Data[i*6+j]
		}
		if far {
			beyond++
		}
		if !said {
			unsaid++
		}
	}
	if beyond > 60 || unsaid > 60 {
		t.Errorf("%d of 300 rows are beyond ε, %d beyond their own errors", beyond, unsaid)
	}
	opt.MaxSteps, opt.Epsilon = 1, 0.001
	found, err = estimate.ChainMeans(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, blank(1, 6).Data, blank(1, 6).Data, 2, nil)
	if err != nil || !strings.Contains(found[0].Failure, "split R̂") {
		t.Errorf("%+v %v", found, err)
	}
}

func TestHoeffdingSize(t *testing.T) {
	for _, c := range []struct{ epsilon, delta, width, want float64 }{
		{0.1, 0.05, 1, math.Ceil(math.Log(40) / 0.02)}, {0.2, 0.01, 0, 1}, {0.2, 0.01, 6, math.Ceil(18 / 0.04 * math.Log(200))},
	} {
		if n := estimate.HoeffdingSize(c.epsilon, c.delta, c.width); n != c.want {
			t.Errorf("%+v: %v", c, n)
		}
	}
}

func TestCountingWithoutAnExactMeanHasAnAlternative(t *testing.T) {
	space := build(t, "partialorders", map[string]int64{"n": 9})
	opt := estimate.MarginalOptions{Options: estimate.Options{Epsilon: 0.1, Delta: 0.1, MaxSteps: 1e6}, Counting: true}
	value, bound := blank(1, 36), blank(1, 36)
	_, err := estimate.Marginals(structure.OneSpaceLinear(space, blank(1, 36)), opt, value.Data, bound.Data, 1, nil)
	lacking, ok := errors.AsType[*structure.CapabilityError](err)
	if !ok || lacking.Alternatives != "take method='samples'" || strings.Contains(lacking.Need, "take") {
		t.Errorf("error %v", err)
	}
}
