package solve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
)

func TestSparseCheckRefusesMalformedArrays(t *testing.T) {
	good := solve.Sparse{Rows: 2, Cols: 2, Data: []float64{1, 2}, Indices: []int32{0, 1}, Indptr: []int64{0, 1, 2}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, bad := range slicex.InOrder(map[string]solve.Sparse{
		"column out of range": {Rows: 2, Cols: 1, Data: good.Data, Indices: good.Indices, Indptr: good.Indptr},
		"decreasing indptr":   {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 3, 2}},
		"short indptr":        {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 2}},
		"lengths differ":      {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices[:1], Indptr: good.Indptr},
	}) {
		if bad.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestProductsOfDesigns compares the products of dense and sparse designs with plain loops over their entries.
func TestProductsOfDesigns(t *testing.T) {
	const n, p, d = 5, 3, 2
	rng := rand.New(rand.NewPCG(81, 82))
	random := func(rows, cols int) linalg.Matrix[float64] {
		m := linalg.NewMatrix[float64](rows, cols)
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64() * float64(rng.IntN(3))
		}
		return m
	}
	for _, intercept := range []bool{false, true} {
		x := solve.Design{Rows: linalg.Rows{Dense: random(n, p)}, Intercept: intercept}
		q := p
		if intercept {
			q++
		}
		if x.Columns() != q {
			t.Fatalf("%d columns, want %d", x.Columns(), q)
		}
		sparse := linalg.Sparse{Rows: n, Cols: p, Indptr: []int64{0}}
		for i := range n {
			for j, v := range x.Dense.Row(i) {
				if v != 0 {
					sparse.Data, sparse.Indices = append(sparse.Data, v), append(sparse.Indices, int32(j))
				}
			}
			sparse.Indptr = append(sparse.Indptr, int64(len(sparse.Data)))
		}
		y := solve.Design{Rows: linalg.Rows{Sparse: &sparse}, Intercept: intercept}
		w, a := random(q, d), random(n, d)
		scores, products := linalg.NewMatrix[float64](n, d), random(q, d)
		wantScores, wantProducts := linalg.NewMatrix[float64](n, d), linalg.NewMatrix[float64](q, d)
		copy(wantProducts.Data, products.Data)
		for i := range n {
			other := map[int]float64{}
			y.Entries(i, func(k int, v float64) { other[k] = v })
			x.Entries(i, func(k int, v float64) {
				if other[k] != v {
					t.Fatalf("entry %d of row %d is %v, sparse %v", k, i, v, other[k])
				}
				for c := range d {
					wantScores.Row(i)[c] += v * w.Row(k)[c]
					wantProducts.Row(k)[c] += v * a.Row(i)[c]
				}
			})
		}
		x.ScoresTo(scores, x.Dense, w)
		x.AddProducts(products, x.Dense, a)
		for i, v := range scores.Data {
			if math.Abs(v-wantScores.Data[i]) > 1e-12 {
				t.Errorf("score %d is %v, want %v", i, v, wantScores.Data[i])
			}
		}
		for i, v := range products.Data {
			if math.Abs(v-wantProducts.Data[i]) > 1e-12 {
				t.Errorf("product %d is %v, want %v", i, v, wantProducts.Data[i])
			}
		}
	}
}
