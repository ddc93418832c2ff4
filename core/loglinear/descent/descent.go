package descent

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

const (
	// LargestMoment is the order of a second moment of inputs that is diagonalised for a descent, which multiplies by its eigenvectors
	// in each step.
	LargestMoment = 512
	// SampledTol is what Tol is taken to be at least with sampled gradients, so that a 400th of the gain may be left.
	SampledTol   = 0.05
	leastRounds  = 4   // evaluations of all rows that one estimate may cost at most ...
	roundRows    = 400 // ... or as many as make up this many rows
	sampledSlack = 4   // times what they are asked for sampled fits may have left and count as converged: a hundredth of the gain
	spacing      = 1.5 // by how much a checkpoint comes later than the one before
	damping      = 0.1 // share of the covariance under the uniform distribution that steps add to that where the descent is
	firstRenewed = 6   // passes after which the preconditioner is first renewed; then after twice as many each time
	much         = .01 // of the gain: where more is left, steps that have shrunk are long again
	mostPoints   = 6   // checkpoints that are kept
)

// Options are those of a Descent.
type Options struct {
	loglinear.Sizes // LargestGram is LargestMoment where it is not given
	Alpha           float64
	Tol             float64 // it ends when the objective is estimated to exceed its minimum by Tol² times as much as at W = 0, at most
	MaxIter         int     // passes over the rows at most, at least 1
	Seed            uint64  // of the order of rows
	// Sampled says that expectations are estimates, which come in independent pairs where two are asked for.
	Sampled bool
}

func (o Options) check() error {
	if o.MaxIter < 1 {
		return fault.Value("the passes are limited to %d, must be at least 1", o.MaxIter)
	}
	return loglinear.SearchOptions{Sizes: o.Sizes, Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter}.Check()
}

// limited returns the options with the limit of a descent where none is given.
func (o Options) limited() Options {
	if o.LargestGram == 0 {
		o.LargestGram = LargestMoment
	}
	return o
}

// tol returns the tolerance that is kept to.
func (o Options) tol() float64 {
	if o.Sampled {
		return max(o.Tol, SampledTol)
	}
	return o.Tol
}

// Where a descent is: what it waits for, or is about to do.
const (
	descentNew     = iota
	descentShuffle // to begin a pass
	descentStep    // the means of a mini-batch
	descentLoss    // exact expectations for the loss of all rows
	descentPairs   // pairs of means of all rows
	descentSpread  // draws
	descentEnd
)

type matrix = linalg.Matrix[float64]

// Descent minimises α‖W‖² plus the loss of the rows of a problem by passes of preconditioned steps on mini-batches of up to 32 of them,
// and averages its iterates. It is all on its state, but for the rows.
//
// It ends when the objective is estimated to exceed its minimum by at most Tol² times as much as at W = 0, or after MaxIter passes. The
// estimate is half the squared norm of the preconditioned gradient, or what the second half of the passes has gained, whichever is
// larger; with sampled gradients both are estimated, up to two standard errors.
type Descent struct {
	o       Options
	problem *loglinear.Problem
	own     *descentState
}

type descentState struct {
	mark, stage, passes, check, renew *float64
	left, leftError, gain, objective  *float64 // the estimate, that at W = 0, and the objective where it is known
	points, rounds, asked, at         *float64 // checkpoints kept; rounds of pairs done and asked for, and the rows they have got to
	weight, renewed                   *float64
	steps                             steps
	pair                              [2]matrix // sums of the two gradients, q×d
	sums, pass                        []float64
	pairScores, pairMeans             matrix // of a block of rows
	curvature, moved, variances       []float64
	spread                            []float64
	zero, now, step                   loglinear.Preconditioner // at W = 0, for estimates, and damped for steps
	checkpoints                       []checkpoint
	size                              int
}

const descentHeader = 24

func (o Options) layout(p *loglinear.Problem, state []float64) *descentState {
	t, s := &flat.Tape{Data: state}, new(descentState)
	q, d := o.Features, o.Outputs
	header := t.Take(descentHeader)
	var forSteps []float64
	if header != nil {
		for i, p := range []**float64{&s.mark, &s.stage, &s.passes, &s.check, &s.renew, &s.left, &s.leftError, &s.gain, &s.objective,
			&s.points, &s.rounds, &s.asked, &s.at, &s.weight, &s.renewed} {
			*p = &header[i]
		}
		forSteps = header[descentHeader-4:]
	}
	s.steps = layoutSteps(t, forSteps, o.Sizes, p.Len())
	if o.Sampled {
		s.pair = [2]matrix{t.Matrix(q, d), t.Matrix(q, d)}
		k := o.BlockRows(p.Len())
		s.pairScores, s.pairMeans = t.Matrix(k, d), t.Matrix(2*k, d)
	}
	s.sums = t.Take(max(o.SumsLen(loglinear.Moments), o.SumsLen(loglinear.Loss), o.SumsLen(loglinear.Spread)))
	s.pass = t.Take(o.PassLen(p))
	work := [2]matrix{t.Matrix(q, d), t.Matrix(q, d)}
	s.curvature, s.moved, s.variances, s.spread = t.Take(q), t.Take(q), t.Take(d), t.Take(d)
	for _, by := range []*loglinear.Preconditioner{&s.zero, &s.now, &s.step} {
		by.Work, by.Scale = work, t.Matrix(q, d)
		switch {
		case by == &s.zero && o.Gram() || by != &s.zero && o.Moves():
			by.Features = t.Matrix(q, q)
		case o.Gram():
			by.Features = s.zero.Features
		}
		if o.HasCovariance() {
			by.Outputs = t.Matrix(d, d)
		}
	}
	for range mostPoints {
		var c checkpoint
		if passes := t.Take(1); passes != nil {
			c.passes = &passes[0]
		}
		c.weights, c.gradient = t.Matrix(q, d), t.Matrix(q, d)
		if o.Sampled {
			c.difference = t.Matrix(q, d)
		}
		s.checkpoints = append(s.checkpoints, c)
	}
	s.size = t.At
	return s
}

