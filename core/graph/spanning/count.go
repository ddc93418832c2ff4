package spanning

import (
	"math"
	"math/big"
	"math/bits"
)

// counted is the number of spanning trees.
type counted struct{ trees *big.Int }

// Count returns the number of spanning trees, exactly; the caller may change it. By the matrix-tree theorem it is a
// determinant of integers, computed modulo as many 63-bit primes as its size may need (at most one for every 6 vertices
// of a complete graph of 1000) and put together by the Chinese remainder theorem: that takes word operations where
// fraction-free elimination takes products of large integers. Cost, the first time: one elimination for each prime, at
// most n³/6 operations.
func (g *Graph) Count() *big.Int { return new(big.Int).Set(g.count().trees) }

// countModular bounds the determinant by the product of the degrees (Hadamard's inequality for positive definite
// matrices), the last place being the one left out.
func (g *Graph) countModular() counted {
	e := g.symbolic()
	bound := big.NewInt(1)
	for v := range g.n {
		if int(e.place[v]) < g.n-1 {
			bound.Mul(bound, big.NewInt(int64(len(g.arcsFrom(int32(v))))))
		}
	}
	trees, modulus := new(big.Int), big.NewInt(1)
	c := make([]uint64, len(e.col))
	for candidate := uint64(math.MaxInt64); modulus.Cmp(bound) <= 0; candidate -= 2 {
		prime := new(big.Int).SetUint64(candidate)
		if !prime.ProbablyPrime(0) { // exact below 2⁶⁴
			continue
		}
		f := newField(candidate)
		r, ok := e.countModulo(f, c)
		if !ok {
			continue // the prime divides a pivot: another one will do
		}
		// trees += modulus · ((r − trees) / modulus mod prime)
		residue := new(big.Int).SetUint64(r)
		residue.Sub(residue, trees)
		residue.Mul(residue, new(big.Int).ModInverse(modulus, prime))
		residue.Mod(residue, prime)
		trees.Add(trees, residue.Mul(residue, modulus))
		modulus.Mul(modulus, prime)
	}
	return counted{trees}
}

// countModulo is Graph.eliminate in a field of integers modulo a prime; the number of trees is the product of the
// conductances of the stars. It reports failure where one of them is 0 there. c is scratch.
func (e *elimination) countModulo(f field, c []uint64) (trees uint64, ok bool) {
	clear(c)
	for _, at := range e.links {
		c[at] = f.add(c[at], f.one)
	}
	product := f.one
	for k := range len(e.first) - 2 {
		star, lo := e.later(k), e.first[k]
		var total uint64
		for i := range star {
			total = f.add(total, c[lo+i])
		}
		if total == 0 {
			return 0, false
		}
		product = f.mul(product, total)
		inverse := f.inverse(total)
		for i, u := range star {
			share := f.mul(c[lo+i], inverse)
			at := e.first[u]
			for j, v := range star[i+1:] {
				for e.col[at] != v {
					at++
				}
				c[at] = f.add(c[at], f.mul(share, c[lo+i+1+j]))
			}
		}
	}
	return f.mul(product, 1), true
}

// field is the integers modulo an odd prime p < 2⁶³, x being represented by x·2⁶⁴ mod p (Montgomery, 1985).
type field struct {
	p, inv uint64 // inv = 1/p mod 2⁶⁴
	one    uint64 // the representation of 1
}

func newField(p uint64) field {
	inv := p // right to 3 bits; each step of Newton's iteration doubles them
	for range 5 {
		inv *= 2 - p*inv
	}
	return field{p: p, inv: inv, one: -p % p}
}

func (f field) add(a, b uint64) uint64 {
	s := a + b
	if s >= f.p {
		s -= f.p
	}
	return s
}

// mul returns a·b/2⁶⁴ mod p.
func (f field) mul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	excess, _ := bits.Mul64(low*f.inv, f.p)
	if high < excess {
		high += f.p
	}
	return high - excess
}

// inverse returns the representation of the inverse, x^(p−2) by Fermat's theorem.
func (f field) inverse(x uint64) uint64 {
	result := f.one
	for n := f.p - 2; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = f.mul(result, x)
		}
		x = f.mul(x, x)
	}
	return result
}
