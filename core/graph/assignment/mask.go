package assignment

import (
	"fmt"
	"math"

	"combpred/core/fault"
	"combpred/core/slicex"
)

// Cell says whether assignments may, must not or must have a cell.
type Cell uint8

const (
	Allowed   Cell = iota // the zero value: an assignment may have the cell
	Forbidden             // no assignment has it
	Required              // every assignment has it
)

// ErrNone says that no assignment has all required cells and no forbidden one.
var ErrNone = fault.Value("no assignment has all required cells and no forbidden one")

// SizeError says that more rows than can be summed over have a choice of columns.
type SizeError struct{ Size, Limit int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("assignment: %d rows have a choice of columns, beyond the limit of exact sums, %d", e.Size, e.Limit)
}

// Choices returns the number of rows to which an n×n mask, by rows, leaves a choice of columns, at most; these are what sums are over. It
// returns ErrNone where a row or a column has no cell left. Cost: O(n²), more where rows lose their choice one by one.
func Choices(n int, mask []Cell) (int, error) {
	gain := make([]float64, n*n)
	exclude(gain, mask, n)
	var r reduction
	if !r.reduce(gain, n) {
		return 0, ErrNone
	}
	return len(r.rows), nil
}

// allowAll returns a mask of n×n allowed cells, in the memory of mask where that suffices.
func allowAll(mask []Cell, n int) []Cell {
	mask = slicex.Grow(mask, n*n)
	clear(mask)
	return mask
}

// exclude makes the gains of cells that no assignment may have −Inf: a required cell excludes the others of its row and
// of its column. No cell is left to a row or column where requirements contradict each other.
func exclude(gain []float64, mask []Cell, n int) {
	for at, c := range mask {
		switch c {
		case Forbidden:
			gain[at] = math.Inf(-1)
		case Required:
			row, column := at/n, at%n
			for k := range n {
				if k != column {
					gain[row*n+k] = math.Inf(-1)
				}
				if k != row {
					gain[k*n+column] = math.Inf(-1)
				}
			}
		}
	}
}

func absent(gain float64) bool { return math.IsInf(gain, -1) }

// reduction takes the rows and columns off an instance that have no choice: a row with one cell left has that one, and so
// has a column, which may leave others with one.
type reduction struct {
	fixed         []int32 // the column of each row without a choice, −1 for the others
	rows, columns []int32 // the others
}

// all leaves everything a choice.
func (r *reduction) all(n int) {
	if len(r.fixed) == n && len(r.rows) == n {
		return // as it is already
	}
	r.fixed, r.rows, r.columns = slicex.Grow(r.fixed, n), slicex.Grow(r.rows, n), slicex.Grow(r.columns, n)
	for i := range r.rows {
		r.fixed[i], r.rows[i], r.columns[i] = -1, int32(i), int32(i)
	}
}

// reduce takes off what has no choice and reports whether every row and column has a cell left. Some of these may still
// not fit together. Cost: O(n²) a sweep, of which there are rarely more than three.
func (r *reduction) reduce(gain []float64, n int) bool {
	r.all(n)
	for changed := true; changed; {
		changed = false
		for at := 0; at < len(r.rows); at++ {
			i := int(r.rows[at])
			only, cells := -1, 0
			for place, j := range r.columns {
				if !absent(gain[i*n+int(j)]) {
					only, cells = place, cells+1
				}
			}
			if cells == 0 {
				return false
			}
			if cells == 1 {
				r.fix(at, only)
				at--
				changed = true
			}
		}
		for place := 0; place < len(r.columns); place++ {
			j := int(r.columns[place])
			only, cells := -1, 0
			for at, i := range r.rows {
				if !absent(gain[int(i)*n+j]) {
					only, cells = at, cells+1
				}
			}
			if cells == 0 {
				return false
			}
			if cells == 1 {
				r.fix(only, place)
				place--
				changed = true
			}
		}
	}
	return true
}

// fix gives the row at a place of rows the column at one of columns.
func (r *reduction) fix(at, place int) {
	r.fixed[r.rows[at]] = r.columns[place]
	r.rows = append(r.rows[:at], r.rows[at+1:]...)
	r.columns = append(r.columns[:place], r.columns[place+1:]...)
}
