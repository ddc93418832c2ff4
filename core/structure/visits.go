package structure

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/graph/tours"
	"combpred/core/slicex"
)

// Cycles and routes are lists of the places that they visit in their order, each once, padded with −1 to the number of
// places. What they share is here.

const noPlace = -1

// visited returns the number of places that a padded list begins with.
func visited(y []int32) int {
	for i, v := range y {
		if v < 0 {
			return i
		}
	}
	return len(y)
}

// padFrom fills y with −1 from place k on.
func padFrom(y []int32, k int) {
	for i := range y[k:] {
		y[k+i] = noPlace
	}
}

// checkVisits returns how many places a padded list visits, or an error if it is none: it must visit at least the given
// number of different places below n. The nouns are for the message, such as "cycle" and "vertex".
func checkVisits(y []int32, n, least int, what, noun string, names Names) (k int, err error) {
	mustLen("y", len(y), n)
	var few [4]uint64
	seen := few[:]
	if n > 64*len(few) {
		seen = make([]uint64, (n+63)/64)
	}
	for k < n && y[k] != noPlace {
		v := y[k]
		if v < 0 || int(v) >= n {
			return 0, wrongPart(y, k, nil, formatOfVisits(n, noun))
		}
		if seen[v/64]>>(v%64)&1 == 1 {
			remedy := ""
			if v == y[0] && visited(y) == k+1 {
				remedy = ": leave out the return to the first " + noun
			}
			return 0, fault.Value("%s visits %s %s twice; a %s visits each %s at most once%s", shownVisits(y, names), noun,
				names.of(int(v)), what, noun, remedy)
		}
		seen[v/64] |= 1 << (v % 64)
		k++
	}
	for _, v := range y[k:] {
		if v != noPlace {
			return 0, fault.Value("%s goes on behind −1; padding stands at the right end only", shownVisits(y, names))
		}
	}
	if k < least {
		many := noun
		if k != 1 {
			many = plural(noun)
		}
		return 0, fault.Value("%s visits %d %s; a %s visits at least %d: drop the row", shownVisits(y, names), k, many, what, least)
	}
	return k, nil
}

// formatOfVisits is what rows of data hold where outputs visit some of n places.
func formatOfVisits(n int, noun string) string {
	return fmt.Sprintf("%s are whole numbers 0..%d, and −1 pads short rows at the right", plural(noun), n-1)
}

// readVisits reads the places that a row of data lists, of any width, out of n = len(dst), and pads the list. It does not look whether
// they differ.
func readVisits(dst []int32, row []float64, what, noun string, names Names) error {
	n := len(dst)
	padFrom(dst, 0)
	for i, x := range row {
		v := int32(x)
		if float64(v) != x || v < noPlace || int(v) >= n {
			return wrongNumber(row, i, nil, formatOfVisits(n, noun))
		}
		if i < n {
			dst[i] = v
		} else if v != noPlace {
			whole := make([]int32, len(row))
			wholeTo(whole, row)
			return fault.Value("%s lists more than the %d %s there are; a %s visits each at most once", shownVisits(whole, names), n,
				plural(noun), what)
		}
	}
	return nil
}

// shownVisits returns a list for a message: without its padding, and shortened if it is long.
func shownVisits(y []int32, names Names) string {
	for len(y) > 0 && y[len(y)-1] == noPlace {
		y = y[:len(y)-1]
	}
	return names.list(y)
}

// readCycle reads a cycle that is listed from any place on, and lists it from its smallest place on; where it has no direction,
// eitherWay, so that the second place is smaller than the last.
func readCycle(dst []int32, row []float64, eitherWay bool, names Names) error {
	var few [64]int32
	y := few[:]
	if len(dst) > len(few) {
		y = make([]int32, len(dst))
	}
	y = y[:len(dst)]
	if err := readVisits(y, row, "cycle", "vertex", names); err != nil {
		return err
	}
	return cycleTo(dst, y, eitherWay, names)
}

// cycleTo writes a cycle that is listed from any place on to dst from its smallest place on; where it has no direction, eitherWay, so that
// the second place is smaller than the last.
func cycleTo(dst, y []int32, eitherWay bool, names Names) error {
	k, err := checkVisits(y, len(y), leastCycle, "cycle", "vertex", names)
	if err != nil {
		return err
	}
	first, step := slices.Index(y, slices.Min(y[:k])), 1
	if eitherWay && y[(first+1)%k] > y[(first+k-1)%k] {
		step = k - 1
	}
	for i := range k {
		dst[i] = y[(first+i*step)%k]
	}
	padFrom(dst, k)
	return nil
}

// allVisits lists the padded lists of at least three different places below n whose first is the smallest, in
// lexicographic order of the places, an end before its continuations; or, with anyFirst, of at least two in any order.
// The slice is reused.
func allVisits(n int, anyFirst bool) iter.Seq[[]int32] {
	least := 3
	if anyFirst {
		least = 2
	}
	return func(yield func([]int32) bool) {
		y, used := make([]int32, n), make([]bool, n)
		padFrom(y, 0)
		var extend func(k int) bool
		extend = func(k int) bool {
			if k >= least && !yield(y) {
				return false
			}
			for v := range n {
				if used[v] || k > 0 && !anyFirst && int32(v) < y[0] {
					continue
				}
				y[k], used[v] = int32(v), true
				more := extend(k + 1)
				y[k], used[v] = noPlace, false
				if !more {
					return false
				}
			}
			return true
		}
		extend(0)
	}
}

