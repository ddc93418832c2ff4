package kernel

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

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

// InnerProductsTo writes x·yᵀ to dst for dense y. Unlike a linear Matrix it does not look for values that overflow, and counts no rows.
// Cost: O(n m p), or O(m nnz) for sparse rows.
func InnerProductsTo(dst linalg.Matrix[float64], x Rows, y linalg.Matrix[float64], workers int, mon *parallel.Monitor) error {
	switch {
	case x.Features() != y.Cols:
		return fmt.Errorf("kernel: rows have %d features, those they are multiplied by %d", x.Features(), y.Cols)
	case dst.Rows != x.Len() || dst.Cols != y.Rows:
		return fmt.Errorf("kernel: dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, x.Len(), y.Rows)
	}
	if x.Sparse == nil {
		for lo := 0; lo < dst.Rows; lo += panelRows {
			hi := min(lo+panelRows, dst.Rows)
			if err := productsTo(dst.Slice(lo, hi, 0, y.Rows), x.Dense.Slice(lo, hi, 0, y.Cols), y, mon); err != nil {
				return err
			}
		}
		return nil
	}
	x = x.canonical()
	// Some rows with a row of y after the other, which then stays in cache.
	return parallel.For(dst.Rows, 64, workers, nil, func(lo, hi int) error {
		for j := range y.Rows {
			if err := mon.Err(); err != nil {
				return err
			}
			other := y.Row(j)
			for i := lo; i < hi; i++ {
				dst.Data[i*dst.Stride+j] = linalg.Gather(x.at(i).columns, x.at(i).values, other)
			}
		}
		return nil
	})
}
