package custom

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// enumerated returns ψ of all outputs of a structure, and the structure.
func enumerated(t *testing.T, name string, args examples.Args) (matrix, structure.Space) {
	t.Helper()
	space, err := structure.New(name, structure.Args(args))
	if err != nil {
		t.Fatal(err)
	}
	d, k := space.FeatureLen(), 0
	var data []float64
	for y := range space.(structure.Enumerator).All() {
		psi := make([]float64, d)
		space.Embed(psi, y)
		data, k = append(data, psi...), k+1
	}
	return matrix{Rows: k, Cols: d, Stride: d, Data: data}, space
}

// TestKernelIsReproduced: the embeddings of all rankings of four labels, from the kernel between them, have that kernel; there are as many
// features as the rankings span, in the order of the eigenvalues, which are their mean squares.
func TestKernelIsReproduced(t *testing.T) {
	psi, _ := enumerated(t, "permutations", examples.Sized(4))
	gram := linalg.NewMatrix[float64](psi.Rows, psi.Rows)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, psi, psi, 0, gram)
	found, err := FromKernel(gram, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Cols != 6 {
		t.Fatalf("%d features, want 6", found.Cols)
	}
	again := linalg.NewMatrix[float64](psi.Rows, psi.Rows)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, found, found, 0, again)
	for i, v := range gram.Data {
		if math.Abs(again.Data[i]-v) > 1e-12*6 {
			t.Fatalf("kernel value %d is %v, want %v", i, again.Data[i], v)
		}
	}
	last := math.Inf(1)
	for j := range found.Cols {
		var square, largest float64
		for i := range found.Rows {
			v := found.Row(i)[j]
			square += v * v
			if math.Abs(v) > math.Abs(largest)*(1+1e-9) {
				largest = v
			}
		}
		if square > last*(1+1e-12) || largest < 0 {
			t.Errorf("feature %d has the eigenvalue %v after %v, and its largest entry is %v", j, square, last, largest)
		}
		last = square
	}
}

func TestKernelsThatAreNone(t *testing.T) {
	for want, entries := range slicex.InOrder(map[string][]float64{
		"not positive semi-definite, its smallest eigenvalue is -1": {1, 2, 2, 1},
		"gram is not symmetric: 0.5 at [0, 1] but 0 at [1, 0]":      {1, 0.5, 0, 1},
		"gram is 0 everywhere": {0, 0, 0, 0},
		"gram[1, 0] is +Inf":   {1, 0, math.Inf(1), 1},
	}) {
		_, err := FromKernel(matrix{Rows: 2, Cols: 2, Stride: 2, Data: entries}, nil)
		expectError(t, err, want)
	}
}

// TestSumsOverAllOutputs: where every output is drawn once, in two batches, averages are the structure's own moments, and the standard
// error is that of enumeration.
func TestSumsOverAllOutputs(t *testing.T) {
	for name, args := range slicex.InOrder(map[string]examples.Args{"labelsets": examples.SizedSets(5, 2), "routes": examples.Sized(3),
		"permutations": examples.Sized(4)}) {
		psi, space := enumerated(t, name, args)
		d, k := psi.Cols, psi.Rows
		data := make([]float64, SumsLen(d))
		for _, batch := range []matrix{psi.Slice(0, 2, 0, d), psi.Slice(2, k, 0, d)} {
			sums, err := NewSums(data, d)
			if err == nil {
				err = sums.Add(batch, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sums, err := NewSums(data, d)
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]float64, d+d*d), make([]float64, d+d*d)
		standardError := sums.MomentsTo(got)
		moments := space.(structure.Momenter)
		moments.Mean(want[:d])
		moments.SecondMoment(blas64.General{Rows: d, Cols: d, Stride: d, Data: want[d:]})
		var largest float64
		for i := range d {
			for j := range d {
				var sum float64
				for y := range k {
					off := psi.Row(y)[i]*psi.Row(y)[j] - want[d+i*d+j]
					sum += off * off
				}
				largest = max(largest, sum/float64(k))
			}
		}
		for i, v := range want {
			if math.Abs(got[i]-v) > 1e-14*float64(k) {
				t.Fatalf("%s: moment %d is %v, want %v", name, i, got[i], v)
			}
		}
		if want := math.Sqrt(largest / float64(k)); math.Abs(standardError-want) > 1e-12 {
			t.Errorf("%s: the standard error is %v, want %v", name, standardError, want)
		}
	}
}

func TestDrawsThatAreNone(t *testing.T) {
	data := make([]float64, SumsLen(2))
	sums, err := NewSums(data, 2)
	if err != nil {
		t.Fatal(err)
	}
	err = sums.Add(matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, math.NaN()}}, nil)
	expectError(t, err, "row 1: entry 1 of ψ is NaN")
	if slices.Max(data) != 0 {
		t.Errorf("something was added: %v", data)
	}
	for _, n := range []float64{-1, 0.5, math.NaN(), math.Inf(1)} {
		data[0] = n
		_, err := NewSums(data, 2)
		expectError(t, err, "the number of draws so far")
	}
}

