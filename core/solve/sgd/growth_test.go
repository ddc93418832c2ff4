package sgd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// matrixKernel has the values of a matrix.
type matrixKernel struct {
	k      matrix
	asked  int
	cancel *parallel.Monitor // is cancelled at the third ask
}

func (k *matrixKernel) answer() error {
	if k.asked++; k.cancel != nil && k.asked == 3 {
		k.cancel.Cancel()
	}
	return nil
}

func (k *matrixKernel) ValuesTo(dst matrix, rows, columns []int64) error {
	for t, i := range rows {
		for j, column := range columns {
			dst.Row(t)[j] = k.k.Row(int(i))[column]
		}
	}
	return k.answer()
}

func (k *matrixKernel) DiagonalTo(dst []float64, rows []int64) error {
	for t, i := range rows {
		dst[t] = k.k.Row(int(i))[i]
	}
	return k.answer()
}

// grown returns a descent on an instance, of whose rows each may join the support.
func grown(t *testing.T, in solvetest.Instance, most, passes int) (*Growth, *matrixKernel) {
	t.Helper()
	p, order := weightedVisits(t, in)
	rows, d := in.K.Rows, in.Psi.Cols
	k := &matrixKernel{k: in.K}
	return &Growth{Problem: p, Kernel: k, Shift: in.Shift, Eta: 0.5, Seen: 5, batch: 3,
		Passes: Passes{Order: order, Weights: squaresOf(p.Root), Shuffle: true, Seed: 4, Most: passes, Curve: make([]float64, passes),
			Tol: -1},
		Support: &Support{Rows: make([]int64, rows), Coef: linalg.NewMatrix[float64](rows, d), Average: linalg.NewMatrix[float64](rows, d),
			Most: most}}, k
}

func squaresOf(x []float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] *= x[i]
	}
	return out
}

// spread returns coefficients of all rows.
func (g *Growth) spread(m matrix) matrix {
	out := linalg.NewMatrix[float64](len(g.counts), m.Cols)
	for j, row := range g.Support.Rows[:g.Support.Len] {
		copy(out.Row(int(row)), m.Row(j))
	}
	return out
}

// Batches of steps in a support that rows join and leave are the steps of the formula, on the enumerated loss.
func TestGrowthFollowsTheFormula(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		for _, most := range []int{0, 2, 4} {
			const passes = 3
			g, _ := grown(t, in, most, passes)
			order := g.Passes.Order
			if len(order) == 0 {
				continue
			}
			done, err := g.Run()
			if err != nil {
				t.Fatal(in.Name, err)
			}
			var top, zero float64
			half := in
			half.Weights = make([]float64, in.K.Rows)
			for i, root := range g.Problem.Root {
				lo, hi := in.Outputs(i)
				half.Weights[i] = root * root / float64(hi-lo)
				if root > 0 {
					top = max(top, g.Problem.Curvature(i)*(in.K.Row(i)[i]+in.Shift))
				}
			}
			m := len(order)
			steps := NewStepSizes(in.Lambda, 0.5, top, 5, 5+m)
			dual, mean := linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols), linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols)
			zero = in.Objective(dual)
			var support []int64
			for pass := range passes {
				visits := slices.Clone(order)
				rng := rand.New(rand.NewPCG(4, passSeed+uint64(pass)))
				rng.Shuffle(len(visits), func(a, b int) { visits[a], visits[b] = visits[b], visits[a] })
				drop := make([]int64, len(visits))
				for k, row := range visits {
					support, drop[k] = append(slices.DeleteFunc(support, func(old int64) bool { return old == row }), row), -1
					if most > 0 && len(support) > most {
						drop[k], support = support[0], support[1:]
					}
				}
				byFormula(&half, steps, followed{visits, drop}, dual, mean)
				steps.Done += len(visits)
				if want := in.Objective(mean); math.Abs(g.Passes.Curve[pass]-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("%s, %d rows: the objective after pass %d is %g, enumerated %g", in.Name, most, pass,
						g.Passes.Curve[pass], want)
				}
			}
			s := g.Support
			if found := slices.Clone(s.Rows[:s.Len]); most > 0 && !slices.Equal(found, support) || s.Len != len(support) {
				t.Fatalf("%s: the support is %v, must be %v", in.Name, found, support)
			}
			if gap := difference(g.spread(s.Coef), dual); gap > 1e-8 {
				t.Fatalf("%s, %d rows: coefficients differ by %g", in.Name, most, gap)
			}
			if at := done; at.Passes != passes || at.Steps != passes*m || at.Converged ||
				math.Abs(at.Start-zero) > 1e-9*(1+math.Abs(zero)) {
				t.Errorf("%s: %+v, the objective at zero is %g", in.Name, at, zero)
			}
		}
	}
}

