package fit

import (
	"math"
	"strings"
	"testing"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
	"combpred/core/solve/solvetest"
)

// options returns those of an instance, and its targets.
func options(in *solvetest.Instance) (Ridge, Targets) {
	opt := DefaultRidge()
	opt.Alpha, opt.Tol, opt.Shift, opt.Workers, opt.Loss = in.Lambda, 1e-11, in.Shift, 2, "squared"
	if in.Margin {
		opt.Loss = "auc"
	}
	return opt, Targets{Psi: in.Psi, Weights: in.Weights, First: in.First}
}

func farthest(a, b linalg.Matrix[float64]) (far float64) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			far = max(far, math.Abs(v-b.Row(i)[j]))
		}
	}
	return far
}

// TestRoutesLeadToTheSameScores: every solver in both precisions, and the spectral route, find those of elimination on the enumerated loss
// (K is singular, so that coefficients may differ); where each row has one output, what they say of rows left out is that, too.
func TestRoutesLeadToTheSameScores(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		opt, targets := options(&in)
		m := in.K.Rows
		check := func(route string, got, want linalg.Matrix[float64], err error) {
			t.Helper()
			if far := farthest(in.Scores(got), in.Scores(want)); err != nil || !(far < 1e-6) {
				t.Errorf("%s, %s: off by %.2g, %v", in.Name, route, far, err)
			}
		}
		for _, opt.Solver = range []string{"closed-form", "cg", "newton-cg"} {
			for _, opt.Precision = range Precisions {
				bytes, err := opt.WorkBytes(in.Space, m, opt.Precision)
				if err != nil {
					t.Fatal(err)
				}
				dual := linalg.NewMatrix[float64](m, in.Psi.Cols)
				info, err := opt.Kernel(in.Space, in.K, targets, make([]float32, bytes/4), make([]float64, bytes/8), dual, nil)
				check(opt.Solver+" in "+opt.Precision, dual, in.Expected, err)
				if math.Abs(info.Objective-in.Value) > 1e-8*(1+math.Abs(in.Value)) {
					t.Errorf("%s, %s: the objective is %g, want %g", in.Name, opt.Solver, info.Objective, in.Value)
				}
			}
		}
		values, vectors := in.Eigen(t, in.Problem(t, 1))
		dual := linalg.NewMatrix[float64](m, in.Psi.Cols)
		_, err := opt.Spectral(in.Space, values, vectors, targets, dual, nil)
		check("spectral", dual, in.Expected, err)

		losses, total := make([]float64, m), 0.0
		scores := in.Scores(in.Expected)
		if err := opt.Losses(in.Space, scores, targets, losses, make([]float64, m), nil); err != nil {
			t.Fatal(err)
		}
		for i, loss := range losses {
			total += loss + in.Lambda*linalg.Dot(in.Expected.Row(i), scores.Row(i))
		}
		if math.Abs(total-in.Value) > 1e-8*(1+math.Abs(in.Value)) {
			t.Errorf("%s: the losses add up to %g, want %g", in.Name, total, in.Value)
		}
		if targets.First == nil {
			leaveOut(t, &in, opt, targets, values, vectors)
		}
	}
}

// leaveOut compares both routes of leave-one-out with each other, and with elimination for the loss "squared", for which that is exact.
func leaveOut(t *testing.T, in *solvetest.Instance, opt Ridge, targets Targets, values []float64, vectors linalg.Matrix[float64]) {
	t.Helper()
	m, d := in.K.Rows, in.Psi.Cols
	opt.Precision = "double"
	scores, other := linalg.NewMatrix[float64](m, d), linalg.NewMatrix[float64](m, d)
	work := func(spectral bool) ([]float32, []float64) {
		bytes, err := opt.LeaveOneOutBytes(in.Space, m, opt.Precision, spectral)
		if err != nil {
			t.Fatal(err)
		}
		return make([]float32, bytes/4), make([]float64, bytes/8)
	}
	single, double := work(false)
	if err := opt.LeaveOneOut(in.Space, in.K, targets, single, double, scores, nil); err != nil {
		t.Fatalf("%s: %v", in.Name, err)
	}
	single, double = work(true)
	err := opt.LeaveOneOutSpectral(in.Space, values, vectors, targets, single, double, other, nil)
	if !in.Margin {
		if err == nil || !strings.Contains(err.Error(), "loss is") {
			t.Errorf("%s: rows are left out by eigenvectors: %v", in.Name, err)
		}
		return
	}
	if far := farthest(scores, other); err != nil || !(far < 1e-8) {
		t.Errorf("%s: the routes of leave-one-out differ by %.2g (%v)", in.Name, far, err)
	}
}

