package kernel

import (
	"errors"
	"math"
	"strings"
	"testing"

	"combpred/core/badrow"
	"combpred/core/linalg"
)

func TestOverflowNamesRowAndColumn(t *testing.T) {
	x := matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1e-200, 1e200}}
	y := matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1e200}}
	for _, f := range []Function{{Kind: Linear}, {Kind: Polynomial, Gamma: 1, Degree: 2}} {
		k, err := New(f, Rows{Dense: y})
		if err != nil {
			t.Fatal(err)
		}
		err = k.ValuesTo(linalg.NewMatrix[float64](2, 2), Rows{Dense: x}, Options{First: 10, Workers: 1})
		wrong, ok := errors.AsType[*badrow.Error](err)
		if !ok || wrong.Row != 11 || !strings.Contains(err.Error(), "row 11, column") {
			t.Errorf("overflow: %v", err)
		}
	}
	// An even root of a negative number, and inputs that are no numbers.
	for _, f := range []Function{{Kind: Polynomial, Gamma: 1, Degree: 0.5, Coef0: -5}, {Kind: RBF, Gamma: 1}, {Kind: Cosine}, {Kind: Laplacian, Gamma: 1}} {
		k, err := New(f, Rows{Dense: y})
		if err != nil {
			t.Fatal(err)
		}
		in := Rows{Dense: matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float64{math.NaN()}}}
		if err := k.ValuesTo(linalg.NewMatrix[float64](1, 2), in, Options{}); err == nil {
			t.Errorf("kernel %v of NaN is a number", f)
		}
	}
}

func TestIllegalArguments(t *testing.T) {
	good := Rows{Dense: linalg.NewMatrix[float64](2, 3)}
	for _, f := range []Function{
		{Kind: -1}, {Kind: Cosine + 1}, {Kind: RBF}, {Kind: RBF, Gamma: math.Inf(1)}, {Kind: Laplacian, Gamma: math.NaN()},
		{Kind: Polynomial, Gamma: -1}, {Kind: Polynomial, Gamma: 1, Degree: -1}, {Kind: Polynomial, Gamma: 1, Coef0: math.Inf(1)},
	} {
		if _, err := New(f, good); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	if _, err := New(Function{}, Rows{Dense: matrix{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 3)}}); err == nil {
		t.Error("rows that are too short are accepted")
	}
	if _, err := New(Function{}, Rows{Sparse: &linalg.Sparse{Rows: 1, Cols: 1, Indptr: []int64{0}}}); err == nil {
		t.Error("sparse rows that are too short are accepted")
	}
	k, err := New(Function{}, good)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		k.GramTo(linalg.NewMatrix[float64](2, 3), Options{}),
		k.ValuesTo(linalg.NewMatrix[float64](3, 2), good, Options{}),
		k.ValuesTo(linalg.NewMatrix[float64](2, 2), Rows{Dense: linalg.NewMatrix[float64](2, 2)}, Options{}),
		ProductTo(linalg.NewMatrix[float64](2, 2), good, linalg.NewMatrix[float64](2, 2), 1, nil),
		ProductTo(linalg.NewMatrix[float64](2, 1), good, linalg.NewMatrix[float64](3, 2), 1, nil),
	} {
		if err == nil {
			t.Error("illegal shapes are accepted")
		}
	}
}

// TestGramNamesTheFirstRow, not the first of the triangle that is computed.
func TestGramNamesTheFirstRow(t *testing.T) {
	x := matrix{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1e10, 1e154, 1e300}}
	k, err := New(Function{}, Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	err = k.GramTo(linalg.NewMatrix[float64](3, 3), Options{})
	if at, is := errors.AsType[*badrow.Error](err); !is || at.Row != 0 || !strings.Contains(err.Error(), ": inf at row 0, column 2;") {
		t.Error(err)
	}
}
