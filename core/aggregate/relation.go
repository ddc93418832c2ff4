package aggregate

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/ordering/weak"
	"combpred/core/structure"
)

// pairCosts is what each choice for a pair costs in all rankings, k×k.
type pairCosts struct {
	before    matrix // u before v
	unordered matrix // the two tied, or unrelated; symmetric, with a diagonal of 0
}

func newPairCosts(w *Pairs, penalty float64) pairCosts {
	k := w.Items()
	c := pairCosts{linalg.NewMatrix[float64](k, k), linalg.NewMatrix[float64](k, k)}
	for u := range k {
		for v := range k {
			if u != v {
				c.before.Row(u)[v] = w.Before.Row(v)[u] + float64(penalty*w.tied(u, v))
				c.unordered.Row(u)[v] = penalty * (w.Before.Row(u)[v] + w.Before.Row(v)[u])
			}
		}
	}
	return c
}

// of returns the cost of a relation, pairs that it leaves out being unordered.
func (c pairCosts) of(relation []bool) (sum float64) {
	k := c.before.Rows
	for u := range k {
		for v := u + 1; v < k; v++ {
			switch {
			case relation[u*k+v]:
				sum += c.before.Row(u)[v]
			case relation[v*k+u]:
				sum += c.before.Row(v)[u]
			default:
				sum += c.unordered.Row(u)[v]
			}
		}
	}
	return sum
}

// restricted returns the costs of some items.
func (c pairCosts) restricted(items []int32) pairCosts {
	return pairCosts{submatrix(c.before, items), submatrix(c.unordered, items)}
}

// found is a relation, a bound on the cost of all of its kind, and whether it is known to be a best one.
type found struct {
	relation   []bool // k×k
	lowerBound float64
	optimal    bool
}

// relationConsensus is Kemeny for consensuses with ties, and for partial orders.
func relationConsensus(p *Profile, pairs *Pairs, o Options) (*Consensus, error) {
	k := pairs.Items()
	costs := newPairCosts(pairs, o.Penalty)
	var f found
	if o.Programs != nil {
		if err := o.Programs.check(k, 1); err != nil {
			return nil, err
		}
	} else if o.Method == MILP {
		return nil, fault.Value("method %v needs solutions of programs", o.Method)
	}
	var err error
	switch {
	case o.Method == BestInput:
		for u := range k {
			for v := u + 1; v < k; v++ {
				f.lowerBound += min(costs.before.Row(u)[v], costs.before.Row(v)[u], costs.unordered.Row(u)[v])
			}
		}
		f.relation, err = bestInputRelation(p, costs, o)
	case o.solved():
		f, err = programmed(costs, o)
	case o.Output == Weak:
		f, err = weakOrder(costs, o)
	default:
		f, err = partialOrder(costs, o)
	}
	if err == nil && o.Method != BestInput && !f.optimal && p != nil {
		var other []bool
		if other, err = bestInputRelation(p, costs, o); err == nil {
			f.better(costs, other)
		}
	}
	if err == nil && !f.optimal {
		err = f.improve(p, pairs, costs, o)
	}
	if err != nil {
		return nil, err
	}
	c := &Consensus{
		Distance:   costs.of(f.relation),
		LowerBound: f.lowerBound,
		Guarantee:  relationGuarantee(p != nil && p.complete(), o.Penalty),
		Optimal:    f.optimal,
		Method:     o.Method,
	}
	if o.Method == Auto {
		c.Method = LocalSearch
		switch {
		case f.optimal && o.solved():
			c.Method = MILP
		case f.optimal:
			c.Method = Exact
		}
	}
	if o.Programs != nil && !f.optimal {
		c.Reason = "the time limit was reached; " + c.Reason
	}
	var scale float64
	for _, x := range costs.before.Data {
		scale += x
	}
	if o.Output == Partial {
		c.Relation = f.relation
	} else {
		c.Positions = ranksOf(f.relation, k)
	}
	err = c.measure(p, o, func(u, v int) bool { return f.relation[u*k+v] })
	return c.conclude(scale), err
}

// bestInputRelation returns the best of the rankings.
func bestInputRelation(p *Profile, costs pairCosts, o Options) ([]bool, error) {
	ranks, err := p.bestRow(costs, o.Workers, o.Monitor)
	return relationOf(ranks), err
}

// relationOf returns which items have smaller ranks than which.
func relationOf(ranks []int32) []bool {
	k := len(ranks)
	relation := make([]bool, k*k)
	for u, own := range ranks {
		for v, other := range ranks {
			relation[u*k+v] = own < other
		}
	}
	return relation
}

