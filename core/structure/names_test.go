package structure_test

import (
	"slices"
	"strings"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
)

// drinks are names of three items.
var drinks = []string{"tea", "milk", "juice"}

func named(t *testing.T, name string, names []string, ints ...int32) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": 3}, Ints: ints, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestMessagesCallItemsByTheirNames: in checks, rows of data, conditions and parameters.
func TestMessagesCallItemsByTheirNames(t *testing.T) {
	check := func(name string, y ...int32) error { return named(t, name, drinks).Check(y) }
	read := func(name string, row ...float64) error {
		space := named(t, name, drinks)
		return structure.ReadTo(space, make([]int32, space.PartLen()), row)
	}
	restrict := func(space structure.Space, conditions ...structure.Condition) error {
		_, err := space.(structure.Restricter).Restrict()(conditions)
		return err
	}
	build := func(name string, ints ...int32) error {
		_, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": 3}, Ints: ints, Names: drinks})
		return err
	}
	single := func(k structure.Key, v int) structure.Condition {
		return structure.Condition{Key: k, U: v, V: structure.Alone}
	}
	pair := func(k structure.Key, u, v int) structure.Condition { return structure.Condition{Key: k, U: u, V: v} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{check("permutations", 1, 2, 1), `labels "tea" and "juice" share position 1`},
		{check("permutations", 1, 2, 9), `found 9 in column "juice"; positions`},
		{check("labelsets", 0, 2, 1), `found 2 in column "milk"; label sets`},
		{check("assignments", 0, 0, 1), `items "tea" and "milk" share a column in [0, 0, 1]`},
		{check("routes", 1, 1, -1), `["milk", "milk"] visits place "milk" twice`},
		{check("cycles", 0, 2, 1), `goes on with vertex "juice" and ends with "milk"`},
		{check("partialorders", 1, 0, 1), `"tea" is before "milk" and "milk" before "juice", but "tea" is not before "juice"`},
		{check("graphs", 1, 2, 0), `found 2 in column "tea-juice"; edge sets`},
		{read("graphs", 1, 0, 0.5), `found 0.5 in column "milk-juice"; edge sets`},
		{named(t, "spanningtrees", drinks, 0, 1, 0, 2, 1, 2).Check([]int32{1, 1, 2}), `found 2 in column "milk-juice"; edge sets`},
		{check("partialorders", 1, 3, 0), `found 3 in column "tea before juice"; a pair`},
		{read("tournaments", 1, 1, 0.5), `found 0.5 in column "milk before juice"; a pair`},
		{read("weakorders", 1, -2, 1), `found -2 in column "milk"; positions`},
		{read("permutations", 1, 1.5, 2), `found 1.5 in column "milk"; positions`},
		{read("tournaments", 0, 1, 0, 1, 0, 0, 0, 0, 0), `items "tea" and "milk" are each before the other`},
		{restrict(named(t, "permutations", drinks), single(structure.FirstKey, 1), single(structure.LastKey, 1)),
			`label "milk" is 'first' and 'last'`},
		{restrict(named(t, "permutations", drinks), pair(structure.BeforeKey, 0, 1), pair(structure.BeforeKey, 1, 0)),
			`'before' has a cycle, label "tea" before label "milk" before label "tea"`},
		{restrict(named(t, "weakorders", drinks), single(structure.FirstKey, 0), single(structure.FirstKey, 2)),
			`'first' holds "tea" and "juice"; it takes one number`},
		{restrict(named(t, "permutations", drinks), single(structure.FirstKey, 3)), "'first' holds 3; labels are whole numbers 0..2"},
		{restrict(named(t, "labelsets", drinks), single(structure.RequiredKey, 2), single(structure.ForbiddenKey, 2)),
			`label "juice" is required and forbidden`},
		{restrict(named(t, "cycles", drinks), single(structure.StartKey, 0), single(structure.EndKey, 0)),
			`'start' and 'end' are both vertex "tea"`},
		{restrict(named(t, "graphs", drinks, 0, 1), pair(structure.RequiredKey, 0, 2)),
			`'required' holds ("tea", "juice"), which is no edge`},
		{restrict(named(t, "assignments", append(drinks, "a", "b", "c")), pair(structure.RequiredKey, 0, 1),
			pair(structure.RequiredKey, 0, 2)), `'required' holds ("tea", "b") and ("tea", "c"), two columns of one item`},
		{named(t, "hierarchy", drinks, -1, 0, 0, 0, 1, 1).Check([]int32{0}),
			`node "tea" is not allowed; change what is allowed, or drop the row (allowed are node "milk", node "juice")`},
		{named(t, "subtrees", drinks, -1, 0, 1).Check([]int32{1, 0, 1}), `node "juice" is in, its parent, node "milk", is not`},
		{build("subtrees", -1, -1, 0), `nodes "tea" and "milk" both have no parent`},
		{build("graphs", 0, 1, 1, 0), `edges[1] is ("milk", "tea"), which is the reverse of edges[0]`},
		{build("spanningtrees", 0, 1), `no path joins the vertices "tea" and "juice"`},
		{build("posetelements", 1, 0, 0, 0, 0, 0, 0, 0, 1), `not reflexive: element "milk" is not`},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("the error is %v, must say %q", c.err, c.want)
		}
	}
}

