package solve

import (
	"fmt"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Sparse is a matrix in compressed sparse rows.
type Sparse struct {
	Rows, Cols int
	Data       []float64
	Indices    []int32
	Indptr     []int64
}

// Check returns an error if the arrays do not describe a Rows×Cols matrix.
func (s Sparse) Check() error {
	if len(s.Indptr) != s.Rows+1 || len(s.Indices) != len(s.Data) || s.Indptr[0] != 0 || s.Indptr[s.Rows] != int64(len(s.Data)) {
		return fmt.Errorf("solve: sparse matrix: indptr must have %d entries from 0 to %d", s.Rows+1, len(s.Data))
	}
	for i := range s.Rows {
		if s.Indptr[i] > s.Indptr[i+1] {
			return fmt.Errorf("solve: sparse matrix: indptr decreases at row %d", i)
		}
	}
	for k, j := range s.Indices {
		if j < 0 || int(j) >= s.Cols {
			return fmt.Errorf("solve: sparse matrix: entry %d has column %d, must be below %d", k, j, s.Cols)
		}
	}
	return nil
}

// mulTo writes s·x to dst. Cost: 2·nnz·columns.
func (s Sparse) mulTo(dst, x matrix, workers int) error {
	return parallel.For(s.Rows, rowGrain, workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			row := dst.Row(i)
			clear(row)
			for k := s.Indptr[i]; k < s.Indptr[i+1]; k++ {
				axpy(row, x.Row(int(s.Indices[k])), s.Data[k])
			}
		}
		return nil
	})
}

// Design is the matrix X of input features, dense or sparse, with a constant column of ones at its end when Intercept is set.
type Design struct {
	N, P      int
	Intercept bool
	Dense     matrix  // N×P, or no data when sparse
	Rows      *Sparse // X, nil when dense
	Cols      *Sparse // Xᵀ, nil when dense
}

// Len returns the number of columns, the constant one included.
func (x *Design) Len() int {
	if x.Intercept {
		return x.P + 1
	}
	return x.P
}

// mulTo writes DX·w to dst (N rows), D = diag(root).
func (x *Design) mulTo(p *Problem, dst, w matrix) error {
	features := w.Slice(0, x.P, 0, w.Cols)
	if x.Rows != nil {
		if err := x.Rows.mulTo(dst, features, p.Workers); err != nil {
			return err
		}
	} else if err := linalg.GemmPolled(blas.NoTrans, x.Dense, features, dst, p.Mon); err != nil {
		return err
	}
	return p.rows(func(i int) {
		row := dst.Row(i)
		if x.Intercept {
			axpy(row, w.Row(x.P), 1)
		}
		scaleTo(row, p.Root[i], row)
	})
}

// mulTransTo writes (DX)ᵀv to dst (Len rows), overwriting v by Dv.
func (x *Design) mulTransTo(p *Problem, dst, v matrix) error {
	if err := p.rows(func(i int) { scaleTo(v.Row(i), p.Root[i], v.Row(i)) }); err != nil {
		return err
	}
	features := dst.Slice(0, x.P, 0, v.Cols)
	if x.Rows != nil {
		if err := x.Cols.mulTo(features, v, p.Workers); err != nil {
			return err
		}
	} else {
		beta, step := 0.0, linalg.Strip(x.N, 2*float64(x.P)*float64(v.Cols))
		for lo := 0; lo < x.N; lo += step {
			if err := p.Mon.Err(); err != nil {
				return err
			}
			hi := min(lo+step, x.N)
			linalg.Gemm(blas.Trans, blas.NoTrans, 1, x.Dense.Slice(lo, hi, 0, x.P), v.Slice(lo, hi, 0, v.Cols), beta, features)
			beta = 1
		}
	}
	if x.Intercept {
		last := dst.Row(x.P)
		clear(last)
		for i := range x.N {
			axpy(last, v.Row(i), 1)
		}
	}
	return nil
}
