package kernel

import (
	"math"
	"math/bits"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// MostItems bounds the items of orders: the pairs of one order then fit 32 megabytes.
const MostItems = 1 << 14

// Orders are partial orders of the same items, as positions or as relations.
type Orders struct {
	N, Items int
	// Positions are N×Items numbers from 0 on, of which only the order counts: a smaller one is before a larger one. Ties give no
	// relation, nor do unknown positions, which are −1 or NaN.
	Positions []float64
	// Signs, where there are no Positions, has N rows with an entry for each pair u < v, in lexicographic order: 1 where u is before
	// v, −1 where v is before u, 0 where neither is said. What follows from the relations need not be given.
	Signs []int8
}

// check returns an error unless the slices have the right lengths.
func (o *Orders) check() error {
	if o.N < 0 || o.Items < 2 || o.Items > MostItems {
		return fault.Value("there are %d orders of %d items, items must be from 2 to %d", o.N, o.Items, MostItems)
	}
	if want := o.N * o.Items; o.Positions != nil && len(o.Positions) != want {
		return fault.Value("there are %d positions, must be %d", len(o.Positions), want)
	}
	if want := o.N * pairs(o.Items); o.Positions == nil && len(o.Signs) != want {
		return fault.Value("there are %d signs of pairs, must be %d", len(o.Signs), want)
	}
	return nil
}

func pairs(items int) int { return items * (items - 1) / 2 }

// relations are orders as bits of pairs u < v in lexicographic order: words that say which pairs are related, each followed by one
// that says which of these have v before u.
type relations struct {
	items, words int
	bits         []uint64
}

func (r *relations) row(i int) []uint64 { return r.bits[2*r.words*i : 2*r.words*(i+1)] }

// set adds a relation of the pair with the given index to a row.
func set(row []uint64, pair int, reversed bool) {
	at, bit := pair>>6<<1, uint64(1)<<(pair&63)
	row[at] |= bit
	if reversed {
		row[at+1] |= bit
	}
}

// size returns how many pairs of a row are related.
func size(row []uint64) int {
	var count int
	for k := 0; k < len(row); k += 2 {
		count += bits.OnesCount64(row[k])
	}
	return count
}

// agreement returns in how many pairs two rows agree, and in how many they contradict each other.
func agreement(a, b []uint64) (same, opposite int) {
	b = b[:len(a)]
	for k := 0; k+1 < len(a); k += 2 {
		both := a[k] & b[k]
		same += bits.OnesCount64(both)
		opposite += bits.OnesCount64(both & (a[k+1] ^ b[k+1]))
	}
	return same - opposite, opposite
}

// reader is what kernels compare: relations or predecessors.
type reader struct {
	relations    *relations
	predecessors []int32 // how many items are before each, N×Items
}

// read reads orders, the argument of that name: relations where wanted, predecessors otherwise. An illegal row is an error that names it.
// Cost: O(Items log Items) a row for positions' predecessors, O(Items²) for their relations, O(Items³/64) for closing relations.
func (o *Orders) read(related bool, name string, workers int, mon *parallel.Monitor) (reader, error) {
	if err := o.check(); err != nil {
		return reader{}, fault.Wrap("%s: %w", name, err)
	}
	var r reader
	if related {
		words := (pairs(o.Items) + 63) / 64
		r.relations = &relations{items: o.Items, words: words, bits: make([]uint64, 2*words*o.N)}
	} else {
		r.predecessors = make([]int32, o.N*o.Items)
	}
	// Without a monitor, which would count the rows before those of the matrix.
	err := parallel.For(o.N, max(1, 1<<12/o.Items), workers, nil, func(lo, hi int) error {
		one := newOrderReader(o.Items)
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			read := one.signs
			if o.Positions != nil {
				read = one.positions
			}
			if err := read(o, r, i); err != nil {
				return fault.At(i, fault.Wrap("%s: %w", name, err))
			}
		}
		return nil
	})
	return r, err
}

// orderReader is work space for reading one row after the other.
type orderReader struct {
	items  int
	rank   []int32 // items before each, −1 for unknown positions
	order  []int
	before relation.Relation // of u to v where u is before v; empty until signs are read
}

func newOrderReader(items int) *orderReader {
	return &orderReader{items: items, rank: make([]int32, items), order: make([]int, 0, items)}
}

func (w *orderReader) positions(o *Orders, out reader, i int) error {
	values := o.Positions[i*w.items : (i+1)*w.items]
	w.order = w.order[:0]
	for u, v := range values {
		switch {
		case v == -1 || math.IsNaN(v):
			w.rank[u] = -1
			continue
		case !(v >= 0 && v <= math.MaxFloat64):
			return fault.Value("position %d is %g, must be finite and at least 0, or -1 where it is unknown", u, v)
		}
		w.order = append(w.order, u)
	}
	slices.SortFunc(w.order, func(a, b int) int {
		if values[a] < values[b] {
			return -1
		}
		if values[a] > values[b] {
			return 1
		}
		return 0
	})
	for at, u := range w.order {
		w.rank[u] = int32(at)
		if at > 0 && values[w.order[at-1]] == values[u] {
			w.rank[u] = w.rank[w.order[at-1]]
		}
	}
	if out.relations == nil {
		to := out.predecessors[i*w.items : (i+1)*w.items]
		for u, rank := range w.rank {
			to[u] = max(rank, 0)
		}
		return nil
	}
	row := out.relations.row(i)
	pair := 0
	for u, first := range w.rank {
		for _, second := range w.rank[u+1:] {
			if first >= 0 && second >= 0 && first != second {
				set(row, pair, second < first)
			}
			pair++
		}
	}
	return nil
}

func (w *orderReader) signs(o *Orders, out reader, i int) error {
	if w.before.Len() == 0 {
		w.before = relation.New(w.items)
	}
	w.before.Clear()
	all := o.Signs[i*pairs(w.items) : (i+1)*pairs(w.items)]
	pair := 0
	for u := range w.items {
		for v := u + 1; v < w.items; v++ {
			switch all[pair] {
			case 1:
				w.before.Add(u, v)
			case -1:
				w.before.Add(v, u)
			case 0:
			default:
				return fault.Value("the sign of pair %d is %d, must be -1, 0 or 1", pair, all[pair])
			}
			pair++
		}
	}
	w.before.Close()
	if u := w.before.Reflexive(); u >= 0 {
		return fault.Value("the relations lead from item %d back to it; leave one of them out", u)
	}
	if out.relations == nil {
		to := out.predecessors[i*w.items : (i+1)*w.items]
		for u := range w.items {
			for v := range w.before.Related(u) {
				to[v]++
			}
		}
		return nil
	}
	row := out.relations.row(i)
	pair = 0
	for u := range w.items {
		for v := u + 1; v < w.items; v++ {
			if w.before.Has(u, v) {
				set(row, pair, false)
			} else if w.before.Has(v, u) {
				set(row, pair, true)
			}
			pair++
		}
	}
	return nil
}

// signsOf returns relations as package extensions reads them.
func (r *relations) signsOf(from, to int) []int32 {
	p := pairs(r.items)
	out := make([]int32, 0, (to-from)*p)
	for i := from; i < to; i++ {
		row := r.row(i)
		for pair := range p {
			at, bit := pair>>6<<1, uint64(1)<<(pair&63)
			switch {
			case row[at]&bit == 0:
				out = append(out, 0)
			case row[at+1]&bit == 0:
				out = append(out, 1)
			default:
				out = append(out, -1)
			}
		}
	}
	return out
}
