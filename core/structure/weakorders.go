package structure

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/ordering/weak"
)

// maxTiedLabels bounds rankings with ties: their counts are tabulated exactly, which takes n² products of large numbers.
const maxTiedLabels = 1 << 10

var _ = register(Spec{
	Name: "weakorders",
	Doc: "Rankings of n labels with ties; ψ has +1, -1 or 0 for each pair u < v, +1 where u is before v and 0 for a tie, " +
		"and then 1 or 0 for each pair, 1 for a tie.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxTiedLabels, Reason: "the counts of larger spaces take too long to tabulate",
			Doc: "number of labels"},
	},
	Conditions: orderTerms,
	Parts:      "the dense rank of each label: 1 for the first place, tied labels on the same place, no place empty",
	Psi:        "the pairs u < v of labels in lexicographic order: (0, 1), (0, 2), …, (1, 2), …; for the signs, and once more for the ties",
	Ref:        "Vembu (2010), section 4.3.1, carried over to rankings with ties, which ordered Bell numbers count (Gross, 1962)",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		w := newWeakOrders(n)
		w.memo = a.memo()
		return w, nil
	},
})

// weakOrders is the space of the rankings of n labels with ties, encoded as the dense rank of each label: 1 for the first
// place, tied labels on the same place, no place empty.
//
// F(n), the n-th ordered Bell number, counts them. Merging the labels of a tie into one leaves a ranking of fewer labels,
// so that a pair is tied with probability p₁ = F(n−1)/F(n), and two different pairs with p₂ = F(n−2)/F(n), whether they
// share a label or not. The signed entry of a pair has the second moment a = 1 − p₁. Of three labels that are not all
// tied, either one is before or behind the other two, which are tied, or all differ; either way the products s_uv s_uw,
// s_vu s_vw and s_wu s_wv of their signs add up to 1, so that each is b = (1 − p₂)/3 on average. Signs of disjoint
// pairs are uncorrelated, as exchanging the labels of one of the pairs negates its sign only; so are a sign and a tie, as
// reversing a ranking negates the first and keeps the second.
type weakOrders struct {
	pairs
	*memo
	fubini     []*big.Int // F(0..n)
	tied, both float64    // p₁ and p₂
	spaces     []jointSpace
	levels     func() *combin.Table // for samples
	pool       *pool[weak.Workspace]
}

var (
	_ Counter    = (*weakOrders)(nil)
	_ Momenter   = (*weakOrders)(nil)
	_ Enumerator = (*weakOrders)(nil)
	_ Sampler    = (*weakOrders)(nil)
	_ Decoder    = (*weakOrders)(nil)
	_ Searcher   = (*weakOrders)(nil)
	_ Reader     = (*weakOrders)(nil)
)

func newWeakOrders(n int) *weakOrders {
	w := &weakOrders{pairs: pairs{n}, memo: new(memo), fubini: combin.Fubini(n), pool: new(pool[weak.Workspace])}
	w.tied = combin.Ratio(w.fubini[n-1], w.fubini[n])
	w.both = combin.Ratio(w.fubini[n-2], w.fubini[n])
	w.spaces = w.eigenspaces()
	w.levels = sync.OnceValue(w.levelTable)
	return w
}

func (w *weakOrders) String() string  { return fmt.Sprintf("rankings of %d labels with ties", w.n) }
func (w *weakOrders) PartLen() int    { return w.n }
func (w *weakOrders) FeatureLen() int { return 2 * w.len() }
func (w *weakOrders) Count() *big.Int { return new(big.Int).Set(w.fubini[w.n]) }

func (w *weakOrders) Check(y []int32) error {
	return w.checkRanks(y, 1, fmt.Sprintf("ranks are whole numbers 1..%d, none left out", w.n))
}

// checkRanks returns nil for ranks from least on, of which those above 0 are dense; format says what they are.
func (w *weakOrders) checkRanks(y []int32, least int32, format string) error {
	mustLen("y", len(y), w.n)
	var few [64]bool
	taken := few[:] // taken[rank-1]
	if w.n > len(few) {
		taken = make([]bool, w.n)
	}
	last := 0
	for label, rank := range y {
		if rank < least || int(rank) > w.n {
			return wrongPart(y, label, w.names, format)
		}
		if rank != unknown {
			taken[rank-1] = true
			last = max(last, int(rank))
		}
	}
	if gap := slices.Index(taken[:last], false); gap >= 0 {
		return fault.Value("no label has rank %d, while one has rank %d; ranks must be dense", gap+1, last)
	}
	return nil
}

func (w *weakOrders) Format() string {
	return "positions are finite numbers from 0 on, compared by their order; complete the ranking or drop the row"
}

