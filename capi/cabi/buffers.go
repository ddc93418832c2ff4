// Package cabi is what every entry point of the C interface does before and after its work, in types of Go: it checks the caller's
// buffers and structs and views them as slices and values, and turns errors and panics into statuses and messages.
package cabi

import (
	"math/bits"
	"slices"
	"unsafe"

	"combpred/core/parallel"
)

// maxBytes bounds a buffer: no address space is larger, and every size in bytes below it fits an int.
const maxBytes = 1 << 47

// maxWorkers bounds the number of goroutines that a caller may ask for.
const maxWorkers = 1 << 16

// elements returns the product of dims after checking that it is the length of a buffer of such elements. Messages have copies of dims,
// which then take no memory of their own in calls that are legal.
func elements[N ~int64](name string, size uintptr, dims []N) (int, error) {
	total := uint64(1)
	empty := false
	for _, d := range dims {
		if d < 0 {
			return 0, Illegal("%s has dimensions %v, none may be negative", name, slices.Clone(dims))
		}
		empty = empty || d == 0
	}
	if empty {
		return 0, nil
	}
	for _, d := range dims {
		hi, lo := bits.Mul64(total, uint64(d))
		if hi != 0 || lo > maxBytes/uint64(size) {
			return 0, Illegal("%s has dimensions %v, more than can be addressed", name, slices.Clone(dims))
		}
		total = lo
	}
	return int(total), nil
}

// View returns the caller's buffer at p as a slice of the given dimensions, nil when it is empty.
func View[T any, N ~int64](p unsafe.Pointer, name string, dims ...N) ([]T, error) {
	var zero T
	n, err := elements(name, unsafe.Sizeof(zero), dims)
	if err != nil || n == 0 {
		return nil, err
	}
	if p == nil {
		return nil, Illegal("%s is NULL, but has dimensions %v", name, slices.Clone(dims))
	}
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, Illegal("%s must be aligned to %d bytes", name, unsafe.Alignof(zero))
	}
	return unsafe.Slice((*T)(p), n), nil
}

// Optional is View for a buffer that may be missing, which NULL says: nil then.
func Optional[T any, N ~int64](p unsafe.Pointer, name string, dims ...N) ([]T, error) {
	if p == nil {
		_, err := elements(name, 1, dims)
		return nil, err
	}
	return View[T](p, name, dims...)
}

// Copy returns a copy of the n bytes at p.
func Copy[N ~int64](p unsafe.Pointer, name string, n N) ([]byte, error) {
	b, err := View[byte](p, name, n)
	return append([]byte(nil), b...), err
}

// One checks that p can take one value and returns it.
func One[T any](p *T, name string) (*T, error) {
	_, err := View[T](unsafe.Pointer(p), name, int64(1))
	return p, err
}

// Room is where a text of unknown length goes: a buffer, and where to write the size that it must have.
type Room struct {
	dst    []byte
	needed *int64
}

// RoomFor returns the room at p[n]. needed must point to something.
func RoomFor(p unsafe.Pointer, n int64, needed *int64) (Room, error) {
	if _, err := One(needed, "needed"); err != nil {
		return Room{}, err
	}
	dst, err := View[byte](p, "dst", n)
	return Room{dst, needed}, err
}

// Write writes a text and a NUL if they fit, and the bytes that they take in any case.
func (r Room) Write(text string) {
	*r.needed = int64(len(text) + 1)
	if len(r.dst) > len(text) {
		r.dst[copy(r.dst, text)] = 0
	}
}

// Workers checks the number of goroutines.
func Workers[N ~int32](n N) (int, error) {
	if n < 1 || n > maxWorkers {
		return 0, Illegal("workers is %d, must be between 1 and %d", int32(n), maxWorkers)
	}
	return int(n), nil
}

// Monitor returns a monitor of the caller's control block; NULL gives nil, which is never cancelled.
func Monitor(p unsafe.Pointer) (*parallel.Monitor, error) {
	if uintptr(p)%unsafe.Alignof(parallel.Words{}) != 0 {
		return nil, Illegal("control must be aligned to 8 bytes")
	}
	if p == nil {
		return nil, nil
	}
	return parallel.Watching((*parallel.Words)(p)), nil
}

// Equal checks a dimension that something else prescribes: the structure, mostly.
func Equal[N ~int64](name string, got N, owner string, want int) error {
	if int64(got) != int64(want) {
		return Illegal("%s is %d, %s has %d", name, int64(got), owner, want)
	}
	return nil
}
