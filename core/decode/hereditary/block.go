package hereditary

import "math/bits"

// candidates returns the edges that a set may have, heaviest first: one without the property alone is in no set that has it.
func (m *Machine) candidates() (edges []int) {
	edges = make([]int, 0, len(m.order))
	for _, e := range m.order {
		if m.single[e] {
			edges = append(edges, e)
		}
	}
	return edges
}

// isSplit says whether the candidates are searched in blocks.
func (m *Machine) isSplit(candidates int) bool {
	return candidates > ExactEdges || m.method == Search && candidates > BlockEdges
}

// blocks returns how many there are, one at least.
func (m *Machine) blocks() int {
	if n := len(m.candidates()); m.isSplit(n) {
		return (n + BlockEdges - 1) / BlockEdges
	}
	return 1
}

// members returns the edges of a block.
func (m *Machine) members(block int) []int {
	candidates := m.candidates()
	if !m.isSplit(len(candidates)) {
		return candidates
	}
	return candidates[block*BlockEdges : min((block+1)*BlockEdges, len(candidates))]
}

// among returns the edges of a block that are in a set.
func (m *Machine) among(set []bool, block int) (edges []int) {
	for _, e := range m.members(block) {
		if set[e] {
			edges = append(edges, e)
		}
	}
	return edges
}

// other returns the set that a search is compared with.
func (m *Machine) other() []bool {
	if m.blocks() == 1 {
		return m.trial
	}
	return m.set
}

// missed returns what that set has of a block.
func (m *Machine) missed() []int { return m.among(m.other(), m.block) }

// union returns a set of edges.
func (m *Machine) union(edges []int) []bool {
	set := make([]bool, len(m.weights))
	for _, e := range edges {
		set[e] = true
	}
	return set
}

func (m *Machine) total(edges []int) (sum float64) {
	for _, e := range edges {
		sum += m.weights[e]
	}
	return sum
}

func (m *Machine) weight(set []bool) (sum float64) {
	for e, in := range set {
		if in {
			sum += m.weights[e]
		}
	}
	return sum
}

func (m *Machine) slack(edges []int) float64 { return tie * m.total(edges) }

// current returns the set that the search within a block has chosen.
func (m *Machine) current() []bool {
	block, set := m.members(m.block), make([]bool, len(m.weights))
	for _, j := range m.chosen[:m.depth+1] {
		set[block[j]] = true
	}
	return set
}

// gained returns its weight.
func (m *Machine) gained(block []int) (sum float64) {
	for _, j := range m.chosen[:m.depth+1] {
		sum += m.weights[block[j]]
	}
	return sum
}

// beginBlock begins the search within a block, or what follows the last one.
func (m *Machine) beginBlock() {
	block := m.members(m.block)
	m.incumbent, m.best = 0, 0
	m.suffix[len(block)] = 0
	m.subproblem, m.depth = len(block), -1
	m.isFiltered = 1
}

// searchBlock goes on with the search within a block until questions come up, or the block is done.
func (m *Machine) searchBlock() {
	block := m.members(m.block)
	slack := m.slack(block)
	if m.depth < 0 { // a subproblem is solved
		if m.subproblem < len(block) {
			m.suffix[m.subproblem] = m.incumbent
		}
		if m.subproblem == 0 {
			m.endBlock(block)
			return
		}
		m.subproblem--
		m.enter(block, slack, m.subproblem, (1<<len(block)-1)&^(1<<(m.subproblem+1)-1))
		return
	}
	rest := m.left[m.depth]
	if rest == 0 || m.gained(block)+m.reach(block, rest) <= m.incumbent+slack {
		m.depth--
		m.isFiltered = 1
		return
	}
	m.left[m.depth] = rest & (rest - 1)
	m.enter(block, slack, bits.TrailingZeros(uint(rest)), rest&(rest-1))
}

// reach bounds what edges of a block, given as bits, can add.
func (m *Machine) reach(block []int, rest int) float64 {
	var sum float64
	first := bits.TrailingZeros(uint(rest))
	for ; rest != 0; rest &= rest - 1 {
		sum += m.weights[block[bits.TrailingZeros(uint(rest))]]
	}
	return min(sum, m.suffix[first])
}

// enter adds an edge to the set; those that are left are asked about next, unless none of them matters.
func (m *Machine) enter(block []int, slack float64, edge, left int) {
	m.depth++
	m.chosen[m.depth], m.left[m.depth], m.isFiltered = edge, left, 0
	gained := m.gained(block)
	if gained > m.incumbent+slack {
		m.incumbent, m.best = gained, 0
		for _, j := range m.chosen[:m.depth+1] {
			m.best |= 1 << j
		}
		if gained >= m.weights[block[m.subproblem]]+m.suffix[m.subproblem+1]-slack { // no set of this subproblem is heavier
			m.depth, m.isFiltered = -1, 1
			return
		}
	}
	if left == 0 || gained+m.reach(block, left) <= m.incumbent+slack {
		m.left[m.depth], m.isFiltered = 0, 1
	}
}

// endBlock keeps what the search within a block has found.
func (m *Machine) endBlock(block []int) {
	for rest := m.best; rest != 0; rest &= rest - 1 {
		m.own[block[bits.TrailingZeros(uint(rest))]] = true
	}
	if m.block++; m.block < m.blocks() {
		m.beginBlock()
		return
	}
	m.phase, m.block, m.at, m.withinBest = grow, 0, 0, 0
	if m.blocks() == 1 {
		copy(m.set, m.own)
		copy(m.trial, m.own)
		m.then = thenCheck
		return
	}
	best := 0
	for b := range m.blocks() {
		if m.total(m.among(m.own, b)) > m.total(m.among(m.own, best)) {
			best = b
		}
	}
	copy(m.trial, m.union(m.among(m.own, best)))
	m.start, m.then = 0, thenForce
}
