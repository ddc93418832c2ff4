package matching

import "math"

// reprice changes prices until an edge loses its slack or an inner blossom its price, and lists what is to be looked at
// again. It returns false where the price of single vertices gets to 0 before that.
func (s *search) reprice() bool {
	step := int64(math.MaxInt64)
	for v := range s.n {
		if s.label[s.top[v]] == outer {
			step = min(step, s.price[v])
		}
	}
	last := true
	for i := range s.edges {
		if most, ok := s.room(&s.edges[i]); ok && most < step {
			step, last = most, false
		}
	}
	for b := s.n; b < len(s.price); b++ {
		if s.isTop(int32(b)) && s.label[b] == inner && s.price[b]/2 < step {
			step, last = s.price[b]/2, false
		}
	}
	for v := range s.n {
		switch s.label[s.top[v]] {
		case outer:
			s.price[v] -= step
		case inner:
			s.price[v] += step
		}
	}
	for b := int32(s.n); b < int32(len(s.price)); b++ {
		if !s.isTop(b) {
			continue
		}
		switch s.label[b] {
		case outer:
			s.price[b] += 2 * step
		case inner:
			s.price[b] -= 2 * step
		}
	}
	if last {
		return false
	}
	for i := range s.edges {
		e := &s.edges[i]
		if most, ok := s.room(e); ok && most == 0 {
			if s.label[s.top[e.u]] == outer {
				s.queue = append(s.queue, e.u)
			} else {
				s.queue = append(s.queue, e.v)
			}
		}
	}
	for b := int32(s.n); b < int32(len(s.price)); b++ {
		if s.isTop(b) && s.label[b] == inner && s.price[b] == 0 {
			s.open(b)
		}
	}
	return true
}

// room returns by how much prices can change until an edge has no slack, where they change it.
func (s *search) room(e *edge) (most int64, ok bool) {
	a, b := s.top[e.u], s.top[e.v]
	if a == b {
		return 0, false
	}
	switch one, other := s.label[a], s.label[b]; {
	case one == outer && other == outer:
		return s.slack(e) / 2, true
	case one == outer && other == unlabelled, one == unlabelled && other == outer:
		return s.slack(e), true
	}
	return 0, false
}

// dual returns 4 times the bound that the prices prove, in units of the weights.
func (s *search) dual() (sum int64) {
	for v := range s.n {
		sum += 2 * s.price[v]
	}
	for b := s.n; b < len(s.price); b++ {
		if len(s.children[b]) > 0 {
			size := int64(0)
			s.eachVertex(int32(b), func(int32) { size++ })
			sum += s.price[b] * (size - 1)
		}
	}
	return sum
}
