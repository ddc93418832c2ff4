package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Solver is a way to train a support vector machine.
type Solver int

const (
	CuttingPlanes Solver = iota // one-slack cutting planes
	Blockwise                   // block-coordinate Frank–Wolfe
)

// SVMOptions say how a support vector machine is trained.
type SVMOptions struct {
	Solver  Solver
	Tol     float64 // duality gap at which training ends, relative to the primal
	MaxIter int     // passes over the blocks, at least 1
	// Average, of Blockwise: the result is the average of all iterates, each weighted by its number.
	Average bool
	Seed    uint64 // of the order in the passes of Blockwise
	// BlockRows is how many blocks are looked at together, 0 for as many as are quick; requests are of no more rows.
	BlockRows int
	Workers   int
}

// SVM trains a support vector machine. It is a Machine: all that it knows lies in its state, but for the problem and the options.
type SVM struct {
	p      *Problem
	o      SVMOptions
	head   []float64
	state  []float64
	oracle *planes // of the blocks that are decoded now
	// The weights at which planes are looked for. In the end those of the solution, which are in best for cutting planes.
	weights, best matrix
	cut           bundle // of CuttingPlanes
	steps         State  // of Blockwise
	order         []float64
}

// The header of the state, after the common one.
const (
	svmIter     = headLen + iota // number of the iteration or pass
	svmCursor                    // block, or place in the order
	svmCalls                     // blocks decoded
	svmRisk                      // of a sweep over all blocks: Σ C_i H_i,
	svmOffset                    // Σ C_i ℓ_i
	svmUnproven                  // and blocks whose plane is not proven largest
	svmPrimal                    // the best, or that of the last look
	svmProven                    // whether it is proven
	svmBound                     // the dual
	svmShare                     // of the way to the minimum of the planes
	svmImproved                  // the sweep found a better primal
	svmCapacity                  // for planes
	svmPlanes
	svmLook  // pass at whose end to look at the gap
	svmSteps // of Blockwise
	svmNorm  // ‖x‖² of the block under way
	svmGap   // that of the sweep, or the sum of those met in the pass of Blockwise
	svmHead
)

const (
	markCutting   = 0x63757431
	markBlockwise = 0x62636677
)

// Phases: what Next does first.
const (
	phaseSweep    = iota // begins a batch of a sweep
	phaseSeek            // gets its planes
	phaseSwept           // judges
	phaseAdd             // adds the plane
	phaseMinimise        // and minimises with it
	phasePass            // begins a pass of Blockwise
	phaseStep            // begins a step
	phaseTake            // takes it
	phaseDone
)

func (o SVMOptions) check(p *Problem) error {
	switch {
	case o.Solver != CuttingPlanes && o.Solver != Blockwise:
		return fault.Value("there is no solver number %d", o.Solver)
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return fault.Value("tol is %g, must be finite and at least 0", o.Tol)
	case o.MaxIter < 1:
		return fault.Value("max_iter is %d, must be at least 1", o.MaxIter)
	case o.BlockRows < 0:
		return fault.Value("block_rows is %d, must be at least 0", o.BlockRows)
	case o.MaxIter > maxSteps/max(1, p.blocks()):
		return fault.Value("%d passes over %d blocks are too many", o.MaxIter, p.blocks())
	}
	if err := p.checkRows(); err != nil || p.Asked {
		return err
	}
	return p.checkLoss()
}

func (p *Problem) batch(rows int) int {
	if rows == 0 {
		return p.defaultRows()
	}
	return min(rows, p.blocks())
}

// mostPlanes bounds the capacity for planes.
const mostPlanes = 1 << 20

// layout cuts a state, or measures it where there is none.
func (m *SVM) layout(t *tape, capacity int) {
	d, q, blocks := m.p.Psi.Cols, m.p.X.Columns(), m.p.blocks()
	m.head = t.take(svmHead)
	m.weights = t.matrix(q, d)
	if m.o.Solver == Blockwise {
		m.steps = State{V: t.matrix(blocks, d), Offset: t.take(blocks), LateV: shaped(nil, 0, d), W: t.matrix(q, d)}
		if m.o.Average {
			m.steps.LateV, m.steps.LateOffset = t.matrix(blocks, d), t.take(blocks)
		}
		m.order = t.take(blocks)
	} else {
		m.best = t.matrix(q, d)
		m.cut.plane = t.matrix(q, d)
	}
	m.oracle = m.p.newPlanes(t, m.p.batch(m.o.BlockRows), m.o.Workers)
	m.oracle.head = m.head
	if m.o.Solver == CuttingPlanes {
		m.cut.layout(t, capacity, q*d)
	}
}

