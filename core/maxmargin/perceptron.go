package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// PerceptronOptions say how a perceptron is trained.
type PerceptronOptions struct {
	MaxIter int // passes over the blocks, at least 1; training ends after one without mistakes
	Shuffle bool
	Seed    uint64 // of the orders
	// Sampled says that what decoding finds is the best of some draws: a pass without mistakes then is no reason to end.
	Sampled bool
	// Squared and Least ask for the bound on mistakes, where Problem.Loss is the Hamming loss Δ = ‖ψ_i − ψ(z)‖₁: the largest ratio of
	// ‖ψ_i − ψ(z)‖² and Δ, 1 for entries 0 and 1 of ψ and 2 for signed ones, and the least Δ of two outputs, 2 for entries −1 and 1, else
	// 1. Zero: no bound.
	Squared, Least float64
	// Visits were made before, in training that this continues, and have led to weights Start (q×d); without rows to zero.
	Visits    int
	Start     linalg.Matrix[float64]
	BlockRows int // as for SVMOptions; for the bound
	Workers   int
}

// PerceptronTraining trains a perceptron. It is a Machine: all that it knows lies in its state, but for the problem and the options.
type PerceptronTraining struct {
	p       *Problem
	o       PerceptronOptions
	head    []float64
	steps   State
	order   []float64 // of a pass; then the blocks that may still lower the ratio of margin and loss
	weights matrix    // the last ones, for the bound
	oracle  *planes   // of the blocks that are decoded now
}

// The header of the state, after the common one.
const (
	perIter = headLen + iota
	perCursor
	perSteps
	perMistakes
	perPassMistakes
	perSeparated
	perRadius // largest squared length of an update
	perNorm   // ‖x‖² of the block under way
	perRatio  // least ratio of margin and loss so far
	perNewRatio
	perActive   // blocks that may still lower it
	perRetained // of them, those seen in this round that may do so in the next
	perFound    // some block had a smaller ratio in this round
	perBound
	perHead
)

const markPerceptron = 0x70657263

const (
	phaseRatio      = iota + phaseDone + 1 // begins a batch of the bound's decodings
	phaseRatioTaken                        // takes them
)

func (o PerceptronOptions) check(p *Problem) error {
	d, q := p.Psi.Cols, p.X.Columns()
	switch {
	case o.MaxIter < 1:
		return fault.Value("max_iter is %d, must be at least 1", o.MaxIter)
	case o.BlockRows < 0:
		return fault.Value("block_rows is %d, must be at least 0", o.BlockRows)
	case o.Visits < 0 || o.Visits > maxSteps || o.MaxIter > maxSteps/max(1, p.blocks()):
		return fault.Value("%d visits and %d passes over %d blocks are too many", o.Visits, o.MaxIter, p.blocks())
	case o.Start.Rows != 0 && (o.Start.Rows != q || o.Start.Cols != d):
		return fault.Value("the weights to start from are %d×%d, must be %d×%d", o.Start.Rows, o.Start.Cols, q, d)
	case !(o.Squared >= 0) || o.Squared > 0 && !(o.Least > 0):
		return fault.Value("a bound with squared %g and least %g", o.Squared, o.Least)
	case o.Squared > 0 && p.Loss.ZeroOne:
		return fault.Value("the bound on mistakes takes the Hamming loss")
	case p.Asked || p.Slack:
		return fault.Value("a perceptron has no planes and no slack")
	}
	if err := p.checkRows(); err != nil || o.Squared == 0 {
		return err
	}
	return p.checkLoss()
}

func (m *PerceptronTraining) layout(t *tape) {
	d, q, blocks := m.p.Psi.Cols, m.p.X.Columns(), m.p.blocks()
	m.head = t.take(perHead)
	m.steps = State{V: t.matrix(blocks, d), LateV: t.matrix(blocks, d), W: t.matrix(q, d)}
	m.order, m.weights = t.take(blocks), t.matrix(q, d)
	m.oracle = m.p.newPlanes(t, m.p.batch(m.o.BlockRows), m.o.Workers)
	m.oracle.head = m.head
}

