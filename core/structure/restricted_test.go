package structure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// restrictedSpaces are spaces that hold some of the outputs of others.
var restrictedSpaces = []struct {
	name        string
	base, rules Args
}{
	{"cycles", sized("n", 5), sized("n", 5, "start", 1)},
	{"cycles", sized("n", 5), Args{Scalars: map[string]int64{"n": 5}, Ints: []int32{0, 1, 0, -1, 0}}},
	{"directedcycles", sized("n", 5), sized("n", 5, "start", 1, "length", 3)},
	{"routes", sized("n", 4), sized("n", 4, "end", 2)},
	{"cliques", sized("n", 5), sized("n", 5, "size", 3)},
	{"cliques", sized("n", 5), Args{Scalars: map[string]int64{"n": 5}, Ints: []int32{0, 1, 0, -1, 0}}},
	{"subtrees", tree(-1, 0, 0, 1), tree(-1, 0, 0, 1, "size", 2)},
	{"labelsets", sized("n", 5), sized("n", 5, "size", 2)},
	{"graphs", sized("n", 4), sized("n", 4, "property", 1)},
	{"graphs", sized("n", 4), sized("n", 4, "property", 2)},
}

// sized returns parameters that are scalars: names and values in turn.
func sized(values ...any) Args {
	a := Args{Scalars: map[string]int64{}}
	for i := 0; i < len(values); i += 2 {
		a.Scalars[values[i].(string)] = int64(values[i+1].(int))
	}
	return a
}

// tree returns the parameters of subtrees: the parents of four nodes, and scalars.
func tree(a, b, c, d int32, values ...any) Args {
	args := sized(append([]any{"n", 4}, values...)...)
	args.Ints = []int32{a, b, c, d}
	return args
}

// TestRestrictedSpacesKeepWhatTheirBaseCan: rows of data are read alike and entries of ψ have the same names in the space of some outputs
// as in that of all. What depends on the number of outputs, such as moments, is not kept.
func TestRestrictedSpacesKeepWhatTheirBaseCan(t *testing.T) {
	for i, c := range restrictedSpaces {
		t.Run(fmt.Sprint(i, c.name), func(t *testing.T) {
			base, err := New(c.name, c.base)
			if err != nil {
				t.Fatal(err)
			}
			some, err := New(c.name, c.rules)
			if err != nil {
				t.Fatal(err)
			}
			keeps[fmt.Stringer](t, base, some)
			keeps[Reader](t, base, some)
			keeps[PartialEmbedder](t, base, some)
			keeps[Enumerator](t, base, some)
			keeps[Decoder](t, base, some)
			keepsTexts(t, base, some)
			keepsReading(t, base, some)
		})
	}
}

// keeps requires a capability of the restricted space that the base has.
func keeps[Capability any](t *testing.T, base, some Space) {
	t.Helper()
	_, had := base.(Capability)
	if _, has := some.(Capability); had && !has {
		t.Errorf("%v is no %T, which %v is", some, (*Capability)(nil), base)
	}
}

func keepsTexts(t *testing.T, base, some Space) {
	t.Helper()
	if got, want := FormatOf(some), FormatOf(base); got != want {
		t.Errorf("rows: %q, want %q", got, want)
	}
	if got, want := slices.Collect(NamesOf(some)), slices.Collect(NamesOf(base)); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	got, want := some.Facts().Cells, base.Facts().Cells
	if got.Kind != want.Kind || got.Items != want.Items {
		t.Errorf("cells %q of %d items, want %q of %d", got.Kind, got.Items, want.Kind, want.Items)
	}
}

