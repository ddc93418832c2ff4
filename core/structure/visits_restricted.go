package structure

import (
	"errors"
	"fmt"
	"iter"

	"combpred/core/graph/tours"
)

// restrictedVisits is the space of the cycles or routes that obey rules. It has decoders and no counts: it is what
// prediction under constraints chooses from, not what training averages over.
type restrictedVisits struct {
	base   tourSpace
	rules  *visitRules
	within tours.Rules // the rules in terms of the tours of the base
}

// tourSpace is a space whose outputs are the tours of a problem of package tours.
type tourSpace interface {
	Space
	Enumerator
	fmt.Stringer
	// vertices returns the number of vertices of the problem.
	vertices() int
	// begin loads the problem of the best output. After use the caller gives the workspace back by release.
	begin(dst []int32, score Scores) *tourWorkspace
	// finish writes the tour of the first k vertices, the smallest one first, as an output and returns what it earns.
	finish(dst []int32, w *tourWorkspace, k int) float64
	release(w *tourWorkspace)
	// endsAt reports whether the visited places start and end where the rules say.
	endsAt(places []int32, start, end int) bool
}

var (
	_ Enumerator = (*restrictedVisits)(nil)
	_ Decoder    = (*restrictedVisits)(nil)
	_ Limited    = (*restrictedVisits)(nil)
	_ Searcher   = (*restrictedVisits)(nil)
	_ Reader     = (*restrictedVisits)(nil)
)

func (r *restrictedVisits) String() string                 { return r.base.String() + " under constraints" }
func (r *restrictedVisits) PartLen() int                   { return r.base.PartLen() }
func (r *restrictedVisits) FeatureLen() int                { return r.base.FeatureLen() }
func (r *restrictedVisits) Embed(dst []float64, y []int32) { r.base.Embed(dst, y) }

func (r *restrictedVisits) Check(y []int32) error {
	if err := r.base.Check(y); err != nil {
		return err
	}
	places := y[:visited(y)]
	return r.rules.admits(places, r.base.endsAt(places, r.rules.start, r.rules.end))
}

// What rows of data and entries of ψ are is as in the base.
func (r *restrictedVisits) Format() string          { return FormatOf(r.base) }
func (r *restrictedVisits) Cells() Cells            { return CellsOf(r.base) }
func (r *restrictedVisits) Names() iter.Seq[string] { return NamesOf(r.base) }
func (r *restrictedVisits) Reads(width int) bool    { return Reads(r.base, width) }

func (r *restrictedVisits) Read(dst []int32, row []float64) error {
	if err := ReadTo(r.base, dst, row); err != nil {
		return err
	}
	return r.Check(dst)
}

// All lists the outputs of the base that obey the rules, in its order.
func (r *restrictedVisits) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for y := range r.base.All() {
			places := y[:visited(y)]
			if r.rules.admits(places, r.base.endsAt(places, r.rules.start, r.rules.end)) == nil && !yield(y) {
				return
			}
		}
	}
}

// Decode finds a best output by dynamic programming over the sets of places that may be visited beside start and end.
// It returns a *LimitError where these are too many: beyond 17 places in general, later where the number of visited
// ones is given. Cost: with m such places of which k are visited, Σ_{i≤k} C(m,i)·i² steps.
func (r *restrictedVisits) Decode(dst []int32, score Scores) (Certificate, error) {
	w := r.base.begin(dst, score)
	defer r.base.release(w)
	k, err := w.ExactWithin(w.tour, &r.within)
	if e, ok := errors.AsType[*tours.StatesError](err); ok {
		return Certificate{}, &LimitError{
			What:         fmt.Sprintf("exact decoding of %v, which may visit so many in so many orders,", r),
			Size:         e.Free,
			Limit:        freePlaces,
			Alternatives: "forbid more of them, prescribe a small number to visit, or take decoder='auto' to decode by search instead",
		}
	}
	if err != nil {
		return Certificate{}, err
	}
	fromSmallest(w.tour[:k])
	return proven(r.base.finish(dst, w, k)), nil
}

func (r *restrictedVisits) Decodable() bool {
	return tours.SolvableWithin(r.base.vertices(), &r.within)
}

// Start takes the best of a few outputs that obey the rules; its certificate is that of Search. Cost: O(n²) for each
// place of each of them.
func (r *restrictedVisits) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*tours.Workspace).StartWithin)
}

// Search improves outputs that obey the rules by local moves that keep to them. Nu is 1, unless the bound is reached:
// the least that an output under the rules earns is not known. Cost: O(n²) for each sweep over the moves.
func (r *restrictedVisits) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*tours.Workspace).SearchWithin)
}

func (r *restrictedVisits) improve(dst []int32, score Scores, poll func() error,
	find func(*tours.Workspace, []int32, *tours.Rules, func() error) (int, float64, error)) (Certificate, error) {
	w := r.base.begin(dst, score)
	defer r.base.release(w)
	k, bound, err := find(&w.Workspace, w.tour, &r.within, poll)
	if err != nil {
		return Certificate{}, err
	}
	value := r.base.finish(dst, w, k)
	if value >= bound {
		return proven(value), nil
	}
	return Certificate{Value: value, UpperBound: bound, Nu: 1}, nil
}

// freePlaces is the number of places beside start and end from which any number can be visited in exact decoding.
const freePlaces = 17

// cycleRules returns rules of cycles as rules of tours.
func (r *visitRules) cycleRules() (t tours.Rules) {
	t.Length, t.Fixed = r.length, r.fixed
	switch {
	case r.start != anyPlace:
		t.Head = []int32{int32(r.start)}
		if r.end != anyPlace {
			t.Tail = []int32{int32(r.end)}
		}
	case r.end != anyPlace:
		t.Head = []int32{int32(r.end)}
	}
	return t
}

// routeRules returns rules of routes as rules of the tours from a depot, vertex 0, through n places, vertices 1..n.
func (r *visitRules) routeRules(n int) tours.Rules {
	t := tours.Rules{Head: []int32{0}}
	if r.length > 0 {
		t.Length = r.length + 1
	}
	if r.start != anyPlace {
		t.Head = append(t.Head, int32(r.start+1))
	}
	if r.end != anyPlace {
		t.Tail = []int32{int32(r.end + 1)}
	}
	if r.fixed != nil {
		t.Fixed = make([]int32, n+1)
		copy(t.Fixed[1:], r.fixed)
	}
	return t
}

// follow reports whether v follows u directly in a closed list.
func follow(places []int32, u, v int) bool {
	before := places[len(places)-1]
	for _, p := range places {
		if int(before) == u && int(p) == v {
			return true
		}
		before = p
	}
	return false
}
