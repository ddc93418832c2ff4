package structure

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"combpred/core/structure/examples"
)

// rowOfData is a row for a structure.
type rowOfData struct {
	name string
	args examples.Args
	row  []float64
	want any // the encoding, or what the error says
}

func (c rowOfData) check(t *testing.T) {
	t.Helper()
	space := mustNew(t, c.name, c.args)
	if !Reads(space, len(c.row)) {
		t.Errorf("%s takes no rows of %d numbers", c.name, len(c.row))
		return
	}
	got := make([]int32, space.PartLen())
	err := ReadTo(space, got, c.row)
	if want, refused := c.want.(string); refused {
		expectError(t, err, want)
	} else if err != nil || !slices.Equal(got, c.want.([]int32)) {
		t.Errorf("%s: %v becomes %v, want %v, error %v", c.name, c.row, got, c.want, err)
	}
}

// TestRowsOfPositions: rows of data that list positions, grades or vertices become outputs, and wrong ones are refused.
func TestRowsOfPositions(t *testing.T) {
	nan := math.NaN()
	for _, c := range []rowOfData{
		{"permutations", examples.Sized(3), []float64{2, 1, 3}, []int32{2, 1, 3}},
		{"permutations", examples.Sized(3), []float64{2, nan, 3},
			"the position of label 1 is missing (nan); rankings known in part can be learnt from"},
		{"permutations", examples.Sized(3), []float64{2, -1, 3}, "the position of label 1 is missing (-1)"},
		{"permutations", examples.Sized(3), []float64{2, 2.5, 3},
			"found 2.5 in column 1; positions are whole numbers 1..3, 1 for the first"},
		{"permutations", examples.Sized(3), []float64{2, 1, 4}, "found 4 in column 2; positions are"},
		{"permutations", examples.Sized(3), []float64{2, 1, 1e300}, "found 1e+300 in column 2"},
		{"permutations", examples.Sized(3), []float64{2, 1, math.Inf(-1)}, "found -inf in column 2"},
		{"permutations", examples.Sized(3), []float64{0, 0, 1},
			"labels 0 and 1 have position 0 in [0, 0, 1]; positions are whole numbers 1..3, 1 for the first; write -1"},
		{"permutations", examples.Sized(3), []float64{1, 1, 2}, "labels 0 and 1 share position 1 in [1, 1, 2]; rankings have no ties"},
		{"permutations", examples.Sized(3), []float64{3, 3, 1}, "labels 0 and 1 share position 3 in [3, 3, 1]"},
		{"permutations", examples.Sized(3), []float64{0, 1, 2}, "[0, 1, 2] counts positions from 0, they count from 1: add 1"},
		{"permutations", examples.Sized(3), []float64{0, 1, 3},
			"[0, 1, 3] has a position 0; positions are whole numbers 1..3, 1 for the first, each once"},
		{"assignments", examples.Sized(3), []float64{2, 0, 1}, []int32{2, 0, 1}},
		{"assignments", examples.Sized(3), []float64{1, 2, 3}, "[1, 2, 3] counts columns from 1, they count from 0: subtract 1"},
		{"assignments", examples.Sized(3), []float64{1, 2, 1}, "items 0 and 2 share a column in [1, 2, 1]"},
		{"weakorders", examples.Sized(3), []float64{.5, 0, .5}, []int32{2, 1, 2}},
		{"weakorders", examples.Sized(3), []float64{.5, nan, .5},
			"found nan in column 1; positions are finite numbers from 0 on, compared by their order"},
		{"weakorders", examples.Sized(3), []float64{.5, -1, .5}, "found -1 in column 1; positions are finite numbers from 0 on"},
		{"weakorders", examples.Sized(3), []float64{.5, 1, math.Inf(1)}, "found inf in column 2"},
		{"cycles", examples.Sized(4), []float64{3, 0, 1, -1, -1}, []int32{0, 1, 3, -1}},
		{"directedcycles", examples.Sized(4), []float64{3, 0, 1}, []int32{0, 1, 3, -1}},
		{"cycles", examples.Sized(4), []float64{3, 4, 1},
			"found 4 in column 1; vertices are whole numbers 0..3, and −1 pads short rows at the right"},
		{"cycles", examples.Sized(4), []float64{3, 1, 2, 0, 1, -1},
			"[3, 1, 2, 0, 1] lists more than the 4 vertices there are; a cycle visits each at most once"},
		{"routes", examples.Sized(3), []float64{2, 0}, []int32{2, 0, -1}},
		{"routes", examples.Sized(3), []float64{2, nan}, "found nan in column 1; places are"},
		{"routes", examples.Sized(3), []float64{2, -1, 1}, "[2, -1, 1] goes on behind −1"},
		{"routes", examples.Sized(3), []float64{}, "[] visits 0 places; a route visits at least 2: drop the row"},
		{"ordinal", examples.Sized(3), []float64{3}, "found 3; grades are whole numbers 0..2"},
		{"multiclass", examples.Sized(3), []float64{.5}, "found 0.5; classes are whole numbers 0..2"},
	} {
		c.check(t)
	}
}

