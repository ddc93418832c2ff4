package labelrank

import (
	"math"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Update says how an online learner answers a row.
type Update int32

// The updates. ΔW is what a row adds: Σ over its subgraphs that are ranked wrongly of share × the mean over their wrong edges (u, v) of
// (e_u − e_v) ⊗ x; an edge is wrong where f_u <= f_v.
const (
	Additive       Update = iota // W += weight·ΔW (Crammer & Singer 2003)
	Multiplicative               // θ += weight·ΔW, W the point of largest entropy for θ: exponentiated gradient (Kivinen & Warmuth 1997)
	PrimalDual                   // the dual of ½‖W − W_before‖² + C·weight·loss solved (Shalev-Shwartz & Singer 2007)
)

// Tally counts what a learner has met, each row times its weight.
type Tally struct {
	Weight   float64 // rows
	Mistakes float64 // shares of subgraphs with a wrong edge
	Loss     float64 // losses before the row was learnt from
	Scale    float64 // largest weight·‖x‖² so far; of the largest |x_j| for Multiplicative
}

// Learner is an online label ranker.
type Learner struct {
	Update  Update
	Rate    float64 // of Multiplicative: in (0, 2)
	Radius  float64 // of Multiplicative: Σ|W|, positive
	Cost    float64 // of PrimalDual: C, positive
	Coef    matrix  // W: features × labels
	Theta   matrix  // of Multiplicative
	Average matrix  // of W over the rows, each after its step; no data: not wanted
	Tally   Tally
}

// Check returns an error where a parameter is not legal.
func (l *Learner) Check() error {
	switch {
	case l.Update < Additive || l.Update > PrimalDual:
		return fault.Value("update is %d, must be from %d to %d", l.Update, Additive, PrimalDual)
	case l.Update == Multiplicative && !(l.Rate > 0 && l.Rate < 2):
		return fault.Value("rate is %g, must be above 0 and below 2", l.Rate)
	case l.Update == Multiplicative && !(l.Radius > 0 && finite(l.Radius)):
		return fault.Value("radius is %g, must be positive", l.Radius)
	case l.Update == PrimalDual && !(l.Cost > 0 && finite(l.Cost)):
		return fault.Value("c is %g, must be positive", l.Cost)
	case !(l.Tally.Weight >= 0) || !(l.Tally.Scale >= 0):
		return fault.Value("tally: weight %g and scale %g must not be negative", l.Tally.Weight, l.Tally.Scale)
	}
	return nil
}

// A step of PrimalDual raises the dual by all but a part stepAccuracy of what is possible. The sweeps that takes are few: their limit
// only keeps numbers that are none from going on for ever.
const (
	stepAccuracy = 1e-3
	stepSweeps   = 1 << 16
)

// Learn takes one step on each row, in the given order (nil: as they stand). Cost: O(nnz k + n k²), and O(q k) more for each step of
// Multiplicative with q features. A sweep of PrimalDual over a row costs up to O(k³) with Stars, O(k⁴) with Whole.
func (l *Learner) Learn(e *Examples, x *solve.Design, order []int64, mon *parallel.Monitor) error {
	run := &lesson{Learner: l, e: e, m: features{x, l.Coef}, b: newBlock(e.Labels)}
	run.begin()
	for step := range e.Rows() {
		if step%pollRows == 0 {
			if err := mon.Err(); err != nil {
				return err
			}
			mon.Report(l.Tally.Mistakes / max(l.Tally.Weight, 1))
		}
		i := step
		if order != nil {
			i = int(order[step])
		}
		if e.weight(i) > 0 {
			if err := run.take(i, mon); err != nil {
				return err
			}
		}
		mon.Advance(1)
	}
	run.finish()
	sum := l.Tally.Loss + l.Tally.Scale + run.m.squaredNorm()
	if !finite(sum) {
		return fault.Numerical("the numbers overflow; scale the inputs")
	}
	return nil
}

// lesson is one call of Learn. While it runs, Average holds Σ_t T_t ΔW_t with T_t the weight of the rows before step t: the average
// is W less that sum over the weight of all rows, so that a row changes only what its features reach.
type lesson struct {
	*Learner
	e *Examples
	m features
	b *block
}

func (r *lesson) begin() {
	if r.Average.Data != nil {
		r.blend(r.Tally.Weight, -r.Tally.Weight)
	}
}

func (r *lesson) finish() {
	if r.Average.Data != nil && r.Tally.Weight > 0 {
		r.blend(1, -1/r.Tally.Weight)
	}
}

// blend makes the average a·W + b·average.
func (r *lesson) blend(a, b float64) {
	for j := range r.Coef.Rows {
		w, mean := r.Coef.Row(j), r.Average.Row(j)
		for l := range mean {
			mean[l] = a*w[l] + b*mean[l]
		}
	}
}

// take learns from row i.
func (r *lesson) take(i int, mon *parallel.Monitor) error {
	b, weight := r.b, r.e.weight(i)
	norm := r.m.norm(i)
	b.load(r.e, i, nil, norm, r.Cost)
	r.widen(i, weight, norm)
	r.m.scoresTo(b.f, i)
	wrong := r.wrong()
	r.Tally.Mistakes += weight * wrong
	loss := b.losses()
	r.Tally.Loss += weight * b.graph.share * loss
	switch {
	case r.Update == PrimalDual && loss > 0:
		if err := b.ascend(0, stepAccuracy, stepSweeps, mon); err != nil {
			return err
		}
		r.add(i, 1)
	case r.Update == Additive && wrong > 0:
		r.add(i, weight)
	case r.Update == Multiplicative && wrong > 0:
		addTo(r.Theta, r.m.x, i, weight, b.moved)
		r.project()
	}
	r.Tally.Weight += weight
	return nil
}

// widen takes row i into the scale, on which the weights of Multiplicative depend.
func (r *lesson) widen(i int, weight, norm float64) {
	if r.Update == Multiplicative {
		largest := r.m.largest(i)
		norm = largest * largest
	}
	if scale := weight * norm; scale > r.Tally.Scale {
		r.Tally.Scale = scale
		if r.Update == Multiplicative {
			r.project()
		}
	}
}

// wrong returns the share of subgraphs with a wrong edge, and leaves Σ share × the mean of e_winner − e_loser over those edges in
// the block, unless the update is PrimalDual.
func (r *lesson) wrong() float64 {
	b, subgraphs, start := r.b, 0, 0
	for _, end := range b.graph.ends {
		count := 0
		for at := start; at < end; at++ {
			if e := &b.graph.edges[at]; b.f[e.winner] <= b.f[e.loser] {
				count++
			}
		}
		if count > 0 {
			subgraphs++
		}
		if count > 0 && r.Update != PrimalDual {
			part := b.graph.share / float64(count)
			for at := start; at < end; at++ {
				if e := &b.graph.edges[at]; b.f[e.winner] <= b.f[e.loser] {
					b.moved[e.winner] += part
					b.moved[e.loser] -= part
				}
			}
		}
		start = end
	}
	return float64(subgraphs) * b.graph.share
}

// add adds scale·x_i ⊗ moved to the weights.
func (r *lesson) add(i int, scale float64) {
	addTo(r.Coef, r.m.x, i, scale, r.b.moved)
	if r.Average.Data != nil {
		addTo(r.Average, r.m.x, i, scale*r.Tally.Weight, r.b.moved)
	}
}

// project sets the weights from θ: with t = rate·θ/(radius·scale),
//
//	W_jl = radius (e^t_jl − e^−t_jl) / Σ (e^t + e^−t),
//
// the difference of the two halves of a distribution on 2qk points, scaled to the radius. The rate falls as the scale grows, as it
// must where the largest input is not known beforehand; a W of θ and the rate (dual averaging, Nesterov 2009), not of the W before,
// keeps the bound on mistakes when it does.
func (r *lesson) project() {
	speed := 0.0
	if r.Tally.Scale > 0 {
		speed = r.Rate / (r.Radius * r.Tally.Scale)
	}
	var largest float64
	for j := range r.Theta.Rows {
		for _, v := range r.Theta.Row(j) {
			largest = max(largest, math.Abs(v))
		}
	}
	largest *= speed
	var total float64
	for j := range r.Theta.Rows {
		for _, v := range r.Theta.Row(j) {
			t := math.Abs(speed * v)
			total += math.Exp(t-largest) + math.Exp(-t-largest)
		}
	}
	for j := range r.Theta.Rows {
		w := r.Coef.Row(j)
		for l, v := range r.Theta.Row(j) {
			t := speed * v
			next := r.Radius * (math.Exp(t-largest) - math.Exp(-t-largest)) / total
			if r.Average.Data != nil {
				r.Average.Row(j)[l] += r.Tally.Weight * (next - w[l])
			}
			w[l] = next
		}
	}
}
