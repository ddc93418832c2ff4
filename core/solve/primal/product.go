package primal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Direction is what a product with H − M is asked of. It lies in one slice, to be sent to where rows are.
type Direction struct {
	Data    []float64
	p, q, d int
}

const directionHeader = 2

// DirectionLen returns the length of the slice.
func (t *Task) DirectionLen(p int) int {
	return directionHeader + 2*p + t.weights(p)*len(t.Mean)
}

// NewDirection returns the direction in data, of length DirectionLen.
func (t *Task) NewDirection(data []float64, p int) Direction {
	if len(data) != t.DirectionLen(p) {
		panic("primal: a direction of a wrong length")
	}
	return Direction{data, p, t.weights(p), len(t.Mean)}
}

// Single says whether single precision will do, where the rows allow it.
func (v Direction) Single() bool { return v.Data[0] != 0 }

func (v Direction) setSingle(single bool) {
	v.Data[0] = 0
	if single {
		v.Data[0] = 1
	}
}

// unit returns the mean weight of the rows.
func (v Direction) unit() float64 { return v.Data[1] }

// centre and scale are those of the features.
func (v Direction) centre() []float64 { return v.Data[directionHeader:][:v.p] }
func (v Direction) scale() []float64  { return v.Data[directionHeader+v.p:][:v.p] }

// Weights returns the direction W itself.
func (v Direction) Weights() linalg.Matrix[float64] {
	return matrix{Rows: v.q, Cols: v.d, Stride: max(v.d, 1), Data: v.Data[directionHeader+2*v.p:]}
}

// AddProduct adds Σ_i w_i x_i ψ̃_iᵀ⟨ψ̃_i, Wᵀx_i⟩ over rows, which AddSums has seen, to dst (q×d). Cost for dense rows: 4qd operations each.
func (t *Task) AddProduct(dst linalg.Matrix[float64], v Direction, r *Rows, workers int, mon *parallel.Monitor) error {
	if dst.Rows != v.q || dst.Cols != v.d || dst.Stride != max(v.d, 1) {
		panic("primal: a product of a wrong shape")
	}
	pass := r.densePass
	if r.X.sparse() != nil || r.Psi.sparse() != nil {
		pass = r.sparsePass
	} else if v.Single() {
		pass = r.singlePass
	}
	err := r.each(v.q*v.d, workers, func(w *workspaces, dst []float64, lo, hi int) error {
		return pass(w, t, matrix{Rows: v.q, Cols: v.d, Stride: max(v.d, 1), Data: dst}, v, lo, hi, mon)
	}, dst.Data[:v.q*v.d])
	if err == nil && v.Single() {
		r.cache.filled()
	}
	return err
}

func (r *Rows) densePass(w *workspaces, t *Task, dst matrix, v Direction, lo, hi int, mon *parallel.Monitor) error {
	return addDense(&w.wide, &w.psi, t, r, dst, v, lo, hi, mon, r.X.wideTo)
}

func (r *Rows) singlePass(w *workspaces, t *Task, dst matrix, v Direction, lo, hi int, mon *parallel.Monitor) error {
	return addDense(&w.single, &w.psi, t, r, dst, v, lo, hi, mon, r.X.singleTo)
}

// addDense does the work in the precision T. In the features z = (x − c)/s, with a constant one, the direction is (sW, w₀ + Wᵀc), divided
// by its largest entry; a column Wμ is appended where μ is not 0, so that ψ̃ is never formed.
func addDense[T linalg.Float](w *workspace[T], psi *psiRows, t *Task, r *Rows, dst matrix, v Direction, lo, hi int,
	mon *parallel.Monitor, designTo func(dst linalg.Matrix[T], lo int, centre, factor []float64)) error {
	scaled, unit := standardised[T](t, v)
	if unit == 0 {
		return mon.Err()
	}
	q, width := scaled.Rows, scaled.Cols
	most := min(batchRows(v.p, v.d), hi-lo)
	design, scores := block(&w.design, most, q), block(&w.scores, most, width)
	product := linalg.NewMatrix[T](q, width)
	total := linalg.NewMatrix[float64](q, width)
	factor := make([]float64, v.p)
	for j, s := range v.scale() {
		factor[j] = 1 / s
	}
	kernel := puller[T]{d: v.d, centred: t.centred(), share: T(t.Share), unit: 1 / v.unit(), rows: r}
	err := r.batches(lo, hi, mon, func(lo, hi int) error {
		x, f := cachedDesign(r.cache, lo, hi, q, design), scores.Slice(0, hi-lo, 0, width)
		if x.Rows == 0 {
			x = design.Slice(0, hi-lo, 0, q)
			designTo(x, lo, v.centre(), factor)
			storeDesign(r.cache, x, lo)
		}
		if err := r.read(psi, lo, hi); err != nil {
			return err
		}
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, x, scaled, 0, f)
		kernel.pull(f, psi, lo)
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, x, f, 0, product)
		for k, y := range product.Data {
			total.Data[k] += float64(y)
		}
		return nil
	})
	unstandardise(t, dst, v, total, unit*v.unit())
	return err
}

// centred says whether μ is not 0.
func (t *Task) centred() bool {
	return slices.ContainsFunc(t.Mean, func(m float64) bool { return m != 0 })
}

// standardised returns the direction for standardised features, of p+1 rows, divided by the number unit: 0 where the direction is.
func standardised[T linalg.Float](t *Task, v Direction) (linalg.Matrix[T], float64) {
	centred, width := t.centred(), v.d
	if centred {
		width++
	}
	w, wide := v.Weights(), linalg.NewMatrix[float64](v.p+1, width)
	constant := wide.Row(v.p)
	if t.Intercept {
		copy(constant, w.Row(v.p))
	}
	for j := range v.p {
		linalg.Axpy(constant[:v.d], w.Row(j), v.centre()[j])
		linalg.ScaleTo(wide.Row(j), v.scale()[j], w.Row(j))
	}
	var unit float64
	for i := range wide.Rows {
		row := wide.Row(i)
		if centred {
			row[v.d] = linalg.Dot(t.Mean, row[:v.d])
		}
		for _, y := range row {
			unit = max(unit, math.Abs(y))
		}
	}
	if unit == 0 {
		return linalg.Matrix[T]{}, 0
	}
	out := linalg.NewMatrix[T](wide.Rows, width)
	for k, y := range wide.Data {
		out.Data[k] = T(y / unit)
	}
	return out, unit
}

// unstandardise adds the product for standardised features, times unit, to dst.
func unstandardise(t *Task, dst matrix, v Direction, total matrix, unit float64) {
	for i := range total.Rows {
		row := total.Row(i)
		linalg.ScaleTo(row, unit, row)
		if t.centred() { // ψ̃ = ψ − μ
			linalg.Axpy(row[:v.d], t.Mean, -row[v.d])
		}
	}
	constant := total.Row(v.p)[:v.d]
	for j := range v.p {
		linalg.Axpy(dst.Row(j), total.Row(j)[:v.d], v.scale()[j])
		linalg.Axpy(dst.Row(j), constant, v.centre()[j])
	}
	if t.Intercept {
		linalg.Axpy(dst.Row(v.p), constant, 1)
	}
}
