package structure

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/slicex"
)

// maxLen bounds the sizes that structures accept, so that products of a size with a small number never overflow an
// int32.
const maxLen = 1 << 24

const reasonOfLen = "beyond that, products of sizes might overflow the 32-bit integers of the library"

// mustLen panics unless a slice has the length that the space prescribes: a wrong length is the caller's bug.
func mustLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("structure: %s has length %d, want %d", what, got, want))
	}
}

// proven is the certificate of a maximiser.
func proven(value float64) Certificate {
	return Certificate{Value: value, UpperBound: value, Optimal: true}
}

// polled returns the error of a poll that may be nil.
func polled(poll func() error) error {
	if poll == nil {
		return nil
	}
	return poll()
}

// row returns row i of m without its padding.
func row(m blas64.General, i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// mustFrame panics unless c and v are the coefficients in a frame of length frame and the vectors of length d of the
// same rows.
func mustFrame(c, v blas64.General, frame, d int) {
	mustLen("a row of coefficients", c.Cols, frame)
	mustLen("a row of vectors", v.Cols, d)
	mustLen("the coefficients' column", c.Rows, v.Rows)
}

// scratch hands out float64 buffers that are kept between calls, so that decoding a batch allocates little.
type scratch struct{ pool sync.Pool }

func (s *scratch) get(n int) *[]float64 {
	b, ok := s.pool.Get().(*[]float64)
	if !ok {
		b = new([]float64)
	}
	*b = slicex.Grow(*b, n)
	return b
}

func (s *scratch) put(b *[]float64) { s.pool.Put(b) }

// pool hands out workspaces that are kept between calls.
type pool[T any] struct{ sync.Pool }

func (p *pool[T]) get() *T {
	if x, ok := p.Get().(*T); ok {
		return x
	}
	return new(T)
}

func (p *pool[T]) put(x *T) { p.Put(x) }

// otherIndex draws an index below n other than i, or returns i where there is none.
func otherIndex(i, n int, rng *rand.Rand) int {
	if n == 1 {
		return i
	}
	j := rng.IntN(n - 1)
	if j >= i {
		j++
	}
	return j
}

func fill(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
