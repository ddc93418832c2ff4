package extensions

import (
	"math/rand/v2"
	"sync"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Batch writes uniform linear extensions to dst, a row of the poset's elements for each, and, unless steps is nil, the
// steps that coupling took for each to steps. Row j has a random stream of its own, which follows from its number and the
// seed, so that results do not depend on workers. After an error the outputs are unspecified.
func Batch(p *Poset, method Method, seed uint64, dst []int32, steps []int64, workers int, mon *parallel.Monitor) error {
	n := p.Len()
	draws := len(dst) / n
	switch {
	case len(dst) != draws*n:
		return fault.Value("dst has %d entries, must have a multiple of %d", len(dst), n)
	case steps != nil && len(steps) != draws:
		return fault.Value("steps must have an entry for each extension")
	}
	first, err := NewSampler(p, method, mon.Err)
	if err != nil {
		return err
	}
	samplers := sync.Pool{New: func() any { return first.Clone() }}
	return parallel.For(draws, 1, workers, mon, func(j, _ int) error {
		s := samplers.Get().(*Sampler)
		defer samplers.Put(s)
		var source rand.PCG
		parallel.Stream(&source, seed, j)
		made, err := s.Sample(dst[j*n:(j+1)*n], &source, mon.Err)
		if steps != nil {
			steps[j] = made
		}
		return err
	})
}
