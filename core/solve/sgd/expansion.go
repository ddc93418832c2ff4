package sgd

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Visits say which coefficients of an expansion the steps move: step t that of slot At[t], after which slot Drop[t] is left out, unless
// that is negative.
type Visits struct {
	Kernel matrix // between the rows of the steps and of the slots
	Shift  float64
	At     []int64
	Drop   []int64
}

// Check returns an error unless all slots exist.
func (v Visits) Check() error {
	slots := int64(v.Kernel.Cols)
	for t, at := range v.At {
		if at < 0 || at >= slots {
			return fault.Value("step %d visits slot %d, must be from 0 to %d", t, at, slots-1)
		}
		if v.Drop[t] >= slots {
			return fault.Value("step %d drops slot %d, must be below %d", t, v.Drop[t], slots)
		}
	}
	return nil
}

// touched are the slots that steps move, renumbered, with their part of the kernel matrix: all that a step has to look at,
// once the products with the other coefficients are known.
type touched struct {
	slots  []int
	kernel matrix // steps × slots
	at     []int
	left   []int // out, -1: nothing
}

func newTouched(v Visits) *touched {
	out := &touched{at: make([]int, len(v.At)), left: make([]int, len(v.At))}
	number := map[int64]int{}
	of := func(slot int64) int {
		n, known := number[slot]
		if !known {
			n = len(out.slots)
			number[slot] = n
			out.slots = append(out.slots, int(slot))
		}
		return n
	}
	for t, slot := range v.At {
		out.at[t], out.left[t] = of(slot), -1
		if v.Drop[t] >= 0 {
			out.left[t] = of(v.Drop[t])
		}
	}
	out.kernel = linalg.NewMatrix[float64](len(v.At), len(out.slots))
	for t := range v.At {
		from, to := v.Kernel.Row(t), out.kernel.Row(t)
		for j, slot := range out.slots {
			to[j] = from[slot] + v.Shift
		}
	}
	return out
}

// expansion is a bank of coefficients of the support. Those that steps move are in coordinates, in own; the others stay in
// psi, in the space of ψ, where the rows of the former are zero.
type expansion struct {
	coord *solve.Coordinates
	psi   matrix
	base  matrix // values at the rows of the steps of what the other coefficients make up
	own   matrix
	live  []bool // of own: not zero
	*touched
}

// newExpansion takes over the coefficients psi; withValues says whether products are asked for.
func newExpansion(p *solve.Problem, v Visits, psi matrix, shared *touched, withValues bool) (*expansion, error) {
	e := &expansion{coord: p.Coord, psi: psi, touched: shared, own: linalg.NewMatrix[float64](len(shared.slots), p.Coord.Len()),
		live: make([]bool, len(shared.slots))}
	moved := linalg.NewMatrix[float64](len(shared.slots), psi.Cols)
	for j, slot := range shared.slots {
		row := psi.Row(slot)
		for _, x := range row {
			e.live[j] = e.live[j] || x != 0
		}
		copy(moved.Row(j), row)
		clear(row)
	}
	e.coord.AnalyzeTo(e.own, moved)
	if !withValues {
		return e, nil
	}
	values := linalg.NewMatrix[float64](len(v.At), psi.Cols)
	if err := linalg.GemmPolled(blas.NoTrans, v.Kernel, psi, values, p.Mon); err != nil {
		return nil, err
	}
	if v.Shift != 0 {
		total := make([]float64, psi.Cols)
		for i := range psi.Rows {
			linalg.Axpy(total, psi.Row(i), v.Shift)
		}
		for t := range values.Rows {
			linalg.Axpy(values.Row(t), total, 1)
		}
	}
	e.base = linalg.NewMatrix[float64](len(v.At), e.own.Cols)
	e.coord.AnalyzeTo(e.base, values)
	return e, nil
}

func (e *expansion) productTo(dst []float64, t int) {
	copy(dst, e.base.Row(t))
	for j, k := range e.kernel.Row(t) {
		if e.live[j] {
			linalg.Axpy(dst, e.own.Row(j), k)
		}
	}
}

