package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/graph/tours"
)

var _ = register(Spec{
	Name:       "directedcycles",
	Doc:        "Directed cycles over subsets of n vertices; ψ has an entry for each pair u < v, +1 for the arc u→v, -1 for v→u.",
	Params:     cycleParams(),
	Conditions: cycleTerms,
	Parts:      "the vertices in their order, from the smallest one on, and then -1 up to n entries",
	Psi:        "the pairs u < v of vertices in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:        "Vembu (2010), ch. 5 and app. A, without cycles of length 2",
	Typical:    []Args{{Scalars: map[string]int64{"n": 4}}},
	build: func(a given) (Space, error) {
		c, err := newCycleSpace(a)
		if err != nil {
			return nil, err
		}
		return c.restricted(a, directedCycles{c})
	},
})

// directedCycles is the space of the simple directed cycles of length 3 or more over subsets of n vertices.
//
// A cycle and its reverse cancel, so μ = 0. Let A be the probability of an arc and B that of two arcs u→v→w. Σ has 2A on
// its diagonal; for two pairs that share a vertex the cycles lead through it in two directions, so that Σ has 2B there
// where the shared vertex is the smaller of one pair and the larger of the other, and −2B otherwise; cycles through
// disjoint pairs run through the second one in both directions alike, 0. With a = 2A and b = −2B that is the matrix of
// type pairs. A cycle enters a vertex as often as it leaves it, so Σ annihilates the gradients, A = (n−2)B, and
// a − 2b = 2nB is its only other eigenvalue.
type directedCycles struct{ cycleSpace }

var (
	_ Counter    = directedCycles{}
	_ Momenter   = directedCycles{}
	_ Enumerator = directedCycles{}
	_ Sampler    = directedCycles{}
	_ Decoder    = directedCycles{}
	_ Searcher   = directedCycles{}
)

func (c directedCycles) String() string { return fmt.Sprintf("directed cycles over %d vertices", c.n) }

func (c directedCycles) Count() *big.Int { return new(big.Int).Set(c.total()) }

func (c directedCycles) Check(y []int32) error {
	_, err := c.check(y)
	return err
}

// Read takes vertices from any one on.
func (c directedCycles) Read(dst []int32, row []float64) error {
	return readCycle(dst, row, false, c.names)
}

func (c directedCycles) Facts() Facts {
	f := c.facts("directions")
	f.Spectrum, f.Moves.Gain, f.Mirror = c, c.gain, c.mirror
	return f
}

func (c directedCycles) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), c.len())
	mustLen("y", len(y), c.n)
	clear(dst)
	k := visited(y)
	u := y[k-1]
	for _, v := range y[:k] {
		dst[c.pair(int(u), int(v))] = sign(u < v)
		u = v
	}
}

func (c directedCycles) Mean(dst []float64) {
	mustLen("dst", len(dst), c.len())
	clear(dst)
}

// SecondMoment costs O(d²) to clear dst plus O(n d).
func (c directedCycles) SecondMoment(dst blas64.General) {
	b := c.through()
	c.fillTo(dst, float64(c.n-2)*b, -b)
}

// through returns 2B, B being the probability of two arcs u→v→w.
func (c directedCycles) through() float64 {
	return 2 * combin.Ratio(combin.Arrangements(c.n-3), c.total())
}

func (c directedCycles) Eigenvalues() []float64 { return []float64{float64(c.n) * c.through()} }

func (c directedCycles) FrameLen(int) int                          { return c.frameLen(cyclic) }
func (c directedCycles) AnalyzeTo(dst, v blas64.General, _ int)    { c.analyzeTo(dst, v, cyclic) }
func (c directedCycles) SynthesizeTo(dst, x blas64.General, _ int) { c.synthesizeTo(dst, x, cyclic) }

// All lists the cycles in lexicographic order of their vertices, a cycle before its continuations.
func (c directedCycles) All() iter.Seq[[]int32] { return allVisits(c.n, false) }

func (c directedCycles) Sample(dst []int32, rng *rand.Rand) { c.sample(dst, rng) }

// Decode finds a best cycle by dynamic programming over subsets. Ties are broken in a fixed way; scores of zero give 0,
// 1, 2. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ n²).
func (c directedCycles) Decode(dst []int32, score Scores) (Certificate, error) {
	return decodeTour(c, "directed cycles by the number of vertices", c.n, exactCycle, dst, score)
}

// Start takes the best of a few cycles of length 3, through each of up to 16 vertices, and of their reverses. Reversing a
// cycle negates its linear score, so without a Magnitude the better of the two lies at least half-way between the worst
// and the best: Nu is at most 1/2 (Gärtner and Vembu, 2009). Cost: O(n²) for each of these vertices.
func (c directedCycles) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	cert, err := improveTour(c, (*tours.Workspace).Start, dst, score, poll)
	return halved(cert, score), err
}

// Search improves cycles by local moves from several starts. Nu is as for Start. Cost: O(n²) for each sweep over the moves.
func (c directedCycles) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	cert, err := improveTour(c, (*tours.Workspace).Search, dst, score, poll)
	return halved(cert, score), err
}

// halved lowers Nu to 1/2 where reversing a cycle negates its score.
func halved(cert Certificate, score Scores) Certificate {
	if score.Magnitude == nil {
		cert.Nu = min(cert.Nu, 0.5)
	}
	return cert
}

// endsAt reports whether the start follows the end; it does not ask for one that is not given.
func (c directedCycles) endsAt(places []int32, start, end int) bool {
	return start == anyPlace || end == anyPlace || follow(places, end, start)
}

func (c directedCycles) begin(dst []int32, score Scores) *tourWorkspace {
	return c.load(dst, score, func(linear, magnitude float64) (up, down float64) {
		return magnitude + linear, magnitude - linear
	})
}

// finish writes a tour to dst and returns what it earns.
func (c directedCycles) finish(dst []int32, w *tourWorkspace, k int) float64 {
	copy(dst, w.tour[:k])
	padFrom(dst, k)
	return w.Value(dst[:k])
}

// mirror turns the cycle round: its arcs all change their sign.
func (c directedCycles) mirror(dst, y []int32) {
	copy(dst, y)
	length := len(y)
	for length > 0 && y[length-1] < 0 {
		length--
	}
	for i := 1; i < length; i++ {
		dst[i] = y[length-i]
	}
}

// Restrict is that of cycles, with arcs in place of edges.
func (c directedCycles) Restrict() func([]Condition) (Restriction, error) {
	return func(given []Condition) (r Restriction, err error) {
		v, err := readVisitConditions(cycleTerms, given, c.n, leastCycle, "cycle", "vertex", false, c.names)
		if err != nil {
			return r, err
		}
		unused, err := v.excluded()
		if err != nil {
			return r, err
		}
		r = c.restriction(&v, false)
		along := func(s [2]int) (pair int, value Values) { return c.pair(s[0], s[1]), only(int8(sign(s[0] < s[1]))) }
		for _, s := range v.used {
			pair, value := along(s)
			r.Mask.Limit(c.len(), pair, value)
		}
		for _, s := range unused {
			pair, value := along(s)
			r.Mask.Limit(c.len(), pair, AnyValue&^value)
		}
		return r, nil
	}
}

func (c directedCycles) keeps(m *Mask, y []int32) bool { return keepsVisits(m, y, c.endsAt) }
