package linalg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
)

// dense returns the matrix that s describes.
func dense(s Sparse) Matrix[float64] {
	m := NewMatrix[float64](s.Rows, s.Cols)
	for i := range s.Rows {
		columns, values := s.Row(i)
		for k, j := range columns {
			m.Row(i)[j] += values[k]
		}
	}
	return m
}

// randomSparse has columns in any order, some of them several times, with whole numbers, whose sums are exact.
func randomSparse(rows, cols int, rng *rand.Rand) Sparse {
	s := Sparse{Rows: rows, Cols: cols, Indptr: []int64{0}}
	for range rows {
		for range rng.IntN(2 * cols) {
			s.Indices, s.Data = append(s.Indices, int32(rng.IntN(cols))), append(s.Data, float64(rng.IntN(9)-4))
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return s
}

func TestCanonicalAndTransposedSparseRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		s := randomSparse(1+rng.IntN(6), 1+rng.IntN(5), rng)
		want := dense(s)
		c := s.Canonical()
		if err := c.Check(); err != nil || !c.canonical() || !slices.Equal(dense(c).Data, want.Data) {
			t.Fatalf("canonical form of %v is %v (%v)", s, c, err)
		}
		if again := c.Canonical(); len(c.Data) > 0 && &again.Data[0] != &c.Data[0] {
			t.Error("a canonical matrix is copied")
		}
		lo := rng.IntN(s.Rows)
		part := s.Slice(lo, s.Rows)
		for _, view := range []Sparse{part, part.Canonical()} {
			if !slices.Equal(dense(view).Data, want.Slice(lo, s.Rows, 0, s.Cols).Data) {
				t.Error("a slice has other rows")
			}
		}
		turned := part.Transpose()
		if err := turned.Check(); err != nil {
			t.Error(err)
		}
		got := dense(turned)
		for i := range part.Rows {
			for j := range part.Cols {
				if got.Row(j)[i] != want.Row(lo + i)[j] {
					t.Fatal("the transpose has other entries")
				}
			}
		}
	}
}

// Rows are the same whether they are dense or sparse.
func TestRowsAreDenseOrSparse(t *testing.T) {
	dense := Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 2, 3, 4}}
	sparse := &Sparse{Rows: 3, Cols: 2, Data: []float64{1, 2, 3, 4}, Indices: []int32{0, 1, 0, 1}, Indptr: []int64{0, 1, 2, 4}}
	for name, r := range slicex.InOrder(map[string]Rows{"dense": {Dense: dense}, "sparse": {Sparse: sparse}}) {
		if r.Len() != 3 || r.Features() != 2 || r.Check() != nil {
			t.Errorf("%s: %d rows of %d features, error %v", name, r.Len(), r.Features(), r.Check())
		}
		for part, rows := range slicex.InOrder(map[string]Rows{"slice": r.Slice(1, 3), "copy": r.Take([]int64{1, 2})}) {
			for i, want := range [][]float64{{0, 2}, {3, 4}} {
				got := make([]float64, 2)
				if rows.Sparse == nil {
					copy(got, rows.Dense.Row(i))
				} else {
					columns, values := rows.Sparse.Row(i)
					for k, j := range columns {
						got[j] = values[k]
					}
				}
				if rows.Len() != 2 || !slices.Equal(got, want) {
					t.Errorf("%s: row %d of the %s is %v", name, i, part, got)
				}
			}
		}
	}
	if (Rows{Dense: Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: make([]float64, 5)}}).Check() == nil {
		t.Error("five numbers hold three rows of two")
	}
}
