package primal_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve/primal"
)

// gathered puts together what EachWide gives, and counts its calls.
func gathered(t *testing.T, r *primal.Rows, n, p, outputs, d int) (x, psi matrix, first []int, calls int) {
	t.Helper()
	x, psi, first = linalg.NewMatrix[float64](n, p), linalg.NewMatrix[float64](outputs, d), []int{0}
	at := 0
	if err := r.EachWide(nil, func(lo int, some primal.Wide) error {
		calls++
		for i := range some.X.Len() {
			if s := some.X.Sparse; s != nil {
				for k := s.Indptr[i]; k < s.Indptr[i+1]; k++ {
					x.Row(lo + i)[s.Indices[k]] = s.Data[k]
				}
			} else {
				copy(x.Row(lo+i), some.X.Dense.Row(i))
			}
			last := i + 1
			if some.First != nil {
				last = some.First[i+1]
			}
			first = append(first, at+last)
		}
		for i := range some.Psi.Rows {
			copy(psi.Row(at+i), some.Psi.Row(i))
		}
		at += some.Psi.Rows
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return x, psi, first, calls
}

func TestWideRowsAreThoseGiven(t *testing.T) {
	const n, p, d = 2500, 300, 2
	rng := rand.New(rand.NewPCG(1, 2))
	x, psi := linalg.NewMatrix[float64](n, p), linalg.NewMatrix[float64](n, d)
	for i := range x.Data {
		x.Data[i] = float64(rng.IntN(5) - 2)
	}
	for i := range psi.Data {
		psi.Data[i] = float64(rng.IntN(3) - 1)
	}
	narrow := make([]float32, len(x.Data))
	for i, v := range x.Data {
		narrow[i] = float32(v)
	}
	every := make([]int, n+1)
	for i := range every {
		every[i] = i
	}
	for name, r := range slicex.InOrder(map[string]*primal.Rows{
		"doubles":         {X: primal.Dense(x.Data, n, p, p), Psi: primal.Embedded(psi)},
		"singles":         {X: primal.Dense(narrow, n, p, p), Psi: primal.Small(integers(psi), n, d)},
		"compressed rows": {X: primal.CSR(compressed(x)), Psi: primal.SparsePsi(compressed(psi)), First: every},
	}) {
		released := 0
		r.Release = func(lo, hi int) { released += hi - lo }
		gotX, gotPsi, first, calls := gathered(t, r, n, p, n, d)
		if !slices.Equal(gotX.Data, x.Data) || !slices.Equal(gotPsi.Data, psi.Data) || !slices.Equal(first, every) {
			t.Errorf("%s: other rows than were given", name)
		}
		if calls != 3 || released != n {
			t.Errorf("%s: %d calls, %d rows released", name, calls, released)
		}
	}
	few := &primal.Rows{X: primal.Dense(x.Data, n/2, p, p), Psi: primal.Embedded(psi), First: every[:0]}
	for i := range n/2 + 1 {
		few.First = append(few.First, 2*i)
	}
	if _, gotPsi, first, _ := gathered(t, few, n/2, p, n, d); !slices.Equal(gotPsi.Data, psi.Data) || first[n/2] != n {
		t.Error("sets: other outputs than were given")
	}
}

func TestWideRowsAreChecked(t *testing.T) {
	const n, p, d = 2500, 300, 2
	for what, spoil := range slicex.InOrder(map[string]func(x, psi matrix){
		"features":      func(x, _ matrix) { x.Row(2400)[1] = math.NaN() },
		"outputs":       func(_, psi matrix) { psi.Row(2400)[1] = math.Inf(1) },
		"long features": func(x, _ matrix) { x.Row(2400)[1] = 1e200 },
	}) {
		x, psi := linalg.NewMatrix[float64](n, p), linalg.NewMatrix[float64](n, d)
		spoil(x, psi)
		for _, r := range []*primal.Rows{
			{X: primal.Dense(x.Data, n, p, p), Psi: primal.Embedded(psi)},
			{X: primal.CSR(compressed(x)), Psi: primal.SparsePsi(compressed(psi))},
		} {
			if err := r.EachWide(nil, func(int, primal.Wide) error { return nil }); fault.RowOf(err) != 2400 {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	stop := errors.New("stop")
	r := &primal.Rows{X: primal.Dense(make([]float64, 6), 3, 2, 2), Psi: primal.Embedded(linalg.NewMatrix[float64](3, d)),
		Weights: []float64{1, 2, 0}}
	if err := r.EachWide(nil, func(_ int, some primal.Wide) error {
		if !slices.Equal(some.Weights, r.Weights) {
			t.Errorf("weights %v", some.Weights)
		}
		return stop
	}); err != stop {
		t.Error(err)
	}
	var mon parallel.Monitor
	mon.Cancel()
	if err := r.EachWide(&mon, func(int, primal.Wide) error { return nil }); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
}
