package primal

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// Sparse rows are worked on entry by entry, in double precision: what is sparse, x or ψ, is gone through, and the other is a row of a dense
// matrix or gone through as well.

// featureReader reads the features of a row, dense ones as if all of them were entries.
type featureReader struct {
	r     *Rows
	dense linalg.Matrix[float64] // one row, where X is dense
	all   []int32
}

func newFeatureReader(r *Rows) *featureReader {
	f := &featureReader{r: r}
	if _, p := r.X.Size(); r.X.sparse() == nil {
		f.dense, f.all = linalg.NewMatrix[float64](1, p+1), make([]int32, p)
		for j := range f.all {
			f.all[j] = int32(j)
		}
	}
	return f
}

// row returns the columns and the values of row i.
func (f *featureReader) row(i int) ([]int32, []float64) {
	if s := f.r.X.sparse(); s != nil {
		return s.Row(i)
	}
	f.r.X.wideTo(f.dense, i, nil, nil)
	return f.all, f.dense.Data[:len(f.all)]
}

// outputReader does the same for the outputs of a row.
type outputReader struct {
	r     *Rows
	psi   psiRows
	all   []int32
	row   []float64
	begin int
}

func newOutputReader(r *Rows) *outputReader {
	o := &outputReader{r: r}
	if _, d := r.Psi.Size(); r.Psi.sparse() == nil {
		o.row, o.all = make([]float64, d), make([]int32, d)
		for j := range o.all {
			o.all[j] = int32(j)
		}
	}
	return o
}

// start reads the outputs of row i, first to last.
func (o *outputReader) start(i int) (first, last int, err error) {
	first, last = o.r.outputs(i, i+1)
	if o.begin = first; o.r.Psi.sparse() == nil {
		err = o.r.read(&o.psi, i, i+1)
	}
	return first, last, err
}

// output returns the columns and the values of output a of the row.
func (o *outputReader) output(a int) ([]int32, []float64) {
	if s := o.r.Psi.sparse(); s != nil {
		return s.Row(a)
	}
	return o.all, o.psi.wideRow(o.row, a-o.begin)
}

func (r *Rows) sparseSums(s Sums, lo, hi int, mon *parallel.Monitor) error {
	features, outputs := newFeatureReader(r), newOutputReader(r)
	gram, cross := s.Gram(), s.Cross()
	return r.batches(lo, hi, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			columns, x := features.row(i)
			one, all := r.weight(i)
			if err := checkRow(i, x, columns, one); err != nil {
				return err
			}
			for k, j := range columns {
				if x[k] == 0 {
					continue
				}
				out, v := gram.Row(int(j)), all*x[k]
				for l, m := range columns {
					if m >= j {
						out[m] += v * x[l]
					}
				}
				out[s.p] += v
			}
			gram.Row(s.p)[s.p] += all
			a, last, err := outputs.start(i)
			if err != nil {
				return err
			}
			for ; a < last; a++ {
				at, y := outputs.output(a)
				if err := finitePsi(a, y); err != nil {
					return r.renumbered(err)
				}
				s.Data[1] += one * linalg.Dot(y, y)
				for k, j := range columns {
					if x[k] != 0 {
						linalg.Scatter(cross.Row(int(j)), at, y, one*x[k])
					}
				}
				linalg.Scatter(cross.Row(s.p), at, y, one)
			}
		}
		return nil
	})
}