// StateLen returns the length of the state.
func (o PerceptronOptions) StateLen(p *Problem) (int, error) {
	if err := o.check(p); err != nil {
		return 0, err
	}
	var t tape
	(&PerceptronTraining{p: p, o: o}).layout(&t)
	return p.addressable(t.at)
}

// NewPerceptron begins training in a state of length StateLen, or longer.
func NewPerceptron(p *Problem, o PerceptronOptions, state []float64) (*PerceptronTraining, error) {
	m, err := openPerceptron(p, o, state, true)
	if err != nil {
		return nil, err
	}
	if err := p.checkNorms(); err != nil {
		return nil, err
	}
	if o.Start.Rows > 0 {
		m.steps.W.CopyFrom(o.Start)
	}
	m.head[perSteps], m.steps.Step = float64(o.Visits), o.Visits
	m.head[headPhase], m.head[perBound] = phasePass, math.NaN()
	return m, nil
}

// ResumePerceptron returns the machine that a state holds, for the same problem and options.
func ResumePerceptron(p *Problem, o PerceptronOptions, state []float64) (*PerceptronTraining, error) {
	m, err := openPerceptron(p, o, state, false)
	if err != nil {
		return nil, err
	}
	h, most := m.head, p.blocks()
	if !counts(h[perActive], most) || !counts(h[perCursor], most) || !counts(h[perRetained], int(h[perCursor])) ||
		!counts(h[headCount], m.oracle.f.Rows) || !counts(h[headStream], 2*maxSteps) || !counts(h[perIter], o.MaxIter) ||
		!counts(h[perSteps], 2*maxSteps) || !counts(h[perMistakes], maxSteps) {
		return nil, errDamaged
	}
	m.steps.Step = int(h[perSteps])
	return m, nil
}

func openPerceptron(p *Problem, o PerceptronOptions, state []float64, begin bool) (*PerceptronTraining, error) {
	length, err := o.StateLen(p)
	if err != nil {
		return nil, err
	}
	if state, err = p.header(state, length, markPerceptron, begin); err != nil {
		return nil, err
	}
	m := &PerceptronTraining{p: p, o: o}
	m.layout(&tape{data: state})
	return m, nil
}

// Grow is never asked for.
func (m *PerceptronTraining) Grow([]float64) error {
	return fault.Value("no longer state was asked for")
}

// Look tells the number of the pass, and the mistakes in it so far in place of a bound.
func (m *PerceptronTraining) Look() Look {
	return Look{Iter: int(m.head[perIter]), Bound: m.head[perPassMistakes]}
}

// Row returns the row of a block.
func (m *PerceptronTraining) Row(block int) int { return m.p.row(block) }

// Next takes in what was asked for last and goes on until more is needed, or training has ended.
func (m *PerceptronTraining) Next(mon *parallel.Monitor) (Request, error) {
	for {
		if err := mon.Err(); err != nil {
			return Request{}, err
		}
		var r Request
		var err error
		switch m.head[headPhase] {
		case phasePass:
			m.beginPass()
		case phaseStep:
			r, err = m.beginStep(mon)
		case phaseTake:
			err = m.takeStep()
		case phaseRatio:
			r, err = m.askRatios()
		case phaseRatioTaken:
			err = m.takeRatios()
		case phaseDone:
			return Request{}, nil
		default:
			err = errDamaged
		}
		if err != nil || r.Ask != Finished {
			return r, err
		}
	}
}

func (m *PerceptronTraining) beginPass() {
	h := m.head
	h[perIter]++
	h[perCursor], h[perPassMistakes], h[headPhase] = 0, 0, phaseStep
	if m.o.Shuffle {
		shuffle(m.order, m.o.Seed, int(h[perIter]))
		return
	}
	for i := range m.order {
		m.order[i] = float64(i)
	}
}

