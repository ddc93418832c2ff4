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

// Rows are inputs, dense or sparse. Functions of this package rely on what its Check says.
type Rows = linalg.Rows

// canonical returns the same rows; entries of a sparse row are in the order of columns, each once.
func canonical(r Rows) Rows {
	if r.Sparse != nil {
		s := r.Sparse.Canonical()
		return Rows{Sparse: &s}
	}
	return r
}

// StreamsTo writes the numbers of the random streams of rows to dst, equal ones of equal rows.
func StreamsTo(dst []uint64, x Rows) {
	x = canonical(x) // entries may be stored in parts
	for i := range dst {
		dst[i] = parallel.RowStream(x.Row(i))
	}
}

// rowAt returns row i.
func rowAt(r Rows, i int) row {
	columns, values := r.Row(i)
	return row{columns, values, r.Sparse != nil}
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
			row, out := rowAt(x, i), dst.Row(i)
			clear(out)
			for at, j := range row.columns {
				floats.AddScaled(out, row.values[at], w.Row(int(j)))
			}
		}
		return nil
	})
}
