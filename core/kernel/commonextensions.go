package kernel

import (
	"math"

	"combpred/core/extensions"
	"combpred/core/fault"
	"combpred/core/parallel"
)

// wholeLog is the logarithm below which that of a count tells a whole number exactly.
const wholeLog = 30.0

// commonLogsTo writes the logarithms of the numbers of linear extensions that each row of x and each row of y (nil: x) have in common
// to dst, −Inf for none, and what is beyond most downsets as extensions.Common says. Orders have at most
// extensions.MostElements items. The monitor counts rows, and orders drawn for estimates.
//
// Cost: that of a count for each pair of rows.
func commonLogsTo(dst []float64, x, y *Orders, most int, e *extensions.Estimation, workers int, mon *parallel.Monitor) error {
	if x.Items > extensions.MostElements {
		return fault.Value("orders have %d items, linear extensions are counted of at most %d", x.Items, extensions.MostElements)
	}
	rows, err := x.read(true, "X", workers, mon)
	if err != nil {
		return err
	}
	var right []int32
	if y != nil {
		columns, err := y.read(true, "Y", workers, mon)
		if err != nil {
			return err
		}
		right = columns.relations.signsOf(0, y.N)
	}
	return extensions.Common(dst, rows.relations.signsOf(0, x.N), right, x.Items, most, e, workers, mon)
}

// ownLogs returns the logarithm of the number of linear extensions of each row; the random streams of estimates begin with number first.
func ownLogs(x *Orders, most int, e *extensions.Estimation, first, workers int, mon *parallel.Monitor) ([]float64, error) {
	rows, err := x.read(true, "X", workers, mon)
	if err != nil {
		return nil, err
	}
	out := make([]float64, x.N)
	err = parallel.For(x.N, 1, workers, nil, func(i, _ int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		var own *extensions.Estimation
		if e != nil {
			own = &extensions.Estimation{Epsilon: e.Epsilon, Delta: e.Delta, Seed: e.Seed, First: first + i}
			defer func() { e.Count.Add(own.Count.Load()) }()
		}
		return extensions.Common(out[i:i+1], rows.relations.signsOf(i, i+1), nil, x.Items, most, own, max(1, workers/x.N), mon)
	})
	return out, err
}

// exponentialsTo overwrites logarithms of counts by the counts, whole numbers up to 10¹³, or, given the logarithms of the counts of
// rows and columns alone, by the counts over the roots of those. A count too large for a float64 is a numerical fault.
func exponentialsTo(logs matrix, own, others []float64) error {
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
					return fault.At(i, fault.Numerical("the count with row %d of the other argument is about exp(%.6g), too large for a "+
						"float: normalise counts", j, v))
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
	var e *extensions.Estimation
	if f.Epsilon > 0 {
		e = &extensions.Estimation{Epsilon: f.Epsilon, Delta: f.Delta / float64(entries(dst, y == nil, f.Normalize)), Seed: f.Seed}
	}
	if err := commonLogsTo(counts.Data, x, y, f.MostDownsets, e, workers, mon); err != nil {
		return err
	}
	if !f.Logarithms {
		if err := countsTo(counts, f, x, y, e, workers, mon); err != nil {
			return err
		}
	}
	if e != nil && f.Estimated != nil {
		*f.Estimated = e.Count.Load()
	}
	if dst.Stride != counts.Stride {
		dst.CopyFrom(counts)
	}
	return nil
}

// entries returns how many counts a matrix takes.
func entries(dst matrix, itself, normalised bool) int {
	switch n, m := dst.Rows, dst.Cols; {
	case itself:
		return max(1, n*(n+1)/2)
	case normalised:
		return max(1, n*m+n+m)
	default:
		return max(1, n*m)
	}
}

// countsTo overwrites logarithms of common counts by the counts, normalised as f says.
func countsTo(logs matrix, f OrderFunction, x, y *Orders, e *extensions.Estimation, workers int, mon *parallel.Monitor) error {
	if err := counted(logs, ""); err != nil {
		return err
	}
	if !f.Normalize {
		return exponentialsTo(logs, nil, nil)
	}
	if y == nil {
		own := make([]float64, logs.Rows)
		for i := range own {
			own[i] = logs.Row(i)[i]
		}
		return exponentialsTo(logs, own, own)
	}
	var logsOf [2][]float64
	first := logs.Rows * logs.Cols
	for side, orders := range [...]*Orders{x, y} {
		own, err := ownLogs(orders, f.MostDownsets, e, first, workers, mon)
		if err != nil {
			return err
		}
		if err := counted(matrix{Rows: len(own), Cols: 1, Stride: 1, Data: own}, "XY"[side:side+1]); err != nil {
			return err
		}
		logsOf[side] = own
		first += orders.N
	}
	return exponentialsTo(logs, logsOf[0], logsOf[1])
}

// counted returns an error about the first linear extensions that could not be counted within the downsets allowed: those in common to
// a row of x and a row of the other argument, or those of one row alone, of the argument of that name.
func counted(logs matrix, alone string) error {
	for i := range logs.Rows {
		for j, v := range logs.Row(i) {
			if math.IsNaN(v) {
				if alone != "" {
					return fault.At(i, fault.Capability("%s: its linear extensions, by which normalize divides, cannot be counted "+
						"exactly, as too many downsets are connected", alone))
				}
				return fault.At(i, fault.Capability("X: its linear extensions in common with row %d of the other argument cannot be "+
					"counted exactly, as too many downsets are connected", j))
			}
		}
	}
	return nil
}
