package primal_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// Each mistake in the rows is found in the first pass, and its row is named as a number.
func TestBadRows(t *testing.T) {
	const n, p, k = 1500, 3, 4
	space, task := permutations(t, k)
	task.Share = 2.0 / 24
	d := space.FeatureLen()
	type inputs struct {
		x       []float64
		y       []int32
		psi     matrix
		weights []float64
		first   []int
		sparse  bool
	}
	for name, c := range slicex.InOrder(map[string]struct {
		spoil func(g *inputs)
		row   int
		text  string
	}{
		"NaN":            {func(g *inputs) { g.x[1200*p+2] = math.NaN() }, 1200, "column 2"},
		"infinite entry": {func(g *inputs) { g.x[700*p+1] = math.Inf(1); g.sparse = true }, 700, "column 1"},
		"long":           {func(g *inputs) { g.x[1200*p+2] = 1e150 }, 1200, "row 1200: the squares of the features in X overflow"},
		"long, infinite square": {func(g *inputs) { g.x[700*p+1] = 1e160; g.sparse = true }, 700,
			"row 700: the squares of the features in X overflow"},
		"long, with a set": {func(g *inputs) {
			for i := range n + 1 {
				g.first = append(g.first, 2*i)
			}
			g.y = append(g.y, g.y...)
			g.x[40*p] = -1e141
		}, 40, "row 40: the squares"},
		"no ranking":      {func(g *inputs) { g.y[1300*k] = 9 }, 1300, "found 9"},
		"psi":             {func(g *inputs) { g.psi = linalg.NewMatrix[float64](n, d); g.psi.Row(33)[2] = math.Inf(-1) }, 33, "psi"},
		"negative weight": {func(g *inputs) { g.weights[5] = -1 }, 5, "not negative"},
		"many outputs": {func(g *inputs) {
			g.first = []int{0, 1, 20}
			for i := 3; i <= n; i++ {
				g.first = append(g.first, 20+i-2)
			}
			g.x, g.y = g.x[:n*p], append(g.y, g.y[:18*k]...)
		}, 1, "fewer than half"},
		"an output of a set": {func(g *inputs) {
			for i := range n + 1 {
				g.first = append(g.first, 2*i)
			}
			g.y = append(g.y, g.y...)
			g.y[2001*k] = 0
		}, 1000, "counts positions from 0"},
		"no outputs": {func(g *inputs) {
			for i := range n + 1 {
				g.first = append(g.first, min(i, n-1))
			}
			g.y = g.y[:(n-1)*k]
		}, n - 1, "at least one"},
	}) {
		x, y := rankings(5, n, p, k)
		g := inputs{x: x, y: y, weights: slices.Repeat([]float64{1}, n)}
		c.spoil(&g)
		rows := &primal.Rows{X: primal.Dense(g.x, n, p, p), First: g.first, Weights: g.weights}
		if g.psi.Rows > 0 {
			rows.Psi = primal.Embedded(g.psi)
		} else {
			rows.Psi = encoded(t, space, g.y)
		}
		if g.sparse {
			rows.X = primal.CSR(compressed(matrix{Rows: n, Cols: p, Stride: p, Data: g.x}))
		}
		_, err := task.Solve(linalg.NewMatrix[float64](p+1, d), rows, 1, nil)
		if fault.RowOf(err) != c.row || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want an error about row %d and %q", name, err, c.row, c.text)
		}
	}
}

// A row of weight zero may be as long as it likes, but is to be finite.
func TestLongRowsOfNoWeight(t *testing.T) {
	const n, p, k = 50, 3, 4
	space, task := permutations(t, k)
	x, y := rankings(5, n, p, k)
	x[7*p] = 1e160
	weights := slices.Repeat([]float64{2}, n)
	weights[7] = 0
	long := matrix{Rows: n, Cols: p, Stride: p, Data: x}
	for _, inputs := range []primal.Inputs{primal.Dense(x, n, p, p), primal.CSR(compressed(long))} {
		rows := &primal.Rows{X: inputs, Psi: encoded(t, space, y), Weights: weights}
		sums := primal.NewSums(make([]float64, primal.SumsLen(p, space.FeatureLen())), p, space.FeatureLen())
		if err := task.AddSums(sums, rows, 1, nil); err != nil || math.Abs(sums.Weight()-2*(n-1)) > 1e-9 || !(sums.Gram().Row(0)[0] < 1e6) {
			t.Errorf("%v, weight %g, square %g", err, sums.Weight(), sums.Gram().Row(0)[0])
		}
		weights[7] = 1e-300
		if err := task.AddSums(sums, rows, 1, nil); fault.RowOf(err) != 7 {
			t.Errorf("%v, want an error about row 7", err)
		}
		weights[7] = 0
	}
}

