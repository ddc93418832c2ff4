package parallel

import (
	"math"
	"sync/atomic"

	"combpred/core/fault"
)

// ErrCancelled is returned by a computation that stopped because its Monitor asked it to.
var ErrCancelled = fault.Cancelled("cancelled")

// Words are what a Monitor reads and writes. They may live in memory that another program owns and watches; all access is atomic.
type Words struct {
	cancel atomic.Int64  // non-zero: stop at the next poll
	step   atomic.Int64  // work units or iterations done
	value  atomic.Uint64 // bits of a float64, the quantity being driven down (a residual, an objective)
}

// Monitor carries a cancellation request into a long computation and its progress out of it. The zero value has words of its own.
// A nil *Monitor is never cancelled and drops its progress, so callers need not test for nil.
type Monitor struct {
	own     Words
	of      *Words // in place of its own, if not nil
	isQuiet bool
}

// Watching returns a monitor of the given words.
func Watching(words *Words) *Monitor { return &Monitor{of: words} }

// Quiet returns a monitor that is cancelled with this one and drops its progress: for a part of the work that counts in units of its own.
func (m *Monitor) Quiet() *Monitor {
	if m == nil {
		return nil
	}
	return &Monitor{of: m.words(), isQuiet: true}
}

func (m *Monitor) words() *Words {
	if m.of != nil {
		return m.of
	}
	return &m.own
}

// Err returns ErrCancelled if cancellation was requested, nil otherwise. Cost: one atomic load.
func (m *Monitor) Err() error {
	if m != nil && m.words().cancel.Load() != 0 {
		return ErrCancelled
	}
	return nil
}

// Cancel asks the computation to stop at its next poll.
func (m *Monitor) Cancel() {
	if m != nil {
		m.words().cancel.Store(1)
	}
}

// Advance adds n to the number of steps done.
func (m *Monitor) Advance(n int) {
	if m != nil && !m.isQuiet {
		m.words().step.Add(int64(n))
	}
}

// Report records the current value of the quantity that the computation drives down.
func (m *Monitor) Report(value float64) {
	if m != nil && !m.isQuiet {
		m.words().value.Store(math.Float64bits(value))
	}
}

// Steps returns the number of steps done so far.
func (m *Monitor) Steps() int {
	if m == nil {
		return 0
	}
	return int(m.words().step.Load())
}