// sampleVisits fills y with a uniform sequence of k different places, the first ones of a permutation of all, and pads it.
func sampleVisits(y []int32, k int, rng *rand.Rand) {
	combin.Permutation(y, 0, rng)
	padFrom(y, k)
}

// lengthTable tabulates the distribution of the length of a list of places: the cells are n, n−1, …, least with
// probabilities proportional to their weights. These add up to total; that of n is largest, and step turns the weight of
// k in place into that of k−1. Long lists dominate, so that the table is short.
func lengthTable(n, least int, total, largest *big.Int, step func(weight *big.Int, k int)) *combin.Table {
	return combin.NewTable(combin.Weighted(func(yield func(*big.Int) bool) {
		weight := new(big.Int).Set(largest)
		for k := n; k >= least && yield(weight); k-- {
			if k > least {
				step(weight, k)
			}
		}
	}, total))
}

// tourSpace is what spaces have whose outputs are the tours of a problem of package tours.
type tourSpace interface {
	PartLen() int
	FeatureLen() int
	String() string
	// problem returns the number of vertices, whether all tours visit vertex 0, and whether a tour and its reverse show the same output.
	problem() (n int, anchored, eitherWay bool)
	workspaces() *pool[tourWorkspace]
	// weigh writes what going from one vertex to another earns to a matrix, by rows.
	weigh(gain []float64, score Scores)
	// average writes the mean of ψ, given the probabilities of the steps of a tour.
	average(mean, steps []float64)
	// show writes a tour, the smallest vertex first, as an output.
	show(dst, tour []int32)
}

// tourWorkspace is one problem of package tours and its solution.
type tourWorkspace struct {
	tours.Workspace
	tour []int32
}

// beginTour loads the problem of the best output within a mask, nil where there is none. After use the workspace goes back to its pool.
func beginTour[S tourSpace](s S, within *tours.Mask, dst []int32, score Scores) *tourWorkspace {
	mustLen("dst", len(dst), s.PartLen())
	mustScores(score, s.FeatureLen())
	n, anchored, _ := s.problem()
	w := s.workspaces().get()
	w.tour = slicex.Grow(w.tour, n)
	s.weigh(w.Reset(n, anchored), score)
	if within != nil {
		w.Restrict(within)
	}
	return w
}

// decodeTour decodes exactly.
func decodeTour[S tourSpace](s S, within *tours.Mask, dst []int32, score Scores) (Certificate, error) {
	w := beginTour(s, within, dst, score)
	defer s.workspaces().put(w)
	k, err := w.Exact(w.tour)
	if err != nil {
		return Certificate{}, tourError(err)
	}
	s.show(dst, w.tour[:k])
	return proven(w.Value(w.tour[:k])), nil
}

// tourLimit returns the error of an exact decoder beyond its size. what names the structures and their size.
func tourLimit(what string, n, limit int) error {
	return &LimitError{
		What:         "exact decoding of " + what,
		Size:         n,
		Limit:        limit,
		Alternatives: "take decoder='auto' to decode by search instead, which says how far from the best it may be",
	}
}

// tourSearch is Start or Search of the workspace.
type tourSearch func(w *tours.Workspace, tour []int32, poll func() error) (int, error)

// improveTour decodes by a search. What some poor tour earns is asked for its certificate unless there is a mask.
func improveTour[S tourSpace](s S, within *tours.Mask, find tourSearch, dst []int32, score Scores, poll func() error) (Certificate, error) {
	w := beginTour(s, within, dst, score)
	defer s.workspaces().put(w)
	k, err := find(&w.Workspace, w.tour, poll)
	if err != nil {
		return Certificate{}, tourError(err)
	}
	s.show(dst, w.tour[:k])
	value, bound := w.Value(w.tour[:k]), w.Bound()
	switch {
	case value >= bound:
		return proven(value), nil
	case within != nil: // the least that one earns within it is not known
		return Certificate{Value: value, UpperBound: bound, Nu: 1}, nil
	}
	return certify(value, bound, w.Low()), nil
}

// tourError returns an error of package tours as one of this package.
func tourError(err error) error {
	switch {
	case errors.Is(err, tours.ErrNone):
		return ErrNone
	case errors.Is(err, tours.ErrNotFound):
		return ErrUnmet
	}
	return err
}

// certify returns the certificate of a tour that was found without proof. What some other tour earns bounds the minimum
// from above, so the guarantee holds with the share of the way from there to the bound that is left.
func certify(value, bound, low float64) Certificate {
	return Certificate{Value: value, UpperBound: bound, Nu: (bound - value) / (bound - min(low, value))}
}

// rotate moves the first i entries of a list behind the others.
func rotate(list []int32, i int) {
	slices.Reverse(list[:i])
	slices.Reverse(list[i:])
	slices.Reverse(list)
}

// anyPlace stands for a start or an end that is not prescribed.
const anyPlace = -1

// keepsVisits: the items of a mask are places, and its size bounds the number of those that are visited.
func keepsVisits(m *Mask, places []int32) bool {
	if !m.Size.has(len(places)) {
		return false
	}
	for v, x := range m.Items {
		if x != 0 && slices.Contains(places, int32(v)) != (x > 0) {
			return false
		}
	}
	return true
}