func (m *SVM) length(capacity int) int {
	var t tape
	(&SVM{p: m.p, o: m.o}).layout(&t, capacity)
	return t.at
}

// firstPlanes is the capacity that a state has room for at first.
const firstPlanes = 32

// StateLen returns the length of the state in which training begins.
func (o SVMOptions) StateLen(p *Problem) (int, error) {
	if err := o.check(p); err != nil {
		return 0, err
	}
	m := &SVM{p: p, o: o}
	return p.addressable(m.length(firstPlanes))
}

// NewSVM begins training in a state of length StateLen, or longer. It costs a look at all inputs and losses.
func NewSVM(p *Problem, o SVMOptions, state []float64) (*SVM, error) {
	m, err := openSVM(p, o, state, firstPlanes, true)
	if err != nil {
		return nil, err
	}
	if err := p.checkNorms(); err != nil {
		return nil, err
	}
	h := m.head
	h[svmIter], h[svmPrimal], h[svmBound], h[svmLook] = 1, math.Inf(1), math.Inf(-1), 1
	if o.Solver == Blockwise {
		h[svmIter], h[headPhase] = 0, phasePass
		for i := range m.steps.Offset {
			m.steps.Offset[i] = m.startOf(i)
		}
		return m, nil
	}
	h[svmCapacity], h[svmPlanes], h[svmShare], h[svmProven] = firstPlanes, 1, leastShare, 1
	for i, weight := range p.Weights {
		m.cut.offsets[0] += weight * m.startOf(i)
	}
	m.cut.shares[0], h[svmBound] = 1, m.cut.offsets[0] // the plane of ψ_i themselves lies below all losses
	return m, nil
}

// startOf returns the loss of ψ_i itself, which is not 0 where that is a mean over several outputs.
func (m *SVM) startOf(block int) float64 {
	if m.p.Asked || m.p.Slack || m.p.Members.Rows > 0 {
		return 0
	}
	row := m.p.row(block)
	return m.p.Loss.of(row, m.p.Psi.Row(row))
}

// ResumeSVM returns the machine that a state holds, for the same problem and options. Where the state is longer, as More was asked for,
// it grows.
func ResumeSVM(p *Problem, o SVMOptions, state []float64) (*SVM, error) {
	if len(state) < svmHead {
		return nil, fault.Value("this is not the state of a support vector machine")
	}
	capacity := 0
	if o.Solver == CuttingPlanes {
		have := state[svmCapacity]
		if !counts(have, mostPlanes) || !counts(state[svmPlanes], int(have)) || state[svmPlanes] == 0 {
			return nil, fault.Value("this is not the state of cutting planes")
		}
		capacity = int(have)
	}
	m, err := openSVM(p, o, state, capacity, false)
	if err != nil {
		return nil, err
	}
	h, most := m.head, m.p.blocks()
	cutting, walking := h[headPhase] == phaseAdd || h[headPhase] == phaseMinimise, h[headPhase] >= phasePass && h[headPhase] <= phaseTake
	if cutting && o.Solver != CuttingPlanes || walking && o.Solver != Blockwise || !counts(h[svmCursor], most) ||
		!counts(h[headCount], m.oracle.f.Rows) || !counts(h[headStream], maxSteps) ||
		!counts(h[svmIter], o.MaxIter) || !counts(h[svmSteps], maxSteps) || !counts(h[svmLook], 2*maxSteps) {
		return nil, errDamaged
	}
	m.steps.Step = int(h[svmSteps])
	if h[headPhase] == phaseAdd && h[svmPlanes] == h[svmCapacity] && len(state) >= m.length(2*capacity) {
		return m, m.Grow(state)
	}
	return m, nil
}

