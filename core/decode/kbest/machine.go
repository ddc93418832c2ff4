package kbest

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/structure"
)

// Ask is what a Machine asks for.
type Ask int

const (
	Done   Ask = iota // nothing: all outputs are listed
	Decode            // an output of largest score for each row of the request
	Listed            // nothing: the next output is there
	State             // room for a longer state; never asked for by Next, whose state grows by itself
)

// Request is what a Machine needs to go on, or what it has found.
type Request struct {
	Ask               Ask
	Linear, Magnitude blas64.General // of Decode: rows×d; Magnitude has no rows where no squares are scored
	// Domains are, for subproblems, the values that entries of ψ may take in each row. Whoever can decode under masks needs no penalties.
	Domains [][]structure.Values
	Parts   []int32 // of Listed: the output
	Value   float64 // and its score
}

// Machine lists outputs by partitioning the space around each output found, and asks for exact decodings on the way.
//
// When the best output of a cell of the partition is listed, the other outputs of the cell are split by the first free entry of ψ in
// which they differ from it (Murty, 1968; Lawler, 1972). The best outputs of these subproblems are found by exact decodings, under the
// masks of the request or, where a user's decoder knows of none, with its penalties: a value that an entry must not take costs more than
// any two outputs can differ by. If the best output of a subproblem still takes such a value, the subproblem is empty. Entries with two
// possible values need only penalties that are linear in ψ, so that decoders need not know about them. The entries of ψ must be −1, 0
// or 1.
type Machine struct {
	space structure.Space
	score structure.Scores
	nu    float64
	slack float64
	most  int // outputs that are wanted
	rows  int // most rows of a request

	// What follows is the state.
	phase     phase
	cursor    int       // of the first row of the request under way, among those of its phase
	count     int       // rows of the request under way
	remaining int       // outputs still wanted
	alphabet  []bits    // values that each entry takes
	extreme   []float64 // the largest of these values
	least     float64
	number    int // of subproblems so far
	cells     []cell
	waiting   candidates

	psi               []float64
	linear, magnitude blas64.General
	scale, penalty    float64
}

type phase int8

const (
	begin    phase = iota
	largest        // the largest value of each entry is asked for
	smallest       // and the smallest
	middle         // whether entries that may be −1 and 1 may be 0
	root           // the best output
	worst          // the worst one
	pop            // the next output is taken from those found
	children       // the best outputs of the parts of the last cell
	ended
)

// NewMachine returns a machine that lists most outputs at most, of scores of at least (1−nu)·max + nu·min, and asks for rows
// decodings at a time at most. The scores must have passed structure.CheckScores.
func NewMachine(space structure.Space, score structure.Scores, nu float64, most, rows int) *Machine {
	d := space.FeatureLen()
	m := &Machine{space: space, score: score, nu: nu, most: most, rows: max(1, rows), remaining: most, least: math.Inf(-1)}
	m.slack = tieTolerance * (sumOf(score.Linear) + sumOf(score.Magnitude))
	m.alphabet, m.extreme, m.psi = make([]bits, d), make([]float64, d), make([]float64, d)
	// Decoding does not depend on the scale of scores; this one keeps penalties from overflowing.
	for _, v := range slices.Concat(score.Linear, score.Magnitude) {
		m.scale = max(m.scale, math.Abs(v))
	}
	if m.scale == 0 {
		m.scale = 1
	}
	m.penalty = 1
	for _, v := range score.Linear {
		m.penalty += 2 * math.Abs(v/m.scale)
	}
	for _, v := range score.Magnitude {
		m.penalty += math.Abs(v / m.scale)
	}
	return m
}

// Next takes in the outputs that answer the last request, if that was for decodings, and goes on until more are needed or the next
// output is found. none says of which rows there are no outputs at all; nil: of none, empty subproblems show by outputs that are not in
// them. After an error the machine is as before.
func (m *Machine) Next(answers []int32, none []bool) (Request, error) {
	if m.count > 0 {
		if len(answers) != m.count*m.space.PartLen() {
			return Request{}, fault.Value("there are %d parts of answers, %d outputs of %d parts were asked for", len(answers),
				m.count, m.space.PartLen())
		}
		if err := m.take(answers, none); err != nil {
			return Request{}, err
		}
	}
	for {
		switch m.phase {
		case ended:
			return Request{}, nil
		case pop:
			if m.remaining == 0 || len(m.waiting) == 0 || m.waiting[0].value < m.least {
				m.phase = ended
				continue
			}
			return m.list(), nil
		}
		if todo := m.todo(); m.cursor < todo {
			m.count = min(todo-m.cursor, m.rows)
			return m.ask(), nil
		}
		m.advance()
	}
}

