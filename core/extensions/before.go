package extensions

import (
	"math/big"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Before writes to dst, n × n for n elements, the probability that u comes before v in a uniform linear extension: exact
// up to rounding, and 0 on the diagonal. A *LimitError where Count is beyond its limits, as it may be with one pair more
// than there is.
//
// Cost: that of Count for each pair that the partial order leaves open.
func Before(dst []float64, p *Poset, most, workers int, mon *parallel.Monitor) error {
	n := p.Len()
	if len(dst) != n*n {
		return fault.Value("dst has %d entries, must have %d", len(dst), n*n)
	}
	all, err := Count(p, most, workers, mon)
	if err != nil {
		return err
	}
	var open [][2]int
	for u := range n {
		dst[u*n+u] = 0
		for v := u + 1; v < n; v++ {
			dst[u*n+v], dst[v*n+u] = 0, 0
			switch {
			case p.Before(u, v):
				dst[u*n+v] = 1
			case p.Before(v, u):
				dst[v*n+u] = 1
			default:
				open = append(open, [2]int{u, v})
			}
		}
	}
	return parallel.For(len(open), 1, workers, mon, func(i, _ int) error {
		u, v := open[i][0], open[i][1]
		with := &Poset{after: p.after.Clone()}
		with.after.Add(u, v)
		with.finish()
		some, err := countAll(with, most, mon.Err)
		if err != nil {
			return fault.Wrap("with one pair more, %d before %d: %w", u, v, err)
		}
		dst[u*n+v], _ = new(big.Rat).SetFrac(some, all).Float64()
		dst[v*n+u] = 1 - dst[u*n+v]
		return nil
	})
}
