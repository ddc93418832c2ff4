package cabi

import (
	"strings"
	"unsafe"
)

// maxRecord bounds the size of a struct: no later version of one is larger.
const maxRecord = 1 << 12

// maxName bounds the length of a name.
const maxName = 64

// sized checks the struct at p, whose first field says how long it is, and which has own bytes in this version.
func sized(p unsafe.Pointer, name string, own uintptr) error {
	if p == nil {
		return Illegal("%s is NULL", name)
	}
	if uintptr(p)%8 != 0 {
		return Illegal("%s must be aligned to 8 bytes", name)
	}
	size := *(*int64)(p)
	if size < int64(own) || size > maxRecord {
		return Illegal("%s: struct_size is %d, must be from %d to %d: set it to the sizeof of the struct", name, size, own, maxRecord)
	}
	return nil
}

// Record returns the caller's struct at p. Its first field is its size, an int64: fields that this version does not know follow
// where it is larger, and are not looked at.
//
// A later version that appends fields to a struct T must take the shorter ones of callers compiled before, and zeros for the rest.
func Record[T any](p *T, name string) (T, error) {
	if err := sized(unsafe.Pointer(p), name, unsafe.Sizeof(*p)); err != nil {
		var zero T
		return zero, err
	}
	return *p, nil
}

// Out is where a struct of results goes; the zero value is nowhere.
type Out[T any] struct{ at *T }

// OutRecord returns where the results go. The caller has set the struct's first field to its size; NULL is nowhere, if optional.
func OutRecord[T any](p *T, name string, optional bool) (Out[T], error) {
	if p == nil && optional {
		return Out[T]{}, nil
	}
	return Out[T]{p}, sized(unsafe.Pointer(p), name, unsafe.Sizeof(*p))
}

// Set writes results, and leaves the struct's size as it is.
func (o Out[T]) Set(value T) {
	if o.at == nil {
		return
	}
	*(*int64)(unsafe.Pointer(&value)) = *(*int64)(unsafe.Pointer(o.at))
	*o.at = value
}

// Name returns a copy of the NUL-terminated text at p, "" where p is NULL.
func Name(p unsafe.Pointer, what string) (string, error) {
	if p == nil {
		return "", nil
	}
	var b strings.Builder
	for i := range maxName {
		c := *(*byte)(unsafe.Add(p, i))
		if c == 0 {
			return b.String(), nil
		}
		b.WriteByte(c)
	}
	return "", Illegal("%s is no name: it has no NUL within %d bytes", what, maxName)
}

// PutName writes a name and a NUL to a field of characters, which must have the room.
func PutName[C ~int8](dst []C, name string) {
	if len(name) >= len(dst) {
		panic("cabi: no room for the name " + name)
	}
	for i := range dst {
		dst[i] = 0
	}
	for i := range len(name) {
		dst[i] = C(name[i])
	}
}