// keepsReading tries lists of up to four numbers, and rows that are as wide as an output, among which are all outputs.
func keepsReading(t *testing.T, base, some Space) {
	t.Helper()
	var rows [][]float64
	for width := range 12 {
		if got, want := Reads(some, width), Reads(base, width); got != want {
			t.Fatalf("reads %d numbers: %t, want %t", width, got, want)
		}
	}
	var longer func(row []float64)
	longer = func(row []float64) {
		if Reads(base, len(row)) {
			rows = append(rows, slices.Clone(row))
		}
		for v := 0; v < 5 && len(row) < 4; v++ {
			longer(append(row, float64(v)))
		}
	}
	longer(nil)
	for y := range base.(Enumerator).All() {
		row := make([]float64, len(y))
		for i, v := range y {
			row[i] = float64(v)
		}
		rows = append(rows, row)
	}
	read, members := make([]int32, base.PartLen()), 0
	again := make([]int32, base.PartLen())
	for _, row := range rows {
		err := ReadTo(base, read, row)
		if err == nil {
			err = some.Check(read)
		}
		switch got := ReadTo(some, again, row); {
		case (got == nil) != (err == nil):
			t.Fatalf("%v: %v, want %v", row, got, err)
		case got != nil && got.Error() != err.Error():
			t.Fatalf("%v: %q, want %q", row, got, err)
		case got == nil && !slices.Equal(read, again):
			t.Fatalf("%v is read as %v, want %v", row, again, read)
		case got == nil:
			members++
		}
	}
	if members == 0 || members == len(rows) {
		t.Fatalf("%d of %d rows show outputs", members, len(rows))
	}
}

// TestMasksOnlyHoldWhatSpacesKnow: what a mask says of things that a space does not have is refused, not passed over.
func TestMasksOnlyHoldWhatSpacesKnow(t *testing.T) {
	with := func(change func(*Mask)) Mask {
		m := NewMask()
		change(&m)
		return m
	}
	third := []int8{0, 0, 1, 0}
	for _, c := range []struct {
		name string
		args Args
		mask Mask
		want string // empty: it is known
	}{
		{"labelsets", sized("n", 4), with(func(m *Mask) { m.Size.Most = 2 }), ""},
		{"labelsets", sized("n", 4), with(func(m *Mask) { m.Items = third }), "beside the entries"},
		{"labelsets", sized("n", 4), with(func(m *Mask) { m.Start = 1 }), "a start and an end"},
		{"labelsets", sized("n", 4), Mask{}, "a start and an end"}, // no mask that is made by hand passes for one of size 0
		{"subtrees", tree(-1, 0, 0, 1), with(func(m *Mask) { m.Items = third }), "beside the entries"},
		{"cliques", sized("n", 4), with(func(m *Mask) { m.Items = third }), ""},
		{"cliques", sized("n", 4), with(func(m *Mask) { m.End = 1 }), "a start and an end"},
		{"cycles", sized("n", 4), with(func(m *Mask) { m.Items = third }), ""},
		{"cycles", sized("n", 4), with(func(m *Mask) { m.Start = 1 }), "a start and an end"},
		{"routes", sized("n", 4), with(func(m *Mask) { m.Start = 3 }), ""},
		{"routes", sized("n", 4), with(func(m *Mask) { m.Start = 4 }), "from 0 to 3"},
		{"routes", sized("n", 4), with(func(m *Mask) { m.End = -2 }), "from 0 to 3"},
		{"permutations", sized("n", 4), with(func(m *Mask) { m.Size.Least = 1 }), "a size, members or ends"},
	} {
		space, err := New(c.name, c.args)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Within(space, c.mask)
		_, lacks := errors.AsType[*CapabilityError](err)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) ||
			lacks == strings.HasPrefix(c.want, "from") && err != nil {
			t.Errorf("%s under %+v: the error is %v, want %q", c.name, c.mask, err, c.want)
		}
	}
}

// TestNoSizeIsNegative: a mask that bounds sizes below 0 leaves nothing, and is not taken for one without a bound.
func TestNoSizeIsNegative(t *testing.T) {
	path := Args{Scalars: map[string]int64{"vertices": 2, "arcs": 1, "source": 0, "target": 1}, Ints: []int32{0, 1}}
	for name, args := range slicex.InOrder(map[string]Args{
		"labelsets": sized("n", 4), "cliques": sized("n", 4), "subtrees": tree(-1, 0, 0, 1), "cycles": sized("n", 4),
		"directedcycles": sized("n", 4), "routes": sized("n", 4), "paths": path,
	}) {
		space, err := New(name, args)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []Range{{-5, -3}, {-1, -1}} {
			mask := NewMask()
			mask.Size = size
			if _, err := Within(space, mask); !errors.Is(err, ErrNone) {
				t.Errorf("%s of %d to %d: %v", name, size.Least, size.Most, err)
			}
		}
	}
}

