package decode

import (
	"encoding/binary"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Keyed are conditions in terms of the structure: the outputs of row i are those that satisfy All[First[i]:First[i+1]]. With one
// range, it is that of all rows.
type Keyed struct {
	First []int
	All   []structure.Condition
}

// Counting returns those of rows with weights, nil for 1 each: rows of weight 0 are held to nothing.
func (k *Keyed) Counting(weights []float64) *Keyed {
	if len(k.First) == 2 || len(k.First) != len(weights)+1 {
		return k
	}
	found := &Keyed{First: make([]int, 1, len(k.First))}
	for row, w := range weights {
		if w != 0 {
			found.All = append(found.All, ofRow(k.First, k.All, row)...)
		}
		found.First = append(found.First, len(found.All))
	}
	return found
}

// rowsRead is the number of rows whose conditions a worker reads at a time.
const rowsRead = 256

// Rows returns what the conditions of each of n rows come to, by its number, and what is wrong with them when they are asked for; or a
// *structure.CapabilityError. The function may be called by several goroutines.
func (k *Keyed) Rows(space structure.Space, n int) (func(row int) (structure.Restriction, error), error) {
	if err := rangesCheck(k.First, len(k.All), n); err != nil {
		return nil, err
	}
	return k.of(space)
}

// of is Rows without a check of the ranges.
func (k *Keyed) of(space structure.Space) (func(row int) (structure.Restriction, error), error) {
	r, ok := space.(structure.Restricter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "outputs that can be held to conditions by key"}
	}
	read := r.Restrict()
	return func(row int) (structure.Restriction, error) {
		if conditions := ofRow(k.First, k.All, row); len(conditions) > 0 {
			return read(conditions)
		}
		return structure.Restriction{Mask: structure.NewMask()}, nil
	}, nil
}

// RowsOf is Rows for the rows of a batch; the function is given the number of the space of the row, too.
func (k *Keyed) RowsOf(b *structure.Batch) (func(at, row int) (structure.Restriction, error), error) {
	if err := rangesCheck(k.First, len(k.All), b.Len()); err != nil {
		return nil, err
	}
	readers, err := structure.ForSpaces(b, func(_ int, s structure.Space) (func(row int) (structure.Restriction, error), error) {
		return k.of(s)
	})
	return func(at, row int) (structure.Restriction, error) { return readers[at](row) }, err
}

// Each calls f with the number of each row, or 0 alone where there is one range, and what its conditions come to. Its error names the
// first row whose conditions are illegal. f may be called by several goroutines.
func (k *Keyed) Each(space structure.Space, workers int, mon *parallel.Monitor, f func(row int, r structure.Restriction)) error {
	n := len(k.First) - 1
	of, err := k.Rows(space, n)
	if err != nil {
		return err
	}
	return parallel.For(n, rowsRead, workers, mon, func(lo, hi int) error {
		for row := lo; row < hi; row++ {
			if err := mon.Err(); err != nil {
				return err
			}
			r, err := of(row)
			if err != nil {
				return fault.At(row, err)
			}
			f(row, r)
		}
		return nil
	})
}

// Batch is that of Restricted.
func (k *Keyed) Batch(b *structure.Batch, method Method, dst []int32, certs []structure.Certificate, met []bool, workers int,
	mon *parallel.Monitor) error {
	if err := b.Check(); err != nil {
		return err
	}
	of, err := k.RowsOf(b)
	if err != nil {
		return err
	}
	return within(b, of, len(k.First) == 2, method, dst, certs, met, workers, mon)
}

// Arrange lists outputs, one after the other in y, as the conditions of their rows ask for. Its error names the first row whose conditions
// are illegal, or whose output does not satisfy them.
func (k *Keyed) Arrange(space structure.Space, y []int32, workers int, mon *parallel.Monitor) error {
	p := space.PartLen()
	of, err := k.Rows(space, len(y)/p)
	if err != nil {
		return err
	}
	if len(k.First) == 2 {
		r, err := of(0)
		if err != nil {
			return err
		}
		of = func(int) (structure.Restriction, error) { return r, nil }
	}
	return parallel.For(len(y)/p, rowsRead, workers, mon, func(lo, hi int) error {
		for row := lo; row < hi; row++ {
			r, err := of(row)
			if err == nil {
				err = r.Check(space, y[row*p:(row+1)*p])
			}
			if err = fault.First(err, mon.Err()); err != nil {
				return fault.At(row, err)
			}
			if r.List != nil {
				r.List(y[row*p : (row+1)*p])
			}
		}
		return nil
	})
}

// Held are rows of scores for the outputs that satisfy conditions.
type Held struct {
	*structure.Batch
	lists []func(y []int32) // of each space; nil: outputs stay as they are
}

// Within returns rows of the outputs that satisfy their conditions: those of equal conditions are of one space. Its error names the first
// row whose conditions are illegal, or are seen at once to leave no output.
func (k *Keyed) Within(b *structure.Batch) (Held, error) {
	of, err := k.RowsOf(b)
	if err != nil {
		return Held{Batch: b}, err
	}
	spaces, numbers, lists, err := k.within(b.Len(), b.Spaces(), b.At, b.Mixed(), of)
	h := Held{Batch: b, lists: lists}
	if err == nil {
		h.Batch, err = b.Among(spaces, numbers)
	}
	return h, err
}

// Spaces returns the spaces of the outputs that satisfy the conditions of each of n rows, and the number of that of each row; nil where one
// range is that of all. Errors are as those of Within.
func (k *Keyed) Spaces(space structure.Space, n int) (spaces []structure.Space, numbers []int32, err error) {
	read, err := k.Rows(space, n)
	if err != nil {
		return nil, nil, err
	}
	of := func(_, row int) (structure.Restriction, error) { return read(row) }
	spaces, numbers, _, err = k.within(n, []structure.Space{space}, func(int) int { return 0 }, false, of)
	return spaces, numbers, err
}

// within groups n rows of equal conditions on the outputs of the same of some spaces; lists are those of the restrictions.
func (k *Keyed) within(n int, of []structure.Space, at func(i int) int, mixed bool,
	read func(at, row int) (structure.Restriction, error)) (spaces []structure.Space, numbers []int32, lists []func([]int32), err error) {
	add := func(at, row int) error {
		r, err := read(at, row)
		if err != nil {
			return err
		}
		space, err := r.Within(of[at])
		spaces, lists = append(spaces, space), append(lists, r.List)
		return err
	}
	if len(k.First) == 2 && !mixed {
		err := add(0, 0)
		return spaces, nil, lists, err
	}
	known := map[string]int32{}
	numbers = make([]int32, n)
	for i := range numbers {
		name := binary.LittleEndian.AppendUint32(nil, uint32(at(i)))
		for _, c := range ofRow(k.First, k.All, i) {
			for _, v := range [3]int{int(c.Key), c.U, c.V} {
				name = binary.LittleEndian.AppendUint32(name, uint32(v))
			}
		}
		number, ok := known[string(name)]
		if !ok {
			if err := add(at(i), i); err != nil {
				return nil, nil, nil, fault.At(i, err)
			}
			number = int32(len(spaces) - 1)
			known[string(name)] = number
		}
		numbers[i] = number
	}
	return spaces, numbers, lists, nil
}

// List lists an output of row i as its conditions ask for.
func (h *Held) List(i int, y []int32) {
	if h.lists != nil && h.lists[h.At(i)] != nil {
		h.lists[h.At(i)](y)
	}
}
