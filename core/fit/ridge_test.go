package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/solve/dual"
	"combpred/core/solve/sgd"
)

// plain returns the options that tests begin from.
func plain() Ridge {
	return Ridge{Loss: AUC, Alpha: 1, Tol: 1e-8, Solver: ClosedForm, Precision: Single, Workers: 1}
}

// options returns those of an instance, and its targets.
func options(in *solvetest.Instance) (Ridge, Targets) {
	opt := plain()
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
		for _, opt.Solver = range []Solver{ClosedForm, CG, NewtonCG} {
			for _, opt.Precision = range Precisions {
				bytes, err := opt.WorkBytes(in.Space, m, opt.Precision)
				if err != nil {
					t.Fatal(err)
				}
				dual := linalg.NewMatrix[float64](m, in.Psi.Cols)
				info, err := opt.Kernel(in.Space, in.K, targets, make([]float32, bytes/4), make([]float64, bytes/8), dual, nil)
				check(fmt.Sprint(opt.Solver, " in ", opt.Precision), dual, in.Expected, err)
				if math.Abs(info.Objective-in.Value) > 1e-8*(1+math.Abs(in.Value)) {
					t.Errorf("%s, %s: the objective is %g, want %g", in.Name, opt.Solver, info.Objective, in.Value)
				}
			}
		}
		p, err := opt.problem(in.Space, targets, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, coef := p.NewBlock(), linalg.NewMatrix[float64](m, in.Psi.Cols)
		_, err = opt.spectral(p, dual.NewKernel(p, in.K, opt.Shift), c)
		writeDual(p, c, coef)
		check("spectral", coef, in.Expected, err)

		problem, err := opt.problem(in.Space, targets, nil)
		if err != nil {
			t.Fatal(err)
		}
		scores, total := in.Scores(in.Expected), 0.0
		f := linalg.NewMatrix[float64](m, problem.Coord.Len())
		problem.Coord.AnalyzeTo(f, scores)
		for i := range m {
			total += problem.Loss(i, f.Row(i)) + in.Lambda*linalg.Dot(in.Expected.Row(i), scores.Row(i))
		}
		if math.Abs(total-in.Value) > 1e-8*(1+math.Abs(in.Value)) {
			t.Errorf("%s: the losses add up to %g, want %g", in.Name, total, in.Value)
		}
		if targets.First == nil {
			leaveOut(t, &in, opt, targets)
		}
	}
}

// leaveOut compares leave-one-out over a list of penalties with single ones, and for the loss "squared", for which it is exact, with
// training on the other rows.
func leaveOut(t *testing.T, in *solvetest.Instance, opt Ridge, targets Targets) {
	t.Helper()
	m, d := in.K.Rows, in.Psi.Cols
	opt.Precision = "double"
	left := func(alphas ...float64) []linalg.Matrix[float64] {
		scores := make([]linalg.Matrix[float64], len(alphas))
		for k := range scores {
			scores[k] = linalg.NewMatrix[float64](m, d)
		}
		bytes, err := opt.LeaveOneOutBytes(in.Space, m, 0, opt.Precision)
		if err != nil {
			t.Fatal(err)
		}
		work32, work64 := make([]float32, bytes/4), make([]float64, bytes/8)
		if err := opt.LeaveOneOut(in.Space, in.K, false, targets, alphas, work32, work64, scores, nil); err != nil {
			t.Fatalf("%s: %v", in.Name, err)
		}
		return scores
	}
	alphas := []float64{in.Lambda, 3 * in.Lambda, in.Lambda / 2, 9 * in.Lambda, 5 * in.Lambda, 2 * in.Lambda}
	both := left(alphas[:2]...)
	for _, list := range [][]float64{alphas[:2], alphas} { // the squared loss has another route for long ones
		scores := left(list...)
		for k, alpha := range list {
			if far := farthest(scores[k], left(alpha)[0]); !(far < 1e-7) {
				t.Errorf("%s: scores under penalty %g of a list of %d are off by %.2g", in.Name, alpha, len(list), far)
			}
		}
	}
	if in.Margin {
		return
	}
	others := *in
	for i := range m {
		others.Weights = slices.Repeat([]float64{1}, m)
		if in.Weights != nil {
			others.Weights = slices.Clone(in.Weights)
		}
		if others.Weights[i] == 0 {
			continue
		}
		others.Weights[i] = 0
		want := others.Scores(others.Eliminate(-1)).Row(i)
		for j, v := range both[0].Row(i) {
			if !(math.Abs(v-want[j]) < 1e-7) {
				t.Fatalf("%s: without row %d its score %d is %g, want %g", in.Name, i, j, v, want[j])
			}
		}
	}
}

