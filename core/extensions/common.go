package extensions

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// Estimation estimates what is beyond the limits of Count.
type Estimation struct {
	// Epsilon and Delta are those of Estimate, for each number.
	Epsilon, Delta float64
	Seed           uint64
	First          int          // the number of the random stream of the first entry, the others having the next ones
	Count          atomic.Int64 // of estimates

	workers int // of each estimate
}

// mostEstimated is how many downsets of the rest are counted exactly in estimates.
const mostEstimated = 1 << 21

// log returns an estimate of the logarithm of the number of linear extensions.
func (e *Estimation) log(p *Poset, most, entry int, mon *parallel.Monitor) (float64, error) {
	var source rand.PCG
	parallel.Stream(&source, e.Seed, e.First+entry)
	e.Count.Add(1)
	found, err := Estimate(p, e.Epsilon, e.Delta, min(most, mostEstimated), source.Uint64(), e.workers, mon)
	return found.Log, err
}

// Common writes to dst, for each row of x and each row of y, the logarithm of the number of orders that agree with the
// relations of both: the number of linear extensions of their union. It is −Inf where the union has a cycle, and where Count
// is beyond its limits an estimate, NaN if estimation is nil. The monitor counts the orders drawn, too.
//
// Rows are relations on the elements 0..n−1, an entry for each pair u < v in lexicographic order: 1 where u comes before
// v, −1 where v comes before u, 0 where neither is said. y may be nil for x itself; each pair of rows is then counted once.
//
// Cost: that of Count for each pair of rows, of Estimate where it is beyond.
func Common(dst []float64, x, y []int32, n, most int, estimation *Estimation, workers int, mon *parallel.Monitor) error {
	if n < 2 || n > MostElements {
		return fault.Value("there are %d elements, must be between 2 and %d", n, MostElements)
	}
	rows, err := relations(x, n, "x")
	if err != nil {
		return err
	}
	columns, itself := rows, y == nil
	if !itself {
		if columns, err = relations(y, n, "y"); err != nil {
			return err
		}
	}
	if len(dst) != len(rows)*len(columns) {
		return fault.Value("dst has %d entries, must have %d", len(dst), len(rows)*len(columns))
	}
	if estimation != nil {
		estimation.workers = max(1, workers/max(1, len(rows)))
	}
	m := len(columns)
	return parallel.For(len(rows), 1, workers, mon, func(i, _ int) error {
		first := 0
		if itself {
			first = i
		}
		for j := first; j < m; j++ {
			value, err := logCommon(rows[i], columns[j], most, estimation, i*m+j, mon)
			if err != nil {
				return err
			}
			dst[i*m+j] = value
			if itself {
				dst[j*m+i] = value
			}
		}
		return nil
	})
}

// logCommon is one entry of Common.
func logCommon(a, b *Poset, most int, estimation *Estimation, entry int, mon *parallel.Monitor) (float64, error) {
	union := &Poset{after: a.after.Clone()}
	union.after.Unite(b.after)
	if union.finish() >= 0 {
		return math.Inf(-1), nil
	}
	number, err := countAll(union, most, mon.Err)
	if _, tooLarge := errors.AsType[*LimitError](err); tooLarge {
		if estimation != nil {
			return estimation.log(union, most, entry, mon)
		}
		return math.NaN(), nil
	}
	if err != nil {
		return 0, err
	}
	return combin.LogInt(number), nil
}

// relations reads rows of signs of pairs. What follows from them is not added yet.
func relations(signs []int32, n int, name string) ([]*Poset, error) {
	pairs := n * (n - 1) / 2
	if len(signs)%pairs != 0 {
		return nil, fault.Value("%s has %d entries, must have a multiple of %d", name, len(signs), pairs)
	}
	all := make([]*Poset, len(signs)/pairs)
	for i := range all {
		p := &Poset{after: relation.New(n)}
		at := i * pairs
		for u := range n {
			for v := u + 1; v < n; v++ {
				switch signs[at] {
				case 1:
					p.after.Add(u, v)
				case -1:
					p.after.Add(v, u)
				case 0:
				default:
					return nil, fault.At(i, fault.Value("%s holds %d, must hold −1, 0 and 1", name, signs[at]))
				}
				at++
			}
		}
		all[i] = p
	}
	return all, nil
}
