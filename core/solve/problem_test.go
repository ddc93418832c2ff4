package solve_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// point is a block of coefficients in the coordinates of a problem, with its product with the weighted kernel.
type point struct{ c, kc linalg.Matrix[float64] }

// at returns the point of dual coefficients that are random, in the span of the outputs; their dual coefficients, too.
func at(in *solvetest.Instance, p *solve.Problem, rng *rand.Rand) (point, linalg.Matrix[float64]) {
	c, dual := p.NewBlock(), in.Start(rng)
	p.Coord.AnalyzeTo(c, dual)
	for i, root := range p.Root {
		linalg.ScaleTo(dual.Row(i), root, dual.Row(i)) // a = √w c
	}
	return point{c, product(in, p, c)}, dual
}

func product(in *solvetest.Instance, p *solve.Problem, c linalg.Matrix[float64]) linalg.Matrix[float64] {
	kc := p.NewBlock()
	for i := range kc.Rows {
		for j, k := range in.K.Row(i) {
			linalg.Axpy(kc.Row(i), c.Row(j), p.Root[i]*p.Root[j]*(k+in.Shift))
		}
	}
	return kc
}

func plus(x, y linalg.Matrix[float64], a float64) linalg.Matrix[float64] {
	out := linalg.NewMatrix[float64](x.Rows, x.Cols)
	copy(out.Data, x.Data)
	linalg.Axpy(out.Data, y.Data, a)
	return out
}

func near(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(scale)) }

// TestProblemsAreThoseOfTheEnumeratedLoss: the objective is that of the list of all outputs; the residual is its derivative; the Hessian is
// that of the residual, and all are exact in differences, as the objective is quadratic.
func TestProblemsAreThoseOfTheEnumeratedLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, in := range solvetest.Instances(t) {
		p := in.Problem(t, 2)
		if in.First != nil && !in.Margin {
			continue // sets become their means, which other outputs than those of the examples are not compared with
		}
		x, dual := at(&in, p, rng)
		e, _ := at(&in, p, rng)
		value := func(c, kc linalg.Matrix[float64]) float64 {
			v, err := p.Objective(c, kc)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		here, want := value(x.c, x.kc), in.Objective(dual)
		if !near(here, want, want) {
			t.Errorf("%s: the objective is %g, want %g", in.Name, here, want)
		}
		residual, ahead, hessian := p.NewBlock(), p.NewBlock(), p.NewBlock()
		relative, err := p.ResidualTo(residual, x.c, x.kc)
		if err != nil {
			t.Fatal(err)
		}
		square, err := p.Inner(residual, residual)
		asWell := near(relative*p.InitialNorm, math.Sqrt(square), relative)
		if p.InitialNorm == 0 { // outputs as likely as under the uniform distribution: coefficients of zero are the solution
			asWell = square == 0 && relative == 0 || square > 0 && math.IsInf(relative, 1)
		}
		if err != nil || !asWell {
			t.Errorf("%s: the residual is %g of %g, its square %g (%v)", in.Name, relative, p.InitialNorm, square, err)
		}
		up := value(plus(x.c, e.c, 1), plus(x.kc, e.kc, 1))
		down := value(plus(x.c, e.c, -1), plus(x.kc, e.kc, -1))
		if slope, _ := p.Inner(residual, e.kc); !near((up-down)/2, -slope, up-here) {
			t.Errorf("%s: the slope is %g, the residual says %g", in.Name, (up-down)/2, -slope)
		}
		if _, err := p.ResidualTo(ahead, plus(x.c, e.c, 1), plus(x.kc, e.kc, 1)); err != nil {
			t.Fatal(err)
		}
		if err := p.HessianTo(hessian, e.c, e.kc); err != nil {
			t.Fatal(err)
		}
		for k, h := range hessian.Data {
			if !near(residual.Data[k]-ahead.Data[k], h, h) {
				t.Fatalf("%s: entry %d of the Hessian is %g, want %g", in.Name, k, h, residual.Data[k]-ahead.Data[k])
			}
		}
	}
}

