package structure

import (
	"fmt"
	"slices"

	"combpred/core/fault"
)

// visitTerms are the keys of cycles and routes: what they visit, and what a row is called.
func visitTerms(of, what string) []Term {
	return []Term{
		{Key: StartKey, Form: One, Of: of},
		{Key: EndKey, Form: One, Of: of},
		{Key: LengthKey, Form: Count, Of: of + " that a " + what + " visits"},
		{Key: RequiredKey, Form: Mixed, Of: of},
		{Key: ForbiddenKey, Form: Mixed, Of: of},
	}
}

var (
	cycleTerms = visitTerms("vertices", "cycle")
	routeTerms = visitTerms("places", "route")
)

var (
	_ Restricter = cycles{}
	_ Restricter = directedCycles{}
	_ Restricter = routes{}
)

// visitConditions are those on cycles or routes.
type visitConditions struct {
	n             int
	what, noun    string // such as "route" and "place"
	start, end    int    // −1: any
	length        Range
	used, unused  [][2]int
	must, mustNot []int // places, the former with the ends and those of required steps
	names         Names
}

// readVisitConditions checks conditions on lists of at least so many of n places against one another. Steps that have no direction,
// eitherWay, come back with the smaller place first.
func readVisitConditions(terms []Term, conditions []Condition, n, least int, what, noun string, eitherWay bool,
	names Names) (v visitConditions, err error) {
	h, err := readConditions(terms, conditions, n, least, names)
	if err != nil {
		return v, err
	}
	v = visitConditions{n, what, noun, h.one(StartKey), h.one(EndKey), h.size(LengthKey), h[RequiredKey].pairs, h[ForbiddenKey].pairs,
		slices.Clone(h[RequiredKey].alone), h[ForbiddenKey].alone, names}
	for _, key := range [2]Key{RequiredKey, ForbiddenKey} {
		for _, s := range h[key].pairs {
			if s[0] == s[1] {
				return v, fault.Value("'%v' holds %s, a step from a %s to itself; leave it out", key, names.pair(s[0], s[1]), noun)
			}
		}
	}
	if v.start >= 0 && v.start == v.end {
		return v, fault.Value("'start' and 'end' are both %s %s; a %s visits each %s once: change one of them", noun,
			names.of(v.start), what, noun)
	}
	for _, end := range [2]int{v.start, v.end} {
		if end >= 0 {
			v.must = append(v.must, end)
		}
	}
	for _, s := range v.used {
		v.must = append(v.must, s[0], s[1])
	}
	v.must = sortedOnce(v.must)
	if at, both := common(v.must, v.mustNot); both {
		key := RequiredKey
		switch at {
		case v.start:
			key = StartKey
		case v.end:
			key = EndKey
		}
		return v, fault.Value("%s %s is forbidden and, by '%v', visited; %s", noun, names.of(at), key, dropOne)
	}
	step := "step"
	if eitherWay {
		step = "edge"
		v.used, v.unused = upwards(v.used), upwards(v.unused)
	}
	if s, both := common(v.used, v.unused); both {
		return v, fault.Value("the %s %s is required and forbidden; %s", step, names.pair(s[0], s[1]), dropOne)
	}
	return v, v.checkNumber(least)
}

// checkNumber returns an error if too few places are left, or more are required than there may be.
func (v *visitConditions) checkNumber(least int) error {
	if may, needed := v.n-len(v.mustNot), max(least, v.length.Least); may < needed {
		return fault.Value("'forbidden' leaves %d %s, %d are needed; allow more, or ask for a smaller 'length'", may,
			plural(v.noun), needed)
	}
	if len(v.must) > v.length.Most {
		return fault.Value("'length' is %d at most, but %d %s must be visited; ask for fewer, or for a larger 'length'",
			v.length.Most, len(v.must), plural(v.noun))
	}
	return nil
}

// upwards returns steps from the smaller to the larger place, each once.
func upwards(steps [][2]int) [][2]int {
	up := make([][2]int, len(steps))
	for i, s := range steps {
		up[i] = [2]int{min(s[0], s[1]), max(s[0], s[1])}
	}
	return distinct(up)
}

// excluded returns the forbidden steps, and those that required steps exclude as they leave or enter the same place.
func (v *visitConditions) excluded() ([][2]int, error) {
	all := slices.Clone(v.unused)
	for side, way := range [2]string{"from", "to"} {
		taken := make(map[int]bool, len(v.used))
		for _, s := range v.used {
			at, other := s[side], s[1-side]
			if taken[at] {
				return nil, fault.Value("'required' has two steps %s %s %s; a %s makes at most one", way, v.noun, v.names.of(at), v.what)
			}
			taken[at] = true
			for w := range v.n {
				if w == at || w == other {
					continue
				}
				step := [2]int{at, w}
				if side == 1 {
					step = [2]int{w, at}
				}
				all = append(all, step)
			}
		}
	}
	return distinct(all), nil
}

// mask returns the conditions on the number of places, and on what they are.
func (v *visitConditions) mask() Mask {
	m := NewMask()
	m.Size = v.length
	if len(v.must) > 0 || len(v.mustNot) > 0 {
		m.Items = make([]int8, v.n)
		for _, at := range v.must {
			m.Items[at] = 1
		}
		for _, at := range v.mustNot {
			m.Items[at] = -1
		}
	}
	return m
}

// visitParams describes the parameters that restrict a space, all of them optional. The noun is "vertex" or "place".
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

// withinGiven returns the space of those cycles or routes over n places that obey the parameters, which are conditions by other names.
func withinGiven[S interface {
	Space
	Restricter
}](s S, a arguments, n int) (Space, error) {
	var conditions []Condition
	for _, p := range [3]struct {
		name string
		key  Key
		most int
	}{{"start", StartKey, n - 1}, {"end", EndKey, n - 1}, {"length", LengthKey, n}} {
		if _, ok := a.Scalars[p.name]; !ok {
			continue
		}
		x, err := a.IntTo(p.name, int64(p.most))
		if err != nil {
			return nil, err
		}
		if x >= 0 {
			conditions = append(conditions, Condition{p.key, x, Alone})
		}
	}
	if len(a.Ints) > 0 && len(a.Ints) != n {
		return nil, fault.Value("\"fixed\" has %d entries, must have %d", len(a.Ints), n)
	}
	for v, f := range a.Ints {
		switch f {
		case 1:
			conditions = append(conditions, Condition{RequiredKey, v, Alone})
		case -1:
			conditions = append(conditions, Condition{ForbiddenKey, v, Alone})
		case 0:
		default:
			return nil, fault.Value("\"fixed\" is %d at %s, must be -1, 0 or 1", f, a.names().of(v))
		}
	}
	r, err := s.Restrict()(conditions)
	if err != nil {
		return nil, err
	}
	return Within(s, r.Mask)
}
