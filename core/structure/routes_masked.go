package structure

import "slices"

var _ maskable = routes{}

// under: starts and ends are arcs from and to the depot. Cost: O(n²).
func (r routes) under(m *Mask) (engine, error) {
	within, err := boundsOfVisits(m, r.n, 1)
	if err != nil {
		return nil, err
	}
	ends := *m
	if m.Start != anyPlace || m.End != anyPlace {
		ends.Entries = slices.Clone(m.Entries)
	}
	if m.Start != anyPlace {
		ends.Limit(r.FeatureLen(), r.start(m.Start), Plus)
	}
	if m.End != anyPlace {
		ends.Limit(r.FeatureLen(), r.end(m.End), Plus)
	}
	states, err := ends.states()
	if err != nil {
		return nil, err
	}
	if states != nil {
		n, entry := r.n+1, 0
		within.Arcs = make([]int8, n*n)
		for u, v := range r.cells {
			within.Arcs[(u+1)%n*n+(v+1)%n] = states[entry] // Never, Free and Always; the depot, place n, is vertex 0
			entry++
		}
	}
	return newMaskedVisits(r, within)
}
