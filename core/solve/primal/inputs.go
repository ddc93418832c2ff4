package primal

import (
	"fmt"
	"math"

	"combpred/core/fault"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/solve"
)

type matrix = linalg.Matrix[float64]

// Number is the element type of dense inputs.
type Number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Inputs are the rows of X, dense or sparse.
type Inputs interface {
	// Size returns the numbers of rows and features.
	Size() (n, p int)
	// wideTo and singleTo write rows lo, lo+1, … to dst, of p+1 columns, the last one 1: (x − centre)·factor of each feature, or x where
	// centre is nil.
	wideTo(dst matrix, lo int, centre, factor []float64)
	singleTo(dst linalg.Matrix[float32], lo int, centre, factor []float64)
	// sparse returns the matrix where it is sparse, else nil.
	sparse() *solve.Sparse
	// Rows returns rows [lo, hi) as kernels take them: where they are not doubles already, in a buffer that grows as it must.
	Rows(lo, hi int, buffer *[]float64) kernel.Rows
}

// dense is a row-major matrix of any number type, read in place.
type dense[E Number] struct {
	data         []E
	n, p, stride int
}

// Dense returns inputs from a row-major matrix, whose rows begin at multiples of stride.
func Dense[E Number](data []E, n, p, stride int) Inputs {
	if n < 0 || p < 0 || stride < p || n > 0 && len(data) < (n-1)*stride+p {
		panic(fmt.Sprintf("primal: %d numbers do not hold %d rows of %d features with stride %d", len(data), n, p, stride))
	}
	return dense[E]{data, n, p, stride}
}

func (x dense[E]) Size() (n, p int)      { return x.n, x.p }
func (x dense[E]) sparse() *solve.Sparse { return nil }

func (x dense[E]) Rows(lo, hi int, buffer *[]float64) kernel.Rows {
	out := matrix{Rows: hi - lo, Cols: x.p, Stride: max(x.stride, 1)}
	if out.Rows == 0 || out.Cols == 0 {
		return kernel.Rows{Dense: out}
	}
	own := x.data[lo*x.stride : (hi-1)*x.stride+x.p]
	if doubles, is := any(own).([]float64); is {
		out.Data = doubles
		return kernel.Rows{Dense: out}
	}
	out = block(buffer, out.Rows, out.Cols)
	for i := range out.Rows {
		row := out.Row(i)
		for j, v := range own[i*x.stride:][:len(row)] {
			row[j] = float64(v)
		}
	}
	return kernel.Rows{Dense: out}
}

func (x dense[E]) wideTo(dst matrix, lo int, centre, factor []float64) {
	designTo(dst, x, lo, centre, factor)
}

func (x dense[E]) singleTo(dst linalg.Matrix[float32], lo int, centre, factor []float64) {
	designTo(dst, x, lo, centre, factor)
}

func designTo[T linalg.Float, E Number](dst linalg.Matrix[T], x dense[E], lo int, centre, factor []float64) {
	for i := range dst.Rows {
		out := dst.Row(i)
		from := x.data[(lo+i)*x.stride:][:x.p]
		row := out[:len(from)]
		if centre == nil {
			for j, v := range from {
				row[j] = T(v)
			}
		} else {
			c, f := centre[:len(from)], factor[:len(from)]
			for j, v := range from {
				row[j] = T((float64(v) - c[j]) * f[j])
			}
		}
		out[x.p] = 1
	}
}

// compressed is a matrix in compressed sparse rows.
type compressed struct{ s *solve.Sparse }

// CSR returns inputs from a matrix that has passed its Check.
func CSR(s *solve.Sparse) Inputs {
	c := s.Canonical()
	return compressed{&c}
}

func (x compressed) Size() (n, p int)      { return x.s.Rows, x.s.Cols }
func (x compressed) sparse() *solve.Sparse { return x.s }

func (x compressed) Rows(lo, hi int, _ *[]float64) kernel.Rows {
	s := x.s.Slice(lo, hi)
	return kernel.Rows{Sparse: &s}
}

// Sparse rows are read entry by entry.
func (x compressed) wideTo(matrix, int, []float64, []float64) {
	panic("primal: sparse inputs read as dense")
}
func (x compressed) singleTo(linalg.Matrix[float32], int, []float64, []float64) {
	panic("primal: sparse inputs read as dense")
}

// longest is the largest ‖x‖² of a row that counts: sums over rows, and products with weights, stay finite.
const longest = 1e280

// errLong is what is wrong with a longer row.
var errLong = fault.Value("the squares of the features in X overflow; scale the inputs")

// checkRow returns an error about row i, of the given weight, unless all its entries are finite and it is short enough. The sum of squares
// says both at once.
func checkRow(i int, x []float64, columns []int32, weight float64) error {
	squares := linalg.Dot(x, x)
	if squares <= longest {
		return nil
	}
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if columns != nil {
				j = int(columns[j])
			}
			return fault.At(i, fault.Value("X holds %g in column %d: remove rows with NaN or infinity, or impute them", v, j))
		}
	}
	if weight > 0 {
		return fault.At(i, errLong)
	}
	return nil
}
