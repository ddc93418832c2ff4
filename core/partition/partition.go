// Package partition computes partition functions of the distributions p(y) ∝ exp⟨s, ψ(y)⟩, their marginals E ψ, and samples,
// for a batch of score vectors.
//
// A structure's own recursion or closed form does it where there is one and it takes the size, and otherwise a list of
// all outputs of up to a million. Both are exact up to rounding.
package partition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Engine is one of the ways to the partition function.
type Engine int

const (
	Recursion   Engine = iota // the structure's own recursion or closed form
	Enumeration               // a sum over all outputs one by one
)

const (
	// mostRows is the number of rows that a worker takes at a time, at most.
	mostRows = 16
	// grainCost is the number of operations for which a worker takes rows, about: enough to hide the cost of taking them.
	grainCost = 1e5
)

// Choose returns the engine that Batch takes, and about how many elementary operations a row costs it. A space that is too
// large for all is a *structure.LimitError, one that offers neither recursion nor list a *structure.CapabilityError.
func Choose(space structure.Space, marginals bool) (engine Engine, cost float64, err error) {
	p, ok := space.(structure.Partitioner)
	if ok {
		if cost = space.Facts().Sums.Cost(marginals); !math.IsInf(cost, 1) {
			return Recursion, cost, nil
		}
	}
	cost, err = listingCost(space)
	if err != nil && ok {
		// The recursion knows what its limit is.
		if _, own := p.LogPartition(nil, make([]float64, space.FeatureLen()), nil); own != nil {
			return 0, 0, own
		}
	}
	return Enumeration, cost, err
}

// usualRate is the number of operations in a second of a processor, measured: 2.5e8 to 7e8 for the recursions over subsets
// (cycles, permutations, weak orders, assignments), which are the slowest, and more for most others.
const usualRate = 3e8

// Seconds returns about how long a row takes on one processor. Errors are as those of Choose.
func Seconds(space structure.Space, marginals bool) (float64, error) {
	_, cost, err := Choose(space, marginals)
	if err != nil {
		return 0, err
	}
	if rate := space.Facts().Sums.Rate; rate > 0 {
		return cost / rate, nil
	}
	return cost / usualRate, nil
}

// Available reports whether Batch has an engine for a space, with marginals or without, that takes the size. Where the number
// of outputs is not known a list of them counts as one, though it may turn out to be too long.
func Available(space structure.Space, marginals bool) bool {
	if sums(space) && !math.IsInf(space.Facts().Sums.Cost(marginals), 1) {
		return true
	}
	_, err := listingCost(space)
	return err == nil
}

func sums(space structure.Space) bool {
	_, ok := space.(structure.Partitioner)
	return ok
}

// Batch writes ln Σ_y exp⟨s, ψ(y)⟩ for every row s of scores (n×d) to logZ (n) and, unless marginals has no rows, the
// marginals E ψ to marginals (n×d). It returns the engine that did it.
//
// A row with a score that is infinite or NaN, or with scores whose sum overflows, is an error that names it. After an
// error the outputs are unspecified. Results do not depend on workers. Sums over lists of outputs are products of
// matrices: their last digits may depend on the number of rows, on the BLAS and on its threads.
func Batch(space structure.Space, scores blas64.General, logZ []float64, marginals blas64.General, workers int,
	mon *parallel.Monitor) (Engine, error) {
	if err := checkShapes(space, scores, logZ, marginals); err != nil {
		return 0, err
	}
	engine, cost, err := Choose(space, marginals.Rows > 0)
	if err != nil {
		return 0, err
	}
	for i := range scores.Rows {
		if err := structure.CheckScores(row(scores, i)); err != nil {
			return 0, fault.At(i, err)
		}
	}
	// A table is a list that needs no embedding, and several rows at a time are faster than the space's own sums for one.
	if space.Facts().Table.Rows > 0 || engine == Enumeration {
		return engine, enumerate(space, scores, logZ, marginals, workers, mon)
	}
	p := space.(structure.Partitioner)
	return engine, parallel.For(scores.Rows, grain(cost), workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			var to []float64
			if marginals.Rows > 0 {
				to = row(marginals, i)
			}
			v, err := p.LogPartition(to, row(scores, i), mon.Err)
			if err != nil {
				return fault.At(i, err)
			}
			logZ[i] = v
		}
		return nil
	})
}

// Positions writes, for every row s of scores (n×d), the probability that item u of a ranking is at position r + 1 under
// p(y) ∝ exp⟨s, ψ(y)⟩ to dst[i,u,r], n matrices of k×k. Errors are as those of Batch, and a *structure.CapabilityError for spaces
// of other things than rankings without ties. Results do not depend on workers.
func Positions(space structure.Space, scores blas64.General, dst []float64, workers int, mon *parallel.Monitor) error {
	positions := space.Facts().Positions
	if positions == nil {
		return &structure.CapabilityError{Structure: structure.Describe(space), Need: "positions of items"}
	}
	if scores.Cols != space.FeatureLen() {
		return fault.Value("scores has %d columns, %s needs %d", scores.Cols, structure.Describe(space), space.FeatureLen())
	}
	k := space.PartLen()
	if len(dst) != scores.Rows*k*k {
		return fault.Value("dst has %d entries, must have %d", len(dst), scores.Rows*k*k)
	}
	_, cost, err := Choose(space, true)
	if err != nil {
		return err
	}
	return parallel.For(scores.Rows, grain(cost), workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			err := structure.CheckScores(row(scores, i))
			if err == nil {
				err = positions(dst[i*k*k:(i+1)*k*k], row(scores, i), mon.Err)
			}
			if err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
}

// grain returns how many rows of the given cost a worker takes at a time.
func grain(cost float64) int { return int(max(1, min(mostRows, grainCost/cost))) }

func checkShapes(space structure.Space, scores blas64.General, logZ []float64, marginals blas64.General) error {
	n, d := scores.Rows, space.FeatureLen()
	switch {
	case scores.Cols != d:
		return fault.Value("scores has %d columns, %s needs %d", scores.Cols, structure.Describe(space), d)
	case len(logZ) != n:
		return fault.Value("logZ has %d entries, must have %d", len(logZ), n)
	case marginals.Rows != 0 && (marginals.Rows != n || marginals.Cols != d):
		return fault.Value("marginals is %d×%d, must be %d×%d", marginals.Rows, marginals.Cols, n, d)
	}
	return nil
}

func row(m blas64.General, i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}
