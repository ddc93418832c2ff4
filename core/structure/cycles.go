package structure

import (
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
)

var _ = register(Spec{
	Name:       "cycles",
	Doc:        "Undirected cycles over subsets of n vertices; ψ marks the pairs u < v of vertices that follow one another.",
	Params:     cycleParams(),
	Conditions: cycleTerms,
	Parts: "the vertices in their order, from the smallest one on and in the direction in which the second is smaller than the last, " +
		"and then -1 up to n entries",
	Psi:     "the pairs u < v of vertices in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:     "Vembu (2010), section 4.3.1, without cycles of length 2",
	Typical: []Args{{Scalars: map[string]int64{"n": 4}}},
	build: func(a arguments) (Space, error) {
		c, err := newCycleSpace(a, false)
		if err != nil {
			return nil, err
		}
		undirected := cycles{cycleSpace: c}
		undirected.spaces = sync.OnceValue(undirected.eigenspaces)
		return withinGiven(undirected, a, c.n)
	},
})

// cycles is the space of the simple undirected cycles of length 3 or more over subsets of n vertices, encoded in the
// direction in which the second vertex is smaller than the last. Every one makes two directed cycles.
type cycles struct {
	cycleSpace
	spaces func() []eigenspace
}

var (
	_ Counter    = cycles{}
	_ Momenter   = cycles{}
	_ Enumerator = cycles{}
	_ Sampler    = cycles{}
)

func (c cycles) Count() *big.Int { return new(big.Int).Rsh(c.total(), 1) }

func (c cycles) Check(y []int32) error {
	k, err := c.check(y)
	if err == nil && y[1] > y[k-1] {
		return fault.Value("the cycle goes on with vertex %s and ends with %s, must end with the larger one",
			c.names.of(int(y[1])), c.names.of(int(y[k-1])))
	}
	return err
}

// Read takes vertices from any one on, in either direction.
func (c cycles) Read(dst []int32, row []float64) error { return readCycle(dst, row, true, c.names) }

func (c cycles) Facts() Facts {
	f := c.facts("edges")
	f.Spectrum, f.Moves.Gain = c, c.gain
	return f
}

func (c cycles) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), c.len())
	mustLen("y", len(y), c.n)
	clear(dst)
	k := visited(y)
	u := y[k-1]
	for _, v := range y[:k] {
		dst[c.pair(int(u), int(v))] = 1
		u = v
	}
}

// All lists the cycles in lexicographic order of their vertices, a cycle before its continuations.
func (c cycles) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for y := range allVisits(c.n, false) {
			if y[1] < y[visited(y)-1] && !yield(y) {
				return
			}
		}
	}
}

// Sample has the second and the last vertex of a directed cycle change places unless the second one is smaller: every
// cycle comes from two directed ones.
func (c cycles) Sample(dst []int32, rng *rand.Rand) {
	k := c.sample(dst, rng)
	if dst[1] > dst[k-1] {
		dst[1], dst[k-1] = dst[k-1], dst[1]
	}
}

// normalDirection turns a cycle round unless its second vertex is smaller than its last.
func normalDirection(cycle []int32) {
	if cycle[1] > cycle[len(cycle)-1] {
		slices.Reverse(cycle[1:])
	}
}

// edgeCounts are the numbers of cycles through one edge, through two that share a vertex and through two that do not.
type edgeCounts struct{ one, adjacent, disjoint *big.Int }

// edges counts. An edge is passed in one of two directions, and so are two that share a vertex: as many cycles as there
// are directed ones through an arc and through two, a(n−2)−1 and a(n−3). With i other vertices, two disjoint edges are
// two blocks among i+2 in a ring, each either way round, and the ring without direction: C(n−4,i)·(i+1)!·4/2, which
// add up to 2(m·a(m) + 1) with m = n−4, as Σ_i (m−i)·m!/(m−i)! = a(m) − 1.
func (c cycles) edges() edgeCounts {
	one := big.NewInt(1)
	e := edgeCounts{
		one:      combin.Arrangements(c.n - 2),
		adjacent: combin.Arrangements(c.n - 3),
		disjoint: new(big.Int),
	}
	e.one.Sub(e.one, one)
	if m := c.n - 4; m >= 0 {
		e.disjoint.Mul(big.NewInt(int64(m)), combin.Arrangements(m))
		e.disjoint.Add(e.disjoint, one).Lsh(e.disjoint, 1)
	}
	return e
}

func (c cycles) Mean(dst []float64) {
	mustLen("dst", len(dst), c.len())
	fill(dst, combin.Ratio(c.edges().one, c.Count()))
}

// SecondMoment has the probability of both edges. Cost: O(d²).
func (c cycles) SecondMoment(dst blas64.General) {
	c.mustSquare(dst)
	e, total := c.edges(), c.Count()
	one, adjacent, disjoint := combin.Ratio(e.one, total), combin.Ratio(e.adjacent, total), combin.Ratio(e.disjoint, total)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			r := row(dst, pair)
			fill(r, disjoint)
			for w := range c.n {
				if w != u && w != v {
					r[c.pair(u, w)] = adjacent
					r[c.pair(v, w)] = adjacent
				}
			}
			r[pair] = one
			pair++
		}
	}
}

// Restrict takes vertices where cycles start and end, a number of vertices, and vertices and edges that are required or forbidden.
func (c cycles) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (Restriction, error) {
		v, err := readVisitConditions(cycleTerms, conditions, c.n, leastCycle, "cycle", "vertex", true, c.names)
		if err != nil {
			return Restriction{}, err
		}
		r := c.restriction(&v)
		for _, s := range v.used {
			r.Mask.Limit(c.len(), c.pair(s[0], s[1]), Plus)
		}
		for _, s := range v.unused {
			r.Mask.Limit(c.len(), c.pair(s[0], s[1]), AnyValue&^Plus)
		}
		return r, nil
	}
}
