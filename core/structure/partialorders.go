package structure

import (
	"fmt"
	"math/big"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/ordering"
	"combpred/core/relation"
)

const (
	// maxListed is the largest number of items whose partial orders are listed: 6 129 859 for 7, 431 723 379 for 8.
	maxListed = 7
	// maxChain is the largest number of items for which moments are sampled: chains from opposite starts agree in the time
	// they are given there, and do not for 64 items.
	maxChain = 48
)

// The values of the parameter "moments".
const (
	momentsAuto = iota
	momentsExact
	momentsRelaxed
	momentsSampled
)

var _ = register(Spec{
	Name: "partialorders",
	Doc:  "Strict partial orders on n items; ψ has +1 or -1 for each pair u < v that is related, +1 where u is before v, and 0 for others.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxItems, Reason: reasonOfItems,
			Doc: "number of items"},
		{Name: "moments", Kind: "int", Least: momentsAuto, Most: momentsSampled, Optional: true,
			Doc: fmt.Sprintf("1: exact, up to %d items; 2: relaxed, those of partial tournaments; "+
				"3: sampled, up to %d items; 0 or absent: exact where possible, otherwise relaxed", maxListed, maxChain)},
	},
	Parts:   "ψ",
	Psi:     "the pairs u < v of items in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:     "Vembu (2010), section 4.3.1; counts from Brinkmann and McKay (2002), Posets on up to 16 points, and OEIS A001035",
	Typical: []Args{{Scalars: map[string]int64{"n": 3}}},
	build:   newPartialOrders,
})

// partialOrders is the space of the partial orders on n items of any number.
//
// Renaming the items and reversing the order leave it alone. So the second moment has a number q on its diagonal, the
// probability that a pair is related, ±b for pairs that share an item, and 0 for disjoint pairs. The products s_uv s_uw,
// s_vu s_vw and s_wu s_wv of three items' signs add up to 1 if at least two pairs are related, and to 0 otherwise, so that
// 3b = P₂ + P₃ with P_k the probability that k of the three pairs are; and 3q = P₁ + 2P₂ + 3P₃. Listing all orders gives
// P₁ = P₂ for n = 3 to 8, and with it b = q/3: the second moment is q times that of rankings. It is taken to be so for the
// sampled moments, too.
type partialOrders struct {
	relations
	kind    MomentsKind
	related func() (q, standardError float64)
	pool    *pool[ordering.PartialWorkspace]
	values  *scratch
}

// countedPartialOrders are those on a number of items for which their number is known.
type countedPartialOrders struct{ partialOrders }

// listedPartialOrders are those on a number of items that is small enough for a list of them.
type listedPartialOrders struct{ countedPartialOrders }

var (
	_ Momenter   = partialOrders{}
	_ Decoder    = partialOrders{}
	_ Searcher   = partialOrders{}
	_ Counter    = countedPartialOrders{}
	_ Enumerator = listedPartialOrders{}
	_ Sampler    = listedPartialOrders{}
)

func newPartialOrders(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	moments := momentsAuto
	if _, ok := a.Scalars["moments"]; ok {
		if moments, err = a.Int("moments"); err != nil {
			return nil, err
		}
	}
	if moments == momentsAuto {
		moments = momentsRelaxed
		if n <= maxListed {
			moments = momentsExact
		}
	}
	p := partialOrders{
		relations: newRelations(a.memo(), n),
		pool:      new(pool[ordering.PartialWorkspace]),
		values:    new(scratch),
	}
	switch moments {
	case momentsExact:
		if n > maxListed {
			return nil, &LimitError{
				What: "exact moments of partial orders", Size: n, Limit: maxListed,
				Alternatives: "take relaxed or sampled moments",
			}
		}
		q := float64(relatedOrders[n]) / float64(listedOrders(n))
		p.related = func() (float64, float64) { return q, 0 }
	case momentsRelaxed:
		p.kind = RelaxedMoments
		p.related = func() (float64, float64) { return 2.0 / 3, 0 }
	case momentsSampled:
		if n > maxChain {
			return nil, &LimitError{
				What: "sampling the moments of partial orders", Size: n, Limit: maxChain,
				Alternatives: "take relaxed moments",
			}
		}
		p.kind = SampledMoments
		p.related = sync.OnceValues(func() (float64, float64) { return estimateRelated(n) })
	}
	switch {
	case n <= maxListed:
		return listedPartialOrders{countedPartialOrders{p}}, nil
	case n < len(partialOrderCounts):
		return countedPartialOrders{p}, nil
	}
	return p, nil
}