// TestSupport: all outputs are in the support that the moments tell, whose dimension is that of their span by elimination, and outputs
// moved off it are not.
func TestSupport(t *testing.T) {
	for name, args := range slicex.InOrder(map[string]examples.Args{
		"labelsets": examples.SizedSets(5, 2), "assignments": examples.Sized(3), "routes": examples.Sized(3),
		"permutations": examples.Sized(4),
		"ordinal":      examples.Sized(4),
	}) {
		psi, space := enumerated(t, name, args)
		support, err := SupportOf(space, space.(structure.Momenter), nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := SupportOf(space, space.(structure.Momenter), nil); err != nil || again != support {
			t.Errorf("%s: the support is found again, error %v", name, err)
		}
		if err := support.Check(psi); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, want := support.null.Cols, psi.Cols-dimension(psi); got != want {
			t.Errorf("%s: ψ does not vary in %d directions, want %d", name, got, want)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			off := linalg.NewMatrix[float64](2, psi.Cols)
			off.CopyFrom(psi.Slice(0, 2, 0, psi.Cols))
			for j := range off.Row(1) {
				off.Row(1)[j] += rng.NormFloat64()
			}
			switch err := support.Check(off); {
			case support.null.Cols == 0 && err != nil:
				t.Errorf("%s: all directions vary, but %v", name, err)
			case support.null.Cols > 0:
				expectError(t, err, "row 1: ψ leaves the mean by")
			}
		}
	}
}

func TestMomentsOfNothing(t *testing.T) {
	args := examples.FairSigns(2, 3)
	args.Reals[4], args.Reals[5] = 2, 2 // a correlation of 2
	space, err := structure.New("custom", structure.Args(args))
	if err != nil {
		t.Fatal(err)
	}
	_, err = SupportOf(space, space.(structure.Momenter), nil)
	expectError(t, err, "not positive semi-definite, its smallest eigenvalue is -1")
}

// dimension returns the dimension of the affine span of the rows, by elimination.
func dimension(psi matrix) int {
	rows := linalg.NewMatrix[float64](psi.Rows-1, psi.Cols)
	for i := range rows.Rows {
		for j, v := range psi.Row(i + 1) {
			rows.Row(i)[j] = v - psi.Row(0)[j]
		}
	}
	rank := 0
	for j := range rows.Cols {
		pivot := rank
		for i := rank; i < rows.Rows; i++ {
			if math.Abs(rows.Row(i)[j]) > math.Abs(rows.Row(pivot)[j]) {
				pivot = i
			}
		}
		if rank == rows.Rows || math.Abs(rows.Row(pivot)[j]) < 1e-9 {
			continue
		}
		top := slices.Clone(rows.Row(pivot))
		copy(rows.Row(pivot), rows.Row(rank))
		copy(rows.Row(rank), top)
		for i := rank + 1; i < rows.Rows; i++ {
			factor := rows.Row(i)[j] / top[j]
			for c := j; c < rows.Cols; c++ {
				rows.Row(i)[c] -= factor * top[c]
			}
		}
		rank++
	}
	return rank
}

func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
