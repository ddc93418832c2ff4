package partition

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

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

// enumerate lists all outputs for each group of rows, so that each is embedded once for all of these. Groups are the same
// for any number of workers.
func enumerate(space structure.Space, scores blas64.General, logZ []float64, marginals blas64.General, workers int,
	mon *parallel.Monitor) error {
	n, d := scores.Rows, space.FeatureLen()
	s, m := linalg.FromGeneral(scores), linalg.FromGeneral(marginals)
	var sums blockSums
	for lo := 0; lo < n; lo += groupRows {
		hi := min(lo+groupRows, n)
		var means linalg.Matrix[float64]
		if m.Rows > 0 {
			means = m.Slice(lo, hi, 0, d)
		}
		sums.reset(lo, s.Slice(lo, hi, 0, d), means)
		if err := sums.addAll(space, workers, mon); err != nil {
			return err
		}
		sums.finish(logZ[lo:hi])
		mon.Advance(hi - lo)
	}
	return mon.Err()
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
