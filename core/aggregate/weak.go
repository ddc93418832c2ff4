package aggregate

import (
	"cmp"
	"errors"
	"slices"

	"combpred/core/ordering"
)

// mostStarts is the number of rankings, the best ones, from which a search for a consensus with ties starts.
const mostStarts = 64

// solved reports whether the caller's solver has found a best consensus with ties.
func (o *Options) solved() bool {
	return o.Output == Weak && o.Programs != nil && o.Programs.State[0] == Solved
}

// weakProgram returns the ranking with ties that the caller's solver has found.
func weakProgram(costs pairCosts, s *Programs) (found, error) {
	relation, err := programRelation(s)
	if err != nil {
		return found{}, err
	}
	return found{relation, costs.of(relation), true}, nil
}

// programRelation returns X as a relation; an error where it is no ranking.
func programRelation(s *Programs) ([]bool, error) {
	k := s.X.Rows
	relation := make([]bool, k*k)
	for u := range k {
		for v, x := range s.X.Row(u) {
			relation[u*k+v] = u != v && x > 0.5
		}
	}
	if !slices.Equal(relation, relationOf(ranksOf(relation, k))) {
		return nil, errors.New("aggregate: the solution of the program is no ranking with ties")
	}
	return relation, nil
}

// better takes another relation where it costs less.
func (f *found) better(costs pairCosts, other []bool) {
	if costs.of(other) < costs.of(f.relation) {
		f.relation = other
	}
}

// improve takes the order of least cost that the same method finds, and of rankings with ties what a search finds from there,
// from the best rankings and from what the caller knows.
func (f *found) improve(p *Profile, pairs *Pairs, costs pairCosts, o Options) error {
	search := o.Method != BestInput && o.Output == Weak
	var starts [][]int32
	if o.Programs != nil {
		if f.lowerBound = max(f.lowerBound, o.Programs.LowerBound[0]); o.Programs.State[0] == OutOfTime {
			known, err := programRelation(o.Programs)
			if err != nil {
				return err
			}
			f.better(costs, known)
		}
		o.Programs, o.Method = nil, Auto
	}
	o.Output = Order
	order, err := Kemeny(p, pairs, o)
	if err != nil {
		return err
	}
	f.better(costs, relationOf(order.Positions))
	if !search {
		return nil
	}
	k := pairs.Items()
	starts = append(starts, ranksOf(f.relation, k), order.Positions)
	if p != nil {
		rows, err := p.bestRows(costs, o.Monitor.Err)
		if err != nil {
			return err
		}
		starts = append(starts, rows...)
	}
	w := new(ordering.WeakWorkspace)
	gain := w.Reset(k)
	for u := range k {
		for v := range k {
			gain[u*k+v] = costs.apart.Row(u)[v] - costs.before.Row(u)[v]
		}
		gain[u*k+u] = 0
	}
	for _, rank := range starts {
		if err := w.Improve(rank, o.Monitor.Err); err != nil {
			return err
		}
		f.better(costs, relationOf(rank))
	}
	return nil
}

// bestRows returns the rankings of least cost, at most mostStarts different ones, as ranks without gaps; items that are unknown
// are tied in the last place.
func (p *Profile) bestRows(costs pairCosts, poll func() error) ([][]int32, error) {
	type row struct {
		ranks []int32
		cost  float64
	}
	var coder coder
	codes := make([]int32, p.Items())
	var rows []row
	for i := range p.Ranks.Rows {
		if err := poll(); err != nil {
			return nil, err
		}
		coder.codesTo(codes, p.Ranks.Row(i), nil)
		unknownLast(codes)
		ranks := dense(codes)
		found := row{ranks, costs.ofRanks(ranks)}
		at, known := slices.BinarySearchFunc(rows, found, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), slices.Compare(a.ranks, b.ranks))
		})
		if !known && at < mostStarts {
			rows = slices.Insert(rows, at, found)
			rows = rows[:min(len(rows), mostStarts)]
		}
	}
	starts := make([][]int32, len(rows))
	for i, r := range rows {
		starts[i] = r.ranks
	}
	return starts, nil
}

// ofRanks is of for a ranking.
func (c pairCosts) ofRanks(ranks []int32) (sum float64) {
	for u, own := range ranks {
		before, apart := c.before.Row(u), c.apart.Row(u)
		for v, other := range ranks {
			switch {
			case own < other:
				sum += before[v]
			case own == other:
				sum += apart[v] / 2
			}
		}
	}
	return sum
}
