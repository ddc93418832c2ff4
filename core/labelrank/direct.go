package labelrank

import (
	"errors"
	"fmt"
	"math"

	"combpred/core/badrow"
	"combpred/core/graph/assignment"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// PositionLoss is a loss Δ of rankings that adds up over the labels' positions, from 0 to at most 1.
type PositionLoss int

const (
	Spearman PositionLoss = iota // squares of the differences of positions: (1 − ρ)/2 for Spearman's ρ
	Footrule                     // their absolute values, over the largest sum
	// NDCG is 1 less the normalised discounted cumulative gain, where the label at position j of the observed ranking has the gain k − j,
	// and position j of the other one the discount 1/log₂(1 + j).
	NDCG
)

// PositionLosses returns the losses of k labels: at [a, b] that of one at position a of the observed ranking and b of the other one, from
// 0 on.
func PositionLosses(loss PositionLoss, k int) linalg.Matrix[float64] {
	d := linalg.NewMatrix[float64](k, k)
	ideal := 0.0
	for a := range k {
		ideal += gain(a, k) * discount(a)
	}
	for a := range k {
		row := d.Row(a)
		for b := range row {
			apart := float64(a - b)
			switch loss {
			case Spearman:
				row[b] = apart * apart * 3 / (float64(k) * float64(k*k-1))
			case Footrule:
				row[b] = math.Abs(apart) / float64(k*k/2) // reversing has the largest sum
			case NDCG:
				row[b] = gain(a, k) * (discount(a) - discount(b)) / ideal
			}
		}
	}
	return d
}

func gain(position, k int) float64 { return float64(k - 1 - position) }

func discount(position int) float64 { return 1 / math.Log2(float64(position+2)) }

// Direct is a structured support vector machine that scores a ranking by Σ_l c[position of l] f_l(x): the best one sorts the labels by f,
// whatever the weights c of positions are, which do not increase (Le and Smola 2007).
type Direct struct {
	Loss      PositionLoss
	Weights   []float64 // c, of the k positions, the first above the last
	Positions []int32   // n×k: of the labels in the rows, from 1 on
	Rows      []float64 // weights of the rows, not negative; nil: 1
	Cost      float64   // C, of the losses against the norm; positive
	maxmargin.SVMOptions
}

// Check returns an error where sorting would not find the best ranking, or a row is no ranking.
func (d *Direct) Check() error {
	k := len(d.Weights)
	if d.Loss < Spearman || d.Loss > NDCG {
		return fmt.Errorf("labelrank: loss is %d, must be from %d to %d", d.Loss, Spearman, NDCG)
	}
	for j, c := range d.Weights {
		if !finite(c) {
			return fmt.Errorf("labelrank: position_weights: %g at position %d, must be finite", c, j+1)
		}
		if j > 0 && c > d.Weights[j-1] {
			return fmt.Errorf("labelrank: position_weights rise after position %d: they must not increase", j)
		}
	}
	if k < 2 || d.Weights[0] == d.Weights[k-1] {
		return errors.New("labelrank: position_weights are all equal: the first must be above the last")
	}
	at := make([]int, k) // the row that has the position, from 1 on
	for i := range len(d.Positions) / k {
		for l, position := range d.Positions[i*k : (i+1)*k] {
			if position < 1 || int(position) > k || at[position-1] == i+1 {
				return badrow.Named(i, "labelrank: positions: row %d is no ranking of %d labels: label %d is at %d", i, k, l, position)
			}
			at[position-1] = i + 1
		}
	}
	return nil
}

// Train minimises ½‖W‖² + C Σ_i weight_i max over rankings z of Δ(y_i, z) − Σ_l (c[y_il] − c[z_l]) f_l(x_i) by cutting planes, and returns
// W, features × labels, in the solution. Cost of a pass: O(nnz k + n k³).
func (d *Direct) Train(x *solve.Design, mon *parallel.Monitor) (maxmargin.Solution, error) {
	if err := d.Check(); err != nil {
		return maxmargin.Solution{}, err
	}
	k := len(d.Weights)
	psi := linalg.NewMatrix[float64](x.N, k)
	for at, position := range d.Positions {
		psi.Data[at] = d.Weights[position-1]
	}
	p := &maxmargin.Problem{X: x, Psi: psi, Asked: true}
	if err := p.SetBlocks(d.Rows, nil, d.Cost); err != nil {
		return maxmargin.Solution{}, err
	}
	engine := &assigner{Direct: d, losses: PositionLosses(d.Loss, k), psi: psi}
	found, _, err := maxmargin.TrainSVMBy(p, d.SVMOptions, engine, mon)
	return found, err
}

// assigner finds the ranking z of largest Δ(y, z) + Σ_l c[z_l] f_l for each row, by an assignment of labels to positions.
type assigner struct {
	*Direct
	losses, psi matrix
}

// Answer finds the largest planes.
func (e *assigner) Answer(r maxmargin.Request, mon *parallel.Monitor) error {
	k := len(e.Direct.Weights)
	return parallel.For(r.Linear.Rows, 1+(1<<14)/(k*k*k), e.Workers, nil, func(lo, hi int) error {
		var w assignment.Workspace
		found := make([]int32, k)
		for at := lo; at < hi; at++ {
			row, f := int(r.Rows[at]), r.Linear.Row(at)
			observed, gains := e.Positions[row*k:(row+1)*k], w.Reset(k)
			for l, score := range f {
				losses := e.losses.Row(int(observed[l]) - 1)
				for position, c := range e.Direct.Weights {
					gains[l*k+position] = score*c + losses[position]
				}
			}
			if err := structure.CheckScores(gains); err != nil {
				return badrow.At(at, err)
			}
			if err := w.SolvePolled(found, mon.Err); err != nil {
				return err
			}
			plane := r.Psi.Row(at)
			r.Offset[at], r.Proven[at] = 0, 1
			for l, position := range found {
				r.Offset[at] += e.losses.Row(int(observed[l]) - 1)[position]
				plane[l] = e.psi.Row(row)[l] - e.Direct.Weights[position]
			}
		}
		return nil
	})
}