// What is cancelled says what the steps until then have made: those of the first batch, as in a descent that goes on.
func TestCancelledGrowth(t *testing.T) {
	in := solvetest.Rankings(t)
	g, k := grown(t, in, 3, 4)
	g.Problem.Mon = new(parallel.Monitor)
	k.cancel = g.Problem.Mon
	done, err := g.Run()
	if err != parallel.ErrCancelled || done.Steps == 0 || done.Passes != 0 || done.Loss == 0 {
		t.Fatal(err, done)
	}
	whole, _ := grown(t, in, 3, 4)
	order := whole.Passes.Order
	rng := rand.New(rand.NewPCG(whole.Passes.Seed, passSeed))
	order = slices.Clone(order)
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	if err := fault.First(whole.prepare(), whole.begin()); err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < done.Steps; lo += whole.batch {
		if err := whole.visit(order[lo:min(lo+whole.batch, done.Steps)]); err != nil {
			t.Fatal(err)
		}
	}
	if difference(g.Support.Coef, whole.Support.Coef) != 0 || !slices.Equal(g.Support.Rows, whole.Support.Rows) || done != whole.done {
		t.Errorf("%+v, must be %+v", done, whole.done)
	}
}

func TestIllegalGrowth(t *testing.T) {
	in := solvetest.Rankings(t)
	for name, c := range slicex.InOrder(map[string]struct {
		change func(g *Growth)
		text   string
	}{
		"order":    {func(g *Growth) { g.Passes.Order = []int64{99} }, "order[0] is 99"},
		"length":   {func(g *Growth) { g.Support.Len = 99 }, "the support has 99 rows"},
		"twice":    {func(g *Growth) { g.Support.Len = 2 }, "row 1 of the support is 0, must be from 0 to"},
		"too many": {func(g *Growth) { g.Support.Len, g.Support.Most, g.Support.Rows[1] = 2, 1, 1 }, "must have at most 1"},
		"room":     {func(g *Growth) { g.Support.Rows = g.Support.Rows[:1] }, "there is room for a support of 1 rows"},
		"long": {func(g *Growth) { g.Kernel = &matrixKernel{k: scaled(in.K, 1e290)} },
			"row 0: its kernel value with itself overflows"},
		"not a number": {func(g *Growth) {
			k := scaled(in.K, 1)
			k.Row(2)[1], k.Row(1)[2] = math.NaN(), math.NaN()
			g.Kernel = &matrixKernel{k: k}
		}, "is NaN, must be finite"},
	}) {
		g, _ := grown(t, in, 0, 3)
		g.batch = 0
		c.change(g)
		if _, err := g.Run(); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func scaled(m matrix, factor float64) matrix {
	out := clone(m)
	linalg.ScaleTo(out.Data, factor, out.Data)
	return out
}

// The problem of some rows has their losses.
func TestTakenRowsHaveTheirLosses(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		p := in.Problem(t, 1)
		rows := []int64{int64(len(p.Root) - 1), 0, 0}
		f := make([]float64, p.Coord.Len())
		for j := range f {
			f[j] = float64(j%3) - 0.5
		}
		taken := p.Take(rows)
		for t0, row := range rows {
			if got, want := taken.Loss(t0, f), p.Loss(int(row), f); got != want || taken.Curvature(t0) != p.Curvature(int(row)) {
				t.Errorf("%s: the loss of row %d is %g, %g where it is taken", in.Name, row, want, got)
			}
		}
	}
}