// TestMistakesInNumbersAreNamed: what is not finite, negative, or of another size.
func TestMistakesInNumbersAreNamed(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	m, d := in.K.Rows, in.Psi.Cols
	for want, spoil := range map[string]func(k, psi linalg.Matrix[float64], o *Ridge, t *Targets){
		"psi[1, 0]": func(_, psi linalg.Matrix[float64], _ *Ridge, _ *Targets) { psi.Row(1)[0] = math.NaN() },
		"K":         func(k, _ linalg.Matrix[float64], _ *Ridge, _ *Targets) { k.Row(0)[1] = math.Inf(1) },
		"weight of row 1": func(_, _ linalg.Matrix[float64], _ *Ridge, t *Targets) {
			t.Weights = make([]float64, m)
			t.Weights[1] = -1
		},
		"solver is": func(_, _ linalg.Matrix[float64], o *Ridge, _ *Targets) { o.Solver = "primal" },
	} {
		k, psi := linalg.NewMatrix[float64](m, m), linalg.NewMatrix[float64](m, d)
		copy(k.Data, in.K.Data)
		copy(psi.Data, in.Psi.Data)
		o, given := opt, targets
		given.Psi = psi
		spoil(k, psi, &o, &given)
		bytes, _ := opt.WorkBytes(in.Space, m, "double")
		o.Precision = "double"
		_, err := o.Kernel(in.Space, k, given, nil, make([]float64, bytes/8), linalg.NewMatrix[float64](m, d), nil)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
	if err := CheckKernel(in.K, 2, nil); err != nil {
		t.Error(err)
	}
	skewed := linalg.NewMatrix[float64](m, m)
	copy(skewed.Data, in.K.Data)
	skewed.Row(2)[0]++
	if err := CheckKernel(skewed, 2, nil); err == nil || !strings.Contains(err.Error(), "symmetric") {
		t.Errorf("a kernel that is not symmetric: %v", err)
	}
}

// TestDescentLowersTheObjective: some thousand steps in features, and in the kernel's expansion with the same visits, reach the same
// weights, whose objective is close to the least one.
func TestDescentLowersTheObjective(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	opt.Shift = 0
	m, d, p := in.K.Rows, in.Psi.Cols, in.X.Cols
	steps := sgd.StepSizes{Rows: float64(m), First: 1, Shift: 200}
	weights := Descent{Coef: linalg.NewMatrix[float64](p, d)}
	slots := Descent{Coef: linalg.NewMatrix[float64](m, d)}
	visits := sgd.Visits{Kernel: in.K, At: make([]int64, m), Drop: make([]int64, m)}
	for i := range m {
		visits.At[i], visits.Drop[i] = int64(i), -1
	}
	design := &solve.Design{N: m, P: p, Dense: in.X}
	for range 300 {
		a, err := opt.DescendInFeatures(in.Space, steps, design, targets, weights, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := opt.DescendInExpansion(in.Space, steps, visits, targets, slots, nil)
		if err != nil || math.Abs(a-b) > 1e-8*(1+math.Abs(a)) {
			t.Fatalf("the losses are %g and %g (%v)", a, b, err)
		}
		steps.Done += m
	}
	value, start := in.Objective(slots.Coef), in.Objective(linalg.NewMatrix[float64](m, d))
	in.Shift = 0
	least := in.Objective(in.Eliminate(-1))
	if !(value-least < 0.05*(start-least)) {
		t.Errorf("the objective is %g after %d steps; it begins at %g, and %g is the least", value, steps.Done, start, least)
	}
	weights.Coef.Row(0)[0] = math.NaN()
	if _, err := opt.DescendInFeatures(in.Space, steps, design, targets, weights, nil); err == nil || !strings.Contains(err.Error(), "coef") {
		t.Errorf("a weight that is NaN: %v", err)
	}
	short := Descent{Coef: linalg.NewMatrix[float64](p, d), Average: linalg.NewMatrix[float64](p+1, d)}
	if _, err := opt.DescendInFeatures(in.Space, steps, design, targets, short, nil); err == nil || !strings.Contains(err.Error(), "average") {
		t.Errorf("an average of another size: %v", err)
	}
}
