package predict

import (
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// magnitude is the score of the squares of the entries of ψ in a pre-image.
const magnitude = -0.5

// ScoresTo writes f(x) of every row to dst, of a column for each entry of ψ. Kernel values or scores that overflow are an error that
// names the row.
//
// Cost for n rows: O(n p d); with a kernel, n m kernel values and O(n m d).
func (m *Model) ScoresTo(dst linalg.Matrix[float64], x Inputs, o Options) error {
	if dst.Rows != x.Len() || dst.Cols != m.Space.FeatureLen() {
		return fault.Value("dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, x.Len(), m.Space.FeatureLen())
	}
	return m.blocks(x, o, func(lo, hi int) matrix { return dst.Slice(lo, hi, 0, dst.Cols) }, func(lo, hi int, _ matrix) error {
		o.Monitor.Advance(hi - lo)
		return nil
	})
}

// Blocks calls f with f(x) of some rows after the other: those of rows [lo, hi), in memory that f may write to and that is used again
// for the next ones.
func (m *Model) Blocks(x Inputs, o Options, f func(lo, hi int, scores linalg.Matrix[float64]) error) error {
	d := m.Space.FeatureLen()
	buffer := linalg.NewMatrix[float64](min(x.Len(), m.blockRows(x)), d)
	return m.blocks(x, o, func(lo, hi int) matrix { return buffer.Slice(0, hi-lo, 0, d) }, f)
}

// PredictTo writes the output of largest score of every row to dst, of PartLen numbers a row, and, unless certs is nil, its
// certificate to certs, as decode.Batch does. Unless scores has no rows it gets f(x), as of ScoresTo.
//
// The random decoders have a stream for each row that follows from its features and the seed: the prediction for x depends neither on other
// rows, nor on the size of blocks or workers, and equal rows have equal predictions.
//
// Cost: that of ScoresTo, and n decodings.
func (m *Model) PredictTo(dst []int32, certs []structure.Certificate, scores linalg.Matrix[float64], x Inputs, o Options) error {
	n, parts := x.Len(), m.Space.PartLen()
	switch {
	case len(dst) != n*parts:
		return fault.Value("dst has %d entries, %d outputs of %d parts need %d", len(dst), n, parts, n*parts)
	case certs != nil && len(certs) != n:
		return fault.Value("certs has %d entries, must have %d", len(certs), n)
	case scores.Rows != 0 && (scores.Rows != n || scores.Cols != m.Space.FeatureLen()):
		return fault.Value("scores is %d×%d, must be %d×%d", scores.Rows, scores.Cols, n, m.Space.FeatureLen())
	}
	if o.Method.Random() {
		o.streams = make([]uint64, n)
	}
	return m.decoded(scores, x, o, func(lo, hi int, linear, squares matrix) error {
		var own []structure.Certificate
		var streams []uint64
		if o.streams != nil {
			streams = o.streams[lo:hi]
		}
		if certs != nil {
			own = certs[lo:hi]
		}
		err := decode.BatchStreams(structure.OneSpace(m.Space, linalg.General(linear), linalg.General(squares)), o.Method, o.Seed, streams,
			dst[lo*parts:hi*parts], own, o.Workers, o.Monitor)
		return shifted(err, o.First+lo)
	})
}

// ValuesTo writes the score of a given output for every row to dst: what PredictTo maximises, ⟨f(x), ψ(y)⟩, ⟨Eψ, ψ(y)⟩ or, for a
// pre-image, ⟨Eψ, ψ(y)⟩ − ½‖ψ(y)‖². An output that is not legal is an error that names its row.
func (m *Model) ValuesTo(dst []float64, x Inputs, outputs []int32, o Options) error {
	n, parts, d := x.Len(), m.Space.PartLen(), m.Space.FeatureLen()
	switch {
	case len(dst) != n:
		return fault.Value("dst has %d entries, must have %d", len(dst), n)
	case len(outputs) != n*parts:
		return fault.Value("there are %d parts of outputs, %d outputs of %d parts need %d", len(outputs), n, parts, n*parts)
	}
	return m.decoded(matrix{}, x, o, func(lo, hi int, linear, squares matrix) error {
		return parallel.For(hi-lo, 16, o.Workers, o.Monitor, func(from, to int) error {
			psi := make([]float64, d)
			for i := from; i < to; i++ {
				y := outputs[(lo+i)*parts : (lo+i+1)*parts]
				if err := m.Space.Check(y); err != nil {
					return fault.At(o.First+lo+i, err)
				}
				m.Space.Embed(psi, y)
				value := linalg.Dot(psi, linear.Row(i))
				if squares.Rows > 0 {
					value += magnitude * linalg.Dot(psi, psi)
				}
				dst[lo+i] = value
			}
			return nil
		})
	})
}

// decoded calls f with what is decoded for some rows after the other: scores of ψ, and none or one row of scores of its squares. dst gets
// f(x), unless it has no rows.
func (m *Model) decoded(dst matrix, x Inputs, o Options, f func(lo, hi int, linear, squares matrix) error) error {
	var squares, expected matrix
	var mean []float64
	if e := m.Expected; e != nil {
		if err := m.Check(); err != nil { // that there is a mean
			return err
		}
		d := m.Space.FeatureLen()
		if e.PreImage {
			squares = linalg.NewMatrix[float64](1, d)
			for j := range squares.Data {
				squares.Data[j] = magnitude
			}
		}
		if mean = e.Mean; mean == nil {
			mean = make([]float64, d)
			m.Space.(structure.Momenter).Mean(mean)
		}
		if e.Covariance != nil {
			expected = linalg.NewMatrix[float64](min(x.Len(), m.blockRows(x)), d)
		}
	}
	return m.Blocks(x, o, func(lo, hi int, scores linalg.Matrix[float64]) error {
		if dst.Rows > 0 {
			dst.Slice(lo, hi, 0, dst.Cols).CopyFrom(scores)
		}
		if expected.Rows > 0 {
			products := expected.Slice(0, hi-lo, 0, expected.Cols)
			m.Expected.Covariance.CovarianceTo(products, scores)
			scores = products
		}
		if mean != nil {
			for i := range scores.Rows {
				linalg.Axpy(scores.Row(i), mean, 1)
				if m.Expected.Mode {
					m.Space.(structure.Moder).ModeScores(scores.Row(i))
				}
			}
		}
		return f(lo, hi, scores, squares)
	})
}

// blockRows returns how many rows a block has: as many as fill it with scores, kernel values or features, one at least.
func (m *Model) blockRows(x Inputs) int {
	if m.blockLength > 0 {
		return m.blockLength
	}
	return max(1, blockNumbers/max(1, m.Space.FeatureLen(), m.Coef.Rows, x.Features()))
}

// blocks writes f(x) of blocks of rows to the memory that into names, and calls f with it.
func (m *Model) blocks(x Inputs, o Options, into func(lo, hi int) matrix, f func(lo, hi int, scores matrix) error) error {
	if err := m.Check(); err != nil {
		return err
	}
	if err := x.Check(); err != nil {
		return err
	}
	n, step := x.Len(), m.blockRows(x)
	var values matrix
	if m.Kernel != nil {
		values = linalg.NewMatrix[float64](min(n, step), m.Coef.Rows)
	}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		scores, rows := into(lo, hi), x.Slice(lo, hi)
		if o.streams != nil {
			kernel.StreamsTo(o.streams[lo:hi], rows)
		}
		if err := m.scoresTo(scores, values, rows, o.First+lo, o); err != nil {
			return err
		}
		if err := f(lo, hi, scores); err != nil {
			return err
		}
	}
	return nil
}

// scoresTo writes f(x) of a block of rows, numbered from first on, to dst; values has room for their kernel values.
func (m *Model) scoresTo(dst, values matrix, x kernel.Rows, first int, o Options) error {
	err := requireFinite(x, first)
	if m.Kernel != nil && err == nil {
		values = values.Slice(0, x.Len(), 0, values.Cols)
		err = m.Kernel.ValuesTo(values, x, kernel.Options{First: first, Workers: o.Workers, Monitor: o.Monitor, Uncounted: true})
		x = kernel.Rows{Dense: values}
	}
	if err == nil {
		err = kernel.ProductTo(dst, x, m.Coef, o.Workers, o.Monitor)
	}
	if err != nil {
		return err
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		if m.Intercept != nil {
			linalg.Axpy(row, m.Intercept, 1)
		}
		for _, v := range row {
			if v-v != 0 {
				return fault.At(first+i, fault.Value("the scores overflow: scale the inputs as those of training were"))
			}
		}
	}
	return nil
}

// requireFinite returns an error that names the first entry of rows, numbered from first on, that is NaN or infinite.
func requireFinite(x kernel.Rows, first int) error {
	for i := range x.Len() {
		columns, values := []int32(nil), []float64(nil)
		if x.Sparse != nil {
			columns, values = x.Sparse.Row(i)
		} else {
			values = x.Dense.Row(i)
		}
		for j, v := range values {
			if v-v != 0 {
				if columns != nil {
					j = int(columns[j])
				}
				return fault.At(first+i, fault.Value("X holds %g in column %d: remove rows with NaN or infinity, or impute them", v, j))
			}
		}
	}
	return nil
}

// shifted returns an error about a row of a block as one about that row of all, where the block begins with row number first.
func shifted(err error, first int) error {
	return fault.Renumbered(err, func(row int) int { return row + first })
}