// TestMistakesInNumbersAreNamed: what is not finite, negative, or of another size.
func TestMistakesInNumbersAreNamed(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	m, d := in.K.Rows, in.Psi.Cols
	for want, spoil := range slicex.InOrder(map[string]func(k, psi linalg.Matrix[float64], o *Ridge, t *Targets){
		"row 1: psi holds NaN in column 0": func(_, psi linalg.Matrix[float64], _ *Ridge, _ *Targets) { psi.Row(1)[0] = math.NaN() },
		"K":                                func(k, _ linalg.Matrix[float64], _ *Ridge, _ *Targets) { k.Row(0)[1] = math.Inf(1) },
		"row 1: the weight": func(_, _ linalg.Matrix[float64], _ *Ridge, t *Targets) {
			t.Weights = make([]float64, m)
			t.Weights[1] = -1
		},
		"solver is": func(_, _ linalg.Matrix[float64], o *Ridge, _ *Targets) { o.Solver = "primal" },
	}) {
		k, psi := linalg.NewMatrix[float64](m, m), linalg.NewMatrix[float64](m, d)
		copy(k.Data, in.K.Data)
		copy(psi.Data, in.Psi.Data)
		o, changed := opt, targets
		changed.Psi = psi
		spoil(k, psi, &o, &changed)
		bytes, _ := opt.WorkBytes(in.Space, m, "double")
		o.Precision = "double"
		_, err := o.Kernel(in.Space, k, changed, nil, make([]float64, bytes/8), linalg.NewMatrix[float64](m, d), nil)
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

// TestDescentsApproachTheMinimum: passes in features, and steps in the kernel's expansion, end close to the least objective.
func TestDescentsApproachTheMinimum(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	opt.Shift = 0
	m, d, p := in.K.Rows, in.Psi.Cols, in.X.Cols
	instance := in
	instance.Shift = 0
	least, start := instance.Objective(instance.Eliminate(-1)), instance.Objective(linalg.NewMatrix[float64](m, d))
	close := func(what string, value float64, err error) {
		t.Helper()
		if err != nil || !(value >= least-1e-9) || !(value-least < 0.05*(start-least)) {
			t.Errorf("%s: the objective is %g; it begins at %g, and %g is the least (%v)", what, value, start, least, err)
		}
	}
	passes := sgd.Passes{Order: make([]int64, m), Most: 400, Curve: make([]float64, 400)}
	for i := range m {
		passes.Order[i] = int64(i)
	}
	design := &solve.Design{Rows: linalg.Rows{Dense: in.X}}
	weights := Descent{Coef: linalg.NewMatrix[float64](p, d)}
	out, curvature, err := opt.Train(in.Space, design, targets, Stream{Eta: 0.5}, passes, weights, nil)
	if out.Passes == 0 || !(curvature > 0) {
		t.Fatalf("%d passes, curvature %g: %v", out.Passes, curvature, err)
	}
	close("passes", passes.Curve[out.Passes-1], err)

	for want, spoil := range slicex.InOrder(map[string]func(s *Descent, stream *Stream, p *sgd.Passes){
		"coef":      func(s *Descent, _ *Stream, _ *sgd.Passes) { s.Coef.Row(0)[0] = math.NaN() },
		"average":   func(s *Descent, _ *Stream, _ *sgd.Passes) { s.Average = linalg.NewMatrix[float64](p+1, d) },
		"gains[1]":  func(s *Descent, _ *Stream, _ *sgd.Passes) { s.Gains = []float64{1, 0} },
		"eta0":      func(_ *Descent, stream *Stream, _ *sgd.Passes) { stream.Eta = 0 },
		"curvature": func(_ *Descent, stream *Stream, _ *sgd.Passes) { stream.Curvature = -1 },
		"tol":       func(_ *Descent, _ *Stream, p *sgd.Passes) { p.Tol = math.NaN() },
		"order":     func(_ *Descent, _ *Stream, p *sgd.Passes) { p.Order = nil },
	}) {
		state, stream, changed := Descent{Coef: linalg.NewMatrix[float64](p, d)}, Stream{Eta: 0.5}, passes
		spoil(&state, &stream, &changed)
		if _, _, err := opt.Train(in.Space, design, targets, stream, changed, state, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}
