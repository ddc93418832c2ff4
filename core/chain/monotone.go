package chain

import (
	"fmt"
	"math/rand/v2"

	"combpred/core/structure"
)

// Monotone is coupling from the past by the heat bath on a lattice of sets (Propp and Wilson, 1996). As equal draws keep
// inclusions, chains from all states lie between those from the least and the greatest set; once these meet, all have.
//
// Going back in time, times are cut into epochs of which each is as long as all later ones together, and has its own
// stretch of the random stream, which is drawn anew whenever it is passed. So the memory does not grow with the time.
// A Monotone is not safe for concurrent use.
type Monotone struct {
	kernel        *HeatBath
	budget        int64
	poll          func() error
	source        rand.PCG
	rng           *rand.Rand
	epochs        []rand.PCG // where the stream of each epoch begins, the latest epoch first
	least, lower  []int32
	greatest, top []int32
}

// NewMonotone prepares draws that go back at most budget steps. poll is as for NewProposals. Spaces without a Lattice
// are a *structure.CapabilityError.
func NewMonotone(space structure.Space, score structure.Scores, budget int64, poll func() error) (*Monotone, error) {
	kernel, err := NewHeatBath(space, score)
	if err != nil {
		return nil, err
	}
	if poll == nil {
		poll = func() error { return nil }
	}
	n := space.PartLen()
	m := &Monotone{kernel: kernel, budget: budget, poll: poll}
	for _, y := range []*[]int32{&m.least, &m.lower, &m.greatest, &m.top} {
		*y = make([]int32, n)
	}
	kernel.lattice.BoundsTo(m.least, m.greatest)
	m.rng = rand.New(&m.source)
	return m, nil
}

// Draw writes an exact sample to dst. It returns how many steps back in time the chains were started that met, a number
// of elements times a power of two: half as many were too few. source is left where the draw ended.
func (m *Monotone) Draw(dst []int32, source *rand.PCG) (steps int64, err error) {
	first := int64(len(dst))
	m.epochs = m.epochs[:0]
	distance := len(dst)
	for steps = first; steps <= m.budget; steps *= 2 {
		m.epochs = append(m.epochs, *source)
		copy(m.lower, m.least)
		copy(m.top, m.greatest)
		for e := len(m.epochs) - 1; e >= 0; e-- {
			m.source = m.epochs[e]
			if err := m.run(epochLen(first, e)); err != nil {
				return 0, err
			}
			if e == len(m.epochs)-1 {
				*source = m.source // the next epoch goes on where this one ended
			}
		}
		if distance = differing(m.lower, m.top); distance == 0 {
			copy(dst, m.top)
			return steps, nil
		}
	}
	return 0, &BudgetError{
		Method: "monotone coupling from the past", Steps: steps / 2,
		Figure: fmt.Sprintf("the chains from the least and the greatest set differ in %d of %d elements",
			distance, len(dst)),
	}
}

// epochLen returns the number of steps of an epoch: the first one's for the first two, then doubled for each.
func epochLen(first int64, e int) int64 { return first << max(0, e-1) }

// run makes steps of both chains with the same draws.
func (m *Monotone) run(steps int64) error {
	every := int64(pollSteps(1))
	for t := range steps {
		if t%every == 0 {
			if err := m.poll(); err != nil {
				return err
			}
		}
		i, u := m.kernel.draw(m.rng)
		m.kernel.set(m.lower, i, u)
		m.kernel.set(m.top, i, u)
	}
	return nil
}

// differing returns in how many places two sets differ.
func differing(a, b []int32) (n int) {
	for i, v := range a {
		if v != b[i] {
			n++
		}
	}
	return n
}
