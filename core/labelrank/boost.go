package labelrank

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
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

// RoundsError reports that the limit on rounds came before the gain was small. What was found is valid as far as it goes.
type RoundsError struct{ Rounds int }

func (e *RoundsError) Error() string {
	return fmt.Sprintf("labelrank: %d rounds still lower the objective; raise max_iter, min_gain or alpha", e.Rounds)
}

// Status returns the code of the C interface for this error.
func (e *RoundsError) Status() int32 { return 7 }

// Check returns a RoundsError unless boosting has converged.
func (r Rounds) Check() error {
	if r.Converged {
		return nil
	}
	return &RoundsError{len(r.Bounds)}
}

// Boost minimises Σ over subgraphs of weight times ln(1 + Σ_e exp(−margin_e)) plus the penalty, from zero weights, by parallel boosting
// (Collins, Schapire and Singer 2002): all weights at once, with a sure decrease.
func (e *Examples) Boost(base Functions, o BoostOptions, mon *parallel.Monitor) (Rounds, error) {
	switch {
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 1):
		return Rounds{}, errors.New("labelrank: alpha must be finite and not negative")
	case !(o.MinGain >= 0):
		return Rounds{}, errors.New("labelrank: min_gain must not be negative")
	case o.MaxIter < 1:
		return Rounds{}, errors.New("labelrank: max_iter must be at least 1")
	case e.Margins != nil:
		return Rounds{}, errors.New("labelrank: boosting knows no margins")
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
			return found, &solve.NumericalError{What: "the scores overflow: scale the features, or raise alpha"}
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

// featureFunctions are each feature for each label: a is x_j at the edge's winner and −x_j at its loser.
type featureFunctions struct {
	x                  *solve.Design
	labels             int
	rows               []bool // those with edges
	positive, negative matrix // of dense features; negative has no data where nothing is negative
}

// FeatureFunctions returns the features of a design as base functions, with q×k weights.
func FeatureFunctions(x *solve.Design, e *Examples) Functions {
	b := &featureFunctions{x: x, labels: e.Labels, rows: make([]bool, x.N), positive: x.Dense}
	for i := range b.rows {
		for _, s := range e.Signs[i*e.pairs() : (i+1)*e.pairs()] {
			b.rows[i] = b.rows[i] || s != 0
		}
	}
	if x.Rows != nil {
		return b
	}
	for i := range x.N {
		for j, v := range x.Dense.Row(i) {
			if v < 0 && b.negative.Data == nil {
				b.positive, b.negative = linalg.NewMatrix[float64](x.N, x.P), linalg.NewMatrix[float64](x.N, x.P)
				b.positive.CopyFrom(x.Dense)
			}
			if v < 0 {
				b.positive.Row(i)[j], b.negative.Row(i)[j] = 0, -v
			}
		}
	}
	return b
}

func (b *featureFunctions) size() int { return b.x.Len() * b.labels }

func (b *featureFunctions) factorsTo(dst []float64) {
	units := make([]float64, b.x.Len())
	for i := range b.x.N {
		entries(b.x, i, func(j int, v float64) { units[j] = max(units[j], math.Abs(v)) })
	}
	invert(units)
	most := math.SmallestNonzeroFloat64
	for i, has := range b.rows {
		var sum float64
		if has { // of a row without edges there is no constraint
			entries(b.x, i, func(j int, v float64) { sum += math.Abs(v) * units[j] })
		}
		most = max(most, 2*sum)
	}
	for j, unit := range units {
		for l := range b.labels {
			dst[j*b.labels+l] = unit / most
		}
	}
}

// invert makes the largest magnitudes of functions the units in which they are measured.
func invert(largest []float64) {
	for j, v := range largest {
		if largest[j] = 1; v > 0 {
			largest[j] = 1 / v
		}
	}
}

func (b *featureFunctions) weights(w []float64) matrix {
	return matrix{Rows: b.x.Len(), Cols: b.labels, Stride: b.labels, Data: w}
}

func (b *featureFunctions) scoresTo(dst matrix, weights []float64, lo, hi int) {
	w := b.weights(weights)
	if b.x.Rows == nil && b.x.P > 0 {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, b.x.Dense.Slice(lo, hi, 0, b.x.P), w.Slice(0, b.x.P, 0, b.labels), 0, dst)
		if b.x.Intercept {
			for i := range dst.Rows {
				linalg.Axpy(dst.Row(i), w.Row(b.x.P), 1)
			}
		}
		return
	}
	m := features{b.x, w}
	for i := lo; i < hi; i++ {
		m.scoresTo(dst.Row(i-lo), i)
	}
}

