package estimate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	// prospectDraws is the number of uniform outputs that are enough to give coupling up.
	prospectDraws = 4096
	// prospectAtOnce is the number of them that a worker draws at a time.
	prospectAtOnce = 64
)

// logDoubt is by how much they may be wrong then.
var logDoubt = math.Log(1000)

// HopelessError says that coupling from the past by uniform proposals would not end within its budget. Nothing was drawn.
type HopelessError struct {
	Log10  float64 // of the number of steps that a sample takes
	Budget int64
}

// Figure says what uniform outputs tell.
func (e *HopelessError) Figure() string {
	return fmt.Sprintf("by the scores of %d uniform outputs, coupling from the past takes about 10^%.0f steps for a sample", prospectDraws,
		e.Log10)
}

func (e *HopelessError) Error() string {
	return fmt.Sprintf("%s, and is given %d", e.Figure(), e.Budget)
}

func (e *HopelessError) Kind() fault.Kind { return fault.KindBudget }

// Prospect returns a *HopelessError for the row for which uniform proposals have the least prospect of coupling within
// a number of steps, if it has none. bound holds bounds on the scores of rows; nil: chain.UpperBound's.
//
// A sample takes 1/β proposals on average, for β = E exp(h − b) under the uniform distribution and a bound b on the scores h. What
// uniform outputs tell of β misses rare ones of high scores. So it is taken for no less than it would be were scores normal, and for a
// thousand times as much; and 1/β is at most the number of outputs where b is the largest score. Of a structure that lacks what this
// needs nothing is said. Where rows are of several spaces, it is about the first of these that has such a row.
func Prospect(b *structure.Batch, bound []float64, steps int64, workers int, mon *parallel.Monitor) error {
	for g := range b.Groups() {
		if err := prospectOf(b, g, bound, steps, workers, mon); err != nil {
			return err
		}
	}
	return nil
}

// prospectOf is Prospect for the rows of a space.
func prospectOf(b *structure.Batch, g structure.Group, bound []float64, steps int64, workers int, mon *parallel.Monitor) error {
	space := g.Space
	_, samples := space.(structure.Sampler)
	moments, averages := space.(structure.Momenter)
	logCount, err := structure.LogCount(space)
	most := math.Log(float64(steps)) + logDoubt
	if !samples || !averages || err != nil || !(logCount > most) {
		return nil
	}
	mean := make([]float64, space.FeatureLen())
	moments.Mean(mean)
	var far []prospect
	for k := range g.Len() {
		i := g.Row(k)
		_, score := b.Row(i)
		var top float64
		if bound != nil {
			top = bound[i]
		} else if top, err = chain.UpperBound(space, score, mon.Err); err != nil {
			if _, lacks := errors.AsType[*structure.CapabilityError](err); lacks {
				return nil
			}
			return b.Blame(i, err)
		}
		if top-floats.Dot(score.Linear, mean) > most { // elsewhere 1/β is less, by Jensen's inequality
			far = append(far, prospect{row: i, bound: top, score: score})
		}
	}
	if len(far) == 0 {
		return nil
	}
	scores, values := make([]structure.Scores, len(far)), make([][]float64, len(far))
	for i, p := range far {
		scores[i], values[i] = p.score, make([]float64, prospectDraws)
	}
	err = parallel.For(prospectDraws, prospectAtOnce, workers, nil, func(lo, hi int) error {
		return UniformScores(values, space, scores, lo, hi, mon)
	})
	if err != nil {
		return err
	}
	worst, longest := 0, math.Inf(-1)
	for i, p := range far {
		if log := min(p.logSteps(values[i]), logCount); log > longest {
			worst, longest = p.row, log
		}
	}
	if longest <= most {
		return nil
	}
	return fault.At(worst, &HopelessError{Log10: longest / math.Ln10, Budget: steps})
}

// prospect is a row that uniform proposals may take long for.
type prospect struct {
	row   int
	bound float64
	score structure.Scores
}

// logSteps returns ln 1/β by what uniform outputs score.
func (p prospect) logSteps(values []float64) float64 {
	n := float64(len(values))
	mean := floats.Sum(values) / n
	var variance float64
	for _, v := range values {
		variance += (v - mean) * (v - mean) / n
	}
	return p.bound - max(floats.LogSumExp(values)-math.Log(n), mean+variance/2)
}

// UniformScores sets values[i][k] for lo ≤ k < hi to the score of the k-th uniform output by scores[i]. The k-th output of a structure,
// which must be a structure.Sampler, is the same in all calls.
func UniformScores(values [][]float64, space structure.Space, scores []structure.Scores, lo, hi int, mon *parallel.Monitor) error {
	sampler := space.(structure.Sampler)
	y, psi := make([]int32, space.PartLen()), make([]float64, space.FeatureLen())
	var source rand.PCG
	rng := rand.New(&source)
	for k := lo; k < hi; k++ {
		if err := mon.Err(); err != nil {
			return err
		}
		parallel.Stream(&source, 0, k)
		sampler.Sample(y, rng)
		space.Embed(psi, y)
		for i, s := range scores {
			values[i][k] = s.Value(psi)
		}
	}
	return nil
}
