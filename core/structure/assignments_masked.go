package structure

import (
	"errors"
	"math/big"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/graph/assignment"
)

// maskedAssignments computes on the assignments that have all required cells and no forbidden one.
type maskedAssignments struct {
	all    assignments
	cells  []assignment.Cell
	choice int // the number of rows that have one
}

var (
	_ maskable = assignments{}
	_ engine   = (*maskedAssignments)(nil)
)

// under costs O(n²) a sweep over the rows that have no choice, of which there are rarely more than three.
func (a assignments) under(m *Mask) (engine, error) {
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	e := &maskedAssignments{all: a, cells: make([]assignment.Cell, a.n*a.n)}
	for at, x := range states {
		switch x {
		case 1:
			e.cells[at] = assignment.Required
		case -1:
			e.cells[at] = assignment.Forbidden
		}
	}
	if e.choice, err = assignment.Choices(a.n, e.cells); err != nil {
		return nil, e.whyNone()
	}
	return e, nil
}

// whyNone names two required cells of one row or column, or a row or column all cells of which are forbidden, if there are any.
func (e *maskedAssignments) whyNone() error {
	n, names := e.all.n, e.all.names
	columns, items := make([]int, n), make([]int, n) // one more than the column of an item, and the other way round
	for at, c := range e.cells {
		if c != assignment.Required {
			continue
		}
		i, j := at/n, at%n
		switch {
		case columns[i] > 0:
			return contradiction{fault.Value("'required' holds %s and %s, two columns of one item; leave one out",
				names.cell(n, i, columns[i]-1), names.cell(n, i, j))}
		case items[j] > 0:
			return contradiction{fault.Value("'required' holds %s and %s, two items of one column; leave one out",
				names.cell(n, items[j]-1, j), names.cell(n, i, j))}
		}
		columns[i], items[j] = j+1, i+1
	}
	left, wanted := make([]int, n), make([]int, n) // cells of each item and of each column that are not forbidden
	for at, c := range e.cells {
		if c != assignment.Forbidden {
			left[at/n]++
			wanted[at%n]++
		}
	}
	for k := range n {
		switch {
		case left[k] == 0:
			return contradiction{fault.Value("all columns of item %s are forbidden; allow one", names.of(k))}
		case wanted[k] == 0:
			return contradiction{fault.Value("column %s is forbidden for all items; allow one", names.columns(n).of(k))}
		}
	}
	return ErrNone
}

// facts has sums where few enough rows have a choice.
func (e *maskedAssignments) facts() Facts {
	return Facts{Sums: sumsOf(func(marginals bool) float64 {
		return float64(len(e.cells)) + assignedCost(e.choice, marginals)
	})}
}

// count is a permanent.
func (e *maskedAssignments) count() *big.Int {
	d := assignmentDistributions.get()
	defer assignmentDistributions.put(d)
	d.Reset(e.all.n)
	copy(d.Restrict(), e.cells)
	number, err := d.Count(nil)
	if err != nil {
		return nil
	}
	return new(big.Int).SetUint64(number)
}

// Decode solves the problem without the cells that no assignment may have. Cost: O(n³).
func (e *maskedAssignments) Decode(dst []int32, score Scores) (Certificate, error) {
	return e.all.decode(dst, score, e.cells)
}

// LogPartition is that of all assignments, over the rows that have a choice: more than 20 of these are refused with a *LimitError.
func (e *maskedAssignments) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d := assignmentDistributions.get()
	defer assignmentDistributions.put(d)
	logZ, err := e.sum(d, scores, poll)
	if err != nil || marginals == nil {
		return logZ, err
	}
	mustLen("marginals", len(marginals), e.all.FeatureLen())
	return logZ, d.CellsTo(marginals, poll)
}

func (e *maskedAssignments) sum(d *assignment.Distribution, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), e.all.FeatureLen())
	copy(d.Reset(e.all.n), scores)
	copy(d.Restrict(), e.cells)
	logZ, err := d.Sum(poll)
	if size, is := errors.AsType[*assignment.SizeError](err); is {
		return 0, tooManyAssigned("rows with a choice", size.Size)
	}
	if errors.Is(err, assignment.ErrNone) {
		return 0, ErrNone
	}
	return logZ, err
}

// Distribution draws the columns of the rows that have a choice from the last one to the first.
func (e *maskedAssignments) Distribution(scores []float64, poll func() error) (Draw, error) {
	d := new(assignment.Distribution)
	if _, err := e.sum(d, scores, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), e.all.n)
		d.DrawTo(dst, rng)
	}, nil
}
