package loo

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// Leave-one-out equals training again without the row's label, after undoing the first-order correction for the row itself; for
// the squared loss it equals training again without the row.
func TestLeaveOneOutMatchesRefitting(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		if in.First != nil {
			continue
		}
		t.Run(in.Name, func(t *testing.T) {
			m, d := in.Psi.Rows, in.Psi.Cols
			p := in.Problem(t, 2)
			op := dual.NewKernel(p, in.K, in.Shift)
			sp, err := dual.NewSpectral(p, op)
			if err != nil {
				t.Fatal(err)
			}
			k := p.Coord.Distinct()
			c, diag := p.NewBlock(), p.NewBlock()
			if err := Factored(p, op, make([]float64, FactoredWork[float64](m, k, in.Margin)/8), c); err != nil {
				t.Fatal(err)
			}
			agrees := func(route string, tol float64, run func(dst matrix) error) {
				t.Helper()
				other := p.NewBlock()
				if err := run(other); err != nil {
					t.Fatalf("%s: %v", route, err)
				}
				for i, x := range other.Data {
					if !(math.Abs(x-c.Data[i]) <= tol*(1+math.Abs(c.Data[i]))) {
						t.Fatalf("%s: coordinate %d is %g, by factors in double %g", route, i, x, c.Data[i])
					}
				}
			}
			agrees("factors, single", 1e-4, func(dst matrix) error {
				return Factored(p, op, make([]float32, FactoredWork[float32](m, k, in.Margin)/4), dst)
			})
			full, err := NewFull(p, op)
			if err != nil {
				t.Fatal(err)
			}
			agrees("eigenvectors, double", 1e-9, func(dst matrix) error {
				return FromThin(p, full, make([]float64, ThinWork[float64](m, in.Margin)/8), dst)
			})
			agrees("eigenvectors, single", 1e-4, func(dst matrix) error {
				return FromThin(p, full, make([]float32, ThinWork[float32](m, in.Margin)/4), dst)
			})
			if !in.Margin {
				agrees("banded form, double", 1e-9, func(dst matrix) error { return banded[float64](p, op, dst) })
				agrees("banded form, single", 1e-4, func(dst matrix) error { return banded[float32](p, op, dst) })
			}
			if _, err := sp.Diagonal(diag); err != nil {
				t.Fatal(err)
			}
			if in.Margin { // undo the correction
				for i := range m {
					for j := range c.Row(i) {
						c.Row(i)[j] *= 1 - p.Sigma[j]*diag.Row(i)[j]
					}
				}
			}
			got := linalg.NewMatrix[float64](m, d)
			p.Coord.SynthesizeTo(got, c)
			checkRefits(t, in, got)
		})
	}
}

// checkRefits compares scores of the rows that count with those of training again without each.
func checkRefits(t *testing.T, in solvetest.Instance, got matrix) {
	t.Helper()
	m, d := in.Psi.Rows, in.Psi.Cols
	for i := range m {
		if in.Weight(i) == 0 {
			continue
		}
		refit, removed := in, i
		if !in.Margin {
			refit.Weights = make([]float64, m)
			for j := range m {
				refit.Weights[j] = in.Weight(j)
			}
			refit.Weights[i] = 0
			removed = -1
		}
		want := in.Scores(refit.Eliminate(removed)).Row(i)
		for j := range d {
			if math.Abs(got.Row(i)[j]-want[j]) > 1e-8 {
				t.Fatalf("row %d: score[%d] = %g, refitting gives %g", i, j, got.Row(i)[j], want[j])
			}
		}
	}
}

// A zero kernel leaves nothing to leave out.
func TestZeroKernelLeavesNothingOut(t *testing.T) {
	for _, margin := range []bool{true, false} {
		leaveNothingOut(t, margin)
	}
}

func leaveNothingOut(t *testing.T, margin bool) {
	in := solvetest.Rankings(t)
	clear(in.K.Data)
	in.Shift, in.Margin = 0, margin
	p := in.Problem(t, 1)
	thin, err := NewLowRank(p, dual.NewKernel(p, in.K, 0), 1)
	if err != nil || thin == nil || len(thin.values) != 0 {
		t.Fatal(thin, err)
	}
	c := p.NewBlock()
	for route, err := range slicex.InOrder(map[string]error{
		"decomposed": FromThin(p, thin, make([]float32, ThinWork[float32](in.Psi.Rows, true)/4), c),
		"factored": Factored(p, dual.NewKernel(p, in.K, 0),
			make([]float64, FactoredWork[float64](in.Psi.Rows, p.Coord.Distinct(), true)/8), c),
	}) {
		if err != nil {
			t.Fatal(route, err)
		}
	}
	for i, x := range c.Data {
		if x != 0 {
			t.Fatalf("leave-one-out coordinate %d is %g, want 0", i, x)
		}
	}
}