func (w *weakOrders) columnNames() Names { return w.names }

// Read takes finite numbers from 0 on, as −1 is an unknown position in ReadPartial, and gives them their dense ranks.
func (w *weakOrders) Read(dst []int32, row []float64) error {
	if label := slices.IndexFunc(row, isNoPosition); label >= 0 {
		return wrongNumber(row, label, w.names, w.Format())
	}
	return w.readRanks(dst, row, w.Format())
}

// isNoPosition reports whether a number is NaN, infinite or negative.
func isNoPosition(x float64) bool { return x-x != 0 || x < 0 }

// readRanks writes the dense ranks of the numbers that are known; format says what they are.
func (w *weakOrders) readRanks(dst []int32, row []float64, format string) error {
	var few [64]float64
	ordered := few[:0]
	for label, x := range row {
		switch {
		case notKnown(x):
		case isNoPosition(x):
			return wrongNumber(row, label, w.names, format)
		default:
			ordered = append(ordered, x)
		}
	}
	slices.Sort(ordered)
	ordered = slices.Compact(ordered)
	for label, x := range row {
		dst[label] = unknown
		if !notKnown(x) {
			rank, _ := slices.BinarySearch(ordered, x)
			dst[label] = int32(rank + 1)
		}
	}
	return nil
}

// Facts: the signs of pairs, with which ψ begins, have cells and are what others follow from.
func (w *weakOrders) Facts() Facts {
	return Facts{
		Layout: Layout{
			Format:  w.Format(),
			Names:   chained(joined(itemPairs(w.n), " before ", w.names, w.names), joined(itemPairs(w.n), " tied with ", w.names, w.names)),
			Cells:   Cells{"order", w.n, itemPairs(w.n)},
			Entries: "signs and ties",
			Costs:   costsOfOrders,
		},
		Spectrum: w,
		Moves:    Moves{Gain: w.gain},
		Sums:     sumsOf(w.partitionCost),
	}
}

func (w *weakOrders) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), w.FeatureLen())
	mustLen("y", len(y), w.n)
	signs, ties := dst[:w.len()], dst[w.len():]
	clear(dst)
	pair := 0
	for u, rank := range y {
		for _, other := range y[u+1:] {
			switch {
			case rank < other:
				signs[pair] = 1
			case rank > other:
				signs[pair] = -1
			default:
				ties[pair] = 1
			}
			pair++
		}
	}
}

func (w *weakOrders) Mean(dst []float64) {
	mustLen("dst", len(dst), w.FeatureLen())
	clear(dst[:w.len()])
	fill(dst[w.len():], w.tied)
}

// SecondMoment costs O(d²).
func (w *weakOrders) SecondMoment(dst blas64.General) {
	d := w.len()
	mustLen("dst's column", dst.Rows, 2*d)
	mustLen("dst's row", dst.Cols, 2*d)
	for i := range dst.Rows {
		clear(row(dst, i))
	}
	block := func(at int) blas64.General {
		return blas64.General{Rows: d, Cols: d, Stride: dst.Stride, Data: dst.Data[at*dst.Stride+at:]}
	}
	w.fillTo(block(0), 1-w.tied, (1-w.both)/3)
	fillExchangeable(block(d), d, w.tied, w.both)
}

// All lists the rankings in lexicographic order of their ranks.
func (w *weakOrders) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		l := denseLister{y: make([]int32, w.n), held: make([]int, w.n+2), yield: yield}
		l.from(0, 0, 0)
	}
}

// denseLister lists all vectors of dense ranks.
type denseLister struct {
	y     []int32
	held  []int // number of labels so far on each rank
	yield func([]int32) bool
}

// from lists the completions of y[:label], whose last rank is last and whose ranks below that have the given number of
// gaps: only where the labels left can fill them. It reports whether to go on.
func (l *denseLister) from(label, last, gaps int) bool {
	if label == len(l.y) {
		return l.yield(l.y)
	}
	left := len(l.y) - label - 1
	for rank := 1; rank <= len(l.y); rank++ {
		open := gaps
		switch {
		case rank > last:
			open += rank - last - 1
		case l.held[rank] == 0:
			open--
		}
		if open > left {
			if rank > last {
				break // a later rank leaves more gaps
			}
			continue
		}
		l.y[label] = int32(rank)
		l.held[rank]++
		more := l.from(label+1, max(last, rank), open)
		l.held[rank]--
		if !more {
			return false
		}
	}
	return true
}

// Restrict takes a first and a last label, alone on their places, and pairs of labels of which one is before the other.
func (w *weakOrders) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (Restriction, error) {
		return w.restrictOrder(w.FeatureLen(), conditions, w.names)
	}
}
