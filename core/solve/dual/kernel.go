package dual

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/solve"
)

type matrix = linalg.Matrix[float64]

// Kernel is the operator K̃ = D(K + shift)D for a symmetric matrix K that is not changed.
type Kernel struct {
	p     *solve.Problem
	k     matrix
	shift float64
	tmp   matrix
}

// NewKernel returns the operator of the kernel matrix k under the weights of p.
func NewKernel(p *solve.Problem, k matrix, shift float64) *Kernel {
	return &Kernel{p: p, k: k, shift: shift}
}

// MulTo writes K̃c to dst, for a c of any number of columns. Cost: 2m² for each of them.
func (o *Kernel) MulTo(dst, c matrix) error {
	if o.tmp.Cols != c.Cols || o.tmp.Rows != c.Rows {
		o.tmp = linalg.NewMatrix[float64](c.Rows, c.Cols)
	}
	if err := o.p.EachRow(func(i int) { linalg.ScaleTo(o.tmp.Row(i), o.p.Root[i], c.Row(i)) }); err != nil {
		return err
	}
	if err := linalg.GemmPolled(blas.NoTrans, o.k, o.tmp, dst, o.p.Mon); err != nil {
		return err
	}
	total := make([]float64, c.Cols)
	if o.shift != 0 {
		for i := range c.Rows {
			linalg.Axpy(total, o.tmp.Row(i), o.shift)
		}
	}
	return o.p.EachRow(func(i int) {
		row := dst.Row(i)
		linalg.Axpy(row, total, 1)
		linalg.ScaleTo(row, o.p.Root[i], row)
	})
}

// Scale implements Operator.
func (o *Kernel) Scale() float64 {
	var top float64
	for i, root := range o.p.Root {
		top = max(top, root*root*math.Abs(o.k.Row(i)[i]+o.shift))
	}
	return top
}

// RowTo writes row i of K̃, which is its column i, to dst.
func (o *Kernel) RowTo(dst []float64, i int) {
	for j, v := range o.k.Row(i) {
		dst[j] = o.p.Root[i] * o.p.Root[j] * (v + o.shift)
	}
}

// DiagonalTo writes the diagonal of K̃ to dst.
func (o *Kernel) DiagonalTo(dst []float64) {
	for i, root := range o.p.Root {
		dst[i] = root * root * (o.k.Row(i)[i] + o.shift)
	}
}
