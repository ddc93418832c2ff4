package cabi

import (
	"unsafe"

	"combpred/core/fault"
)

// maxRecord bounds the size of a struct: no later version of one is larger.
const maxRecord = 1 << 12

// maxName bounds the length of a name.
const maxName = 64

// sized checks the struct at p, whose first field says how long it is, and returns how many bytes of it there are to share: it has own
// bytes in this version, and had the first of since in that in which it appeared.
func sized(p unsafe.Pointer, name string, own uintptr, since []uintptr) (int, error) {
	if p == nil {
		return 0, Illegal("%s is NULL", name)
	}
	if uintptr(p)%8 != 0 {
		return 0, Illegal("%s must be aligned to 8 bytes", name)
	}
	least := int64(own)
	if len(since) > 0 {
		least = int64(since[0])
	}
	size := *(*int64)(p)
	if size < least || size > maxRecord {
		return 0, Illegal("%s: struct_size is %d, must be from %d to %d: set it to the sizeof of the struct", name, size, least, maxRecord)
	}
	return int(min(size, int64(own))), nil
}

// share copies the first n bytes of a struct from one to another.
func share[T any](to, from *T, n int) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), n), unsafe.Slice((*byte)(unsafe.Pointer(from)), n))
}

// Record returns the caller's struct at p. Its first field is its size, an int64: fields that this version does not know follow
// where it is larger, and are not looked at.
//
// Where fields were appended to T, since is the offset of the first of them: callers compiled before it have shorter structs, and the
// fields that these lack are zero.
func Record[T any](p *T, name string, since ...uintptr) (r T, err error) {
	n, err := sized(unsafe.Pointer(p), name, unsafe.Sizeof(*p), since)
	if err == nil {
		share(&r, p, n)
	}
	return r, err
}

// Out is where a struct of results goes; the zero value is nowhere.
type Out[T any] struct {
	at    *T
	bytes int // that the caller's has
}

// OutRecord returns where the results go. The caller has set the struct's first field to its size; NULL is nowhere, if optional. since is
// as for Record.
func OutRecord[T any](p *T, name string, optional bool, since ...uintptr) (Out[T], error) {
	if p == nil && optional {
		return Out[T]{}, nil
	}
	n, err := sized(unsafe.Pointer(p), name, unsafe.Sizeof(*p), since)
	return Out[T]{p, n}, err
}

// Set writes as much of the results as the caller's struct takes, and leaves its size as it is.
func (o Out[T]) Set(value T) {
	if o.at == nil {
		return
	}
	*(*int64)(unsafe.Pointer(&value)) = *(*int64)(unsafe.Pointer(o.at))
	share(o.at, &value, o.bytes)
}

// Within says that an error about a field is about that of a struct.
func Within(name string, err error) error { return fault.Wrap("%s.%w", name, err) }

// Name returns a copy of the NUL-terminated name at p, "" where p is NULL.
func Name(p unsafe.Pointer, what string) (string, error) { return Text(p, what, maxName) }

// Text returns a copy of the NUL-terminated text of fewer than most bytes at p, "" where p is NULL.
func Text(p unsafe.Pointer, what string, most int) (string, error) {
	if p == nil {
		return "", nil
	}
	for i := range most {
		if *(*byte)(unsafe.Add(p, i)) == 0 {
			return string(unsafe.Slice((*byte)(p), i)), nil
		}
	}
	return "", Illegal("%s has no NUL within %d bytes", what, most)
}

// PutName writes a name and a NUL to a field of characters, which must have the room. Whether characters of C are signed depends on the
// machine.
func PutName[C ~int8 | ~uint8](dst []C, name string) {
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
