package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// pairs numbers the pairs u < v of n labels in lexicographic order, and decomposes vectors with one entry for each pair.
//
// Let B be the d×n incidence matrix of the complete graph on the labels, +1 at u and −1 at v in the row of the pair u <
// v. A second moment that renaming the labels leaves alone, its entries changing sign with the pairs, has one number a on
// its diagonal, ±b for two pairs that share a label (+ where they share the smaller or the larger one) and 0 for disjoint
// pairs. That is (a − 2b)I + bBBᵀ, and BᵀB = nI − 11ᵀ. So its eigenvalue is a + (n−2)b on the gradient space range(B), of
// dimension n−1, with the tight frame B/√n, and a − 2b on its complement, with the projector I − BBᵀ/n as its frame. The
// complement is empty for n = 2.
type pairs struct{ n int }

const (
	gradients = 0 // range(B), the scores that come from one potential for each label
	cyclic    = 1 // its complement, spanned by the cycles of three labels
)

// len returns the number of pairs.
func (p pairs) len() int { return p.n * (p.n - 1) / 2 }

// pair returns the number of the pair of two different labels in either order.
func (p pairs) pair(u, v int) int {
	u, v = min(u, v), max(u, v)
	return u*(2*p.n-u-1)/2 + v - u - 1
}

// fillTo writes the matrix with a, ±b and 0 to dst. Cost: O(d²) to clear dst plus O(n d).
func (p pairs) fillTo(dst blas64.General, a, b float64) {
	d := p.len()
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	pair := 0
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			r := row(dst, pair)
			clear(r)
			for w := range p.n {
				if w != u && w != v {
					r[p.pair(u, w)] = sign(u < w) * b
					r[p.pair(v, w)] = -sign(v < w) * b
				}
			}
			r[pair] = a
			pair++
		}
	}
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

// frameLen returns the number of columns of the frame of one of the two eigenspaces.
func (p pairs) frameLen(space int) int {
	if space == gradients {
		return p.n
	}
	return p.len()
}

// analyzeTo costs O(d) for each row.
func (p pairs) analyzeTo(dst, v blas64.General, space int) {
	mustFrame(dst, v, p.frameLen(space), p.len())
	if space == gradients {
		scale := 1 / math.Sqrt(float64(p.n))
		for r := range v.Rows {
			p.divergenceTo(row(dst, r), row(v, r), scale)
		}
		return
	}
	potential := make([]float64, p.n)
	for r := range v.Rows {
		out, src := row(dst, r), row(v, r)
		p.divergenceTo(potential, src, 1/float64(p.n))
		copy(out, src)
		p.addGradient(out, potential, -1)
	}
}

// synthesizeTo costs O(d) for each row.
func (p pairs) synthesizeTo(dst, c blas64.General, space int) {
	mustFrame(c, dst, p.frameLen(space), p.len())
	if space == gradients {
		scale := 1 / math.Sqrt(float64(p.n))
		for r := range c.Rows {
			p.addGradient(row(dst, r), row(c, r), scale)
		}
		return
	}
	potential := make([]float64, p.n)
	for r := range c.Rows {
		out, src := row(dst, r), row(c, r)
		p.divergenceTo(potential, src, 1/float64(p.n))
		for j, x := range src {
			out[j] += x
		}
		p.addGradient(out, potential, -1)
	}
}

// divergenceTo writes scale·Bᵀx to dst.
func (p pairs) divergenceTo(dst, x []float64, scale float64) {
	clear(dst)
	for u := range p.n - 1 {
		behind := dst[u+1 : p.n]
		pairs := x[:len(behind)]
		x = x[len(behind):]
		var sum float64
		for j, v := range pairs {
			sum += v
			behind[j] -= v
		}
		dst[u] += sum
	}
	for u := range dst {
		dst[u] *= scale
	}
}

// addGradient adds scale·Bc to dst.
func (p pairs) addGradient(dst, c []float64, scale float64) {
	for u := range p.n - 1 {
		behind := c[u+1 : p.n]
		pairs := dst[:len(behind)]
		dst = dst[len(behind):]
		for j, v := range behind {
			pairs[j] += scale * (c[u] - v)
		}
	}
}
