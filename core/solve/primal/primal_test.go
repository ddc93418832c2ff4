package primal_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/solve/primal"
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
	return &primal.Task{Coord: coord, Mean: in.Mean, Share: 2 / float64(len(in.All)), Structure: in.Name, Lambda: in.Lambda,
		Margin: in.Margin, Intercept: in.Shift == 1, Tol: 1e-10}
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

// compressed returns the entries of m that are not zero, the last ones of a row first.
func compressed(m matrix) *solve.Sparse {
	s := &solve.Sparse{Rows: m.Rows, Cols: m.Cols, Indptr: []int64{0}}
	for i := range m.Rows {
		for j, v := range slices.Backward(m.Row(i)) {
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
		inputs := map[string]primal.Inputs{"dense": primal.Dense(in.X.Data, in.X.Rows, in.X.Cols, in.X.Stride),
			"csr": primal.CSR(compressed(in.X))}
		outputs := map[string]primal.Outputs{"real": primal.Embedded(in.Psi), "csr": primal.SparsePsi(compressed(in.Psi))}
		if small := integers(in.Psi); small != nil {
			outputs["small"] = primal.Small(small, in.Psi.Rows, in.Psi.Cols)
		}
		for x, inputs := range slicex.InOrder(inputs) {
			for y, outputs := range slicex.InOrder(outputs) {
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

// elsewhere are blocks of rows that only a test can read.
type elsewhere struct {
	task   *primal.Task
	blocks []*primal.Rows
	works  int
}

func (e *elsewhere) AddSums(to primal.Sums) error {
	_, p := e.blocks[0].X.Size()
	for _, b := range e.blocks { // found apart, and added up as plain numbers
		d := len(e.task.Mean)
		s := primal.NewSums(make([]float64, primal.SumsLen(p, d)), p, d)
		if err := e.task.AddSums(s, b, 1, nil); err != nil {
			return err
		}
		linalg.Axpy(to.Data, s.Data, 1)
	}
	return nil
}

func (e *elsewhere) AddProduct(to linalg.Matrix[float64], v primal.Direction) error {
	_, p := e.blocks[0].X.Size()
	for _, b := range e.blocks {
		if err := e.task.AddProduct(to, e.task.NewDirection(slices.Clone(v.Data), p), b, 1, nil); err != nil {
			return err
		}
	}
	return nil
}

func (e *elsewhere) Work(f func() error) error {
	e.works++
	return f()
}

// Rows in blocks that only the test holds give the same weights.
func TestRowsMayLieElsewhere(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		if in.First != nil {
			continue
		}
		task := taskOf(t, &in)
		p := in.X.Cols
		over := &elsewhere{task: task}
		for _, cut := range [][2]int{{0, 3}, {3, 4}, {4, 7}} {
			lo, hi := cut[0], cut[1]
			x, y := in.X.Slice(lo, hi, 0, p), in.Psi.Slice(lo, hi, 0, in.Psi.Cols)
			block := &primal.Rows{X: primal.Dense(x.Data, hi-lo, p, x.Stride), Psi: primal.Embedded(y)}
			if in.Weights != nil {
				block.Weights = in.Weights[lo:hi]
			}
			over.blocks = append(over.blocks, block)
		}
		want := expected(&in)
		got := linalg.NewMatrix[float64](want.Rows, want.Cols)
		if _, err := task.SolveOver(got, p, over, nil); err != nil {
			t.Fatal(err)
		}
		if far := distance(got, want); far > 1e-8 {
			t.Errorf("%s: the weights differ by %.2g", in.Name, far)
		}
	}
}