// partialOrderCounts are the numbers of partial orders on 0 to 18 labelled items (OEIS A001035). Beyond that none is
// known.
var partialOrderCounts = [...]string{
	"1", "1", "3", "19", "219", "4231", "130023", "6129859", "431723379", "44511042511", "6611065248783",
	"1396281677105899", "414864951055853499", "171850728381587059351", "98484324257128207032183",
	"77567171020440688353049939", "83480529785490157813844256579", "122152541250295322862941281269151",
	"241939392597201176602897820148085023",
}

// relatedOrders[n] is the number of partial orders on n items in which a given item is before another one or behind it.
var relatedOrders = [maxListed + 1]int{2: 2, 3: 12, 4: 132, 5: 2448, 6: 72564, 7: 3313152}

func (p countedPartialOrders) Count() *big.Int {
	n, _ := new(big.Int).SetString(partialOrderCounts[p.n], 10)
	return n
}

func (p partialOrders) String() string { return fmt.Sprintf("partial orders of %d items", p.n) }

// Facts: relaxed moments are those of partial tournaments.
func (p partialOrders) Facts() Facts {
	f := p.facts()
	f.Moments, f.Spectrum = p.kind, p
	switch p.kind {
	case RelaxedMoments:
		f.Spectrum = tournaments{p.relations}
	case SampledMoments:
		f.StandardError = func() float64 {
			_, standardError := p.related()
			return standardError
		}
	}
	return f
}

// Check costs O(n³/64).
func (p partialOrders) Check(y []int32) error {
	if err := p.relations.Check(y); err != nil {
		return err
	}
	if u, v, w, found := p.after(y).Gap(); found {
		return fault.Value("the relation is not transitive: %[1]s is before %[2]s and %[2]s before %[3]s, but %[1]s is not "+
			"before %[3]s; add that pair, or take partial tournaments, which need not be transitive",
			p.names.of(u), p.names.of(v), p.names.of(w))
	}
	return nil
}

// Read takes what relations take, and matrices whose diagonal is 1, too.
func (p partialOrders) Read(dst []int32, row []float64) error {
	if err := p.read(dst, row, true); err != nil {
		return err
	}
	return p.Check(dst)
}

// after returns the relation whose row u holds the items after u.
func (p partialOrders) after(y []int32) relation.Relation {
	up := relation.New(p.n)
	pair := 0
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			switch y[pair] {
			case 1:
				up.Add(u, v)
			case -1:
				up.Add(v, u)
			}
			pair++
		}
	}
	return up
}

func (p partialOrders) SecondMoment(dst blas64.General) {
	q, _ := p.related()
	if p.kind == RelaxedMoments {
		p.independent(dst)
		return
	}
	p.fillTo(dst, q, q/3)
}

// Eigenvalues: q(n+1)/3 on the gradients and q/3 on their complement.
func (p partialOrders) Eigenvalues() []float64 {
	q, _ := p.related()
	if p.n == 2 {
		return []float64{q}
	}
	return []float64{q * float64(p.n+1) / 3, q / 3}
}

func (p partialOrders) FrameLen(i int) int                     { return p.frameLen(i) }
func (p partialOrders) AnalyzeTo(dst, v blas64.General, i int) { p.analyzeTo(dst, v, i) }
func (p partialOrders) SynthesizeTo(dst, c blas64.General, i int) {
	p.synthesizeTo(dst, c, i)
}
