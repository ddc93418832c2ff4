package structure

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/graph/tours"
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
	*memo
	directed bool
	total    func() *big.Int      // the number of directed cycles
	lengths  func() *combin.Table // cell i: directed cycles of n−i vertices
	pool     *pool[tourWorkspace]
}

var (
	_ Decoder  = cycleSpace{}
	_ Searcher = cycleSpace{}
)

func newCycleSpace(a arguments, directed bool) (cycleSpace, error) {
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
	return cycleSpace{pairs{n}, a.memo(), directed, total, lengths, new(pool[tourWorkspace])}, nil
}

func (c cycleSpace) PartLen() int    { return c.n }
func (c cycleSpace) FeatureLen() int { return c.len() }

func (c cycleSpace) String() string { return fmt.Sprintf("%s over %d vertices", c.what(), c.n) }

func (c cycleSpace) what() string {
	if c.directed {
		return "directed cycles"
	}
	return "cycles"
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

// check returns the length of a directed cycle.
func (c cycleSpace) check(y []int32) (k int, err error) {
	if k, err = checkVisits(y, c.n, leastCycle, "cycle", "vertex", c.names); err != nil {
		return 0, err
	}
	if least := slices.Min(y[:k]); y[0] != least {
		return 0, fault.Value("the cycle begins with vertex %s, must begin with its smallest, %s", c.names.of(int(y[0])),
			c.names.of(int(least)))
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

// Decode finds a best cycle by dynamic programming over subsets. Ties are broken in a fixed way; scores of zero give 0,
// 1, 2. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ n²).
func (c cycleSpace) Decode(dst []int32, score Scores) (Certificate, error) {
	if c.n > exactCycle {
		return Certificate{}, tourLimit(c.what()+" by the number of vertices", c.n, exactCycle)
	}
	return decodeTour(c, nil, dst, score)
}

// Start takes the best of a few cycles of length 3, through each of up to 16 vertices. Nu is what the proven bound and the
// score of some poor one leave open. Cost: O(n²) for each of these vertices.
//
// Directed ones come with their reverses. That negates the linear score, so without a Magnitude the better of the two lies at
// least half-way between the worst and the best: Nu is at most 1/2 (Gärtner and Vembu, 2009).
func (c cycleSpace) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return c.improve((*tours.Workspace).Start, dst, score, poll)
}

// Search improves cycles by local moves from several starts. Nu is as for Start. Cost: O(n²) for each sweep over the moves.
func (c cycleSpace) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return c.improve((*tours.Workspace).Search, dst, score, poll)
}

func (c cycleSpace) improve(find tourSearch, dst []int32, score Scores, poll func() error) (Certificate, error) {
	cert, err := improveTour(c, nil, find, dst, score, poll)
	if c.directed && score.Magnitude == nil {
		cert.Nu = min(cert.Nu, 0.5)
	}
	return cert, err
}

func (c cycleSpace) problem() (n int, anchored, eitherWay bool) { return c.n, false, !c.directed }

func (c cycleSpace) workspaces() *pool[tourWorkspace] { return c.pool }

// back is what ψ has for a step against the order of its pair.
func (c cycleSpace) back() float64 { return sign(!c.directed) }

func (c cycleSpace) weigh(gain []float64, score Scores) {
	back, pair := c.back(), 0
	for u := range c.n {
		gain[u*c.n+u] = 0
		for v := u + 1; v < c.n; v++ {
			linear, magnitude := score.Linear[pair], score.magnitude(pair)
			gain[u*c.n+v], gain[v*c.n+u] = magnitude+linear, magnitude+back*linear
			pair++
		}
	}
}

func (c cycleSpace) average(mean, steps []float64) {
	back, pair := c.back(), 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			mean[pair] = steps[u*c.n+v] + back*steps[v*c.n+u]
			pair++
		}
	}
}

func (c cycleSpace) show(dst, tour []int32) {
	k := copy(dst, tour)
	padFrom(dst, k)
	if !c.directed {
		normalDirection(dst[:k])
	}
}

func (c cycleSpace) bounds() (items, ends int)     { return c.n, 0 }
func (c cycleSpace) keeps(m *Mask, y []int32) bool { return keepsVisits(m, y[:visited(y)]) }

// mustSquare panics unless a matrix has the size of the second moment.
func (c cycleSpace) mustSquare(dst blas64.General) {
	mustLen("dst's column", dst.Rows, c.len())
	mustLen("dst's row", dst.Cols, c.len())
}

// restriction returns the conditions on vertices and, where both ends are given, on the step from the end to the start. Cycles are listed
// so that they begin with the start and end with the end. Where only one of the two is given and cycles have no direction, a list with a
// start goes on to its smaller neighbour, and one with an end begins with the smaller neighbour of that.
func (c cycleSpace) restriction(v *visitConditions) (r Restriction) {
	r.Mask = v.mask()
	if v.start < 0 && v.end < 0 {
		return r
	}
	if v.start >= 0 && v.end >= 0 {
		r.Mask.Limit(c.len(), c.pair(v.start, v.end), only(int8(sign(!c.directed || v.end < v.start))))
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
		if !c.directed && turn {
			slices.Reverse(cycle[1:])
		}
		if start < 0 {
			rotate(cycle, 1)
		}
	}
	return r
}