func (b *featureFunctions) pullsTo(with, against []float64, p *pressures) {
	clear(with)
	clear(against)
	up, down := b.weights(with), b.weights(against)
	if b.x.Rows != nil || b.x.P == 0 {
		for i := range b.x.N {
			entries(b.x, i, func(j int, v float64) {
				a, c := p.won.Row(i), p.lost.Row(i)
				if v < 0 {
					a, c, v = c, a, -v
				}
				linalg.Axpy(up.Row(j), a, v)
				linalg.Axpy(down.Row(j), c, v)
			})
		}
		return
	}
	q := b.x.P
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.positive, p.won, 0, up.Slice(0, q, 0, b.labels))
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.positive, p.lost, 0, down.Slice(0, q, 0, b.labels))
	if b.negative.Data != nil {
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.negative, p.lost, 1, up.Slice(0, q, 0, b.labels))
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.negative, p.won, 1, down.Slice(0, q, 0, b.labels))
	}
	if b.x.Intercept {
		for i := range b.x.N {
			linalg.Axpy(up.Row(q), p.won.Row(i), 1)
			linalg.Axpy(down.Row(q), p.lost.Row(i), 1)
		}
	}
}

// rankers are functions that score all labels: a is the score of the winner less that of the loser.
type rankers struct {
	scores matrix // n·k×J
	labels int
	graphs []graph
}

// RankerFunctions returns base functions from the scores that each of them gives the labels of each row, n·k×J.
func RankerFunctions(scores linalg.Matrix[float64], e *Examples) Functions {
	return &rankers{scores: scores, labels: e.Labels, graphs: e.pressures().graphs}
}

func (b *rankers) size() int { return b.scores.Cols }

// at calls f for the numbers of an edge of row i.
func (b *rankers) at(i int, e *edge, f func(j int, a float64)) {
	loser := b.scores.Row(i*b.labels + e.loser)
	for j, v := range b.scores.Row(i*b.labels + e.winner) {
		f(j, v-loser[j])
	}
}

func (b *rankers) factorsTo(dst []float64) {
	clear(dst)
	b.each(func(i, at int) {
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) { dst[j] = max(dst[j], math.Abs(a)) })
	})
	invert(dst)
	most := math.SmallestNonzeroFloat64
	b.each(func(i, at int) {
		var sum float64
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) { sum += math.Abs(a) * dst[j] })
		most = max(most, sum)
	})
	for j := range dst {
		dst[j] /= most
	}
}

// each calls f for all edges.
func (b *rankers) each(f func(i, at int)) {
	for i := range b.graphs {
		for at := range b.graphs[i].edges {
			f(i, at)
		}
	}
}

func (b *rankers) scoresTo(dst matrix, weights []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for l := range b.labels {
			dst.Row(i - lo)[l] = linalg.Dot(b.scores.Row(i*b.labels+l), weights)
		}
	}
}

func (b *rankers) pullsTo(with, against []float64, p *pressures) {
	clear(with)
	clear(against)
	b.each(func(i, at int) {
		pressure := p.edges[i][at]
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) {
			if a > 0 {
				with[j] += pressure * a
			} else {
				against[j] -= pressure * a
			}
		})
	})
}
