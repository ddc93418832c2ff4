package kernel

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
)

func requireRounded(t *testing.T, name string, got linalg.Matrix[float32], want matrix) {
	t.Helper()
	for i := range want.Rows {
		for j, v := range want.Row(i) {
			if got.Row(i)[j] != float32(v) {
				t.Fatalf("%s: value %d, %d is %v, want that of %v", name, i, j, got.Row(i)[j], v)
			}
		}
	}
}

// TestSinglesAreRoundedValues: those of the double route, between rows and among them.
func TestSinglesAreRoundedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	x, y := rough(300, 7, rng), rough(31, 7, rng)
	for name, f := range slicex.InOrder(functions) {
		for _, all := range [][2]Rows{{{Dense: x}, {Dense: y}}, {compressed(x, rng), compressed(y, rng)}} {
			k, err := New(f, all[1])
			if err != nil {
				t.Fatal(err)
			}
			singles, among := linalg.NewMatrix[float32](300, 31), linalg.NewMatrix[float32](31, 31)
			if err := errors.Join(k.SinglesTo(singles, all[0], Options{Workers: 2}),
				k.SingleGramTo(among, Options{Workers: 2})); err != nil {
				t.Fatal(err)
			}
			requireRounded(t, name, singles, values(t, f, all[0], all[1], 1))
			requireRounded(t, name+" among rows", among, gram(t, f, all[1], 1))
		}
	}
	k, err := New(Function{}, Rows{Dense: matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1e20}}})
	if err != nil {
		t.Fatal(err)
	}
	err = k.SingleGramTo(linalg.NewMatrix[float32](1, 1), Options{First: 4})
	if err == nil || !strings.Contains(err.Error(), "row 4: kernel values overflow") {
		t.Errorf("a value beyond single precision: %v", err)
	}
}
