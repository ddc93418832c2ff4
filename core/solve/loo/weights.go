package loo

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// shareOfWeights bounds the number of weights, as a share of m, up to which labels are taken out in the weights: above it a matrix of
// order m is as cheap.
const shareOfWeights = 1.0 / 2

// FewWeights says whether labels are taken out in the weights where K̃ has that rank: one for each column of B and each coordinate.
func FewWeights(coord *solve.Coordinates, m, rank int) bool {
	return float64(rank)*float64(coord.Len()) <= shareOfWeights*float64(m)
}

// sums over rows, with weights in the order of the columns of B and then of the coordinates. No penalty changes them.
type sums struct {
	labels matrix // Σ √w φ of the rows φ_i = b_i ⊗ z_i: BᵀDZ
	gram   matrix // Σ φφᵀ, once it is asked for
}

// sum returns the sums over rows but for the Gram matrix. Cost: 2mr·Len, once.
func (t at) sum() (*sums, error) {
	if t.sums != nil {
		return t.sums, nil
	}
	t.sums = &sums{labels: linalg.NewMatrix[float64](len(t.values), t.p.Coord.Len())}
	rooted := t.p.NewBlock()
	if err := t.p.CombineTo(rooted, t.p.Root); err != nil {
		return nil, err
	}
	return t.sums, linalg.GemmPolled(blas.Trans, t.b, rooted, t.sums.labels, t.p.Mon)
}

// sumAll returns all sums over rows. Cost: half a product of q², for each row, once.
func (t at) sumAll() (*sums, error) {
	s, err := t.sum()
	if err != nil || s.gram.Rows > 0 {
		return s, err
	}
	r, width := len(t.values), t.p.Coord.Len()
	inner := linalg.NewMatrix[float64](pairs(r), pairs(width))
	if err := blocks(t, func(lo, hi int, b, z matrix) error {
		for i := lo; i < hi; i++ {
			productsTo(z.Row(i-lo), t.p.Z.Row(i))
		}
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, b, z, 1, inner)
		return nil
	}); err != nil {
		return nil, err
	}
	s.gram = linalg.NewMatrix[float64](r*width, r*width)
	at := 0
	for k := range r {
		for l := k; l < r; l++ {
			row := inner.Row(at) // of block (k, l), which is symmetric
			for i := range width {
				upper, lower := s.gram.Row(k*width + i)[l*width:], s.gram.Row(l*width + i)[k*width:]
				for j, v := range row[:width-i] {
					upper[i+j], lower[i+j] = v, v
					s.gram.Row(k*width + i + j)[l*width+i], s.gram.Row(l*width + i + j)[k*width+i] = v, v
				}
				row = row[width-i:]
			}
			at++
		}
	}
	return s, nil
}

// blocks calls f for ranges of rows, with the products of the pairs of each one's b, and room for those of its coordinates.
func blocks[T linalg.Float](t at, f func(lo, hi int, b, room linalg.Matrix[T]) error) error {
	m, r := len(t.p.Root), len(t.values)
	step := max(1, min(solve.RowGrain, blockEntries/(pairs(t.p.Coord.Len())+pairs(r))))
	b, room := linalg.NewMatrix[T](step, pairs(r)), linalg.NewMatrix[T](step, pairs(t.p.Coord.Len()))
	for lo := 0; lo < m; lo += step {
		if err := t.p.Mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, m)
		own := linalg.Convert[T](t.b.Slice(lo, hi, 0, r))
		for i := range own.Rows {
			productsTo(b.Row(i), own.Row(i))
		}
		if err := f(lo, hi, b.Slice(0, hi-lo, 0, b.Cols), room.Slice(0, hi-lo, 0, room.Cols)); err != nil {
			return err
		}
	}
	return nil
}

// blockEntries bounds the entries that are held of products for rows.
const blockEntries = 1 << 20

// removeInWeights does what removeLabels does, where K̃ = BBᵀ of few columns, in the weights u of the rows φ_i = b_i ⊗ z_i. By
// G = I + ΦDΦᵀ for D = diag(1/(2λ + σs)), and N = (D⁻¹ + ΦᵀΦ)⁻¹, a matrix of the order of the weights,
//
//	u = NΦᵀ√w,  f_i = Σ_k b_ik u_k,  r_i = √w_i − ⟨φ_i, u⟩,  (G⁻¹)_ii = 1 − φ_iᵀNφ_i,
//	f_i⁽⁻ⁱ⁾ = f_i − r_i/(G⁻¹)_ii Σ_k b_ik (Nφ_i)_k,
//
// from which the row's own term falls out by itself. D^½N⁻¹D^½ has the eigenvalues of G and 1, so that no penalty makes it ill-conditioned.
// What a row needs of N is the sum over pairs of its b of matrices on coordinates: one product with all pairs. Cost, for q weights: q³, and
// half a product of q² for each row.
func removeInWeights[T linalg.Float](t at, shares, dst matrix) error {
	p, r, width := t.p, len(t.values), t.p.Coord.Len()
	s, err := t.sumAll()
	if err != nil {
		return err
	}
	scale := make([]float64, r*width) // D^½
	for k, v := range t.values {
		for j, sigma := range p.Sigma {
			scale[k*width+j] = 1 / math.Sqrt(2*p.Lambda+sigma*v)
		}
	}
	inverse, err := scaledInverse[T](s.gram, scale, p)
	if err != nil {
		return err
	}
	u := linalg.Shaped(s.solve(scale, func(dst, v []float64) { multiply(inverse, dst, v) }), r, width)
	among := amongPairs(inverse, scale, r, width)
	if err := linalg.GemmPolled(blas.NoTrans, t.b, u, dst, p.Mon); err != nil {
		return err
	}
	return blocks(t, func(lo, hi int, b, n linalg.Matrix[T]) error {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, b, among, 0, n)
		z := linalg.Convert[T](p.Z.Slice(lo, hi, 0, width))
		return p.Each(hi-lo, tileRows, func(at int) {
			i, own := lo+at, make([]T, width)
			packedTo(own, n.Row(at), z.Row(at))
			f := dst.Row(i)
			residual := p.Root[i] - linalg.Dot(f, p.Z.Row(i))
			gain := residual / (1 - float64(linalg.Dot(own, z.Row(at))))
			for g, grp := range p.Coord.Groups() {
				scale := unscaled(p, i, 1/shares.Row(i)[g])
				for j := grp.Lo; j < grp.Hi; j++ {
					f[j] = (f[j] - gain*float64(own[j])) * scale
				}
			}
		})
	})
}

