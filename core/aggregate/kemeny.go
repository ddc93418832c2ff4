package aggregate

import (
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// Output says what a consensus may be.
type Output int

const (
	Order   Output = iota // a ranking without ties
	Weak                  // a ranking, ties allowed
	Partial               // a partial order
)

// Options of Kemeny and Acyclic.
type Options struct {
	Method   Method
	Output   Output    // of Kemeny
	Penalty  float64   // of Kemeny, between 0 and 1: the distance of a pair that is tied, or unrelated, in one ranking only
	Programs *Programs // of the methods MILP and LP; Auto takes those of groups beyond Exact, and of relations, from it
	Seed     uint64    // of RandomPivot; each group has a random stream of its own
	Workers  int       // less than 1: one for each processor
	Monitor  *parallel.Monitor
}

// Kemeny returns the consensus of least total Kendall distance, or one that is near it: the number of pairs that two rankings have in
// opposite orders, plus a penalty for every pair that is tied, or unrelated, in only one of them.
//
// pairs are those of the rankings, as CountPairs gives them. p may be nil where only these are known: then nothing is made of
// the rankings themselves, and BestInput is an error. Without ties in the consensus the methods guarantee, for rankings
// of all items:
//
//	LP            4/3 of the least distance, 3/2 where rankings have ties
//	RandomPivot   11/7 on average, 8/5 with ties
//	Pivot         8/5
//	LocalSearch   2
//	BestInput     2
//
// Where items are unknown, and without rankings, those of Pivot (2 then), RandomPivot (2 on average) and LP (3/2) still hold
// if w_uv ≤ w_ux + w_xv for all items, which is checked. Consensuses with ties, and partial orders, are found by Exact,
// MILP, LocalSearch and BestInput, and never cost more than the order of the same method. A search for
// them guarantees max(2, 1/Penalty) for rankings of all items.
//
// An exact method beyond its size is a *structure.LimitError. Cost: O(n k² log k/64) to count pairs, O(m 2^m) for Exact in a
// group of m items, 3^m with ties; O(m²) for each sweep of the search; O(m³) for each pivot at most.
func Kemeny(p *Profile, pairs *Pairs, o Options) (*Consensus, error) {
	if err := o.check(p, pairs); err != nil {
		return nil, err
	}
	if o.Output != Order {
		return relationConsensus(p, pairs, o)
	}
	k, err := kindOf(p, pairs.Before, o.Monitor.Err)
	if err != nil {
		return nil, err
	}
	s := solver{method: o.Method, kind: k, profile: p, programs: o.Programs, seed: o.Seed, workers: o.Workers, mon: o.Monitor}
	parts, err := s.solve(pairs.Before)
	if err != nil {
		return nil, err
	}
	order, bound := joined(parts, pairs.Before)
	var ties, scale float64
	for u := range order {
		for v := range order {
			scale += pairs.Before.Row(u)[v]
			if u < v {
				ties += pairs.tied(u, v)
			}
		}
	}
	ties *= o.Penalty
	c := &Consensus{
		Positions:  make([]int32, len(order)),
		Distance:   CostOf(pairs.Before, order) + ties,
		LowerBound: bound + ties,
		Guarantee:  weakest(parts, k),
		Optimal:    true,
		Method:     o.Method,
	}
	PositionsTo(c.Positions, order)
	for _, part := range parts {
		c.Optimal = c.Optimal && part.optimal
	}
	if o.Method == Auto {
		c.Method = Exact
		for _, part := range parts { // the least certain one, in the order of their numbers
			if len(part.order) > 1 {
				c.Method = max(c.Method, part.method)
			}
		}
	}
	err = c.measure(p, o, func(u, v int) bool { return c.Positions[u] < c.Positions[v] })
	return c.conclude(scale), err
}

// measure finds the standard error of the distance.
func (c *Consensus) measure(p *Profile, o Options, before func(u, v int) bool) error {
	if p == nil || p.Extensions == 0 {
		return nil
	}
	distances := make([]float64, p.Ranks.Rows)
	err := kendallTo(distances, p, before, o.Penalty, o.Workers, o.Monitor)
	c.StandardError = p.standardError(distances)
	return err
}

// kendallTo writes the distance of every ranking to a relation. Pairs with an unknown item do not count. Cost: O(n k²).
func kendallTo(dst []float64, p *Profile, before func(u, v int) bool, penalty float64, workers int, mon *parallel.Monitor) error {
	k := p.Items()
	relation := make([]int8, k*k) // 1: before, −1: behind
	for u := range k {
		for v := range k {
			if u != v && before(u, v) {
				relation[u*k+v], relation[v*k+u] = 1, -1
			}
		}
	}
	return parallel.For(len(dst), rowsAtOnce, workers, mon, func(lo, hi int) error {
		var coder coder
		codes := make([]int32, k)
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			coder.codesTo(codes, p.Ranks.Row(i), nil)
			opposite, single := 0, 0
			for u, own := range codes {
				if own < 0 {
					continue
				}
				signs := relation[u*k : (u+1)*k]
				for v := u + 1; v < k; v++ {
					other := codes[v]
					if other < 0 {
						continue
					}
					var sign int8
					switch {
					case own < other:
						sign = 1
					case own > other:
						sign = -1
					}
					if sign*signs[v] < 0 {
						opposite++
					} else if sign != signs[v] {
						single++
					}
				}
			}
			dst[i] = float64(opposite) + penalty*float64(single)
		}
		return nil
	})
}

