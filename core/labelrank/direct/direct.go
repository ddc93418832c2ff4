// Package direct trains label rankers for a given measure of rankings, directly: the loss of the ranking that is predicted is bounded by
// the largest of loss plus score over all rankings, which is found exactly.
package direct

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// SVM is a structured support vector machine that scores a ranking by Σ_l c[position of l] f_l(x): the best one sorts the labels by f,
// whatever the weights c of positions are, which do not increase (Le and Smola 2007).
type SVM struct {
	Loss      Loss
	Top       int       // positions that NDCG (0: all), Precision and ByHits look at
	Losses    []float64 // of ByPosition, ByHits and Listed; that of an observed ranking itself is 0
	Listed    []int32   // rankings of k labels, positions from 1 on, the observed ones among them
	Weights   []float64 // c, of the k positions, the first above the last
	Positions []int32   // n×k: of the labels in the rows, from 1 on
	Rows      []float64 // weights of the rows, not negative; nil: 1
	Cost      float64   // C, of the losses against the norm; positive
	maxmargin.SVMOptions
}

// Check returns an error where sorting would not find the best ranking, a row is no ranking, or a loss is none.
func (d *SVM) Check() error {
	k := len(d.Weights)
	for j, c := range d.Weights {
		if !finite(c) {
			return fault.Value("position_weights: %g at position %d, must be finite", c, j+1)
		}
		if j > 0 && c > d.Weights[j-1] {
			return fault.Value("position_weights rise after position %d: they must not increase", j)
		}
	}
	if k < 2 || d.Weights[0] == d.Weights[k-1] {
		return fault.Value("position_weights are all equal: the first must be above the last")
	}
	if err := checkRankings(d.Positions, k, "positions"); err != nil {
		return err
	}
	return d.checkLoss()
}

func checkRankings(positions []int32, k int, name string) error {
	at := make([]int, k) // the row that has the position, from 1 on
	for i := range len(positions) / k {
		for l, position := range positions[i*k : (i+1)*k] {
			if position < 1 || int(position) > k || at[position-1] == i+1 {
				return fault.At(i, fault.Value("%s: this is no ranking of %d labels: label %d is at %d", name, k, l, position))
			}
			at[position-1] = i + 1
		}
	}
	return nil
}

// most is the largest Top: with all positions all labels are hits.
func (d *SVM) most() int {
	if d.Loss == NDCG {
		return len(d.Weights)
	}
	return len(d.Weights) - 1
}

func (d *SVM) checkLoss() error {
	k := len(d.Weights)
	if d.Loss < Spearman || d.Loss > Listed {
		return fault.Value("loss is %d, must be from %d to %d", d.Loss, Spearman, Listed)
	}
	if d.Loss == NDCG || d.Loss == Precision || d.Loss == ByHits {
		if most := d.most(); d.Top < 0 || d.Top > most || d.Top == 0 && d.Loss != NDCG {
			return fault.Value("top is %d, must be from 1 to %d for this loss of %d labels", d.Top, most, k)
		}
	}
	largest, own := 0.0, 0.0 // losses of observed rankings themselves
	for at, v := range d.Losses {
		if !finite(v) {
			return d.notFinite(at)
		}
		largest = max(largest, math.Abs(v))
	}
	switch d.Loss {
	case ByPosition:
		for a := range k {
			own += d.Losses[a*k+a]
		}
	case ByHits:
		own = d.Losses[d.Top]
	case Listed:
		return d.checkListed(largest)
	}
	if math.Abs(own) > selfLoss*largest {
		return fault.Value("loss is %g between a ranking and itself, must be 0", own)
	}
	return nil
}

// notFinite returns an error about a number of the caller's losses.
func (d *SVM) notFinite(at int) error {
	k, v := len(d.Weights), d.Losses[at]
	switch d.Loss {
	case ByPosition:
		return fault.Value("loss is %g at [%d, %d], must be finite", v, at/k, at%k)
	case Listed:
		m := len(d.Listed) / k
		return fault.At(at/m, fault.Value("loss is %g between its ranking and %v, must be finite", v, d.Listed[at%m*k:(at%m+1)*k]))
	}
	return fault.Value("loss is %g at %d, must be finite", v, at)
}

// selfLoss is how large the loss of a ranking and itself may be by rounding, of the largest.
const selfLoss = 1e-9

