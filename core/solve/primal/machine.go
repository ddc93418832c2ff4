package primal

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Request is what a Machine needs to go on.
type Request int

const (
	// NeedSums asks to add the sums over all rows (AddSums) to those in Reply, which is zero.
	NeedSums Request = iota + 1
	// NeedProduct asks to add the product with Direction over all rows (AddProduct) to the matrix in Reply, which is zero.
	NeedProduct
	// Done says that Weights are as good as they become.
	Done
)

// The header of the state. Numbers are float64, so that one array holds it all.
const (
	headMagic = iota
	headFeatures
	headOutputs
	headPhase
	headDouble    // products are made in double precision
	headPasses    // over the rows, that of the sums included
	headVerified  // residuals computed anew
	headStart     // square of the norm of the residual at W = 0
	headSteps     // directions that steps were made along
	headRelative  // norm of the residual, relative to that at 0
	headBase      // of it, where it was computed last
	headDrift     // of the recurrence's residual, relative to headBase
	headNorm      // ‖B‖
	headObjective // at the end
	headLen
)

const (
	stateMagic = 0x70726d31
	maxSteps   = 2000 // without a limit of the user's; some tens are usual
	// Directions that later ones are made conjugate to: as many as fit, up to a number that few problems reach.
	mostDirections   = 48
	directionEntries = 1 << 20
)

// Phases: what the reply at hand is.
const (
	phaseNew    = iota
	phaseSums   // the sums
	phaseStep   // the product with a direction
	phaseVerify // the product with W
	phaseDone
)

// Machine is the solver by reverse communication. Everything that it knows lies in the state, a slice of the caller's.
type Machine struct {
	t           *Task
	p, q, d     int
	head        []float64
	values      []float64   // eigenvalues of S
	vectors     matrix      // of S, one a column
	b, w, mw, r matrix      // in the basis of the vectors: right-hand side, weights, M times them, residual
	directions  []conjugate // the last directions, number i in place i mod the length

	direction Direction
	reply     []float64
	scratch   matrix
}

// conjugate is a direction with its products with M and H, in the basis of the vectors.
type conjugate struct {
	p, mp, hp matrix
	energy    []float64 // ⟨P, HP⟩, one number
}

// current returns the last direction.
func (m *Machine) current() conjugate { return m.directions[int(m.head[headSteps])%len(m.directions)] }

// directionCount returns how many directions are stored.
func (t *Task) directionCount(p int) int {
	return max(1, min(mostDirections, directionEntries/max(1, t.weights(p)*len(t.Mean))))
}

// StateLen returns the length of the state for p features.
func (t *Task) StateLen(p int) int {
	q, d := t.weights(p), len(t.Mean)
	return headLen + q + q*q + 4*q*d + t.directionCount(p)*(3*q*d+1) + t.DirectionLen(p) + SumsLen(p, d)
}

// Start returns a machine for p features in the state, of length StateLen, which it overwrites.
func (t *Task) Start(state []float64, p int) (*Machine, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if p < 0 || len(state) != t.StateLen(p) {
		return nil, fault.Value("the state has length %d, must be %d", len(state), t.StateLen(p))
	}
	clear(state)
	state[headMagic], state[headFeatures], state[headOutputs], state[headPhase] = stateMagic, float64(p), float64(len(t.Mean)), phaseNew
	if t.Double {
		state[headDouble] = 1
	}
	return t.Resume(state)
}