func (o Options) mark(n int) float64 { return flat.Mark("descent", o, n) }

// StateLen returns the length of the state of a descent over a problem.
func StateLen(o Options, p *loglinear.Problem) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	return o.limited().layout(p, nil).size, nil
}

// New begins a descent in a state of length StateLen. Covariance is as for NewSearch; start, unless it has no rows, are weights
// to begin with.
func New(o Options, p *loglinear.Problem, state []float64, covariance, start matrix) (*Descent, error) {
	length, err := StateLen(o, p)
	if err == nil {
		err = flat.CheckLength(state, length)
	}
	if err == nil {
		err = checkBegin(o.Sizes, p, covariance, start)
	}
	if err != nil {
		return nil, err
	}
	o = o.limited()
	clear(state)
	own := o.layout(p, state)
	*own.mark = o.mark(p.Len())
	if o.HasCovariance() {
		own.zero.Outputs.CopyFrom(covariance)
	}
	if start.Rows > 0 {
		own.steps.weights.CopyFrom(start)
		own.steps.average.CopyFrom(start)
	}
	return &Descent{o, p, own}, nil
}

// checkBegin checks what a descent begins with.
func checkBegin(s loglinear.Sizes, p *loglinear.Problem, covariance, start matrix) error {
	switch d := s.Outputs; {
	case p.X.Columns() != s.Features || p.Psi.Cols != d:
		return fault.Value("the rows have %d features and %d outputs, must have %d and %d", p.X.Columns(), p.Psi.Cols, s.Features, d)
	case p.Len() == 0:
		return loglinear.ErrNoWeight
	case s.HasCovariance() && (covariance.Rows != d || covariance.Cols != d):
		return fault.Value("the covariance is %d×%d, must be %d×%d", covariance.Rows, covariance.Cols, d, d)
	case start.Rows != 0 && (start.Rows != s.Features || start.Cols != d):
		return fault.Value("the start is %d×%d, must be %d×%d", start.Rows, start.Cols, s.Features, d)
	}
	for i := range start.Rows {
		if !flat.Finite(start.Row(i)) {
			return loglinear.ErrStart
		}
	}
	return nil
}

// Resume returns the descent that a state holds. All else must be as it was.
func Resume(o Options, p *loglinear.Problem, state []float64) (*Descent, error) {
	length, err := StateLen(o, p)
	if err == nil {
		err = flat.CheckState(state, length, o.limited().mark(p.Len()))
	}
	if err != nil {
		return nil, err
	}
	o = o.limited()
	own, n := o.layout(p, state), p.Len()
	if err := fault.First(flat.CheckWhole(*own.stage, descentNew, descentEnd), flat.CheckWhole(*own.passes, 0, o.MaxIter),
		flat.CheckWhole(*own.points, 0, mostPoints), flat.CheckWhole(*own.rounds, 0, mostRounds(n)),
		flat.CheckWhole(*own.asked, 0, mostRounds(n)), flat.CheckWhole(*own.at, 0, n), own.steps.check()); err != nil {
		return nil, err
	}
	return &Descent{o, p, own}, nil
}

// Found is where a descent has got to.
type Found struct {
	Weights   matrix // the average, in the state
	Last      matrix // the last iterate, likewise
	Passes    int
	Steps     int
	Objective float64   // at the last checkpoint, with exact expectations
	Left      Decrement // what was left then, about
	Limit     float64   // what was asked for
	Gain      float64   // what was left at W = 0
	Converged bool      // whether no more was left than noise excuses
}

// Found returns where the descent has got to.
func (s *Descent) Found() Found {
	own := s.own
	d := Found{Weights: own.steps.average, Last: own.steps.weights, Passes: int(*own.passes), Steps: int(*own.steps.count),
		Objective: *own.objective, Left: Decrement{*own.left, *own.leftError}, Gain: *own.gain, Limit: s.limit()}
	slack := 1.0
	if d.Left.Error > 0 {
		slack = sampledSlack
	}
	d.Converged = d.Left.Value+d.Left.Error <= slack*d.Limit
	return d
}

func (s *Descent) limit() float64 { return s.o.tol() * s.o.tol() * *s.own.gain }

// Next takes in what was asked for last and goes on until more is needed, or asks for Nothing: Found then says where the descent has
// ended. After an error from mon it may be called again; after others the state is unspecified.
func (s *Descent) Next(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	for {
		if err := mon.Err(); err != nil {
			return loglinear.RowsRequest{}, err
		}
		var r loglinear.RowsRequest
		var err error
		switch *s.own.stage {
		case descentNew:
			err = s.prepare(mon)
		case descentShuffle:
			r, err = s.nextPass()
		case descentStep:
			r, err = s.afterStep(mon)
		case descentLoss:
			r, err = s.afterLoss(mon)
		case descentPairs:
			r, err = s.afterPairs(mon)
		case descentSpread:
			r, err = s.afterSpread(mon)
		default:
			return loglinear.RowsRequest{}, nil
		}
		if err != nil || r.Ask != loglinear.Nothing {
			return r, err
		}
	}
}

// Decline answers a request for draws where none can be made: the descent keeps its preconditioner.
func (s *Descent) Decline() error {
	pass, err := s.spreadPass()
	if err == nil {
		pass.Decline()
	}
	return err
}
