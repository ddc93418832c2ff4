package labelrank

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// BoostOptions say how a log-linear label ranker is boosted.
type BoostOptions struct {
	Alpha   float64 // of the penalty 2α Σ ln cosh(λ/2), at least 0
	MinGain float64 // share of the objective that the last Window rounds must have lowered it by to go on
	MaxIter int
	Workers int
}

// Window is over how many rounds the decrease is measured: that of a single one varies with its relaxation.
const Window = 10

const (
	longestStep      = 10  // of a weight that nothing speaks against, in units of its factor: e⁻¹⁰ of the loss is left
	relaxationGrowth = 1.5 // adaptive overrelaxation (Salakhutdinov and Roweis 2003)
)

// Functions are the base functions that boosting weighs: for each edge e, of the preference of a winner over a loser, and each weight j
// they have a number a_ej.
type Functions interface {
	// size returns the number of weights.
	size() int
	// factorsTo writes ρ with Σ_j ρ_j |a_ej| ≤ 1 for all edges.
	factorsTo(dst []float64)
	// scoresTo writes the scores of the labels in rows lo to hi under weights to dst, whose columns are the labels.
	scoresTo(dst matrix, weights []float64, lo, hi int)
	// pullsTo writes Σ_e pressure_e max(0, a_ej) and Σ_e pressure_e max(0, −a_ej) over the edges of the rows.
	pullsTo(with, against []float64, p *pressures)
}

// pressures are the derivatives of the loss by each −margin, by row, and their sums by label.
type pressures struct {
	graphs    []graph
	edges     [][]float64
	won, lost matrix // n×k
}

// Rounds are what boosting found.
type Rounds struct {
	Weights   []float64
	Losses    []float64 // at the beginning and after each round
	Bounds    []float64 // how much each round was sure to lower the objective by
	Converged bool
}

// Check returns an error unless boosting has converged.
func (r Rounds) Check() error {
	if r.Converged {
		return nil
	}
	return fault.NotConverged("%d rounds still lower the objective; raise max_iter, min_gain or alpha", len(r.Bounds))
}

// Boost minimises Σ over subgraphs of weight times ln(1 + Σ_e exp(−margin_e)) plus the penalty, from zero weights, by parallel boosting
// (Collins, Schapire and Singer 2002): all weights at once, with a sure decrease.
func (e *Examples) Boost(base Functions, o BoostOptions, mon *parallel.Monitor) (Rounds, error) {
	switch {
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 1):
		return Rounds{}, fault.Value("alpha must be finite and not negative")
	case !(o.MinGain >= 0):
		return Rounds{}, fault.Value("min_gain must not be negative")
	case o.MaxIter < 1:
		return Rounds{}, fault.Value("max_iter must be at least 1")
	case e.Margins != nil:
		return Rounds{}, fault.Value("boosting knows no margins")
	}
	n := base.size()
	b := &booster{e: e, base: base, p: e.pressures(), loss: make([]float64, e.Rows()), workers: o.Workers}
	factors, weights, moved := make([]float64, n), make([]float64, n), make([]float64, n)
	with, against, step := make([]float64, n), make([]float64, n), make([]float64, n)
	base.factorsTo(factors)
	if o.Alpha > 0 { // the penalty's edges have |a| = 1
		for j, f := range factors {
			factors[j] = min(f, 1)
		}
	}
	loss, err := b.lossAt(weights, mon)
	found, relaxation := Rounds{Weights: weights, Losses: []float64{loss}}, 1.0
	for err == nil && len(found.Bounds) < o.MaxIter {
		base.pullsTo(with, against, b.p)
		sure := 0.0
		for j, w := range weights {
			up, down := factors[j]*(with[j]+o.Alpha*sigmoid(-w)), factors[j]*(against[j]+o.Alpha*sigmoid(w))
			step[j] = stepOf(up, down)
			sure += -up*math.Expm1(-step[j]) - down*math.Expm1(step[j])
		}
		last := found.Losses[len(found.Bounds)]
		found.Bounds = append(found.Bounds, sure)
		// A longer step along the same line is taken where it lowers the loss by what is sure of the step itself.
		for {
			for j := range moved {
				moved[j] = weights[j] + relaxation*factors[j]*step[j]
			}
			if loss, err = b.lossAt(moved, mon); err != nil {
				return found, err
			}
			loss += penalty(moved, o.Alpha)
			if relaxation == 1 || last-loss >= sure {
				break
			}
			relaxation = 1
		}
		copy(weights, moved)
		relaxation *= relaxationGrowth
		found.Losses = append(found.Losses, loss)
		if !finite(loss) {
			return found, fault.Numerical("the scores overflow: scale the features, or raise alpha")
		}
		mon.Advance(1)
		mon.Report(loss)
		at := len(found.Bounds)
		if loss == 0 || at >= Window && found.Losses[at-Window]-loss <= o.MinGain*loss {
			found.Converged = true
			break
		}
	}
	return found, err
}

