package structure

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Names are what the items of a space are called, its labels, vertices or nodes, in their order; nil where they have their numbers
// alone. Where the second items of pairs are others than the first, as the columns of assignments, their names may follow.
type Names []string

// of returns an item as messages show it: its name in quotes, or its number where it has none.
func (s Names) of(i int) string {
	if i < 0 || i >= len(s) {
		return strconv.Itoa(i)
	}
	return strconv.Quote(s[i])
}

// bare returns the name of an item without quotes, or a text before its number where it has none.
func (s Names) bare(text string, i int) string {
	if i < 0 || i >= len(s) {
		return text + strconv.Itoa(i)
	}
	return s[i]
}

// pair returns two items as messages show them.
func (s Names) pair(u, v int) string { return "(" + s.of(u) + ", " + s.of(v) + ")" }

// cell returns a pair whose second item is a column, one of n.
func (s Names) cell(n, u, v int) string { return "(" + s.of(u) + ", " + s.columns(n).of(v) + ")" }

// edges returns some of the edges of a graph as messages show them, at most the first ten.
func (s Names) edges(ends [][2]int32, chosen []int32) string {
	const most = 10
	shown := make([]string, 0, most)
	for _, i := range chosen[:min(most, len(chosen))] {
		shown = append(shown, s.pair(int(ends[i][0]), int(ends[i][1])))
	}
	text := strings.Join(shown, ", ")
	if more := len(chosen) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// columns returns the names of columns, which stand behind those of n items.
func (s Names) columns(n int) Names { return s[min(n, len(s)):] }

// list returns a list of items as messages show it, shortened if it is long.
func (s Names) list(y []int32) string {
	if len(s) == 0 {
		return shownParts(y)
	}
	const most = 20
	shown := make([]string, 0, most+1)
	for _, v := range y[:min(most, len(y))] {
		shown = append(shown, s.of(int(v)))
	}
	if len(y) > most {
		shown = append(shown, "…")
	}
	return "[" + strings.Join(shown, ", ") + "]"
}

// each yields the names of n items, or a text and their numbers where they have none.
func (s Names) each(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(s.bare(text, i)) {
				return
			}
		}
	}
}

// ofCells returns the names of columns of data that are cells of items by items; nil where items have no names.
func (s Names) ofCells(c Cells) Names {
	if len(s) == 0 {
		return nil
	}
	return slices.Collect(joined(c.At, joints[c.Kind], s, s))
}

// itemed spaces may have names of their items.
type itemed interface{ itemNames() Names }

// itemNamesOf returns the names of a space's items, nil where there are none.
func itemNamesOf(s Space) Names {
	if i, ok := s.(itemed); ok {
		return i.itemNames()
	}
	return nil
}

// columned spaces have outputs with a part for each item or each entry of ψ, so that columns of data are called by their names.
type columned interface{ columnNames() Names }

func columnNamesOf(s Space) Names {
	if c, ok := s.(columned); ok {
		return c.columnNames()
	}
	return nil
}
