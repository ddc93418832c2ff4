package primal_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// rankings returns inputs of p features, and encoded rankings of k labels by linear utilities with noise.
func rankings(seed uint64, n, p, k int) ([]float64, []int32) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y, w := make([]float64, n*p), make([]int32, n*k), make([]float64, p*k)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	for i := range n {
		utility := make([]float64, k)
		for j := range p {
			x[i*p+j] = rng.NormFloat64()
			linalg.Axpy(utility, w[j*k:(j+1)*k], x[i*p+j])
		}
		order := make([]int, k)
		for u := range order {
			order[u] = u
			utility[u] += rng.NormFloat64()
		}
		slices.SortFunc(order, func(a, b int) int {
			if utility[a] > utility[b] {
				return -1
			}
			return 1
		})
		for at, u := range order {
			y[i*k+u] = int32(at + 1)
		}
	}
	return x, y
}

func permutations(t testing.TB, k int) (structure.Space, *primal.Task) {
	t.Helper()
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": int64(k)}})
	if err != nil {
		t.Fatal(err)
	}
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		t.Fatal(err)
	}
	d := space.FeatureLen()
	return space, &primal.Task{Coord: coord, Mean: make([]float64, d), Lambda: 1, Margin: true, Intercept: true, Tol: 1e-8}
}

func encoded(t testing.TB, space structure.Space, y []int32) primal.Outputs {
	t.Helper()
	out, err := primal.Encoded(space, y, len(y)/space.PartLen(), false)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Features far from zero, tiny ones and ones of very different sizes: single precision leads to the weights of double precision, in no more
// passes than the one for the true residual.
func TestSinglePrecisionFindsTheSameWeights(t *testing.T) {
	const n, p, k = 10000, 6, 5
	space, task := permutations(t, k)
	for name, change := range slicex.InOrder(map[string]func(j int, x float64) float64{
		"plain":  func(_ int, x float64) float64 { return x },
		"offset": func(_ int, x float64) float64 { return x + 1e6 },
		"tiny":   func(_ int, x float64) float64 { return 1e-30 * x },
		"huge":   func(_ int, x float64) float64 { return 1e60 * x },
		"scales": func(j int, x float64) float64 { return x * math.Pow(10, float64(j)-2) },
		"heavy":  func(_ int, x float64) float64 { return math.Sinh(3 * x) },
	}) {
		x, y := rankings(1, n, p, k)
		for i := range x {
			x[i] = change(i%p, x[i])
		}
		var found [2]matrix
		var infos [2]solve.Info
		for i, double := range []bool{false, true} {
			task.Double = double
			found[i] = linalg.NewMatrix[float64](p+1, space.FeatureLen())
			var err error
			infos[i], err = task.Solve(found[i], &primal.Rows{X: primal.Dense(x, n, p, p), Psi: encoded(t, space, y)}, 1, nil)
			if err != nil {
				t.Fatalf("%s, double %v: %v", name, double, err)
			}
		}
		// Weights of features of different sizes are compared by the scores that they give.
		for j := range p {
			scale := math.Abs(change(j, 1) - change(j, 0))
			for _, w := range found {
				linalg.ScaleTo(w.Row(j), scale, w.Row(j))
			}
		}
		if far := distance(found[0], found[1]); far > 1e-7 && name != "offset" {
			t.Errorf("%s: the weights differ by %.2g: %+v %+v", name, far, infos[0], infos[1])
		}
		if math.Abs(infos[0].Objective-infos[1].Objective) > 1e-9*math.Abs(infos[1].Objective) {
			t.Errorf("%s: objectives %g and %g", name, infos[0].Objective, infos[1].Objective)
		}
		if infos[0].Iter > infos[1].Iter+2 {
			t.Errorf("%s: %d passes, %d in double precision", name, infos[0].Iter, infos[1].Iter)
		}
	}
}

// Whatever is kept between passes, whoever does the work and whatever type the numbers have, the weights are the same to the last bit.
func TestWeightsDoNotDependOnWorkersOrMemory(t *testing.T) {
	const n, p, k = 20000, 4, 4
	space, task := permutations(t, k)
	x, y := rankings(2, n, p, k)
	whole, few := make([]float64, len(x)), make([]int16, len(x))
	for i, v := range x {
		few[i] = int16(100 * v)
		whole[i] = float64(few[i])
	}
	released := 0
	var first matrix
	for i, c := range []struct {
		x       primal.Inputs
		budget  int64
		workers int
	}{
		{primal.Dense(whole, n, p, p), 0, 1},
		{primal.Dense(whole, n, p, p), 0, 3},
		{primal.Dense(few, n, p, p), 0, 2},
		{primal.Dense(few, n, p, p), n * 7, 1},
		{primal.Dense(few, n, p, p), 1 << 30, 2},
	} {
		rows := &primal.Rows{X: c.x, Psi: encoded(t, space, y)}
		if c.workers == 1 {
			rows.Release = func(lo, hi int) { released += hi - lo }
		}
		rows.Cache(c.budget)
		w := linalg.NewMatrix[float64](p+1, space.FeatureLen())
		if _, err := task.Solve(w, rows, c.workers, nil); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = w
		} else if !slices.Equal(w.Data, first.Data) {
			t.Errorf("case %d: other weights", i)
		}
	}
	if released == 0 || released%n != 0 {
		t.Errorf("%d rows were released", released)
	}
}

// After one product the problem is not solved, and the solver says so.
func TestLimitOfIterations(t *testing.T) {
	space, task := permutations(t, 4)
	x, y := rankings(3, 200, 3, 4)
	rows := &primal.Rows{X: primal.Dense(x, 200, 3, 3), Psi: encoded(t, space, y)}
	w := linalg.NewMatrix[float64](4, space.FeatureLen())
	task.MaxIter = 2
	info, err := task.Solve(w, rows, 1, nil)
	var limit *solve.NotConvergedError
	if !errors.As(err, &limit) || info.Iter != 3 || !(info.Residual > task.Tol) || !(linalg.Dot(w.Data, w.Data) > 0) {
		t.Errorf("%+v, %v", info, err)
	}
}
