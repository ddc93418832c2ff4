package primal_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/solve/solvetest"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

func taskOf(t *testing.T, in *solvetest.Instance) *primal.Task {
	t.Helper()
	coord := solve.IdentityCoordinates(in.Psi.Cols)
	if in.Margin {
		var err error
		if coord, err = solve.NewCoordinates(in.Space); err != nil {
			t.Fatal(err)
		}
	}
	// A kernel XXᵀ + 1 is that of X with a constant feature.
	return &primal.Task{Coord: coord, Mean: in.Mean, Share: 2 / float64(len(in.All)), Structure: in.Name, Lambda: in.Lambda, Margin: in.Margin,
		Intercept: in.Shift == 1, Tol: 1e-10}
}

// expected returns the weights XᵀA of the coefficients A that elimination on the enumerated loss finds.
func expected(in *solvetest.Instance) matrix {
	q := in.X.Cols + int(in.Shift)
	x := linalg.NewMatrix[float64](in.X.Rows, q)
	for i := range x.Rows {
		copy(x.Row(i), in.X.Row(i))
		if in.Shift == 1 {
			x.Row(i)[q-1] = 1
		}
	}
	w := linalg.NewMatrix[float64](q, in.Psi.Cols)
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, x, in.Expected, 0, w)
	return w
}

// compressed returns the entries of m that are not zero.
func compressed(m matrix) *solve.Sparse {
	s := &solve.Sparse{Rows: m.Rows, Cols: m.Cols, Indptr: []int64{0}}
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				s.Data, s.Indices = append(s.Data, v), append(s.Indices, int32(j))
			}
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return s
}

// integers returns the entries of m, or nil where they are not small integers.
func integers(m matrix) []int8 {
	var out []int8
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v != float64(int8(v)) {
				return nil
			}
			out = append(out, int8(v))
		}
	}
	return out
}

func distance(a, b matrix) float64 {
	var difference, size float64
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			difference = math.Hypot(difference, v-b.Row(i)[j])
			size = math.Hypot(size, b.Row(i)[j])
		}
	}
	return difference / (size + 1e-3)
}

// Every structure at its enumerable sizes, both losses, weights and sets of outputs, by every kind of rows: the weights are those of
// elimination on the enumerated loss.
func TestWeightsAreThoseOfElimination(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		task := taskOf(t, &in)
		want := expected(&in)
		inputs := map[string]primal.Inputs{"dense": primal.Dense(in.X.Data, in.X.Rows, in.X.Cols, in.X.Stride), "csr": primal.CSR(compressed(in.X))}
		outputs := map[string]primal.Outputs{"real": primal.Embedded(in.Psi), "csr": primal.SparsePsi(compressed(in.Psi))}
		if small := integers(in.Psi); small != nil {
			outputs["small"] = primal.Small(small, in.Psi.Rows, in.Psi.Cols)
		}
		for x, inputs := range inputs {
			for y, outputs := range outputs {
				for _, double := range []bool{false, true} {
					task.Double = double
					name := fmt.Sprintf("%s: X %s, psi %s, double %v", in.Name, x, y, double)
					got := linalg.NewMatrix[float64](want.Rows, want.Cols)
					info, err := task.Solve(got, &primal.Rows{X: inputs, Psi: outputs, First: in.First, Weights: in.Weights}, 1, nil)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if far := distance(got, want); far > 1e-8 {
						t.Errorf("%s: the weights differ by %.2g, %+v", name, far, info)
					}
					if math.Abs(info.Objective-in.Value) > 1e-8*(1+math.Abs(in.Value)) {
						t.Errorf("%s: objective %g, want %g", name, info.Objective, in.Value)
					}
				}
			}
		}
	}
}

