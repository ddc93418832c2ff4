package structure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// listOf returns the outputs of a space as text.
func listOf(space structure.Space) (all []string) {
	for y := range space.(structure.Enumerator).All() {
		all = append(all, fmt.Sprint(y))
	}
	return all
}

// TestRestrictionsAreWhatConditionsMean compares what random conditions come to with the outputs that satisfy them by the definitions
// of their keys, for every structure that takes any.
func TestRestrictionsAreWhatConditionsMean(t *testing.T) {
	met, refused, listed := map[string]int{}, map[string]int{}, 0
	for _, spec := range structure.Catalogue() {
		_, takes := spec.TypicalSpaces()[0].(structure.Restricter)
		if takes != (len(spec.Conditions) > 0) {
			t.Errorf("%s: takes conditions: %t, has keys %v", spec.Name, takes, spec.Conditions)
		}
		if !takes {
			continue
		}
		for args, space := range structuretest.SmallOf(t, spec) {
			restricter, takes := space.(structure.Restricter)
			if !takes {
				continue // with these parameters
			}
			restrict := restricter.Restrict()
			rng := rand.New(rand.NewPCG(3, uint64(space.PartLen())))
			for range 60 {
				conditions := structuretest.RandomConditions(spec, args, space, rng)
				var want []string
				for y := range space.All() {
					if structuretest.Satisfies(spec.Name, args, space, y, conditions) {
						want = append(want, fmt.Sprint(y))
					}
				}
				r, err := restrict(conditions)
				if err != nil {
					refused[spec.Name]++
					if len(want) > 0 {
						t.Fatalf("%s: %v are refused, %v satisfies them: %v", structure.Describe(space), conditions, want[0], err)
					}
					continue
				}
				inner, err := structure.Within(space, r.Mask)
				if err != nil {
					if len(want) > 0 || !errors.Is(err, structure.ErrNone) {
						t.Fatalf("%s: %v leave %v: %v", structure.Describe(space), conditions, want, err)
					}
					continue
				}
				if got := listOf(inner); !slices.Equal(got, want) {
					t.Fatalf("%s: %v leave %v, want %v", structure.Describe(space), conditions, got, want)
				}
				if len(want) > 0 {
					met[spec.Name]++
				}
				if r.List != nil {
					listed += checkListing(t, inner, spec.Name, conditions, r)
				}
			}
		}
		if met[spec.Name] < 20 || refused[spec.Name] == 0 {
			t.Errorf("%s: %d conditions are met, %d are refused", spec.Name, met[spec.Name], refused[spec.Name])
		}
	}
	if listed < 100 {
		t.Errorf("%d cycles are listed in another way", listed)
	}
}

// checkListing checks that cycles are listed from their start to their end, with the smaller neighbour where there is a choice, and says
// how many there are.
func checkListing(t *testing.T, inner structure.Space, name string, conditions []structure.Condition, r structure.Restriction) (n int) {
	t.Helper()
	start, end := -1, -1
	for _, c := range conditions {
		switch c.Key {
		case structure.StartKey:
			start = c.U
		case structure.EndKey:
			end = c.U
		}
	}
	for y := range inner.(structure.Enumerator).All() {
		k := slices.Index(y, -1)
		if k < 0 {
			k = len(y)
		}
		if inner.Check(y) != nil {
			t.Fatal(y)
		}
		cycle := slices.Clone(y)
		r.List(cycle)
		again := make([]int32, len(y))
		row := make([]float64, len(y))
		for i, v := range cycle {
			row[i] = float64(v)
		}
		if err := inner.(structure.Reader).Read(again, row); err != nil || !slices.Equal(again, y) {
			t.Fatalf("%v is listed as %v: %v", y, cycle, err)
		}
		if start >= 0 && int(cycle[0]) != start || end >= 0 && int(cycle[k-1]) != end {
			t.Fatalf("%v is listed as %v from %d to %d", y, cycle, start, end)
		}
		if name == "cycles" && (start < 0 && cycle[0] > cycle[k-2] || end < 0 && cycle[1] > cycle[k-1]) {
			t.Fatalf("%v is listed as %v, the other way round", y, cycle)
		}
		n++
	}
	return n
}

// TestIllegalConditions: messages name the key and the remedy.
func TestIllegalConditions(t *testing.T) {
	const alone = structure.Alone
	type conditions = []structure.Condition
	for _, c := range []struct {
		name  string
		given conditions
		want  string
	}{
		{"permutations", conditions{{Key: structure.StartKey, V: alone}}, "takes no key 'start'; its keys are 'first', 'last', 'before'"},
		{"permutations", conditions{{Key: 99, V: alone}}, "takes no key number 99"},
		{"permutations", conditions{{Key: structure.FirstKey, U: 1, V: alone}, {Key: structure.FirstKey, U: 2, V: alone}},
			"'first' holds 1 and 2; it takes one"},
		{"permutations", conditions{{Key: structure.FirstKey, U: 1, V: 2}}, "'first' holds the pair (1, 2); it takes single numbers"},
		{"permutations", conditions{{Key: structure.BeforeKey, U: 1, V: alone}}, "'before' holds 1 alone; it takes pairs"},
		{"permutations", conditions{{Key: structure.BeforeKey, U: 1, V: 4}}, "'before' holds 4; labels are whole numbers 0..3"},
		{"permutations", conditions{{Key: structure.BeforeKey, U: 1, V: -2}}, "'before' holds -2; labels"},
		{"permutations", conditions{{Key: structure.BeforeKey, U: 1, V: 1}}, "a label before itself; leave it out"},
		{"weakorders", conditions{{Key: structure.FirstKey, U: 4, V: alone}}, "'first' holds 4; labels are whole numbers 0..3"},
		{"labelsets", conditions{{Key: structure.SizeKey, U: 5, V: alone}}, "'size' is 5; it is the number of labels, 0..4"},
		{"assignments", conditions{{Key: structure.RequiredKey, U: 1, V: 4}}, "'required' holds 4; columns are whole numbers 0..3"},
		{"cycles", conditions{{Key: structure.LengthKey, U: 2, V: alone}}, "it is the number of vertices that a cycle visits, 3..4"},
		{"routes", conditions{{Key: structure.ForbiddenKey, U: 2, V: 2}}, "'forbidden' holds (2, 2), a step from a place to itself"},
		{"graphs", conditions{{Key: structure.RequiredKey, U: 2, V: 2}},
			"'required' holds (2, 2), which is no edge of the graph; leave it out"},
	} {
		space, err := structure.New(c.name, structure.Args{Scalars: map[string]int64{"n": 4}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = space.(structure.Restricter).Restrict()(c.given)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: %v, want %q", c.name, c.given, err, c.want)
		}
	}
	for i, k := range structure.Keys() {
		if int(k) != i || k.String() == "" {
			t.Errorf("key %d is %v", i, k)
		}
	}
}

func TestTermsSayWhatTheyTake(t *testing.T) {
	for _, c := range []struct {
		want string
		term structure.Term
	}{
		{"one of the labels", structure.Term{Form: structure.One, Of: "labels"}},
		{"(least, most), or a number of vertices", structure.Term{Form: structure.Count, Of: "vertices"}},
		{"a list of pairs of items and columns", structure.Term{Form: structure.Pairs, Of: "items", Second: "columns"}},
		{"a list, single ones and pairs, of places", structure.Term{Form: structure.Mixed, Of: "places"}},
	} {
		if got := c.term.Takes(); got != c.want {
			t.Errorf("a term takes %q, want %q", got, c.want)
		}
	}
}
