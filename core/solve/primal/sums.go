package primal

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Sums are weighted sums over rows, with x̂ = (x, 1) of p+1 entries. They lie in one slice, so that the sums over more rows are the sums of
// the slices, wherever these were found.
type Sums struct {
	Data []float64
	p, d int
}

const sumsHeader = 2

// SumsLen returns the length of the slice.
func SumsLen(p, d int) int { return sumsHeader + (p+1)*(p+1) + (p+1)*d }

// NewSums returns sums for p features and ψ of d entries in data, of length SumsLen, which holds zeros or the sums of some rows.
func NewSums(data []float64, p, d int) Sums {
	if len(data) != SumsLen(p, d) {
		panic("primal: sums of a wrong length")
	}
	return Sums{data, p, d}
}

// Rows returns the number of rows.
func (s Sums) Rows() int { return int(s.Data[0]) }

// Squares returns Σ w ‖ψ‖².
func (s Sums) Squares() float64 { return s.Data[1] }

// Gram returns Σ w x̂x̂ᵀ.
func (s Sums) Gram() linalg.Matrix[float64] {
	q := s.p + 1
	return matrix{Rows: q, Cols: q, Stride: q, Data: s.Data[sumsHeader:][:q*q]}
}

// Cross returns Σ w x̂ψᵀ.
func (s Sums) Cross() linalg.Matrix[float64] {
	q := s.p + 1
	return matrix{Rows: q, Cols: s.d, Stride: max(s.d, 1), Data: s.Data[sumsHeader+q*q:]}
}

// Weight returns Σ w.
func (s Sums) Weight() float64 { return s.Data[sumsHeader+(s.p+1)*(s.p+1)-1] }

// AddSums adds the sums over rows to s. It checks the rows: a legal pass says that later ones need no check. Cost for dense rows: p² + 2pd
// operations each.
func (t *Task) AddSums(s Sums, r *Rows, workers int, mon *parallel.Monitor) error {
	if err := r.Check(t); err != nil {
		return err
	}
	n, _ := r.X.Size()
	err := r.each(len(s.Data), workers, func(w *workspaces, dst []float64, lo, hi int) error {
		part := NewSums(dst, s.p, s.d)
		if r.X.sparse() != nil || r.Psi.sparse() != nil {
			return r.sparseSums(part, lo, hi, mon)
		}
		return r.denseSums(w, part, lo, hi, mon)
	}, s.Data)
	gram := s.Gram()
	for i := range gram.Rows {
		for j := range i {
			gram.Row(i)[j] = gram.Row(j)[i]
		}
	}
	s.Data[0] += float64(n)
	return err
}

// denseSums adds the sums over rows lo to hi; of the Gram matrix only the upper triangle.
func (r *Rows) denseSums(w *workspaces, s Sums, lo, hi int, mon *parallel.Monitor) error {
	most := min(batchRows(s.p, s.d), hi-lo)
	design, sum := block(&w.wide.design, most, s.p+1), block(&w.wide.scores, most, s.d)
	gram := s.Gram()
	return r.batches(lo, hi, mon, func(lo, hi int) error {
		x, y := design.Slice(0, hi-lo, 0, s.p+1), sum.Slice(0, hi-lo, 0, s.d)
		r.X.wideTo(x, lo, nil, nil)
		for i := range x.Rows {
			one, _ := r.weight(lo + i)
			if err := checkRow(lo+i, x.Row(i), nil, one); err != nil {
				return err
			}
		}
		if err := r.read(&w.psi, lo, hi); err != nil {
			return err
		}
		s.Data[1] += r.sumOutputs(y, &w.psi, lo, hi)
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, x, y, 1, s.Cross())
		if r.Weights != nil || r.First != nil {
			for i := range x.Rows {
				_, w := r.weight(lo + i)
				linalg.ScaleTo(x.Row(i), math.Sqrt(w), x.Row(i))
			}
		}
		blas64.Syrk(blas.Trans, 1, linalg.General(x), 1, blas64.Symmetric{Uplo: blas.Upper, N: gram.Rows, Stride: gram.Stride,
			Data: gram.Data})
		return nil
	})
}

// sumOutputs writes the weighted sum of the outputs of each row to sum and returns the weighted sum of their squares.
func (r *Rows) sumOutputs(sum matrix, psi *psiRows, lo, hi int) float64 {
	var total float64
	row := make([]float64, sum.Cols)
	begin, _ := r.outputs(lo, hi)
	for i := lo; i < hi; i++ {
		out := sum.Row(i - lo)
		w, _ := r.weight(i)
		a, end := r.outputs(i, i+1)
		if r.First == nil && w == 1 {
			from := psi.wideRow(out, a-begin)
			var squares float64
			for j, v := range from {
				out[j] = v
				squares += v * v
			}
			total += squares
			continue
		}
		clear(out)
		for ; a < end; a++ {
			from := psi.wideRow(row, a-begin)
			linalg.Axpy(out, from, w)
			total += w * linalg.Dot(from, from)
		}
	}
	return total
}
