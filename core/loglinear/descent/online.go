package descent

import (
	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

// OnlineOptions are those of an Online pass.
type OnlineOptions struct {
	loglinear.Sizes // LargestGram is LargestMoment where it is not given
	Alpha           float64
	Seed            uint64 // of the order of rows
}

func (o OnlineOptions) descent() Options {
	return Options{Sizes: o.Sizes, Alpha: o.Alpha, MaxIter: 1, Seed: o.Seed}.limited()
}

// Progress is what is known of a descent over rows that come in parts.
type Progress struct {
	Weights, Average matrix  // q×d: the last iterate, and the average of all; without rows: zeros
	Moment           matrix  // second moment of the features of the rows so far, q×q or 1×q; without rows: not known
	Variance         float64 // of ψ, where Outputs is above LargestCovariance; 0: not known
	Steps, Rows      int
	Seen             float64 // weight of the rows so far
}

// Online passes once over the rows of a problem, from where a descent over earlier ones has got to. The penalty is against all rows so far:
// as if these rows were as many as all are. It is all on its state, but for the rows.
type Online struct {
	o       Options
	problem *loglinear.Problem
	own     onlineState
}

type onlineState struct {
	mark, stage, rows, seen, known, variance, share *float64
	steps                                           steps
	sums, moment                                    []float64
	curvature, variances                            []float64
	zero                                            loglinear.Preconditioner
	size                                            int
}

const onlineHeader = 16

func (o Options) layoutOnline(p *loglinear.Problem, state []float64) (own onlineState) {
	t, q, d := &flat.Tape{Data: state}, o.Features, o.Outputs
	header := t.Take(onlineHeader)
	var forSteps []float64
	if header != nil {
		own.mark, own.stage, own.rows, own.seen = &header[0], &header[1], &header[2], &header[3]
		own.known, own.variance, own.share = &header[4], &header[5], &header[6]
		forSteps = header[onlineHeader-4:]
	}
	own.steps = layoutSteps(t, forSteps, o.Sizes, p.Len())
	own.sums, own.moment = t.Take(o.SumsLen(loglinear.Moments)), t.Take(o.MomentLen())
	own.curvature, own.variances = t.Take(q), t.Take(d)
	own.zero = loglinear.Preconditioner{Work: [2]matrix{t.Matrix(q, d), t.Matrix(q, d)}, Scale: t.Matrix(q, d)}
	if o.Gram() {
		own.zero.Features = t.Matrix(q, q)
	}
	if o.HasCovariance() {
		own.zero.Outputs = t.Matrix(d, d)
	}
	own.size = t.At
	return own
}

func (o Options) onlineMark(n int) float64 { return flat.Mark("online", o, n) }

// OnlineLen returns the length of the state of an Online pass over a problem.
func OnlineLen(o OnlineOptions, p *loglinear.Problem) (int, error) {
	if err := o.descent().check(); err != nil {
		return 0, err
	}
	return o.descent().layoutOnline(p, nil).size, nil
}

// NewOnline begins a pass from the progress so far, which is copied. Covariance is as for NewSearch.
func NewOnline(o OnlineOptions, p *loglinear.Problem, state []float64, covariance matrix, from Progress) (*Online, error) {
	length, err := OnlineLen(o, p)
	if err == nil {
		err = flat.CheckLength(state, length)
	}
	for _, w := range []matrix{from.Weights, from.Average} {
		if err == nil {
			err = checkBegin(o.Sizes, p, covariance, w)
		}
	}
	if err != nil {
		return nil, err
	}
	all := o.descent()
	clear(state)
	own := all.layoutOnline(p, state)
	*own.mark = all.onlineMark(p.Len())
	if all.HasCovariance() {
		own.zero.Outputs.CopyFrom(covariance)
	}
	if from.Weights.Rows > 0 {
		own.steps.weights.CopyFrom(from.Weights)
	}
	if from.Average.Rows > 0 {
		own.steps.average.CopyFrom(from.Average)
	}
	if from.Moment.Rows > 0 {
		to := all.MomentOf(own.moment)
		if m := from.Moment; m.Rows != to.Rows || m.Cols != to.Cols {
			return nil, fault.Value("the moment is %d×%d, must be %d×%d", m.Rows, m.Cols, to.Rows, to.Cols)
		}
		to.CopyFrom(from.Moment)
		*own.known = 1
	}
	*own.variance, *own.steps.count, *own.rows, *own.seen = from.Variance, float64(from.Steps), float64(from.Rows), from.Seen
	return &Online{all, p, own}, nil
}

// ResumeOnline returns the pass that a state holds. All else must be as it was.
func ResumeOnline(o OnlineOptions, p *loglinear.Problem, state []float64) (*Online, error) {
	length, err := OnlineLen(o, p)
	if err == nil {
		err = flat.CheckState(state, length, o.descent().onlineMark(p.Len()))
	}
	if err != nil {
		return nil, err
	}
	own := o.descent().layoutOnline(p, state)
	if err := fault.First(flat.CheckWhole(*own.stage, descentNew, descentEnd), own.steps.check()); err != nil {
		return nil, err
	}
	return &Online{o.descent(), p, own}, nil
}

// Progress returns where the descent has got to, in the state. It is complete when Next has asked for Nothing.
func (s *Online) Progress() Progress {
	own := s.own
	return Progress{own.steps.weights, own.steps.average, s.o.MomentOf(own.moment), *own.variance, int(*own.steps.count), int(*own.rows),
		*own.seen}
}

// Next takes in what was asked for last and goes on until more is needed, or asks for Nothing. After an error from mon it may be called
// again; after others the state is unspecified.
func (s *Online) Next(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	if err := mon.Err(); err != nil {
		return loglinear.RowsRequest{}, err
	}
	own := s.own
	switch *own.stage {
	case descentNew:
		if err := s.prepare(mon); err != nil {
			return loglinear.RowsRequest{}, err
		}
		own.steps.shuffle(s.o.Seed, int(*own.steps.count))
		*own.stage = descentStep
	case descentStep:
		if err := own.steps.take(s.problem, &own.zero, s.o.Alpha, *own.share); err != nil {
			return loglinear.RowsRequest{}, err
		}
		mon.Advance(1)
	case descentEnd:
		return loglinear.RowsRequest{}, nil
	}
	r, err := own.steps.ask(s.problem)
	if err == nil && r.Ask == loglinear.Nothing {
		*own.stage = descentEnd
	}
	return r, err
}

// prepare adds the moment of these rows to that of all so far, and finds the preconditioner and the step size.
func (s *Online) prepare(mon *parallel.Monitor) error {
	own, o, p := s.own, s.o, s.problem
	clear(own.sums)
	if err := loglinear.AddSums(o.Sizes, p, loglinear.Moments, matrix{}, own.sums, nil, mon); err != nil {
		return err
	}
	weight := own.sums[loglinear.WeightSum]
	share := (*own.seen + weight) / weight
	if o.HasCovariance() {
		*own.variance = 0
	} else if *own.variance == 0 {
		*own.variance = own.sums[loglinear.SquareSum] / (own.sums[loglinear.RowCount] * float64(o.Outputs))
	}
	own.sums[loglinear.SquareSum] = *own.variance * own.sums[loglinear.RowCount] * float64(o.Outputs)
	moment := o.MomentOf(own.sums[len(own.sums)-o.MomentLen():])
	// Where no moment is known, the rows so far are taken to have been as those that come now.
	if *own.known == 0 {
		flat.Scale(share, moment.Data)
	} else {
		flat.Axpy(moment.Data, 1, own.moment)
	}
	if err := loglinear.SetZero(o.Sizes, o.Alpha, own.sums, &own.zero, own.curvature, own.variances, mon); err != nil {
		return err
	}
	first, err := firstStep(p, &own.zero, o.Sizes, o.Alpha, share, own.curvature, mon)
	if err != nil {
		return err
	}
	copy(own.moment, moment.Data)
	*own.steps.first, *own.share, *own.known = first, share, 1
	*own.rows += float64(p.Len())
	*own.seen += weight
	return nil
}

// Decline is never asked for: an Online pass asks for means alone.
func (s *Online) Decline() error { return loglinear.ErrNoDraws }