// Rows in blocks that only the test holds, with the state moved to other memory between any two calls, give the same weights.
func TestMachineResumesFromItsState(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		if in.First != nil {
			continue
		}
		task := taskOf(t, &in)
		p := in.X.Cols
		var blocks []*primal.Rows
		for _, cut := range [][2]int{{0, 3}, {3, 4}, {4, 7}} {
			lo, hi := cut[0], cut[1]
			x, y := in.X.Slice(lo, hi, 0, p), in.Psi.Slice(lo, hi, 0, in.Psi.Cols)
			block := &primal.Rows{X: primal.Dense(x.Data, hi-lo, p, x.Stride), Psi: primal.Embedded(y)}
			if in.Weights != nil {
				block.Weights = in.Weights[lo:hi]
			}
			blocks = append(blocks, block)
		}
		state := make([]float64, task.StateLen(p))
		m, err := task.Start(state, p)
		for done := false; !done; {
			if err != nil {
				t.Fatal(err)
			}
			var request primal.Request
			if request, err = m.Next(nil); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				switch request {
				case primal.NeedSums: // found apart, and added up as plain numbers
					s := primal.NewSums(make([]float64, primal.SumsLen(p, in.Psi.Cols)), p, in.Psi.Cols)
					err = task.AddSums(s, b, 1, nil)
					linalg.Axpy(m.Reply(), s.Data, 1)
				case primal.NeedProduct:
					v := task.NewDirection(slices.Clone(m.Direction().Data), p)
					err = task.AddProduct(m.Product(), v, b, 1, nil)
				case primal.Done:
					done = true
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !done {
				state = slices.Clone(state)
				m, err = task.Resume(state)
			}
		}
		if far := distance(m.Weights(), expected(&in)); far > 1e-8 {
			t.Errorf("%s: the weights differ by %.2g", in.Name, far)
		}
	}
}

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
	for name, change := range map[string]func(j int, x float64) float64{
		"plain":  func(_ int, x float64) float64 { return x },
		"offset": func(_ int, x float64) float64 { return x + 1e6 },
		"tiny":   func(_ int, x float64) float64 { return 1e-30 * x },
		"huge":   func(_ int, x float64) float64 { return 1e60 * x },
		"scales": func(j int, x float64) float64 { return x * math.Pow(10, float64(j)-2) },
		"heavy":  func(_ int, x float64) float64 { return math.Sinh(3 * x) },
	} {
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
		rows.Hold(c.budget)
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

func BenchmarkPass(b *testing.B) {
	for _, c := range []struct{ p, k int }{{20, 10}, {100, 10}} {
		const n = 16384
		space, task := permutations(b, c.k)
		x, y := rankings(4, n, c.p, c.k)
		for _, double := range []bool{false, true} {
			task.Double = double
			rows := &primal.Rows{X: primal.Dense(x, n, c.p, c.p), Psi: encoded(b, space, y)}
			rows.Hold(1 << 30)
			m, err := task.Start(make([]float64, task.StateLen(c.p)), c.p)
			if err != nil {
				b.Fatal(err)
			}
			m.Next(nil)
			if err := task.AddSums(m.Sums(), rows, 1, nil); err != nil {
				b.Fatal(err)
			}
			m.Next(nil)
			b.Run(fmt.Sprintf("p=%d/double=%v", c.p, double), func(b *testing.B) {
				for b.Loop() {
					if err := task.AddProduct(m.Product(), m.Direction(), rows, 1, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}

func BenchmarkSparsePass(b *testing.B) {
	const n, p, d, k = 10000, 500, 5000, 10
	rng := rand.New(rand.NewPCG(9, 9))
	x, psi := make([]float32, n*p), &solve.Sparse{Rows: n, Cols: d, Indptr: []int64{0}}
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for range n {
		for range k {
			psi.Indices, psi.Data = append(psi.Indices, int32(rng.IntN(d))), append(psi.Data, 1)
		}
		psi.Indptr = append(psi.Indptr, int64(len(psi.Data)))
	}
	task := &primal.Task{Coord: solve.IdentityCoordinates(d), Mean: slices.Repeat([]float64{0.5}, d), Lambda: 1, Margin: true, Tol: 1e-8}
	v := task.NewDirection(make([]float64, task.DirectionLen(p)), p)
	for i := range v.Data {
		v.Data[i] = 1
	}
	out := linalg.NewMatrix[float64](p, d)
	rows := &primal.Rows{X: primal.Dense(x, n, p, p), Psi: primal.SparsePsi(psi)}
	for b.Loop() {
		if err := task.AddProduct(out, v, rows, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