// TestRowsOfSets is the same for sets, relations and paths.
func TestRowsOfSets(t *testing.T) {
	triangle := []int32{0, 1, 1, 2, 0, 2}
	tree := examples.Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{-1, 0, 1}}
	diamond := [][2]int32{{0, 1}, {1, 3}, {0, 2}, {2, 3}, {0, 3}}
	for _, c := range []rowOfData{
		{"labelsets", examples.Sized(2), []float64{1, .5},
			"found 0.5 in column 1; label sets are 0/1 matrices, 1 where the label belongs to the row"},
		{"cliques", examples.Sized(2), []float64{1, 2}, "found 2 in column 1; cliques are 0/1 matrices"},
		{"subtrees", tree, []float64{1, 0, 1}, "node 2 is in, its parent, node 1, is not; add the ancestors of every node to the row"},
		{"subtrees", tree, []float64{0, 0, 1}, "the root, node 0, is left out; every subtree contains it: set it to 1"},
		{"hierarchy", examples.Hierarchy([]int32{-1, 0, 0}, []int32{0, 1, 1}), []float64{0},
			"node 0 is not allowed; change what is allowed, or drop the row (allowed are node 1, node 2)"},
		{"posetelements", examples.AllowedIn(examples.Poset(3, examples.Divides), 1, 2), []float64{0},
			"element 0 is not allowed; change what is allowed, or drop the row (allowed are element 1, element 2)"},
		{"tournaments", examples.Sized(3), []float64{1, 0, -1}, []int32{1, 0, -1}},
		{"tournaments", examples.Sized(3), []float64{1, 0, 2}, "found 2 in column 2; a pair u < v has +1 where u is before v"},
		{"tournaments", examples.Sized(3), []float64{0, 1, 0, 0, 0, 0, 0, 1, 0}, []int32{1, 0, -1}},
		{"tournaments", examples.Sized(3), []float64{0, 1, 0, 0, 0, 0, 0, 1, 1},
			"item 2 is before itself; the diagonal must be False, and does not count"},
		{"tournaments", examples.Sized(3), []float64{0, 1, 0, 1, 0, 0, 0, 1, 0},
			"items 0 and 1 are each before the other; set one of the two to False"},
		{"tournaments", examples.Sized(3), []float64{0, 1, 0, 0, 0, 0, 3, 1, 0}, "found 3 at (2, 0); matrices hold booleans or 0/1"},
		{"partialorders", examples.Sized(3), []float64{1, 1, 1, 0, 1, 1, 0, 0, 1}, []int32{1, 1, 1}},
		{"partialorders", examples.Sized(3), []float64{1, 1, 1, 0, 0, 1, 0, 0, 1},
			"item 0 is before itself; the diagonal must be all False, or all True, and does not count"},
		{"partialorders", examples.Sized(3), []float64{1, 0, 1}, "0 is before 1 and 1 before 2, but 0 is not before 2; add that pair"},
		{"spanningtrees", examples.Args{Scalars: map[string]int64{"n": 3}, Ints: triangle}, []float64{1, 1, 1},
			"closes a cycle with edges before it; a spanning tree has 2 edges that connect all 3 vertices"},
		{"graphs", examples.Args{Scalars: map[string]int64{"n": 3, "property": 1}, Ints: triangle}, []float64{1, 1, 1},
			"edge 2, (0, 2), closes a cycle with edges before it, and only forests are taken here; leave it out"},
		{"paths", examples.Paths(4, diamond, 0, 3, nil), []float64{0, 1, -1, -1}, []int32{0, 1}},
		{"paths", examples.Paths(4, diamond, 0, 3, nil), []float64{4}, []int32{4, -1}},
		{"paths", examples.Paths(4, diamond, 0, 3, nil), []float64{0, 1, 2},
			"the longest path has 2 arcs; paths list arcs 0..4 in order, and may end in -1"},
		{"paths", examples.Paths(4, diamond, 0, 3, nil), []float64{0, 5}, "found 5 in column 1; paths list arcs 0..4"},
		{"paths", examples.Paths(4, diamond, 0, 3, nil), []float64{0},
			"the path ends at vertex 1, must end at the target, vertex 3; a path lists its arcs in order, from vertex 0 to vertex 3"},
	} {
		c.check(t)
	}
}

