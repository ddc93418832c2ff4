package aggregate

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/linalg"
)

var kinds = []string{"strict", "ties", "unknown"}

// randomProfile returns rankings without ties, with ties, or with both ties and unknown items; weights are whole numbers, or
// multiples of 0.3.
func randomProfile(rng *rand.Rand, kind string, k, n int) *Profile {
	p := &Profile{Ranks: linalg.NewMatrix[float64](n, k), Weights: make([]float64, n)}
	halved, unit := rng.IntN(2) == 0, []float64{1, 0.3}[rng.IntN(2)]
	for i := range n {
		row := p.Ranks.Row(i)
		for u, r := range rng.Perm(k) {
			switch {
			case kind == "strict":
				row[u] = float64(r + 1)
			case halved:
				row[u] = float64(r / 2)
			default:
				row[u] = float64(rng.IntN(k))
			}
			if kind == "unknown" && rng.Float64() < 0.35 {
				row[u] = []float64{-1, math.NaN()}[rng.IntN(2)]
			}
		}
		p.Weights[i] = unit * float64(rng.IntN(4))
	}
	p.Weights[0]++
	return p
}

// circles returns rankings that are mostly rotations of one another, whose majorities have many directed triangles.
func circles(rng *rand.Rand, k, n int, ties bool) *Profile {
	p := &Profile{Ranks: linalg.NewMatrix[float64](n, k)}
	base := rng.Perm(k)
	for i := range n {
		shift := rng.IntN(k)
		for u := range k {
			r := (base[u] + shift) % k
			if ties && rng.Float64() < 0.3 {
				r /= 2
			}
			p.Ranks.Row(i)[u] = float64(r)
		}
	}
	return p
}

// kendall returns the weighted distance of a relation to all rankings, pair by pair.
func kendall(p *Profile, relation []bool, penalty float64) (total float64) {
	k := p.Items()
	for i := range p.Ranks.Rows {
		row := p.Ranks.Row(i)
		for u := range k {
			for v := range u {
				if !(row[u] >= 0 && row[v] >= 0) {
					continue
				}
				before, behind := relation[u*k+v], relation[v*k+u]
				switch {
				case row[u] < row[v] && behind, row[u] > row[v] && before:
					total += p.weight(i)
				case (row[u] == row[v]) != (!before && !behind):
					total += penalty * p.weight(i)
				}
			}
		}
	}
	return total
}

// orders yields all orders of k items, each to be read until the next.
func orders(k int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		order := ascending(k)
		var permute func(at int) bool
		permute = func(at int) bool {
			if at == k {
				return yield(order)
			}
			for i := at; i < k; i++ {
				order[at], order[i] = order[i], order[at]
				ok := permute(at + 1)
				order[at], order[i] = order[i], order[at]
				if !ok {
					return false
				}
			}
			return true
		}
		permute(0)
	}
}

// members returns the relations of all consensuses of a kind.
func members(output Output, k int) (all [][]bool) {
	switch output {
	case Order:
		for order := range orders(k) {
			y := make([]int32, k)
			PositionsTo(y, order)
			all = append(all, relationOf(y))
		}
	case Weak:
		for code := range int(math.Pow(float64(k), float64(k))) {
			y := make([]int32, k)
			for u := range y {
				y[u] = int32(code % k)
				code /= k
			}
			if most := slices.Max(y); len(slices.Compact(slices.Sorted(slices.Values(y)))) == int(most)+1 {
				all = append(all, relationOf(y))
			}
		}
	default:
		pairs := k * (k - 1) / 2
		for code := range int(math.Pow(3, float64(pairs))) {
			relation := make([]bool, k*k)
			for u := range k {
				for v := range u {
					relation[u*k+v], relation[v*k+u] = code%3 == 1, code%3 == 2
					code /= 3
				}
			}
			if transitive(relation, k) {
				all = append(all, relation)
			}
		}
	}
	return all
}

func transitive(relation []bool, k int) bool {
	for u := range k {
		for v := range k {
			for w := range k {
				if relation[u*k+v] && relation[v*k+w] && !relation[u*k+w] {
					return false
				}
			}
		}
	}
	return true
}

// least returns the least distance of all members.
func least(p *Profile, all [][]bool, penalty float64) float64 {
	found := math.Inf(1)
	for _, relation := range all {
		found = min(found, kendall(p, relation, penalty))
	}
	return found
}

// count is CountPairs where nothing can go wrong.
func count(p *Profile) *Pairs {
	pairs, err := CountPairs(p, 1, nil)
	if err != nil {
		panic(err)
	}
	return pairs
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
