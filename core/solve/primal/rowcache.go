package primal

import (
	"sync/atomic"

	"combpred/core/linalg"
)

// rowCache holds copies of rows that make later passes cheaper: ψ as small integers, so that outputs are embedded once, and standardised
// features in single precision. The slices are nil where the budget does not allow them. Parts of the rows write to ranges of their own.
type rowCache struct {
	psi      []int8
	psiRead  []bool // of each row
	notSmall atomic.Bool
	x        []float32
	xFilled  bool
}

// Cache lets passes keep copies of at most budget bytes: d bytes an output and then 4(p+1) a row. It is called once, before the first pass.
func (r *Rows) Cache(budget int64) {
	n, p := r.X.Size()
	outputs, d := r.Psi.Size()
	if r.X.sparse() != nil || r.Psi.sparse() != nil {
		return
	}
	c := new(rowCache)
	if _, is := r.Psi.(small); !is {
		if bytes := int64(outputs) * int64(d+1); bytes <= budget {
			c.psi, c.psiRead = make([]int8, outputs*d), make([]bool, outputs)
			budget -= bytes
		}
	}
	if bytes := 4 * int64(n) * int64(p+1); bytes <= budget {
		c.x = make([]float32, n*(p+1))
	}
	r.cache = c
}

// filled says that all rows of a pass were stored.
func (c *rowCache) filled() {
	if c != nil && c.x != nil {
		c.xFilled = true
	}
}

// read sets b to the outputs of rows lo to hi, from the copy if there is one.
func (r *Rows) read(b *psiRows, lo, hi int) error {
	lo, hi = r.outputs(lo, hi)
	if r.cache == nil || r.cache.psi == nil || r.cache.notSmall.Load() || lo == hi {
		return r.renumbered(r.Psi.read(b, lo, hi))
	}
	c := r.cache
	_, d := r.Psi.Size()
	if c.psiRead[lo] {
		b.small = c.psi[lo*d : hi*d]
		return nil
	}
	if err := r.Psi.read(b, lo, hi); err != nil {
		return r.renumbered(err)
	}
	if b.small == nil {
		c.notSmall.Store(true)
		return nil
	}
	copy(c.psi[lo*d:hi*d], b.small)
	c.psiRead[lo] = true
	return nil
}

// cachedDesign returns the features of rows lo to hi that an earlier pass stored, or no rows.
func cachedDesign[T linalg.Float](c *rowCache, lo, hi, q int, like linalg.Matrix[T]) linalg.Matrix[T] {
	var none linalg.Matrix[T]
	if c == nil || !c.xFilled {
		return none
	}
	x, ok := any(&none).(*linalg.Matrix[float32])
	if !ok {
		return none
	}
	*x = linalg.Matrix[float32]{Rows: hi - lo, Cols: q, Stride: q, Data: c.x[lo*q : hi*q]}
	return none
}

// storeDesign stores the features x of the rows from lo on.
func storeDesign[T linalg.Float](c *rowCache, x linalg.Matrix[T], lo int) {
	if c == nil || c.x == nil {
		return
	}
	if s, ok := any(x).(linalg.Matrix[float32]); ok {
		copy(c.x[lo*x.Cols:], s.Data)
	}
}
