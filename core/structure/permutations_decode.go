package structure

import (
	"errors"

	"combpred/core/ordering"
)

// workspace is one problem and an order of its labels.
type workspace struct {
	ordering.Workspace
	order    []int32
	required bool // whether it is held to an order of some labels
}

// Decode solves a linear ordering problem: scores split the labels into components that follow one another in every
// consistent best ranking, and each is solved by dynamic programming over its subsets. It returns a *LimitError where a
// component has more than 20 labels. Labels whose pairs all have score 0 come in ascending order. Cost: O(n²) and O(m
// 2^m) for each component of m labels.
func (p permutations) Decode(dst []int32, score Scores) (Certificate, error) {
	return p.decode(dst, score, nil)
}

// decode is Decode among the rankings that agree with an order, unless that is nil. Components take account of it, and so does the
// dynamic programming.
func (p permutations) decode(dst []int32, score Scores, before *ordering.Partial) (Certificate, error) {
	w := p.load(dst, score, before)
	defer p.pool.put(w)
	if err := w.Exact(w.order); err != nil {
		if size, ok := errors.AsType[*ordering.SizeError](err); ok {
			return Certificate{}, &LimitError{
				What:         "exact decoding of rankings with labels that form a cycle of preferences",
				OfRow:        true,
				Size:         size.Size,
				Limit:        ordering.MaxComponent,
				Alternatives: "take decoder='auto' to decode by search instead, which guarantees half of the best score",
			}
		}
		return Certificate{}, err
	}
	return proven(p.finish(dst, w.order, score)), nil
}

// Start orders components by their row sums or the other way round. Reversing a ranking negates its linear score, so the
// better of the two lies at least half-way between the worst and the best: Nu is 1/2 (Gärtner and Vembu, 2009). It is
// optimal where no labels form a cycle of preferences. Cost: O(n²).
func (p permutations) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return p.start(dst, score, nil, poll)
}

func (p permutations) start(dst []int32, score Scores, before *ordering.Partial, poll func() error) (Certificate, error) {
	w := p.load(dst, score, before)
	defer p.pool.put(w)
	bound, optimal := w.Workspace.Start(w.order)
	return p.certify(dst, w, score, bound, optimal), polled(poll)
}

// Search solves components of up to 10 labels exactly and improves the others by iterated local search with moves of single
// labels, from what Start gives: Nu is 1/2. Cost: O(n²) for each sweep over the labels, a few for each of up to 400 rounds.
func (p permutations) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return p.search(dst, score, nil, poll)
}

func (p permutations) search(dst []int32, score Scores, before *ordering.Partial, poll func() error) (Certificate, error) {
	w := p.load(dst, score, before)
	defer p.pool.put(w)
	bound, optimal, err := w.Workspace.Search(w.order, poll)
	if err != nil {
		return Certificate{}, err
	}
	return p.certify(dst, w, score, bound, optimal), nil
}

// certify writes the ranking of an order and returns its certificate, given a bound on the gains of all orders.
func (p permutations) certify(dst []int32, w *workspace, score Scores, bound float64, optimal bool) Certificate {
	value := p.finish(dst, w.order, score)
	if optimal {
		return proven(value)
	}
	nu := 0.5
	if w.required {
		nu = 1 // the reverse of a ranking need not be allowed
	}
	return Certificate{Value: value, UpperBound: max(value, bound+p.constant(score)), Nu: nu}
}

// load returns a workspace with the gain of every pair of labels, held to an order of some unless that is nil.
func (p permutations) load(dst []int32, score Scores, before *ordering.Partial) *workspace {
	mustLen("dst", len(dst), p.n)
	mustScores(score, p.FeatureLen())
	w := p.pool.get()
	if w.order == nil {
		w.order = make([]int32, p.n)
	}
	gain := w.Reset(p.n)
	pair := 0
	for u := range p.n {
		gain[u*p.n+u] = 0
		for v := u + 1; v < p.n; v++ {
			s := score.Linear[pair]
			gain[u*p.n+v] = s
			gain[v*p.n+u] = -s
			pair++
		}
	}
	if w.required = before != nil; w.required {
		w.Require(before)
	}
	return w
}

// finish writes the positions that an order gives and returns its score, summed pair by pair.
func (p permutations) finish(dst, order []int32, score Scores) float64 {
	for place, label := range order {
		dst[label] = int32(place + 1)
	}
	value := p.constant(score)
	pair := 0
	for u, pos := range dst {
		for _, other := range dst[u+1:] {
			if pos < other {
				value += score.Linear[pair]
			} else {
				value -= score.Linear[pair]
			}
			pair++
		}
	}
	return value
}

// constant returns the part of the score that all rankings share, ⟨Magnitude, 1⟩, as every entry of ψ is ±1.
func (p permutations) constant(score Scores) float64 {
	var sum float64
	for _, m := range score.Magnitude {
		sum += m
	}
	return sum
}
