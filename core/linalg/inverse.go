package linalg

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// InvertUpper overwrites an Upper factor with the upper triangle of A⁻¹ = U⁻¹U⁻ᵀ. The factor must not be used afterwards. It polls
// mon between calls of at most about pollFlops operations. Cost: 2n³/3.
func (c Cholesky[T]) InvertUpper(mon *parallel.Monitor) error {
	if c.uplo != blas.Upper {
		panic("linalg: InvertUpper of a lower factor")
	}
	if err := invertTriangle(c.a, mon); err != nil {
		return err
	}
	return timesTranspose(c.a, mon)
}

// invertTriangle overwrites the upper triangular u with its inverse.
func invertTriangle[T Float](u Matrix[T], mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	n := u.Rows
	if n <= leafSize {
		for j := range n {
			d := 1 / u.Data[j*u.Stride+j]
			u.Data[j*u.Stride+j] = d
			for i := range j {
				// Row i of the inverse so far times column j of u; ascending i reads only entries of column j not yet replaced.
				var s T
				for k := i; k < j; k++ {
					s += u.Data[i*u.Stride+k] * u.Data[k*u.Stride+j]
				}
				u.Data[i*u.Stride+j] = -s * d
			}
		}
		return nil
	}
	h := n / 2
	u11, u12, u22 := u.Slice(0, h, 0, h), u.Slice(0, h, h, n), u.Slice(h, n, h, n)
	// The block −U11⁻¹ U12 U22⁻¹, in strips of columns and then of rows.
	for lo, step := 0, strip(n-h, float64(h)*float64(h)); lo < n-h; lo += step {
		trsm(blas.Left, blas.Upper, blas.NoTrans, u11, u12.Slice(0, h, lo, min(lo+step, n-h)))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for lo, step := 0, strip(h, float64(n-h)*float64(n-h)); lo < h; lo += step {
		trsm(blas.Right, blas.Upper, blas.NoTrans, u22, u12.Slice(lo, min(lo+step, h), 0, n-h))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for i := range h {
		row := u12.Row(i)
		for j := range row {
			row[j] = -row[j]
		}
	}
	if err := invertTriangle(u11, mon); err != nil {
		return err
	}
	return invertTriangle(u22, mon)
}

// timesTranspose overwrites the upper triangular u with the upper triangle of uuᵀ.
func timesTranspose[T Float](u Matrix[T], mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	n := u.Rows
	if n <= leafSize {
		for i := range n {
			for j := i; j < n; j++ {
				var s T
				for k := j; k < n; k++ {
					s += u.Data[i*u.Stride+k] * u.Data[j*u.Stride+k]
				}
				u.Data[i*u.Stride+j] = s
			}
		}
		return nil
	}
	h := n / 2
	u11, u12, u22 := u.Slice(0, h, 0, h), u.Slice(0, h, h, n), u.Slice(h, n, h, n)
	if err := timesTranspose(u11, mon); err != nil {
		return err
	}
	for lo, step := 0, strip(h, 2*float64(h)*float64(n-h)); lo < h; lo += step {
		hi := min(lo+step, h)
		Gemm(blas.NoTrans, blas.Trans, 1, u12.Slice(0, lo, 0, n-h), u12.Slice(lo, hi, 0, n-h), 1, u11.Slice(0, lo, lo, hi))
		Syrk(blas.Upper, blas.NoTrans, 1, u12.Slice(lo, hi, 0, n-h), 1, u11.Slice(lo, hi, lo, hi))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for lo, step := 0, strip(h, float64(n-h)*float64(n-h)); lo < h; lo += step {
		trmm(blas.Right, blas.Upper, blas.Trans, u22, u12.Slice(lo, min(lo+step, h), 0, n-h))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	return timesTranspose(u22, mon)
}