// TestEntriesAreCalledByTheNamesOfItems: what ψ stands for is said in the words of the caller.
func TestEntriesAreCalledByTheNamesOfItems(t *testing.T) {
	for _, c := range []struct {
		space structure.Space
		want  string
	}{
		{named(t, "permutations", drinks), "tea before milk, tea before juice, milk before juice"},
		{named(t, "labelsets", drinks), "tea, milk, juice"},
		{named(t, "labelsets", nil), "label0, label1, label2"},
		{named(t, "labelsets", drinks, 1, 0, 0, 0, 1, 1), "tea, milk, juice"},
		{named(t, "graphs", drinks, 1, 2), "milk-juice"},
		{named(t, "ordinal", drinks), ">=tea, >=milk, >=juice"},
		{named(t, "multiclass", drinks), "tea, milk, juice"},
		{named(t, "cycles", drinks), "tea-milk, tea-juice, milk-juice"},
		{named(t, "hierarchy", drinks, -1, 0, 0, 1, 1, 1), "tea, milk, juice"},
		{named(t, "assignments", append(drinks, "a", "b", "c")), "tea to a, tea to b, tea to c, milk to a, " +
			"milk to b, milk to c, juice to a, juice to b, juice to c"},
		{named(t, "assignments", drinks),
			"tea to 0, tea to 1, tea to 2, milk to 0, milk to 1, milk to 2, juice to 0, juice to 1, juice to 2"},
		{named(t, "routes", drinks), "tea->milk, tea->juice, milk->tea, milk->juice, juice->tea, juice->milk, " +
			"start tea, start milk, start juice, end tea, end milk, end juice"},
	} {
		if got := strings.Join(slices.Collect(structure.NamesOf(c.space)), ", "); got != c.want {
			t.Errorf("%s: the entries of ψ are %s, must be %s", structure.Describe(c.space), got, c.want)
		}
	}
}

func TestNamesAreOneForEachItem(t *testing.T) {
	for want, names := range slicex.InOrder(map[string][]string{
		"there are 2 names for 3 items":  {"tea", "milk"},
		"there are 6 names for 3 items":  {"a", "b", "c", "d", "e", "f"},
		`two items have the name "milk"`: {"milk", "tea", "milk"},
	}) {
		_, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}, Names: names})
		if err == nil || err.Error() != want {
			t.Errorf("the error is %v, must be %q", err, want)
		}
	}
	args := structure.Args{Scalars: map[string]int64{"n": 2}, Names: drinks}
	want := "there are 3 names for 2 items, or for as many items and columns"
	if _, err := structure.New("assignments", args); err == nil || err.Error() != want {
		t.Errorf("assignments: the error is %v, must be %q", err, want)
	}
	if _, err := structure.New("custom", structure.Args{Names: drinks}); err == nil || !strings.Contains(err.Error(), "no items") {
		t.Errorf("custom: %v", err)
	}
}
