// Package expect answers what package loglinear asks about the distributions of rows: exactly, or by samples.
package expect

import (
	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

const embeddedRows = 64 // rows whose draws a worker embeds at a time

// Exact answers by the exact partition functions of structures.
type Exact struct {
	Spaces  Spaces
	Workers int
}

// Answer implements loglinear.Oracle.
func (e Exact) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	rows, err := e.Spaces.requested(r)
	if err != nil {
		return err
	}
	switch r.Ask {
	case loglinear.Expect:
		return partition.Batch(rows, r.LogZ, r.Means.Data, e.Workers, mon)
	case loglinear.Mean:
		return partition.Batch(rows, make([]float64, r.Scores.Rows), r.Means.Data, e.Workers, mon)
	case loglinear.Draw:
		if e.Spaces.need(drawable) != nil {
			return loglinear.ErrNoDraws
		}
		return e.draw(r, rows, mon)
	}
	return fault.Value("exact expectations need no pairs")
}

func drawable(space structure.Space) error {
	if partition.Drawable(space) {
		return nil
	}
	return &structure.CapabilityError{Structure: structure.Describe(space), Need: "exact draws from its distributions"}
}

// draw draws by seeds that follow from the rows: the draws steer a search and leave where it ends alone.
func (e Exact) draw(r loglinear.RowsRequest, rows *structure.Batch, mon *parallel.Monitor) error {
	n := rows.Len()
	y := make([]int32, r.Draws*rows.Parts())
	if err := partition.SampleRows(rows, r.Draws, uint64(r.Rows.At(0)), parallel.Numbered(n), y, e.Workers, mon); err != nil {
		return err
	}
	return parallel.For(n, embeddedRows, e.Workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			space, _ := rows.Row(i)
			for k := range r.Draws {
				space.Embed(r.Psi.Row(i*r.Draws+k), rows.OutputOf(y, i, k, r.Draws))
			}
		}
		return nil
	})
}
