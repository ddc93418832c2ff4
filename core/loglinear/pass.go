package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

const (
	// blockNumbers bounds the scores of a block of rows: 8 MiB, enough for BLAS to run at full speed.
	blockNumbers = 1 << 20
	spreadDraws  = 4 // from the distribution of each row, for its covariance
)

// Ask says what a machine that has the rows needs about the distributions of some of them.
type Ask int

const (
	Nothing Ask = iota // it has finished
	Expect             // expectations of ψ and ln Z
	Mean               // expectations of ψ, which may be estimates
	Draw               // outputs drawn independently, embedded; those of one row follow one another
	Pair               // two estimates of the expectations, independent of each other
	Uniform            // outputs drawn uniformly, whatever the scores, embedded
)

// RowsRequest asks about the distributions p(y) ∝ exp⟨s, ψ(y)⟩ of k rows of scores s. The answer goes where the last three fields are,
// in the state.
type RowsRequest struct {
	Ask     Ask
	First   int       // of the rows, where they are consecutive; rows are numbered without those of weight 0
	Numbers []float64 // theirs, where they are not
	Scores  matrix    // k×d
	Draws   int       // Draw: how many of each row; Pair: how many times as many draws as for a Mean

	Means matrix    // k×d; Pair: 2k×d, the second estimates after all the first
	LogZ  []float64 // k, for Expect
	Psi   matrix    // k·Draws×d, for Draw
}

// Pass computes sums over the rows of a problem. It is all on its state, but for the rows, the weights and the sums themselves.
type Pass struct {
	sizes   Sizes
	problem *Problem
	kind    Kind
	weights matrix
	sums    []float64
	own     passState
}

type passState struct {
	mark, begun, done, pending *float64 // rows done, and rows that are asked about
	scores, means, psi         matrix
	logZ                       []float64
	size                       int
}

const passHeader = 8

// BlockRows returns how many of n rows are treated at once: as many for any number of workers.
func (s Sizes) BlockRows(n int) int {
	most := max(1, blockNumbers/(spreadDraws*s.Outputs))
	return max(1, min(n, most, linalg.PanelWidth(n, 2*float64(s.Len()))))
}

// layoutPass cuts a state for passes over n rows into its parts.
func (s Sizes) layoutPass(n int, state []float64) passState {
	t, k, d := &flat.Tape{Data: state}, s.BlockRows(n), s.Outputs
	var own passState
	if h := t.Take(passHeader); h != nil {
		own.mark, own.begun, own.done, own.pending = &h[0], &h[1], &h[2], &h[3]
	}
	own.scores = t.Matrix(k, d)
	lo := t.At
	own.means, own.logZ = t.Matrix(k, d), t.Take(k)
	// Draws lie where expectations do: a pass asks for the one or the other.
	if more := k*spreadDraws*d - (t.At - lo); more > 0 {
		t.Take(more)
	}
	if state != nil {
		own.psi = flat.Shaped(state[lo:lo+k*spreadDraws*d], k*spreadDraws, d)
	}
	own.size = t.At
	return own
}

// PassLen returns the length of the state of passes over a problem.
func (s Sizes) PassLen(p *Problem) int { return s.layoutPass(p.Len(), nil).size }

// NewPass begins to add the sums of a kind to sums, at weights (q×d) where that matters. They are complete when Next asks for Nothing.
func NewPass(s Sizes, p *Problem, kind Kind, weights matrix, sums, state []float64) (*Pass, error) {
	if len(state) != s.PassLen(p) {
		return nil, fault.Value("the state of a pass has %d numbers, must have %d", len(state), s.PassLen(p))
	}
	clear(state[:passHeader])
	state[0] = s.passMark(p, kind)
	return ResumePass(s, p, kind, weights, sums, state)
}

func (s Sizes) passMark(p *Problem, kind Kind) float64 {
	return flat.Mark("pass", s, p.Len(), kind)
}

// ResumePass returns the pass that a state holds. All else must be as it was.
func ResumePass(s Sizes, p *Problem, kind Kind, weights matrix, sums, state []float64) (*Pass, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := flat.CheckState(state, s.PassLen(p), s.passMark(p, kind)); err != nil {
		return nil, err
	}
	switch {
	case p.X.Columns() != s.Features || p.Psi.Cols != s.Outputs:
		return nil, fault.Value("the rows have %d features and %d outputs, must have %d and %d", p.X.Columns(), p.Psi.Cols,
			s.Features, s.Outputs)
	case len(sums) != s.SumsLen(kind):
		return nil, fault.Value("there are %d sums, must be %d", len(sums), s.SumsLen(kind))
	case (kind == Loss || kind == Spread) && (weights.Rows != s.Features || weights.Cols != s.Outputs):
		return nil, fault.Value("the weights are %d×%d, must be %d×%d", weights.Rows, weights.Cols, s.Features, s.Outputs)
	case kind == Spread && !s.HasCovariance():
		return nil, fault.Value("the spread of %d outputs is not computed, of %d at most", s.Outputs, LargestCovariance)
	}
	own, n := s.layoutPass(p.Len(), state), p.Len()
	if err := fault.First(flat.CheckWhole(*own.done, 0, n), flat.CheckWhole(*own.pending, 0, s.BlockRows(n))); err != nil {
		return nil, err
	}
	if err := flat.CheckWhole(*own.done+*own.pending, 0, n); err != nil {
		return nil, err
	}
	return &Pass{s, p, kind, weights, sums, own}, nil
}