// Resume returns the machine whose state is given, for the same task.
func (t *Task) Resume(state []float64) (*Machine, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if len(state) < headLen || state[headMagic] != stateMagic || state[headOutputs] != float64(len(t.Mean)) ||
		!counts(state[headFeatures], len(state)) || len(state) != t.StateLen(int(state[headFeatures])) ||
		!counts(state[headPhase], phaseDone) || !counts(state[headSteps], 1<<30) {
		return nil, fault.Value("this is not the state of a solver for this task")
	}
	m := &Machine{t: t, p: int(state[headFeatures]), d: len(t.Mean), head: state[:headLen]}
	m.q = t.weights(m.p)
	rest := state[headLen:]
	take := func(n int) []float64 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	block := func(rows, cols int) matrix {
		return matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: take(rows * cols)}
	}
	m.values, m.vectors = take(m.q), block(m.q, m.q)
	for _, part := range []*matrix{&m.b, &m.w, &m.mw, &m.r} {
		*part = block(m.q, m.d)
	}
	for range t.directionCount(m.p) {
		m.directions = append(m.directions, conjugate{block(m.q, m.d), block(m.q, m.d), block(m.q, m.d), take(1)})
	}
	m.direction = t.NewDirection(take(t.DirectionLen(m.p)), m.p)
	m.reply = rest
	m.scratch = linalg.NewMatrix[float64](m.q, m.d)
	return m, nil
}

// counts says whether v is a whole number from 0 to most.
func counts(v float64, most int) bool {
	return v >= 0 && v <= float64(most) && v == math.Trunc(v)
}

func (t *Task) check() error {
	switch {
	case !(t.Lambda > 0) || math.IsInf(t.Lambda, 1):
		return fault.Value("the penalty must be positive and finite")
	case !(t.Tol > 0) || math.IsInf(t.Tol, 1):
		return fault.Value("the tolerance must be positive and finite")
	case t.MaxIter < 0:
		return fault.Value("the limit of iterations must not be negative")
	}
	return nil
}

// Places returns where in the state the reply, the direction and the weights begin.
func (m *Machine) Places() (reply, direction, weights int) {
	reply = m.t.StateLen(m.p) - SumsLen(m.p, m.d)
	direction = reply - m.t.DirectionLen(m.p)
	return reply, direction, direction + directionHeader + 2*m.p
}

// Reply returns where the answer to the last request goes: Sums, or a product of q×d entries at the beginning.
func (m *Machine) Reply() []float64 {
	if m.head[headPhase] == phaseSums {
		return m.reply
	}
	return m.reply[:m.q*m.d]
}

// Sums returns the sums in the reply.
func (m *Machine) Sums() Sums { return NewSums(m.reply, m.p, m.d) }

// Product returns the product in the reply.
func (m *Machine) Product() linalg.Matrix[float64] {
	return matrix{Rows: m.q, Cols: m.d, Stride: max(m.d, 1), Data: m.reply[:m.q*m.d]}
}

// Direction returns what a product is asked of.
func (m *Machine) Direction() Direction { return m.direction }

// Weights returns W once it is Done, in the state.
func (m *Machine) Weights() linalg.Matrix[float64] { return m.direction.Weights() }

// Info says how training ended. Iter counts the passes over the rows, Refine the residuals that were computed anew.
func (m *Machine) Info() solve.Info {
	return solve.Info{Objective: m.head[headObjective], Residual: m.head[headRelative], Iter: int(m.head[headPasses]),
		Refine: int(m.head[headVerified])}
}

// Next takes the reply and says what is needed next. Once Done, the error may be a *solve.NotConvergedError: the weights are then those
// where it stopped.
func (m *Machine) Next(mon *parallel.Monitor) (Request, error) {
	err := mon.Err()
	if err != nil {
		return 0, err
	}
	switch m.head[headPhase] {
	case phaseNew:
		m.head[headPhase] = phaseSums
		return NeedSums, nil
	case phaseSums:
		if err = m.begin(mon); err == nil && !m.t.Margin {
			return m.squared()
		}
	case phaseStep:
		err = m.step(mon)
	case phaseVerify:
		err = m.verify(mon)
	}
	if err != nil {
		return 0, err
	}
	if m.head[headPhase] == phaseDone {
		return Done, m.convergence(m.t.Tol)
	}
	clear(m.Reply())
	return NeedProduct, nil
}

func (m *Machine) convergence(tol float64) error {
	if m.head[headRelative] > tol {
		return &solve.NotConvergedError{Residual: m.head[headRelative], Tol: tol, Iter: int(m.head[headPasses])}
	}
	return nil
}
