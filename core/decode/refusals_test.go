package decode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// decodedSpaces yields the small spaces of all structures that decode.
func decodedSpaces(t *testing.T, f func(spec structure.Spec, space structuretest.Listed)) {
	t.Helper()
	spaces := 0
	for _, spec := range structure.Catalogue() {
		for _, space := range structuretest.SmallOf(t, spec) {
			if _, decodes := space.(structure.Decoder); decodes {
				f(spec, space)
				spaces++
			}
		}
	}
	if spaces < 30 {
		t.Errorf("%d spaces", spaces)
	}
}

// firstOf returns ψ of the first output of a space.
func firstOf(space structuretest.Listed) []float64 {
	psi := make([]float64, space.FeatureLen())
	for y := range space.All() {
		space.Embed(psi, y)
		break
	}
	return psi
}

// TestRowsWithoutOutputs: where the conditions of a row leave nothing, met says so of that row, proven, and the others are decoded; where
// they are those of all rows, of all.
func TestRowsWithoutOutputs(t *testing.T) {
	decodedSpaces(t, func(spec structure.Spec, space structuretest.Listed) {
		if space.Facts().General {
			return
		}
		psi := firstOf(space)
		d := len(psi)
		agrees := func(i int) Condition { return Condition{Feature: i, Value: int8(psi[i]), Must: true} }
		last := d - 1
		impossible := []Condition{agrees(last), {Feature: last, Value: int8(psi[last]), Must: false}}
		for _, method := range []Method{Auto, Exact} {
			rows := Restricted{First: []int{0, 1, 3, 3}, All: append([]Condition{agrees(0)}, impossible...)}
			dst, certs, met := make([]int32, 3*space.PartLen()), make([]structure.Certificate, 3), make([]bool, 3)
			err := rows.Batch(structure.OneSpaceLinear(space, gaussian(3, d, 1)), method, dst, certs, met, 1, nil)
			if err != nil || !slices.Equal(met, []bool{true, false, true}) || !certs[1].Optimal {
				t.Errorf("%s: met %v with %+v, error %v", structure.Describe(space), met, certs, err)
			}
			all := Restricted{First: []int{0, 2}, All: impossible}
			err = all.Batch(structure.OneSpaceLinear(space, gaussian(3, d, 1)), method, dst, certs, met, 1, nil)
			if err != nil || slices.Contains(met, true) || !certs[0].Optimal {
				t.Errorf("%s: met %v with %+v, error %v", structure.Describe(space), met, certs, err)
			}
		}
		_, err := structure.Within(space, structure.MaskOf(d, impossible))
		if !errors.Is(err, structure.ErrNone) || fault.KindOf(err) != fault.KindValue {
			t.Errorf("%s: the error is %v", structure.Describe(space), err)
		}
	})
}

// TestIllegalScoresUnderConditions: scores that are no numbers, or too large to add up, are refused with their row, under conditions as
// without them, whether one row has conditions that leave nothing or not.
func TestIllegalScoresUnderConditions(t *testing.T) {
	decodedSpaces(t, func(spec structure.Spec, space structuretest.Listed) {
		if space.Facts().General {
			return
		}
		psi := firstOf(space)
		d := len(psi)
		one := Condition{Feature: d - 1, Value: int8(psi[d-1]), Must: true}
		none := one
		none.Must = false
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
			for _, where := range []string{"linear", "magnitude", "magnitude of all"} {
				linear, magnitude, row := gaussian(3, d, 2), blas64.General{}, 2
				switch where {
				case "linear":
					linear.Data[2*linear.Stride+d-1] = bad
				case "magnitude":
					magnitude = gaussian(3, d, 3)
					magnitude.Data[2*magnitude.Stride+d-1] = bad
				default:
					magnitude, row = gaussian(1, d, 3), fault.NoRow
					magnitude.Data[0] = bad
				}
				for _, r := range []Restricted{{[]int{0, 1}, []Condition{one}}, {[]int{0, 1, 3, 4}, []Condition{one, one, none, one}}} {
					err := r.Batch(structure.OneSpace(space, linear, magnitude), Auto, make([]int32, 3*space.PartLen()), nil, make([]bool, 3), 1, nil)
					if err == nil || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != row {
						t.Errorf("%s: %v in %s is refused by %v", structure.Describe(space), bad, where, err)
					}
				}
			}
		}
	})
}

// TestContradictoryConditionsByKey: what is illegal, and what is required and forbidden at once, is refused with its row where rows have
// conditions of their own, and without one where they share them. All are errors about values.
func TestContradictoryConditionsByKey(t *testing.T) {
	seen := map[string]int{}
	decodedSpaces(t, func(spec structure.Spec, space structuretest.Listed) {
		if _, takes := space.(structure.Restricter); !takes {
			return
		}
		d := space.FeatureLen()
		run := func(k Keyed) error {
			dst, met := make([]int32, 3*space.PartLen()), make([]bool, 3)
			return k.Batch(structure.OneSpaceLinear(space, gaussian(3, d, 4)), Auto, dst, nil, met, 1, nil)
		}
		for what, bad := range slicex.InOrder(illegalConditions(spec, space)) {
			seen[what]++
			for _, c := range []struct {
				keyed Keyed
				row   int
			}{
				{Keyed{[]int{0, 0, len(bad), len(bad)}, bad}, 1},
				{Keyed{[]int{0, len(bad)}, bad}, fault.NoRow},
			} {
				err := run(c.keyed)
				if err == nil || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != c.row {
					t.Errorf("%s: %s, %v, is refused by %v, want row %d", structure.Describe(space), what, bad, err, c.row)
				}
			}
		}
	})
	for what, least := range slicex.InOrder(map[string]int{
		"an unknown key": 20, "a number out of range": 20, "required and forbidden": 8, "two numbers": 8,
	}) {
		if seen[what] < least {
			t.Errorf("%d spaces take %s", seen[what], what)
		}
	}
}

