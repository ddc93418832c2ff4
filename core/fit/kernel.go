package fit

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// symmetryTolerance bounds the difference of two mirrored entries of a kernel matrix, relative to its largest entry.
const symmetryTolerance = 1e-6

// CheckKernel returns an error naming an entry at fault unless k is square, finite and symmetric, up to 1e-6 of its
// largest entry. Cost: n².
func CheckKernel(k linalg.Matrix[float64], workers int, mon *parallel.Monitor) error {
	if k.Rows != k.Cols {
		return fault.Value("the kernel matrix has %d rows and %d columns, must be square", k.Rows, k.Cols)
	}
	largest, err := largestEntry(k, workers, mon)
	if err != nil {
		return err
	}
	allowed := symmetryTolerance * largest
	return parallel.For(k.Rows, tile, workers, mon, func(lo, hi int) error {
		// The rows against the columns up to the diagonal, in tiles that stay in cache: each pair is looked at once.
		for j0 := 0; j0 < hi; j0 += tile {
			for i := max(lo, j0); i < hi; i++ {
				mirrored := k.Data[j0*k.Stride+i:]
				for j, v := range k.Row(i)[j0:min(j0+tile, i+1)] {
					if math.Abs(v-mirrored[j*k.Stride]) > allowed {
						return fault.At(i, fault.Value("the kernel matrix is not symmetric: %v in column %d but %v on the other side of "+
							"the diagonal; pass (K + K.T) / 2 if the difference is an error of rounding", v, j0+j, mirrored[j*k.Stride]))
					}
				}
			}
		}
		return nil
	})
}

// tile is the side of the squares in which a matrix is compared with its transpose.
const tile = 64

// largestEntry returns the largest magnitude of the entries of k, or an error naming the first that is not finite.
func largestEntry(k linalg.Matrix[float64], workers int, mon *parallel.Monitor) (float64, error) {
	largest := make([]float64, k.Rows)
	// Without a monitor, which would count these rows as steps of the training that follows.
	err := parallel.For(k.Rows, tile, workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			var top float64
			for j, v := range k.Row(i) {
				if v-v != 0 {
					return fault.At(i, fault.Value("the kernel matrix holds %g in column %d; kernel values must be finite: remove the "+
						"row, or scale the inputs where the kernel overflows", v, j))
				}
				if a := math.Abs(v); a > top { // the built-in max is several times slower
					top = a
				}
			}
			largest[i] = top
		}
		return nil
	})
	if err != nil || len(largest) == 0 {
		return 0, err
	}
	return slices.Max(largest), nil
}