// scaledInverse returns (I + D^½ΦᵀΦD^½)⁻¹.
func scaledInverse[T linalg.Float](gram matrix, scale []float64, p *solve.Problem) (linalg.Symmetric[T], error) {
	s := linalg.NewSymmetric(blas.Lower, linalg.NewMatrix[T](gram.Rows, gram.Rows))
	for i := range gram.Rows {
		row, _ := s.Row(i)
		for j, v := range gram.Row(i)[:i+1] {
			row[j] = T(scale[i] * scale[j] * v)
		}
		row[i]++
	}
	factor, err := s.Factor(p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return s, dual.ErrMarginsIndefinite
	}
	if err != nil {
		return s, err
	}
	return factor.Invert(p.Mon)
}

// amongPairs scales the rows and columns of n and returns, for each pair k ≤ l of columns of B, the sum of its blocks (k, l) and (l, k),
// or the one block, by pairs of coordinates.
func amongPairs[T linalg.Float](n linalg.Symmetric[T], scale []float64, r, width int) linalg.Matrix[T] {
	factors := make([]T, len(scale))
	for a, v := range scale {
		factors[a] = T(v)
		row, _ := n.Row(a)
		for b, f := range factors[:a+1] {
			row[b] *= factors[a] * f
		}
	}
	among, block, at := linalg.NewMatrix[T](pairs(r), pairs(width)), make([][]T, width), 0
	for k := range r {
		for l := k; l < r; l++ {
			for i := range block {
				block[i], _ = n.Row(l*width + i)
				block[i] = block[i][k*width:]
			}
			row := among.Row(at)
			for i, own := range block {
				for j := i; j < width; j++ {
					row[j-i] = block[j][i]
					if k != l {
						row[j-i] += own[j]
					}
				}
				row = row[width-i:]
			}
			at++
		}
	}
	return among
}

// multiply writes the product of s and v to dst, rounded as s is.
func multiply[T linalg.Float](s linalg.Symmetric[T], dst, v []float64) {
	in, out := make([]T, len(v)), make([]T, len(v))
	for i, x := range v {
		in[i] = T(x)
	}
	s.MulVecTo(out, in)
	for i, x := range out {
		dst[i] = float64(x)
	}
}

// refinements in double precision of a solution by an inverse in single.
const refinements = 2

// solve returns u, by an inverse of I + D^½ΦᵀΦD^½ that may be in single precision.
func (s *sums) solve(scale []float64, inverse func(dst, v []float64)) []float64 {
	q := len(scale)
	x, left, step, scaled := make([]float64, q), make([]float64, q), make([]float64, q), make([]float64, q)
	for range 1 + refinements {
		for i := range scaled {
			scaled[i] = scale[i] * x[i]
		}
		for i := range left {
			left[i] = scale[i]*(s.labels.Data[i]-linalg.Dot(s.gram.Row(i), scaled)) - x[i]
		}
		inverse(step, left)
		linalg.Axpy(x, step, 1)
	}
	for i := range x {
		x[i] *= scale[i]
	}
	return x
}

// pairs returns the number of pairs of n things, of one thing twice, too.
func pairs(n int) int { return n * (n + 1) / 2 }

// productsTo writes the products of all pairs of entries of v to dst.
func productsTo[T linalg.Float](dst, v []T) {
	at := 0
	for i, x := range v {
		for j, y := range v[i:] {
			dst[at+j] = x * y
		}
		at += len(v) - i
	}
}

// packedTo writes the product of a symmetric matrix, given by pairs of its indices, and v to dst.
func packedTo[T linalg.Float](dst, matrix, v []T) {
	at := 0
	for i := range v {
		row := matrix[at : at+len(v)-i]
		dst[i] += linalg.Dot(row, v[i:])
		linalg.Axpy(dst[i+1:], row[1:], v[i])
		at += len(row)
	}
}
