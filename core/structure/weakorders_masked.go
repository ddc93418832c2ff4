package structure

import (
	"errors"
	"math/big"

	"combpred/core/fault"
	"combpred/core/ordering/weak"
)

// pairChoices are the ways in which the pairs u < v may stand, in lexicographic order; nil: any.
type pairChoices []weak.Choices

// fillTo writes them to the entries u < v of an n×n matrix by rows.
func (c pairChoices) fillTo(dst []weak.Choices, n int) {
	for u := range n - 1 {
		c = c[copy(dst[u*n+u+1:(u+1)*n], c):]
	}
}

// none returns an error of the engines, ErrNone in place of theirs.
func none(err error) error {
	if errors.Is(err, weak.ErrNone) {
		return ErrNone
	}
	return err
}

// maskedWeakOrders computes on the rankings with ties that a mask allows. The sign and the tie of a pair are two entries of ψ, which
// together say how the pair may stand.
type maskedWeakOrders struct {
	all *weakOrders
	may pairChoices
}

var (
	_ maskable = (*weakOrders)(nil)
	_ engine   = (*maskedWeakOrders)(nil)
	_ Searcher = (*maskedWeakOrders)(nil)
)

// under costs O(n²). Whether all pairs together leave a ranking shows when it is used.
func (w *weakOrders) under(m *Mask) (engine, error) {
	e := &maskedWeakOrders{w, make(pairChoices, w.len())}
	signs, ties := m.Entries[:w.len()], m.Entries[w.len():]
	pair := 0
	for u, v := range itemPairs(w.n) {
		var may weak.Choices
		if ties[pair]&Zero != 0 {
			if signs[pair]&Plus != 0 {
				may |= weak.MayPrecede
			}
			if signs[pair]&Minus != 0 {
				may |= weak.MayFollow
			}
		}
		if ties[pair]&Plus != 0 && signs[pair]&Zero != 0 {
			may |= weak.MayLevel
		}
		if may == 0 {
			return nil, contradiction{fault.Value("the conditions leave labels %s and %s neither an order nor a tie; leave one of them out",
				w.names.of(u), w.names.of(v))}
		}
		e.may[pair] = may
		pair++
	}
	return e, nil
}

func (e *maskedWeakOrders) facts() Facts { return Facts{Sums: sumsOf(e.all.partitionCost)} }

// count is known up to the sizes that are summed over. Cost: 3ⁿ steps.
func (e *maskedWeakOrders) count() *big.Int {
	if e.all.n > weak.MaxSummed {
		return nil
	}
	d := weakDistributions.get()
	defer weakDistributions.put(d)
	d.Reset(e.all.n)
	e.may.fillTo(d.Restrict(), e.all.n)
	count, _ := d.Count(nil) // only a poll makes it fail
	return new(big.Int).SetUint64(count)
}

// Decode is that of all rankings with ties. Labels that the mask ties are one, and components take account of it.
func (e *maskedWeakOrders) Decode(dst []int32, score Scores) (Certificate, error) {
	return e.all.decode(dst, score, e.may)
}

// Start takes the best of topological orders of what the mask requires. Nu is 1 unless the ranking is optimal.
func (e *maskedWeakOrders) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.all.start(dst, score, e.may, poll)
}

// Search is that of all rankings with those moves that are allowed. Nu is as for Start.
func (e *maskedWeakOrders) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.all.search(dst, score, e.may, poll)
}

func (e *maskedWeakOrders) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return e.all.logPartition(marginals, scores, e.may, poll)
}

func (e *maskedWeakOrders) Distribution(scores []float64, poll func() error) (Draw, error) {
	return e.all.distribution(scores, e.may, poll)
}
