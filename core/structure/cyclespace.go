package structure

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
)

const (
	// maxCycleVertices bounds the number of pairs of vertices: at this size the scores of one cycle fill a gigabyte, and
	// decoding takes two more.
	maxCycleVertices = 1 << 14
	// leastCycle is the length of the shortest cycles.
	leastCycle = 3
	// exactCycle is the largest number of vertices whose cycles are decoded exactly.
	exactCycle = 16
)

// cycleSpace is what directed and undirected cycles share: cycles over subsets of n vertices, of length 3 or more,
// encoded as the vertices in their order from the smallest one on, padded with −1. ψ has an entry for each pair u < v.
//
// There are a(m) = Σ_k m!/(m−k)! sequences of different vertices out of m. So there are Σ_i C(n,i)(i−1)! = Σ_{m<n} a(m)
// directed cycles when those of one and two vertices count (m+1 being the number of vertices up to the largest visited
// one), a(n−2)−1 through a given arc (what follows is a sequence of at least one other vertex), and a(n−3) through two
// arcs u→v→w.
type cycleSpace struct {
	pairs
	*kept
	total   func() *big.Int      // the number of directed cycles
	lengths func() *combin.Table // cell i: directed cycles of n−i vertices
	pool    *pool[tourWorkspace]
}

func newCycleSpace(a given) (cycleSpace, error) {
	n, err := a.Int("n")
	if err != nil {
		return cycleSpace{}, err
	}
	total := sync.OnceValue(func() *big.Int {
		_, sum := combin.SumArrangements(n)
		return sum.Sub(sum, big.NewInt(int64(n+n*(n-1)/2)))
	})
	lengths := sync.OnceValue(func() *combin.Table {
		return lengthTable(n, leastCycle, total(), combin.Factorial(n-1), func(weight *big.Int, k int) {
			weight.Mul(weight, big.NewInt(int64(k)))
			weight.Quo(weight, big.NewInt(int64(k-1)*int64(n-k+1)))
		})
	})
	return cycleSpace{pairs: pairs{n}, kept: a.kept(), total: total, lengths: lengths, pool: new(pool[tourWorkspace])}, nil
}

func (c cycleSpace) PartLen() int    { return c.n }
func (c cycleSpace) FeatureLen() int { return c.len() }

// restricted returns the space of those cycles in the given one that obey the rules of a, all of them without rules.
func (c cycleSpace) restricted(a given, all tourSpace) (Space, error) {
	rules, err := newVisitRules(a, c.n, leastCycle)
	if err != nil {
		return nil, err
	}
	if rules == nil {
		return all, nil
	}
	return newRestrictedVisits(all, rules, rules.cycleMask(c.n)), nil
}

// facts are those that directions do not change: rows are lists of any width, and the decision is the cycle of largest expected sum, as
// pre-images are short cycles where the data tell little.
func (c cycleSpace) facts(kind string) Facts {
	return Facts{
		Layout:           Layout{Format: formatOfVisits(c.n, "vertex"), AnyWidth: true, Cells: Cells{kind, c.n, itemPairs(c.n)}},
		TooLargeToDecode: c.n > exactCycle,
		Loss:             "squared",
		Decision:         "score",
		Sums:             sumsOf(c.sumCost),
	}
}

func (c cycleSpace) vertices() (n int, anchored bool) { return c.n, false }

func (c cycleSpace) release(w *tourWorkspace) { c.pool.put(w) }

// check returns the length of a directed cycle.
func (c cycleSpace) check(y []int32) (k int, err error) {
	if k, err = checkVisits(y, c.n, leastCycle, "cycle", "vertex", c.names); err != nil {
		return 0, err
	}
	if least := slices.Min(y[:k]); y[0] != least {
		return 0, fault.Value("the cycle begins with vertex %s, must begin with its smallest, %s", c.names.of(int(y[0])), c.names.of(int(least)))
	}
	return k, nil
}

// sample draws a uniform directed cycle of k vertices: a sequence of k different vertices, the smallest of which changes
// places with the first. Every cycle comes from k sequences. The length k has weight C(n,k)(k−1)! = n!/((n−k)! k).
func (c cycleSpace) sample(dst []int32, rng *rand.Rand) (k int) {
	mustLen("dst", len(dst), c.n)
	k = c.n - c.lengths().Draw(rng)
	sampleVisits(dst, k, rng)
	least := 0
	for i, v := range dst[:k] {
		if v < dst[least] {
			least = i
		}
	}
	dst[0], dst[least] = dst[least], dst[0]
	return k
}

// fromSmallest rotates a cycle so that its smallest vertex comes first.
func fromSmallest(cycle []int32) {
	rotate(cycle, slices.Index(cycle, slices.Min(cycle)))
}

// load begins the problem of the best cycle: going from u to v earns what earn returns for the pair u < v, the second
// number when it is run through from v to u.
func (c cycleSpace) load(dst []int32, score Scores, earn func(linear, magnitude float64) (up, down float64)) *tourWorkspace {
	mustLen("dst", len(dst), c.n)
	mustScores(score, c.len())
	w := c.pool.get()
	gain := w.reset(c.n, false)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			gain[u*c.n+v], gain[v*c.n+u] = earn(score.Linear[pair], score.magnitude(pair))
			pair++
		}
	}
	return w
}

// mustSquare panics unless a matrix has the size of the second moment.
func (c cycleSpace) mustSquare(dst blas64.General) {
	mustLen("dst's column", dst.Rows, c.len())
	mustLen("dst's row", dst.Cols, c.len())
}

// restriction returns the conditions on places. Cycles are listed so that they begin with the start and end with the end. Where only one of
// the two is given and cycles have no direction, eitherWay, a list with a start goes on to its smaller neighbour, and one with an end
// begins with the smaller neighbour of that.
func (c cycleSpace) restriction(v *visitConditions, eitherWay bool) (r Restriction) {
	r.Mask = v.mask()
	if v.start < 0 && v.end < 0 {
		return r
	}
	start, end := int32(v.start), int32(v.end)
	r.List = func(y []int32) {
		cycle := y[:visited(y)]
		last := len(cycle) - 1
		at := start
		if at < 0 {
			at = end
		}
		i := slices.Index(cycle, at)
		if i < 0 {
			return
		}
		rotate(cycle, i)
		turn := cycle[1] > cycle[last]
		if start >= 0 && end >= 0 {
			turn = cycle[last] != end
		}
		if eitherWay && turn {
			slices.Reverse(cycle[1:])
		}
		if start < 0 {
			rotate(cycle, 1)
		}
	}
	return r
}
