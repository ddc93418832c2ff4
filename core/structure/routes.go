package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"sync"

	"combpred/core/combin"
	"combpred/core/graph/tours"
)

const (
	// maxPlaces bounds the number of arcs: at this size the scores of one route fill half a gigabyte, and decoding takes
	// as much again.
	maxPlaces = 1 << 13
	// leastRoute is the number of places of the shortest routes.
	leastRoute = 2
	// exactRoute is the largest number of places whose routes are decoded exactly.
	exactRoute = 16
)

var _ = register(Spec{
	Name: "routes",
	Doc:  "Routes through two or more of n places, each visited once; ψ marks the arcs between places, the start and the end.",
	Params: append([]Param{
		{Name: "n", Kind: "int", Least: leastRoute, Most: maxPlaces, Doc: "number of places",
			Reason: "beyond that the n(n+1) scores of a single route take more than half a gigabyte"},
	}, visitParams(maxPlaces, "place", "the first place", "the last place")...),
	Conditions: routeTerms,
	Parts:      "the places in their order, and then -1 up to n entries",
	Psi:        "the arcs (u, v), u ≠ v, by rows: (0, 1), (0, 2), …, (1, 0), …; the start at each place; the end at each place",
	Ref:        "closed forms in routes_moments.go and routes_spectrum.go, in the manner of Vembu (2010), app. B, for cycles",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		r := routes{memo: a.memo(), n: n, pool: new(pool[tourWorkspace])}
		r.counts = sync.OnceValue(r.countRoutes)
		r.spaces = sync.OnceValue(r.eigenspaces)
		r.lengths = sync.OnceValue(func() *combin.Table {
			return lengthTable(n, leastRoute, r.counts().all, combin.Factorial(n), func(weight *big.Int, k int) {
				weight.Quo(weight, big.NewInt(int64(n-k+1)))
			})
		})
		return withinGiven(r, a, n)
	},
})

// routes is the space of the simple directed paths over subsets of n places, with at least two places, encoded as the
// places in their order, padded with −1. ψ has the arcs u→v by rows (u ≠ v), then the starts, then the ends: the arcs of
// a closed tour that begins and ends at a depot.
type routes struct {
	*memo
	n       int
	counts  func() routeCounts
	spaces  func() []routeSpace
	lengths func() *combin.Table // cell i: routes of n−i places
	pool    *pool[tourWorkspace]
}

var (
	_ Counter    = routes{}
	_ Momenter   = routes{}
	_ Enumerator = routes{}
	_ Sampler    = routes{}
	_ Decoder    = routes{}
	_ Searcher   = routes{}
)

func (r routes) String() string  { return fmt.Sprintf("routes through %d places", r.n) }
func (r routes) PartLen() int    { return r.n }
func (r routes) FeatureLen() int { return r.n * (r.n + 1) }
func (r routes) Count() *big.Int { return new(big.Int).Set(r.counts().all) }

// arc returns the number of the arc u→v, start and end those of starting and ending at a place.
func (r routes) arc(u, v int) int {
	if v > u {
		v--
	}
	return u*(r.n-1) + v
}
func (r routes) start(v int) int { return r.n*(r.n-1) + v }
func (r routes) end(v int) int   { return r.n*r.n + v }

func (r routes) Read(dst []int32, row []float64) error {
	if err := readVisits(dst, row, "route", "place", r.names); err != nil {
		return err
	}
	return r.Check(dst)
}

func (r routes) Check(y []int32) error {
	_, err := checkVisits(y, r.n, leastRoute, "route", "place", r.names)
	return err
}

// Facts: rows are lists of any width, and the loss is the one that weighs arcs by their covariance: on trips through cities it is far
// ahead where the length is to be predicted, too.
func (r routes) Facts() Facts {
	return Facts{
		Layout: Layout{
			Format:   formatOfVisits(r.n, "place"),
			AnyWidth: true,
			Names: chained(joined(r.steps(), joints["arcs"], r.names, r.names), prefixed("start ", r.names.each("", r.n)),
				prefixed("end ", r.names.each("", r.n))),
			Cells: Cells{"arcs", r.n, r.cells},
		},
		Spectrum:         r,
		Loss:             "auc",
		Decision:         "score",
		TooLargeToDecode: r.n > exactRoute,
		Moves:            Moves{Gain: r.gain},
		Sums:             sumsOf(r.partitionCost),
	}
}

// cells yields the arcs, and those from and to a depot for the starts and the ends.
func (r routes) cells(yield func(int, int) bool) {
	for u, v := range r.steps() {
		if !yield(u, v) {
			return
		}
	}
	for v := range r.n {
		if !yield(r.n, v) {
			return
		}
	}
	for v := range r.n {
		if !yield(v, r.n) {
			return
		}
	}
}

