package aggregate

import (
	"math/rand/v2"

	"combpred/core/extensions"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Extend returns random linear extensions of partial orders of k items, as rankings that share the weight of theirs: many, at
// least 2, for each row of relations. These have k×k entries each: whether u is before v. They must be transitive and without
// circles. Each partial order has a seed of its own, which follows from its number and the seed. Cost: that of
// extensions.Batch.
func Extend(relations []bool, k int, weights []float64, many int, seed uint64, workers int, mon *parallel.Monitor) (*Profile, error) {
	if k < 2 || len(relations) == 0 || len(relations)%(k*k) != 0 {
		return nil, fault.Value("relations have %d entries, must have k² each for one of k ≥ 2 items or more, here k = %d",
			len(relations), k)
	}
	n := len(relations) / (k * k)
	switch {
	case many < 2 || many > 1<<24:
		return nil, fault.Value("there are %d extensions of each partial order, must be between 2 and %d", many, 1<<24)
	case weights != nil && len(weights) != n:
		return nil, fault.Value("there are %d weights for %d partial orders", len(weights), n)
	}
	if err := checkWeights(weights); err != nil {
		return nil, err
	}
	p := &Profile{linalg.NewMatrix[float64](n*many, k), make([]float64, n*many), many}
	orders := make([]int32, many*k)
	for i := range n {
		poset, err := posetOf(relations[i*k*k:(i+1)*k*k], k)
		if err != nil {
			return nil, fault.At(i, err)
		}
		var source rand.PCG
		parallel.Stream(&source, seed, i)
		if err := extensions.Batch(poset, extensions.Auto, source.Uint64(), orders, nil, workers, mon); err != nil {
			return nil, err
		}
		share := 1 / float64(many)
		if weights != nil {
			share = weights[i] / float64(many)
		}
		for j := range many {
			row := p.Ranks.Row(i*many + j)
			for place, u := range orders[j*k : (j+1)*k] {
				row[u] = float64(place + 1)
			}
			p.Weights[i*many+j] = share
		}
	}
	return p, nil
}

// posetOf returns a relation as a partial order.
func posetOf(relation []bool, k int) (*extensions.Poset, error) {
	var pairs [][2]int32
	for i, before := range relation {
		if before {
			pairs = append(pairs, [2]int32{int32(i / k), int32(i % k)})
		}
	}
	poset, err := extensions.New(k, pairs)
	if err != nil {
		return nil, err
	}
	for u := range k {
		for v := range k {
			if poset.Before(u, v) && !relation[u*k+v] {
				return nil, fault.Value("the relation is not transitive: %d is before %d by way of others, and not by itself", u, v)
			}
		}
	}
	return poset, nil
}
