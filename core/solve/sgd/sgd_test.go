package sgd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// The steps, their averages and what is left out are those of the formula, on the enumerated loss.
func TestDescentFollowsTheFormula(t *testing.T) {
	all := solvetest.Instances(t)
	t.Run("refusals", func(t *testing.T) { refusesIllegalSteps(t, all[0]) })
	for _, in := range all {
		t.Run(in.Name+"/fast shrinking", func(t *testing.T) { survivesFastShrinking(t, in) })
		for name, o := range slicex.InOrder(orders(in.K.Rows)) {
			t.Run(in.Name+"/"+name, func(t *testing.T) {
				p, v := visited(t, &in, o)
				rng := rand.New(rand.NewPCG(1, 2))
				coef := in.Start(rng)
				average := in.Start(rng)
				wantCoef, wantAverage := clone(coef), clone(average)
				none := linalg.NewMatrix[float64](0, in.Psi.Cols)
				alone := clone(coef)
				loss, err := DescendInExpansion(p, steady(in), v, coef, average, none, nil)
				if err != nil {
					t.Fatal(err)
				}
				again, err := DescendInExpansion(p, steady(in), v, alone, none, none, nil)
				if err != nil {
					t.Fatal(err)
				}
				if again != loss || difference(alone, coef) != 0 {
					t.Error("the average changes the steps")
				}
				byFormula(&in, steady(in), o, wantCoef, wantAverage)
				if gap := difference(coef, wantCoef); gap > 1e-9 {
					t.Errorf("coefficients differ by %g", gap)
				}
				if gap := difference(average, wantAverage); gap > 1e-9 {
					t.Errorf("averages differ by %g", gap)
				}
			})
		}
	}
}

// A linear model follows the same functions as the expansion of its kernel, with averages and gains.
func TestFeaturesAndExpansionsAreTheSameDescent(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		o := orders(in.K.Rows)["several"]
		for i := range o.drop {
			o.drop[i] = -1
		}
		p, v := visited(t, &in, o)
		m, d := in.K.Rows, in.Psi.Cols
		x := linalg.NewMatrix[float64](len(o.at), 3)
		for step, i := range o.at {
			copy(x.Row(step), in.X.Row(int(i)))
		}
		design := &solve.Design{Rows: linalg.Rows{Dense: x}, Intercept: in.Shift == 1}
		all := &solve.Design{Rows: linalg.Rows{Dense: in.X}, Intercept: design.Intercept}
		zero := func(rows int) matrix { return linalg.NewMatrix[float64](rows, d) }
		coef, average, velocity, gains := zero(m), zero(m), zero(m), ones(d)
		loss, err := DescendInExpansion(p, steady(in), v, coef, average, velocity, gains)
		if err != nil {
			t.Fatal(err)
		}
		for name, form := range slicex.InOrder(map[string]*solve.Design{
			"dense":  design,
			"sparse": {Rows: linalg.Rows{Sparse: csr(x)}, Intercept: design.Intercept},
		}) {
			q := form.Columns()
			w, wAverage, wVelocity, wGains := zero(q), zero(q), zero(q), ones(d)
			wLoss, err := once(p, steady(in), form, w, wAverage, wVelocity, wGains)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(loss-wLoss) > 1e-9*(1+math.Abs(loss)) {
				t.Errorf("%s, %s: loss %g, want %g", in.Name, name, wLoss, loss)
			}
			for which, pair := range slicex.InOrder(map[string][2]matrix{
				"iterate": {w, coef}, "average": {wAverage, average}, "velocity": {wVelocity, velocity},
			}) {
				scores := zero(m)
				for i := range m {
					all.Entries(i, func(k int, value float64) { linalg.Axpy(scores.Row(i), pair[0].Row(k), value) })
				}
				if gap := difference(scores, in.Scores(pair[1])); gap > 1e-9 {
					t.Errorf("%s, %s: scores of the %s differ by %g", in.Name, name, which, gap)
				}
			}
			for j, g := range gains {
				if math.Abs(g-wGains[j]) > 1e-9 {
					t.Errorf("%s, %s: gain %d is %g, want %g", in.Name, name, j, wGains[j], g)
				}
			}
		}
	}
}

