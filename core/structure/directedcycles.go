package structure

import (
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

var _ = register(Spec{
	Name:       "directedcycles",
	Doc:        "Directed cycles over subsets of n vertices; ψ has an entry for each pair u < v, +1 for the arc u→v, -1 for v→u.",
	Params:     cycleParams(),
	Conditions: cycleTerms,
	Parts:      "the vertices in their order, from the smallest one on, and then -1 up to n entries",
	Psi:        "the pairs u < v of vertices in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:        "Vembu (2010), app. B",
	Typical:    []Args{{Scalars: map[string]int64{"n": 4}}},
	build: func(a arguments) (Space, error) {
		c, err := newCycleSpace(a, true)
		if err != nil {
			return nil, err
		}
		return withinGiven(directedCycles{c}, a, c.n)
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
)

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
	f.Spectrum, f.Moves.Gain, f.Mirror, f.Entries = c, c.gain, c.mirror, "signs and zeros"
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
	return func(conditions []Condition) (r Restriction, err error) {
		v, err := readVisitConditions(cycleTerms, conditions, c.n, leastCycle, "cycle", "vertex", false, c.names)
		if err != nil {
			return r, err
		}
		unused, err := v.excluded()
		if err != nil {
			return r, err
		}
		r = c.restriction(&v)
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
