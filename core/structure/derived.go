package structure

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// Derived is something that is computed from a space and kept with it, such as coordinates in which Σ is diagonal.
type Derived interface {
	// Bytes returns about how much memory it takes.
	Bytes() int
}

// keeper is a space that keeps what is derived from it for as long as it lives. Momenters are keepers: they embed a pointer to a kept
// of their own.
type keeper interface {
	// keep returns what build returned when it was first called for the key without an error. Calls of build for one space
	// follow one another, so that it must not derive anything else from the same space.
	keep(key any, build func() (Derived, error)) (Derived, error)
	keptBytes() int
}

// KeptBytes returns how much memory the things kept with a space take; ok is false if it keeps nothing.
func KeptBytes(s Space) (bytes int, ok bool) {
	k, ok := s.(keeper)
	if !ok {
		return 0, false
	}
	return k.keptBytes(), true
}

// Derive returns what build makes of a space: the same T at every call, built once, where the space is a Momenter. It is safe
// for concurrent use.
func Derive[T Derived](s Space, build func() (T, error)) (T, error) {
	keeper, ok := s.(keeper)
	if !ok {
		return build()
	}
	d, err := keeper.keep(reflect.TypeFor[T](), func() (Derived, error) { return build() })
	if err != nil {
		var none T
		return none, err
	}
	return d.(T), nil
}

// kept is what a space keeps, by key, and the names of its items.
type kept struct {
	names Names
	mu    sync.Mutex
	byKey map[any]Derived
	bytes atomic.Int64
}

var _ keeper = (*kept)(nil)

func (k *kept) itemNames() Names { return k.names }

// fresh returns the kept of another space of the same items, which keeps nothing yet.
func (k *kept) fresh() *kept { return &kept{names: k.names} }

func (k *kept) keep(key any, build func() (Derived, error)) (Derived, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d, ok := k.byKey[key]; ok {
		return d, nil
	}
	d, err := build()
	if err != nil {
		return nil, err
	}
	if k.byKey == nil {
		k.byKey = map[any]Derived{}
	}
	k.byKey[key] = d
	k.bytes.Add(int64(d.Bytes()))
	return d, nil
}

func (k *kept) keptBytes() int { return int(k.bytes.Load()) }
