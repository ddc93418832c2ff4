package fit

import (
	"errors"

	"combpred/core/fault"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve/sgd"
	"combpred/core/structure"
)

// cachedBytes is the size of the largest kernel matrix that is kept from pass to pass.
const cachedBytes = 1 << 28

// Grow takes steps in the coefficients of a support of rows, in passes: see sgd.Growth. The kernel has first rows that are in the support
// alone, and those of targets after them. A row that a pass visits c times has the c-th part of its weight in each. The largest curvature
// of a row comes back, too.
func (o Ridge) Grow(space structure.Space, k sgd.Kernel, first int, targets Targets, stream Stream, passes sgd.Passes, support *sgd.Support,
	mon *parallel.Monitor) (done sgd.Outcome, curvature float64, err error) {
	if err := stream.check(passes); err != nil {
		return done, 0, err
	}
	visits, err := perVisit(targets, passes.Order)
	if err != nil {
		return done, 0, err
	}
	if support.Len < 0 || support.Len > support.Coef.Rows || len(support.Rows) != support.Coef.Rows || support.Most < 0 {
		return done, 0, fault.Value("the support has %d rows of at most %d, with room for %d", support.Len, support.Most, support.Coef.Rows)
	}
	state := Descent{support.Coef, support.Average, support.Velocity, support.Gains}
	for _, m := range []*linalg.Matrix[float64]{&state.Coef, &state.Average, &state.Velocity} {
		if m.Rows > 0 {
			*m = m.Slice(0, support.Len, 0, m.Cols)
		}
	}
	p, err := o.descent(space, visits, state, support.Len, mon)
	if err != nil {
		return done, 0, err
	}
	passes.Weights = visits.Weights
	growth := sgd.Growth{Problem: p, Kernel: k, First: first, Shift: o.Shift, Eta: stream.Eta, Seen: stream.Seen,
		Curvature: stream.Curvature, Passes: passes, Support: support}
	done, err = growth.Run()
	return done, growth.Curvature, err
}

// RowKernel gives the values of a function of rows.
type RowKernel struct {
	function kernel.Function
	x        kernel.Rows
	first    int
	keep     bool
	whole    *MatrixKernel
	options  kernel.Options
}

// NewRowKernel returns the kernel of rows x, of which those before first are in the support alone. Where all rows stay in it and are passed
// over several times, their kernel matrix is computed once, if it is of moderate size.
func NewRowKernel(f kernel.Function, x kernel.Rows, first int, repeated bool, workers int, mon *parallel.Monitor) (*RowKernel, error) {
	n := x.Len()
	k := &RowKernel{function: f, x: x, first: first, keep: repeated && n <= cachedBytes/8/max(n, 1),
		options: kernel.Options{Workers: workers, Monitor: mon, Uncounted: true}}
	return k, fault.First(f.Check(), x.Check())
}

// ValuesTo writes the values of each row with each column to dst.
func (k *RowKernel) ValuesTo(dst linalg.Matrix[float64], rows, columns []int64) error {
	if k.keep && k.whole == nil {
		n := k.x.Len()
		whole := &MatrixKernel{linalg.NewMatrix[float64](n, n)}
		values, err := kernel.New(k.function, k.x)
		if err == nil {
			err = values.GramTo(whole.Values, k.options)
		}
		if err != nil {
			return err
		}
		k.whole = whole
	}
	if k.whole != nil {
		return k.whole.ValuesTo(dst, rows, columns)
	}
	values, err := kernel.New(k.function, k.x.Take(columns))
	if err != nil {
		return err
	}
	return k.named(values.ValuesTo(dst, k.x.Take(rows), k.options), rows)
}

// DiagonalTo writes the value of each row with itself to dst.
func (k *RowKernel) DiagonalTo(dst []float64, rows []int64) error {
	for t := range rows {
		if dst[t] = 1; k.function.Kind == kernel.RBF || k.function.Kind == kernel.Laplacian {
			continue
		}
		one := linalg.Matrix[float64]{Rows: 1, Cols: 1, Stride: 1, Data: dst[t : t+1]}
		x := k.x.Take(rows[t : t+1])
		values, err := kernel.New(k.function, x)
		if err == nil {
			err = values.ValuesTo(one, x, k.options)
		}
		if err = k.named(err, rows[t:t+1]); err != nil {
			return err
		}
	}
	return nil
}

// named says of an error which row it is about.
func (k *RowKernel) named(err error, rows []int64) error {
	if bad := fault.RowOf(err); bad != fault.NoRow {
		row := int(rows[bad]) - k.first
		if root, ok := errors.AsType[*kernel.RootError](err); ok {
			return fault.At(row, fault.Value("a kernel value is nan: %w", root))
		}
		return fault.At(row, fault.Value("its kernel values overflow to NaN or infinity; scale the inputs, or "+
			"lower gamma or degree"))
	}
	return err
}

// MatrixKernel gives the values of a kernel matrix.
type MatrixKernel struct {
	Values linalg.Matrix[float64]
}

// ValuesTo writes the values of each row with each column to dst.
func (k *MatrixKernel) ValuesTo(dst linalg.Matrix[float64], rows, columns []int64) error {
	for t, i := range rows {
		from, to := k.Values.Row(int(i)), dst.Row(t)
		for j, column := range columns {
			to[j] = from[column]
		}
	}
	return nil
}

// DiagonalTo writes the value of each row with itself to dst.
func (k *MatrixKernel) DiagonalTo(dst []float64, rows []int64) error {
	for t, i := range rows {
		dst[t] = k.Values.Row(int(i))[i]
	}
	return nil
}