// ranksOf returns ranks without gaps, from 1 on, of a ranking with ties.
func ranksOf(relation []bool, k int) []int32 {
	before := make([]int32, k)
	for i, ahead := range relation {
		if ahead {
			before[i%k]++
		}
	}
	return dense(before)
}

// choices returns, for the pairs u < v in lexicographic order, half of what "behind" costs more than "before", and the
// excess of "unordered" over the mean of these; and the sums of that mean and of "unordered".
func (c pairCosts) choices() (half, excess []float64, means, unordered float64) {
	k := c.before.Rows
	for u := range k {
		for v := u + 1; v < k; v++ {
			before, behind, a := c.before.Row(u)[v], c.before.Row(v)[u], c.unordered.Row(u)[v]
			mean := (before + behind) / 2
			half = append(half, (behind-before)/2)
			excess = append(excess, a-mean)
			means += mean
			unordered += a
		}
	}
	return half, excess, means, unordered
}

// weakOrder returns the ranking with ties that a decoder finds: of cost Σ mean − ⟨half, sign⟩ + ⟨excess, tie⟩ over the pairs.
func weakOrder(costs pairCosts, o Options) (found, error) {
	half, excess, means, _ := costs.choices()
	linear := half
	for _, a := range excess {
		linear = append(linear, -a)
	}
	y, cert, err := decoded("weakorders", costs.before.Rows, linear, nil, o)
	if err != nil {
		return found{}, err
	}
	return found{relationOf(y), means - cert.UpperBound, cert.Optimal}, nil
}

// partialOrder returns the partial order that a decoder finds: of cost Σ unordered − ⟨half, sign⟩ − ⟨excess, |sign|⟩ over the pairs.
// Groups of items that follow one another in some best partial order are solved on their own.
func partialOrder(costs pairCosts, o Options) (found, error) {
	k := costs.before.Rows
	groups := Groups(k, func(u, v int) bool {
		return min(costs.before.Row(u)[v], costs.unordered.Row(u)[v]) < costs.before.Row(v)[u]
	})
	f := found{make([]bool, k*k), 0, true}
	rest := make([]bool, k)
	for u := range rest {
		rest[u] = true
	}
	for _, items := range groups {
		for _, u := range items {
			rest[u] = false
		}
		for _, u := range items {
			for v, later := range rest {
				if later {
					f.relation[int(u)*k+v] = true
					f.lowerBound += costs.before.Row(int(u))[v]
				}
			}
		}
		if len(items) == 1 {
			continue
		}
		half, excess, _, unordered := costs.restricted(items).choices()
		y, cert, err := decoded("partialorders", len(items), half, excess, o)
		if err != nil {
			return found{}, err
		}
		f.lowerBound += unordered - cert.UpperBound
		f.optimal = f.optimal && cert.Optimal
		pair := 0
		for i, u := range items {
			for _, v := range items[i+1:] {
				f.relation[int(u)*k+int(v)] = y[pair] > 0
				f.relation[int(v)*k+int(u)] = y[pair] < 0
				pair++
			}
		}
	}
	return f, nil
}

// decoded returns the output of a structure that a decoder finds.
func decoded(name string, n int, linear, magnitude []float64, o Options) ([]int32, structure.Certificate, error) {
	cert := make([]structure.Certificate, 1)
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": int64(n)}})
	if err != nil {
		return nil, cert[0], err
	}
	method := map[Method]decode.Method{Auto: decode.Auto, Exact: decode.Exact, LocalSearch: decode.Search, MILP: decode.Auto}[o.Method]
	row := func(x []float64) blas64.General {
		if x == nil {
			return blas64.General{Cols: len(linear), Stride: len(linear)}
		}
		return blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
	}
	y := make([]int32, space.PartLen())
	err = decode.Batch(structure.OneSpace(space, row(linear), row(magnitude)), method, 0, y, cert, 1, o.Monitor)
	if limit, is := errors.AsType[*structure.LimitError](err); is { // which speaks of rows of scores and of decoders
		err = &structure.LimitError{
			What: "an exact consensus with ties, or a partial order, of items that form a strongly connected component of the " +
				"majority's preferences",
			Size: limit.Size, Limit: limit.Limit,
			Alternatives: "take method milp, which has no limit but time, or local-search, which reports a lower bound",
		}
	}
	return y, cert[0], err
}

// mostStarts is the number of rankings, the best ones, from which a search for a consensus with ties starts.
const mostStarts = 64

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
			known, err := programRelation(o.Programs, o.Output)
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
	w := new(weak.Workspace)
	gain := w.Reset(k)
	for u := range k {
		for v := range k {
			gain[u*k+v] = costs.unordered.Row(u)[v] - costs.before.Row(u)[v]
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
