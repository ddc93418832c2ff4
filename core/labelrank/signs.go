package labelrank

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// ReadPositions writes what positions, n×k, say about labels: their dense ranks to ranks, equal positions sharing one, and 0 for unknown
// ones; and to signs, laid out as those of Examples, 1 where the first label of a pair is before the second, −1 where it is behind, and
// 0 where they are tied or one of them is unknown. Positions are positive and finite, and only their order counts; −1 and NaN are
// unknown. To gaps, unless nil and laid out alike, goes by how much the two positions differ, and 1 where one is unknown.
//
// Cost: O(k²) for each row.
func ReadPositions(ranks []int32, signs []int8, gaps []float64, positions matrix, workers int, mon *parallel.Monitor) error {
	k := positions.Cols
	pairs := k * (k - 1) / 2
	return parallel.For(positions.Rows, 1+(1<<14)/(k*k), workers, mon, func(lo, hi int) error {
		order := make([]int, 0, k)
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			row, rank := positions.Row(i), ranks[i*k:(i+1)*k]
			order = order[:0]
			for l, at := range row {
				switch {
				case at == -1 || math.IsNaN(at):
				case at > 0 && at <= math.MaxFloat64:
					order = append(order, l)
				default:
					return fault.At(i, fault.Value("label %d is at %g; positions are positive and finite, or -1 where unknown", l, at))
				}
			}
			slices.SortFunc(order, func(u, v int) int { return cmp.Compare(row[u], row[v]) })
			clear(rank)
			for at, l := range order {
				rank[l] = 1
				if at > 0 {
					rank[l] = rank[order[at-1]]
					if row[l] > row[order[at-1]] {
						rank[l]++
					}
				}
			}
			p := i * pairs
			for u, a := range rank {
				for v, b := range rank[u+1:] {
					known := a > 0 && b > 0
					signs[p] = 0
					if known {
						signs[p] = int8(cmp.Compare(b, a))
					}
					if gaps != nil {
						gaps[p] = 1
						if known {
							gaps[p] = math.Abs(row[u] - row[u+1+v])
						}
					}
					p++
				}
			}
		}
		return nil
	})
}