func (e *expansion) add(t int, delta []float64) {
	linalg.Axpy(e.own.Row(e.at[t]), delta, 1)
	e.live[e.at[t]] = true
}

func (e *expansion) drop(t int) {
	if j := e.left[t]; j >= 0 {
		clear(e.own.Row(j))
		e.live[j] = false
	}
}

func (e *expansion) combine(a []float64, other bank, b []float64) {
	scaleRows(e.own, a)
	scaleRows(e.base, a)
	e.scaleOthers(e.psi, a)
	if other == nil {
		return
	}
	o := other.(*expansion)
	addScaled(e.own, o.own, b)
	if e.base.Rows > 0 {
		addScaled(e.base, o.base, b)
	}
	if v, same := uniform(b); same {
		for i := range e.psi.Rows {
			linalg.Axpy(e.psi.Row(i), o.psi.Row(i), v)
		}
	} else {
		scaled := linalg.NewMatrix[float64](o.psi.Rows, o.psi.Cols)
		scaled.CopyFrom(o.psi)
		e.scaleOthers(scaled, b)
		for i := range e.psi.Rows {
			linalg.Axpy(e.psi.Row(i), scaled.Row(i), 1)
		}
	}
	for j := range e.live {
		e.live[j] = e.live[j] || o.live[j]
	}
}

// scaleOthers multiplies vectors in the space of ψ by a in coordinates.
func (e *expansion) scaleOthers(psi matrix, a []float64) {
	if v, same := uniform(a); same {
		if v != 1 {
			for i := range psi.Rows {
				linalg.ScaleTo(psi.Row(i), v, psi.Row(i))
			}
		}
		return
	}
	for lo := 0; lo < psi.Rows; lo += solve.RowGrain {
		block := psi.Slice(lo, min(lo+solve.RowGrain, psi.Rows), 0, psi.Cols)
		coordinates := linalg.NewMatrix[float64](block.Rows, len(a))
		e.coord.AnalyzeTo(coordinates, block)
		scaleRows(coordinates, a)
		e.coord.SynthesizeTo(block, coordinates)
	}
}

func (e *expansion) store() {
	moved := linalg.NewMatrix[float64](e.own.Rows, e.psi.Cols)
	e.coord.SynthesizeTo(moved, e.own)
	for j, slot := range e.slots {
		copy(e.psi.Row(slot), moved.Row(j))
	}
}

func scaleRows(m matrix, a []float64) {
	for i := range m.Rows {
		for j := range m.Row(i) {
			m.Row(i)[j] *= a[j]
		}
	}
}

func addScaled(dst, m matrix, a []float64) {
	for i := range dst.Rows {
		row := dst.Row(i)
		for j, v := range m.Row(i) {
			row[j] += a[j] * v
		}
	}
}

// uniform returns the value of all entries of a, and whether they are the same.
func uniform(a []float64) (float64, bool) {
	for _, v := range a {
		if v != a[0] {
			return 0, false
		}
	}
	if len(a) == 0 {
		return 1, true
	}
	return a[0], true
}

// DescendInExpansion takes one step on each row of p. coef, average and velocity (slots × d; the latter two may have no
// rows) are changed in place, and so are gains (d). It returns the sum of the losses, each before its step. Cost: that of a
// product of the kernel matrix with the coefficients, and of the rows with each other's.
func DescendInExpansion(p *solve.Problem, steps StepSizes, v Visits, coef, average, velocity matrix, gains []float64) (float64, error) {
	if err := steps.check(); err != nil {
		return 0, err
	}
	if err := v.Check(); err != nil {
		return 0, err
	}
	shared := newTouched(v)
	d, err := prepare(p, steps, func(m matrix, withValues bool) (bank, error) {
		return newExpansion(p, v, m, shared, withValues)
	}, coef, average, velocity, gains)
	if err != nil {
		return 0, err
	}
	if err := d.Run(); err != nil {
		return 0, err
	}
	if d.meta != nil {
		d.meta.gainsTo(gains)
	}
	return d.Loss, nil
}
