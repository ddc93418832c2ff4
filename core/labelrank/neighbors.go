package labelrank

import (
	"fmt"

	"combpred/core/badrow"
	"combpred/core/decode"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Neighbors are, for each of n rows, the numbers of m of the examples, and how much each of them counts.
type Neighbors struct {
	Examples *Examples // only their signs and weights matter, by which neighbours are weighed, too
	Numbers  []int64   // n×m
	Weights  matrix    // n×m, finite and not negative
}

// Check returns an error where a number is none of an example, or a weight none at all.
func (v *Neighbors) Check() error {
	m := v.Weights.Cols
	for i := range v.Weights.Rows {
		for j, w := range v.Weights.Row(i) {
			if at := v.Numbers[i*m+j]; at < 0 || at >= int64(v.Examples.Rows()) {
				return badrow.Named(i, "labelrank: row %d has the neighbour %d, must be from 0 to %d", i, at, v.Examples.Rows()-1)
			}
			if !finite(w) || w < 0 {
				return badrow.Named(i, "labelrank: row %d has a neighbour of weight %g, must be finite and not negative", i, w)
			}
		}
	}
	return nil
}

// Consensus is what the neighbours of each row make of the labels; what is nil, or has no data, is not wanted.
type Consensus struct {
	// Scores, n×k, are the mean Borda scores: to how many labels each one is preferred, less how many are preferred to it.
	Scores matrix
	// Positions, n×k from 1 on, reverse the least weight of preferences: exactly where package decode can, otherwise by its search.
	Positions []int32
	// Theta and Probability, of n each, are those of Mallows' model around the positions, which they need: its concentration, and the
	// probability of the positions themselves.
	Theta, Probability []float64
}

// ConsensusTo writes what is wanted. Cost: O(m k²) for each row, and that of decoding.
func (v *Neighbors) ConsensusTo(dst Consensus, workers int, mon *parallel.Monitor) error {
	if err := v.Check(); err != nil {
		return err
	}
	k := v.Examples.Labels
	var one decode.One
	if dst.Positions != nil {
		space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": int64(k)}})
		if err != nil {
			return err
		}
		if one, err = decode.NewOne(space, decode.Auto, 0, mon.Err); err != nil {
			return err
		}
	}
	return parallel.For(v.Weights.Rows, 1+(1<<14)/(v.Weights.Cols*k*k+1), workers, mon, func(lo, hi int) error {
		net, stated := make([]float64, v.Examples.pairs()), make([]float64, v.Examples.pairs())
		model := newMallows(k)
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			total := v.votesTo(net, stated, i)
			if dst.Scores.Data != nil {
				bordaTo(dst.Scores.Row(i), net, total)
			}
			if one == nil {
				continue
			}
			if err := structure.CheckScores(net); err != nil {
				return fmt.Errorf("labelrank: %w", badrow.At(i, err))
			}
			positions := dst.Positions[i*k : (i+1)*k]
			if _, err := one(positions, structure.Scores{Linear: net}, i); err != nil {
				return fmt.Errorf("labelrank: %w", badrow.At(i, err))
			}
			if dst.Theta != nil {
				dst.Theta[i], dst.Probability[i] = model.fit(positions, net, stated)
			}
		}
		return nil
	})
}

// votesTo sums the preferences of the neighbours of row i: of each pair u < v, net gets the weight of what prefers u less the weight of
// what prefers v, and stated their sum. It returns the weight of all neighbours.
func (v *Neighbors) votesTo(net, stated []float64, i int) (total float64) {
	clear(net)
	clear(stated)
	for j, w := range v.Weights.Row(i) {
		at := int(v.Numbers[i*v.Weights.Cols+j])
		w *= v.Examples.weight(at)
		total += w
		for p, sign := range v.Examples.Signs[at*len(net) : (at+1)*len(net)] {
			switch {
			case sign > 0:
				net[p] += w
				stated[p] += w
			case sign < 0:
				net[p] -= w
				stated[p] += w
			}
		}
	}
	return total
}

// bordaTo writes the sum of net by label, over the weight of all; nothing is preferred where no neighbour has weight.
func bordaTo(dst, net []float64, total float64) {
	clear(dst)
	p := 0
	for u := range dst {
		for v := u + 1; v < len(dst); v++ {
			dst[u] += net[p]
			dst[v] -= net[p]
			p++
		}
	}
	if total > 0 {
		for u := range dst {
			dst[u] /= total
		}
	}
}
