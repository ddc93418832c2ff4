package structure

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/graph/assignment"
)

// maxAssigned bounds assignments: their embedding has n² entries, and decoding takes up to n³ steps, some seconds here.
const maxAssigned = 2048

var _ = register(Spec{
	Name: "assignments",
	Doc:  "One-to-one assignments of n rows to n columns; ψ is the permutation matrix, by rows.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxAssigned, Reason: "decoding takes up to n³ steps, some seconds there",
			Doc: "number of rows and of columns"},
	},
	Conditions: cellTerms,
	Parts:      "the column of each row",
	Psi:        "the cells (row, column) by rows",
	Ref:        "moments by counting the permutations that fix one or two values; Kuhn (1955) for decoding",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		return assignments{memo: a.memo(), n: n, pool: new(pool[assignment.Workspace])}, nil
	},
})

// assignments is the space of the permutations as matrices, encoded as the column of each row. The cells are numbered by
// rows.
type assignments struct {
	*memo
	n    int
	pool *pool[assignment.Workspace]
}

var (
	_ Counter    = assignments{}
	_ Momenter   = assignments{}
	_ Enumerator = assignments{}
	_ Sampler    = assignments{}
	_ Decoder    = assignments{}
)

func (a assignments) String() string  { return fmt.Sprintf("assignments of %d items", a.n) }
func (a assignments) PartLen() int    { return a.n }
func (a assignments) FeatureLen() int { return a.n * a.n }
func (a assignments) Count() *big.Int { return combin.Factorial(a.n) }

func (a assignments) Check(y []int32) error {
	mustLen("y", len(y), a.n)
	rowOf := make([]int32, a.n) // one more than the row that has a column
	for i, j := range y {
		if j < 0 || int(j) >= a.n || rowOf[j] > 0 {
			return a.diagnose(y)
		}
		rowOf[j] = int32(i + 1)
	}
	return nil
}

// diagnose says why columns are no assignment.
func (a assignments) diagnose(y []int32) error {
	for i, j := range y {
		if j < 0 || int(j) > a.n { // n passes: columns that count from 1 get a remedy of their own
			return wrongPart(y, i, a.columnNames(), a.Format())
		}
	}
	if _, i, j, shared := twice(y, a.n); shared {
		return fault.Value("items %s and %s share a column in %s; give each item a column of its own", a.names.of(i), a.names.of(j),
			a.names.columns(a.n).list(y))
	}
	return fault.Value("%s counts columns from 1, they count from 0: subtract 1", shownParts(y))
}

func (a assignments) Format() string {
	return fmt.Sprintf("columns are whole numbers 0..%d, each once in a row", a.n-1)
}

// columnNames are those of the items, whose columns the parts are.
func (a assignments) columnNames() Names { return a.names[:min(a.n, len(a.names))] }

// Facts has the cells of the permutation matrix, by rows.
func (a assignments) Facts() Facts {
	cells := func(yield func(int, int) bool) {
		for cell := range a.n * a.n {
			if !yield(cell/a.n, cell%a.n) {
				return
			}
		}
	}
	return Facts{
		Layout:   Layout{Format: a.Format(), Cells: Cells{"cells", a.n, cells}},
		Spectrum: a,
		Moves:    movesOf(a.moveGaps()),
		Sums:     sumsOf(a.partitionCost),
	}
}

func (a assignments) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), a.FeatureLen())
	mustLen("y", len(y), a.n)
	clear(dst)
	for i, j := range y {
		dst[i*a.n+int(j)] = 1
	}
}

// Mean: (n−1)! of the n! permutations have a given cell.
func (a assignments) Mean(dst []float64) {
	mustLen("dst", len(dst), a.FeatureLen())
	fill(dst, 1/float64(a.n))
}

// SecondMoment: a permutation has no two cells of one row or column, and (n−2)! of the n! have two given others. Cost:
// O(n⁴), that of writing the matrix.
func (a assignments) SecondMoment(dst blas64.General) {
	n, d := a.n, a.FeatureLen()
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	one, two := 1/float64(n), 0.0
	if n > 1 {
		two = 1 / float64(n*(n-1))
	}
	for cell := range d {
		i, j := cell/n, cell%n
		r := row(dst, cell)
		fill(r, two)
		clear(r[i*n : (i+1)*n])
		for k := range n {
			r[k*n+j] = 0
		}
		r[cell] = one
	}
}

// All lists the assignments in lexicographic order of the rows' columns.
func (a assignments) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, a.n)
		a.diagonalTo(y)
		for yield(y) && nextArrangement(y) {
		}
	}
}

// Sample draws a permutation of the columns.
func (a assignments) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), a.n)
	combin.Permutation(dst, 0, rng)
}

// diagonalTo gives each row the column of its own number.
func (a assignments) diagonalTo(y []int32) {
	for i := range y {
		y[i] = int32(i)
	}
}

// Decode solves the linear assignment problem. Without any score each row gets the column of its own number. Cost: O(n³).
func (a assignments) Decode(dst []int32, score Scores) (Certificate, error) {
	return a.decode(dst, score, nil)
}

// decode finds the best of the assignments that a mask of cells allows, nil: all.
func (a assignments) decode(dst []int32, score Scores, cells []assignment.Cell) (Certificate, error) {
	mustLen("dst", len(dst), a.n)
	mustScores(score, a.FeatureLen())
	w := a.pool.get()
	defer a.pool.put(w)
	gain := w.Reset(a.n)
	for cell := range gain {
		gain[cell] = score.indicator(cell)
	}
	if cells != nil {
		copy(w.Restrict(), cells)
	}
	if err := w.Solve(dst); err != nil {
		return Certificate{}, ErrNone
	}
	var value float64
	for i, j := range dst {
		value += gain[i*a.n+int(j)]
	}
	return proven(value), nil
}

// Restrict takes cells.
func (a assignments) Restrict() func([]Condition) (Restriction, error) {
	return refusing(a, func(conditions []Condition) (r Restriction, err error) {
		h, err := readConditions(cellTerms, conditions, a.n, 0, a.names)
		if err != nil {
			return r, err
		}
		required, forbidden := h[RequiredKey].pairs, h[ForbiddenKey].pairs
		if c, both := common(required, forbidden); both {
			return r, fault.Value("the cell %s is required and forbidden; %s", a.names.cell(a.n, c[0], c[1]), dropOne)
		}
		number := func(cells [][2]int) (numbers []int) {
			for _, c := range cells {
				numbers = append(numbers, c[0]*a.n+c[1])
			}
			return numbers
		}
		r.Mask = NewMask()
		r.Mask.require(a.FeatureLen(), number(required))
		r.Mask.forbid(a.FeatureLen(), number(forbidden))
		return r, nil
	})
}