func (r *Rows) sparsePass(_ *workspaces, t *Task, dst matrix, v Direction, lo, hi int, mon *parallel.Monitor) error {
	if r.Psi.sparse() != nil {
		return r.sparseOutputPass(t, dst, v, lo, hi, mon)
	}
	w := v.Weights()
	features, outputs := newFeatureReader(r), newOutputReader(r)
	kernel := puller[float64]{d: v.d, centred: true, share: t.Share, unit: 1, rows: r}
	scores := linalg.NewMatrix[float64](1, v.d+1)
	f := scores.Data[:v.d]
	sums := make([]float64, v.q) // Σ w x⟨ψ̃, Wᵀx⟩
	err := r.batches(lo, hi, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			columns, x := features.row(i)
			clear(f)
			for k, j := range columns {
				linalg.Axpy(f, w.Row(int(j)), x[k])
			}
			if t.Intercept {
				linalg.Axpy(f, w.Row(v.p), 1)
			}
			scores.Data[v.d] = linalg.Dot(t.Mean, f)
			if _, _, err := outputs.start(i); err != nil {
				return err
			}
			kernel.pull(scores, &outputs.psi, i)
			for k, j := range columns {
				linalg.Axpy(dst.Row(int(j)), f, x[k])
				sums[j] += x[k] * scores.Data[v.d]
			}
			if t.Intercept {
				linalg.Axpy(dst.Row(v.p), f, 1)
				sums[v.p] += scores.Data[v.d]
			}
		}
		return nil
	})
	t.subtractMean(dst, sums)
	return err
}

// subtractMean subtracts sums·μᵀ from dst.
func (t *Task) subtractMean(dst matrix, sums []float64) {
	for k, s := range sums {
		linalg.Axpy(dst.Row(k), t.Mean, -s)
	}
}

// sparseOutputPass goes through the entries of ψ: Wψ̃ of each output is a sum of columns of W, rows of its transpose.
func (r *Rows) sparseOutputPass(t *Task, dst matrix, v Direction, lo, hi int, mon *parallel.Monitor) error {
	columns := linalg.NewMatrix[float64](v.d, v.q)
	product := linalg.NewMatrix[float64](v.d, v.q)
	w := v.Weights()
	for k := range v.q {
		for j, y := range w.Row(k) {
			columns.Data[j*v.q+k] = y
		}
	}
	mean := make([]float64, v.q) // Wμ
	for k := range mean {
		mean[k] = linalg.Dot(t.Mean, w.Row(k))
	}
	features, outputs := newFeatureReader(r), newOutputReader(r)
	along, sums := make([]float64, v.q), make([]float64, v.q)
	var margins []float64
	err := r.batches(lo, hi, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			at, x := features.row(i)
			first, last, err := outputs.start(i)
			if err != nil {
				return err
			}
			margins = slicex.Grow(margins, last-first)
			for a := range margins {
				linalg.ScaleTo(along, -1, mean)
				psiAt, y := outputs.output(first + a)
				for k, j := range psiAt {
					linalg.Axpy(along, columns.Row(int(j)), y[k])
				}
				margins[a] = linalg.Gather(at, x, along[:v.p])
				if t.Intercept {
					margins[a] += along[v.p]
				}
			}
			r.deriveMargins(margins, t.Share, i)
			for a, u := range margins {
				psiAt, y := outputs.output(first + a)
				for k, j := range psiAt {
					out := product.Row(int(j))
					linalg.Scatter(out[:v.p], at, x, u*y[k])
					if t.Intercept {
						out[v.p] += u * y[k]
					}
				}
				linalg.Scatter(sums[:v.p], at, x, u)
				if t.Intercept {
					sums[v.p] += u
				}
			}
		}
		return nil
	})
	for k := range v.q {
		out := dst.Row(k)
		for j := range out {
			out[j] += product.Data[j*v.q+k]
		}
	}
	t.subtractMean(dst, sums)
	return err
}

// deriveMargins replaces the margins of row i by the derivatives of its loss's quadratic part (see pullSets).
func (r *Rows) deriveMargins(margins []float64, share float64, i int) {
	w, _ := r.weight(i)
	if r.First == nil {
		margins[0] *= w
		return
	}
	own, shared := 1-share*float64(len(margins)), share*linalg.Sum(margins)
	for a, u := range margins {
		margins[a] = w * (own*u + shared)
	}
}
