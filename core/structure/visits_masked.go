package structure

import (
	"fmt"
	"math"
	"math/big"

	"combpred/core/graph/tours"
)

// maskedVisits computes on the cycles or routes that a mask allows: those tours of their problem that are within a mask of arcs, of
// vertices and of their number. What the mask requires of arcs makes one node of several vertices, so that exact tables are over sets of
// what is left open.
type maskedVisits struct {
	all    tourSpace
	within *tours.Mask
	extent tours.Extent
}

var (
	_ engine   = (*maskedVisits)(nil)
	_ Searcher = (*maskedVisits)(nil)
)

func newMaskedVisits(all tourSpace, within *tours.Mask) (engine, error) {
	n, anchored, _ := all.problem()
	extent, err := tours.ExtentOf(n, anchored, within)
	if err != nil {
		return nil, tourError(err)
	}
	return &maskedVisits{all, within, extent}, nil
}

// boundsOfVisits returns what a mask says of places and of their number, for tours on which so many other vertices lie before them.
func boundsOfVisits(m *Mask, places, before int) (*tours.Mask, error) {
	most := min(m.Size.Most, places) + before
	if most <= 0 { // which would bound nothing
		return nil, ErrNone
	}
	within := &tours.Mask{Vertices: make([]int8, before+places), Least: min(m.Size.Least, places+1) + before, Most: most}
	copy(within.Vertices[before:], m.Items) // Never, Free and Always
	return within, nil
}

func (e *maskedVisits) facts() Facts {
	return Facts{TooLargeToDecode: !e.extent.Decodable, Sums: sumsOf(func(marginals bool) float64 {
		if !e.extent.Summable {
			return math.Inf(1)
		}
		return tourCost(e.extent.Nodes+1, marginals)
	})}
}

// count costs what LogPartition does.
func (e *maskedVisits) count() *big.Int {
	if !e.extent.Summable {
		return nil
	}
	n, anchored, eitherWay := e.all.problem()
	d := tourDistributions.get()
	defer tourDistributions.put(d)
	clear(d.Reset(n, anchored))
	d.Restrict(e.within)
	count, err := d.Count(nil)
	if err != nil {
		return nil
	}
	if eitherWay {
		count /= 2
	}
	return new(big.Int).SetUint64(count)
}

// Decode finds a best output by dynamic programming over the sets of places that may be visited. It returns a *LimitError where these are
// too many: beyond 17 places beside those that must be in general, later where few are visited. Cost: with m such places of which k are
// visited, Σ_{i≤k} C(m,i)·i² steps.
func (e *maskedVisits) Decode(dst []int32, score Scores) (Certificate, error) {
	if !e.extent.Decodable {
		return Certificate{}, e.limit("exact decoding",
			"forbid more of them, prescribe a small number to visit, or take decoder='auto' to decode by search instead")
	}
	return decodeTour(e.all, e.within, dst, score)
}

// Start takes the best of a few outputs that the mask allows; its certificate is that of Search. Cost: O(n²) for each place of each.
func (e *maskedVisits) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return improveTour(e.all, e.within, (*tours.Workspace).Start, dst, score, poll)
}

// Search improves outputs by local moves that keep to what must be visited and how many, and are steered to the arcs that the mask allows.
// It returns ErrUnmet where it comes to no output. Nu is 1, unless the bound is reached. Cost: O(n²) for each sweep over the moves.
func (e *maskedVisits) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return improveTour(e.all, e.within, (*tours.Workspace).Search, dst, score, poll)
}

// LogPartition sums over sets of places as Decode maximises, and refuses more than 17 beside those that must be visited.
func (e *maskedVisits) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	if err := e.checkSum(); err != nil {
		return 0, err
	}
	return sumTours(e.all, e.within, marginals, scores, poll)
}

// Distribution costs O(n²) for each output.
func (e *maskedVisits) Distribution(scores []float64, poll func() error) (Draw, error) {
	if err := e.checkSum(); err != nil {
		return nil, err
	}
	return drawTours(e.all, e.within, scores, poll)
}

func (e *maskedVisits) checkSum() error {
	if e.extent.Summable {
		return nil
	}
	return e.limit("the exact sum", "forbid or require more of them")
}

func (e *maskedVisits) limit(what, alternatives string) error {
	return &LimitError{
		What:         fmt.Sprintf("%s of %v under conditions, which may visit so many in so many orders,", what, e.all),
		Size:         e.extent.Nodes,
		Limit:        tours.MostNodes,
		Alternatives: alternatives,
	}
}
