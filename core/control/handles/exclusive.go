package handles

import (
	"sync"

	"combpred/core/fault"
)

// Exclusive is a Table of objects that one goroutine at a time may use.
type Exclusive[T any] struct{ table *Table[*held[T]] }

type held[T any] struct {
	object T
	taken  sync.Mutex
}

// NewExclusive is New for such a table.
func NewExclusive[T any](kind string, tag uint8) *Exclusive[T] {
	return &Exclusive[T]{New[*held[T]](kind, tag)}
}

// Open returns a handle of an object.
func (e *Exclusive[T]) Open(object T) uint64 { return e.table.Open(&held[T]{object: object}) }

// Take returns the object of a handle for the caller alone, until release is called. Where another goroutine has it, that is an error.
func (e *Exclusive[T]) Take(handle uint64) (object T, release func(), err error) {
	h, err := e.take(handle)
	if err != nil {
		return object, nil, err
	}
	return h.object, h.taken.Unlock, nil
}

// Close forgets an object that no other goroutine has, and returns it.
func (e *Exclusive[T]) Close(handle uint64) (object T, err error) {
	h, err := e.take(handle)
	if err != nil {
		return object, err
	}
	defer h.taken.Unlock()
	_, err = e.table.Close(handle)
	return h.object, err
}

// Len returns the number of open handles.
func (e *Exclusive[T]) Len() int { return e.table.Len() }

func (e *Exclusive[T]) take(handle uint64) (*held[T], error) {
	h, err := e.table.Get(handle)
	if err != nil {
		return nil, err
	}
	if !h.taken.TryLock() {
		return nil, fault.Value("the %s is busy: another thread waits for its next request", e.table.kind)
	}
	if _, err := e.table.Get(handle); err != nil { // it was closed before it could be taken
		h.taken.Unlock()
		return nil, err
	}
	return h, nil
}
