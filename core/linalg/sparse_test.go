package linalg

import (
	"math/rand/v2"
	"slices"
	"testing"
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
