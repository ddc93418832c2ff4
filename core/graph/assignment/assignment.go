// Package assignment solves the linear assignment problem: match n rows to n columns, one to one, so that the gains of
// the matched cells add up to as much as possible.
//
// Rows are matched one after the other, each by a shortest augmenting path in the graph of reduced costs, which Dijkstra's
// algorithm finds because potentials keep those costs from being negative: the Hungarian method (Kuhn, 1955) in the form
// of Tomizawa (1971) and of Edmonds and Karp (1972). No step depends on the size of the gains. Cost: O(n²) for each row,
// O(n³) in all.
//
// A mask of cells may forbid some and require others. What it excludes is absent from the graph: no gain stands for it.
package assignment

import (
	"fmt"
	"math"

	"combpred/core/slicex"
)

// Workspace holds one instance and the scratch to solve it, kept from one instance to the next. The zero value is ready
// for use. It is not safe for concurrent use.
type Workspace struct {
	n         int
	gain      []float64 // n×n; −Inf in cells that are absent
	rowPrice  []float64 // potentials: rowPrice[i] + colPrice[j] ≤ −gain[i, j], with equality in matched cells
	colPrice  []float64
	distance  []float64 // of each column from the row that is being matched
	rowOf     []int32   // the row matched to a column, -1 for none
	before    []int32   // the row that a column is reached from
	open      []int32   // columns whose distance is not final
	finalised []int32   // columns in the order in which they became final
	mask      []Cell    // n×n, or empty
}

// Reset begins an instance of n rows and n columns and returns its n×n matrix of gains by rows, for the caller to fill
// with finite numbers.
func (w *Workspace) Reset(n int) []float64 {
	w.n = n
	w.gain, w.mask = slicex.Grow(w.gain, n*n), w.mask[:0]
	w.rowPrice, w.colPrice, w.distance = slicex.Grow(w.rowPrice, n), slicex.Grow(w.colPrice, n), slicex.Grow(w.distance, n)
	w.rowOf, w.before, w.finalised = slicex.Grow(w.rowOf, n), slicex.Grow(w.before, n), slicex.Grow(w.finalised, n)
	w.open = slicex.Grow(w.open, n)
	return w.gain
}

// Restrict returns the n×n mask of the instance by rows, all cells allowed, for the caller to change before Solve. Without
// this call there is none. It holds until the next Reset.
func (w *Workspace) Restrict() []Cell {
	w.mask = allowAll(w.mask, w.n)
	return w.mask
}

// Solve writes the column of each row in a best assignment to column. Ties are broken in a fixed way; without any gain
// each row gets the column of its own number. Where the mask leaves no assignment, and only
// there, it returns ErrNone, and column is unspecified. Cost: O(n³).
func (w *Workspace) Solve(column []int32) error {
	return w.SolvePolled(column, func() error { return nil })
}

// SolvePolled is Solve for instances that take long: an error of poll, which is called for every row, ends it and is returned;
// column is unspecified then.
func (w *Workspace) SolvePolled(column []int32, poll func() error) error {
	if len(column) != w.n {
		panic(fmt.Sprintf("assignment: column has length %d, want %d", len(column), w.n))
	}
	exclude(w.gain, w.mask, w.n)
	clear(w.rowPrice)
	clear(w.colPrice)
	for j := range w.rowOf {
		w.rowOf[j] = -1
	}
	for i := range w.n {
		if err := poll(); err != nil {
			return err
		}
		if !w.augment(i, column) {
			return ErrNone
		}
	}
	return nil
}

// augment matches row i along a shortest path to a free column, if there is one, and updates the potentials. Without one,
// the rows reached have fewer columns than rows between them (Hall, 1935).
func (w *Workspace) augment(i int, column []int32) bool {
	open := w.open
	for j := range w.n {
		w.distance[j] = math.Inf(1)
		open[j] = int32(w.n - 1 - j)
	}
	final := w.finalised[:0]
	row, reached := i, 0.0
	free := -1
	for free < 0 {
		at := w.nearest(open, row, reached)
		j := int(open[at])
		if reached = w.distance[j]; reached > math.MaxFloat64 {
			return false
		}
		if w.rowOf[j] < 0 {
			free = j
			break
		}
		final = append(final, int32(j))
		open[at] = open[len(open)-1]
		open = open[:len(open)-1]
		row = int(w.rowOf[j])
	}
	w.rowPrice[i] += reached
	for _, j := range final {
		slack := reached - w.distance[j]
		w.colPrice[j] -= slack
		w.rowPrice[w.rowOf[j]] += slack
	}
	for j := int32(free); ; {
		r := w.before[j]
		w.rowOf[j] = r
		j, column[r] = column[r], j
		if int(r) == i {
			return true
		}
	}
}

// nearest relaxes the open columns from a row at the given distance and returns the place of the nearest of them: among
// equals the last free one, or the first where none is free.
func (w *Workspace) nearest(open []int32, row int, reached float64) int {
	gain := w.gain[row*w.n : (row+1)*w.n]
	base := reached - w.rowPrice[row]
	best, least := -1, math.Inf(1)
	distance, price, before := w.distance[:len(gain)], w.colPrice[:len(gain)], w.before[:len(gain)]
	for at, j := range open {
		d := distance[j]
		if through := base - gain[j] - price[j]; through < d {
			d = through
			distance[j], before[j] = d, int32(row)
		}
		if best < 0 || d < least || d == least && w.rowOf[j] < 0 {
			best, least = at, d
		}
	}
	return best
}
