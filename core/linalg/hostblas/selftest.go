//go:build cgo

package hostblas

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"combpred/core/fault"
)

// Sizes of the self-test: just large enough for the host to be asked, since it is pure Go that takes the time, and wider than
// the registers of the host's inner loops; all different so that no exchange of dimensions hides.
const testM, testN, testK = 23, 19, 17

// Order of the matrices that are factored and diagonalised: large enough to reach the host's blocked code.
const testOrder = 33

// Order of the factors that are inverted. OpenBLAS gives this one routine to all its threads from order 9 or 17 on, by the processor,
// and waking them costs more than the rest of the self-test. Its own blocks begin at 64, so that a larger order tested no more.
const testInverse = 8

// Tolerances, relative to the largest entry: some hundred roundings of a sum of fewer than 50 terms, and a triangular solve.
const tol64, tol32 = 1e-11, 1e-3

var (
	bothTransposes = []blas.Transpose{blas.NoTrans, blas.Trans}
	bothUplos      = []blas.Uplo{blas.Upper, blas.Lower}
	bothSides      = []blas.Side{blas.Left, blas.Right}
	bothDiags      = []blas.Diag{blas.NonUnit, blas.Unit}
)

// suite runs the same computation on the host and on pure Go, and keeps the first disagreement.
type suite struct {
	t   *table
	rng *rand.Rand
	err error
}

// selfTest compares every routine with pure Go on fixed random matrices, over what the flips distinguish.
func selfTest(t *table) error {
	s := &suite{t: t, rng: rand.New(rand.NewPCG(20, 10))}
	s.gemm()
	s.gemv()
	s.symv()
	s.syrk()
	s.symm()
	s.triangular()
	s.cholesky()
	s.eigen()
	return s.err
}

// double runs f with both double precision implementations on copies of c, its output. Where c is NaN pure Go starts from zero: what
// f must overwrite may hold anything, and gonum does not always keep to that.
func (s *suite) double(name string, c []float64, f func(b blas.Float64, c []float64)) {
	want, got := zeroNaN(c), clone(c)
	f(gonum.Implementation{}, want)
	f(host64{t: s.t}, got)
	s.same(name, want, got, tol64)
}

// single is double in single precision.
func (s *suite) single(name string, c []float64, f func(b blas.Float32, c []float32)) {
	want, got := narrow(zeroNaN(c)), narrow(c)
	f(gonum.Implementation{}, want)
	f(host32{t: s.t}, got)
	s.same(name, widen(want), widen(got), tol32)
}

func (s *suite) same(name string, want, got []float64, tol float64) {
	scale := 1.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, w := range want {
		// An entry outside the output keeps the NaN, or the zero, that it started with.
		ok := math.Abs(got[i]-w) <= tol*scale || w == 0 && math.IsNaN(got[i])
		if !ok {
			s.fail(name, fmt.Sprintf("entry %d is %g, should be %g", i, got[i], w))
			return
		}
	}
}

func (s *suite) fail(name, what string) {
	if s.err == nil {
		s.err = fault.Value("the host's %s fails the self-test: %s", name, what)
	}
}

// outputs calls f with both kinds of output: NaN that beta = 0 must overwrite, and numbers that beta must scale.
func (s *suite) outputs(n int, f func(c []float64, beta float64)) {
	c := make([]float64, n)
	for i := range c {
		c[i] = math.NaN()
	}
	f(c, 0)
	f(s.random(n), -0.5)
}

func (s *suite) gemm() {
	for _, tA := range bothTransposes {
		for _, tB := range bothTransposes {
			ar, ac := shape(tA, testM, testK)
			br, bc := shape(tB, testK, testN)
			lda, ldb, ldc := ac+1, bc+2, testN+3
			a, b := s.random(ar*lda), s.random(br*ldb)
			s.outputs(testM*ldc, func(c []float64, beta float64) {
				s.double("dgemm", c, func(h blas.Float64, c []float64) {
					h.Dgemm(tA, tB, testM, testN, testK, 1.5, a, lda, b, ldb, beta, c, ldc)
				})
				a, b := narrow(a), narrow(b)
				s.single("sgemm", c, func(h blas.Float32, c []float32) {
					h.Sgemm(tA, tB, testM, testN, testK, 1.5, a, lda, b, ldb, float32(beta), c, ldc)
				})
			})
		}
	}
}

