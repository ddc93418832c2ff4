package structure

import (
	"fmt"
	"slices"

	"combpred/core/fault"
)

// anyPlace stands for a start or an end that is not prescribed.
const anyPlace = -1

// visitRules restrict cycles and routes: where they start and end, how many places they visit, and which ones. Of a
// cycle, start and end are two vertices that it visits, the start following the end.
type visitRules struct {
	start, end int
	length     int     // 0: any
	fixed      []int32 // +1 for places that are visited, −1 for those that are not, 0 for others; nil: all 0
	names      Names   // of the places
}

// visitParams describes the parameters of the rules, all of them optional. The noun is "vertex" or "place".
func visitParams(most int64, noun, start, end string) []Param {
	return []Param{
		{Name: "start", Kind: "int", Least: -1, Most: most - 1, Bound: "n - 1", Optional: true, Doc: start + "; -1 or absent: any"},
		{Name: "end", Kind: "int", Least: -1, Most: most - 1, Bound: "n - 1", Optional: true, Doc: end + "; -1 or absent: any"},
		{Name: "length", Kind: "int", Least: -1, Most: most, Bound: "n", Optional: true,
			Doc: "how many are visited; -1 or absent: any number"},
		{Name: "fixed", Kind: "int32 buffer", Optional: true, Doc: fmt.Sprintf(
			"n entries: 1 for each %s that must be visited, -1 for each that must not, 0 for others; or none: all 0", noun)},
	}
}

// cycleParams are those of both kinds of cycles.
func cycleParams() []Param {
	n := Param{Name: "n", Kind: "int", Least: leastCycle, Most: maxCycleVertices, Doc: "number of vertices",
		Reason: "beyond that the n(n−1)/2 scores of a single cycle take more than a gigabyte"}
	return append([]Param{n}, visitParams(maxCycleVertices, "vertex",
		"a vertex that is visited, behind the end where that is given",
		"a vertex that is visited, before the start where that is given")...)
}

// newVisitRules returns the rules for n places of which at least the given number are visited, or nil where nothing is
// prescribed. Rules that no output meets are an error.
func newVisitRules(a given, n, least int) (*visitRules, error) {
	r := visitRules{start: anyPlace, end: anyPlace, length: -1, names: a.names()}
	scalar := func(name string, dst *int, most int64) error {
		if _, given := a.Scalars[name]; !given {
			return nil
		}
		v, err := a.IntTo(name, most)
		*dst = v
		return err
	}
	if err := scalar("start", &r.start, int64(n-1)); err != nil {
		return nil, err
	}
	if err := scalar("end", &r.end, int64(n-1)); err != nil {
		return nil, err
	}
	if err := scalar("length", &r.length, int64(n)); err != nil {
		return nil, err
	}
	switch {
	case r.length == -1:
		r.length = 0
	case r.length < least:
		return nil, fault.Value("parameter \"length\" is %d, must be at least %d", r.length, least)
	}
	if len(a.Ints) > 0 {
		if len(a.Ints) != n {
			return nil, fault.Value("\"fixed\" has %d entries, must have %d", len(a.Ints), n)
		}
		r.fixed = slices.Clone(a.Ints)
	}
	if r.start == anyPlace && r.end == anyPlace && r.length == 0 && r.fixed == nil {
		return nil, nil
	}
	return &r, r.check(n, least)
}

// check returns an error for rules that contradict themselves or leave too few places.
func (r *visitRules) check(n, least int) error {
	if r.start != anyPlace && r.start == r.end {
		return fault.Value("%s is both the start and the end", r.names.of(r.start))
	}
	required, allowed := 0, n
	for v, f := range r.fixed {
		end := v == r.start || v == r.end
		switch {
		case f < -1 || f > 1:
			return fault.Value("\"fixed\" is %d at %s, must be -1, 0 or 1", f, r.names.of(v))
		case f < 0 && end:
			return fault.Value("%s must be visited, as an end, and must not", r.names.of(v))
		case f < 0:
			allowed--
		case f > 0 && !end:
			required++
		}
	}
	for _, v := range [2]int{r.start, r.end} {
		if v != anyPlace {
			required++
		}
	}
	if needed := max(least, r.length); allowed < needed {
		return fault.Value("%d may be visited, at least %d must be", allowed, needed)
	}
	if r.length > 0 && required > r.length {
		return fault.Value("%d must be visited, only %d may be", required, r.length)
	}
	return nil
}

// admits returns nil if the visited places, in their order, obey the rules, and otherwise says which one they break.
// ends says whether the end is followed by the start, or the list has them at its ends.
func (r *visitRules) admits(places []int32, ends bool) error {
	if r.length > 0 && len(places) != r.length {
		return fault.Value("%d are visited, must be %d", len(places), r.length)
	}
	for v, f := range r.fixed {
		if f != 0 && slices.Contains(places, int32(v)) != (f > 0) {
			return fault.Value("whether %s is visited must be %t", r.names.of(v), f > 0)
		}
	}
	for _, v := range [2]int{r.start, r.end} {
		if v != anyPlace && !slices.Contains(places, int32(v)) {
			return fault.Value("%s is not visited, must be an end", r.names.of(v))
		}
	}
	if !ends {
		return fault.Value("the ends are not %s and %s", r.names.of(r.start), r.names.of(r.end))
	}
	return nil
}
