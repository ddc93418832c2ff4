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

// keeper is a space that keeps what is derived from it for as long as it lives. Momenters are keepers: they embed a pointer to a memo
// of their own.
type keeper interface {
	// keep returns what build returned when it was first called for the key without an error. Calls of build for one space
	// follow one another, so that it must not derive anything else from the same space.
	keep(key any, build func() (Derived, error)) (Derived, error)
	memoBytes() int
}

// DerivedBytes returns how much memory what is derived from a space and kept with it takes; ok is false if it keeps nothing.
func DerivedBytes(s Space) (bytes int, ok bool) {
	k, ok := s.(keeper)
	if !ok {
		return 0, false
	}
	return k.memoBytes(), true
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

// memo holds what is derived from a space, by key, and the names of its items.
type memo struct {
	names Names
	mu    sync.Mutex
	byKey map[any]Derived
	bytes atomic.Int64
}

var _ keeper = (*memo)(nil)

func (k *memo) itemNames() Names { return k.names }

// fresh returns the memo of another space of the same items, which keeps nothing yet.
func (k *memo) fresh() *memo { return &memo{names: k.names} }

func (k *memo) keep(key any, build func() (Derived, error)) (Derived, error) {
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

func (k *memo) memoBytes() int { return int(k.bytes.Load()) }
