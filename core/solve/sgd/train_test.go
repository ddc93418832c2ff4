package sgd

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// weightedVisits returns the problem of an instance with the weights of one visit each, and the visits of a pass: row i twice, where i is
// even.
func weightedVisits(t *testing.T, in solvetest.Instance) (*solve.Problem, []int64) {
	t.Helper()
	var order []int64
	weights := make([]float64, in.K.Rows)
	for i := range weights {
		weights[i] = in.Weight(i)
		if weights[i] == 0 {
			continue
		}
		order = append(order, int64(i))
		if i%2 == 0 {
			order = append(order, int64(i))
			weights[i] /= 2
		}
	}
	visits := in
	visits.Weights = weights
	return visits.Problem(t, 1), order
}

// Several passes are those of the formula, step by step on the enumerated loss, in the order that the seed gives; and the objective after
// each is the enumerated one.
func TestPassesFollowTheFormula(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		p, order := weightedVisits(t, in)
		if len(order) == 0 {
			continue
		}
		x := &solve.Design{Rows: linalg.Rows{Dense: in.X}, Intercept: in.Shift == 1}
		steps := steady(in)
		const passes = 3
		for _, averaging := range []bool{false, true} {
			coef, none := linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols), linalg.NewMatrix[float64](0, in.Psi.Cols)
			average := none
			if averaging {
				average = linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols)
			}
			curve := make([]float64, passes)
			out, err := Train(p, steps, x, Passes{Order: order, Shuffle: true, Seed: 9, Most: passes, Curve: curve, Tol: -1}, coef, average,
				none, nil)
			if err != nil {
				t.Fatal(in.Name, err)
			}
			if out.Passes != passes || out.Steps != passes*len(order) || out.Converged {
				t.Fatalf("%s: %+v", in.Name, out)
			}

			// The same in an expansion, whose weights of visits are those of the rows of p.
			half := in
			half.Weights = make([]float64, in.K.Rows)
			for i, root := range p.Root {
				lo, hi := in.Outputs(i)
				half.Weights[i] = root * root / float64(hi-lo)
			}
			dual, mean := linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols), linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols)
			rng := rand.New(rand.NewPCG(9, 0x5EED))
			at := steps
			for pass := range passes {
				visits := slices.Clone(order)
				rng.Shuffle(len(visits), func(a, b int) { visits[a], visits[b] = visits[b], visits[a] })
				drop := make([]int64, len(visits))
				for k := range drop {
					drop[k] = -1
				}
				byFormula(&half, at, followed{visits, drop}, dual, mean)
				at.Done += len(visits)
				model := dual
				if averaging {
					model = mean
				}
				if want := in.Objective(model); math.Abs(curve[pass]-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("%s: the objective after pass %d is %g, enumerated %g", in.Name, pass, curve[pass], want)
				}
			}
			want, got, predicting := dual, linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols), coef
			if averaging {
				want, predicting = mean, average
			}
			scoresTo(got, x, 0, predicting)
			if gap := difference(got, in.Scores(want)); gap > 1e-8 {
				t.Fatalf("%s: scores differ by %g", in.Name, gap)
			}
		}
	}
}

// Passes stop when five in a row have gained little, and at the minimum that the closed form reaches.
func TestPassesStopWhereNothingIsGained(t *testing.T) {
	in := solvetest.Rankings(t)
	p, order := weightedVisits(t, in)
	x := &solve.Design{Rows: linalg.Rows{Dense: in.X}, Intercept: in.Shift == 1}
	none := linalg.NewMatrix[float64](0, in.Psi.Cols)
	coef, average := linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols), linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols)
	curve := make([]float64, 5000)
	steps := NewStepSizes(p.Lambda, 0.5, Curvature(p, x), 0, len(order))
	out, err := Train(p, steps, x, Passes{Order: order, Shuffle: true, Seed: 1, Most: len(curve), Curve: curve, Tol: 1e-7}, coef, average,
		none, nil)
	if err != nil || !out.Converged || out.Passes >= len(curve) {
		t.Fatal(out, err)
	}
	if best := in.Value; !(curve[out.Passes-1]-best < 1e-3*math.Abs(best)) || curve[out.Passes-1] < best-1e-9 {
		t.Errorf("the objective is %g, its minimum %g", curve[out.Passes-1], best)
	}
}

// What is cancelled leaves the functions that the steps until then have made.
func TestCancelledPassesKeepTheirSteps(t *testing.T) {
	in := solvetest.Rankings(t)
	p, order := weightedVisits(t, in)
	x := &solve.Design{Rows: linalg.Rows{Dense: in.X}, Intercept: in.Shift == 1}
	none := linalg.NewMatrix[float64](0, in.Psi.Cols)
	got, want := linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols), linalg.NewMatrix[float64](x.Columns(), in.Psi.Cols)
	p.Mon = new(parallel.Monitor)
	var out Outcome
	err := parallel.For(2, 1, 2, nil, func(lo, _ int) (err error) {
		if lo == 0 {
			out, err = Train(p, steady(in), x, Passes{Order: order, Most: math.MaxInt}, got, none, none, nil)
			return err
		}
		for p.Mon.Steps() < 3 {
			runtime.Gosched()
		}
		p.Mon.Cancel()
		return nil
	})
	if err != parallel.ErrCancelled || out.Passes < 3 || out.Steps < 3*len(order) {
		t.Fatal(out, err)
	}
	p.Mon = nil
	var visits []int64
	for len(visits) < out.Steps {
		visits = append(visits, order...)
	}
	if _, err := Train(p, steady(in), x, Passes{Order: visits[:out.Steps], Most: 1}, want, none, none, nil); err != nil {
		t.Fatal(err)
	}
	if gap := difference(got, want); gap != 0 {
		t.Errorf("coefficients differ by %g from those of as many steps", gap)
	}
}

func BenchmarkStep(b *testing.B) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 10}})
	if err != nil {
		b.Fatal(err)
	}
	const n = 4096
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	psi, x := linalg.NewMatrix[float64](n, space.FeatureLen()), linalg.NewMatrix[float64](n, 20)
	y := make([]int32, 10)
	for i := range n {
		for j, position := range rng.Perm(10) {
			y[j] = int32(position + 1)
		}
		space.Embed(psi.Row(i), y)
		for j := range 20 {
			x.Row(i)[j] = rng.NormFloat64()
		}
	}
	mean := make([]float64, space.FeatureLen())
	space.(structure.Momenter).Mean(mean)
	p, err := solve.NewProblem(1, true, coord, solve.Targets{Psi: psi, Mean: mean}, 1, nil)
	if err != nil {
		b.Fatal(err)
	}
	design := &solve.Design{Rows: linalg.Rows{Dense: x}, Intercept: true}
	steps := NewStepSizes(1, 0.5, Curvature(p, design), 0, n)
	for _, averaging := range []bool{false, true} {
		name, rows := "plain", 0
		if averaging {
			name, rows = "averages", 21
		}
		b.Run(name, func(b *testing.B) {
			passes := b.N/n + 1
			coef, average := linalg.NewMatrix[float64](21, psi.Cols), linalg.NewMatrix[float64](rows, psi.Cols)
			b.ResetTimer()
			if _, err := Train(p, steps, design, Passes{Order: inOrder(n), Shuffle: true, Most: passes, Curve: make([]float64, passes),
				Tol: -1}, coef, average, linalg.NewMatrix[float64](0, psi.Cols), nil); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(passes*n), "ns/step")
		})
	}
}