// weakest returns the weakest guarantee of the parts that are not optimal, which the sum of their distances holds.
func weakest(parts []part, k kind) Guarantee {
	found, some := optimal, false
	expected, late := false, false
	for _, p := range parts {
		if p.optimal {
			continue
		}
		g := orderGuarantee(p.method, k)
		expected = expected || g.Expected
		late = late || p.late
		if !some || g.weakness() > found.weakness() {
			found, some = g, true
		}
	}
	found.Expected = expected
	if late {
		found.Reason = "the time limit was reached; " + found.Reason
	}
	return found
}

func (o *Options) check(p *Profile, pairs *Pairs) error {
	switch {
	case !o.Method.Kendall():
		return fault.Value("there is no method number %d for Kendall's distance", o.Method)
	case o.Output < Order || o.Output > Partial:
		return fault.Value("there is no output number %d", o.Output)
	case o.Output != Order && !o.Method.Relational():
		return OrdersOnly(o.Method)
	case !(o.Penalty >= 0 && o.Penalty <= 1):
		return fault.Value("the penalty is %v, must be between 0 and 1", o.Penalty)
	case p == nil && o.Method == BestInput:
		return fault.Value("method best-input needs rankings, which weights of pairs do not show")
	case p != nil && p.Items() != pairs.Items():
		return fault.Value("rankings have %d items and weights of pairs %d", p.Items(), pairs.Items())
	}
	return nil
}

// OrdersOnly is the error of a method that gives no other consensus.
func OrdersOnly(m Method) error {
	return fault.Capability("method %v gives orders only; with ties, and for partial orders, take auto, milp, exact, local-search or "+
		"best-input", m)
}

// solved reports whether the caller's solver has found a best consensus with ties, or partial order.
func (o *Options) solved() bool {
	return o.Output != Order && o.Programs != nil && o.Programs.State[0] == Solved
}

// programmed returns the relation that the caller's solver has found.
func programmed(costs pairCosts, o Options) (found, error) {
	relation, err := programRelation(o.Programs, o.Output)
	if err != nil {
		return found{}, err
	}
	return found{relation, costs.of(relation), true}, nil
}

// programRelation returns X as a relation; an error where it is not of the kind that is asked for.
func programRelation(s *Programs, kind Output) ([]bool, error) {
	k := s.X.Rows
	relation := make([]bool, k*k)
	for u := range k {
		for v, x := range s.X.Row(u) {
			relation[u*k+v] = u != v && x > 0.5
		}
	}
	if kind == Weak && !slices.Equal(relation, relationOf(ranksOf(relation, k))) {
		return nil, fault.Value("the solution of the program is no ranking with ties")
	}
	if kind == Partial && !isPartialOrder(relation, k) {
		return nil, fault.Value("the solution of the program is no partial order")
	}
	return relation, nil
}

// isPartialOrder reports whether a relation without loops, k×k, is transitive, and so without pairs in both directions.
func isPartialOrder(pairs []bool, k int) bool {
	after := relation.New(k)
	for i, related := range pairs {
		if related {
			after.Add(i/k, i%k)
		}
	}
	_, _, _, gap := after.Gap()
	return !gap
}