func TestIllegalTasks(t *testing.T) {
	const n, p, k = 20, 2, 3
	space, good := permutations(t, k)
	x, y := rankings(6, n, p, k)
	for name, spoil := range slicex.InOrder(map[string]func(task *primal.Task, r *primal.Rows){
		"penalty":          func(task *primal.Task, _ *primal.Rows) { task.Lambda = 0 },
		"tolerance":        func(task *primal.Task, _ *primal.Rows) { task.Tol = math.NaN() },
		"limit":            func(task *primal.Task, _ *primal.Rows) { task.MaxIter = -1 },
		"weights of all":   func(_ *primal.Task, r *primal.Rows) { r.Weights = make([]float64, n) },
		"for 20 rows":      func(_ *primal.Task, r *primal.Rows) { r.Weights = make([]float64, n-1) },
		"outputs":          func(_ *primal.Task, r *primal.Rows) { r.Psi = encoded(t, space, y[k:]) },
		"columns":          func(_ *primal.Task, r *primal.Rows) { r.Psi = primal.Small(make([]int8, n), n, 1) },
		"begin at 0":       func(_ *primal.Task, r *primal.Rows) { r.First = make([]int, n+1) },
		"number of its me": func(task *primal.Task, r *primal.Rows) { task.Share = math.NaN(); r.First = one(n) },
		"overflow": func(_ *primal.Task, r *primal.Rows) {
			big := slices.Clone(x)
			linalg.ScaleTo(big, 1e200, x)
			r.X = primal.Dense(big, n, p, p)
		},
	}) {
		task, rows := *good, &primal.Rows{X: primal.Dense(x, n, p, p), Psi: encoded(t, space, y)}
		spoil(&task, rows)
		_, err := task.Solve(linalg.NewMatrix[float64](p+1, space.FeatureLen()), rows, 1, nil)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %q", err, name)
		}
	}
	if _, err := primal.Encoded(space, y[1:], n, false); err == nil {
		t.Error("a broken encoding is taken")
	}
}

// one returns the sets of one output each.
func one(n int) []int {
	first := make([]int, n+1)
	for i := range first {
		first[i] = i
	}
	return first
}

// Where all weights are zero in effect, there is nothing to iterate on.
func TestNothingToLearn(t *testing.T) {
	space, task := permutations(t, 3)
	rows := &primal.Rows{X: primal.Dense([]float64{1, 2, 1, 2}, 2, 2, 2), Psi: encoded(t, space, []int32{1, 2, 3, 3, 2, 1})}
	w := linalg.NewMatrix[float64](3, 3)
	info, err := task.Solve(w, rows, 1, nil)
	if err != nil || info.Residual != 0 || info.Objective != 0 || linalg.Dot(w.Data, w.Data) != 0 {
		t.Errorf("%+v, %v, %v", info, err, w.Data)
	}
}

// Sets of one output each are single outputs, partially known outputs have reals for ψ, and both may be held in memory.
func TestPartialOutputsAndSetsOfOne(t *testing.T) {
	const n, p, k = 1200, 3, 4
	space, task := permutations(t, k)
	task.Share = 2.0 / 24
	x, y := rankings(7, n, p, k)
	for i := 600; i < n; i++ { // the order of two labels is unknown: 0 says that
		for u := range 2 {
			y[i*k+u] = 0
		}
		if y[i*k+2] < y[i*k+3] {
			y[i*k+2], y[i*k+3] = 1, 2
		} else {
			y[i*k+2], y[i*k+3] = 2, 1
		}
	}
	psi := linalg.NewMatrix[float64](n, space.FeatureLen())
	for i := range n {
		space.(structure.PartialEmbedder).EmbedPartial(psi.Row(i), y[i*k:(i+1)*k])
	}
	out, err := primal.Encoded(space, y, n, true)
	if err != nil {
		t.Fatal(err)
	}
	var first matrix
	for i, rows := range []*primal.Rows{{Psi: primal.Embedded(psi)}, {Psi: out}, {Psi: out}, {Psi: out, First: one(n)},
		{Psi: primal.SparsePsi(compressed(psi)), First: one(n)}} {
		rows.X = primal.Dense(x, n, p, p)
		if i == 2 {
			rows.Cache(1 << 20)
		}
		w := linalg.NewMatrix[float64](p+1, space.FeatureLen())
		if _, err := task.Solve(w, rows, 1, nil); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = w
		} else if far := distance(w, first); far > 1e-7 {
			t.Errorf("case %d: the weights differ by %.2g", i, far)
		}
	}
}

// A pass ends soon after it is cancelled, whoever works on it.
func TestCancel(t *testing.T) {
	const n, p, k = 20000, 3, 4
	space, task := permutations(t, k)
	x, y := rankings(8, n, p, k)
	for _, workers := range []int{1, 2} {
		var mon parallel.Monitor
		batches := 0
		rows := &primal.Rows{X: primal.Dense(x, n, p, p), Psi: encoded(t, space, y)}
		if workers == 1 {
			rows.Release = func(int, int) {
				if batches++; batches == 12 {
					mon.Cancel()
				}
			}
		} else {
			mon.Cancel()
		}
		_, err := task.Solve(linalg.NewMatrix[float64](p+1, space.FeatureLen()), rows, workers, &mon)
		if !errors.Is(err, parallel.ErrCancelled) || batches > 12 {
			t.Errorf("%v after %d batches", err, batches)
		}
	}
}
