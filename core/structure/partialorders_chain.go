package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/ordering"
)

const (
	chainBatches = 32      // batches of each chain, whose means are compared
	chainStart   = 16      // batches before them that are not counted
	chainSteps   = 1 << 21 // of each chain, but for many items
	fewestSweeps = 64      // in a batch, of n² steps each
)

// estimateRelated estimates the probability that a pair of items is related in a uniform partial order, and the standard
// error of the estimate.
//
// The chain proposes an ordered pair of items: it removes the relation if the first is directly before the second, and adds
// it if they are unrelated and the order stays transitive. A step and its way back have equal probabilities, and removing
// one relation after the other leads from any order to that without relations, so that the uniform distribution is its
// only stationary one. How soon it is reached is not known, so two chains are run from opposite starts, the order without
// relations and a total order. The standard error is that of the means of batches, or that of the two means of the chains
// where this is larger: so it shows if a start is not forgotten. The random numbers are the same in every call.
func estimateRelated(n int) (q, standardError float64) {
	var none, total ordering.Partial
	none.Reset(n)
	total.Reset(n)
	for v := range n {
		for u := range v {
			total.Add(u, v)
		}
	}
	rng := rand.New(rand.NewPCG(0x0b5e7, uint64(n)))
	first, firstVariance := averageRelated(&none, n, rng)
	second, secondVariance := averageRelated(&total, n, rng)
	standardError = max(math.Sqrt(firstVariance+secondVariance), math.Abs(first-second)) / 2
	pairs := float64(n*(n-1)) / 2
	return (first + second) / 2 / pairs, standardError / pairs
}

// averageRelated returns the average number of related pairs along a chain, and the variance of that average from the
// means of batches.
func averageRelated(order *ordering.Partial, n int, rng *rand.Rand) (mean, variance float64) {
	related := 0
	for u := range n {
		for v := range n {
			if order.Before(u, v) {
				related++
			}
		}
	}
	sweeps := max(fewestSweeps, chainSteps/((chainStart+chainBatches)*n*n))
	var squares float64
	for batch := range chainStart + chainBatches {
		var sum float64
		for range sweeps {
			for range n * n {
				u, v := rng.IntN(n), rng.IntN(n)
				if order.CanRemove(u, v) {
					order.Remove(u, v)
					related--
				} else if order.CanAdd(u, v) {
					order.Add(u, v)
					related++
				}
			}
			sum += float64(related)
		}
		if k := batch - chainStart + 1; k > 0 { // Welford (1962)
			x := sum / float64(sweeps)
			step := x - mean
			mean += step / float64(k)
			squares += step * (x - mean)
		}
	}
	return mean, squares / (chainBatches * (chainBatches - 1))
}
