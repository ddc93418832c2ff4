package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/solvetest"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
)

// support returns room for a support of n rows, of which it has none.
func support(n, d int) *sgd.Support {
	return &sgd.Support{Rows: make([]int64, n), Coef: linalg.NewMatrix[float64](n, d)}
}

// Descent in a support comes near the enumerated minimum, and is the same wherever kernel values come from.
func TestGrowthIsTheSameForEveryKernel(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	opt.Shift = 0
	instance := in
	instance.Shift = 0
	m, d := in.K.Rows, in.Psi.Cols
	rows := kernel.Rows{Dense: in.X}
	linear, err := kernel.New(kernel.Function{Kind: kernel.Linear}, rows)
	if err != nil {
		t.Fatal(err)
	}
	k := linalg.NewMatrix[float64](m, m)
	if err := linear.GramTo(k, kernel.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	order, err := VisitedRows(targets, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	const most = 200
	grow := func(values sgd.Kernel) (*sgd.Support, []float64) {
		t.Helper()
		s, curve := support(m, d), make([]float64, most)
		passes := sgd.Passes{Order: order, Most: most, Curve: curve, Tol: -1}
		if _, _, err := opt.Grow(in.Space, values, 0, targets, Stream{Eta: 0.5}, passes, s, nil); err != nil {
			t.Fatal(err)
		}
		return s, curve
	}
	want, curve := grow(&MatrixKernel{Values: k})
	least, start := instance.Objective(instance.Eliminate(-1)), instance.Objective(linalg.NewMatrix[float64](m, d))
	if value := curve[most-1]; value < least-1e-9 || value-least > 0.05*(start-least) {
		t.Errorf("the objective is %g; it begins at %g, and %g is the least", value, start, least)
	}
	kernels := make(map[string]sgd.Kernel)
	for name, repeated := range slicex.InOrder(map[string]bool{"rows": false, "rows, kept": true}) {
		if kernels[name], err = NewRowKernel(kernel.Function{Kind: kernel.Linear}, rows, 0, repeated, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, values := range slicex.InOrder(kernels) {
		got, found := grow(values)
		if !slices.Equal(got.Rows, want.Rows) {
			t.Errorf("%s: the support is %v, must be %v", name, got.Rows, want.Rows)
		}
		for i, v := range got.Coef.Data {
			if math.Abs(v-want.Coef.Data[i]) > 1e-10 {
				t.Fatalf("%s: a coefficient is %g, must be %g", name, v, want.Coef.Data[i])
			}
		}
		if math.Abs(found[most-1]-curve[most-1]) > 1e-9 {
			t.Errorf("%s: the objective is %g, must be %g", name, found[most-1], curve[most-1])
		}
	}
}

// A row of weight w is visited ⌈w⌉ times, and the order of sorted visits is that of what rows hold.
func TestVisitedRows(t *testing.T) {
	psi := linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, 2, 3}}
	targets := Targets{Psi: psi, Weights: []float64{2, 0, 0.5}}
	if got, err := VisitedRows(targets, nil, 1, nil); err != nil || !slices.Equal(got, []int64{0, 0, 2}) {
		t.Error(got, err)
	}
	x := func(values ...float64) *solve.Design {
		return &solve.Design{Rows: linalg.Rows{Dense: linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: values}}}
	}
	one, err := VisitedRows(Targets{Psi: psi}, x(7, 8, 9), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	turned := linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{3, 2, 1}}
	other, err := VisitedRows(Targets{Psi: turned}, x(9, 8, 7), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if one[i] != 2-other[i] {
			t.Errorf("orders %v and %v of the same rows", one, other)
		}
	}
	for want, targets := range slicex.InOrder(map[string]Targets{
		"row 1: the weight is NaN":      {Psi: psi, Weights: []float64{1, math.NaN(), 1}},
		"row 0: the outputs are 0 to 9": {Psi: psi, First: []int{0, 9}},
	}) {
		if _, err := VisitedRows(targets, nil, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}

// What is wrong is said with the number of the row that it is about.
func TestIllegalGrowthNamesTheRow(t *testing.T) {
	in := solvetest.Rankings(t)
	opt, targets := options(&in)
	m, d := in.K.Rows, in.Psi.Cols
	order, err := VisitedRows(targets, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	large := linalg.NewMatrix[float64](m, in.X.Cols)
	large.CopyFrom(in.X)
	large.Row(2)[0] = 1e200
	cubic, err := NewRowKernel(kernel.Function{Kind: kernel.Polynomial, Gamma: 1, Degree: 3}, kernel.Rows{Dense: large}, 0, false, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	passes := sgd.Passes{Order: order, Most: 2}
	_, _, err = opt.Grow(in.Space, cubic, 0, targets, Stream{Eta: 0.5}, passes, support(m, d), nil)
	if fault.RowOf(err) != 2 || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("%v, want row 2", err)
	}
	plain := &MatrixKernel{Values: in.K}
	for want, spoil := range slicex.InOrder(map[string]func(s *sgd.Support, stream *Stream, p *sgd.Passes){
		"coef":           func(s *sgd.Support, _ *Stream, _ *sgd.Passes) { s.Len, s.Coef.Row(0)[0] = 1, math.NaN() },
		"the support":    func(s *sgd.Support, _ *Stream, _ *sgd.Passes) { s.Len = -1 },
		"order is empty": func(_ *sgd.Support, _ *Stream, p *sgd.Passes) { p.Order = nil },
		"eta0":           func(_ *sgd.Support, stream *Stream, _ *sgd.Passes) { stream.Eta = math.Inf(1) },
	}) {
		s, stream, passes := support(m, d), Stream{Eta: 0.5}, passes
		spoil(s, &stream, &passes)
		_, _, err := opt.Grow(in.Space, plain, 0, targets, stream, passes, s, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}
