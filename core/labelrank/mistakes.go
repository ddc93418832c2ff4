package labelrank

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// MistakeBound returns what the weighted mistakes cannot exceed after so many passes over rows, in any order, from zero weights on: it
// follows from the losses L of fixed weights U (q×k) with margins of 1. S is the largest of weight times ‖x‖², or for Multiplicative times
// max|x_j|².
func (l *Learner) MistakeBound(e *Examples, x *solve.Design, u linalg.Matrix[float64], passes int, mon *parallel.Monitor) (float64, error) {
	m, f := features{x, u}, make([]float64, e.Labels)
	var loss, scale float64
	g := graph{}
	for i := range e.Rows() {
		if err := mon.Err(); err != nil {
			return 0, err
		}
		weight := e.weight(i)
		norm := m.norm(i)
		if l.Update == Multiplicative {
			largest := m.largest(i)
			norm = largest * largest
		}
		scale = max(scale, weight*norm)
		if weight == 0 {
			continue
		}
		g.readFrom(e, i)
		m.scoresTo(f, i)
		start := 0
		for _, end := range g.ends {
			var missed float64
			for _, edge := range g.edges[start:end] {
				missed = max(missed, edge.margin-f[edge.winner]+f[edge.loser])
			}
			loss += weight * g.share * missed
			start = end
		}
	}
	loss *= float64(passes)
	var squares, sum float64
	for j := range u.Rows {
		for _, w := range u.Row(j) {
			squares += w * w
			sum += math.Abs(w)
		}
	}
	switch l.Update {
	case Additive:
		// M − L ≤ ⟨U, W⟩ ≤ ‖U‖ √(2SM): each step adds at least (mistake − loss of U) to the first inner product, and at most 2S mistakes to
		// ‖W‖², as the scores of wrong edges are not in their favour.
		root := math.Sqrt(2 * scale * squares)
		return math.Pow(root+math.Sqrt(root*root+4*loss), 2) / 4, nil
	case PrimalDual:
		// A row's step raises the dual by at least mistake · max_c (c − c²S) over c ≤ C, and the dual stays below the primal at U.
		rise := l.Cost / 2
		if scale > 0 {
			rise = min(rise, 0.25/scale)
		}
		return (1 + stepAccuracy) * (squares/2 + l.Cost*loss) / rise, nil
	}
	if sum > l.Radius*(1+1e-12) {
		return 0, fault.Value("the absolute values of coef and intercept add up to %.6g, above radius %g: multiplicative updates are "+
			"only compared with weights within it", sum, l.Radius)
	}
	// Dual averaging under the entropy of 2qk weights: the regret is at most ln(2qk)/η_T + ½ Σ η_t max|g_t|².
	start := scale * l.Radius * l.Radius * math.Log(2*float64(u.Rows*u.Cols)) / l.Rate
	return (loss + start) / (1 - l.Rate/2), nil
}
