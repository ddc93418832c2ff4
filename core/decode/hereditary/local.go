package hereditary

// grownWhole goes on with a set that takes no more edges.
func (m *Machine) grownWhole() {
	m.at = 0
	switch m.then {
	case thenCheck:
		m.phase, m.block = check, 0
		return
	case thenForce:
		copy(m.set, m.trial)
		m.forced, m.improved = 0, 0
	case thenMore:
		m.withinBest, m.then = 0, thenKeep
		return
	case thenKeep:
		if m.weight(m.trial) > m.weight(m.set)+m.slack(m.candidates()) {
			copy(m.set, m.trial)
			m.improved = 1
		}
		m.forced++
	}
	m.force()
}

// force tries a set with the next edge that is not in the best one, or ends a local search where none has gained.
func (m *Machine) force() {
	candidates := m.candidates()
	for {
		for ; m.forced < len(candidates); m.forced++ {
			if e := candidates[m.forced]; !m.set[e] {
				clear(m.trial)
				m.trial[e] = true
				m.phase, m.at, m.withinBest, m.then = grow, 0, 1, thenMore
				return
			}
		}
		if m.improved == 0 {
			break
		}
		m.forced, m.improved = 0, 0
	}
	if m.start == 0 { // another search, from nothing
		copy(m.end, m.set)
		clear(m.trial)
		m.start, m.phase, m.at, m.withinBest, m.then = 1, grow, 0, 0, thenForce
		return
	}
	if m.weight(m.end) >= m.weight(m.set) {
		copy(m.set, m.end)
	}
	m.phase, m.block = check, 0
}
