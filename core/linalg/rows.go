package linalg

import "fmt"

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
		return fmt.Errorf("linalg: %d numbers at stride %d hold no %d×%d matrix", len(d.Data), d.Stride, d.Rows, d.Cols)
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
