package induced

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

// improvement is the smallest gain worth a move, as a fraction of the sum of all magnitudes. It keeps rounding errors
// from making the search cycle, so that it ends.
const improvement = 1e-12

// pollMoves is the number of moves between polls, each O(n).
const pollMoves = 64

// localSearch moves through the sets of one problem by adding, dropping and swapping vertices. With sign −1 it looks
// for a light set instead of a heavy one.
type localSearch struct {
	*problem
	sign      float64
	threshold float64
	chosen    []bool
	gain      []float64 // sign times what each vertex contributes, or would contribute, to the set
	value     float64   // sign times the weight of the set, up to rounding
	best      []bool
	bestValue float64
	released  []int // the move from which on a vertex may be flipped again
	poll      *parallel.Poll
}

// start begins at the empty set.
func (s *localSearch) start(p *problem, sign float64, poll *parallel.Poll) {
	s.poll = poll
	s.problem, s.sign, s.threshold = p, sign, improvement*p.magnitude()
	s.chosen, s.gain = slicex.Grow(s.chosen, p.n), slicex.Grow(s.gain, p.n)
	s.best, s.released = slicex.Grow(s.best, p.n), slicex.Grow(s.released, p.n)
	s.bestValue = math.Inf(-1)
	s.clear()
}

func (s *localSearch) clear() {
	clear(s.chosen)
	for u, x := range s.linear {
		s.gain[u] = s.sign * x
	}
	s.value = 0
}

// keep remembers the set if it is better than the best one so far.
func (s *localSearch) keep() {
	if s.value > s.bestValue+s.threshold || math.IsInf(s.bestValue, -1) {
		s.bestValue = s.value
		copy(s.best, s.chosen)
	}
}

// flip adds or drops a vertex. Cost: O(n).
func (s *localSearch) flip(u int) {
	sign := s.sign
	if s.chosen[u] {
		s.value -= s.gain[u]
		sign = -sign
	} else {
		s.value += s.gain[u]
	}
	s.chosen[u] = !s.chosen[u]
	floats.AddScaled(s.gain, sign, s.weight[u*s.n:(u+1)*s.n])
}

// change returns what flipping a vertex adds to the value.
func (s *localSearch) change(u int) float64 {
	if s.chosen[u] {
		return -s.gain[u]
	}
	return s.gain[u]
}

// climb makes the best addition or removal as long as there is one that improves. Cost: O(n) for each move.
func (s *localSearch) climb() {
	for !s.poll.Stopped() {
		move, most := -1, s.threshold
		for u := range s.n {
			if c := s.change(u); c > most {
				move, most = u, c
			}
		}
		if move < 0 {
			return
		}
		s.flip(move)
	}
}

// climbWithSwaps climbs until no addition or removal improves, and no swap of two vertices either unless there were so many
// swaps that they took 2²⁶ steps. Cost: O(n²) for each swap.
func (s *localSearch) climbWithSwaps() {
	for swaps := 1<<26/(s.n*s.n) + 1; ; swaps-- {
		s.climb()
		if swaps == 0 || s.poll.Stopped() {
			return
		}
		drop, add, most := -1, -1, s.threshold
		for u := range s.n {
			if !s.chosen[u] {
				continue
			}
			for v, x := range s.weight[u*s.n : (u+1)*s.n] {
				if !s.chosen[v] && s.gain[v]-s.gain[u]-s.sign*x > most {
					drop, add, most = u, v, s.gain[v]-s.gain[u]-s.sign*x
				}
			}
		}
		if drop < 0 {
			return
		}
		s.flip(drop)
		s.flip(add)
	}
}

// roam makes a number of best moves, also where they do not improve, and remembers the best set on the way. A vertex
// that was flipped stays as it is for some moves, unless that would give the best set so far (tabu search, Glover,
// 1989; the tenure is that of Palubeckis, 2006, varied in a fixed rhythm). Cost: O(n) for each move.
func (s *localSearch) roam(moves int) {
	clear(s.released)
	tenure := min(s.n/4, 20)
	for i := range moves {
		move, most := -1, math.Inf(-1)
		for u := range s.n {
			c := s.change(u)
			if c > most && (s.released[u] <= i || s.value+c > s.bestValue+s.threshold) {
				move, most = u, c
			}
		}
		if move < 0 || i%pollMoves == 0 && s.poll.Stopped() {
			return
		}
		s.released[move] = i + 1 + tenure + i%7
		s.flip(move)
		s.keep()
	}
}

// recall goes back to the best set.
func (s *localSearch) recall() {
	s.clear()
	for u, in := range s.best {
		if in {
			s.flip(u)
		}
	}
}