// Leaving rows out with factors that are too coarse for the penalty is refused.
func TestIllConditionedLeaveOneOutIsRefused(t *testing.T) {
	for _, margin := range []bool{true, false} {
		in := solvetest.Rankings(t)
		in.Margin = margin
		in.Lambda = 1e-7
		for i := range in.K.Data {
			in.K.Data[i] = 1
		}
		p := in.Problem(t, 1)
		work := make([]float32, FactoredWork[float32](in.Psi.Rows, p.Coord.Distinct(), margin)/4)
		if err := Factored(p, dual.NewKernel(p, in.K, 0), work, p.NewBlock()); fault.KindOf(err) != fault.KindNumerical {
			t.Errorf("margin=%v: got %v, want a numerical error", margin, err)
		}
	}
}

// lowRank returns a problem on m rankings whose kernel is of rank 3 at most, with scales of the inputs from 1 to 900, one row that stands
// far out, and weights.
func lowRank(t *testing.T, margin bool, lambda float64) (*solve.Problem, *dual.Kernel) {
	t.Helper()
	const m = 60
	in := solvetest.Rankings(t)
	rng := rand.New(rand.NewPCG(4, 4))
	x := linalg.NewMatrix[float64](m, 3)
	psi, weights := linalg.NewMatrix[float64](m, in.Psi.Cols), make([]float64, m)
	for i := range m {
		for j := range 3 {
			x.Row(i)[j] = rng.NormFloat64() * math.Pow(30, float64(j))
		}
		copy(psi.Row(i), in.All[rng.IntN(len(in.All))])
		weights[i] = float64(i % 3)
	}
	x.Row(7)[0] = 1e4
	k := linalg.NewMatrix[float64](m, m)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, k)
	var coord *solve.Coordinates
	var err error
	if coord = solve.IdentityCoordinates(psi.Cols); margin {
		coord, err = solve.NewCoordinates(in.Space)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := solve.NewProblem(lambda, margin, coord, solve.Targets{Psi: psi, Mean: in.Mean, Weights: weights}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, dual.NewKernel(p, k, 0)
}

// The decomposition of low rank gives what factors in double precision do, from strong penalties to where single precision is lost: the
// kernel's condition is then 1e10. In single precision, too, where it is the entries of H_σ that decide.
func TestLowRankAgreesWithFactors(t *testing.T) {
	for _, margin := range []bool{true, false} {
		for _, lambda := range []float64{1e5, 10, 1e-2} {
			p, op := lowRank(t, margin, lambda)
			m := len(p.Root)
			thin, err := NewLowRank(p, op, 2*lambda/p.Coord.Groups()[0].Sigma)
			if err != nil || thin == nil {
				t.Fatalf("margin %v, penalty %g: not of low rank, %v", margin, lambda, err)
			}
			if r := len(thin.values); r != 3 {
				t.Fatalf("rank %d, want 3", r)
			}
			want, double, single := p.NewBlock(), p.NewBlock(), p.NewBlock()
			if err := Factored(p, op, make([]float64, FactoredWork[float64](m, p.Coord.Distinct(), margin)/8), want); err != nil {
				t.Fatal(err)
			}
			if err := FromThin(p, thin, make([]float64, ThinWork[float64](m, margin)/8), double); err != nil {
				t.Fatal(err)
			}
			if err := FromThin(p, thin, make([]float32, ThinWork[float32](m, margin)/4), single); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				for j, w := range want.Row(i) {
					scale := 1 + math.Abs(w)
					if gap := math.Abs(double.Row(i)[j] - w); !(gap <= 1e-5*scale) {
						t.Fatalf("margin %v, penalty %g, row %d: %g in double, by factors %g", margin, lambda, i, double.Row(i)[j], w)
					}
					if gap := math.Abs(single.Row(i)[j] - double.Row(i)[j]); !(gap <= 2e-5*scale) {
						t.Fatalf("margin %v, penalty %g, row %d: %g in single, %g in double", margin, lambda, i, single.Row(i)[j],
							double.Row(i)[j])
					}
				}
			}
		}
	}
}

// What is not of low rank, not positive semi-definite, or not known well enough for the penalty, is left to factors.
func TestOnlyLowRankIsDecomposed(t *testing.T) {
	p, _ := lowRank(t, true, 1)
	m := len(p.Root)
	kernels := map[string]func(i, j int) float64{
		"full rank": func(i, j int) float64 { return math.Exp(-math.Abs(float64(i - j))) },
		"indefinite, with a diagonal of zeros": func(i, j int) float64 {
			if i/2 == j/2 && i != j {
				return 1
			}
			return 0
		},
		"indefinite":        func(i, j int) float64 { return 1 - 2*math.Abs(float64(i-j)) },
		"negative diagonal": func(i, j int) float64 { return -1 },
		"indefinite beyond the pivots": func(i, j int) float64 {
			return float64((i%2)*(j%2)) + float64((1-i%2)*(1-j%2))*1e-3*float64(i%4-1)*float64(j%4-1)*-1
		},
	}
	for name, entry := range slicex.InOrder(kernels) {
		k := linalg.NewMatrix[float64](m, m)
		for i := range m {
			for j := range m {
				k.Row(i)[j] = entry(i, j)
			}
		}
		if thin, err := NewLowRank(p, dual.NewKernel(p, k, 0), 1); thin != nil || err != nil {
			t.Errorf("%s: %v, %v", name, thin, err)
		}
	}
	p, op := lowRank(t, true, 1)
	thin, err := NewLowRank(p, op, 1)
	if err != nil || thin == nil {
		t.Fatal(err)
	}
	p.Lambda = 1e-14
	if err := FromThin(p, thin, make([]float64, ThinWork[float64](m, true)/8), p.NewBlock()); err != ErrInaccurate {
		t.Errorf("a penalty of 1e-14: %v", err)
	}
}

