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
	subspace[tourSpace]
	rules  *visitRules
	within *tours.Mask // the rules in terms of the tours of the base
}

func newRestrictedVisits(base tourSpace, rules *visitRules, within *tours.Mask) *restrictedVisits {
	return &restrictedVisits{subspace: subspace[tourSpace]{base}, rules: rules, within: within}
}

// tourSpace is a space whose outputs are the tours of a problem of package tours.
type tourSpace interface {
	Space
	Enumerator
	fmt.Stringer
	// vertices returns the number of vertices of the problem, and whether all its tours visit vertex 0.
	vertices() (n int, anchored bool)
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
	_ Searcher   = (*restrictedVisits)(nil)
	_ Reader     = (*restrictedVisits)(nil)
)

func (r *restrictedVisits) String() string { return r.all.String() + " under constraints" }

func (r *restrictedVisits) Facts() Facts {
	f := r.subspace.Facts()
	n, anchored := r.all.vertices()
	f.TooLargeToDecode = !tours.Solvable(n, anchored, r.within)
	return f
}

func (r *restrictedVisits) Check(y []int32) error {
	if err := r.all.Check(y); err != nil {
		return err
	}
	places := y[:visited(y)]
	return r.rules.admits(places, r.all.endsAt(places, r.rules.start, r.rules.end))
}

func (r *restrictedVisits) Read(dst []int32, row []float64) error {
	if err := ReadTo(r.all, dst, row); err != nil {
		return err
	}
	return r.Check(dst)
}

// All lists the outputs of the base that obey the rules, in its order.
func (r *restrictedVisits) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for y := range r.all.All() {
			places := y[:visited(y)]
			if r.rules.admits(places, r.all.endsAt(places, r.rules.start, r.rules.end)) == nil && !yield(y) {
				return
			}
		}
	}
}

// Decode finds a best output by dynamic programming over the sets of places that may be visited beside start and end.
// It returns a *LimitError where these are too many: beyond 17 places in general, later where the number of visited
// ones is given. Cost: with m such places of which k are visited, Σ_{i≤k} C(m,i)·i² steps.
func (r *restrictedVisits) Decode(dst []int32, score Scores) (Certificate, error) {
	w := r.begin(dst, score)
	defer r.all.release(w)
	k, err := w.Exact(w.tour)
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
	return proven(r.all.finish(dst, w, k)), nil
}

// begin loads the problem of the best output that obeys the rules.
func (r *restrictedVisits) begin(dst []int32, score Scores) *tourWorkspace {
	w := r.all.begin(dst, score)
	w.Restrict(r.within)
	return w
}

// Start takes the best of a few outputs that obey the rules; its certificate is that of Search. Cost: O(n²) for each
// place of each of them.
func (r *restrictedVisits) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*tours.Workspace).Start)
}

// Search improves outputs that obey the rules by local moves that keep to them. Nu is 1, unless the bound is reached:
// the least that an output under the rules earns is not known. Cost: O(n²) for each sweep over the moves.
func (r *restrictedVisits) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*tours.Workspace).Search)
}

func (r *restrictedVisits) improve(dst []int32, score Scores, poll func() error,
	find func(*tours.Workspace, []int32, func() error) (int, error)) (Certificate, error) {
	w := r.begin(dst, score)
	defer r.all.release(w)
	k, err := find(&w.Workspace, w.tour, poll)
	if err != nil {
		return Certificate{}, err
	}
	value, bound := r.all.finish(dst, w, k), w.Bound()
	if value >= bound {
		return proven(value), nil
	}
	return Certificate{Value: value, UpperBound: bound, Nu: 1}, nil
}

// freePlaces is the number of places beside start and end from which any number can be visited in exact decoding.
const freePlaces = 17

// cycleMask returns rules of cycles over n vertices as a mask of tours. Cycles without direction obey it in one of their two.
func (r *visitRules) cycleMask(n int) *tours.Mask {
	k := &tours.Mask{Least: r.length, Most: r.length, Vertices: make([]int8, n)}
	r.fixTo(k.Vertices)
	if r.start != anyPlace && r.end != anyPlace {
		k.Arcs = make([]int8, n*n)
		k.Arcs[r.end*n+r.start] = tours.Always
	}
	return k
}

// routeMask returns rules of routes as a mask of the tours from a depot, vertex 0, through n places, vertices 1..n.
func (r *visitRules) routeMask(n int) *tours.Mask {
	k := &tours.Mask{Vertices: make([]int8, n+1)}
	if r.length > 0 {
		k.Least, k.Most = r.length+1, r.length+1
	}
	r.fixTo(k.Vertices[1:])
	if r.start != anyPlace || r.end != anyPlace {
		k.Arcs = make([]int8, (n+1)*(n+1))
	}
	if r.start != anyPlace {
		k.Arcs[r.start+1] = tours.Always
	}
	if r.end != anyPlace {
		k.Arcs[(r.end+1)*(n+1)] = tours.Always
	}
	return k
}

// fixTo writes which places are visited and which are not.
func (r *visitRules) fixTo(vertices []int8) {
	for v, f := range r.fixed {
		vertices[v] = int8(f)
	}
	for _, v := range [2]int{r.start, r.end} {
		if v != anyPlace {
			vertices[v] = tours.Always
		}
	}
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
