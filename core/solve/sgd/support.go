package sgd

import (
	"container/list"

	"combpred/core/fault"
	"combpred/core/linalg"
)

// Kernel gives kernel values of rows by their numbers.
type Kernel interface {
	// ValuesTo writes the values of each row with each column to dst.
	ValuesTo(dst linalg.Matrix[float64], rows, columns []int64) error
	// DiagonalTo writes the value of each row with itself to dst.
	DiagonalTo(dst []float64, rows []int64) error
}

// Support is a function f = Σ_j k(·, x_j) a_j, and what else steps change. It always is the outcome of steps that are complete.
type Support struct {
	Rows     []int64 // the numbers of the rows x_j, those visited last at the end; as many as there is room for
	Len      int     // how many there are
	Coef     matrix  // of a row for each one that there is room for
	Average  matrix  // likewise; without rows: no averaging
	Velocity matrix  // likewise; without rows: no stochastic meta-descent
	Gains    []float64
	Most     int // rows that stay in it; 0: all
}

// visit takes a step on each row, which joins the support until it has become too old.
func (g *Growth) visit(rows []int64) error {
	s, at := g.Support, &g.done
	numbers := g.numbers(rows)
	slots, v, left := g.slots(numbers)
	v.Kernel, v.Shift = linalg.NewMatrix[float64](len(rows), len(slots)), g.Shift
	if err := g.Kernel.ValuesTo(v.Kernel, numbers, slots); err != nil {
		return err
	}
	for t := range rows {
		for _, value := range v.Kernel.Row(t) {
			if value-value != 0 {
				return fault.At(int(rows[t]), fault.Value("a kernel value is %g, must be finite", value))
			}
		}
	}
	banks := []matrix{s.Coef, s.Average, s.Velocity}
	grown := make([]matrix, len(banks))
	for b, bank := range banks {
		if bank.Rows > 0 {
			grown[b] = linalg.NewMatrix[float64](len(slots), bank.Cols)
			grown[b].Slice(0, s.Len, 0, bank.Cols).CopyFrom(bank.Slice(0, s.Len, 0, bank.Cols))
		}
	}
	gains := append([]float64(nil), s.Gains...)
	sizes := NewStepSizes(g.Problem.Lambda, g.Eta, g.Curvature, g.Seen, g.Seen+len(g.Passes.Order))
	sizes.Done += at.Steps
	loss, err := DescendInExpansion(g.Problem.Take(rows), sizes, v, grown[0], grown[1], grown[2], gains)
	if err != nil {
		return err
	}
	s.Len = len(left)
	for j, slot := range left {
		s.Rows[j] = slots[slot]
		for b, bank := range banks {
			if bank.Rows > 0 {
				copy(bank.Row(j), grown[b].Row(slot))
			}
		}
	}
	copy(s.Gains, gains)
	at.Loss, at.Steps = at.Loss+loss, at.Steps+len(rows)
	for _, row := range rows {
		if g.Passes.Weights != nil {
			at.Weight += g.Passes.Weights[row]
		}
	}
	return nil
}

// slots returns the rows of the slots that a batch needs, what its steps visit and drop, and the slots that are left, the oldest first.
func (g *Growth) slots(rows []int64) ([]int64, Visits, []int) {
	s := g.Support
	slots, number, ages := append([]int64(nil), s.Rows[:s.Len]...), make(map[int64]int, s.Len+len(rows)), list.New()
	places := make([]*list.Element, s.Len, s.Len+len(rows)) // of slots among their ages, nil for those that were dropped
	for slot, row := range slots {
		number[row], places[slot] = slot, ages.PushBack(slot)
	}
	v := Visits{At: make([]int64, len(rows)), Drop: make([]int64, len(rows))}
	for t, row := range rows {
		slot, known := number[row]
		if !known {
			slot = len(slots)
			number[row], slots, places = slot, append(slots, row), append(places, nil)
		}
		if v.At[t], v.Drop[t] = int64(slot), -1; s.Most == 0 {
			continue
		}
		if places[slot] == nil {
			places[slot] = ages.PushBack(slot)
		}
		ages.MoveToBack(places[slot])
		if ages.Len() > s.Most {
			oldest := ages.Remove(ages.Front()).(int)
			v.Drop[t], places[oldest] = int64(oldest), nil
		}
	}
	var left []int
	if s.Most == 0 {
		for slot := range slots {
			left = append(left, slot)
		}
		return slots, v, left
	}
	for e := ages.Front(); e != nil; e = e.Next() {
		left = append(left, e.Value.(int))
	}
	return slots, v, left
}
