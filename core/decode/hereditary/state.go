package hereditary

import (
	"math"

	"combpred/core/fault"
)

const mark = 0x68657265

// words returns where the numbers of a state are, with the most that each may be.
func (m *Machine) words() (at []*int, most []int) {
	n, room := len(m.weights), 16+2*len(m.left)
	at, most = make([]*int, 0, room), make([]int, 0, room)
	add := func(limit int, words ...*int) {
		for _, word := range words {
			at, most = append(at, word), append(most, limit)
		}
	}
	k := &m.known
	add(ended, &k.phase)
	add(n+m.most, &k.asked)
	add(n, &k.at, &k.block, &k.first, &k.forced)
	add(ExactEdges, &k.subproblem)
	add(max(n, ExactEdges)+1, &k.depth) // more by one than it is, which may be −1
	add(1, &k.isFiltered, &k.isWhole, &k.withinBest, &k.start, &k.improved)
	add(thenKeep, &k.then)
	add(1<<ExactEdges-1, &k.best)
	for i := range k.left {
		add(1<<ExactEdges-1, &k.left[i])
		add(ExactEdges, &k.chosen[i])
	}
	return at, most
}

// StateLen returns the length of the state of a search among n edges.
func StateLen(n int) int {
	m := Machine{}
	words, _ := m.words()
	return 2 + len(words) + len(m.suffix) + n*len(m.sets())
}

// Begun reports whether a state is one that StateTo has written.
func Begun(state []float64) bool { return len(state) > 0 && state[0] != 0 }

// StateTo writes all that a machine knows to dst, for Resume.
func (m *Machine) StateTo(dst []float64) {
	m.depth++
	words, _ := m.words()
	dst = dst[:0]
	dst = append(dst, mark, m.incumbent)
	for _, word := range words {
		dst = append(dst, float64(*word))
	}
	m.depth--
	dst = append(dst, m.suffix[:]...)
	for _, set := range m.sets() {
		for _, in := range *set {
			v := 0.0
			if in {
				v = 1
			}
			dst = append(dst, v)
		}
	}
}

// Resume returns the machine of a state. What cannot be a state of a search with these weights is an error.
func Resume(weights []float64, method Method, most int, state []float64) (*Machine, error) {
	m := New(weights, method, most)
	damaged := fault.Value("the state is not that of such a search")
	if len(state) != StateLen(len(weights)) || state[0] != mark || math.IsNaN(state[1]) {
		return nil, damaged
	}
	m.incumbent, state = state[1], state[2:]
	words, limits := m.words()
	for i, word := range words {
		v := state[i]
		if !(v >= 0 && v <= float64(limits[i])) || v != math.Trunc(v) {
			return nil, damaged
		}
		*word = int(v)
	}
	m.depth--
	state = state[len(words):]
	copy(m.suffix[:], state)
	state = state[len(m.suffix):]
	for _, set := range m.sets() {
		for e := range *set {
			if state[e] != 0 && state[e] != 1 {
				return nil, damaged
			}
			(*set)[e] = state[e] == 1
		}
		state = state[len(*set):]
	}
	if !m.isPossible() {
		return nil, damaged
	}
	return m, nil
}

// isPossible says whether the numbers of a state fit one another, so that nothing is out of range.
func (m *Machine) isPossible() bool {
	candidates := m.candidates()
	if m.phase >= blockSearch && m.isWhole == 0 {
		if m.method == Exact && len(candidates) > ExactEdges {
			return false
		}
		if m.block > m.blocks() || m.block == m.blocks() && m.phase != fewer && m.phase != ended {
			return false
		}
	}
	if m.phase == blockSearch {
		size := len(m.members(m.block))
		if m.depth >= size || m.subproblem > size || m.depth >= 0 && m.subproblem == size || m.depth < 0 && m.isFiltered == 0 {
			return false
		}
		for k := range m.depth + 1 {
			if m.chosen[k] >= size || m.left[k]>>size != 0 {
				return false
			}
		}
		if m.best>>size != 0 {
			return false
		}
	}
	if m.phase == trace && (m.first >= len(m.missed()) || m.depth < m.first || m.depth >= len(m.missed())) {
		return false
	}
	m.open = m.questions()
	return m.asked == 0 || m.asked == len(m.open)
}
