package dual

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Every solver reaches the minimum of the enumerated loss, and the closed forms its minimiser's scores.
func TestSolversMinimiseTheEnumeratedLoss(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		t.Run(in.Name, func(t *testing.T) {
			m, d := in.K.Rows, in.Psi.Cols
			wantScores := in.Scores(in.Expected)
			check := func(name string, p *solve.Problem, c matrix, info solve.Info, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				a := inPsi(p, c, d)
				if gap := relativeGap(in.Objective(a), in.Value); gap > 1e-8 {
					t.Errorf("%s: objective is off by %g", name, gap)
				}
				if gap := relativeGap(info.Objective, in.Value); gap > 1e-8 {
					t.Errorf("%s: reported objective %g, want %g", name, info.Objective, in.Value)
				}
				f := in.Scores(a)
				for i := range m {
					for j, v := range f.Row(i) {
						if math.Abs(v-wantScores.Row(i)[j]) > 1e-5 {
							t.Fatalf("%s: score[%d,%d] = %g, want %g", name, i, j, v, wantScores.Row(i)[j])
						}
					}
				}
			}
			opt := solve.Options{Tol: 1e-10}
			p := in.Problem(t, 2)
			c := p.NewBlock()
			op := NewKernel(p, in.K, in.Shift)
			groups := p.Coord.Distinct()

			closedForms(t, p, op, make([]float64, FactorWork[float64](m, groups+1)/8), opt, check)
			closedForms(t, p, op, make([]float32, FactorWork[float32](m, groups+1)/4), opt, check)

			sp, err := NewSpectral(p, op)
			if err != nil {
				t.Fatal(err)
			}
			info, err := ClosedForm(p, sp, sp, iteration(t, p, sp), c, opt)
			check("spectral", p, c, info, err)

			info, err = ConjugateGradient(p, op, nil, c, opt)
			check("cg", p, c, info, err)

			for factors := 1; factors <= 3; factors++ {
				pre, err := NewFactored(op, make([]float32, FactorWork[float32](m, factors)/4), factors)
				if err != nil {
					t.Fatal(err)
				}
				info, err = ConjugateGradient(p, op, pre, c, opt)
				check(fmt.Sprintf("cg with %d factors", factors), p, c, info, err)
			}

			info, err = NewtonCG(p, op, c, solve.Options{Tol: 1e-9})
			check("newton-cg", p, c, info, err)
		})
	}
}

