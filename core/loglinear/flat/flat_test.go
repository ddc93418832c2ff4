package flat

import (
	"math"
	"testing"
)

// TestTape: what is measured without a state is what is handed out with one, in pieces that do not overlap.
func TestTape(t *testing.T) {
	cut := func(tape *Tape) [][]float64 {
		return [][]float64{tape.Take(3), tape.Matrix(2, 4).Data, tape.Take(0), tape.Take(1)}
	}
	measured := new(Tape)
	for _, piece := range cut(measured) {
		if piece != nil {
			t.Fatal("a tape without a state hands out numbers")
		}
	}
	state := make([]float64, measured.At)
	for k, piece := range cut(&Tape{Data: state}) {
		for i := range piece {
			piece[i] += float64(k + 1)
		}
		if cap(piece) != len(piece) {
			t.Errorf("piece %d can grow into the next", k)
		}
	}
	for i, want := range []float64{1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 4} {
		if state[i] != want {
			t.Errorf("number %d belongs to piece %v, want %v", i, state[i], want)
		}
	}
}

// TestMarks: states of other lengths, machines or options are refused.
func TestMarks(t *testing.T) {
	type options struct{ tol float64 }
	one := Mark("search", options{1e-6})
	if one != Mark("search", options{1e-6}) || one == Mark("search", options{2e-6}) || one == Mark("descent", options{1e-6}) {
		t.Error("marks do not tell options and machines apart")
	}
	if one != math.Trunc(one) || one >= 1<<53 || one < 1 {
		t.Errorf("the mark %v is no positive whole number that float64 holds", one)
	}
	state := []float64{one, 0}
	if CheckState(state, 2, one) != nil || CheckState(state, 3, one) == nil || CheckState(state, 2, one+1) == nil {
		t.Error("a state is taken for another")
	}
}

// TestVectors: the few operations on vectors.
func TestVectors(t *testing.T) {
	x, y := []float64{3, 4}, []float64{1, -1}
	if Dot(x, y) != -1 || Norm(x) != 5 || Sum(x) != 7 {
		t.Errorf("got %v, %v and %v", Dot(x, y), Norm(x), Sum(x))
	}
	Axpy(y, 2, x)
	Scale(0.5, y)
	if y[0] != 3.5 || y[1] != 3.5 {
		t.Errorf("got %v", y)
	}
	if !Finite(x) || Finite([]float64{1, math.Inf(-1)}) {
		t.Error("finite numbers are not told from others")
	}
	FillNaN(x)
	if Finite(x[:1]) || Finite(x[1:]) {
		t.Errorf("got %v", x)
	}
}
