package plackettluce

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// lossOf is the penalised loss by its definition.
func lossOf(ranks []int32, weights []float64, penalty float64, u []float64) float64 {
	k := len(u)
	loss := penalty / 2 * linalg.Dot(u, u)
	for j, w := range weights {
		row := ranks[j*k : (j+1)*k]
		for a, r := range row {
			shared := 0
			for _, s := range row {
				if s == r {
					shared++
				}
			}
			if r == 0 || shared > 1 {
				continue
			}
			var left float64
			for b, s := range row {
				if s >= r {
					left += math.Exp(u[b])
				}
			}
			loss -= w * (u[a] - math.Log(left))
		}
	}
	return loss
}

// TestFit: utilities have mean 0, and no direction lowers the loss.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const n, m, k = 9, 5, 6
	f := Sets{Items: k, Ranks: make([]int32, n*m*k), Weights: linalg.NewMatrix[float64](n, m), Penalty: 0.3}
	for i := range n * m {
		for u, r := range rng.Perm(k) {
			if rng.IntN(4) > 0 {
				f.Ranks[i*k+u] = int32(r + 1)
			}
		}
		if i%3 == 0 { // all but the first items share the last place
			for u := range k {
				f.Ranks[i*k+u] = min(f.Ranks[i*k+u], 4)
			}
		}
		f.Weights.Data[i] = math.Pow(10, float64(rng.IntN(4)-1)) * rng.Float64()
	}
	f.Weights.Data[0] = 0
	got, more := linalg.NewMatrix[float64](n, k), linalg.NewMatrix[float64](n, k)
	if err := f.FitTo(got, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.FitTo(more, 3, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		u := got.Row(i)
		if math.Abs(linalg.Sum(u)) > 1e-9 {
			t.Errorf("the utilities %v have a mean", u)
		}
		loss := func(u []float64) float64 {
			return lossOf(f.Ranks[i*m*k:(i+1)*m*k], f.Weights.Row(i), f.Penalty, u)
		}
		best := loss(u)
		for a := range k {
			if u[a] != more.Row(i)[a] {
				t.Error("utilities depend on the number of workers")
			}
			const h = 1e-3
			kept := u[a]
			u[a] = kept + h
			up := loss(u)
			u[a] = kept - h
			down := loss(u)
			u[a] = kept
			// The loss is smooth: the slope at the minimum is what differences of third order leave.
			if slope := (up - down) / (2 * h); up < best || down < best || math.Abs(slope) > 1e-5*(1+best) {
				t.Errorf("set %d: the loss %v has the slope %v in direction %d", i, best, slope, a)
			}
		}
	}
	// Two items: (a + b) σ(d) = a − c d/2 for the difference d of utilities, where a has one before the other and b not.
	two := Sets{Items: 2, Ranks: []int32{1, 2, 2, 1}, Weights: linalg.Matrix[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{5, 2}},
		Penalty: 0.7}
	u := linalg.NewMatrix[float64](1, 2)
	if err := two.FitTo(u, 1, nil); err != nil {
		t.Fatal(err)
	}
	if d := u.Data[0] - u.Data[1]; math.Abs(7/(1+math.Exp(-d))+0.35*d-5) > 1e-9 {
		t.Errorf("two items have the utilities %v", u.Data)
	}
}

// TestRefusals: what is illegal, or cannot be computed, is named.
func TestRefusals(t *testing.T) {
	legal := func() Sets {
		return Sets{Items: 3, Ranks: []int32{1, 2, 0, 2, 1, 0},
			Weights: linalg.Matrix[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1}}, Penalty: 1}
	}
	u := linalg.NewMatrix[float64](2, 3)
	for name, try := range slicex.InOrder(map[string]struct {
		row    int
		change func(f *Sets)
	}{
		"items":   {-1, func(f *Sets) { f.Items = 0 }},
		"ranks":   {-1, func(f *Sets) { f.Ranks = f.Ranks[1:] }},
		"dst":     {-1, func(f *Sets) { f.Items, f.Ranks = 2, f.Ranks[:4] }},
		"penalty": {-1, func(f *Sets) { f.Penalty = -1 }},
		"weight":  {1, func(f *Sets) { f.Weights.Data[1] = -1 }},
		"rank":    {1, func(f *Sets) { f.Ranks[5] = -1 }},
		"lost":    {1, func(f *Sets) { f.Weights.Data[1] = 1e300 }},
	}) {
		f := legal()
		try.change(&f)
		err := f.FitTo(u, 1, nil)
		if err == nil || fault.RowOf(err) != try.row || (fault.KindOf(err) == fault.KindNumerical) != (name == "lost") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	var stopped parallel.Monitor
	stopped.Cancel()
	f := legal()
	if err := f.FitTo(u, 1, &stopped); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("the error is %v", err)
	}
}

func BenchmarkFit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 9))
	const n, m, k = 200, 20, 10
	f := Sets{Items: k, Ranks: make([]int32, n*m*k), Weights: linalg.NewMatrix[float64](n, m), Penalty: 1}
	for i := range n * m {
		for u, r := range rng.Perm(k) {
			f.Ranks[i*k+u] = int32(r + 1)
		}
		f.Weights.Data[i] = 1
	}
	dst := linalg.NewMatrix[float64](n, k)
	for b.Loop() {
		if err := f.FitTo(dst, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