// TestLossesHaveTheirDerivatives: the gradient and the Hessian of a row's loss, by differences.
func TestLossesHaveTheirDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	for _, in := range solvetest.Instances(t) {
		p := in.Problem(t, 1)
		x, _ := at(&in, p, rng)
		e, _ := at(&in, p, rng)
		n := p.Coord.Len()
		gradient, second, scratch := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range p.Root {
			f, v := x.kc.Row(i), e.kc.Row(i)
			up, down := make([]float64, n), make([]float64, n)
			for j := range f {
				up[j], down[j] = f[j]+v[j], f[j]-v[j]
			}
			p.LossGradientTo(gradient, scratch, f, i)
			p.LossHessianTo(second, scratch, v, i)
			high, here, low := p.Loss(i, up), p.Loss(i, f), p.Loss(i, down)
			if slope := linalg.Dot(gradient, v); !near((high-low)/2, slope, high-here) {
				t.Fatalf("%s: row %d has the slope %g, want %g", in.Name, i, slope, (high-low)/2)
			}
			if bend := linalg.Dot(second, v); !near(high+low-2*here, bend, high-here) {
				t.Fatalf("%s: row %d bends by %g, want %g", in.Name, i, bend, high+low-2*here)
			}
		}
	}
}

// TestRowsOfExamples: combinations and products of the rows of Z, the inverse of what sets add, and the largest row.
func TestRowsOfExamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	for _, in := range solvetest.Instances(t) {
		p := in.Problem(t, 2)
		weights, dots := make([]float64, p.Z.Rows), make([]float64, p.Z.Rows)
		for a := range weights {
			weights[a] = rng.NormFloat64()
		}
		sums, v := p.NewBlock(), p.NewBlock()
		for i := range v.Data {
			v.Data[i] = rng.NormFloat64()
		}
		if err := errors.Join(p.CombineTo(sums, weights), p.DotsTo(dots, v)); err != nil {
			t.Fatal(err)
		}
		// ⟨Zᵀ weights, v⟩ = ⟨weights, Zv⟩.
		both, err := p.Inner(sums, v)
		if err != nil || !near(both, linalg.Dot(weights, dots), both) {
			t.Errorf("%s: the products are %g and %g (%v)", in.Name, both, linalg.Dot(weights, dots), err)
		}
		if square := linalg.Dot(p.Z.Data, p.Z.Data); p.LargestRow()*p.LargestRow() > square*(1+1e-12) {
			t.Errorf("%s: the largest row is %g, all together %g", in.Name, p.LargestRow(), math.Sqrt(square))
		}
		if !in.Margin {
			continue
		}
		for i := range p.Root {
			lo, hi := p.Sets.Rows(i)
			for a := lo; a < hi; a++ {
				unit, inverse := make([]float64, p.Z.Rows), make([]float64, p.Z.Rows)
				unit[a] = 1
				p.Sets.AddInverse(inverse, unit)
				if !near(inverse[a], p.Sets.InverseDiagonal(i), 1) {
					t.Errorf("%s: the inverse of row %d is %g, its diagonal %g", in.Name, a, inverse[a], p.Sets.InverseDiagonal(i))
				}
			}
		}
	}
}

func TestTilesCoverTheTriangle(t *testing.T) {
	in := solvetest.Rankings(t)
	p := in.Problem(t, 1)
	for _, c := range [][2]int{{0, 1}, {0, 130}, {65, 130}, {64, 128}, {3, 70}} {
		seen := map[[2]int]int{}
		if err := p.Tiles(c[0], c[1], func(i, j0, j1 int) {
			for j := j0; j < j1; j++ {
				seen[[2]int{i, j}]++
			}
		}); err != nil {
			t.Fatal(err)
		}
		for i := c[0]; i < c[1]; i++ {
			for j := 0; j <= i; j++ {
				if seen[[2]int{i, j}] != 1 {
					t.Fatalf("rows %v: entry %d, %d is met %d times", c, i, j, seen[[2]int{i, j}])
				}
				delete(seen, [2]int{i, j})
			}
		}
		if len(seen) > 0 {
			t.Errorf("rows %v: %d entries beside them", c, len(seen))
		}
	}
}

func TestErrorsOfSolvers(t *testing.T) {
	if err := solve.CheckFinite(1); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := solve.CheckFinite(v); fault.KindOf(err) != fault.KindNumerical || err.Error() == "" {
			t.Errorf("%g: %v", v, err)
		}
	}
	if e := (&solve.NotConvergedError{Residual: 0.5, Tol: 0.1, Iter: 7}); e.Kind() != fault.KindNotConverged ||
		e.Error() != "relative residual 0.5 after 7 iterations, tol is 0.1; raise max_iter, tol or alpha" {
		t.Errorf("kind %d: %v", e.Kind(), e)
	}
}
