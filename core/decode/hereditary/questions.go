package hereditary

import (
	"math/bits"
	"slices"
)

// until returns the verdict that ends the questions of a phase.
func (m *Machine) until() int {
	switch m.phase {
	case grow:
		return 1 - m.withinBest
	case trace, fewer:
		return 0
	}
	return -1
}

// list returns the edges that the questions of a phase are about, each of which is added to a set, or taken from it.
func (m *Machine) list() (edges []int, base []bool) {
	switch m.phase {
	case alone:
		return m.order, make([]bool, len(m.weights))
	case grow:
		for _, e := range m.candidates() {
			if m.withinBest == 0 || m.set[e] {
				edges = append(edges, e)
			}
		}
		return edges, m.trial
	case fewer:
		for e, in := range m.set {
			if in {
				edges = append(edges, e)
			}
		}
		return edges, m.set
	case blockSearch:
		if m.isFiltered == 1 {
			return nil, nil
		}
		block := m.members(m.block)
		for rest := m.left[m.depth]; rest != 0; rest &= rest - 1 {
			edges = append(edges, block[bits.TrailingZeros(uint(rest))])
		}
		return edges, m.current()
	case trace:
		members := m.missed()
		base = make([]bool, len(m.weights))
		if m.first < len(members) {
			for _, e := range members[m.first : m.depth+1] {
				base[e] = true
			}
			edges = members[m.depth:]
		}
		return edges, base
	}
	return nil, nil
}

// questions returns the sets that are to be asked about next, at most as many as may be.
func (m *Machine) questions() (asked [][]bool) {
	switch m.phase {
	case whole:
		return [][]bool{m.union(m.order)}
	case check:
		if missed := m.missed(); m.total(missed) > m.total(m.among(m.own, m.block))+m.slack(m.members(m.block)) {
			return [][]bool{m.union(missed)}
		}
		return nil
	}
	edges, base := m.list()
	most := m.most
	if m.phase == grow { // seldom are more needed
		most = min(most, grownAtOnce)
	}
	for _, e := range edges[min(m.at, len(edges)):] {
		if m.phase == grow && base[e] {
			continue
		}
		if len(asked) == most {
			break
		}
		set := slices.Clone(base)
		set[e] = !set[e]
		switch {
		case m.phase == trace:
			set[e] = true
		case m.phase == grow && m.withinBest == 1: // most of them fit, one after the other
			base = set
		}
		asked = append(asked, set)
	}
	return asked
}

// take takes verdicts in.
func (m *Machine) take(questions [][]bool, verdicts []uint8) (Request, bool) {
	if no := slices.Index(verdicts, 0); no >= 0 {
		switch m.phase {
		case check:
			return m.contradicted(m.other(), questions[0])
		case trace:
			return m.contradicted(m.union(m.missed()), questions[no])
		case fewer:
			return m.contradicted(m.set, questions[no])
		}
	}
	switch m.phase {
	case whole:
		m.phase = alone
		if verdicts[0] == 1 {
			copy(m.set, questions[0])
			m.isWhole, m.phase = 1, fewer
		}
	case alone:
		for i, v := range verdicts {
			m.single[m.order[m.at+i]] = v == 1
		}
		m.at += len(verdicts)
	case blockSearch:
		var fit int
		for rest, i := m.left[m.depth], 0; rest != 0; rest, i = rest&(rest-1), i+1 {
			if verdicts[i] == 1 {
				fit |= rest & -rest
			}
		}
		m.left[m.depth], m.isFiltered = fit, 1
	case grow:
		m.grown(verdicts)
	case check:
		m.phase, m.first, m.depth, m.at = trace, 0, 0, 0
	default:
		m.at += len(verdicts)
	}
	return Request{}, false
}

// grown adds the edges that fit, up to the verdict that ended the questions, and goes on behind the edges that were asked about.
func (m *Machine) grown(verdicts []uint8) {
	edges, _ := m.list()
	asked := 0
	for ; m.at < len(edges) && asked < len(verdicts); m.at++ {
		e := edges[m.at]
		if m.trial[e] {
			continue
		}
		fits := verdicts[asked] == 1
		m.trial[e] = fits
		if asked++; fits == (m.withinBest == 0) {
			m.at++
			return
		}
	}
}

func (m *Machine) contradicted(with, without []bool) (Request, bool) {
	m.phase = ended
	return Request{Ask: Counterexample, Sets: [][]bool{with, without}}, true
}