// closedForms runs the closed form with factors and an iteration for the margins, and with inverses and their matrix.
func closedForms[T linalg.Float](t *testing.T, p *solve.Problem, op *Kernel, work []T, opt solve.Options,
	check func(string, *solve.Problem, matrix, solve.Info, error)) {
	t.Helper()
	c := p.NewBlock()
	f, err := NewFactored(op, work, p.Coord.Distinct())
	if err != nil {
		t.Fatal(err)
	}
	info, err := ClosedForm(p, op, f, iteration(t, p, f), c, opt)
	check(fmt.Sprintf("factors %T", work), p, c, info, err)
	if err := f.Invert(); err != nil {
		t.Fatal(err)
	}
	if !p.Margin {
		info, err = ClosedForm(p, op, f, nil, c, opt)
		check(fmt.Sprintf("inverses %T", work), p, c, info, err)
		return
	}
	if p.Z.Rows != len(p.Root) { // G is formed for one output an example only
		return
	}
	g, err := NewMarginMatrix(f, work)
	if err != nil {
		t.Fatal(err)
	}
	margins, err := NewMarginIteration(p, g, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err = ClosedForm(p, op, f, margins, c, opt)
	check(fmt.Sprintf("inverses %T, products with G", work), p, c, info, err)
	factor, err := g.factored()
	if err != nil {
		t.Fatal(err)
	}
	info, err = ClosedForm(p, op, f, factor, c, opt)
	check(fmt.Sprintf("inverses %T, factor of G", work), p, c, info, err)
}

func iteration(t testing.TB, p *solve.Problem, res Resolvent) MarginSolver {
	t.Helper()
	if !p.Margin {
		return nil
	}
	s, err := NewMarginIteration(p, NewImplicitMargins(p, res), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Results do not depend on the number of workers, to the last bit.
func TestWorkersDoNotChangeResults(t *testing.T) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 5}})
	if err != nil {
		t.Fatal(err)
	}
	m := 900
	rng := rand.New(rand.NewPCG(5, 5))
	x := linalg.NewMatrix[float64](m, 4)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	k := linalg.NewMatrix[float64](m, m)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, k)
	psi := linalg.NewMatrix[float64](m, 10)
	y := make([]int32, 5)
	for i := range m {
		space.(structure.Sampler).Sample(y, rng)
		space.Embed(psi.Row(i), y)
	}
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		t.Fatal(err)
	}
	var first []float64
	for _, workers := range []int{1, 2, 5} {
		p, err := solve.NewProblem(1, true, coord, solve.Targets{Psi: psi, Mean: make([]float64, 10)}, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		op := NewKernel(p, k, 1)
		inv, err := NewFactored(op, make([]float32, FactorWork[float32](m, 2)/4), 2)
		if err != nil {
			t.Fatal(err)
		}
		c := p.NewBlock()
		if _, err := ClosedForm(p, op, inv, iteration(t, p, inv), c, solve.Options{Tol: 1e-8}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = append(first, c.Data...)
		}
		for i := range first {
			if first[i] != c.Data[i] {
				t.Fatalf("%d workers: coefficient %d differs", workers, i)
			}
		}
	}
}

// inPsi turns coefficients in coordinates of K̃ into dual coefficients of K.
func inPsi(p *solve.Problem, c matrix, d int) matrix {
	for i, r := range p.Root {
		linalg.ScaleTo(c.Row(i), r, c.Row(i))
	}
	out := linalg.NewMatrix[float64](c.Rows, d)
	p.Coord.SynthesizeTo(out, c)
	return out
}

func relativeGap(got, want float64) float64 {
	return math.Abs(got-want) / math.Max(math.Abs(want), 1e-12)
}

// BenchmarkSolvers trains on 300 rankings of 8 labels.
func BenchmarkSolvers(b *testing.B) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 8}})
	if err != nil {
		b.Fatal(err)
	}
	const m = 300
	rng := rand.New(rand.NewPCG(1, 2))
	psi, x, k := linalg.NewMatrix[float64](m, space.FeatureLen()), linalg.NewMatrix[float64](m, 10), linalg.NewMatrix[float64](m, m)
	y, mean := make([]int32, space.PartLen()), make([]float64, space.FeatureLen())
	for i := range m {
		space.(structure.Sampler).Sample(y, rng)
		space.Embed(psi.Row(i), y)
		for j := range x.Cols {
			x.Row(i)[j] = rng.NormFloat64()
		}
	}
	space.(structure.Momenter).Mean(mean)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, k)
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		b.Fatal(err)
	}
	p, err := solve.NewProblem(1, true, coord, solve.Targets{Psi: psi, Mean: mean}, 1, nil)
	if err != nil {
		b.Fatal(err)
	}
	op, c, opt := NewKernel(p, k, 0), p.NewBlock(), solve.Options{Tol: 1e-8}
	work := make([]float64, FactorWork[float64](m, coord.Distinct())/8)
	b.Run("closed form", func(b *testing.B) {
		for b.Loop() {
			f, err := NewFactored(op, work, coord.Distinct())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := ClosedForm(p, op, f, iteration(b, p, f), c, opt); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cg", func(b *testing.B) {
		for b.Loop() {
			if _, err := ConjugateGradient(p, op, nil, c, opt); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("newton-cg", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewtonCG(p, op, c, opt); err != nil {
				b.Fatal(err)
			}
		}
	})
}
