package structure

import "iter"

// Cells are the entries of ψ, or the first of them, as cells of a matrix of items by items.
type Cells struct {
	// Kind is what an entry means. "order": 1 where the row's item is before the column's item, −1 where it is after it, 0 where neither
	// is. "total order": the same, but never 0. "directions": 1 for the arc from row to column, −1 for the reverse arc. "arcs": 1 for
	// the arc from row to column. "edges": 1 for the edge between the two. "cells": 1 where the row's item gets the column.
	Kind  string
	Items int                 // number of items
	At    iter.Seq2[int, int] // row and column of each entry; those of the number Items stand for no item, as the start of a route does
}

// Losses of orders, whose pairs are all comparable or tied; of relations; and of trees, where outputs hold the parents of their nodes.
var (
	costsOfOrders    = []string{"kendall", "hamming"}
	costsOfRelations = []string{"hamming", "kendall"}
	costsOfTrees     = []string{"tree", "hamming", "h-loss", "h-loss-sibling"}
)

// joints stand between row and column in the names of entries of each kind.
var joints = map[string]string{
	"order": " before ", "total order": " before ", "directions": "->", "arcs": "->", "edges": "-", "cells": " to ",
}

// NamesOf yields a name for each entry of ψ of a space.
func NamesOf(s Space) iter.Seq[string] {
	layout := s.Facts().Layout
	switch c := layout.Cells; {
	case layout.Names != nil:
		return layout.Names
	case c.Kind != "":
		names := itemNamesOf(s)
		seconds := names
		if c.Kind == "cells" {
			seconds = names.columns(c.Items)
		}
		return joined(c.At, joints[c.Kind], names, seconds)
	}
	return Names(nil).each("feature", s.FeatureLen())
}

// joined names cells by row and column, which may have names, with a text between them.
func joined(at iter.Seq2[int, int], joint string, names, seconds Names) iter.Seq[string] {
	return func(yield func(string) bool) {
		for u, v := range at {
			if !yield(names.bare("", u) + joint + seconds.bare("", v)) {
				return
			}
		}
	}
}

// prefixed yields names behind a text.
func prefixed(text string, names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range names {
			if !yield(text + name) {
				return
			}
		}
	}
}

// chained yields the names of several sequences, one after the other.
func chained(all ...iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, names := range all {
			for name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// itemPairs yields the pairs u < v of n items in lexicographic order.
func itemPairs(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for u := range n {
			for v := u + 1; v < n; v++ {
				if !yield(u, v) {
					return
				}
			}
		}
	}
}

// endsOf yields the ends of edges.
func endsOf(edges [][2]int32) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, e := range edges {
			if !yield(int(e[0]), int(e[1])) {
				return
			}
		}
	}
}
