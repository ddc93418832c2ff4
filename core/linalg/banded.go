package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// bandBlock is the order of the blocks of a Banded matrix. Wider ones make the products of the reduction faster, and all that comes after
// it slower.
const bandBlock = 64

// Banded is a symmetric matrix A = UᵀBU with an orthogonal U, where B has blocks on its diagonal and next to it only. Once it is known,
// factors of A + tI for another t cost O(n·bandBlock²), where those of A cost O(n³).
type Banded[T Float] struct {
	Basis           Matrix[T]   // U, n×n
	diagonal, below []Matrix[T] // blocks (k, k) and (k+1, k) of B
}

// Reduce overwrites a, of which only the upper triangle is read, with the basis of its banded form (Bischof, Lang and Sun, 2000, A
// framework for symmetric band reduction, ACM TOMS 26). Cost: 8n³/3.
func Reduce[T Float](a Matrix[T], mon *parallel.Monitor) (*Banded[T], error) {
	n := a.Rows
	b := &Banded[T]{Basis: a}
	var factors []Matrix[T] // F of each reflection I − VᵀFV, whose V stays right of the block that it belongs to
	lo, hi := 0, min(bandBlock, n)
	for ; n-hi > bandBlock; lo, hi = hi, hi+bandBlock {
		b.diagonal = append(b.diagonal, fromUpper(a.Slice(lo, hi, lo, hi)))
		panel := a.Slice(lo, hi, hi, n)
		below, f := reflection(panel)
		b.below, factors = append(b.below, below), append(factors, f)
		if err := reflectBoth(panel, f, a.Slice(hi, n, hi, n), mon); err != nil {
			return nil, err
		}
		mon.Advance(1)
	}
	b.diagonal = append(b.diagonal, fromUpper(a.Slice(lo, hi, lo, hi)))
	if hi < n {
		b.below = append(b.below, transposed(a.Slice(lo, hi, hi, n)))
		b.diagonal = append(b.diagonal, fromUpper(a.Slice(hi, n, hi, n)))
	}
	// U is the product of the transposed reflections, the last one first. None changes the rows and columns of the blocks before it, so
	// that each grows the part of U that is there by a block.
	embed(a, lo, n)
	for k := len(factors) - 1; k >= 0; k-- {
		lo, hi = k*bandBlock, (k+1)*bandBlock
		v, u := a.Slice(lo, hi, hi, n), a.Slice(hi, n, hi, n)
		product, scaled := NewMatrix[T](n-hi, bandBlock), NewMatrix[T](n-hi, bandBlock)
		if err := subtractProduct(blas.NoTrans, blas.Trans, u, v, product, mon); err != nil {
			return nil, err
		}
		Gemm(blas.NoTrans, blas.Trans, -1, product, factors[k], 0, scaled)
		if err := subtractProduct(blas.NoTrans, blas.NoTrans, scaled, v, u, mon); err != nil {
			return nil, err
		}
		embed(a, lo, hi)
		mon.Advance(1)
	}
	return b, nil
}

// reflection overwrites the rows of panel with the vectors V of I − VᵀFV that takes them to zero beyond as many columns as there are
// rows, and returns the transpose of what it leaves there, and F.
func reflection[T Float](panel Matrix[T]) (left, f Matrix[T]) {
	r := panel.Rows
	left, f = NewMatrix[T](r, r), NewMatrix[T](r, r)
	along := make([]T, r)
	for i := range r {
		x := panel.Row(i)[i:]
		var tau T
		if rest := SquaredNorm(x[1:]); rest > 0 {
			first := float64(x[0])
			length := math.Copysign(math.Sqrt(first*first+rest), first)
			for j, v := range x[1:] {
				x[1+j] = T(float64(v) / (first + length))
			}
			tau = T(2 / (1 + SquaredNorm(x[1:]))) // of the vector as it is now rounded, so that the reflection is orthogonal
			x[0] = T(-length)
		}
		for j, v := range panel.Row(i)[:i+1] {
			left.Row(j)[i] = v
		}
		clear(panel.Row(i)[:i])
		x[0] = 1
		for j := i + 1; j < r; j++ {
			row := panel.Row(j)[i:]
			Axpy(row, x, -tau*Dot(x, row))
		}
		for j := range i {
			along[j] = Dot(panel.Row(j)[i:], x)
		}
		for j := range i {
			f.Row(j)[i] = -tau * Dot(f.Row(j)[j:i], along[j:i])
		}
		f.Row(i)[i] = tau
	}
	return left, f
}

// reflectBoth overwrites the upper triangle of a with that of (I − VᵀFV)ᵀ a (I − VᵀFV) = a − WV − VᵀWᵀ, where W = Y − ½VᵀFᵀVY and
// Y = aVᵀF.
func reflectBoth[T Float](v, f, a Matrix[T], mon *parallel.Monitor) error {
	n, r := a.Rows, v.Rows
	left, right := NewMatrix[T](n, 2*r), NewMatrix[T](n, 2*r) // (W Vᵀ) and (Vᵀ W)
	w, across := left.Slice(0, n, 0, r), right.Slice(0, n, 0, r)
	for j := range r {
		for i, x := range v.Row(j) {
			across.Data[i*across.Stride+j] = x
		}
	}
	left.Slice(0, n, r, 2*r).CopyFrom(across)
	product, inner, middle := right.Slice(0, n, r, 2*r), NewMatrix[T](r, r), NewMatrix[T](r, r)
	if err := NewSymmetric(blas.Upper, a).MulTo(product, across, mon); err != nil {
		return err
	}
	Gemm(blas.NoTrans, blas.NoTrans, 1, product, f, 0, w)
	Gemm(blas.NoTrans, blas.NoTrans, 1, v, w, 0, inner)
	Gemm(blas.Trans, blas.NoTrans, 1, f, inner, 0, middle)
	Gemm(blas.NoTrans, blas.NoTrans, -0.5, across, middle, 1, w)
	product.CopyFrom(w)
	for lo := 0; lo < n; lo += 4 * bandBlock {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+4*bandBlock, n)
		Gemm(blas.NoTrans, blas.Trans, -1, left.Slice(lo, hi, 0, 2*r), right.Slice(lo, n, 0, 2*r), 1, a.Slice(lo, hi, lo, n))
	}
	return nil
}

