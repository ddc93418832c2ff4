package kernel

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	// panelRows is the number of rows whose inner products are computed before they become kernel values.
	panelRows = 256
	// grainValues is the number of kernel values that a worker takes at a time.
	grainValues = 1 << 14
	// pollTerms is the number of terms that are summed between two looks at the monitor: some milliseconds.
	pollTerms = 1 << 21
	// mirrorTile is the side of the squares in which a triangle is copied to the other.
	mirrorTile = 64
)

// Matrix computes kernel values of rows with the rows y, of which it keeps what does not depend on the others.
type Matrix struct {
	f       Function
	y       Rows
	columns *linalg.Sparse // the transpose of sparse y
	norms   []float64      // RBF: ‖y‖²; Laplacian: ‖y‖₁; Cosine: ‖y‖
	origin  *origin        // of dense y, where it is needed
	inverse []float64      // Cosine: 1/‖y‖, 0 for ‖y‖ = 0; nil where a length is out of the range in which that is accurate
}

// New prepares kernel values with the rows y. They are neither copied, unless they are sparse or far from the origin, nor
// written to. Cost: O(m p) for m rows of p features, or O(nnz + p) for sparse ones.
func New(f Function, y Rows) (*Matrix, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if err := y.Check(); err != nil {
		return nil, err
	}
	k := &Matrix{f: f, y: canonical(y)}
	if y.Sparse != nil {
		turned := k.y.Sparse.Transpose()
		k.columns = &turned
	}
	k.norms = f.norms(k.y)
	if f.Kind == Cosine {
		k.inverse = inverses(k.norms)
	}
	if f.Kind == RBF && y.Sparse == nil && y.Len() > 0 {
		k.origin = newOrigin(y.Dense, k.norms, f.Gamma)
	}
	return k, nil
}

// Options are how a matrix is computed.
type Options struct {
	First   int // the number by which errors call the first row
	Workers int
	// Monitor counts rows, unless the caller does that itself.
	Monitor   *parallel.Monitor
	Uncounted bool
}

// done counts rows.
func (o Options) done(rows int) {
	if !o.Uncounted {
		o.Monitor.Advance(rows)
	}
}

// Len returns the number of rows y.
func (k *Matrix) Len() int { return k.y.Len() }

// ValuesTo writes k(x_i, y_j) to dst, of a row for each row of x and a column for each row of y. A value that is NaN or infinite is
// an error that names row and column.
//
// Cost: O(n m p) for dense rows; for sparse ones the number of pairs of entries in equal columns. Results do not depend on workers,
// nor on which rows are computed together, up to rounding in the products of dense rows.
func (k *Matrix) ValuesTo(dst linalg.Matrix[float64], x Rows, o Options) error {
	return valuesTo(k, dst, x, o)
}

// SinglesTo is ValuesTo in single precision, in which what would overflow is an error, too. Values are computed in double precision.
func (k *Matrix) SinglesTo(dst linalg.Matrix[float32], x Rows, o Options) error {
	return valuesTo(k, dst, x, o)
}

// GramTo writes the matrix of the rows y with themselves to dst, symmetric and with an exact diagonal. Otherwise it is as ValuesTo, at
// half the cost.
func (k *Matrix) GramTo(dst linalg.Matrix[float64], o Options) error { return gramTo(k, dst, o) }

// SingleGramTo is GramTo as SinglesTo is ValuesTo.
func (k *Matrix) SingleGramTo(dst linalg.Matrix[float32], o Options) error { return gramTo(k, dst, o) }