// momentsOnly hides what else a space knows of its covariance.
type momentsOnly struct {
	structure.Space
	structure.Momenter
}

func (m momentsOnly) Facts() structure.Facts { return structure.Facts{Layout: m.Space.Facts().Layout} }

// Descent in redundant coordinates, those of many labels, stays in the space of ψ, and gives what orthonormal ones would.
func TestRedundantCoordinatesGiveTheSameDescent(t *testing.T) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 24}})
	if err != nil {
		t.Fatal(err)
	}
	d := space.FeatureLen()
	coord, err := solve.NewCoordinates(space)
	if err != nil || !coord.Redundant() {
		t.Fatal("coordinates are not redundant", err)
	}
	orthonormal, err := solve.NewCoordinates(momentsOnly{space, space.(structure.Momenter)})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	n := 20
	psi := linalg.NewMatrix[float64](n, d)
	y := make([]int32, 24)
	v := Visits{Kernel: linalg.NewMatrix[float64](n, n), At: make([]int64, n), Drop: make([]int64, n)}
	for i := range n {
		for j, position := range rng.Perm(24) {
			y[j] = int32(position + 1)
		}
		space.Embed(psi.Row(i), y)
		v.At[i], v.Drop[i] = int64(i), int64(i-15)
		for j := range n {
			v.Kernel.Row(i)[j] = math.Exp(-math.Abs(float64(i - j)))
		}
	}
	var found [2]matrix
	for which, c := range []*solve.Coordinates{coord, orthonormal} {
		p, err := solve.NewProblem(0.1, true, c, solve.Targets{Psi: psi, Mean: make([]float64, d)}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		found[which] = linalg.NewMatrix[float64](n, d)
		average := linalg.NewMatrix[float64](n, d)
		if _, err := DescendInExpansion(p, StepSizes{Rows: float64(n), First: 0.5, Shift: 4e4}, v, found[which], average,
			linalg.NewMatrix[float64](0, d), nil); err != nil {
			t.Fatal(err)
		}
		meta := linalg.NewMatrix[float64](n, d)
		gains := ones(d)
		if _, err := DescendInExpansion(p, StepSizes{Rows: float64(n), First: 0.5, Shift: 4e4}, v, meta, average,
			linalg.NewMatrix[float64](n, d), gains); err != nil {
			t.Fatal(err)
		}
		// Within the span of coordinates: taking them and giving them back changes nothing.
		taken, back := linalg.NewMatrix[float64](n, c.Len()), linalg.NewMatrix[float64](n, d)
		c.AnalyzeTo(taken, meta)
		c.SynthesizeTo(back, taken)
		if gap := difference(back, meta); gap > 1e-9 {
			t.Errorf("coefficients leave the space by %g", gap)
		}
	}
	if gap := difference(found[0], found[1]); gap > 1e-9 {
		t.Errorf("coefficients differ by %g", gap)
	}
}

// Steps that shrink coefficients to almost nothing, again and again, lose no digits.
func survivesFastShrinking(t *testing.T, in solvetest.Instance) {
	o := orders(in.K.Rows)["several"]
	p, v := visited(t, &in, o)
	steps := StepSizes{Rows: 7, First: 50, Shift: 100.00001}
	in.Lambda = 1e4
	p.Lambda = in.Lambda
	coef := in.Start(rand.New(rand.NewPCG(1, 2)))
	average := clone(coef)
	wantCoef, wantAverage := clone(coef), clone(average)
	if _, err := DescendInExpansion(p, steps, v, coef, average, linalg.NewMatrix[float64](0, in.Psi.Cols), nil); err != nil {
		t.Fatal(err)
	}
	byFormula(&in, steps, o, wantCoef, wantAverage)
	if gap := max(difference(coef, wantCoef), difference(average, wantAverage)); gap > 1e-9 {
		t.Errorf("coefficients differ by %g", gap)
	}
}