func TestRankingsKnownInPart(t *testing.T) {
	nan := math.NaN()
	p := mustNew(t, "permutations", examples.Sized(4)).(PartialEmbedder)
	got := make([]int32, 4)
	for _, c := range []struct {
		row  []float64
		want any
	}{
		{[]float64{2, -1, 4, nan}, []int32{2, 0, 4, 0}},
		{[]float64{2, 1, 4, 3}, []int32{2, 1, 4, 3}},
		{[]float64{nan, nan, nan, nan}, []int32{0, 0, 0, 0}},
		{[]float64{2, -1, 2, 4}, "labels 0 and 2 share position 2, and that of label 1 is unknown"},
		{[]float64{2, nan, 2, 1}, "labels 0 and 2 share position 2, and that of label 1 is unknown"},
		{[]float64{4, 4, 4, 4}, "labels 0 and 1 share position 4 in"},
		{[]float64{4, 4, 2, 4}, []int32{2, 2, 1, 2}},
		{[]float64{1, 1, 2, 2}, "labels 0 and 1 share position 1 in"},
		{[]float64{2, -1, 0, 1}, "found 0 in column 2; positions are whole numbers 1..4, 1 for the first, or -1 where they are unknown"},
		{[]float64{2, -1, 1.5, 1}, "found 1.5 in column 2"},
		{[]float64{0, 1, 2, 3}, "counts positions from 0"},
	} {
		err := p.ReadPartial(got, c.row)
		if want, refused := c.want.(string); refused {
			expectError(t, err, want)
		} else if err != nil || !slices.Equal(got, c.want.([]int32)) {
			t.Errorf("%v becomes %v, want %v, error %v", c.row, got, c.want, err)
		}
	}
}

// TestFeatureNames: names by hand, for each kind of them.
func TestFeatureNames(t *testing.T) {
	for _, c := range []struct {
		name string
		args examples.Args
		want []string
		kind string
	}{
		{"permutations", examples.Sized(3), []string{"0 before 1", "0 before 2", "1 before 2"}, "total order"},
		{"weakorders", examples.Sized(2), []string{"0 before 1", "0 tied with 1"}, "order"},
		{"directedcycles", examples.Sized(3), []string{"0->1", "0->2", "1->2"}, "directions"},
		{"cliques", examples.Sized(3), []string{"0-1", "0-2", "1-2"}, "edges"},
		{"assignments", examples.Sized(2), []string{"0 to 0", "0 to 1", "1 to 0", "1 to 1"}, "cells"},
		{"routes", examples.Sized(2), []string{"0->1", "1->0", "start 0", "start 1", "end 0", "end 1"}, "arcs"},
		{"labelsets", examples.Sized(2), []string{"label0", "label1"}, ""},
		{"multiclass", examples.Sized(2), []string{"0", "1"}, ""},
		{"ordinal", examples.Sized(2), []string{">=0", ">=1"}, ""},
		{"spanningtrees", examples.Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{2, 1, 0, 2}}, []string{"2-1", "0-2"}, "edges"},
		{"paths", examples.Paths(3, [][2]int32{{0, 1}, {1, 2}, {0, 2}}, 0, 2, nil), []string{"0->1", "1->2", "0->2"}, "arcs"},
		{"paths", examples.Paths(3, [][2]int32{{0, 1}, {1, 2}, {0, 2}}, 0, 2, []int32{0, 1, 0}), []string{"group0", "group1"}, ""},
	} {
		space := mustNew(t, c.name, c.args)
		if got := slices.Collect(NamesOf(space)); !slices.Equal(got, c.want) || space.Facts().Cells.Kind != c.kind {
			t.Errorf("%s: the names are %q of kind %q", c.name, got, space.Facts().Cells.Kind)
		}
	}
	depot := [][2]int{}
	for u, v := range mustNew(t, "routes", examples.Sized(2)).Facts().Cells.At {
		depot = append(depot, [2]int{u, v})
	}
	if got := fmt.Sprint(depot); got != "[[0 1] [1 0] [2 0] [2 1] [0 2] [1 2]]" {
		t.Errorf("the cells of routes through 2 places are %s", got)
	}
}