func openSVM(p *Problem, o SVMOptions, state []float64, capacity int, begin bool) (*SVM, error) {
	if err := o.check(p); err != nil {
		return nil, err
	}
	m := &SVM{p: p, o: o}
	mark := float64(markCutting)
	if o.Solver == Blockwise {
		mark = markBlockwise
	}
	var err error
	if m.state, err = p.header(state, m.length(capacity), mark, begin); err != nil {
		return nil, err
	}
	state = m.state
	m.layout(&tape{data: state}, capacity)
	return m, nil
}

// Grow goes on with a longer state, which begins with the numbers of the present one, after a request for More.
func (m *SVM) Grow(state []float64) error {
	if m.o.Solver != CuttingPlanes || m.head[svmCapacity] > mostPlanes/2 {
		return fault.Value("no longer state was asked for")
	}
	capacity := 2 * int(m.head[svmCapacity])
	want := m.length(capacity)
	if len(state) < want {
		return fault.Value("the state has %d numbers, must have %d", len(state), want)
	}
	state = state[:want:want]
	perPlane := append([]float64(nil), state[m.length(0)+m.cut.planes.Rows*m.cut.planes.Cols:len(m.state)]...)
	old := m.cut
	t := tape{data: perPlane}
	old.layoutPerPlane(&t, old.planes.Rows)
	m.state = state
	m.layout(&tape{data: state}, capacity)
	clear(state[m.length(0)+old.planes.Rows*old.planes.Cols:])
	m.cut.copyPerPlane(old)
	m.head[svmCapacity] = float64(capacity)
	return nil
}

// Row returns the row of a block.
func (m *SVM) Row(block int) int { return m.p.row(block) }

// Next takes in what was asked for last and goes on until more is needed, or training has ended.
func (m *SVM) Next(mon *parallel.Monitor) (Request, error) {
	for {
		if err := mon.Err(); err != nil {
			return Request{}, err
		}
		var r Request
		var err error
		switch m.head[headPhase] {
		case phaseSweep:
			err = m.beginBatch()
		case phaseSeek:
			r, err = m.sweep(mon)
		case phaseSwept:
			r, err = m.judge(mon)
		case phaseAdd:
			r, err = m.addPlane()
		case phaseMinimise:
			r, err = m.minimise(mon)
		case phasePass:
			m.beginPass()
		case phaseStep:
			err = m.beginStep(mon)
		case phaseTake:
			r, err = m.takeStep(mon)
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

// looked says how far training has come.
func (m *SVM) looked() Request { return Request{Ask: Looked, Look: m.Look()} }

// Look tells how far training has come.
func (m *SVM) Look() Look {
	return Look{Iter: int(m.head[svmIter]), Objective: m.head[svmPrimal], Bound: m.head[svmBound]}
}

// Check returns an error unless a solution has converged.
func (o SVMOptions) Check(s Solution) error {
	if s.Converged {
		return nil
	}
	return fault.NotConverged("a duality gap of %.3g of the objective after %d passes, tol is %.3g; raise max_iter or tol, or lower C",
		s.Gap/s.Objective, s.Iter, o.Tol)
}

// Solution of a support vector machine.
type Solution struct {
	Weights   linalg.Matrix[float64] // of the features, q×d, in the state
	Objective float64                // the primal there
	Gap       float64                // how much less the dual is
	Iter      int                    // passes
	Calls     int                    // blocks decoded
	Exact     bool                   // whether every hinge loss in Objective is proven
	Converged bool                   // whether the gap is small enough
}

// Done reports whether training has ended.
func (m *SVM) Done() bool { return m.head[headPhase] == phaseDone }

// Found returns the solution, or the best so far.
func (m *SVM) Found() Solution {
	h := m.head
	s := Solution{Weights: m.weights, Objective: h[svmPrimal], Gap: h[svmPrimal] - h[svmBound], Iter: int(h[svmIter]),
		Calls: int(h[svmCalls]), Exact: h[svmProven] == 1}
	if m.o.Solver == CuttingPlanes {
		s.Weights = m.best
	}
	s.Converged = s.Gap <= m.o.Tol*s.Objective
	return s
}