// embed makes rows and columns lo to hi of a those of the identity, as far as they are in the square that begins at lo.
func embed[T Float](a Matrix[T], lo, hi int) {
	for i := lo; i < a.Rows; i++ {
		if i < hi {
			clear(a.Row(i)[lo:])
			a.Row(i)[i] = 1
		} else {
			clear(a.Row(i)[lo:hi])
		}
	}
}

func transposed[T Float](a Matrix[T]) Matrix[T] {
	out := NewMatrix[T](a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			out.Row(j)[i] = v
		}
	}
	return out
}

// fromUpper returns the symmetric matrix of the upper triangle of a.
func fromUpper[T Float](a Matrix[T]) Matrix[T] {
	out := NewMatrix[T](a.Rows, a.Rows)
	for i := range a.Rows {
		for j := i; j < a.Rows; j++ {
			out.Row(i)[j], out.Row(j)[i] = a.Row(i)[j], a.Row(i)[j]
		}
	}
	return out
}

// BandedFactor is a Cholesky factor LLᵀ of B + tI, by blocks.
type BandedFactor[T Float] struct {
	of              *Banded[T]
	diagonal, below []Matrix[T] // of L, the former in lower triangles
}

// Shifted returns the factor of B + tI, or ErrNotPositiveDefinite.
func (b *Banded[T]) Shifted(t T) (BandedFactor[T], error) {
	f := BandedFactor[T]{of: b}
	for k, d := range b.diagonal {
		c := NewMatrix[T](d.Rows, d.Rows)
		c.CopyFrom(d)
		for i := range c.Rows {
			c.Row(i)[i] += t
		}
		if k > 0 {
			last := f.below[k-1]
			syrk(blas.Lower, blas.NoTrans, -1, last, 1, c)
		}
		if _, err := FactorCholesky(blas.Lower, c, nil); err != nil {
			return f, err
		}
		f.diagonal = append(f.diagonal, c)
		if k < len(b.below) {
			m := NewMatrix[T](b.below[k].Rows, b.below[k].Cols)
			m.CopyFrom(b.below[k])
			trsm(blas.Right, blas.Lower, blas.Trans, c, m)
			f.below = append(f.below, m)
		}
	}
	return f, nil
}

// block returns the rows of x that belong to block k.
func (f BandedFactor[T]) block(x Matrix[T], k int) Matrix[T] {
	return x.Slice(k*bandBlock, min((k+1)*bandBlock, x.Rows), 0, x.Cols)
}

// Solve overwrites x with (B + tI)⁻¹x. Cost: O(n·bandBlock) a column.
func (f BandedFactor[T]) Solve(x Matrix[T], mon *parallel.Monitor) error {
	for k := range f.diagonal {
		at := f.block(x, k)
		if k > 0 {
			Gemm(blas.NoTrans, blas.NoTrans, -1, f.below[k-1], f.block(x, k-1), 1, at)
		}
		trsm(blas.Left, blas.Lower, blas.NoTrans, f.diagonal[k], at)
	}
	for k := len(f.diagonal) - 1; k >= 0; k-- {
		at := f.block(x, k)
		if k < len(f.below) {
			Gemm(blas.Trans, blas.NoTrans, -1, f.below[k], f.block(x, k+1), 1, at)
		}
		trsm(blas.Left, blas.Lower, blas.Trans, f.diagonal[k], at)
	}
	return mon.Err()
}

// InverseDiagonal writes the diagonal of (A + tI)⁻¹ to dst, the sums of squares over the columns of L⁻¹U. Cost: 3n²·bandBlock.
func (f BandedFactor[T]) InverseDiagonal(dst []float64, mon *parallel.Monitor) error {
	clear(dst)
	n := len(dst)
	before, now, sums := NewMatrix[T](min(bandBlock, n), n), NewMatrix[T](min(bandBlock, n), n), make([]T, n)
	for k := range f.diagonal {
		from := f.block(f.of.Basis, k)
		at := now.Slice(0, from.Rows, 0, n)
		at.CopyFrom(from)
		if k > 0 {
			Gemm(blas.NoTrans, blas.NoTrans, -1, f.below[k-1], before, 1, at)
		}
		trsm(blas.Left, blas.Lower, blas.NoTrans, f.diagonal[k], at)
		clear(sums)
		for i := range at.Rows {
			row := at.Row(i)
			sums := sums[:len(row)]
			for j, v := range row {
				sums[j] += v * v
			}
		}
		for j, v := range sums {
			dst[j] += float64(v)
		}
		before, now = at, before
		if err := mon.Err(); err != nil {
			return err
		}
	}
	return nil
}