// Asked returns the number of decodings that the last request was for.
func (m *Machine) Asked() int { return m.count }

// todo returns the number of decodings of the phase.
func (m *Machine) todo() int {
	switch m.phase {
	case largest, smallest:
		return len(m.psi)
	case middle:
		return len(m.open())
	case root, worst:
		return 1
	case children:
		last := m.cells[len(m.cells)-1]
		return len(free(last.domains))
	}
	return 0
}

// advance goes to the next phase.
func (m *Machine) advance() {
	m.cursor = 0
	switch m.phase {
	case root:
		if m.nu == 1 {
			m.phase++
		}
	case children:
		if m.remaining < math.MaxInt/2 && len(m.waiting) > 2*m.remaining { // those beyond will not be listed
			slices.SortFunc(m.waiting, func(a, b candidate) int {
				return cmp.Or(byDescending(a.value, b.value), cmp.Compare(a.number, b.number))
			})
			m.waiting = slices.Clone(m.waiting[:m.remaining]) // sorted, hence a heap
		}
		m.phase = pop
		return
	}
	m.phase++
}

// open returns the entries that may be −1 and 1: of these it must be found out whether they may be 0.
func (m *Machine) open() (entries []int) {
	for e, a := range m.alphabet {
		if a&5 == 5 {
			entries = append(entries, e)
		}
	}
	return entries
}

// list takes the next output from those found.
func (m *Machine) list() Request {
	c := heap.Pop(&m.waiting).(candidate)
	domains := m.alphabet
	if c.parent >= 0 {
		parent := m.cells[c.parent]
		domains = parent.child(c.at, free(parent.domains))
	}
	m.cells = append(m.cells, cell{domains, c.psi})
	m.remaining--
	m.phase, m.cursor = children, 0
	return Request{Ask: Listed, Parts: c.parts, Value: c.value}
}

// take takes in the answers to the request under way.
func (m *Machine) take(answers []int32, none []bool) error {
	p := m.space.PartLen()
	row := func(i int) []int32 { return answers[i*p : (i+1)*p] }
	empty := func(i int) bool { return none != nil && none[i] }
	for i := range m.count {
		if empty(i) {
			continue
		}
		if err := m.space.Check(row(i)); err != nil {
			return fault.At(i, err)
		}
	}
	switch m.phase {
	case largest, smallest, middle:
		if err := m.takeExtremes(row); err != nil {
			return err
		}
	case worst:
		m.space.Embed(m.psi, row(0))
		if len(m.waiting) == 0 {
			return errDamaged
		}
		m.least = (1-m.nu)*m.waiting[0].value + m.nu*m.score.Value(m.psi) - m.slack
	case root, children:
		parent := cell{domains: m.alphabet}
		at := -1
		var entries []int
		if m.phase == children {
			at = len(m.cells) - 1
			parent = m.cells[at]
			entries = free(parent.domains)
		}
		for i := range m.count {
			if empty(i) {
				continue
			}
			m.space.Embed(m.psi, row(i))
			psi := make([]int8, len(m.psi))
			domains := parent.domains
			if at >= 0 {
				domains = parent.child(m.cursor+i, entries)
			}
			inside := true
			for e, v := range m.psi {
				psi[e] = int8(v)
				inside = inside && isSign(v) && bit(psi[e])&domains[e] != 0
			}
			value := m.score.Value(m.psi)
			if !inside || value < m.least {
				continue
			}
			m.number++
			heap.Push(&m.waiting, candidate{value, m.number, at, m.cursor + i, psi, slices.Clone(row(i))})
		}
	}
	m.cursor, m.count = m.cursor+m.count, 0
	return nil
}

// takeExtremes takes in outputs of which single entries are as large or as small as they can be.
func (m *Machine) takeExtremes(row func(int) []int32) error {
	entries := make([]int, m.count)
	for i := range entries {
		entries[i] = m.cursor + i
	}
	if m.phase == middle {
		copy(entries, m.open()[m.cursor:m.cursor+m.count])
	}
	for i, e := range entries {
		m.space.Embed(m.psi, row(i))
		v := m.psi[e]
		switch m.phase {
		case largest:
			m.extreme[e] = v
		case smallest:
			if !isSign(v) || !isSign(m.extreme[e]) {
				return &FeatureError{structure.Describe(m.space), e, v, m.extreme[e]}
			}
			m.alphabet[e] = bit(int8(m.extreme[e])) | bit(int8(v))
		case middle:
			m.alphabet[e] |= bit(int8(v)) & 2
		}
	}
	return nil
}

// isSign reports whether v is −1, 0 or 1.
func isSign(v float64) bool { return v == 0 || math.Abs(v) == 1 }
