package loglinear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/solve"
	"combpred/core/structure"
)

func random(rng *rand.Rand, rows, cols int) matrix {
	m := linalg.NewMatrix[float64](rows, cols)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// TestPreconditioner: changes of variables have their inverse and their transpose, with any of the factors left out.
func TestPreconditioner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const q, d = 5, 3
	basis := func(n int) matrix {
		m := random(rng, n, n)
		s := linalg.NewMatrix[float64](n, n)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, s)
		if err := Diagonalise(make([]float64, n), s, nil); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, factors := range [][2]matrix{{}, {basis(q), {}}, {{}, basis(d)}, {basis(q), basis(d)}} {
		p := NewPreconditioner(factors[0], factors[1], q, d, nil)
		p.Scale = random(rng, q, d)
		z, w, back := random(rng, q, d), random(rng, q, d), random(rng, q, d)
		if err := fault.First(p.WeightsTo(w, z), p.CoordinatesTo(back, w)); err != nil {
			t.Fatal(err)
		}
		for i, v := range z.Data {
			if math.Abs(back.Data[i]-v) > 1e-11 {
				t.Fatalf("coordinate %d comes back as %v, was %v", i, back.Data[i], v)
			}
		}
		g, pulled := random(rng, q, d), random(rng, q, d)
		if err := p.PullBackTo(pulled, g); err != nil {
			t.Fatal(err)
		}
		if one, two := floats.Dot(g.Data, w.Data), floats.Dot(pulled.Data, z.Data); math.Abs(one-two) > 1e-11 {
			t.Errorf("the change by the weights is %v, by the coordinates %v", one, two)
		}
	}
}

// exactOracle is that of package expect, which imports this one, as far as it is needed here.
type exactOracle struct{ space structure.Space }

func (e exactOracle) Answer(r RowsRequest, mon *parallel.Monitor) error {
	err := partition.Batch(structure.Rows(e.space, linalg.General(r.Scores)), r.LogZ, r.Means.Data, 1, mon)
	return err
}

// TestHessianAtZero: in the coordinates of the Hessian at W = 0 the covariance of the scores' gradient, with the penalty, is the identity.
// The loss is about quadratic near zero, so that a step h along any coordinate raises it by h²/2 beyond its slope.
func TestHessianAtZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 4}})
	if err != nil {
		t.Fatal(err)
	}
	const n, alpha, h = 20, 0.3, 1e-3
	mean, _ := MeanOf(space)
	d := space.FeatureLen()
	p := &Problem{X: &solve.Design{Rows: linalg.Rows{Dense: random(rng, n, 3)}, Intercept: true}, Psi: random(rng, n, d), Mean: mean}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	s := Sizes{Features: 4, Outputs: d}
	cov, _ := Covariance(space)
	exact, moments := exactOracle{space}, make([]float64, s.SumsLen(Moments))
	if err := AddSums(s, p, Moments, matrix{}, moments, exact, nil); err != nil {
		t.Fatal(err)
	}
	zero, err := NewHessian(s, alpha, moments, cov, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	gradient := func(z matrix) matrix {
		w, sums, g := random(rng, 4, d), make([]float64, s.SumsLen(Loss)), random(rng, 4, d)
		if err := zero.WeightsTo(w, z); err != nil {
			t.Fatal(err)
		}
		if err := AddSums(s, p, Loss, w, sums, exact, nil); err != nil {
			t.Fatal(err)
		}
		all := s.GradientOf(sums)
		linalg.Axpy(all.Data, w.Data, 2*alpha)
		if err := zero.PullBackTo(g, all); err != nil {
			t.Fatal(err)
		}
		return g
	}
	for range 5 {
		z := random(rng, 4, d)
		floats.Scale(h, z.Data)
		there := gradient(z)
		floats.Scale(-1, z.Data)
		back := gradient(z)
		for i, v := range z.Data {
			if got := (back.Data[i] - there.Data[i]) / 2; math.Abs(got-v) > 1e-3*h {
				t.Errorf("entry %d of the Hessian's product is %v, want %v", i, got, v)
			}
		}
	}
}
