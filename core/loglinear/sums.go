package loglinear

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	// blockNumbers bounds the scores of a block of rows: 8 MiB, enough for BLAS to run at full speed.
	blockNumbers = 1 << 20
	spreadDraws  = 8 // from the distribution of each row, for its covariance
)

// BlockRows returns how many of n rows are treated at once: as many for any number of workers.
func (s Sizes) BlockRows(n int) int {
	most := max(1, blockNumbers/(spreadDraws*s.Outputs))
	return max(1, min(n, most, linalg.PanelWidth(n, 2*float64(s.Len()))))
}

// AddSums adds the sums of a kind over the rows of a problem, at weights (q×d) where these matter, to sums. Errors about a row number it
// among all rows.
func AddSums(s Sizes, p *Problem, kind Kind, weights matrix, sums []float64, oracle Oracle, mon *parallel.Monitor) error {
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case p.X.Columns() != s.Features || p.Psi.Cols != s.Outputs:
		return fault.Value("the rows have %d features and %d outputs, must have %d and %d", p.X.Columns(), p.Psi.Cols,
			s.Features, s.Outputs)
	case len(sums) != s.SumsLen(kind):
		return fault.Value("there are %d sums, must be %d", len(sums), s.SumsLen(kind))
	case kind != Moments && (weights.Rows != s.Features || weights.Cols != s.Outputs):
		return fault.Value("the weights are %d×%d, must be %d×%d", weights.Rows, weights.Cols, s.Features, s.Outputs)
	case kind == Spread && !s.HasCovariance():
		return fault.Value("the spread of %d outputs is not computed, of %d at most", s.Outputs, LargestCovariance)
	}
	a := &adder{s, p, sums, oracle, mon}
	if kind == Moments {
		return a.addMoments()
	}
	n, add := p.Len(), a.addLoss
	if kind == Spread {
		add = a.addSpread
	}
	scores := linalg.NewMatrix[float64](s.BlockRows(n), s.Outputs)
	for lo := 0; lo < n; lo += scores.Rows {
		at := Between(lo, min(lo+scores.Rows, n))
		part := scores.Slice(0, at.Len(), 0, s.Outputs)
		err := p.ScoresTo(part, at, weights)
		if err == nil {
			err = add(at, part)
		}
		if errors.Is(err, ErrNoDraws) {
			sums[Unknown] = 1
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// adder adds sums over rows.
type adder struct {
	sizes   Sizes
	problem *Problem
	sums    []float64
	oracle  Oracle
	mon     *parallel.Monitor
}

func (a *adder) addMoments() error {
	p, n := a.problem, a.problem.Len()
	moment := a.sizes.moment(a.sums)
	step := linalg.PanelWidth(n, 2*float64(a.sizes.MomentLen()))
	step = max(1, min(step, blockNumbers/a.sizes.Features))
	factors := make([]float64, min(step, n))
	for lo := 0; lo < n; lo += step {
		if err := a.mon.Err(); err != nil {
			return err
		}
		at := Between(lo, min(lo+step, n))
		for k := range at.Len() {
			factors[k] = p.Weight(at.At(k))
			a.sums[WeightSum] += factors[k]
			for j, v := range p.Psi.Row(p.Row(at.At(k))) {
				a.sums[SquareSum] += (v - p.Mean[j]) * (v - p.Mean[j])
			}
		}
		if err := p.addMoment(moment, at, factors[:at.Len()]); err != nil {
			return err
		}
		a.sums[RowCount] += float64(at.Len())
	}
	return nil
}

// addLoss adds the losses of rows and their gradients.
func (a *adder) addLoss(at Rows, scores matrix) error {
	p, k := a.problem, at.Len()
	means, logZ := linalg.NewMatrix[float64](k, a.sizes.Outputs), make([]float64, k)
	if err := p.Answer(a.oracle, RowsRequest{Ask: Expect, Rows: at, Scores: scores, Means: means, LogZ: logZ}, a.mon); err != nil {
		return err
	}
	var seen matrix
	var logSeen []float64
	if p.Seen != nil {
		seen, logSeen = linalg.NewMatrix[float64](k, a.sizes.Outputs), make([]float64, k)
		if err := p.seen(RowsRequest{Ask: Expect, Rows: at, Scores: scores, Means: seen, LogZ: logSeen}, a.mon); err != nil {
			return err
		}
	}
	var loss float64
	for k := range k {
		i := at.At(k)
		w, psi, mean := p.Weight(i), p.Psi.Row(p.Row(i)), means.Row(k)
		var value float64
		if p.Seen == nil {
			value = floats.Dot(scores.Row(k), psi)
		} else {
			value, psi = logSeen[k], seen.Row(k)
		}
		one := w * (logZ[k] - value)
		if math.IsNaN(one) {
			return fault.At(p.Row(i), ErrUnanswered)
		}
		loss += one
		for j, v := range psi {
			mean[j] = w * (mean[j] - v)
		}
	}
	a.sums[LossSum] += loss
	return p.AddGradient(a.sizes.GradientOf(a.sums), at, means)
}

// addSpread adds the covariances of rows' distributions.
func (a *adder) addSpread(at Rows, scores matrix) error {
	p, k, d := a.problem, at.Len(), a.sizes.Outputs
	moved, covariance := a.sizes.spread(a.sums)
	psi, factors := linalg.NewMatrix[float64](k*spreadDraws, d), make([]float64, k)
	if err := p.Answer(a.oracle, RowsRequest{Ask: Draw, Rows: at, Scores: scores, Draws: spreadDraws, Psi: psi}, a.mon); err != nil {
		return err
	}
	mean := make([]float64, d)
	for i := range k {
		w := p.Weight(at.At(i))
		trace := centre(psi.Slice(i*spreadDraws, (i+1)*spreadDraws, 0, d), mean, math.Sqrt(w/(spreadDraws-1)))
		a.sums[TraceSum] += trace / w
		factors[i] = trace
	}
	a.sums[RowCount] += float64(k)
	err := p.Work.do(psi.Rows*d*d, func() { linalg.Gemm(blas.Trans, blas.NoTrans, 1, psi, psi, 1, covariance) })
	if err == nil && a.sizes.Moves() {
		err = p.addMoment(moved, at, factors)
	}
	return err
}

// centre subtracts the mean of some rows from each, scales them and returns the sum of their squares. Mean is scratch.
func centre(psi matrix, mean []float64, by float64) (squares float64) {
	clear(mean)
	for k := range psi.Rows {
		linalg.Axpy(mean, psi.Row(k), 1/float64(psi.Rows))
	}
	for k := range psi.Rows {
		row := psi.Row(k)
		for j, m := range mean {
			row[j] = by * (row[j] - m)
		}
		squares += linalg.SquaredNorm(row)
	}
	return squares
}
