package primal

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Solve trains on rows in memory or in mapped files and writes W to dst (q×d). Each pass counts as a step of mon. A
// *solve.NotConvergedError comes with the weights where it stopped.
func (t *Task) Solve(dst linalg.Matrix[float64], r *Rows, workers int, mon *parallel.Monitor) (solve.Info, error) {
	_, p := r.X.Size()
	own := *t
	own.Double = t.Double || r.X.sparse() != nil || r.Psi.sparse() != nil
	m, err := own.Start(make([]float64, own.StateLen(p)), p)
	if err != nil {
		return solve.Info{}, err
	}
	for {
		request, err := m.Next(mon)
		switch request {
		case NeedSums:
			err = own.AddSums(m.Sums(), r, workers, mon)
		case NeedProduct:
			err = own.AddProduct(m.Product(), m.Direction(), r, workers, mon)
		case Done:
			dst.CopyFrom(m.Weights())
			return m.Info(), err
		}
		if err != nil {
			return solve.Info{}, err
		}
		mon.Advance(1)
	}
}
