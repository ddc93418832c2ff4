package primal

import (
	"combpred/core/kernel"
	"combpred/core/parallel"
)

// Wide are some rows as doubles.
type Wide struct {
	X       kernel.Rows
	Psi     matrix    // ψ of their outputs
	First   []int     // row i has the outputs First[i] to First[i+1] of Psi; nil: one each
	Weights []float64 // nil: all 1
}

const (
	wideEntries = 1 << 18 // numbers of the features or outputs of some rows: they stay in cache
	wideRows    = 1024    // of them, at least: their distributions are shared out among workers
)

// EachWide calls f for consecutive rows from lo on, all of them in turn, after checking that their numbers are finite. What f is given is
// overwritten afterwards.
func (r *Rows) EachWide(mon *parallel.Monitor, f func(lo int, some Wide) error) error {
	n, p := r.X.Size()
	_, d := r.Psi.Size()
	step := max(wideEntries/max(p, d, 1), wideRows)
	if r.X.sparse() != nil {
		step = max(step, 2*p) // a product of sparse rows writes the whole sum, of p rows
	}
	var features, embedded []float64
	var psi psiRows
	for lo := 0; lo < n; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		some := Wide{X: r.X.Rows(lo, hi, &features)}
		if r.Weights != nil {
			some.Weights = r.Weights[lo:hi]
		}
		if err := some.check(lo); err != nil {
			return err
		}
		from, to := r.outputs(lo, hi)
		some.Psi = block(&embedded, to-from, d)
		if err := r.wideTo(some.Psi, &psi, from); err != nil {
			return r.renumbered(err)
		}
		if r.First != nil {
			some.First = make([]int, hi-lo+1)
			for i := range some.First {
				some.First[i] = r.First[lo+i] - from
			}
		}
		if err := f(lo, some); err != nil {
			return err
		}
		if r.Release != nil {
			r.Release(lo, hi)
		}
	}
	return nil
}

// check returns an error about the first row that is not finite, or too long; the first of them has the number lo.
func (w *Wide) check(lo int) error {
	for i := range w.X.Len() {
		weight := 1.0
		if w.Weights != nil {
			weight = w.Weights[i]
		}
		columns, x := w.X.Row(i)
		if err := checkRow(lo+i, x, columns, weight); err != nil {
			return err
		}
	}
	return nil
}

// wideTo writes ψ of the outputs from number from on to dst.
func (r *Rows) wideTo(dst matrix, b *psiRows, from int) error {
	if s := r.Psi.sparse(); s != nil {
		for i := range dst.Rows {
			row := dst.Row(i)
			clear(row)
			columns, values := s.Row(from + i)
			for k, j := range columns {
				row[j] += values[k]
			}
			if err := finitePsi(from+i, row); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.Psi.read(b, from, from+dst.Rows); err != nil {
		return err
	}
	for i := range dst.Rows {
		copy(dst.Row(i), b.wideRow(dst.Row(i), i))
	}
	return nil
}