// booster computes losses.
type booster struct {
	e       *Examples
	base    Functions
	p       *pressures
	loss    []float64 // of the rows
	workers int
}

func (e *Examples) pressures() *pressures {
	n := e.Rows()
	p := &pressures{graphs: make([]graph, n), edges: make([][]float64, n), won: linalg.NewMatrix[float64](n, e.Labels),
		lost: linalg.NewMatrix[float64](n, e.Labels)}
	for i := range n {
		if e.weight(i) > 0 {
			p.graphs[i].readFrom(e, i)
		}
		p.edges[i] = make([]float64, len(p.graphs[i].edges))
	}
	return p
}

// rowsAtOnce is how many rows a worker takes at a time.
const rowsAtOnce = 256

// lossAt returns the loss without the penalty, and leaves its derivatives in the pressures.
func (b *booster) lossAt(weights []float64, mon *parallel.Monitor) (float64, error) {
	err := parallel.For(b.e.Rows(), rowsAtOnce, b.workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		scores := linalg.NewMatrix[float64](hi-lo, b.e.Labels)
		b.base.scoresTo(scores, weights, lo, hi)
		for i := lo; i < hi; i++ {
			b.loss[i] = b.row(i, scores.Row(i-lo))
		}
		return nil
	})
	var sum float64
	for _, v := range b.loss {
		sum += v
	}
	return sum, err
}

// row returns the loss of a row with scores f.
func (b *booster) row(i int, f []float64) (loss float64) {
	g, pressure, won, lost := &b.p.graphs[i], b.p.edges[i], b.p.won.Row(i), b.p.lost.Row(i)
	clear(won)
	clear(lost)
	weight, start := b.e.weight(i)*g.share, 0
	for _, end := range g.ends {
		largest := 0.0
		for at := start; at < end; at++ {
			largest = max(largest, f[g.edges[at].loser]-f[g.edges[at].winner])
		}
		total := math.Exp(-largest)
		for at := start; at < end; at++ {
			pressure[at] = math.Exp(f[g.edges[at].loser] - f[g.edges[at].winner] - largest)
			total += pressure[at]
		}
		for at := start; at < end; at++ {
			pressure[at] *= weight / total
			won[g.edges[at].winner] += pressure[at]
			lost[g.edges[at].loser] += pressure[at]
		}
		loss += weight * (largest + math.Log(total))
		start = end
	}
	return loss
}

// stepOf returns ½ ln(up/down), bounded where one of them is far smaller than the other; 0 where both are 0.
func stepOf(up, down float64) float64 {
	step := math.Log(up/down) / 2
	if math.IsNaN(step) {
		return 0
	}
	return min(max(step, -longestStep), longestStep)
}

func sigmoid(v float64) float64 { return (1 + math.Tanh(v/2)) / 2 }

func penalty(weights []float64, alpha float64) (sum float64) {
	for _, w := range weights {
		half := math.Abs(w) / 2
		sum += half + math.Log1p(math.Exp(-2*half)) - math.Ln2
	}
	return 2 * alpha * sum
}
