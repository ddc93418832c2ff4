package kernel

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/slicex"
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
		if fault.RowOf(err) != 11 || !strings.Contains(err.Error(), "in column") {
			t.Errorf("overflow: %v", err)
		}
	}
	// An even root of a negative number, and inputs that are no numbers.
	for _, f := range []Function{{Kind: Polynomial, Gamma: 1, Degree: 0.5, Coef0: -5}, {Kind: RBF, Gamma: 1}, {Kind: Cosine},
		{Kind: Laplacian, Gamma: 1}} {
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
	if fault.RowOf(err) != 0 || !strings.Contains(err.Error(), ": inf in column 2;") {
		t.Error(err)
	}
}

func TestIllegalOrders(t *testing.T) {
	inf := math.Inf(1)
	dst := linalg.NewMatrix[float64](2, 2)
	legal := &Orders{N: 2, Items: 3, Positions: []float64{1, 2, 3, 3, 2, 1}}
	for _, c := range []struct {
		x, y *Orders
		row  int
		text string
	}{
		{&Orders{N: 2, Items: 3, Positions: []float64{1, 2, 3, 1, inf, 2}}, nil, 1, "row 1: X: position 1 is +Inf"},
		{legal, &Orders{N: 2, Items: 3, Positions: []float64{1, 2, -2, 1, 1, 2}}, 0, "row 0: Y: position 2 is -2"},
		{&Orders{N: 2, Items: 3, Signs: []int8{1, 1, 1, 1, 0, 2}}, nil, 1, "row 1: X: the sign of pair 2 is 2"},
		{&Orders{N: 2, Items: 3, Signs: []int8{0, 0, 0, 1, -1, 1}}, nil, 1, "row 1: X: the relations lead from item 0 back"},
	} {
		for kind := Edges; kind <= Extensions; kind++ {
			err := OrdersTo(dst, OrderFunction{Kind: kind, Gamma: 1, MostDownsets: enough}, c.x, c.y, 1, nil)
			if fault.RowOf(err) != c.row || !strings.Contains(err.Error(), c.text) {
				t.Errorf("kind %d: %v, want %q", kind, err, c.text)
			}
		}
	}
	for _, x := range []*Orders{{N: 2, Items: 1, Positions: []float64{1, 1}}, {N: 2, Items: 3, Positions: []float64{1}}, {N: 2, Items: 3}} {
		if err := OrdersTo(dst, OrderFunction{}, x, nil, 1, nil); err == nil {
			t.Errorf("%+v is accepted", x)
		}
	}
	four := &Orders{N: 2, Items: 4, Positions: make([]float64, 8)}
	for _, err := range []error{
		OrdersTo(dst, OrderFunction{}, legal, four, 1, nil),
		OrdersTo(linalg.NewMatrix[float64](2, 3), OrderFunction{}, legal, nil, 1, nil),
		OrdersTo(dst, OrderFunction{Kind: -1}, legal, nil, 1, nil),
		OrdersTo(dst, OrderFunction{Kind: PositionsRBF}, legal, nil, 1, nil),
		OrdersTo(dst, OrderFunction{Logarithms: true}, legal, nil, 1, nil),
		OrdersTo(dst, OrderFunction{Kind: Extensions, Logarithms: true, Normalize: true, MostDownsets: enough}, legal, nil, 1, nil),
	} {
		if err == nil {
			t.Error("illegal arguments are accepted")
		}
	}
}

// TestExtensionsBeyondTheLimits are capability errors about a row, and counts beyond floats say so unless they are normalised.
func TestExtensionsBeyondTheLimits(t *testing.T) {
	// The relations of a zigzag of 12 items, which cannot be taken apart.
	zigzag := &Orders{N: 2, Items: 12, Signs: make([]int8, 2*66)}
	pair := 0
	for u := range 12 {
		for v := u + 1; v < 12; v++ {
			if v == u+1 {
				zigzag.Signs[66+pair] = int8(1 - 2*(u%2))
			}
			pair++
		}
	}
	dst := linalg.NewMatrix[float64](2, 2)
	err := OrdersTo(dst, OrderFunction{Kind: Extensions, MostDownsets: 5}, zigzag, nil, 1, nil)
	if fault.RowOf(err) != 0 || fault.KindOf(err) != fault.KindCapability || !strings.Contains(err.Error(), "with row 1 of") {
		t.Errorf("too many downsets: %v", err)
	}
	none := &Orders{N: 1, Items: 12, Signs: make([]int8, 66)}
	err = OrdersTo(linalg.NewMatrix[float64](1, 2), OrderFunction{Kind: Extensions, MostDownsets: 5}, none, zigzag, 1, nil)
	if fault.KindOf(err) != fault.KindCapability || !strings.Contains(err.Error(), "with row 1 of") {
		t.Errorf("too many downsets: %v", err)
	}
	many := &Orders{N: 2, Items: 200, Positions: make([]float64, 400)}
	for k := range many.Positions {
		many.Positions[k] = -1
	}
	if err := OrdersTo(dst, OrderFunction{Kind: Extensions, MostDownsets: enough}, many, nil, 1, nil); err != nil {
		if fault.KindOf(err) != fault.KindNumerical {
			t.Error(err)
		}
	} else {
		t.Error("200! is a float")
	}
	f := OrderFunction{Kind: Extensions, MostDownsets: enough, Normalize: true}
	if err := OrdersTo(dst, f, many, nil, 1, nil); err != nil || !slices.Equal(dst.Data, []float64{1, 1, 1, 1}) {
		t.Errorf("normalised: %v, %v", dst.Data, err)
	}
	f = OrderFunction{Kind: Extensions, MostDownsets: 5, Logarithms: true}
	if err := OrdersTo(dst, f, zigzag, nil, 1, nil); err != nil || math.Abs(dst.Data[0]-19.987214495661885) > 1e-12 ||
		!math.IsNaN(dst.Data[3]) {
		t.Errorf("logarithms %v, %v, want ln 12! and NaN", dst.Data, err) // ln 12! = 19.987214495661885
	}
	own, err := ownLogs(zigzag, 5, nil, 0, 1, nil)
	if err != nil || math.IsNaN(own[0]) || !math.IsNaN(own[1]) {
		t.Errorf("logarithms %v, %v", own, err)
	}
	f = OrderFunction{Kind: Extensions, MostDownsets: 5, Normalize: true}
	one := &Orders{N: 1, Items: 12, Signs: zigzag.Signs[66:]}
	chain := &Orders{N: 1, Items: 12, Signs: slices.Repeat([]int8{1}, 66)}
	err = OrdersTo(linalg.NewMatrix[float64](1, 1), f, chain, one, 1, nil)
	if fault.KindOf(err) != fault.KindCapability || err.Error()[:len("row 0: Y: its")] != "row 0: Y: its" {
		t.Errorf("alone: %v", err)
	}
	if err := commonLogsTo(nil, &Orders{N: 0, Items: 1 << 12}, nil, 1, nil, 1, nil); err == nil {
		t.Error("4096 items are accepted")
	}
}

