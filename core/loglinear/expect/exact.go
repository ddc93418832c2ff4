// Package expect answers what package loglinear asks about the distributions of rows: exactly, or by samples.
package expect

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

const embeddedRows = 64 // rows whose draws a worker embeds at a time

// Exact answers by the exact partition functions of a structure.
type Exact struct {
	Space   structure.Space
	Workers int
}

// Answer implements loglinear.Oracle.
func (e Exact) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	rows := structure.Rows(e.Space, linalg.General(r.Scores))
	switch r.Ask {
	case loglinear.Expect:
		return partition.Batch(rows, r.LogZ, r.Means.Data, e.Workers, mon)
	case loglinear.Mean:
		return partition.Batch(rows, make([]float64, r.Scores.Rows), r.Means.Data, e.Workers, mon)
	case loglinear.Draw:
		if !partition.Drawable(e.Space) {
			return loglinear.ErrNoDraws
		}
		return e.draw(r, mon)
	}
	return fault.Value("exact expectations need no pairs")
}

// draw draws by seeds that follow from the rows: the draws steer a search and leave where it ends alone.
func (e Exact) draw(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	n, parts := r.Scores.Rows, e.Space.PartLen()
	scores, streams := linalg.General(r.Scores), parallel.Numbered(n)
	y := make([]int32, r.Draws*n*parts)
	if err := partition.Sample(structure.Rows(e.Space, scores), r.Draws, uint64(r.Rows.At(0)), streams, y, e.Workers, mon); err != nil {
		return err
	}
	return parallel.For(n, embeddedRows, e.Workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			for k := range r.Draws {
				at := (k*n + i) * parts
				e.Space.Embed(r.Psi.Row(i*r.Draws+k), y[at:at+parts])
			}
		}
		return nil
	})
}
