package partition

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	// MostListed is the largest number of outputs that are summed over one by one.
	MostListed = 1_000_000
	// pollEvery is the number of outputs between two looks at the monitor.
	pollEvery = 1 << 10
)

// listingCost returns how many operations a row takes by enumeration, or why it cannot be done. Where the number of
// outputs is not known the cost is that of the most outputs, and the listing itself refuses.
func listingCost(space structure.Space) (float64, error) {
	if _, ok := space.(structure.Enumerator); !ok {
		return 0, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need:      "a recursion for its partition function, or a list of its outputs",
		}
	}
	outputs := float64(MostListed)
	if log, err := structure.LogCount(space); err == nil && !math.IsNaN(log) {
		if log > math.Log(MostListed+0.5) {
			return 0, tooMany(space, log)
		}
		outputs = math.Exp(log)
	}
	return outputs * float64(2*space.FeatureLen()+space.PartLen()+20), nil
}

// tooMany is the refusal of a space with exp(log) outputs, or of one with more than the limit where log is 0.
func tooMany(space structure.Space, log float64) error {
	size := MostListed + 1
	if log > 0 {
		size = int(min(math.Round(math.Exp(min(log, 60))), math.MaxInt64/2))
	}
	return &structure.LimitError{
		What:         "the sum over all outputs, one by one, of " + structure.Describe(space) + ", by their number,",
		Size:         size,
		Limit:        MostListed,
		Alternatives: "take a smaller size",
	}
}

// visit calls f with every output, up to the limit, until it returns an error. What f is given is reused.
func visit(space structure.Space, mon *parallel.Monitor, f func(y []int32) error) error {
	at := 0
	for y := range space.(structure.Enumerator).All() {
		if at%pollEvery == 0 {
			if err := mon.Err(); err != nil {
				return err
			}
		}
		if at++; at > MostListed {
			return tooMany(space, 0)
		}
		if err := f(y); err != nil {
			return err
		}
	}
	return nil
}

// enumerate lists all outputs of a space for each so many of its rows, so that each is embedded once for all of these. They are the same
// for any number of workers.
func enumerate(b *structure.Batch, g structure.Group, logZ, marginals []float64, workers int, mon *parallel.Monitor) error {
	var sums blockSums
	var gathered []float64
	for lo := 0; lo < g.Len(); lo += groupRows {
		rows := g.Slice(lo, min(lo+groupRows, g.Len()))
		scores, means, placed := b.Matrix(rows, marginals)
		if !placed {
			scores, means, gathered = gather(b, rows, marginals != nil, gathered)
		}
		sums.reset(rows, linalg.FromGeneral(scores), linalg.FromGeneral(means))
		if err := sums.addAll(g.Space, workers, mon); err != nil {
			if fault.RowOf(err) == fault.NoRow {
				err = b.Blame(g.Row(0), err)
			}
			return err
		}
		sums.finish(logZ)
		if !placed {
			for k := range means.Rows {
				copy(b.Vector(marginals, rows.Row(k)), means.Data[k*means.Stride:][:means.Cols])
			}
		}
		mon.Advance(rows.Len())
	}
	return mon.Err()
}

// gather returns the scores of rows as a matrix, and one for their means if these are wanted, in memory that may be reused.
func gather(b *structure.Batch, rows structure.Group, wanted bool, memory []float64) (scores, means blas64.General, _ []float64) {
	n, d := rows.Len(), rows.Space.FeatureLen()
	memory = slices.Grow(memory[:0], 2*n*d)[:2*n*d]
	scores = blas64.General{Rows: n, Cols: d, Stride: max(d, 1), Data: memory[:n*d]}
	for k := range n {
		copy(scores.Data[k*d:(k+1)*d], b.Linear(rows.Row(k)))
	}
	if wanted {
		means = blas64.General{Rows: n, Cols: d, Stride: max(d, 1), Data: memory[n*d:]}
	}
	return scores, means, memory
}

// drawListed writes independent samples to out, one for each entry: the outputs' weights are added up in the order of the
// list, and each sample is the output on whose share a uniform number falls.
func drawListed(space structure.Space, scores []float64, out [][]int32, rng *rand.Rand, mon *parallel.Monitor) error {
	psi := make([]float64, space.FeatureLen())
	var values []float64
	err := visit(space, mon, func(y []int32) error {
		space.Embed(psi, y)
		values = append(values, linalg.Dot(scores, psi))
		return nil
	})
	if err != nil {
		return err
	}
	table := logsum.NewTable(values)
	type drawn struct{ output, sample int }
	draws := make([]drawn, len(out))
	for i := range draws {
		draws[i] = drawn{table.Draw(rng), i}
	}
	slices.SortFunc(draws, func(a, b drawn) int { return a.output - b.output })
	at := 0
	return visit(space, mon, func(y []int32) error {
		for len(draws) > 0 && draws[0].output == at {
			copy(out[draws[0].sample], y)
			draws = draws[1:]
		}
		at++
		return nil
	})
}
