package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// pairScheme holds the eigenspaces of every matrix on the pairs u < v of n things whose entries depend only on how many
// things two pairs share: the Johnson scheme J(n, 2). Let B be the d×n incidence matrix of the complete graph, 1 for
// both ends of a pair. BBᵀ has 2 on the diagonal and 1 for pairs that share one thing, and BᵀB = (n−2)I + 11ᵀ. So there
// are three spaces, each with a tight frame that costs O(d) to apply:
//
//	constants  1/√d, of dimension 1;
//	degrees    B(I − 11ᵀ/n)/√(n−2), of dimension n−1 (n ≥ 3): sums of one number for each thing, which add to 0;
//	the rest   its own projector, of dimension n(n−3)/2 (n ≥ 4).
//
// Pairs are numbered in lexicographic order.
type pairScheme struct{ n int }

const (
	pairConstants = iota
	pairDegrees
	pairRest
)

func (p pairScheme) pairs() int { return p.n * (p.n - 1) / 2 }

// number returns the number of the pair of two different things in either order.
func (p pairScheme) number(u, v int) int {
	u, v = min(u, v), max(u, v)
	return u*(2*p.n-u-1)/2 + v - u - 1
}

// eigenvalues returns those of the matrix with the entries same for a pair with itself, adjacent for pairs that share
// one thing, and disjoint for others; one for each space that exists.
func (p pairScheme) eigenvalues(same, adjacent, disjoint float64) []float64 {
	n := float64(p.n)
	all := []float64{
		same + 2*(n-2)*adjacent + (n-2)*(n-3)/2*disjoint,
		same + (n-4)*adjacent - (n-3)*disjoint,
		same - 2*adjacent + disjoint,
	}
	return all[:min(p.n-1, len(all))]
}

func (p pairScheme) frameLen(space int) int {
	switch space {
	case pairConstants:
		return 1
	case pairDegrees:
		return p.n
	}
	return p.pairs()
}

func (p pairScheme) analyzeTo(dst, v blas64.General, space int) {
	mustFrame(dst, v, p.frameLen(space), p.pairs())
	degrees := make([]float64, p.n)
	for i := range v.Rows {
		src, out := row(v, i), row(dst, i)
		switch space {
		case pairConstants:
			out[0] = average(src) * math.Sqrt(float64(len(src)))
		case pairDegrees:
			p.centredDegreesTo(out, src, 1/math.Sqrt(float64(p.n-2)))
		default:
			copy(out, src)
			p.addRemainder(out, src, degrees, -1)
		}
	}
}

func (p pairScheme) synthesizeTo(dst, c blas64.General, space int) {
	mustFrame(c, dst, p.frameLen(space), p.pairs())
	degrees := make([]float64, p.n)
	for i := range c.Rows {
		src, out := row(c, i), row(dst, i)
		switch space {
		case pairConstants:
			x := src[0] / math.Sqrt(float64(len(out)))
			for j := range out {
				out[j] += x
			}
		case pairDegrees:
			mean, scale := average(src), 1/math.Sqrt(float64(p.n-2))
			for u, x := range src {
				degrees[u] = (x - mean) * scale
			}
			p.addSums(out, degrees, 1)
		default:
			for j, x := range src {
				out[j] += x
			}
			p.addRemainder(out, src, degrees, -1)
		}
	}
}

// addRemainder adds scale times the projection of x on the first two spaces to dst; degrees is scratch.
func (p pairScheme) addRemainder(dst, x, degrees []float64, scale float64) {
	mean := scale * average(x)
	p.centredDegreesTo(degrees, x, 1/float64(p.n-2))
	for j := range dst {
		dst[j] += mean
	}
	p.addSums(dst, degrees, scale)
}

// centredDegreesTo writes scale·(I − 11ᵀ/n)Bᵀx to dst.
func (p pairScheme) centredDegreesTo(dst, x []float64, scale float64) {
	clear(dst)
	for u := range p.n - 1 {
		pairs := x[:p.n-1-u]
		x = x[len(pairs):]
		behind := dst[u+1 : p.n]
		for j, v := range pairs {
			dst[u] += v
			behind[j] += v
		}
	}
	mean := average(dst)
	for u := range dst {
		dst[u] = (dst[u] - mean) * scale
	}
}

// addSums adds scale·Bc to dst.
func (p pairScheme) addSums(dst, c []float64, scale float64) {
	for u := range p.n - 1 {
		pairs := dst[:p.n-1-u]
		dst = dst[len(pairs):]
		for j, v := range c[u+1 : p.n] {
			pairs[j] += scale * (c[u] + v)
		}
	}
}
