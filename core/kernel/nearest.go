package kernel

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// nearestWidth is the number of dense rows y that are looked at together.
const nearestWidth = 1 << 13

// nearestValues bounds how many inner products with sparse rows y are held.
const nearestValues = 1 << 21

// NearestTo finds, for each row of x, the rows of y that are nearest in Euclidean distance: squares, of a row for each row of x and as
// many columns as are wanted, gets the squared distances in ascending order, and numbers, as large, the numbers of the rows. Of
// equally far ones those that come first in y are taken. Squared differences are added in the order of features, so that sparse and
// dense rows have the same distances, and equal ones 0; what overflows is infinite. The monitor counts rows.
//
// Inner products tell which rows of y may be among the nearest: ‖x‖² − 2⟨x, y⟩ + ‖y‖² is off by no more than rounding can be, and only
// where this leaves room for doubt are differences taken. Cost: that of the linear kernel, and O(p) for each row of y that may be meant.
func NearestTo(numbers []int64, squares linalg.Matrix[float64], x, y Rows, workers int, mon *parallel.Monitor) error {
	if err := x.Check(); err != nil {
		return err
	}
	k, err := New(Function{Kind: Linear}, y)
	if err != nil {
		return err
	}
	switch {
	case x.Features() != y.Features():
		return fault.Value("rows have %d features, those they are compared with %d", x.Features(), y.Features())
	case squares.Rows != x.Len() || len(numbers) != squares.Rows*squares.Cols:
		return fault.Value("squares and numbers have %d and %d entries, must have a row for each of %d", squares.Rows,
			len(numbers), x.Len())
	case squares.Cols < 1 || squares.Cols > y.Len():
		return fault.Value("%d neighbours are wanted of %d rows", squares.Cols, y.Len())
	}
	x = canonical(x)
	s := search{k: k, own: norms(x), others: norms(k.y), wanted: squares.Cols, dense: x.Sparse == nil && y.Sparse == nil,
		slack: float64(x.Features()+8) * 0x1p-50}
	s.least = make([]float64, len(s.others))
	for j, v := range s.others {
		if s.least[j] = v * (1 - s.slack); math.IsInf(v, 1) {
			s.least[j] = math.NaN() // which is not above anything, so that the row is not passed over
		}
	}
	width, rows := nearestWidth, panelRows
	if !s.dense {
		width, rows = y.Len(), max(1, min(panelRows, nearestValues/y.Len()))
	}
	products := linalg.NewMatrix[float64](min(rows, x.Len()), min(width, y.Len()))
	for lo := 0; lo < x.Len(); lo += rows {
		hi := min(lo+rows, x.Len())
		lists := make([]shortlist, hi-lo)
		for first := 0; first < y.Len(); first += width {
			part := products.Slice(0, hi-lo, 0, min(width, y.Len()-first))
			if err := s.look(lists, part, x, lo, first, workers, mon); err != nil {
				return err
			}
		}
		err := parallel.For(hi-lo, 1, workers, mon, func(i, _ int) error {
			return s.settle(squares.Row(lo+i), numbers[(lo+i)*s.wanted:(lo+i+1)*s.wanted], &lists[i], rowAt(x, lo+i), mon)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// search is a search for nearest rows of k.y.
type search struct {
	k           *Matrix
	own, others []float64 // squared norms
	wanted      int
	dense       bool
	slack       float64   // how far rounding can move a squared distance, relative to the sum of both squared norms
	least       []float64 // others less that
}

// shortlist are the rows that may be among the nearest, and the largest distances that the wanted ones can have.
type shortlist struct {
	rows  []doubtful
	bound farthest
}

// doubtful is a row, and the least squared distance that it may have.
type doubtful struct {
	number int
	least  float64
}

// farthest is a heap whose first entry is its largest.
type farthest []float64

func (h farthest) Len() int           { return len(h) }
func (h farthest) Less(i, j int) bool { return h[i] > h[j] }
func (h farthest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *farthest) Push(v any)        { *h = append(*h, v.(float64)) }
func (h *farthest) Pop() any          { panic("kernel: nothing is taken from this heap") }

// look puts rows of y, from number first on, on the lists of rows of x, from number lo on. It overwrites products.
func (s *search) look(lists []shortlist, products matrix, x Rows, lo, first, workers int, mon *parallel.Monitor) error {
	p := panel{x: x.Slice(lo, lo+products.Rows), dst: products}
	if s.dense {
		if err := productsTo(products, p.x.Dense, s.k.y.Dense.Slice(first, first+products.Cols, 0, x.Features()), mon); err != nil {
			return err
		}
	}
	return parallel.For(products.Rows, max(1, grainValues/products.Cols), workers, nil, func(from, to int) error {
		for i := from; i < to; i++ {
			if !s.dense {
				if err := s.k.finish(&p, i, mon); err != nil {
					return err
				}
			}
			if err := mon.Err(); err != nil {
				return err
			}
			s.enlist(&lists[i], products.Row(i), s.own[lo+i], first)
		}
		return nil
	})
}

// tiny is more than what underflow in products of any length can hide.
const tiny = 0x1p-1000

// enlist puts rows of y on the list of a row of squared norm own.
func (s *search) enlist(list *shortlist, products []float64, own float64, first int) {
	limit, own := math.Inf(1), own*(1-s.slack)
	if len(list.bound) == s.wanted {
		limit = list.bound[0]
	}
	far := limit - own
	others := s.least[first : first+len(products)]
	for j, v := range products {
		if others[j]-2*v > far {
			continue
		}
		least := own + others[j] - 2*v
		most := least + 4*s.slack*(own+others[j]) + tiny
		least -= tiny
		if !(least >= -math.MaxFloat64 && most <= math.MaxFloat64) { // an overflow: nothing is known
			least, most = math.Inf(-1), math.Inf(1)
		}
		if len(list.bound) < s.wanted {
			heap.Push(&list.bound, most)
		} else if most < list.bound[0] {
			list.bound[0] = most
			heap.Fix(&list.bound, 0)
		}
		if len(list.bound) == s.wanted {
			limit = list.bound[0]
			far = limit - own
		}
		if len(list.rows) == cap(list.rows) {
			list.strike(limit)
		}
		list.rows = append(list.rows, doubtful{first + j, least})
	}
	list.strike(limit)
}

// strike takes the rows off the list that are farther than limit.
func (l *shortlist) strike(limit float64) {
	l.rows = slices.DeleteFunc(l.rows, func(d doubtful) bool { return d.least > limit })
}

// settle measures the rows on a list and writes those that are nearest to x.
func (s *search) settle(squares []float64, numbers []int64, list *shortlist, x row, mon *parallel.Monitor) error {
	poll := max(1, pollTerms/max(1, s.k.y.Features()))
	for at := range list.rows {
		if at%poll == 0 {
			if err := mon.Err(); err != nil {
				return err
			}
		}
		list.rows[at].least = orderlyDistance(x, rowAt(s.k.y, list.rows[at].number))
	}
	slices.SortFunc(list.rows, func(a, b doubtful) int {
		return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.number, b.number))
	})
	for at := range squares {
		squares[at], numbers[at] = list.rows[at].least, int64(list.rows[at].number)
	}
	return nil
}

// orderlyDistance returns ‖a − b‖², its terms added in the order of features.
func orderlyDistance(a, b row) float64 {
	var sum float64
	if !a.sparse && !b.sparse {
		for j, v := range a.values {
			square := (v - b.values[j]) * (v - b.values[j])
			sum += float64(square) // the conversion keeps both operations apart on every processor
		}
		return sum
	}
	join(a, b, func(x, y float64) {
		square := (x - y) * (x - y)
		sum += float64(square)
	})
	return sum
}
