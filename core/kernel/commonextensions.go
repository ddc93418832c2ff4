package kernel

import (
	"fmt"
	"math"

	"combpred/core/badrow"
	"combpred/core/extensions"
	"combpred/core/parallel"
)

// wholeLog is the logarithm below which that of a count tells a whole number exactly.
const wholeLog = 30.0

// CommonLogsTo writes the logarithms of the numbers of linear extensions that each row of x and each row of y (nil: x) have in common
// to dst, −Inf for none, and NaN where Count of package extensions needs more than most downsets. Orders have at most
// extensions.MostElements items. The monitor counts rows.
//
// Cost: that of a count for each pair of rows.
func CommonLogsTo(dst []float64, x, y *Orders, most, workers int, mon *parallel.Monitor) error {
	if x.Items > extensions.MostElements {
		return fmt.Errorf("kernel: orders have %d items, linear extensions are counted of at most %d", x.Items, extensions.MostElements)
	}
	rows, err := x.read(true, "x", workers, mon)
	if err != nil {
		return err
	}
	var right []int32
	if y != nil {
		columns, err := y.read(true, "y", workers, mon)
		if err != nil {
			return err
		}
		right = columns.relations.signsOf(0, y.N)
	}
	return extensions.Common(dst, rows.relations.signsOf(0, x.N), right, x.Items, most, workers, mon)
}

// OwnLogs returns the logarithm of the number of linear extensions of each row, NaN as in CommonLogsTo.
func OwnLogs(x *Orders, most, workers int, mon *parallel.Monitor) ([]float64, error) {
	rows, err := x.read(true, "x", workers, mon)
	if err != nil {
		return nil, err
	}
	out := make([]float64, x.N)
	err = parallel.For(x.N, 1, workers, nil, func(i, _ int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		return extensions.Common(out[i:i+1], rows.relations.signsOf(i, i+1), nil, x.Items, most, 1, nil)
	})
	return out, err
}

// ExponentialsTo overwrites logarithms of counts by the counts, whole numbers up to 10¹³, or, given the logarithms of the counts of
// rows and columns alone, by the counts over the roots of those. A count too large for a float64 is an error.
func ExponentialsTo(logs matrix, own, others []float64) error {
	for i := range logs.Rows {
		values := logs.Row(i)
		for j, v := range values {
			switch {
			case own != nil:
				values[j] = math.Exp(v - (own[i]+others[j])/2)
			case v < wholeLog:
				values[j] = math.Round(math.Exp(v))
			default:
				values[j] = math.Exp(v)
				if math.IsInf(values[j], 1) {
					return badrow.Named(i, "kernel: the count of row %d and column %d is about exp(%.6g), too large for a float: "+
						"normalise counts", i, j, v)
				}
			}
		}
	}
	return nil
}

// extensionsTo is OrdersTo for Extensions.
func extensionsTo(dst matrix, f OrderFunction, x, y *Orders, workers int, mon *parallel.Monitor) error {
	counts := matrix{Rows: dst.Rows, Cols: dst.Cols, Stride: max(dst.Cols, 1), Data: dst.Data[:min(len(dst.Data), dst.Rows*dst.Cols)]}
	if dst.Stride != counts.Stride {
		counts.Data = make([]float64, dst.Rows*dst.Cols)
	}
	if err := CommonLogsTo(counts.Data, x, y, f.MostDownsets, workers, mon); err != nil {
		return err
	}
	if !f.Logarithms {
		if err := countsTo(counts, f, x, y, workers, mon); err != nil {
			return err
		}
	}
	if dst.Stride != counts.Stride {
		dst.CopyFrom(counts)
	}
	return nil
}

// countsTo overwrites logarithms of common counts by the counts, normalised as f says.
func countsTo(logs matrix, f OrderFunction, x, y *Orders, workers int, mon *parallel.Monitor) error {
	if err := counted(logs, false); err != nil {
		return err
	}
	var own, others []float64
	if f.Normalize {
		var err error
		if own, err = ownCounted(x, f.MostDownsets, workers, mon); err != nil {
			return err
		}
		if others = own; y != nil {
			if others, err = ownCounted(y, f.MostDownsets, workers, mon); err != nil {
				return err
			}
		}
	}
	return ExponentialsTo(logs, own, others)
}

func ownCounted(x *Orders, most, workers int, mon *parallel.Monitor) ([]float64, error) {
	own, err := OwnLogs(x, most, workers, mon)
	if err != nil {
		return nil, err
	}
	return own, counted(matrix{Rows: len(own), Cols: 1, Stride: 1, Data: own}, true)
}

// CountError says that linear extensions could not be counted within the downsets allowed: those in common to a row of x and a row of
// the other argument, or, where Column is −1, those of one row alone.
type CountError struct{ Row, Column int }

func (e *CountError) Error() string {
	if e.Column < 0 {
		return fmt.Sprintf("kernel: the linear extensions of row %d, by which its counts are divided, cannot be counted exactly, as too many "+
			"downsets are connected", e.Row)
	}
	return fmt.Sprintf("kernel: the common linear extensions of row %d and row %d of the other argument cannot be counted exactly, as too "+
		"many downsets are connected", e.Row, e.Column)
}

// Status is that of the C interface.
func (e *CountError) Status() int32 { return 2 }

// counted returns an error about the first count that is not known.
func counted(logs matrix, alone bool) error {
	for i := range logs.Rows {
		for j, v := range logs.Row(i) {
			if math.IsNaN(v) {
				if alone {
					j = -1
				}
				return badrow.Named(i, "kernel: %w", &CountError{i, j})
			}
		}
	}
	return nil
}
