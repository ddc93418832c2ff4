package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
)

type matrix = linalg.Matrix[float64]

// Rows are inputs: a dense matrix, or, where Sparse is set, a sparse one.
type Rows struct {
	Dense  linalg.Matrix[float64]
	Sparse *linalg.Sparse
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

// Check returns an error if the arrays do not hold what the dimensions say. Functions of this package that take Rows rely on
// that.
func (r Rows) Check() error {
	if r.Sparse != nil {
		return r.Sparse.Check()
	}
	d := r.Dense
	if d.Rows < 0 || d.Cols < 0 || d.Stride < max(d.Cols, 1) || (d.Rows > 0 && d.Cols > 0 && len(d.Data) < (d.Rows-1)*d.Stride+d.Cols) {
		return fmt.Errorf("kernel: %d numbers at stride %d hold no %d×%d matrix", len(d.Data), d.Stride, d.Rows, d.Cols)
	}
	return nil
}

// canonical returns the same rows; entries of a sparse row are in the order of columns, each once.
func (r Rows) canonical() Rows {
	if r.Sparse != nil {
		s := r.Sparse.Canonical()
		return Rows{Sparse: &s}
	}
	return r
}

// at returns row i.
func (r Rows) at(i int) row {
	if r.Sparse != nil {
		columns, values := r.Sparse.Row(i)
		return row{columns: columns, values: values, sparse: true}
	}
	return row{values: r.Dense.Row(i)}
}

// row is one input: all its values, or those in some columns.
type row struct {
	columns []int32
	values  []float64
	sparse  bool
}

// vector returns the stored values, zeros being of no account.
func (a row) vector() blas64.Vector {
	return blas64.Vector{N: len(a.values), Inc: 1, Data: a.values}
}

// join calls f for the values of two rows in the columns of which one of them is stored.
func join(a, b row, f func(x, y float64)) {
	switch {
	case !a.sparse && !b.sparse:
		for k, x := range a.values {
			f(x, b.values[k])
		}
	case a.sparse && b.sparse:
		i, j := 0, 0
		for i < len(a.columns) && j < len(b.columns) {
			switch u, v := a.columns[i], b.columns[j]; {
			case u == v:
				f(a.values[i], b.values[j])
				i, j = i+1, j+1
			case u < v:
				f(a.values[i], 0)
				i++
			default:
				f(0, b.values[j])
				j++
			}
		}
		for ; i < len(a.columns); i++ {
			f(a.values[i], 0)
		}
		for ; j < len(b.columns); j++ {
			f(0, b.values[j])
		}
	case a.sparse:
		i := 0
		for k, y := range b.values {
			if i < len(a.columns) && int(a.columns[i]) == k {
				f(a.values[i], y)
				i++
			} else {
				f(0, y)
			}
		}
	default:
		join(b, a, func(x, y float64) { f(y, x) })
	}
}

// Take returns a copy of some rows, in the order of their numbers.
func (r Rows) Take(numbers []int64) Rows {
	if r.Sparse == nil {
		out := linalg.NewMatrix[float64](len(numbers), r.Dense.Cols)
		for t, i := range numbers {
			copy(out.Row(t), r.Dense.Row(int(i)))
		}
		return Rows{Dense: out}
	}
	out := &linalg.Sparse{Rows: len(numbers), Cols: r.Sparse.Cols, Indptr: make([]int64, len(numbers)+1)}
	for t, i := range numbers {
		columns, values := r.Sparse.Row(int(i))
		out.Indices, out.Data = append(out.Indices, columns...), append(out.Data, values...)
		out.Indptr[t+1] = int64(len(out.Data))
	}
	return Rows{Sparse: out}
}
