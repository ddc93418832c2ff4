package chain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// methods are all ways to draw label sets.
var methods = []Method{Meta, LocalMoves, CubeMoves, FromPast, Reject, MonotonePast}

func optionsOf(method Method, draws int) Options {
	return Options{Method: method, Draws: draws, BurnIn: 10, Thin: 3, Budget: 1 << 20, Seed: 77}
}

// TestBatchIsReproducible: draws do not depend on the number of workers, on later rows, or on how many exact draws there
// are; they do on the seed and the row.
func TestBatchIsReproducible(t *testing.T) {
	space := mustNew(t, "labelsets", 9)
	linear := rows(gaussian(9, 1, rand.New(rand.NewPCG(1, 2))), 5) // equal ones but the last
	linear.Data[len(linear.Data)-1]++
	const draws = 40
	draw := func(method Method, n, draws, workers int, seed uint64) []int32 {
		m := linear
		m.Rows = n
		opt := optionsOf(method, draws)
		opt.Seed = seed
		dst := Draws{Y: make([]int32, n*draws*9)}
		if err := Batch(structure.Rows(space, m), opt, dst, workers, nil); err != nil {
			t.Fatal(err)
		}
		return dst.Y
	}
	for _, method := range methods {
		all := draw(method, 5, draws, 1, 77)
		if !slices.Equal(all, draw(method, 5, draws, 3, 77)) {
			t.Errorf("method %d: the number of workers matters", method)
		}
		if !slices.Equal(all[:2*draws*9], draw(method, 2, draws, 2, 77)) {
			t.Errorf("method %d: later rows matter", method)
		}
		if few := draw(method, 1, 7, 2, 77); !slices.Equal(all[:7*9], few) {
			t.Errorf("method %d: the number of draws matters", method)
		}
		last := linear
		last.Rows, last.Data = 1, linear.Data[4*linear.Stride:]
		dst := Draws{Y: make([]int32, draws*9)}
		if err := Batch(structure.Rows(space, last), optionsOf(method, draws), dst, 1, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(all[4*draws*9:], dst.Y) {
			t.Errorf("method %d: earlier rows matter", method)
		}
		if slices.Equal(all, draw(method, 5, draws, 1, 78)) || slices.Equal(all[:draws*9], all[draws*9:2*draws*9]) {
			t.Errorf("method %d: the seed or the row does not matter", method)
		}
	}
}

// TestChainsCount: a chain makes the steps it is asked for, begins where it is told to, and goes on from there.
func TestChainsCount(t *testing.T) {
	space := mustNew(t, "permutations", 6)
	linear := rows(gaussian(15, 5, rand.New(rand.NewPCG(3, 4))), 2)
	const draws = 50
	start := []int32{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1}
	dst := Draws{
		Y: make([]int32, 2*draws*6), Value: make([]float64, 2*draws), Steps: make([]int64, 2*draws),
		Accepted: make([]int64, 2*draws),
	}
	opt := optionsOf(LocalMoves, draws)
	opt.Start = start
	if err := Batch(structure.Rows(space, linear), opt, dst, 2, nil); err != nil {
		t.Fatal(err)
	}
	psi := make([]float64, 15)
	for j := range 2 * draws {
		want := int64(3)
		if j%draws == 0 {
			want = 13
		}
		if dst.Steps[j] != want || dst.Accepted[j] > want || dst.Accepted[j] < 0 {
			t.Fatalf("draw %d: %d of %d steps accepted, want %d steps", j, dst.Accepted[j], dst.Steps[j], want)
		}
		space.Embed(psi, dst.Y[6*j:6*j+6])
		if v := (structure.Scores{Linear: linear.Data[:15]}).Value(psi); v != dst.Value[j] {
			t.Fatalf("draw %d scores %v, is said to score %v", j, v, dst.Value[j])
		}
	}
	opt.Draws, opt.BurnIn, opt.Thin = 1, 0, 1
	once := Draws{Y: make([]int32, 12)}
	if err := Batch(structure.Rows(space, linear), opt, once, 1, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // one insertion away from the start
		moved := 0
		for v := range 6 {
			if d := once.Y[6*i+v] - start[6*i+v]; d > 1 || d < -1 {
				moved++
			}
		}
		if moved > 1 {
			t.Errorf("one step leads from %v to %v", start[6*i:6*i+6], once.Y[6*i:6*i+6])
		}
	}
}

func TestBatchMessages(t *testing.T) {
	space := mustNew(t, "labelsets", 2)
	permutations, large := mustNew(t, "permutations", 4), mustNew(t, "partialorders", 9)
	good := func() (structure.Space, []float64, Options) { return space, []float64{1, 2}, optionsOf(Meta, 1) }
	for want, change := range slicex.InOrder(map[string]func(s *structure.Space, x *[]float64, o *Options){
		"row 1: score 0 is NaN, must be finite": func(_ *structure.Space, x *[]float64, _ *Options) {
			*x = []float64{0, 0, math.NaN(), 1}
		},
		"add up to more than": func(_ *structure.Space, x *[]float64, _ *Options) {
			*x = []float64{1e308, 1e308}
		},
		"no method number 99":         func(_ *structure.Space, _ *[]float64, o *Options) { o.Method = 99 },
		"n_samples is 0":              func(_ *structure.Space, _ *[]float64, o *Options) { o.Draws = 0 },
		"burn_in is -1":               func(_ *structure.Space, _ *[]float64, o *Options) { o.BurnIn = -1 },
		"thin is 0":                   func(_ *structure.Space, _ *[]float64, o *Options) { o.Thin = 0 },
		"max_steps, the budget, is 0": func(_ *structure.Space, _ *[]float64, o *Options) { o.Budget = 0 },
		"row 0: the start is no member": func(_ *structure.Space, _ *[]float64, o *Options) {
			o.Start = []int32{0, 2}
		},
		"start has 1 entries, must have 2": func(_ *structure.Space, _ *[]float64, o *Options) { o.Start = []int32{0} },
		"exact methods have no start": func(_ *structure.Space, _ *[]float64, o *Options) {
			o.Method, o.Start = Reject, []int32{0, 1}
		},
		"bound has 2 entries, must have 1": func(_ *structure.Space, _ *[]float64, o *Options) {
			o.Method, o.Bound = Reject, []float64{9, 9}
		},
		"row 0: the bound is +Inf": func(_ *structure.Space, _ *[]float64, o *Options) {
			o.Method, o.Bound = Reject, []float64{math.Inf(1)}
		},
		"only coupling from the past and rejection sampling": func(_ *structure.Space, _ *[]float64, o *Options) { o.Bound = []float64{9} },
		"rankings of 4 labels: this needs a lattice": func(s *structure.Space, x *[]float64, o *Options) {
			*s, *x, o.Method = permutations, make([]float64, 6), MonotonePast
		},
		"partial orders of 9 items: this needs a uniform sampler": func(s *structure.Space, x *[]float64, o *Options) {
			*s, *x, o.Method = large, make([]float64, 36), FromPast
		},
		"sets of 2 labels needs 2": func(_ *structure.Space, x *[]float64, _ *Options) { *x = nil },
	}) {
		s, x, opt := good()
		change(&s, &x, &opt)
		n := max(1, len(x)/s.FeatureLen())
		m := rows(x, 1)
		if len(x) > 0 {
			m.Rows, m.Cols, m.Stride = n, len(x)/n, len(x)/n
		}
		err := Batch(structure.Rows(s, m), opt, Draws{Y: make([]int32, n*max(1, opt.Draws)*s.PartLen())}, 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	short := Draws{Y: make([]int32, 2), Steps: make([]int64, 2)}
	if err := Batch(structure.Rows(space, rows([]float64{1, 2}, 1)), optionsOf(Meta, 1), short, 1, nil); err == nil {
		t.Error("diagnostics of a wrong length are accepted")
	}
}

// TestWithoutASampler: structures without uniform samples have local chains, from the guaranteed solution.
func TestWithoutASampler(t *testing.T) {
	space := mustNew(t, "partialorders", 9)
	dst := Draws{Y: make([]int32, 5*36)}
	linear := rows(gaussian(36, 1, rand.New(rand.NewPCG(1, 1))), 1)
	if err := Batch(structure.Rows(space, linear), optionsOf(LocalMoves, 5), dst, 1, nil); err != nil {
		t.Fatal(err)
	}
	for j := range 5 {
		if err := space.Check(dst.Y[36*j : 36*j+36]); err != nil {
			t.Error(err)
		}
	}
}

// TestCancellation: every method ends when it is asked to, in the middle of one long draw.
func TestCancellation(t *testing.T) {
	space := mustNew(t, "labelsets", 60)
	strong := make([]float64, 60)
	for i := range strong {
		strong[i] = 9
	}
	for _, method := range methods {
		var mon parallel.Monitor
		opt := Options{Method: method, Draws: 1, BurnIn: MostSteps, Thin: 1, Budget: MostSteps}
		if method == MonotonePast {
			mon.Cancel() // it is done at once otherwise
		}
		err := parallel.For(2, 1, 2, nil, func(lo, _ int) error {
			if lo == 1 {
				time.Sleep(5 * time.Millisecond)
				mon.Cancel()
				return nil
			}
			return Batch(structure.Rows(space, rows(strong, 1)), opt, Draws{Y: make([]int32, 60)}, 2, &mon)
		})
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("method %d ends with %v", method, err)
		}
	}
}
