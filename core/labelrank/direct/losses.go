package direct

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/graph/assignment"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Loss is a loss Δ of rankings. Those with a formula are from 0 to at most 1; the caller has the others in SVM.Losses.
type Loss int

const (
	Spearman Loss = iota // squares of the differences of positions: (1 − ρ)/2 for Spearman's ρ
	Footrule             // their absolute values, over the largest sum
	// NDCG is 1 less the normalised discounted cumulative gain, where the label at position j of the observed ranking has the gain k − j,
	// and position j of the other one the discount 1/log₂(1 + j) if it is among the first Top.
	NDCG
	Precision  // the share of the first Top labels of the other ranking that are not among those of the observed one
	ByPosition // the sum over labels of Losses[a, b], k×k, at position a of the observed ranking and b of the other one, from 0 on
	ByHits     // Losses[h] for h labels that are among the first Top of both rankings, 0 to Top
	Listed     // Losses[i, j] for row i and number j of the rankings SVM.Listed: all others are left out of the maximum
)

// PositionTable returns a loss with a formula for k labels: at [a, b] that of one at position a of the observed ranking and b of the other
// one, from 0 on. Where all positions count, top is k.
func PositionTable(loss Loss, k, top int) linalg.Matrix[float64] {
	d := linalg.NewMatrix[float64](k, k)
	ideal := 0.0
	for a := range k {
		ideal += gain(a, k) * discount(a, top)
	}
	for a := range k {
		row := d.Row(a)
		for b := range row {
			gap := float64(a - b)
			switch loss {
			case Spearman:
				row[b] = gap * gap * 3 / (float64(k) * float64(k*k-1))
			case Footrule:
				row[b] = math.Abs(gap) / float64(k*k/2) // reversing has the largest sum
			case NDCG:
				row[b] = gain(a, k) * (discount(a, top) - discount(b, top)) / ideal
			case Precision:
				if a < top && b >= top {
					row[b] = 1 / float64(top)
				}
			}
		}
	}
	return d
}

func gain(position, k int) float64 { return float64(k - 1 - position) }

func discount(position, top int) float64 {
	if position >= top {
		return 0
	}
	return 1 / math.Log2(float64(position+2))
}

// worst finds the ranking z of largest Δ(y, z) + Σ_l c[z_l] f_l for a row of training, at the scores f. It writes the positions, from 0
// on, and returns Δ(y, z). It is of one goroutine.
type worst interface {
	findTo(positions []int32, row int, f []float64, mon *parallel.Monitor) (float64, error)
}

// byAssignment assigns labels to positions.
type byAssignment struct {
	*SVM
	losses linalg.Matrix[float64]
	w      assignment.Workspace
}

func (b *byAssignment) findTo(positions []int32, row int, f []float64, mon *parallel.Monitor) (loss float64, err error) {
	k, observed := len(f), b.of(row)
	gains := b.w.Reset(k)
	for l, score := range f {
		losses := b.losses.Row(int(observed[l]) - 1)
		for position, c := range b.Weights {
			gains[l*k+position] = score*c + losses[position]
		}
	}
	if err := structure.CheckScores(gains); err != nil {
		return 0, err
	}
	if err := b.w.SolvePolled(positions, mon.Err); err != nil {
		return 0, err
	}
	for l, position := range positions {
		loss += b.losses.Row(int(observed[l]) - 1)[position]
	}
	return loss, nil
}

// byHits runs over the number of hits. Of the rankings with so many, the best has the best hits and the best others in front, and both
// parts sorted by f: to exchange two labels for that lowers no sum, as c does not increase.
type byHits struct {
	*SVM
	losses       []float64
	order, tried []int32
}

func (b *byHits) findTo(positions []int32, row int, f []float64, mon *parallel.Monitor) (float64, error) {
	b.order = b.order[:0]
	for l := range f {
		b.order = append(b.order, int32(l))
	}
	slices.SortStableFunc(b.order, func(u, v int32) int { return cmp.Compare(f[v], f[u]) })
	best, loss, observed := math.Inf(-1), 0.0, b.of(row)
	for hits := max(0, 2*b.Top-len(f)); hits <= b.Top; hits++ {
		if err := mon.Err(); err != nil {
			return 0, err
		}
		value, front, back := b.losses[hits], 0, b.Top
		open := [2]int{b.Top - hits, hits} // places in front for labels that are behind in the observed ranking, and in front
		for _, l := range b.order {
			kind, place := 0, &back
			if int(observed[l]) <= b.Top {
				kind = 1
			}
			if open[kind] > 0 {
				open[kind]--
				place = &front
			}
			b.tried[l] = int32(*place)
			value += b.Weights[*place] * f[l]
			*place++
		}
		if value > best {
			best, loss = value, b.losses[hits]
			copy(positions, b.tried)
		}
	}
	return loss, checkBest(best)
}

// byList looks at all rankings of the list.
type byList struct {
	*SVM
	scored linalg.Matrix[float64] // the weights of their positions
}

func (b *byList) findTo(positions []int32, row int, f []float64, _ *parallel.Monitor) (float64, error) {
	m, k := b.scored.Rows, len(f)
	losses := b.Losses[row*m : (row+1)*m]
	best, at := math.Inf(-1), 0
	for j, loss := range losses {
		if value := loss + linalg.Dot(f, b.scored.Row(j)); value > best {
			best, at = value, j
		}
	}
	for l, position := range b.SVM.Listed[at*k : (at+1)*k] {
		positions[l] = position - 1
	}
	return losses[at], checkBest(best)
}

func checkBest(value float64) error {
	if !finite(value) {
		return fault.Numerical("the scores of rankings overflow; scale position_weights, the inputs or the loss down")
	}
	return nil
}
