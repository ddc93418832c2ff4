// Package partition computes partition functions of the distributions p(y) ∝ exp⟨s, ψ(y)⟩, their marginals E ψ, and samples,
// for a batch of score vectors.
//
// A structure's own recursion or closed form does it where there is one and it takes the size, and otherwise a list of
// all outputs of up to a million. Both are exact up to rounding.
package partition

import (
	"math"

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

// Cost says how Batch treats a row of a space.
type Cost struct {
	Engine     Engine
	Operations float64 // elementary ones, about
	Seconds    float64 // of one processor, about
}

// Costs returns that of the rows of the space that take longest each, and about how many seconds all rows take on one processor. Errors are
// as those of Choose.
func Costs(b *structure.Batch, marginals bool) (longest Cost, total float64, err error) {
	costs, err := structure.ForSpaces(b, func(_ int, s structure.Space) (c Cost, err error) {
		if c.Engine, c.Operations, err = Choose(s, marginals); err == nil {
			c.Seconds, err = Seconds(s, marginals)
		}
		return c, err
	})
	if err != nil {
		return longest, 0, err
	}
	longest = costs[0]
	for g := range b.Groups() {
		c := costs[g.At]
		if total += c.Seconds * float64(g.Len()); c.Seconds > longest.Seconds {
			longest = c
		}
	}
	return longest, total, nil
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

// Batch writes ln Σ_y exp⟨s, ψ(y)⟩ for every row s to logZ (n) and, unless marginals is nil, the marginals E ψ to marginals, packed.
//
// A row with a score that is infinite or NaN, or with scores whose sum overflows, is an error that names it. After an
// error the outputs are unspecified. Results do not depend on workers. Sums over lists of outputs are products of
// matrices: their last digits may depend on the number of rows of the same space, on the BLAS and on its threads.
func Batch(b *structure.Batch, logZ, marginals []float64, workers int, mon *parallel.Monitor) error {
	if err := checkShapes(b, logZ, marginals); err != nil {
		return err
	}
	plans, err := structure.ForSpaces(b, func(_ int, s structure.Space) (plan, error) { return planOf(s, marginals != nil) })
	if err != nil {
		return err
	}
	if err := b.CheckAllScores(); err != nil {
		return err
	}
	atOnce, quiet := math.MaxInt, mon
	for _, p := range plans {
		if p.sums != nil {
			atOnce, quiet = min(atOnce, grain(p.cost)), mon.Quiet()
		}
	}
	for g := range b.Groups() {
		if plans[g.At].sums == nil {
			if err := enumerate(b, g, logZ, marginals, workers, quiet); err != nil {
				return err
			}
		}
	}
	if atOnce == math.MaxInt {
		return mon.Err()
	}
	return b.Each(atOnce, workers, mon, func(g structure.Group) error {
		sums := plans[g.At].sums
		if sums == nil {
			return nil
		}
		for k := range g.Len() {
			i := g.Row(k)
			var to []float64
			if marginals != nil {
				to = b.Vector(marginals, i)
			}
			v, err := sums.LogPartition(to, b.Linear(i), mon.Err)
			if err != nil {
				return b.Blame(i, err)
			}
			logZ[i] = v
		}
		return nil
	})
}

// plan is how the sums over the outputs of a space are done.
type plan struct {
	sums structure.Partitioner // nil: outputs are listed
	cost float64
}

func planOf(space structure.Space, marginals bool) (plan, error) {
	engine, cost, err := Choose(space, marginals)
	// A table is a list that needs no embedding, and several rows at a time are faster than the space's own sums for one.
	if err != nil || space.Facts().Table.Rows > 0 || engine == Enumeration {
		return plan{}, err
	}
	return plan{space.(structure.Partitioner), cost}, nil
}

// Positions writes, for every row s, the probability that item u of a ranking is at position r + 1 under p(y) ∝ exp⟨s, ψ(y)⟩ to
// dst[i,u,r]: for rankings of k items a matrix of k×k, one behind the other. Errors are as those of Batch, and a
// *structure.CapabilityError for spaces of other things than rankings without ties. Results do not depend on workers.
func Positions(b *structure.Batch, dst []float64, workers int, mon *parallel.Monitor) error {
	if err := b.CheckLinear(); err != nil {
		return err
	}
	engines, err := structure.ForSpaces(b, func(_ int, s structure.Space) (positions, error) {
		own := s.Facts().Positions
		if own == nil {
			return positions{}, &structure.CapabilityError{Structure: structure.Describe(s), Need: "positions of items"}
		}
		_, cost, err := Choose(s, true)
		if err != nil {
			return positions{}, fault.Wrap("%w, or count positions in draws of sample", err)
		}
		return positions{own, grain(cost)}, nil
	})
	if err != nil {
		return err
	}
	places, atOnce := make([]int, b.Len()), mostRows
	for i, at := 0, 0; i < len(places); i++ {
		places[i] = at
		at += items(b, i) * items(b, i)
		atOnce = min(atOnce, engines[b.At(i)].atOnce)
	}
	if all := Places(b); len(dst) != all {
		return fault.Value("dst has %d entries, must have %d", len(dst), all)
	}
	return b.EachRow(atOnce, workers, mon, func(i int) error {
		if err := b.CheckScores(i); err != nil {
			return err
		}
		k := items(b, i)
		return engines[b.At(i)].write(dst[places[i]:places[i]+k*k], b.Linear(i), mon.Err)
	})
}

// Places returns the number of entries that Positions writes.
func Places(b *structure.Batch) (all int) {
	for g := range b.Groups() {
		k := g.Space.PartLen()
		all += g.Len() * k * k
	}
	return all
}

// items returns the number of items that row i ranks.
func items(b *structure.Batch, i int) int {
	lo, hi := b.PartsOf(i)
	return hi - lo
}

// positions are those of the facts of a space, and how many rows a worker takes at a time.
type positions struct {
	write  func(dst, scores []float64, poll func() error) error
	atOnce int
}

// grain returns how many rows of the given cost a worker takes at a time.
func grain(cost float64) int { return int(max(1, min(mostRows, grainCost/cost))) }

func checkShapes(b *structure.Batch, logZ, marginals []float64) error {
	switch {
	case b.CheckLinear() != nil:
		return b.CheckLinear()
	case len(logZ) != b.Len():
		return fault.Value("logZ has %d entries, must have %d", len(logZ), b.Len())
	case marginals != nil && len(marginals) != b.Entries():
		return fault.Value("marginals has %d entries, must have %d", len(marginals), b.Entries())
	}
	return nil
}