// steps yields the arcs between places by rows.
func (r routes) steps() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for u := range r.n {
			for v := range r.n {
				if u != v && !yield(u, v) {
					return
				}
			}
		}
	}
}

func (r routes) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), r.FeatureLen())
	mustLen("y", len(y), r.n)
	clear(dst)
	k := visited(y)
	dst[r.start(int(y[0]))] = 1
	for i, v := range y[1:k] {
		dst[r.arc(int(y[i]), int(v))] = 1
	}
	dst[r.end(int(y[k-1]))] = 1
}

// All lists the routes in lexicographic order of their places, a route before its continuations.
func (r routes) All() iter.Seq[[]int32] { return allVisits(r.n, true) }

// Sample draws the number k of places, with weight n!/(n−k)!, and then a sequence of k places.
func (r routes) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), r.n)
	sampleVisits(dst, r.n-r.lengths().Draw(rng), rng)
}

// Decode finds a best route by dynamic programming over subsets. Ties are broken in a fixed way; scores of zero give the
// route from place 0 to place 1. It returns a *LimitError beyond 16 places. Cost: O(2ⁿ n²).
func (r routes) Decode(dst []int32, score Scores) (Certificate, error) {
	if r.n > exactRoute {
		return Certificate{}, tourLimit("routes by the number of places", r.n, exactRoute)
	}
	return decodeTour(r, nil, dst, score)
}

// Start takes the best of a few of the shortest routes, through each of up to 16 places. Nu is what the proven bound and the
// score of some poor one leave open. Cost: O(n²) for each of these places.
func (r routes) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return improveTour(r, nil, (*tours.Workspace).Start, dst, score, poll)
}

// Search improves routes by local moves from several starts. Nu is as for Start. Cost: O(n²) for each sweep over the moves.
func (r routes) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return improveTour(r, nil, (*tours.Workspace).Search, dst, score, poll)
}

// problem: the tours lead from a depot, vertex 0, through the places, vertices 1..n.
func (r routes) problem() (n int, anchored, eitherWay bool) { return r.n + 1, true, false }

func (r routes) workspaces() *pool[tourWorkspace] { return r.pool }

func (r routes) weigh(gain []float64, score Scores) {
	gain[0] = 0
	for u := range r.n {
		gain[u+1] = score.indicator(r.start(u))
		from := gain[(u+1)*(r.n+1):]
		from[0] = score.indicator(r.end(u))
		from[u+1] = 0
		for v := range r.n {
			if v != u {
				from[v+1] = score.indicator(r.arc(u, v))
			}
		}
	}
}

func (r routes) average(mean, steps []float64) {
	n := r.n + 1
	for u := range r.n {
		mean[r.start(u)], mean[r.end(u)] = steps[u+1], steps[(u+1)*n]
		for v := range r.n {
			if v != u {
				mean[r.arc(u, v)] = steps[(u+1)*n+v+1]
			}
		}
	}
}

func (r routes) show(dst, tour []int32) {
	for i, v := range tour[1:] {
		dst[i] = v - 1
	}
	padFrom(dst, len(tour)-1)
}

// Restrict takes places where routes start and end, a number of places, and places and arcs that are required or forbidden.
func (c routes) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (r Restriction, err error) {
		v, err := readVisitConditions(routeTerms, conditions, c.n, leastRoute, "route", "place", false, c.names)
		if err != nil {
			return r, err
		}
		steps, err := v.excluded()
		if err != nil {
			return r, err
		}
		r.Mask = v.mask()
		r.Mask.Start, r.Mask.End = v.start, v.end
		var unused []int
		for _, s := range steps {
			unused = append(unused, c.arc(s[0], s[1]))
		}
		for _, s := range v.used { // the route does not end at the tail of a required arc, and does not start at its head
			unused = append(unused, c.end(s[0]), c.start(s[1]))
		}
		for _, s := range v.used {
			r.Mask.Limit(c.FeatureLen(), c.arc(s[0], s[1]), Plus)
		}
		r.Mask.forbid(c.FeatureLen(), unused)
		return r, nil
	}
}

func (c routes) bounds() (items, ends int) { return c.n, c.n }

func (c routes) keeps(m *Mask, y []int32) bool {
	places := y[:visited(y)]
	return keepsVisits(m, places) && (m.Start == anyPlace || int(places[0]) == m.Start) &&
		(m.End == anyPlace || int(places[len(places)-1]) == m.End)
}