// illegalConditions returns conditions that no output of a space satisfies, by what is wrong with them.
func illegalConditions(spec structure.Spec, space structuretest.Listed) map[string][]structure.Condition {
	all := map[string][]structure.Condition{"an unknown key": {{Key: 99, U: 0, V: structure.Alone}}}
	forms := map[structure.Key]structure.Form{}
	for _, term := range spec.Conditions {
		forms[term.Key] = term.Form
		huge := structure.Condition{Key: term.Key, U: 1 << 30, V: structure.Alone}
		if term.Form == structure.Pairs {
			huge.V = 0
		}
		all["a number out of range"] = []structure.Condition{huge}
		if term.Form == structure.Count {
			all["a range that ends before it begins"] = []structure.Condition{{Key: term.Key, U: 2, V: 1}}
		}
		if term.Form == structure.One && space.PartLen() > 1 {
			all["two numbers"] = []structure.Condition{{Key: term.Key, U: 0, V: structure.Alone}, {Key: term.Key, U: 1, V: structure.Alone}}
		}
	}
	required, takes := forms[structure.RequiredKey]
	if _, both := forms[structure.ForbiddenKey]; !takes || !both {
		return all
	}
	u, v := 0, structure.Alone
	if required == structure.Pairs {
		u, v = 0, 1
		if at := space.Facts().Cells.At; at != nil {
			for u, v = range at {
				break
			}
		}
	}
	all["required and forbidden"] = []structure.Condition{
		{Key: structure.RequiredKey, U: u, V: v}, {Key: structure.ForbiddenKey, U: u, V: v},
	}
	return all
}

// TestEdgesThatContradictEachOther: by key, the rows of conditions that a graph rules out are named as those that are illegal.
func TestEdgesThatContradictEachOther(t *testing.T) {
	triangle := structure.Args{
		Scalars: map[string]int64{"n": 4}, Ints: []int32{0, 1, 1, 2, 2, 0, 2, 3}, Names: []string{"a", "b", "c", "d"},
	}
	with := func(property int64) structure.Args {
		args := triangle
		args.Scalars = map[string]int64{"n": 4, "property": property}
		return args
	}
	pairs := func(k structure.Key, pairs ...[2]int) (all []structure.Condition) {
		for _, p := range pairs {
			all = append(all, structure.Condition{Key: k, U: p[0], V: p[1]})
		}
		return all
	}
	cycle := pairs(structure.RequiredKey, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2})
	for i, c := range []struct {
		name string
		args structure.Args
		bad  []structure.Condition
		want string
	}{
		{"spanningtrees", triangle, cycle, `the required edges ("a", "b"), ("b", "c"), ("c", "a") form a cycle; leave one of them out`},
		{"spanningtrees", triangle, pairs(structure.ForbiddenKey, [2]int{3, 2}),
			`the vertices ["a", "b", "c"] are joined to ["d"] by forbidden edges alone, ("c", "d"); allow one of them`},
		{"graphs", with(1), cycle,
			`the required edges ("b", "c"), ("a", "b"), ("c", "a") form a cycle, which forests rule out; leave one`},
		{"graphs", with(2), pairs(structure.RequiredKey, [2]int{0, 1}, [2]int{2, 1}),
			`the edges ("a", "b"), ("b", "c") are required and share the vertex "b", which matchings rule out; leave one`},
		{"graphs", with(3), cycle,
			`the required edges ("b", "c"), ("a", "b"), ("c", "a") form a cycle of odd length, which bipartite graphs rule out; leave one`},
		{"assignments", structure.Args{Scalars: map[string]int64{"n": 3}, Names: []string{"a", "b", "c", "x", "y", "z"}},
			pairs(structure.RequiredKey, [2]int{1, 0}, [2]int{1, 2}),
			`'required' holds ("b", "x") and ("b", "z"), two columns of one item; leave one out`},
	} {
		t.Run(fmt.Sprint(i, c.name), func(t *testing.T) {
			space, err := structure.New(c.name, c.args)
			if err != nil {
				t.Fatal(err)
			}
			keyed := Keyed{[]int{0, 0, 0, len(c.bad)}, c.bad}
			err = keyed.Batch(structure.OneSpaceLinear(space, gaussian(3, space.FeatureLen(), 5)), Auto, make([]int32, 3*space.PartLen()), nil,
				make([]bool, 3), 1, nil)
			if err == nil || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != 2 ||
				!strings.HasPrefix(fault.TextOf(err), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}