// The decomposition of features is that of their linear kernel, of any spectrum, without directions that are none.
func TestFeaturesDecomposeTheLinearKernel(t *testing.T) {
	p, _ := lowRank(t, true, 1)
	m, rng := len(p.Root), rand.New(rand.NewPCG(9, 9))
	x := linalg.NewMatrix[float64](m, 4)
	for i := range m {
		row := x.Row(i)
		row[0], row[1], row[2] = rng.NormFloat64(), 50*rng.NormFloat64(), 0.1*rng.NormFloat64()+3
		row[3] = row[0] - row[1]
	}
	for _, shift := range []float64{0, 2} {
		thin, err := FromFeatures(p, x, shift)
		if err != nil {
			t.Fatal(err)
		}
		rank := 3
		if shift > 0 {
			rank = 4
		}
		if len(thin.values) != rank {
			t.Fatalf("shift %g: rank %d, want %d", shift, len(thin.values), rank)
		}
		for i := range m {
			for j := range m {
				want := p.Root[i] * p.Root[j] * (linalg.Dot(x.Row(i), x.Row(j)) + shift)
				if got := linalg.Dot(thin.b.Row(i), thin.b.Row(j)); !(math.Abs(got-want) <= 1e-9) {
					t.Fatalf("shift %g: entry %d, %d is %g, want %g", shift, i, j, got, want)
				}
			}
		}
		for k, s := range thin.values {
			var norm float64
			for i := range m {
				norm += thin.b.Row(i)[k] * thin.b.Row(i)[k]
			}
			if !(math.Abs(norm-s) <= 1e-9*s) {
				t.Fatalf("shift %g: column %d has squared norm %g, want %g", shift, k, norm, s)
			}
		}
	}
}

// Columns of B are orthogonal, and their squared norms the values, relative to their own norms, also where features differ in scale by 1e6.
func TestFeaturesOfAnyScaleGiveOrthogonalColumns(t *testing.T) {
	p, _ := lowRank(t, false, 1)
	x, rng := linalg.NewMatrix[float64](len(p.Root), 4), rand.New(rand.NewPCG(9, 9))
	for i := range x.Rows {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[1] *= 1e6
	}
	thin, err := FromFeatures(p, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(thin.values) != 5 || thin.slip != 0 {
		t.Fatalf("rank %d with a slip of %g, want 5 and 0", len(thin.values), thin.slip)
	}
	products := linalg.NewMatrix[float64](5, 5)
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, thin.b, thin.b, 0, products)
	for k, s := range thin.values {
		for l, other := range thin.values {
			want := 0.0
			if l == k {
				want = s
			}
			if got := products.Row(k)[l]; !(math.Abs(got-want) <= 1e-8*math.Sqrt(s*other)) {
				t.Fatalf("the product of columns %d and %d of squared norms %g and %g is %g", k, l, s, other, got)
			}
		}
	}
}

// Labels are taken out in the weights as they are in the margins, whatever the penalty, and of rows of weight 0 nothing is said.
func TestWeightsGiveWhatMarginsDo(t *testing.T) {
	for _, lambda := range []float64{1e5, 10, 1e-2} {
		p, op := lowRank(t, true, lambda)
		thin, err := NewLowRank(p, op, 2*lambda/p.Coord.Groups()[0].Sigma)
		if err != nil || thin == nil || !FewWeights(p.Coord, len(p.Root), len(thin.values)) {
			t.Fatalf("penalty %g: no weights, %v", lambda, err)
		}
		by, want := at{thin, p}, p.NewBlock()
		shares, err := by.sharesOfOthers()
		if err != nil {
			t.Fatal(err)
		}
		margins := &thinInfluences[float64]{at: by, work: make([]float64, ThinWork[float64](len(p.Root), true)/8), shares: shares,
			double: true}
		if err := removeLabels(p, margins, want); err != nil {
			t.Fatal(err)
		}
		got := p.NewBlock()
		if err := FromThin[float32](p, thin, nil, got); err != nil {
			t.Fatal(err)
		}
		for i := range got.Rows {
			for j, v := range got.Row(i) {
				if w := want.Row(i)[j]; !(math.Abs(v-w) <= 1e-5*(1+math.Abs(w))) || (p.Root[i] == 0 && v != 0) {
					t.Fatalf("penalty %g, row %d: %g in the weights, %g in the margins", lambda, i, v, w)
				}
			}
		}
	}
}