func refusesIllegalSteps(t *testing.T, in solvetest.Instance) {
	p, v := visited(t, &in, orders(in.K.Rows)["one pass"])
	none := linalg.NewMatrix[float64](0, in.Psi.Cols)
	coef := linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols)
	for _, steps := range []StepSizes{
		{Rows: 7, First: 0.5, Shift: 1}, {Rows: 7, First: 0, Shift: 1}, {Rows: 0, First: 0.5, Shift: 2},
		{Rows: 7, First: 0.5, Shift: 2, Done: -1}, {Rows: 7, First: math.NaN(), Shift: 2},
	} {
		if _, err := DescendInExpansion(p, steps, v, coef, none, none, nil); err == nil {
			t.Errorf("%v is accepted", steps)
		}
	}
	v.At[3] = int64(in.K.Cols)
	if _, err := DescendInExpansion(p, steady(in), v, coef, none, none, nil); err == nil {
		t.Error("a slot that does not exist is visited")
	}
}

// once takes one step on each row, in their order, and returns the sum of the losses.
func once(p *solve.Problem, steps StepSizes, x *solve.Design, coef, average, velocity matrix, gains []float64) (float64, error) {
	out, err := Train(p, steps, x, Passes{Order: inOrder(x.Len()), Most: 1}, coef, average, velocity, gains)
	return out.Loss, err
}

func inOrder(n int) []int64 {
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	return order
}

// csr returns all entries of x in compressed sparse rows.
func csr(x matrix) *solve.Sparse {
	s := &solve.Sparse{Rows: x.Rows, Cols: x.Cols, Indptr: []int64{0}}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			s.Data, s.Indices = append(s.Data, v), append(s.Indices, int32(j))
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return s
}

// Steps on many dense features, by calls of BLAS, are those on the same features as compressed rows.
func TestDenseStepsAreThoseOnSparseRows(t *testing.T) {
	const m, features = 40, 1100
	rng := rand.New(rand.NewPCG(5, 6))
	all := solvetest.Instances(t)
	at := slices.IndexFunc(all, func(in solvetest.Instance) bool { return in.Psi.Cols >= 3 })
	in := all[at]
	d := in.Psi.Cols
	coord, err := solve.NewCoordinates(in.Space)
	if err != nil {
		t.Fatal(err)
	}
	psi, x := linalg.NewMatrix[float64](m, d), linalg.NewMatrix[float64](m, features)
	for i := range m {
		copy(psi.Row(i), in.All[rng.IntN(len(in.All))])
	}
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	p, err := solve.NewProblem(0.5, true, coord, solve.Targets{Psi: psi, Mean: in.Mean}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	steps := StepSizes{Rows: m, First: 0.5, Shift: 1e5}
	for _, intercept := range []bool{false, true} {
		var found [2][]matrix
		for which, design := range []*solve.Design{
			{Rows: linalg.Rows{Dense: x}, Intercept: intercept},
			{Rows: linalg.Rows{Sparse: csr(x)}, Intercept: intercept},
		} {
			q := design.Columns()
			coef, average := linalg.NewMatrix[float64](q, d), linalg.NewMatrix[float64](q, d)
			velocity, gains := linalg.NewMatrix[float64](q, d), ones(d)
			if _, err := once(p, steps, design, coef, average, velocity, gains); err != nil {
				t.Fatal(err)
			}
			if large := newFeatureBank(p, design, coef).large(); large != (which == 0) {
				t.Fatalf("BLAS is taken: %v", large)
			}
			found[which] = []matrix{coef, average, velocity}
		}
		for k, name := range []string{"coefficients", "averages", "velocities"} {
			if gap := difference(found[0][k], found[1][k]); gap > 1e-10 {
				t.Errorf("intercept %v: %s differ by %g", intercept, name, gap)
			}
		}
	}
}