// TestExtensionsAreEstimatedBeyondTheLimits: by exact counts, within the guarantee, whatever the workers; and rows with themselves have
// kernel 1 where counts are normalised.
func TestExtensionsAreEstimatedBeyondTheLimits(t *testing.T) {
	// Of 4 items: nothing, a zigzag, two chains.
	x := &Orders{N: 3, Items: 4, Signs: []int8{0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 1, 0, 0, 0, 0, 1}}
	exact := linalg.NewMatrix[float64](3, 3)
	if err := OrdersTo(exact, OrderFunction{Kind: Extensions, MostDownsets: enough}, x, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	var estimated int64
	f := OrderFunction{Kind: Extensions, MostDownsets: 3, Epsilon: 0.3, Delta: 1e-9, Seed: 7, Estimated: &estimated}
	found, again := linalg.NewMatrix[float64](3, 3), linalg.NewMatrix[float64](3, 3)
	for workers, dst := range slicex.InOrder(map[int]matrix{1: found, 2: again}) {
		if err := OrdersTo(dst, f, x, nil, workers, nil); err != nil || estimated != 3 {
			t.Fatalf("%d estimates, want those of the zigzag: %v", estimated, err)
		}
	}
	if !slices.Equal(found.Data, again.Data) {
		t.Errorf("workers change estimates: %v and %v", found.Data, again.Data)
	}
	for at, v := range found.Data { // fails by chance with probability 1e-9
		if math.Abs(v/exact.Data[at]-1) > 0.3 {
			t.Errorf("entry %d is %g, must be near %g", at, v, exact.Data[at])
		}
	}
	f.Normalize = true
	if err := OrdersTo(found, f, x, nil, 1, nil); err != nil || found.Data[4] != 1 {
		t.Errorf("a row with itself: %v, %v", found.Data, err)
	}
	f.MostDownsets = 3
	if err := OrdersTo(found, f, x, x, 2, nil); err != nil || estimated != 5+2 {
		t.Errorf("%d estimates, want 5 common ones and the zigzag alone twice: %v", estimated, err)
	}
	for at, v := range found.Data {
		i, j := at/3, at%3
		if want := exact.Data[at] / math.Sqrt(exact.Data[4*i]*exact.Data[4*j]); v > want*1.3/0.7 || v < want*0.7/1.3 {
			t.Errorf("entry %d is %g, must be near %g", at, v, want)
		}
	}
	for _, wrong := range []OrderFunction{{Kind: Edges, Epsilon: 0.1, Delta: 0.1}, {Kind: Extensions, Epsilon: 0.1}, {Kind: Extensions,
		Epsilon: -1, Delta: 0.1}, {Kind: Extensions, Epsilon: 1, Delta: 0.1}, {Kind: Extensions, Epsilon: 0.1, Delta: math.NaN()}} {
		if wrong.Check() == nil {
			t.Errorf("%+v is legal", wrong)
		}
	}
}

// Large values are no overflow, though their sum is one; infinities that cancel, and NaN, are found.
func TestFiniteLooksAtEachValue(t *testing.T) {
	if err := (Function{}).finite([]float64{1e308, 1e308, -1}, 3); err != nil {
		t.Error(err)
	}
	for _, values := range [][]float64{{1, math.Inf(1)}, {math.Inf(1), math.Inf(-1)}, {0, math.NaN(), 2}, {1e308, 1e308, math.Inf(-1)}} {
		if err := (Function{}).finite(values, 3); err == nil {
			t.Errorf("%v pass", values)
		}
	}
}

// TestNegativeBasesHaveNoRoots: the error names the cause, which is no overflow.
func TestNegativeBasesHaveNoRoots(t *testing.T) {
	x := Rows{Dense: linalg.Matrix[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, -1}}}
	for degree, want := range slicex.InOrder(map[float64]string{2.5: "row 0: a kernel value is nan in column 1: ", 3: ""}) {
		k, err := New(Function{Kind: Polynomial, Gamma: 1, Degree: degree}, x)
		if err != nil {
			t.Fatal(err)
		}
		err = k.GramTo(linalg.NewMatrix[float64](2, 2), Options{})
		if want == "" && err == nil {
			continue
		}
		root, ok := errors.AsType[*RootError](err)
		if !ok || root.Degree != degree || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "larger coef0") {
			t.Errorf("degree %g: %v", degree, err)
		}
	}
}
