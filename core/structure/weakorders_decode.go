package structure

import (
	"errors"

	"combpred/core/ordering/weak"
)

// Decode solves a weak ordering problem: for each pair what "before" and "behind" earn beyond a tie. Scores split the
// labels into components that follow one another in some best ranking, and each is solved by dynamic programming over its
// subsets, of large ones over those that a bound leaves. It returns a *LimitError where a component has more than 16 labels.
// Cost: O(n²) and at most O(m·3^m) for each component of m labels, mostly far less.
func (w *weakOrders) Decode(dst []int32, score Scores) (Certificate, error) {
	return w.decode(dst, score, nil)
}

// decode is Decode among the rankings that a mask of the pairs allows, all unless there is one, as are the functions below. It returns
// ErrNone where that leaves none.
func (w *weakOrders) decode(dst []int32, score Scores, may pairChoices) (Certificate, error) {
	x := w.load(dst, score, may)
	defer w.pool.put(x)
	if err := x.Exact(dst); err != nil {
		if size, ok := errors.AsType[*weak.SizeError](err); ok {
			return Certificate{}, &LimitError{
				What:         "exact decoding of rankings with ties whose labels form a cycle of preferences",
				OfRow:        true,
				Size:         size.Size,
				Limit:        size.Limit,
				Alternatives: "take decoder='auto' to decode by search instead, which reports how much of the best score it guarantees",
			}
		}
		return Certificate{}, none(err)
	}
	return proven(w.value(dst, score)), nil
}

// Start takes the best of an order, its reverse and the tie of all for each component. Reversing a ranking negates its
// signed part and leaves its ties, so that no ratio holds for all scores as it does for rankings without ties; Nu is what
// mirrorNu proves for these. It is at most 1/2 where no tie earns more, or none earns less, than the mean of "before" and
// "behind". Cost: O(n²).
func (w *weakOrders) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return w.start(dst, score, nil, poll)
}

func (w *weakOrders) start(dst []int32, score Scores, may pairChoices, poll func() error) (Certificate, error) {
	x := w.load(dst, score, may)
	defer w.pool.put(x)
	gained, optimal, err := x.Start(dst)
	if err != nil {
		return Certificate{}, none(err)
	}
	return w.certify(dst, score, gained, optimal, may != nil), polled(poll)
}

// Search solves components of up to 8 labels exactly and improves the others by local search, from what Start gives. Nu is
// as there.
func (w *weakOrders) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return w.search(dst, score, nil, poll)
}

func (w *weakOrders) search(dst []int32, score Scores, may pairChoices, poll func() error) (Certificate, error) {
	x := w.load(dst, score, may)
	defer w.pool.put(x)
	gained, optimal, err := x.Search(dst, poll)
	if err != nil {
		return Certificate{}, none(err)
	}
	return w.certify(dst, score, gained, optimal, may != nil), nil
}

// certify returns the certificate of a ranking, given a bound on what any one gains over the tie of all. Under a mask neither that tie
// nor the reverse of a ranking need be allowed, and Nu is 1.
func (w *weakOrders) certify(dst []int32, score Scores, gained float64, optimal, masked bool) Certificate {
	value := w.value(dst, score)
	if optimal {
		return proven(value)
	}
	var tied, level float64 // level: every pair on its own tied or not, whichever is more without its sign
	for i := range w.len() {
		t, m := score.indicator(w.len()+i), score.magnitude(i)
		tied += t
		level += max(t, m)
	}
	bound := max(value, tied+gained)
	if masked {
		return Certificate{Value: value, UpperBound: bound, Nu: 1}
	}
	mirror := 2*w.unsigned(dst, score) - value
	return Certificate{Value: value, UpperBound: bound, Nu: mirrorNu(value, bound, min(tied, mirror), level)}
}

// load returns a workspace with what each pair gains over a tie.
func (w *weakOrders) load(dst []int32, score Scores, may pairChoices) *weak.Workspace {
	mustLen("dst", len(dst), w.n)
	mustScores(score, w.FeatureLen())
	x := w.pool.get()
	gain := x.Reset(w.n)
	pair := 0
	for u := range w.n {
		gain[u*w.n+u] = 0
		for v := u + 1; v < w.n; v++ {
			s, rest := score.Linear[pair], score.magnitude(pair)-score.indicator(w.len()+pair)
			gain[u*w.n+v] = rest + s
			gain[v*w.n+u] = rest - s
			pair++
		}
	}
	if may != nil {
		may.fillTo(x.Restrict(), w.n)
	}
	return x
}

// value returns the score of a ranking, summed pair by pair.
func (w *weakOrders) value(y []int32, score Scores) float64 {
	sum := w.unsigned(y, score)
	pair := 0
	for u, rank := range y {
		for _, other := range y[u+1:] {
			switch {
			case rank < other:
				sum += score.Linear[pair]
			case rank > other:
				sum -= score.Linear[pair]
			}
			pair++
		}
	}
	return sum
}

// unsigned returns the part of the score that a ranking shares with its reverse.
func (w *weakOrders) unsigned(y []int32, score Scores) (sum float64) {
	pair := 0
	for u, rank := range y {
		for _, other := range y[u+1:] {
			if rank == other {
				sum += score.indicator(w.len() + pair)
			} else {
				sum += score.magnitude(pair)
			}
			pair++
		}
	}
	return sum
}