// ErrUnanswered is that of a machine that finds NaN where expectations should be: it writes them there when it asks.
var ErrUnanswered = fault.Value("an expectation or ln Z is NaN: not all that was asked for was answered")

// Next takes in what was asked for last and goes on. Errors about a row number it among all rows.
func (s *Pass) Next(mon *parallel.Monitor) (RowsRequest, error) {
	own := s.own
	if s.kind == Moments {
		return RowsRequest{}, s.addMoments(mon)
	}
	if err := mon.Err(); err != nil {
		return RowsRequest{}, err
	}
	at := Rows{lo: int(*own.done), hi: int(*own.done + *own.pending)}
	if at.Len() > 0 {
		var err error
		if s.kind == Loss {
			err = s.addLoss(at)
		} else {
			err = s.addSpread(at)
		}
		if err != nil {
			return RowsRequest{}, err
		}
		*own.done += *own.pending
		*own.pending = 0
	}
	n := s.problem.Len()
	at = Rows{lo: at.hi, hi: min(at.hi+s.sizes.BlockRows(n), n)}
	if at.Len() == 0 {
		return RowsRequest{}, nil
	}
	k, d := at.Len(), s.sizes.Outputs
	r := RowsRequest{First: at.lo, Scores: own.scores.Slice(0, k, 0, d)}
	if err := s.problem.ScoresTo(r.Scores, at, s.weights); err != nil {
		return RowsRequest{}, err
	}
	*own.pending = float64(k)
	if s.kind == Loss {
		r.Ask, r.Means, r.LogZ = Expect, own.means.Slice(0, k, 0, d), own.logZ[:k]
		flat.FillNaN(r.LogZ)
		return r, nil
	}
	r.Ask, r.Draws, r.Psi = Draw, spreadDraws, own.psi.Slice(0, k*spreadDraws, 0, d)
	flat.FillNaN(r.Psi.Row(0))
	return r, nil
}

// Decline answers a request for draws where none can be made. The sums are then of no use.
func (s *Pass) Decline() {
	s.sums[Unknown] = 1
	*s.own.done, *s.own.pending = float64(s.problem.Len()), 0
}

func (s *Pass) addMoments(mon *parallel.Monitor) error {
	p, n := s.problem, s.problem.Len()
	moment := s.sizes.moment(s.sums)
	step := linalg.PanelWidth(n, 2*float64(s.sizes.MomentLen()))
	step = max(1, min(step, blockNumbers/s.sizes.Features))
	factors := make([]float64, min(step, n))
	for int(*s.own.done) < n {
		if err := mon.Err(); err != nil {
			return err
		}
		lo := int(*s.own.done)
		at := Rows{lo: lo, hi: min(lo+step, n)}
		for k := range at.Len() {
			factors[k] = p.Weight(at.At(k))
			s.sums[WeightSum] += factors[k]
			for j, v := range p.Psi.Row(p.Row(at.At(k))) {
				s.sums[SquareSum] += (v - p.Mean[j]) * (v - p.Mean[j])
			}
		}
		p.addMoment(moment, at, factors[:at.Len()])
		s.sums[RowCount] += float64(at.Len())
		*s.own.done = float64(at.hi)
	}
	return nil
}

// addLoss adds the losses of rows and their gradients, given expectations.
func (s *Pass) addLoss(at Rows) error {
	p, own := s.problem, s.own
	var loss float64
	for k := range at.Len() {
		i := at.At(k)
		w, psi, f, mean := p.Weight(i), p.Psi.Row(p.Row(i)), own.scores.Row(k), own.means.Row(k)
		one := w * (own.logZ[k] - flat.Dot(f, psi))
		if math.IsNaN(one) {
			return fault.At(p.Row(i), ErrUnanswered)
		}
		loss += one
		for j, v := range psi {
			mean[j] = w * (mean[j] - v)
		}
	}
	s.sums[LossSum] += loss
	return p.AddGradient(s.sizes.GradientOf(s.sums), at, own.means.Slice(0, at.Len(), 0, s.sizes.Outputs))
}

// addSpread adds the covariances of rows' distributions, given draws.
func (s *Pass) addSpread(at Rows) error {
	p, k, d := s.problem, at.Len(), s.sizes.Outputs
	moved, covariance := s.sizes.spread(s.sums)
	psi, factors := s.own.psi.Slice(0, k*spreadDraws, 0, d), make([]float64, k)
	if math.IsNaN(psi.Row(0)[0]) {
		return fault.At(p.Row(at.At(0)), ErrUnanswered)
	}
	mean := make([]float64, d)
	for i := range k {
		w := p.Weight(at.At(i))
		trace := centre(psi.Slice(i*spreadDraws, (i+1)*spreadDraws, 0, d), mean, math.Sqrt(w/(spreadDraws-1)))
		s.sums[TraceSum] += trace / w
		factors[i] = trace
	}
	s.sums[RowCount] += float64(k)
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, psi, psi, 1, covariance)
	if s.sizes.Moves() {
		p.addMoment(moved, at, factors)
	}
	return nil
}

// centre subtracts the mean of some rows from each, scales them and returns the sum of their squares. Mean is scratch.
func centre(psi matrix, mean []float64, by float64) (squares float64) {
	clear(mean)
	for k := range psi.Rows {
		flat.Axpy(mean, 1/float64(psi.Rows), psi.Row(k))
	}
	for k := range psi.Rows {
		row := psi.Row(k)
		for j, m := range mean {
			row[j] = by * (row[j] - m)
		}
		squares += flat.Dot(row, row)
	}
	return squares
}