func valuesTo[T linalg.Float](k *Matrix, dst linalg.Matrix[T], x Rows, o Options) error {
	if err := x.Check(); err != nil {
		return err
	}
	n, m := x.Len(), k.Len()
	if x.Features() != k.y.Features() {
		return fault.Value("rows have %d features, those they are compared with %d", x.Features(), k.y.Features())
	}
	if dst.Rows != n || dst.Cols != m {
		return fault.Value("dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, n, m)
	}
	return fill(k, dst, canonical(x), false, o)
}

func gramTo[T linalg.Float](k *Matrix, dst linalg.Matrix[T], o Options) error {
	n := k.Len()
	if dst.Rows != n || dst.Cols != n {
		return fault.Value("dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, n, n)
	}
	if err := fill(k, dst, k.y, true, o); err != nil {
		if fault.RowOf(err) != fault.NoRow { // one row before may have such a value beyond the diagonal
			if first := fill(k, dst, k.y, false, o); first != nil {
				return first
			}
		}
		return err
	}
	return mirror(dst, o.Workers, o.Monitor)
}

// fill writes the values of x with all of y, or, for x = y itself, those up to the diagonal.
func fill[T linalg.Float](k *Matrix, dst linalg.Matrix[T], x Rows, itself bool, o Options) error {
	wide, double := any(dst).(matrix)
	if !double {
		wide = linalg.NewMatrix[float64](min(x.Len(), panelRows), dst.Cols)
	}
	n, mon := x.Len(), o.Monitor
	var buffer matrix // of rows seen from the origin
	for lo := 0; lo < n; lo += panelRows {
		p := panel{x: x.Slice(lo, min(lo+panelRows, n)), others: k.norms, lo: lo, itself: itself}
		width := k.Len()
		if itself {
			width = lo + p.x.Len()
		}
		if p.dst = wide.Slice(0, p.x.Len(), 0, width); double {
			p.dst = wide.Slice(lo, lo+p.x.Len(), 0, width)
		}
		p.own = k.f.norms(p.x)
		if x.Sparse == nil && k.y.Sparse == nil && k.f.Kind != Laplacian {
			left, right := p.x.Dense, k.y.Dense
			if k.origin != nil {
				if buffer.Rows == 0 {
					buffer = linalg.NewMatrix[float64](min(n, panelRows), x.Features())
				}
				left = buffer.Slice(0, left.Rows, 0, left.Cols)
				k.origin.from(left, p.x.Dense)
				right, p.own, p.others = k.origin.y, squares(left), k.origin.norms
			}
			if err := productsTo(p.dst, left, right, mon); err != nil {
				return err
			}
		}
		grain := max(1, grainValues/max(width, 1))
		if err := parallel.For(p.x.Len(), grain, o.Workers, nil, func(from, to int) error {
			for i := from; i < to; i++ {
				if err := mon.Err(); err != nil {
					return err
				}
				if err := k.finish(&p, i, mon); err != nil {
					return err
				}
				values := p.values(i)
				if !double {
					single := dst.Row(lo + i)[:len(values)]
					for j, v := range values {
						single[j] = T(v)
						values[j] = float64(single[j])
					}
				}
				if err := k.f.finite(values, o.First+lo+i); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		o.done(p.x.Len())
	}
	return nil
}

// panel are rows x, of numbers from lo on, and what their kernel values are made of.
type panel struct {
	x           Rows
	lo          int
	itself      bool      // x are rows of y, whose values are wanted up to the diagonal
	dst         matrix    // inner products, then kernel values
	own, others []float64 // norms of x and y, of RBF as the inner products see them
}

// values returns the values of row i that are wanted.
func (p *panel) values(i int) []float64 {
	if p.itself {
		return p.dst.Row(i)[:p.lo+i+1]
	}
	return p.dst.Row(i)
}

// finish writes the kernel values of row i of the panel, from inner products where both sides are dense. The monitor is asked after
// some pollTerms terms of those that are computed here.
func (k *Matrix) finish(p *panel, i int, mon *parallel.Monitor) error {
	all, x := p.values(i), rowAt(p.x, i)
	if k.columns != nil {
		if err := k.scatter(all, x, mon); err != nil {
			return err
		}
	}
	step := max(1, pollTerms/max(1, p.x.Features()))
	for from := 0; from < len(all); from += step {
		if err := mon.Err(); err != nil {
			return err
		}
		k.finishPart(all[from:min(from+step, len(all))], x, p, i, from)
	}
	if p.itself && k.f.Kind == Cosine && p.own[i] > 0 && p.own[i]-p.own[i] == 0 {
		all[p.lo+i] = 1
	}
	return nil
}

// finishPart is finish for the values from column first on.
func (k *Matrix) finishPart(values []float64, x row, p *panel, i, first int) {
	switch {
	case k.columns != nil:
	case x.sparse:
		for j := range values {
			if y := k.y.Dense.Row(first + j); k.f.Kind == Laplacian {
				values[j] = gatherSmaller(x, y)
			} else {
				values[j] = linalg.Gather(x.columns, x.values, y)
			}
		}
	case k.f.Kind == Laplacian:
		absoluteDistances(values, x.values, k.y.Dense.Slice(first, first+len(values), 0, k.y.Dense.Cols))
		for j, v := range values {
			values[j] = exp(-k.f.Gamma * v)
		}
		return
	}
	switch k.f.Kind {
	case Polynomial:
		k.f.powers(values)
	case RBF:
		k.distanceRow(values, x, p.own[i], p.others, first, squaredDistance)
	case Laplacian:
		k.distanceRow(values, x, p.own[i], p.others, first, absoluteDistance)
	case Cosine:
		k.cosineRow(values, x, p.own[i], first)
	}
}

// Lengths between these have a product, and squares, that neither overflow nor underflow.
const leastLength, largestLength = 0x1p-500, 0x1p500

// inverses returns 1/v, and 0 for 0; nil where a v is not between those.
func inverses(lengths []float64) []float64 {
	out := make([]float64, len(lengths))
	for j, v := range lengths {
		if v == 0 {
			continue
		}
		if !(v > leastLength && v < largestLength) {
			return nil
		}
		out[j] = 1 / v
	}
	return out
}

// cosineRow overwrites the inner products with the rows of y from number first on by cosines. length is ‖x‖.
func (k *Matrix) cosineRow(values []float64, x row, length float64, first int) {
	plain := length > leastLength && length < largestLength
	if plain && k.inverse != nil {
		by := 1 / length
		for j, other := range k.inverse[first : first+len(values)] {
			v := values[j] * (by * other)
			if v > 1 {
				v = 1
			} else if v < -1 {
				v = -1
			}
			values[j] = v
		}
		return
	}
	for j, v := range values {
		other := k.norms[first+j]
		switch {
		case length == 0 || other == 0:
			v = 0
		case plain && other > leastLength && other < largestLength:
			v /= length * other
		default:
			v = cosine(x, rowAt(k.y, first+j), length, other)
		}
		if v > 1 { // the built-in min and max are several times slower
			v = 1
		} else if v < -1 {
			v = -1
		}
		values[j] = v
	}
}

// finite returns an error that names the first value that is NaN or infinite.
func (f Function) finite(values []float64, row int) error {
	if sum := floats.Sum(values); sum-sum == 0 { // several times faster; a sum may overflow where no value does
		return nil
	}
	for j, v := range values {
		if v != v && f.rooted() {
			return fault.At(row, fault.Wrap("a kernel value is nan in column %d: %w", j, &RootError{f.Degree}))
		}
		if v-v != 0 {
			return fault.At(row, fault.Value("kernel values overflow to NaN or infinity: %s in column %d; scale the inputs, or "+
				"lower gamma or degree", strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+")), j))
		}
	}
	return nil
}

// mirror copies the triangle below the diagonal to the one above.
func mirror[T linalg.Float](dst linalg.Matrix[T], workers int, mon *parallel.Monitor) error {
	n := dst.Rows
	// Without a monitor, which would count the rows twice.
	return parallel.For(n, mirrorTile, workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		for j0 := 0; j0 < hi; j0 += mirrorTile {
			for i := lo; i < hi; i++ {
				for j, v := range dst.Row(i)[j0:min(j0+mirrorTile, i)] {
					dst.Data[(j0+j)*dst.Stride+i] = v
				}
			}
		}
		return nil
	})
}
