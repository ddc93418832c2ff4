package solve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/structure"
)

// The steps, their averages and what is left out are those of the formula, on the enumerated loss.
func TestDescentFollowsTheFormula(t *testing.T) {
	all := instances(t)
	t.Run("refusals", func(t *testing.T) { refusesIllegalSteps(t, all[0]) })
	for _, in := range all {
		t.Run(in.name+"/fast shrinking", func(t *testing.T) { survivesFastShrinking(t, in) })
		for name, o := range orders(in.k.Rows) {
			t.Run(in.name+"/"+name, func(t *testing.T) {
				p, v := in.visited(t, o)
				rng := rand.New(rand.NewPCG(1, 2))
				coef := in.start(rng)
				average := in.start(rng)
				wantCoef, wantAverage := clone(coef), clone(average)
				none := linalg.NewMatrix[float64](0, in.psi.Cols)
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
				in.byFormula(steady(in), o, wantCoef, wantAverage)
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

// The losses that a descent adds up are those of the objective, and the curvature bounds their second derivative, by no more than a factor
// of 2 where a row has one output.
func TestLossesAndCurvaturesAreThoseOfTheObjective(t *testing.T) {
	for _, in := range instances(t) {
		p := in.problem(t, 1)
		dual := in.start(rand.New(rand.NewPCG(3, 4)))
		scores := in.scores(dual)
		f := p.newBlock()
		p.Coord.AnalyzeTo(f, scores)
		var total float64
		for i := range scores.Rows {
			total += p.Loss(i, f.Row(i)) + in.lambda*dot(dual.Row(i), scores.Row(i))
		}
		if want := in.objective(dual); math.Abs(total-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("%s: %g, want %g", in.name, total, want)
		}
		for i := range in.k.Rows {
			b, _ := in.quadratic(i)
			m := linalg.NewMatrix[float64](in.psi.Cols, in.psi.Cols)
			for j := range m.Rows {
				for l := range m.Cols {
					m.Row(j)[l] = in.weight(i) * b.At(j, l)
				}
			}
			values, err := linalg.SymEig(linalg.General(m))
			if err != nil {
				t.Fatal(err)
			}
			top, bound := values[len(values)-1], p.Curvature(i)
			if bound < top-1e-9 || in.first == nil && bound > 2*top+1e-9 {
				t.Errorf("%s, row %d: bound %g of %g", in.name, i, bound, top)
			}
		}
	}
}

// A linear model follows the same functions as the expansion of its kernel, with averages and gains.
func TestFeaturesAndExpansionsAreTheSameDescent(t *testing.T) {
	for _, in := range instances(t) {
		o := orders(in.k.Rows)["several"]
		for i := range o.drop {
			o.drop[i] = -1
		}
		p, v := in.visited(t, o)
		m, d := in.k.Rows, in.psi.Cols
		x := linalg.NewMatrix[float64](len(o.at), 3)
		for step, i := range o.at {
			copy(x.Row(step), in.x.Row(int(i)))
		}
		design := &Design{N: x.Rows, P: 3, Intercept: in.shift == 1, Dense: x}
		all := &Design{N: m, P: 3, Intercept: design.Intercept, Dense: in.x}
		zero := func(rows int) matrix { return linalg.NewMatrix[float64](rows, d) }
		coef, average, velocity, gains := zero(m), zero(m), zero(m), ones(d)
		loss, err := DescendInExpansion(p, steady(in), v, coef, average, velocity, gains)
		if err != nil {
			t.Fatal(err)
		}
		for name, form := range map[string]*Design{
			"dense":  design,
			"sparse": {N: x.Rows, P: 3, Intercept: design.Intercept, Rows: csr(x)},
		} {
			q := form.Len()
			w, wAverage, wVelocity, wGains := zero(q), zero(q), zero(q), ones(d)
			wLoss, err := DescendInFeatures(p, steady(in), form, w, wAverage, wVelocity, wGains)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(loss-wLoss) > 1e-9*(1+math.Abs(loss)) {
				t.Errorf("%s, %s: loss %g, want %g", in.name, name, wLoss, loss)
			}
			for which, pair := range map[string][2]matrix{
				"iterate": {w, coef}, "average": {wAverage, average}, "velocity": {wVelocity, velocity},
			} {
				scores := zero(m)
				for i := range m {
					all.Entries(i, func(k int, value float64) { axpy(scores.Row(i), pair[0].Row(k), value) })
				}
				if gap := difference(scores, in.scores(pair[1])); gap > 1e-9 {
					t.Errorf("%s, %s: scores of the %s differ by %g", in.name, name, which, gap)
				}
			}
			for j, g := range gains {
				if math.Abs(g-wGains[j]) > 1e-9 {
					t.Errorf("%s, %s: gain %d is %g, want %g", in.name, name, j, wGains[j], g)
				}
			}
		}
	}
}

// Descent in redundant coordinates, those of many labels, stays in the space of ψ, and gives what orthonormal ones would.
func TestRedundantCoordinatesGiveTheSameDescent(t *testing.T) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 24}})
	if err != nil {
		t.Fatal(err)
	}
	d := space.FeatureLen()
	coord, err := NewCoordinates(space)
	if err != nil || !coord.redundant() {
		t.Fatal("coordinates are not redundant", err)
	}
	orthonormal, err := coord.compress()
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
	for which, c := range []*Coordinates{coord, orthonormal} {
		p, err := NewProblem(0.1, true, c, Targets{Psi: psi, Mean: make([]float64, d)}, 1, nil)
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
func survivesFastShrinking(t *testing.T, in instance) {
	o := orders(in.k.Rows)["several"]
	p, v := in.visited(t, o)
	steps := StepSizes{Rows: 7, First: 50, Shift: 100.00001}
	in.lambda = 1e4
	p.Lambda = in.lambda
	coef := in.start(rand.New(rand.NewPCG(1, 2)))
	average := clone(coef)
	wantCoef, wantAverage := clone(coef), clone(average)
	if _, err := DescendInExpansion(p, steps, v, coef, average, linalg.NewMatrix[float64](0, in.psi.Cols), nil); err != nil {
		t.Fatal(err)
	}
	in.byFormula(steps, o, wantCoef, wantAverage)
	if gap := max(difference(coef, wantCoef), difference(average, wantAverage)); gap > 1e-9 {
		t.Errorf("coefficients differ by %g", gap)
	}
}

func refusesIllegalSteps(t *testing.T, in instance) {
	p, v := in.visited(t, orders(in.k.Rows)["one pass"])
	none := linalg.NewMatrix[float64](0, in.psi.Cols)
	coef := linalg.NewMatrix[float64](in.k.Rows, in.psi.Cols)
	for _, steps := range []StepSizes{
		{Rows: 7, First: 0.5, Shift: 1}, {Rows: 7, First: 0, Shift: 1}, {Rows: 0, First: 0.5, Shift: 2},
		{Rows: 7, First: 0.5, Shift: 2, Done: -1}, {Rows: 7, First: math.NaN(), Shift: 2},
	} {
		if _, err := DescendInExpansion(p, steps, v, coef, none, none, nil); err == nil {
			t.Errorf("%v is accepted", steps)
		}
	}
	v.At[3] = int64(in.k.Cols)
	if _, err := DescendInExpansion(p, steady(in), v, coef, none, none, nil); err == nil {
		t.Error("a slot that does not exist is visited")
	}
}

// csr returns all entries of x in compressed sparse rows.
func csr(x matrix) *Sparse {
	s := &Sparse{Rows: x.Rows, Cols: x.Cols, Indptr: []int64{0}}
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
	all := instances(t)
	at := slices.IndexFunc(all, func(in instance) bool { return in.psi.Cols >= 3 })
	in := all[at]
	d := in.psi.Cols
	coord, err := NewCoordinates(in.space)
	if err != nil {
		t.Fatal(err)
	}
	psi, x := linalg.NewMatrix[float64](m, d), linalg.NewMatrix[float64](m, features)
	for i := range m {
		copy(psi.Row(i), in.all[rng.IntN(len(in.all))])
	}
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	p, err := NewProblem(0.5, true, coord, Targets{Psi: psi, Mean: in.mean}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	steps := StepSizes{Rows: m, First: 0.5, Shift: 1e5}
	for _, intercept := range []bool{false, true} {
		var found [2][]matrix
		for which, design := range []*Design{
			{N: m, P: features, Intercept: intercept, Dense: x},
			{N: m, P: features, Intercept: intercept, Rows: csr(x)},
		} {
			q := design.Len()
			coef, average := linalg.NewMatrix[float64](q, d), linalg.NewMatrix[float64](q, d)
			velocity, gains := linalg.NewMatrix[float64](q, d), ones(d)
			if _, err := DescendInFeatures(p, steps, design, coef, average, velocity, gains); err != nil {
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
