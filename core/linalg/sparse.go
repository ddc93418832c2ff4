package linalg

import (
	"slices"

	"combpred/core/fault"
)

// Sparse is a matrix in compressed sparse rows. Row i has the entries Indptr[i] to Indptr[i+1] of Data, in the columns that
// Indices says. A column that is named several times in a row has the sum of its entries.
type Sparse struct {
	Rows, Cols int
	Data       []float64
	Indices    []int32
	Indptr     []int64
}

// Check returns an error if the arrays do not describe a Rows×Cols matrix.
func (s Sparse) Check() error {
	if len(s.Indptr) != s.Rows+1 || len(s.Indices) != len(s.Data) || s.Indptr[0] != 0 || s.Indptr[s.Rows] != int64(len(s.Data)) {
		return fault.Value("sparse matrix: indptr must have %d entries from 0 to %d", s.Rows+1, len(s.Data))
	}
	for i := range s.Rows {
		if s.Indptr[i] > s.Indptr[i+1] {
			return fault.At(i, fault.Value("sparse matrix: indptr decreases"))
		}
	}
	for k, j := range s.Indices {
		if j < 0 || int(j) >= s.Cols {
			return fault.Value("sparse matrix: entry %d has column %d, must be below %d", k, j, s.Cols)
		}
	}
	return nil
}

// Slice returns rows [lo, hi), sharing their entries.
func (s Sparse) Slice(lo, hi int) Sparse {
	first, last := s.Indptr[lo], s.Indptr[hi]
	out := Sparse{Rows: hi - lo, Cols: s.Cols, Data: s.Data[first:last], Indices: s.Indices[first:last], Indptr: make([]int64, hi-lo+1)}
	for k, at := range s.Indptr[lo : hi+1] {
		out.Indptr[k] = at - first
	}
	return out
}

// Row returns the columns and values of the stored entries of row i.
func (s Sparse) Row(i int) ([]int32, []float64) {
	lo, hi := s.Indptr[i], s.Indptr[i+1]
	return s.Indices[lo:hi], s.Data[lo:hi]
}

// Canonical returns a matrix of the same values whose rows have their columns in ascending order, each once: s itself where
// that holds, otherwise a copy. Entries of the same column are added up in the order in which they are stored.
// Cost: one look at each entry; O(nnz log nnz) for a copy.
func (s Sparse) Canonical() Sparse {
	if s.canonical() {
		return s
	}
	stored := len(s.Data)
	out := Sparse{Rows: s.Rows, Cols: s.Cols, Data: make([]float64, 0, stored), Indices: make([]int32, 0, stored),
		Indptr: make([]int64, 1, s.Rows+1)}
	var order []int
	for i := range s.Rows {
		columns, values := s.Row(i)
		order = order[:0]
		for k := range columns {
			order = append(order, k)
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(columns[a]) - int(columns[b]) })
		begin := len(out.Data)
		for _, k := range order {
			if last := len(out.Data) - 1; last >= begin && out.Indices[last] == columns[k] {
				out.Data[last] += values[k]
				continue
			}
			out.Indices, out.Data = append(out.Indices, columns[k]), append(out.Data, values[k])
		}
		out.Indptr = append(out.Indptr, int64(len(out.Data)))
	}
	return out
}

func (s Sparse) canonical() bool {
	for i := range s.Rows {
		columns, _ := s.Row(i)
		for k := 1; k < len(columns); k++ {
			if columns[k-1] >= columns[k] {
				return false
			}
		}
	}
	return true
}

// Transpose returns the transpose. Columns of its rows are in ascending order. Cost: O(nnz + Cols).
func (s Sparse) Transpose() Sparse {
	stored := len(s.Data)
	out := Sparse{Rows: s.Cols, Cols: s.Rows, Data: make([]float64, stored), Indices: make([]int32, stored),
		Indptr: make([]int64, s.Cols+1)}
	for _, j := range s.Indices {
		out.Indptr[j+1]++
	}
	for j := range s.Cols {
		out.Indptr[j+1] += out.Indptr[j]
	}
	next := slices.Clone(out.Indptr[:s.Cols])
	for i := range s.Rows {
		columns, values := s.Row(i)
		for k, j := range columns {
			out.Indices[next[j]], out.Data[next[j]] = int32(i), values[k]
			next[j]++
		}
	}
	return out
}

// Rows are rows of features: a dense matrix, or, where Sparse is set, a sparse one.
type Rows struct {
	Dense  Matrix[float64]
	Sparse *Sparse
}

// Len returns the number of rows.
func (r Rows) Len() int {
	if r.Sparse != nil {
		return r.Sparse.Rows
	}
	return r.Dense.Rows
}

// Features returns the number of columns.
func (r Rows) Features() int {
	if r.Sparse != nil {
		return r.Sparse.Cols
	}
	return r.Dense.Cols
}

// Row returns the columns and values of the stored entries of row i: of a dense one all values, and no columns.
func (r Rows) Row(i int) ([]int32, []float64) {
	if r.Sparse != nil {
		return r.Sparse.Row(i)
	}
	return nil, r.Dense.Row(i)
}

// Slice returns the view of rows [lo, hi).
func (r Rows) Slice(lo, hi int) Rows {
	if r.Sparse != nil {
		s := r.Sparse.Slice(lo, hi)
		return Rows{Sparse: &s}
	}
	return Rows{Dense: r.Dense.Slice(lo, hi, 0, r.Dense.Cols)}
}

// Check returns an error if the arrays do not hold what the dimensions say.
func (r Rows) Check() error {
	if r.Sparse != nil {
		return r.Sparse.Check()
	}
	d := r.Dense
	if d.Rows < 0 || d.Cols < 0 || d.Stride < max(d.Cols, 1) || (d.Rows > 0 && d.Cols > 0 && len(d.Data) < (d.Rows-1)*d.Stride+d.Cols) {
		return fault.Value("%d numbers at stride %d hold no %d×%d matrix", len(d.Data), d.Stride, d.Rows, d.Cols)
	}
	return nil
}

// Take returns a copy of some rows, in the order of their numbers.
func (r Rows) Take(numbers []int64) Rows {
	if r.Sparse == nil {
		out := NewMatrix[float64](len(numbers), r.Dense.Cols)
		for t, i := range numbers {
			copy(out.Row(t), r.Dense.Row(int(i)))
		}
		return Rows{Dense: out}
	}
	out := &Sparse{Rows: len(numbers), Cols: r.Sparse.Cols, Indptr: make([]int64, len(numbers)+1)}
	for t, i := range numbers {
		columns, values := r.Sparse.Row(int(i))
		out.Indices, out.Data = append(out.Indices, columns...), append(out.Data, values...)
		out.Indptr[t+1] = int64(len(out.Data))
	}
	return Rows{Sparse: out}
}
