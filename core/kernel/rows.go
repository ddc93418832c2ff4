package kernel

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
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
		return fault.Value("%d numbers at stride %d hold no %d×%d matrix", len(d.Data), d.Stride, d.Rows, d.Cols)
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

// tileFlops bounds one product: about a quarter of a second on one core.
const tileFlops = 1e10

// productsTo writes left·rightᵀ to dst for the first rows of right, in tiles between which the monitor is asked.
func productsTo(dst, left, right matrix, mon *parallel.Monitor) error {
	width := max(panelRows, int(min(float64(dst.Cols), tileFlops/(2*float64(max(1, left.Rows*left.Cols))))))
	for j := 0; j < dst.Cols; j += width {
		if err := mon.Err(); err != nil {
			return err
		}
		to := min(j+width, dst.Cols)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, left, right.Slice(j, to, 0, right.Cols), 0, dst.Slice(0, dst.Rows, j, to))
	}
	return nil
}

// scatter writes the inner products of a row with the first rows of sparse y, or for Laplacian the smaller of common entries. Terms
// of each are added in the order of columns, so that two rows have the same value either way round.
func (k *Matrix) scatter(values []float64, x row, mon *parallel.Monitor) error {
	clear(values)
	terms := 0
	for at, v := range x.values {
		j := at
		if x.sparse {
			j = int(x.columns[at])
		}
		if v == 0 {
			continue
		}
		rows, entries := k.columns.Row(j)
		if end := len(rows); end > 0 && int(rows[end-1]) >= len(values) {
			end, _ = slices.BinarySearch(rows, int32(len(values)))
			rows = rows[:end]
		}
		if terms += len(rows) + 1; terms > pollTerms {
			if err := mon.Err(); err != nil {
				return err
			}
			terms = 0
		}
		if k.f.Kind == Laplacian {
			for c, i := range rows {
				values[i] += smaller(v, entries[c])
			}
			continue
		}
		for c, i := range rows {
			values[i] += v * entries[c]
		}
	}
	return nil
}

// gatherSmaller returns the sum of the smaller entries of the same sign of a sparse row and a dense one.
func gatherSmaller(x row, y []float64) float64 {
	var sum float64
	for at, j := range x.columns {
		sum += smaller(x.values[at], y[j])
	}
	return sum
}

// ProductTo writes x·w to dst. It looks for no overflow, and counts no rows. Cost: O(n m p), or O(m nnz) for sparse rows.
func ProductTo(dst linalg.Matrix[float64], x Rows, w linalg.Matrix[float64], workers int, mon *parallel.Monitor) error {
	switch {
	case x.Features() != w.Rows:
		return fault.Value("rows have %d features, there are coefficients of %d", x.Features(), w.Rows)
	case dst.Rows != x.Len() || dst.Cols != w.Cols:
		return fault.Value("dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, x.Len(), w.Cols)
	}
	if x.Sparse == nil {
		return linalg.GemmPolled(blas.NoTrans, x.Dense, w, dst, mon)
	}
	return parallel.For(dst.Rows, 64, workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			row, out := x.at(i), dst.Row(i)
			clear(out)
			for at, j := range row.columns {
				floats.AddScaled(out, row.values[at], w.Row(int(j)))
			}
		}
		return nil
	})
}
