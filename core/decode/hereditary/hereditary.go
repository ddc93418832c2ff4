// Package hereditary searches for heaviest sets of edges with a property that only the caller can tell, and that sets keep when edges are
// taken away.
//
// # Search
//
// Edges of negative weight need not be in a best set, which keeps the property without them. Searching the p other edges takes time
// exponential in p. If p exceeds ExactEdges, they are split into b blocks, and a best set is found within each. A best set of all edges
// weighs at most the sum u of these b weights, so that the best of the b sets weighs at least u/b; the empty set weighs 0, and the ratio of
// the guarantee is at most 1 − 1/b (Vembu, 2010, section 5.4.1). Local search improves that set.
//
// The search within a block is that of Russian dolls (Verfaillie, Lemaître and Schiex, 1996): subproblems with the last one, two, … edges
// are solved in turn. A set can gain from the edges from number j on at most the optimum of the subproblem that starts at j.
//
// # Counterexamples
//
// A property may turn out not to be hereditary. Where a heavier set has been met than a search has found, the questions that would have led
// to it are asked, one of which must contradict it; and from the set at the end, edges are taken away one by one.
package hereditary

import (
	"cmp"
	"slices"

	"combpred/core/fault"
)

const (
	// ExactEdges is up to how many edges a best set is found by exact search. With 20 edges, random graphs took .1 s at most for bipartite
	// and triangle-free sets; forests, with equal weights, 3 s. Every 4 further edges took three to five times as long.
	ExactEdges = 20
	// BlockEdges is how many edges a block has, where there are more.
	BlockEdges = 16

	grownAtOnce = 16

	tie = 1e-12 // sums of weights that differ by less than this fraction of the total weight are tied
)

// Method says how to search.
type Method int

const (
	Auto   Method = iota // exactly up to ExactEdges, beyond in blocks
	Exact                // exactly, or refused beyond ExactEdges
	Search               // in blocks beyond BlockEdges
)

// Holds writes verdicts on sets: 1 for one that has the property, 0 for one that has not. Behind a set whose verdict is until, which is 0
// or 1, or −1 for none, others may be left as they are: Unknown.
type Holds func(sets [][]bool, until int, verdicts []uint8) error

// Unknown is a verdict that is not given.
const Unknown = 2

// Found is a set with the property.
type Found struct {
	Set          []bool
	Value, Bound float64 // its weight, and a proven bound on the weight of all sets with the property
	// Part, unless nil, has not the property, though it is a part of Set: the property is not hereditary, and no weight is known.
	Part []bool
}

// Find returns a heaviest set, or a heavy one, of edges of finite weights. It asks about at most so many sets at once, ExactEdges at least.
func Find(weights []float64, method Method, most int, holds Holds) (Found, error) {
	s := newSearch(weights, method, most, holds)
	isWhole, err := s.run()
	if _, is := err.(*contradiction); is {
		return s.found, nil
	}
	if err != nil {
		return Found{}, err
	}
	value := s.weight(s.set)
	bound := value
	if !isWhole {
		bound = s.weight(s.own)
	}
	var all float64
	for _, w := range weights {
		all += max(w, -w)
	}
	if bound <= value+tie*all {
		bound = value
	}
	return Found{Set: s.set, Value: value, Bound: bound}, nil
}

// contradiction ends a search where the property is not hereditary.
type contradiction struct{}

func (*contradiction) Error() string { return "the property is not hereditary" }

// search is a search for one set.
type search struct {
	weights []float64
	most    int // sets that are asked about at once
	method  Method
	holds   Holds
	order   []int // edges of positive weight, heaviest first
	found   Found // where it ends with a contradiction

	candidates []int // those that have the property alone: others are in no set that has it
	blocks     [][]int
	// Sets of edges: the best of each block; the best; one that is tried.
	own, set, trial []bool
}

func newSearch(weights []float64, method Method, most int, holds Holds) *search {
	s := &search{weights: weights, most: max(most, ExactEdges), method: method, holds: holds}
	for e, w := range weights {
		if w > 0 {
			s.order = append(s.order, e)
		}
	}
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), a-b)
	})
	s.own, s.set, s.trial = s.union(nil), s.union(nil), s.union(nil)
	return s
}

