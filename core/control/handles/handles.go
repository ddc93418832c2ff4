// Package handles keeps what callers hold by number.
package handles

import (
	"sync"

	"combpred/core/fault"
)

// Table holds live objects by handles, which are never 0 and never given twice, not even by another table of another kind. Several
// goroutines may use it.
type Table[T any] struct {
	kind string
	tag  uint64

	mu   sync.RWMutex
	last uint64
	live map[uint64]T
}

// tagBits is where the kind of a handle stands.
const tagBits = 48

// New returns an empty table. Messages call its objects by their kind; handles of tables with other tags are not its own.
func New[T any](kind string, tag uint8) *Table[T] {
	return &Table[T]{kind: kind, tag: uint64(tag) << tagBits, live: make(map[uint64]T)}
}

// Open returns a handle of an object.
func (t *Table[T]) Open(object T) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.live[t.tag|t.last] = object
	return t.tag | t.last
}

// Get returns the object of a handle. Whoever has it may go on with it after it has been closed.
func (t *Table[T]) Get(handle uint64) (T, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	object, ok := t.live[handle]
	if !ok {
		return object, t.unknown(handle)
	}
	return object, nil
}

// Close forgets an object, and returns it.
func (t *Table[T]) Close(handle uint64) (T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	object, ok := t.live[handle]
	if !ok {
		return object, t.unknown(handle)
	}
	delete(t.live, handle)
	return object, nil
}

// Len returns the number of open handles.
func (t *Table[T]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.live)
}

// unknown says why there is nothing by a handle.
func (t *Table[T]) unknown(handle uint64) error {
	own := handle&^(1<<tagBits-1) == t.tag && handle != t.tag
	switch {
	case handle == 0:
		return fault.Value("the %s is 0: none has been opened", t.kind)
	case own && handle <= t.tag|t.last:
		return fault.Value("%s %d has been closed", t.kind, handle^t.tag)
	}
	return fault.Value("%#x is no handle of a %s", handle, t.kind)
}
