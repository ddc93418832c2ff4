package labelrank

import (
	"math"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Neighbors are, for each of n rows, the numbers of m of the examples, and how much each of them counts.
type Neighbors struct {
	Examples *Examples // only their signs and weights matter, by which neighbours are weighed, too
	Numbers  []int64   // n×m
	Weights  matrix    // n×m, finite and not negative
	// Counts, unless nil, are the Borda scores of the examples, k each, as ConsensusTo gives them where each is its own neighbour: those
	// of rows with neighbours then take O(m k).
	Counts []int32
}

// Check returns an error where a number is none of an example, or a weight none at all.
func (v *Neighbors) Check() error {
	m := v.Weights.Cols
	for i := range v.Weights.Rows {
		for j, w := range v.Weights.Row(i) {
			if at := v.Numbers[i*m+j]; at < 0 || at >= int64(v.Examples.Rows()) {
				return fault.At(i, fault.Value("a neighbour is %d, must be from 0 to %d", at, v.Examples.Rows()-1))
			}
			if !finite(w) || w < 0 {
				return fault.At(i, fault.Value("the weight of a neighbour is %g, must be finite and not negative", w))
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
	// Pairs, n×k², are the shares of the neighbours' weight that prefer the label of the row to that of the column; one that prefers
	// neither counts half. The diagonal is 1/2.
	Pairs matrix
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
		model, counts := newMallows(k), make([]int32, k)
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			if dst.Scores.Data != nil {
				v.bordaTo(dst.Scores.Row(i), counts, i)
			}
			if one == nil && dst.Pairs.Data == nil {
				continue
			}
			v.votesTo(net, stated, i)
			if dst.Pairs.Data != nil {
				v.sharesTo(dst.Pairs.Row(i), net, i)
			}
			if one == nil {
				continue
			}
			if err := structure.CheckScores(net); err != nil {
				return fault.At(i, err)
			}
			positions := dst.Positions[i*k : (i+1)*k]
			if _, err := one(positions, structure.Scores{Linear: net}, i); err != nil {
				return fault.At(i, err)
			}
			if dst.Theta != nil {
				dst.Theta[i], dst.Probability[i] = model.fit(positions, net, stated)
			}
		}
		return nil
	})
}

// signum has 1, 0 and −1 for numbers of eight bits: without branches, which signs leave no way to foresee.
var signum = func() (table [256]float64) {
	for v := 1; v < 128; v++ {
		table[v], table[256-v] = 1, -1
	}
	table[128] = -1
	return table
}()

// votesTo sums the preferences of the neighbours of row i: of each pair u < v, net gets the weight of what prefers u less the weight of
// what prefers v, and stated their sum.
func (v *Neighbors) votesTo(net, stated []float64, i int) {
	clear(net)
	clear(stated)
	for j := range v.Weights.Cols {
		signs, w := v.neighbor(i, j)
		for p, sign := range signs {
			side := w * signum[uint8(sign)]
			net[p] += side
			stated[p] += math.Abs(side)
		}
	}
}

// sharesTo writes who is preferred to whom by which share of the neighbours of row i, 1/2 where no neighbour has weight.
func (v *Neighbors) sharesTo(dst, net []float64, i int) {
	total, k := 0.0, v.Examples.Labels
	for j := range v.Weights.Cols {
		_, w := v.neighbor(i, j)
		total += w
	}
	for u, p := 0, 0; u < k; u++ {
		dst[u*k+u] = 0.5
		for w := u + 1; w < k; w++ {
			share := 0.0
			if total > 0 {
				share = net[p] / total
			}
			dst[u*k+w], dst[w*k+u] = (1+share)/2, (1-share)/2
			p++
		}
	}
}

// bordaTo writes the mean Borda scores of the neighbours of row i; nothing is preferred where no neighbour has weight.
func (v *Neighbors) bordaTo(dst []float64, counts []int32, i int) {
	clear(dst)
	total := 0.0
	for j := range v.Weights.Cols {
		signs, w := v.neighbor(i, j)
		known := counts
		if v.Counts != nil {
			at := int(v.Numbers[i*v.Weights.Cols+j]) * len(dst)
			known = v.Counts[at : at+len(dst)]
		} else {
			countTo(counts, signs)
		}
		for u, count := range known {
			dst[u] += w * float64(count)
		}
		total += w
	}
	if total > 0 {
		for u := range dst {
			dst[u] /= total
		}
	}
}

// neighbor returns the signs of the j-th neighbour of row i, and its weight.
func (v *Neighbors) neighbor(i, j int) (signs []int8, weight float64) {
	e, at := v.Examples, int(v.Numbers[i*v.Weights.Cols+j])
	return e.Signs[at*e.pairs() : (at+1)*e.pairs()], v.Weights.Row(i)[j] * e.weight(at)
}

// countTo writes the Borda scores of signs.
func countTo(counts []int32, signs []int8) {
	clear(counts)
	for u := range counts {
		sum, after := int32(0), counts[u+1:]
		for at, sign := range signs[:len(after)] {
			wide := int32(sign)
			side := wide>>31 - -wide>>31 // 1, 0 or −1
			sum += side
			after[at] -= side
		}
		counts[u] += sum
		signs = signs[len(after):]
	}
}