func (s *suite) gemv() {
	const m, n, lda = 4 * testM, 4 * testN, 4*testN + 1
	a := s.random(m * lda)
	for _, tA := range bothTransposes {
		lenY, lenX := shape(tA, m, n)
		for _, inc := range []int{1, 2, -1} {
			x := s.random(2 * lenX)
			s.outputs(2*lenY, func(y []float64, beta float64) {
				s.double("dgemv", y, func(h blas.Float64, y []float64) {
					h.Dgemv(tA, m, n, 1.5, a, lda, x, inc, beta, y, inc)
				})
			})
		}
	}
}

func (s *suite) symv() {
	const n, lda = 65, 66
	a, x := s.random(n*lda), s.random(2*n)
	for _, ul := range bothUplos {
		for _, inc := range []int{1, 2, -1} {
			s.outputs(2*n, func(y []float64, beta float64) {
				s.double("dsymv", y, func(h blas.Float64, y []float64) { h.Dsymv(ul, n, 1.5, a, lda, x, inc, beta, y, inc) })
				a, x := narrow(a), narrow(x)
				s.single("ssymv", y, func(h blas.Float32, y []float32) { h.Ssymv(ul, n, 1.5, a, lda, x, inc, float32(beta), y, inc) })
			})
		}
	}
}

func (s *suite) syrk() {
	const ldc = testM + 1
	for _, ul := range bothUplos {
		for _, tA := range bothTransposes {
			ar, ac := shape(tA, testM, testK)
			lda := ac + 1
			a := s.random(ar * lda)
			s.outputs(testM*ldc, func(c []float64, beta float64) {
				s.double("dsyrk", c, func(h blas.Float64, c []float64) {
					h.Dsyrk(ul, tA, testM, testK, 1.5, a, lda, beta, c, ldc)
				})
				a := narrow(a)
				s.single("ssyrk", c, func(h blas.Float32, c []float32) {
					h.Ssyrk(ul, tA, testM, testK, 1.5, a, lda, float32(beta), c, ldc)
				})
			})
		}
	}
}

func (s *suite) symm() {
	const ldb, ldc = testN + 2, testN + 1
	for _, side := range bothSides {
		k := order(side, testM, testN)
		a, b := s.random(k*(k+1)), s.random(testM*ldb)
		for _, ul := range bothUplos {
			s.outputs(testM*ldc, func(c []float64, beta float64) {
				s.double("dsymm", c, func(h blas.Float64, c []float64) {
					h.Dsymm(side, ul, testM, testN, 1.5, a, k+1, b, ldb, beta, c, ldc)
				})
				a, b := narrow(a), narrow(b)
				s.single("ssymm", c, func(h blas.Float32, c []float32) {
					h.Ssymm(side, ul, testM, testN, 1.5, a, k+1, b, ldb, float32(beta), c, ldc)
				})
			})
		}
	}
}

func (s *suite) triangular() {
	const ldb = testN + 2
	for w, side := range bothSides {
		k := order(side, testM, testN)
		lda := k + 1
		b := s.random(testM * ldb)
		// Small entries beside a diagonal near 1, so that the solve is well conditioned with that diagonal and with a unit one.
		a := s.random(k * lda)
		for i := range a {
			a[i] /= float64(k)
		}
		for i := range k {
			a[i*lda+i] += 1
		}
		a32 := narrow(a)
		for u, ul := range bothUplos {
			for v, tA := range bothTransposes {
				// Each flip acts on its argument alone, so that half of all combinations tell any pair of mistakes; what takes the time is
				// that every one of them has code of its own in the host, which has to be read from the file.
				d := bothDiags[(u+v+w)%2]
				s.double("dtrsm", b, func(h blas.Float64, b []float64) { h.Dtrsm(side, ul, tA, d, testM, testN, 1.5, a, lda, b, ldb) })
				s.double("dtrmm", b, func(h blas.Float64, b []float64) { h.Dtrmm(side, ul, tA, d, testM, testN, 1.5, a, lda, b, ldb) })
				s.single("strsm", b, func(h blas.Float32, b []float32) {
					h.Strsm(side, ul, tA, d, testM, testN, 1.5, a32, lda, b, ldb)
				})
				s.single("strmm", b, func(h blas.Float32, b []float32) {
					h.Strmm(side, ul, tA, d, testM, testN, 1.5, a32, lda, b, ldb)
				})
			}
		}
	}
}

func (s *suite) random(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 2*s.rng.Float64() - 1
	}
	return v
}

func clone(v []float64) []float64 { return append([]float64(nil), v...) }

// zeroNaN returns a copy of v with zeros for NaN.
func zeroNaN(v []float64) []float64 {
	out := clone(v)
	for i, x := range out {
		if math.IsNaN(x) {
			out[i] = 0
		}
	}
	return out
}

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
