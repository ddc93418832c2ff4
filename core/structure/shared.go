package structure

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// maxLen bounds the sizes that structures accept, so that products of a size with a small number never overflow an
// int32.
const maxLen = 1 << 24

// mustLen panics unless a slice has the length that the space prescribes: a wrong length is the caller's bug.
func mustLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("structure: %s has length %d, want %d", what, got, want))
	}
}

// mustScores panics unless the scores have d entries each.
func mustScores(s Scores, d int) {
	mustLen("Linear", len(s.Linear), d)
	if s.Magnitude != nil {
		mustLen("Magnitude", len(s.Magnitude), d)
	}
}

// indicator returns the score of entry i where ψ_i is 0 or 1, so that |ψ_i| = ψ_i.
func (s Scores) indicator(i int) float64 {
	if s.Magnitude == nil {
		return s.Linear[i]
	}
	return s.Linear[i] + s.Magnitude[i]
}

// magnitude returns the score of |ψ_i|.
func (s Scores) magnitude(i int) float64 {
	if s.Magnitude == nil {
		return 0
	}
	return s.Magnitude[i]
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

// checkIndex checks the only part of an output that is the index of one of n things.
func checkIndex(y []int32, n int, noun string) error {
	mustLen("y", len(y), 1)
	if y[0] < 0 || int(y[0]) >= n {
		return fmt.Errorf("structure: the %s is %d, must be between 0 and %d", noun, y[0], n-1)
	}
	return nil
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
	if cap(*b) < n {
		*b = make([]float64, n)
	}
	*b = (*b)[:n]
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
