package loglinear

import (
	"fmt"

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

// DescentOptions are those of a Descent.
type DescentOptions struct {
	Sizes   // LargestGram is LargestMoment where it is not given
	Alpha   float64
	Tol     float64 // it ends when the objective is estimated to exceed its minimum by Tol² times as much as at W = 0, at most
	MaxIter int     // passes over the rows at most, at least 1
	Seed    uint64  // of the order of rows
	// Sampled says that expectations are estimates, which come in independent pairs where two are asked for.
	Sampled bool
}

func (o DescentOptions) check() error {
	if o.MaxIter < 1 {
		return fmt.Errorf("loglinear: the passes are limited to %d, must be at least 1", o.MaxIter)
	}
	return SearchOptions{Sizes: o.Sizes, Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter}.check()
}

// limited returns the options with the limit of a descent where none is given.
func (o DescentOptions) limited() DescentOptions {
	o.LargestGram = given(o.LargestGram, LargestMoment)
	return o
}

// tol returns the tolerance that is kept to.
func (o DescentOptions) tol() float64 {
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

// Descent minimises α‖W‖² plus the loss of the rows of a problem by passes of preconditioned steps on mini-batches of up to 32 of them,
// and averages its iterates. It is all on its state, but for the rows.
//
// It ends when the objective is estimated to exceed its minimum by at most Tol² times as much as at W = 0, or after MaxIter passes. The
// estimate is half the squared norm of the preconditioned gradient, or what the second half of the passes has gained, whichever is
// larger; with sampled gradients both are estimated, up to two standard errors.
type Descent struct {
	o       DescentOptions
	problem *Problem
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
	passes_                           passState
	curvature, moved, variances       []float64
	spread                            []float64
	zero, now, step                   preconditioner // at W = 0, for estimates, and damped for steps
	checkpoints                       []checkpoint
	size                              int
}

const descentHeader = 24

func (o DescentOptions) layout(n int, state []float64) *descentState {
	t, s := &tape{data: state}, new(descentState)
	q, d := o.Features, o.Outputs
	header := t.take(descentHeader)
	var forSteps []float64
	if header != nil {
		for i, p := range []**float64{&s.mark, &s.stage, &s.passes, &s.check, &s.renew, &s.left, &s.leftError, &s.gain, &s.objective,
			&s.points, &s.rounds, &s.asked, &s.at, &s.weight, &s.renewed} {
			*p = &header[i]
		}
		forSteps = header[descentHeader-4:]
	}
	s.steps = layoutSteps(t, forSteps, o.Sizes, n)
	if o.Sampled {
		s.pair = [2]matrix{t.matrix(q, d), t.matrix(q, d)}
	}
	s.sums = t.take(max(o.SumsLen(Moments), o.SumsLen(Loss), o.SumsLen(Spread)))
	s.pass = t.take(o.layoutPass(n, nil).size)
	if state != nil {
		s.passes_ = o.layoutPass(n, s.pass)
	}
	work := [2]matrix{t.matrix(q, d), t.matrix(q, d)}
	s.curvature, s.moved, s.variances, s.spread = t.take(q), t.take(q), t.take(d), t.take(d)
	for _, p := range []*preconditioner{&s.zero, &s.now, &s.step} {
		p.work, p.scale = work, t.matrix(q, d)
		switch {
		case p == &s.zero && o.gram() || p != &s.zero && o.moves():
			p.features = t.matrix(q, q)
		case o.gram():
			p.features = s.zero.features
		}
		if o.covariance() {
			p.outputs = t.matrix(d, d)
		}
	}
	for range mostPoints {
		var c checkpoint
		if passes := t.take(1); passes != nil {
			c.passes = &passes[0]
		}
		c.weights, c.gradient = t.matrix(q, d), t.matrix(q, d)
		if o.Sampled {
			c.difference = t.matrix(q, d)
		}
		s.checkpoints = append(s.checkpoints, c)
	}
	s.size = t.at
	return s
}

func (o DescentOptions) mark(n int) float64 {
	search := SearchOptions{Sizes: o.Sizes, Alpha: o.Alpha, Tol: o.Tol, MaxIter: o.MaxIter}.mark()
	return mark("descent", n, int(search), btoi(o.Sampled), int(o.Seed))
}

// DescentLen returns the length of the state of a descent over a problem.
func (p *Problem) DescentLen(o DescentOptions) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	return o.limited().layout(p.Len(), nil).size, nil
}

// NewDescent begins a descent in a state of length DescentLen. Covariance is as for NewSearch; start, unless it has no rows, are weights
// to begin with.
func NewDescent(o DescentOptions, p *Problem, state []float64, covariance, start matrix) (*Descent, error) {
	length, err := p.DescentLen(o)
	if err == nil {
		err = checkLength(state, length)
	}
	if err == nil {
		err = checkBegin(o.Sizes, p, covariance, start)
	}
	if err != nil {
		return nil, err
	}
	o = o.limited()
	clear(state)
	own := o.layout(p.Len(), state)
	*own.mark = o.mark(p.Len())
	if o.covariance() {
		own.zero.outputs.CopyFrom(covariance)
	}
	if start.Rows > 0 {
		own.steps.weights.CopyFrom(start)
		own.steps.average.CopyFrom(start)
	}
	return &Descent{o, p, own}, nil
}

// checkBegin checks what a descent begins with.
func checkBegin(s Sizes, p *Problem, covariance, start matrix) error {
	switch d := s.Outputs; {
	case p.X.Len() != s.Features || p.Psi.Cols != d:
		return fmt.Errorf("loglinear: the rows have %d features and %d outputs, must have %d and %d", p.X.Len(), p.Psi.Cols, s.Features, d)
	case p.Len() == 0:
		return errNoWeight
	case s.covariance() && (covariance.Rows != d || covariance.Cols != d):
		return fmt.Errorf("loglinear: the covariance is %d×%d, must be %d×%d", covariance.Rows, covariance.Cols, d, d)
	case start.Rows != 0 && (start.Rows != s.Features || start.Cols != d):
		return fmt.Errorf("loglinear: the start is %d×%d, must be %d×%d", start.Rows, start.Cols, s.Features, d)
	}
	for i := range start.Rows {
		if !finite(start.Row(i)) {
			return errStart
		}
	}
	return nil
}

// ResumeDescent returns the descent that a state holds. All else must be as it was.
func ResumeDescent(o DescentOptions, p *Problem, state []float64) (*Descent, error) {
	length, err := p.DescentLen(o)
	if err == nil {
		err = checkState(state, length, o.limited().mark(p.Len()))
	}
	if err != nil {
		return nil, err
	}
	o = o.limited()
	return &Descent{o, p, o.layout(p.Len(), state)}, nil
}

// Descended is where a descent has got to.
type Descended struct {
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
func (s *Descent) Found() Descended {
	own := s.own
	d := Descended{Weights: own.steps.average, Last: own.steps.weights, Passes: int(*own.passes), Steps: int(*own.steps.count),
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
func (s *Descent) Next(mon *parallel.Monitor) (RowsRequest, error) {
	for {
		if err := mon.Err(); err != nil {
			return RowsRequest{}, err
		}
		var r RowsRequest
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
			return RowsRequest{}, nil
		}
		if err != nil || r.Ask != Nothing {
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