// run leaves the set in s.set, and says whether it is that of all edges of positive weight.
func (s *search) run() (isWhole bool, err error) {
	all := s.union(s.order)
	verdicts, err := s.ask([][]bool{all}, -1)
	if err != nil {
		return false, err
	}
	if verdicts[0] == 1 {
		copy(s.set, all)
		return true, s.fewer()
	}
	if err := s.findCandidates(); err != nil {
		return false, err
	}
	for _, block := range s.blocks {
		best, err := s.bestOf(block)
		if err != nil {
			return false, err
		}
		for _, e := range best {
			s.own[e] = true
		}
	}
	other := s.set
	if len(s.blocks) == 1 {
		copy(s.set, s.own)
		copy(s.trial, s.own)
		other = s.trial
		err = s.grow(s.candidates, false)
	} else {
		err = s.improve()
	}
	if err == nil {
		err = s.check(other)
	}
	if err == nil {
		err = s.fewer()
	}
	return false, err
}

// ask returns verdicts on sets.
func (s *search) ask(sets [][]bool, until int) ([]uint8, error) {
	verdicts := slices.Repeat([]uint8{Unknown}, len(sets))
	if err := s.holds(sets, until, verdicts); err != nil {
		return nil, err
	}
	decided := false
	for i, v := range verdicts {
		if v > 1 && !decided {
			return nil, fault.At(i, fault.Value("the verdict is %d, must be 0 or 1", v))
		}
		decided = decided || int(v) == until
	}
	return verdicts, nil
}

// mustHold asks about parts of a set that has the property, as many at once as may be.
func (s *search) mustHold(whole []bool, parts [][]bool) error {
	for part := range slices.Chunk(parts, s.most) {
		verdicts, err := s.ask(part, 0)
		if err != nil {
			return err
		}
		if no := slices.Index(verdicts, 0); no >= 0 {
			return s.contradicted(whole, part[no])
		}
	}
	return nil
}

func (s *search) contradicted(with, without []bool) error {
	s.found = Found{Set: slices.Clone(with), Part: without}
	return &contradiction{}
}

// findCandidates asks about each edge alone, and divides those that have the property into blocks.
func (s *search) findCandidates() error {
	for part := range slices.Chunk(s.order, s.most) {
		sets := make([][]bool, len(part))
		for i, e := range part {
			sets[i] = s.union([]int{e})
		}
		verdicts, err := s.ask(sets, -1)
		if err != nil {
			return err
		}
		for i, e := range part {
			if verdicts[i] == 1 {
				s.candidates = append(s.candidates, e)
			}
		}
	}
	n := len(s.candidates)
	if s.method == Exact && n > ExactEdges {
		return fault.At(0, fault.Capability("%d elements have a positive score, and an exact search for a set with the property is "+
			"limited to %d; take decoder='auto', which says how far from the best its set may be", n, ExactEdges))
	}
	if n > ExactEdges || s.method == Search && n > BlockEdges {
		s.blocks = slices.Collect(slices.Chunk(s.candidates, BlockEdges))
	} else {
		s.blocks = [][]int{s.candidates}
	}
	return nil
}

// check asks about what another set has of each block, where that is heavier than what the search within the block has found, and if it
// has the property, about the sets that would have led to it.
func (s *search) check(other []bool) error {
	for _, block := range s.blocks {
		missed := among(other, block)
		if s.total(missed) <= s.total(among(s.own, block))+s.slack(block) {
			continue
		}
		whole := s.union(missed)
		if err := s.mustHold(other, [][]bool{whole}); err != nil {
			return err
		}
		for first := range missed {
			for last := first; last < len(missed); last++ {
				var steps [][]bool
				for _, e := range missed[last:] {
					step := s.union(missed[first : last+1])
					step[e] = true
					steps = append(steps, step)
				}
				if err := s.mustHold(whole, steps); err != nil {
					return err
				}
			}
		}
		return fault.Value("hereditary does not always give the same answer for the same set")
	}
	return nil
}

// fewer asks about the set at the end, without each of its edges.
func (s *search) fewer() error {
	var sets [][]bool
	for e, in := range s.set {
		if in {
			set := slices.Clone(s.set)
			set[e] = false
			sets = append(sets, set)
		}
	}
	return s.mustHold(s.set, sets)
}

// among returns the edges of a block that are in a set.
func among(set []bool, block []int) (edges []int) {
	for _, e := range block {
		if set[e] {
			edges = append(edges, e)
		}
	}
	return edges
}

// union returns a set of edges.
func (s *search) union(edges []int) []bool {
	set := make([]bool, len(s.weights))
	for _, e := range edges {
		set[e] = true
	}
	return set
}

func (s *search) total(edges []int) (sum float64) {
	for _, e := range edges {
		sum += s.weights[e]
	}
	return sum
}

func (s *search) weight(set []bool) (sum float64) {
	for e, in := range set {
		if in {
			sum += s.weights[e]
		}
	}
	return sum
}

func (s *search) slack(edges []int) float64 { return tie * s.total(edges) }
