package hereditary

import "slices"

// grow adds those of the edges that fit to the set that is tried, one after the other. Where most of them fit, as they do in a best set,
// each is asked about together with those before it.
func (s *search) grow(edges []int, mostFit bool) error {
	until := 1
	if mostFit {
		until = 0
	}
	for {
		var sets [][]bool
		var asked []int // where the edges of the sets stand
		base := s.trial
		for i, e := range edges {
			if base[e] {
				continue
			}
			if len(sets) == min(s.most, grownAtOnce) {
				break
			}
			set := slices.Clone(base)
			set[e] = true
			if mostFit {
				base = set
			}
			sets, asked = append(sets, set), append(asked, i)
		}
		if len(sets) == 0 {
			return nil
		}
		verdicts, err := s.ask(sets, until)
		if err != nil {
			return err
		}
		at := asked[len(asked)-1]
		for k, i := range asked {
			fits := verdicts[k] == 1
			s.trial[edges[i]] = fits
			if fits != mostFit { // what was asked about behind it does not hold for the set as it is now
				at = i
				break
			}
		}
		edges = edges[at+1:]
	}
}

// improve leaves in s.set what local search finds, from the best set of a block and from nothing: a set takes an edge that it has not,
// keeps what it can, and takes more.
func (s *search) improve() error {
	best := 0
	for b, block := range s.blocks {
		if s.total(among(s.own, block)) > s.total(among(s.own, s.blocks[best])) {
			best = b
		}
	}
	var end []bool
	for _, start := range [][]int{among(s.own, s.blocks[best]), nil} {
		copy(s.trial, s.union(start))
		if err := s.grow(s.candidates, false); err != nil {
			return err
		}
		copy(s.set, s.trial)
		for hasGained := true; hasGained; {
			var err error
			if hasGained, err = s.pass(); err != nil {
				return err
			}
		}
		if end == nil {
			end = slices.Clone(s.set)
		}
	}
	if s.weight(end) >= s.weight(s.set) {
		copy(s.set, end)
	}
	return nil
}

// pass tries each edge that is not in the best set, and says whether that has gained.
func (s *search) pass() (hasGained bool, err error) {
	for _, e := range s.candidates {
		if s.set[e] {
			continue
		}
		clear(s.trial)
		s.trial[e] = true
		if err := s.grow(among(s.set, s.candidates), true); err != nil {
			return false, err
		}
		if err := s.grow(s.candidates, false); err != nil {
			return false, err
		}
		if s.weight(s.trial) > s.weight(s.set)+s.slack(s.candidates) {
			copy(s.set, s.trial)
			hasGained = true
		}
	}
	return hasGained, nil
}
