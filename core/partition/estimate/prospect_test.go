package estimate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/partition/estimate"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func prospectSpace(t *testing.T, name string, n int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestProspect: coupling is given up where it would take a thousand times its budget, and only there.
func TestProspect(t *testing.T) {
	rankings := prospectSpace(t, "permutations", 25)
	classes, orders := prospectSpace(t, "multiclass", 1000), prospectSpace(t, "partialorders", 12)
	peak := make([]float64, 1000)
	peak[7] = 40
	strong, weak := make([]float64, 300), slices.Repeat([]float64{0.001}, 300)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range strong {
		strong[i] = rng.NormFloat64()
	}
	for name, c := range slicex.InOrder(map[string]struct {
		space    structure.Space
		scores   [][]float64
		bound    []float64
		steps    int64
		hopeless bool
		workers  int
	}{
		"strong scores":             {rankings, [][]float64{weak, strong}, nil, 1e6, true, 1},
		"by two workers":            {rankings, [][]float64{weak, strong}, nil, 1e6, true, 2},
		"weak scores":               {rankings, [][]float64{weak, weak}, nil, 1e6, false, 1},
		"a thousand outputs":        {classes, [][]float64{peak}, nil, 1e6, false, 1},
		"and few steps":             {classes, [][]float64{peak}, nil, 1, false, 1}, // a step for each output at most: in doubt, go
		"a bound far above":         {rankings, [][]float64{weak, weak}, []float64{1, 80}, 1e6, true, 1},
		"a bound that is not so":    {rankings, [][]float64{weak, weak}, []float64{1, 2}, 1e6, false, 1},
		"no uniform draws":          {orders, [][]float64{slices.Repeat([]float64{9}, 66)}, nil, 1, false, 1},
		"scores that say a million": {rankings, [][]float64{weak, strong}, nil, 1 << 40, true, 1},
	}) {
		linear := blas64.General{Rows: len(c.scores), Cols: len(c.scores[0]), Stride: len(c.scores[0]), Data: slices.Concat(c.scores...)}
		err := estimate.Prospect(structure.OneSpaceLinear(c.space, linear), c.bound, c.steps, c.workers, nil)
		if !c.hopeless {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		found, is := errors.AsType[*estimate.HopelessError](err)
		if !is || fault.RowOf(err) != 1 || found.Kind() != fault.KindBudget || !strings.Contains(err.Error(), "4096 uniform outputs") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if most := math.Log10(float64(c.steps)) + 3; found.Log10 <= most || found.Budget != c.steps {
			t.Errorf("%s: 10^%v steps of %v", name, found.Log10, c.steps)
		}
	}
}
