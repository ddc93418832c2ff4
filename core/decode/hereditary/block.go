package hereditary

import "math/bits"

// dolls is the search within a block, whose edges have numbers there and stand in sets as bits.
type dolls struct {
	*search
	block     []int
	slack     float64
	suffix    []float64 // the optima of subproblems, by the edge at which they begin
	incumbent float64
	best      int // the set of that weight

	first    int // of the subproblem
	isSolved bool
	chosen   []int
}

// bestOf returns the edges of a best set within a block.
func (s *search) bestOf(block []int) ([]int, error) {
	d := &dolls{search: s, block: block, slack: s.slack(block), suffix: make([]float64, len(block)+1)}
	for d.first = len(block) - 1; d.first >= 0; d.first-- {
		d.isSolved = false
		if err := d.enter(d.first, (1<<len(block)-1)&^(1<<(d.first+1)-1), 0); err != nil {
			return nil, err
		}
		d.suffix[d.first] = d.incumbent
	}
	var edges []int
	for rest := d.best; rest != 0; rest &= rest - 1 {
		edges = append(edges, block[bits.TrailingZeros(uint(rest))])
	}
	return edges, nil
}

// enter searches the sets that hold an edge beside those that are chosen, which weigh so much, and others of those left.
func (d *dolls) enter(edge, left int, gained float64) error {
	d.chosen = append(d.chosen, edge)
	defer func() { d.chosen = d.chosen[:len(d.chosen)-1] }()
	gained += d.weights[d.block[edge]]
	if gained > d.incumbent+d.slack {
		d.incumbent, d.best = gained, 0
		for _, j := range d.chosen {
			d.best |= 1 << j
		}
		if gained >= d.weights[d.block[d.first]]+d.suffix[d.first+1]-d.slack { // no set of this subproblem is heavier
			d.isSolved = true
			return nil
		}
	}
	if !d.matters(left, gained) {
		return nil
	}
	rest, err := d.fitting(left)
	if err != nil {
		return err
	}
	for d.matters(rest, gained) {
		next := bits.TrailingZeros(uint(rest))
		rest &= rest - 1
		if err := d.enter(next, rest, gained); err != nil || d.isSolved {
			return err
		}
	}
	return nil
}

// fitting returns those of the edges that are left which fit to the chosen ones.
func (d *dolls) fitting(left int) (fit int, err error) {
	var sets [][]bool
	for rest := left; rest != 0; rest &= rest - 1 {
		set := d.union([]int{d.block[bits.TrailingZeros(uint(rest))]})
		for _, j := range d.chosen {
			set[d.block[j]] = true
		}
		sets = append(sets, set)
	}
	verdicts, err := d.ask(sets, -1)
	if err != nil {
		return 0, err
	}
	for rest, i := left, 0; rest != 0; rest, i = rest&(rest-1), i+1 {
		if verdicts[i] == 1 {
			fit |= rest & -rest
		}
	}
	return fit, nil
}

// matters says whether a set of some weight may become the heaviest by some of the edges.
func (d *dolls) matters(edges int, gained float64) bool {
	if edges == 0 {
		return false
	}
	var sum float64
	for rest := edges; rest != 0; rest &= rest - 1 {
		sum += d.weights[d.block[bits.TrailingZeros(uint(rest))]]
	}
	return gained+min(sum, d.suffix[bits.TrailingZeros(uint(edges))]) > d.incumbent+d.slack
}
