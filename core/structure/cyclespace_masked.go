package structure

import "combpred/core/graph/tours"

var (
	_ maskable = cycles{}
	_ maskable = directedCycles{}
)

// under takes an edge without direction for two arcs of which one is used. Cost: O(n²).
func (c cycleSpace) under(m *Mask) (engine, error) {
	within, err := boundsOfVisits(m, c.n, 0)
	if err != nil {
		return nil, err
	}
	if m.Entries == nil {
		return newMaskedVisits(c, within)
	}
	within.Arcs = make([]int8, c.n*c.n)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			values := m.Entries[pair]
			if !c.directed {
				if values &^= Minus; values.Has(1) {
					values |= Minus
				}
			}
			if values == 0 {
				return nil, ErrNone
			}
			within.Arcs[u*c.n+v], within.Arcs[v*c.n+u] = arcsOf(values)
			pair++
		}
	}
	return newMaskedVisits(c, within)
}

// arcsOf returns what the values that the entry of a pair may take, 1 for the arc along it and −1 for the one back, say of the two.
func arcsOf(values Values) (along, back int8) {
	switch values {
	case Plus:
		return tours.Always, tours.Never
	case Minus:
		return tours.Never, tours.Always
	case Plus | Minus:
		return tours.EitherWay, tours.EitherWay
	}
	if !values.Has(1) {
		along = tours.Never
	}
	if !values.Has(-1) {
		back = tours.Never
	}
	return along, back
}
