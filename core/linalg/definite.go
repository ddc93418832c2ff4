package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/parallel"
)

const (
	// indefinite is how far below zero an eigenvalue may be, relative to the largest: what rounding leaves of a kernel computed in single
	// precision.
	indefinite = 1e-6
	// lanczosSteps is the number of products with the matrix.
	lanczosSteps = 32
)

// IndefiniteError says that a matrix has an eigenvalue of at most Low, its largest being about High.
type IndefiniteError struct{ Low, High float64 }

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("the kernel matrix is not positive semi-definite: it has an eigenvalue of %.3g or less, its largest is about "+
		"%.3g; check the kernel, or add a constant to the diagonal of a precomputed one, at least %.3g", e.Low, e.High, -e.Low)
}

func (e *IndefiniteError) Kind() fault.Kind { return fault.KindNumerical }

// RequireSemidefinite returns an *IndefiniteError for a finite symmetric matrix that it has found not to be positive semi-definite.
//
// The least and the largest eigenvalue are estimated by 32 steps of the Lanczos process and by the diagonal. Both estimates are values of
// vᵀKv at unit vectors, so that what is refused does have a negative eigenvalue, of at least 1e-6 of the largest. Negative ones below some
// 1e-4 of the largest can be missed. Cost: 32 products with the matrix (Saad 2011, Numerical methods for large eigenvalue problems, ch. 6).
func RequireSemidefinite(k Matrix[float64], mon *parallel.Monitor) error {
	var scale float64
	for i := range k.Rows {
		scale = max(scale, floats.Norm(k.Row(i), math.Inf(1)))
	}
	if scale < 0x1p-1022 { // nothing can be divided by it
		return nil
	}
	low, high, err := ritzEnds(k, scale, mon)
	if err != nil {
		return err
	}
	low, high = low*scale, high*scale
	for i := range k.Rows {
		low = min(low, k.Data[i*k.Stride+i])
	}
	if low < -indefinite*max(high, 0) {
		return &IndefiniteError{low, high}
	}
	return nil
}

// ritzEnds returns the least and the largest Ritz value of k/scale from a random vector with a fixed seed.
func ritzEnds(k Matrix[float64], scale float64, mon *parallel.Monitor) (low, high float64, err error) {
	n := k.Rows
	steps := min(lanczosSteps, n)
	basis, image, overlap := NewMatrix[float64](steps, n), make([]float64, n), make([]float64, steps)
	rng := rand.New(rand.NewPCG(0, 0))
	vector := basis.Row(0)
	for i := range vector {
		vector[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(vector, 2), vector)
	var diagonal, beside []float64
	for j := 0; ; j++ {
		if err := multiply(image, k, basis.Row(j), scale, mon); err != nil {
			return 0, 0, err
		}
		diagonal = append(diagonal, floats.Dot(image, basis.Row(j)))
		known := General(basis.Slice(0, j+1, 0, n))
		along, rest := blas64.Vector{N: j + 1, Inc: 1, Data: overlap}, blas64.Vector{N: n, Inc: 1, Data: image}
		for range 2 { // once leaves what rounding has brought back
			blas64.Gemv(blas.NoTrans, 1, known, rest, 0, along)
			blas64.Gemv(blas.Trans, -1, known, along, 1, rest)
		}
		length := floats.Norm(image, 2)
		if j+1 == steps || length <= float64(n)*0x1p-52 { // an invariant subspace
			break
		}
		beside = append(beside, length)
		floats.ScaleTo(basis.Row(j+1), 1/length, image)
	}
	m := len(diagonal)
	ritz := NewMatrix[float64](m, m)
	for j, v := range diagonal {
		ritz.Row(j)[j] = v
		if j > 0 {
			ritz.Row(j - 1)[j], ritz.Row(j)[j-1] = beside[j-1], beside[j-1]
		}
	}
	values, err := SymEig(General(ritz))
	if err != nil {
		return 0, 0, err
	}
	return values[0], values[m-1], nil
}

// multiply writes k·v/scale to dst, polling mon between panels of rows.
func multiply(dst []float64, k Matrix[float64], v []float64, scale float64, mon *parallel.Monitor) error {
	step := PanelWidth(k.Rows, 2*float64(k.Cols))
	for lo := 0; lo < k.Rows; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, k.Rows)
		blas64.Gemv(blas.NoTrans, 1/scale, General(k.Slice(lo, hi, 0, k.Cols)), blas64.Vector{N: len(v), Inc: 1, Data: v}, 0,
			blas64.Vector{N: hi - lo, Inc: 1, Data: dst[lo:hi]})
	}
	return nil
}
