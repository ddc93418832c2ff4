package metric

import (
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Visits is a measure of routes and cycles: lists of places in the order in which they are visited.
type Visits int

const (
	RouteF1      Visits = iota // F1 of the places
	RoutePairsF1               // F1 of the ordered pairs of places, next to each other or not
	PolicyCosine               // the cosine of directed cycles: arcs in both less those in opposite directions, over the mean length
	CycleF1                    // F1 of the edges of undirected cycles
)

// Rows are lists of integers of the same width, one after the other.
type Rows struct {
	Width   int
	Entries []int32
}

func (r Rows) count() int { return len(r.Entries) / r.Width }

func (r Rows) row(i int) []int32 { return r.Entries[i*r.Width : (i+1)*r.Width] }

// rowsOfVisits is how many rows a worker takes at a time.
const rowsOfVisits = 64

// ValuesTo writes to dst the measure of every row of visits, places from 0 on that −1 pads at the right. Truths and predictions may differ
// in width. A truth's place counts at its first visit in RoutePairsF1, predictions' visits all count.
//
// Cost: O(k²) for each row of k visits, of RouteF1 O(k log k).
func (m Visits) ValuesTo(dst []float64, truth, predicted Rows, workers int, mon *parallel.Monitor) error {
	return parallel.For(truth.count(), rowsOfVisits, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			a, err := m.list(truth.row(i), "y_true")
			if err != nil {
				return fault.At(i, err)
			}
			b, err := m.list(predicted.row(i), "y_pred")
			if err != nil {
				return fault.At(i, err)
			}
			if dst[i], err = m.value(a, b); err != nil {
				return fault.At(i, err)
			}
			if err := mon.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// list returns the visits of a row without its padding.
func (m Visits) list(row []int32, name string) ([]int32, error) {
	n := slices.IndexFunc(row, func(v int32) bool { return v < 0 })
	if n < 0 {
		n = len(row)
	}
	visits := row[:n]
	switch {
	case slices.ContainsFunc(row[n:], func(v int32) bool { return v != -1 }):
		return nil, fault.Value("%s goes on behind padding with −1, or holds a negative number", name)
	case n == 0:
		return nil, fault.Value("%s visits no place; leave the row out", name)
	case (m == PolicyCosine || m == CycleF1) && (n < 3 || len(distinct(visits)) < n):
		return nil, fault.Value("%s is no cycle of three or more different vertices", name)
	}
	return visits, nil
}

func (m Visits) value(a, b []int32) (float64, error) {
	switch m {
	case RouteF1:
		return 2 * float64(shared(a, b)) / float64(len(a)+len(b)), nil
	case RoutePairsF1:
		a = distinct(a)
		if len(a) < 2 {
			return 0, fault.Value("y_true visits one place and has no pair of places; leave the row out")
		}
		return 4 * float64(sharedPairs(a, b)) / float64(len(a)*(len(a)-1)+len(b)*(len(b)-1)), nil
	}
	same, opposite := sharedArcs(a, b)
	if m == PolicyCosine {
		return float64(same-opposite) / math.Sqrt(float64(len(a)*len(b))), nil
	}
	return 2 * float64(same+opposite) / float64(len(a)+len(b)), nil
}

// distinct returns the places at their first visits.
func distinct(visits []int32) []int32 {
	first := make([]int32, 0, len(visits))
	for _, v := range visits {
		if !slices.Contains(first, v) {
			first = append(first, v)
		}
	}
	return first
}

// shared returns how many visits two lists have in common, places as often as both visit them.
func shared(a, b []int32) int {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = a[1:]
		case y < x:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			n++
		}
	}
	return n
}

// sharedPairs returns how many pairs of visits of b are, in this order, pairs of places of a, which are different.
func sharedPairs(a, b []int32) int {
	n, at := 0, make([]int, len(b))
	for j, v := range b {
		at[j] = slices.Index(a, v)
		for _, earlier := range at[:j] {
			if earlier >= 0 && earlier < at[j] {
				n++
			}
		}
	}
	return n
}

// sharedArcs returns how many arcs of two cycles are the same, and how many are opposite.
func sharedArcs(a, b []int32) (same, opposite int) {
	for i, u := range a {
		v := a[(i+1)%len(a)]
		if j := slices.Index(b, u); j >= 0 {
			same += number(b[(j+1)%len(b)] == v)
			opposite += number(b[(j+len(b)-1)%len(b)] == v)
		}
	}
	return same, opposite
}