// TestPartsOfParts: conditions on a part of a space are added to its own, and bounds that contradict these leave nothing.
func TestPartsOfParts(t *testing.T) {
	for _, c := range []struct {
		name       string
		rules      Args
		more       Condition
		want, left string // why there is none, or the outputs
	}{
		{"routes", sized("n", 3, "start", 1), Condition{StartKey, 2, Alone}, "two starts or two ends, 1 and 2", ""},
		{"routes", sized("n", 3, "start", 1), Condition{EndKey, 2, Alone}, "", "[[1 0 2] [1 2 -1]]"},
		{"routes", sized("n", 3, "length", 2), Condition{LengthKey, 3, Alone}, "leave no size", ""},
		{"cliques", Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{0, 1, 0}}, Condition{ForbiddenKey, 1, Alone},
			"require and forbid number 1", ""},
		{"cliques", Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{0, 1, 0}}, Condition{ForbiddenKey, 2, Alone}, "",
			"[[0 1 0] [1 1 0]]"},
	} {
		part := mustNew(t, c.name, examples.Args(c.rules))
		r, err := part.(Restricter).Restrict()([]Condition{c.more})
		if err != nil {
			t.Fatal(err)
		}
		both, err := r.Within(part)
		if c.want != "" {
			if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v under %+v: %v, want %q", part, c.more, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var all [][]int32
		for y := range both.(Enumerator).All() {
			all = append(all, slices.Clone(y))
		}
		if got := fmt.Sprint(all); got != c.left {
			t.Errorf("%v under %+v has %s, want %s", part, c.more, got, c.left)
		}
	}
}

// TestRestrictionsKeepTheirEngine: the part of a space that conditions leave can do what that of their mask can.
func TestRestrictionsKeepTheirEngine(t *testing.T) {
	edges := []int32{0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3}
	for _, c := range []struct {
		name string
		args Args
	}{
		{"assignments", sized("n", 4)},
		{"spanningtrees", Args{Scalars: map[string]int64{"n": 4}, Ints: edges}},
		{"graphs", sized("n", 4)},
		{"graphs", sized("n", 4, "property", 1)},
		{"graphs", sized("n", 4, "property", 2)},
		{"graphs", sized("n", 9, "property", 3)},
	} {
		space, err := New(c.name, c.args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := space.(Restricter).Restrict()([]Condition{{RequiredKey, 0, 1}, {ForbiddenKey, 2, 3}})
		if err != nil {
			t.Fatal(err)
		}
		part, err := r.Within(space)
		if err != nil {
			t.Fatal(err)
		}
		masked, err := Within(space, r.Mask)
		if err != nil {
			t.Fatal(err)
		}
		keeps[Searcher](t, masked, part)
		keeps[Enumerator](t, masked, part)
		keeps[Searcher](t, part, masked)
		keeps[Enumerator](t, part, masked)
		if got, want := part.(Counter).Count(), masked.(Counter).Count(); got != nil && (want == nil || got.Cmp(want) != 0) {
			t.Errorf("%v has %v outputs, want %v", part, got, want)
		}
		less := NewMask()
		less.Limit(space.FeatureLen(), space.FeatureLen()-2, Zero)
		some, err := Within(space, less)
		if err != nil {
			t.Fatal(err)
		}
		both, err := r.Within(some)
		if err != nil {
			t.Fatal(err)
		}
		psi := make([]float64, space.FeatureLen())
		y := make([]int32, space.PartLen())
		if _, err := both.(Decoder).Decode(y, Scores{Linear: slices.Repeat([]float64{1}, len(psi))}); err != nil {
			t.Fatal(err)
		}
		if both.Embed(psi, y); !less.Allows(psi) || !r.Mask.Allows(psi) {
			t.Errorf("%v under both masks has %v", space, psi)
		}
	}
}