func (d *SVM) checkListed(largest float64) error {
	k := len(d.Weights)
	if err := checkRankings(d.Listed, k, "listed"); err != nil {
		return fault.At(fault.NoRow, err) // a row of the list is none of training
	}
	m := len(d.Listed) / k
	numbers := make(map[string]int, m)
	for j := range m {
		numbers[string(d.Listed[j*k:(j+1)*k])] = j // positions are code points
	}
	for i := range len(d.Positions) / k {
		j, ok := numbers[string(d.of(i))]
		if !ok {
			return fault.At(i, fault.Value("its ranking is not among those listed"))
		}
		if own := d.Losses[i*m+j]; math.Abs(own) > selfLoss*largest {
			return fault.At(i, fault.Value("loss is %g between its ranking and itself, must be 0", own))
		}
	}
	return nil
}

// Train minimises ½‖W‖² + C Σ_i weight_i max over rankings z of Δ(y_i, z) − Σ_l (c[y_il] − c[z_l]) f_l(x_i) by cutting planes, and returns
// W, features × labels, in the solution. Cost of a pass: O(nnz k), and for each row O(k³) where losses add up over positions, O(k Top +
// k log k) with Precision and ByHits, O(m k) with m rankings that are listed.
func (d *SVM) Train(x *solve.Design, mon *parallel.Monitor) (maxmargin.Solution, error) {
	if err := d.Check(); err != nil {
		return maxmargin.Solution{}, err
	}
	psi := linalg.NewMatrix[float64](x.Len(), len(d.Weights))
	for at, position := range d.Positions {
		psi.Data[at] = d.Weights[position-1]
	}
	p := &maxmargin.Problem{X: x, Psi: psi, Asked: true}
	if err := p.SetBlocks(d.Rows, nil, d.Cost); err != nil {
		return maxmargin.Solution{}, err
	}
	found, _, err := maxmargin.TrainSVM(p, d.SVMOptions, d.newEngine(psi), mon)
	return found, err
}

// engine finds the largest planes.
type engine struct {
	maxmargin.Here
	*SVM
	psi      linalg.Matrix[float64]
	newWorst func() worst
	cost     int // of a row
}

func (d *SVM) newEngine(psi linalg.Matrix[float64]) *engine {
	k := len(d.Weights)
	e := &engine{SVM: d, psi: psi, cost: k * k * k}
	table := linalg.Matrix[float64]{Rows: k, Cols: k, Stride: k, Data: d.Losses}
	switch d.Loss {
	case Precision, ByHits:
		losses := d.Losses
		if d.Loss == Precision {
			losses = make([]float64, d.Top+1)
			for h := range losses {
				losses[h] = 1 - float64(h)/float64(d.Top)
			}
		}
		e.cost = k * d.Top
		e.newWorst = func() worst { return &byHits{SVM: d, losses: losses, tried: make([]int32, k)} }
	case Listed:
		m := len(d.Listed) / k
		scored := linalg.NewMatrix[float64](m, k)
		for at, position := range d.Listed {
			scored.Data[at] = d.Weights[position-1]
		}
		e.cost = k * m
		e.newWorst = func() worst { return &byList{SVM: d, scored: scored} }
	default:
		if d.Loss != ByPosition {
			top := d.Top
			if top == 0 {
				top = k
			}
			table = PositionTable(d.Loss, k, top)
		}
		e.newWorst = func() worst { return &byAssignment{SVM: d, losses: table} }
	}
	return e
}

// Answer finds the largest planes.
func (e *engine) Answer(r maxmargin.Request, mon *parallel.Monitor) error {
	k := len(e.SVM.Weights)
	return parallel.For(r.Linear.Rows, 1+(1<<14)/e.cost, e.SVM.Workers, nil, func(lo, hi int) error {
		w, found := e.newWorst(), make([]int32, k)
		for at := lo; at < hi; at++ {
			row := int(r.Rows[at])
			loss, err := w.findTo(found, row, r.Linear.Row(at), mon)
			if err != nil {
				return fault.At(at, err)
			}
			plane := r.Psi.Row(at)
			r.Offset[at], r.Proven[at] = loss, true
			for l, position := range found {
				plane[l] = e.psi.Row(row)[l] - e.SVM.Weights[position]
			}
		}
		return nil
	})
}

// of returns the observed ranking of a row, positions from 1 on.
func (d *SVM) of(row int) []int32 {
	k := len(d.Weights)
	return d.Positions[row*k : (row+1)*k]
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
