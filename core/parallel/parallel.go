// Package parallel is the only place of the module that starts goroutines.
//
// A panic in a goroutine that nobody recovers ends the whole process, and the process is the user's Python. Workers started
// here recover, and the panic comes back to the caller as an error. Results never depend on the number of workers: a body
// writes only what belongs to its own indices, and reductions are left to the caller, in index order.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"combpred/core/fault"
)

// PanicError reports a panic that was recovered, in a worker or in a whole call.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error: %v\n%s", e.Value, e.Stack)
}

// Kind is that of a bug of ours.
func (e *PanicError) Kind() fault.Kind { return fault.KindInternal }

// For calls body(lo, hi) on consecutive half-open ranges of at most grain indices that cover [0, n), using up to workers
// goroutines (workers < 1 means one for each processor). It polls mon before each range and advances it by the range's
// length afterwards. After a failure no new range is started; For returns the error of the lowest failing range among those
// that ran, as an error even where the body panicked.
func For(n, grain, workers int, mon *Monitor, body func(lo, hi int) error) error {
	if n <= 0 {
		return mon.Err()
	}
	grain = max(grain, 1)
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	ranges := (n-1)/grain + 1
	workers = min(workers, ranges)

	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  error
		at     int
	)
	run := func() {
		for !failed.Load() {
			c := int(next.Add(1)) - 1
			if c >= ranges {
				return
			}
			lo := c * grain
			hi := min(lo+grain, n)
			err := mon.Err()
			if err == nil {
				err = protect(body, lo, hi)
			}
			if err != nil {
				failed.Store(true)
				mu.Lock()
				if first == nil || c < at {
					first, at = err, c
				}
				mu.Unlock()
				return
			}
			mon.Advance(hi - lo)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			run()
		}()
	}
	run()
	wg.Wait()
	return first
}

func protect(body func(lo, hi int) error, lo, hi int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	return body(lo, hi)
}
