package primal

import (
	"sync/atomic"

	"combpred/core/linalg"
)

// held are copies of rows that make later passes cheaper: ψ as small integers, so that outputs are embedded once, and standardised features
// in single precision. The slices are nil where the budget does not allow them. Parts of the rows write to ranges of their own.
type held struct {
	psi      []int8
	psiRead  []bool // of each row
	notSmall atomic.Bool
	x        []float32
	xFilled  bool
}

// Hold lets passes keep copies of at most budget bytes: d bytes an output and then 4(p+1) a row. It is called once, before the first pass.
func (r *Rows) Hold(budget int64) {
	n, p := r.X.Size()
	outputs, d := r.Psi.Size()
	if r.X.sparse() != nil || r.Psi.sparse() != nil {
		return
	}
	h := new(held)
	if _, is := r.Psi.(small); !is {
		if bytes := int64(outputs) * int64(d+1); bytes <= budget {
			h.psi, h.psiRead = make([]int8, outputs*d), make([]bool, outputs)
			budget -= bytes
		}
	}
	if bytes := 4 * int64(n) * int64(p+1); bytes <= budget {
		h.x = make([]float32, n*(p+1))
	}
	r.held = h
}

// filled says that all rows of a pass were held.
func (h *held) filled() {
	if h != nil && h.x != nil {
		h.xFilled = true
	}
}

// read sets b to the outputs of rows lo to hi, from the copy if there is one.
func (r *Rows) read(b *psiRows, lo, hi int) error {
	lo, hi = r.outputs(lo, hi)
	if r.held == nil || r.held.psi == nil || r.held.notSmall.Load() || lo == hi {
		return r.renumbered(r.Psi.read(b, lo, hi))
	}
	h := r.held
	_, d := r.Psi.Size()
	if h.psiRead[lo] {
		b.small = h.psi[lo*d : hi*d]
		return nil
	}
	if err := r.Psi.read(b, lo, hi); err != nil {
		return r.renumbered(err)
	}
	if b.small == nil {
		h.notSmall.Store(true)
		return nil
	}
	copy(h.psi[lo*d:hi*d], b.small)
	h.psiRead[lo] = true
	return nil
}

// heldDesign returns the features of rows lo to hi that an earlier pass held, or no rows.
func heldDesign[T linalg.Float](h *held, lo, hi, q int, like linalg.Matrix[T]) linalg.Matrix[T] {
	var none linalg.Matrix[T]
	if h == nil || !h.xFilled {
		return none
	}
	x, ok := any(&none).(*linalg.Matrix[float32])
	if !ok {
		return none
	}
	*x = linalg.Matrix[float32]{Rows: hi - lo, Cols: q, Stride: q, Data: h.x[lo*q : hi*q]}
	return none
}

// hold keeps the features x of the rows from lo on.
func hold[T linalg.Float](h *held, x linalg.Matrix[T], lo int) {
	if h == nil || h.x == nil {
		return
	}
	if s, ok := any(x).(linalg.Matrix[float32]); ok {
		copy(h.x[lo*x.Cols:], s.Data)
	}
}
