package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
)

// maxLabels bounds the number of pairs: at this size the scores of one output fill a gigabyte, and decoding takes two
// more.
const maxLabels = 1 << 14

var _ = register(Spec{
	Name: "permutations",
	Doc:  "Rankings of n labels; ψ has +1 or -1 for each pair u < v of labels, +1 where u is before v.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxLabels,
			Reason: "beyond that the n(n−1)/2 scores of a single ranking take more than a gigabyte",
			Doc:    "number of labels"},
	},
	Conditions: orderTerms,
	Parts:      "the position of each label, from 1 on",
	Psi:        "the pairs u < v of labels in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:        "Vembu (2010), section 4.3.1",
	Typical:    []Args{{Scalars: map[string]int64{"n": 3}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		return permutations{pairs: pairs{n}, memo: a.memo(), pool: new(pool[workspace])}, nil
	},
})

// permutations is the space of the rankings of n labels, encoded as the position 1..n of each label. The pairs u < v
// are numbered in lexicographic order.
type permutations struct {
	pairs
	*memo
	pool *pool[workspace]
}

var (
	_ Counter    = permutations{}
	_ Momenter   = permutations{}
	_ Enumerator = permutations{}
	_ Sampler    = permutations{}
	_ Decoder    = permutations{}
	_ Searcher   = permutations{}
	_ Reader     = permutations{}
)

func (p permutations) String() string  { return fmt.Sprintf("rankings of %d labels", p.n) }
func (p permutations) PartLen() int    { return p.n }
func (p permutations) FeatureLen() int { return p.len() }
func (p permutations) Count() *big.Int { return combin.Factorial(p.n) }

func (p permutations) Check(y []int32) error {
	mustLen("y", len(y), p.n)
	var few [64]int32
	at := few[:] // at[position-1] is one more than the label there
	if p.n > len(few) {
		at = make([]int32, p.n)
	}
	for label, pos := range y {
		if pos < 1 || int(pos) > p.n || at[pos-1] > 0 {
			return p.diagnose(y)
		}
		at[pos-1] = int32(label + 1)
	}
	return nil
}

// diagnose says why positions are no ranking.
func (p permutations) diagnose(y []int32) error {
	for i, pos := range y {
		if pos < 0 || int(pos) > p.n { // 0 passes: rankings that count from 0 get a remedy of their own
			return wrongPart(y, i, p.names, p.Format())
		}
	}
	if pos, u, v, shared := twice(y, p.n); shared && pos == 0 {
		return fault.Value("labels %s and %s have position 0 in %s; %s; write -1 where 0 means that a label is not ranked",
			p.names.of(u), p.names.of(v), shownParts(y), p.Format())
	} else if shared {
		return fault.Value("labels %s and %s share position %d in %s; rankings have no ties here: break them, or take the "+
			"structure of rankings with ties", p.names.of(u), p.names.of(v), pos, shownParts(y))
	}
	if slices.Contains(y, int32(p.n)) {
		return fault.Value("%s has a position 0; %s, each once", shownParts(y), p.Format())
	}
	return fault.Value("%s counts positions from 0, they count from 1: add 1, or write -1 where 0 means that a label is not ranked; a row "+
		"that lists labels from best to worst is to be inverted", shownParts(y))
}

func (p permutations) Format() string {
	return fmt.Sprintf("positions are whole numbers 1..%d, 1 for the first", p.n)
}

func (p permutations) columnNames() Names { return p.names }

// Read takes positions, all of them known.
func (p permutations) Read(dst []int32, row []float64) error {
	if label := slices.IndexFunc(row, notKnown); label >= 0 {
		return fault.Value("the position of label %s is missing (%s); rankings known in part can be learnt from, but here all "+
			"positions are needed: complete the ranking or drop the row", p.names.of(label), shownNumber(row[label]))
	}
	if i := wholeTo(dst, row); i >= 0 {
		return wrongNumber(row, i, p.names, p.Format())
	}
	return p.Check(dst)
}

func (p permutations) Facts() Facts {
	moves := movesOf(p.moveGaps())
	moves.Gain = p.gain
	return Facts{
		Layout:    Layout{Format: p.Format(), Cells: Cells{"total order", p.n, itemPairs(p.n)}, Entries: "signs", Costs: costsOfOrders},
		Mirror:    p.mirror,
		Spectrum:  p,
		Moves:     moves,
		Sums:      sumsOf(p.partitionCost),
		Positions: p.positions,
	}
}

func (p permutations) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), p.FeatureLen())
	mustLen("y", len(y), p.n)
	pair := 0
	for u, pos := range y {
		for _, other := range y[u+1:] {
			dst[pair] = float64(1 - int32(uint32(other-pos)>>31)<<1) // by the sign, as a processor cannot foresee a branch
			pair++
		}
	}
}

// Mean is 0: a ranking and its reverse cancel.
func (p permutations) Mean(dst []float64) {
	mustLen("dst", len(dst), p.FeatureLen())
	clear(dst)
}

// SecondMoment: a pair with itself has 1, disjoint pairs 0. Among three labels u, v, w the orders in which u is before
// both or behind both make up 2/3, so that the pairs {u,v} and {u,w} have 1/3 where u is the smaller or the larger
// label in both, and −1/3 otherwise. Cost: O(d²) to clear dst plus O(n d).
func (p permutations) SecondMoment(dst blas64.General) { p.fillTo(dst, 1, 1.0/3) }

// All lists the rankings in lexicographic order of their positions.
func (p permutations) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, p.n)
		identityTo(y)
		for yield(y) && nextArrangement(y) {
		}
	}
}

// Sample draws a permutation of the positions.
func (p permutations) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.n)
	combin.Permutation(dst, 1, rng)
}

// mirror reverses the ranking.
func (p permutations) mirror(dst, y []int32) {
	for label, pos := range y {
		dst[label] = int32(p.n+1) - pos
	}
}

// identityTo writes 1..n to y.
func identityTo(y []int32) {
	for i := range y {
		y[i] = int32(i + 1)
	}
}

// Restrict takes a first and a last label, and pairs of labels of which one is before the other.
func (p permutations) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (Restriction, error) {
		return p.restrictOrder(p.len(), conditions, p.names)
	}
}
