package plackettluce

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// Rankings are weighted rankings of items, to which one model is fitted.
type Rankings struct {
	// Positions has a row for each ranking: at least 0, the smaller before the larger, −1 or NaN where unknown. Items may share the last
	// position of a row only: those are left when the others are chosen.
	Positions linalg.Matrix[float64]
	Weights   []float64 // at least 0; nil: 1 each
	Names     []string  // of the items, for messages; nil where they have their numbers alone
	Penalty   float64   // as that of Sets
}

// FitTo writes the utilities, of mean 0, as those of Sets, and returns the logarithm of their likelihood. Both are valid beside a
// *NotConvergedError. Illegal are, of a row, other ties than that of its last items, and, without a penalty, items that no others are
// ever before. Cost: that of Sets, and O(n k²).
func (r *Rankings) FitTo(dst []float64, mon *parallel.Monitor) (float64, error) {
	n, k := r.Positions.Rows, r.Positions.Cols
	weights := r.Weights
	if weights == nil {
		weights = slices.Repeat([]float64{1}, n)
	}
	f := Sets{Items: k, Penalty: r.Penalty, Ranks: make([]int32, n*k)}
	f.Weights = linalg.Matrix[float64]{Rows: 1, Cols: n, Stride: n, Data: weights}
	for i := range n {
		if err := r.rankTo(f.Ranks[i*k:(i+1)*k], r.Positions.Row(i)); err != nil {
			return 0, fault.At(i, err)
		}
	}
	if err := f.check(linalg.Matrix[float64]{Rows: 1, Cols: k, Stride: k, Data: dst}); err != nil {
		return 0, err
	}
	s := newSet(k, n, r.Penalty)
	s.load(f.Ranks, weights)
	if r.Penalty == 0 {
		if err := s.connected().requireStrong("before", r.Names); err != nil {
			return 0, err
		}
	}
	done, err := s.fitTo(dst, mon)
	if err != nil {
		return 0, err
	}
	likelihood := r.Penalty*linalg.Dot(dst, dst)/2 - s.loss(dst)
	mean := linalg.Sum(dst) / float64(k)
	for u := range dst {
		dst[u] -= mean
	}
	if !done {
		return likelihood, &NotConvergedError{1, 1}
	}
	return likelihood, nil
}

// rankTo writes the ranks of a row of positions, from 1 on, 0 where unknown.
func (r *Rankings) rankTo(ranks []int32, row []float64) error {
	order := make([]int, 0, len(row))
	for u, x := range row {
		if x >= 0 {
			order = append(order, u)
		}
	}
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(row[u], row[v]) })
	for at, u := range order {
		ranks[u] = int32(at + 1)
		if at == 0 || row[u] > row[order[at-1]] {
			continue
		}
		v := order[at-1]
		ranks[u] = ranks[v]
		if row[u] < row[order[len(order)-1]] {
			return fault.Value("the ranking ties the items %s before its last position, and the model has no ties; kemeny takes them",
				listed([]int32{int32(v), int32(u)}, r.Names))
		}
	}
	return nil
}

// preceding is which items are before which.
type preceding struct{ relation.Digraph }

// connected relates an item to those that it is before in a ranking of positive weight.
func (s *set) connected() *preceding {
	var p preceding
	p.Reset(s.k)
	for j, order := range s.ranked {
		if s.weights[j] == 0 {
			continue
		}
		for at, u := range order[:s.chosen[j]] {
			for _, v := range order[at+1:] {
				p.Add(int(u), int(v))
			}
		}
	}
	return &p
}

// requireStrong returns an error that names items which no others precede, unless all reach one another: no finite utilities are best
// then. how says in words what it is to precede.
func (p *preceding) requireStrong(how string, names []string) error {
	order := make([]int32, p.Out.Len())
	if p.ComponentsTo(order) == 1 {
		return nil
	}
	for _, end := range p.Components() {
		order = order[:end] // the first one, which no others lead to
		break
	}
	items, them := "one of the items ", "them"
	if len(order) == 1 {
		items, them = "item ", "it"
	}
	return fault.Value("no finite utilities are best: no other item is ever %s %s%s; take a positive penalty, or leave %s out", how, items,
		listed(order, names), them)
}

// listed returns the names of items, or their numbers where they have none, ten at most.
func listed(items []int32, names []string) string {
	const most = 10
	shown := make([]string, 0, most+1)
	for _, u := range items[:min(most, len(items))] {
		if int(u) < len(names) {
			shown = append(shown, strconv.Quote(names[u]))
		} else {
			shown = append(shown, strconv.Itoa(int(u)))
		}
	}
	if len(items) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}