// beginStep asks for the best output of the next block of the pass, or ends that.
func (m *PerceptronTraining) beginStep(mon *parallel.Monitor) (Request, error) {
	h := m.head
	if int(h[perCursor]) >= len(m.order) {
		mon.Advance(1)
		mon.Report(h[perPassMistakes])
		h[perSeparated] = flag(h[perPassMistakes] == 0 && !m.o.Sampled)
		h[headPhase] = phasePass
		switch {
		case h[perSeparated] == 1 && m.o.Squared > 0:
			m.beginBound()
		case h[perSeparated] == 1, int(h[perIter]) >= m.o.MaxIter:
			h[headPhase] = phaseDone
		}
		return Request{}, nil
	}
	s, at := m.oracle, m.order[int(h[perCursor])]
	if !counts(at, m.p.blocks()-1) {
		return Request{}, errDamaged
	}
	i := int(at)
	s.begin(i, 1)
	h[perNorm] = m.p.rowScores(s.f.Row(0), m.steps.W, i)
	h[headCount], h[headPhase] = 0, phaseTake
	copy(s.linear.Row(s.ask(0)), s.f.Row(0))
	return m.plain()
}

// plain makes a request without a loss.
func (m *PerceptronTraining) plain() (Request, error) {
	r, err := m.oracle.request()
	r.Magnitude = shaped(nil, 0, m.p.Psi.Cols)
	return r, err
}

func (m *PerceptronTraining) takeStep() error {
	s, h := m.oracle, m.head
	if !s.intact() {
		return errDamaged
	}
	if err := s.checkFound(1); err != nil {
		return err
	}
	square := m.p.away(&m.steps, int(s.numbers[0]), s.f.Row(0), s.psi.Row(0))
	if square > 0 {
		h[perMistakes]++
		h[perPassMistakes]++
		h[perRadius] = max(h[perRadius], h[perNorm]*square)
	}
	m.steps.Step++
	h[perSteps]++
	h[perCursor]++
	h[headPhase] = phaseStep
	return nil
}

// Trained is what is known of a perceptron after training.
type Trained struct {
	Mistakes, Iter int
	Visits         int // those that passes left out would have been, too: they would change nothing
	Separated      bool
	Radius         float64 // largest length of an update
	Bound          float64 // on the number of mistakes; NaN where it is not known
}

// Found returns what is known so far.
func (m *PerceptronTraining) Found() Trained {
	h := m.head
	t := Trained{Mistakes: int(h[perMistakes]), Iter: int(h[perIter]), Visits: int(h[perSteps]), Separated: h[perSeparated] == 1,
		Radius: math.Sqrt(h[perRadius]), Bound: h[perBound]}
	if t.Separated {
		t.Visits = m.o.Visits + m.p.blocks()*m.o.MaxIter
	}
	return t
}

// AddCoefficients adds the coefficients of the rows to last and late (n×d): the weights are Σ_i x_i last_iᵀ more than those to start
// from. Averaged over all visits of training that started from zero they are Σ_i x_i (last_i − late_i/Visits)ᵀ. In general late
// belongs to the sum of all changes, each times the visits before it.
func (m *PerceptronTraining) AddCoefficients(last, late linalg.Matrix[float64]) {
	for i, weight := range m.p.Weights {
		linalg.Axpy(last.Row(m.p.row(i)), m.steps.V.Row(i), weight)
		linalg.Axpy(late.Row(m.p.row(i)), m.steps.LateV.Row(i), weight)
	}
}

// AddWeights adds the weights that belong to these coefficients to last and late (q×d). Only after training has ended: it uses the state.
func (m *PerceptronTraining) AddWeights(last, late linalg.Matrix[float64]) {
	m.p.expand(last, m.oracle, func(dst []float64, i int) { copy(dst, m.steps.V.Row(i)) })
	m.p.expand(late, m.oracle, func(dst []float64, i int) { copy(dst, m.steps.LateV.Row(i)) })
}
