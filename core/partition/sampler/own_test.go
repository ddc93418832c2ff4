package sampler_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// owner draws outputs of a list for each row, with one figure each, and remembers them by their numbers.
type owner struct {
	figures []float64
	rng     *rand.Rand
	held    map[int64]float64
}

func (o *owner) Move(_, from, to []int64, psi, _ []float64) error {
	for k := range from {
		psi[k] = o.figures[o.rng.IntN(len(o.figures))]
		o.held[to[k]] = psi[k]
	}
	return nil
}

// TestOwnDraws: from a caller's draws chains are measured, and samples drawn for every row, whose numbers the caller knows at the end.
func TestOwnDraws(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 3})
	g := enumerate(space, []float64{1, -0.5, 0.2})
	scales := []float64{1, 0, -0.7}
	for name, c := range slicex.InOrder(map[string]struct {
		opt  sampler.Options
		want chain.Method
	}{
		"auto":         {sampler.Options{Sampler: auto}, chain.Meta},
		"a chain":      {sampler.Options{Sampler: sampler.AnyChain}, chain.Meta},
		"a bound":      {sampler.Options{Sampler: auto, Bound: []float64{1.2, 0, 0.35}}, chain.FromPast},
		"a far bound":  {sampler.Options{Sampler: auto, Bound: []float64{40, 40, 40}}, chain.Meta},
		"a fair bound": {sampler.Options{Sampler: by(chain.Reject), Bound: []float64{2, 1, 1}}, chain.Reject},
	}) {
		const draws = 500
		n := len(scales)
		opt := c.opt
		opt.Draws, opt.Diagnosed, opt.Budget, opt.Thin = draws, true, 1e6, 1
		o := &owner{g.values, rand.New(rand.NewPCG(1, 1)), map[int64]float64{}}
		s := &estimate.External{Features: 1, Log: math.NaN(), Mover: o, Keep: true, Still: true, Rows: n}
		s.Supply = func(n int) error {
			for range n {
				s.Draws = append(s.Draws, g.values[o.rng.IntN(len(g.values))])
			}
			return nil
		}
		dst := chain.Draws{Y: make([]int32, n*draws), Value: make([]float64, n*draws), Steps: make([]int64, n*draws)}
		found, err := sampler.Batch(structure.Rows(s, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: scales}), opt, dst, 1, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if found.Sampler != by(c.want) || (found.Report != nil) != (c.want == chain.Meta) {
			t.Errorf("%s: by %v", name, found.Sampler)
		}
		for i, scale := range scales {
			var mean, want, total float64
			for k := i * draws; k < (i+1)*draws; k++ {
				if scale*o.held[int64(dst.Y[k])] != dst.Value[k] || dst.Steps[k] < 1 {
					t.Fatalf("%s: sample %d scores %v, not %v", name, k, dst.Value[k], scale*o.held[int64(dst.Y[k])])
				}
				mean += o.held[int64(dst.Y[k])] / draws
			}
			for _, figure := range g.values {
				p := math.Exp(scale * figure)
				total += p
				want += p * figure
			}
			if math.Abs(mean-want/total) > 0.2 { // five standard errors, of chains seven
				t.Errorf("%s, row %d: the mean figure is %v, not %v", name, i, mean, want/total)
			}
		}
	}
}

// TestOwnRejections: a sample that takes too many proposals is named with its row, and only some numbers are in use.
func TestOwnRejections(t *testing.T) {
	o := &owner{[]float64{0, 1}, rand.New(rand.NewPCG(1, 1)), map[int64]float64{}}
	s := &estimate.External{Features: 1, Log: math.NaN(), Mover: o, Keep: true, Rows: 2}
	opt := sampler.Options{Sampler: by(chain.Reject), Draws: 3, Budget: 20000, Thin: 1, Bound: []float64{8, 60}}
	rows := structure.Rows(s, blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1}})
	_, err := sampler.Batch(rows, opt, chain.Draws{Y: make([]int32, 6)}, 1, nil)
	if spent, ok := errors.AsType[*chain.BudgetError](err); !ok || spent.Draw != 0 || fault.RowOf(err) != 1 {
		t.Errorf("%v, must be about sample 0 of row 1", err)
	}
	if len(o.held) > 2*1024+6 {
		t.Errorf("%d outputs are to be remembered", len(o.held))
	}
}
