package main

// #include "combpred.h"
import "C"

import (
	"math/bits"
	"unsafe"

	"combpred/core/parallel"
)

// maxBytes bounds a buffer: no address space is larger, and every size in bytes below it fits an int.
const maxBytes = 1 << 47

// maxWorkers bounds the number of goroutines that a caller may ask for.
const maxWorkers = 1 << 16

// elements returns the product of dims after checking that it is the length of a buffer of such elements.
func elements(name string, size uintptr, dims []C.int64_t) (int, error) {
	total := uint64(1)
	empty := false
	for _, d := range dims {
		if d < 0 {
			return 0, illegal("%s has the negative dimension %d", name, int64(d))
		}
		empty = empty || d == 0
	}
	if empty {
		return 0, nil
	}
	for _, d := range dims {
		hi, lo := bits.Mul64(total, uint64(d))
		if hi != 0 || lo > maxBytes/uint64(size) {
			return 0, illegal("%s has dimensions %v, more than can be addressed", name, dims)
		}
		total = lo
	}
	return int(total), nil
}

// view returns the caller's buffer at p as a slice of the given dimensions, nil when it is empty.
func view[T any](p unsafe.Pointer, name string, dims []C.int64_t) ([]T, error) {
	var zero T
	n, err := elements(name, unsafe.Sizeof(zero), dims)
	if err != nil || n == 0 {
		return nil, err
	}
	if p == nil {
		return nil, illegal("%s is NULL, but has dimensions %v", name, dims)
	}
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, illegal("%s must be aligned to %d bytes", name, unsafe.Alignof(zero))
	}
	return unsafe.Slice((*T)(p), n), nil
}

func float64s(p *C.cp_in_f64, name string, dims ...C.int64_t) ([]float64, error) {
	return view[float64](unsafe.Pointer(p), name, dims)
}

func int32s(p *C.cp_in_i32, name string, dims ...C.int64_t) ([]int32, error) {
	return view[int32](unsafe.Pointer(p), name, dims)
}

func int64s(p *C.cp_in_i64, name string, dims ...C.int64_t) ([]int64, error) {
	return view[int64](unsafe.Pointer(p), name, dims)
}

// text returns a copy of p[n].
func text(p *C.cp_in_char, name string, n C.int64_t) ([]byte, error) {
	b, err := view[byte](unsafe.Pointer(p), name, []C.int64_t{n})
	return append([]byte(nil), b...), err
}

func outFloat64s(p *C.double, name string, dims ...C.int64_t) ([]float64, error) {
	return view[float64](unsafe.Pointer(p), name, dims)
}

func outInt32s(p *C.int32_t, name string, dims ...C.int64_t) ([]int32, error) {
	return view[int32](unsafe.Pointer(p), name, dims)
}

func outBytes(p *C.uint8_t, name string, dims ...C.int64_t) ([]byte, error) {
	return view[byte](unsafe.Pointer(p), name, dims)
}

func outChars(p *C.char, name string, dims ...C.int64_t) ([]byte, error) {
	return view[byte](unsafe.Pointer(p), name, dims)
}

// one checks that p can take one value and returns it.
func one[T any](p *T, name string) (*T, error) {
	_, err := view[T](unsafe.Pointer(p), name, []C.int64_t{1})
	return p, err
}

// workers checks the number of goroutines.
func workers(n C.int32_t) (int, error) {
	if n < 1 || n > maxWorkers {
		return 0, illegal("workers is %d, must be between 1 and %d", int32(n), maxWorkers)
	}
	return int(n), nil
}

// methodOf returns the method of a number. The constants of the header count as those of the core do, up to last.
func methodOf[M ~int](number C.int32_t, last M, constants string) (M, error) {
	if number < 0 || M(number) > last {
		return 0, illegal("method is %d, must be one of the %s constants", int32(number), constants)
	}
	return M(number), nil
}

// A Monitor and a cp_control are the same memory.
var _ [unsafe.Sizeof(C.cp_control{})]byte = [unsafe.Sizeof(parallel.Monitor{})]byte{}

// monitor returns the caller's control block as a Monitor; NULL gives nil, which is never cancelled.
func monitor(c *C.cp_control) *parallel.Monitor {
	if uintptr(unsafe.Pointer(c))%unsafe.Alignof(parallel.Monitor{}) != 0 {
		panic(illegal("control must be aligned to 8 bytes"))
	}
	return (*parallel.Monitor)(unsafe.Pointer(c))
}

// equal checks a dimension that the structure prescribes.
func equal(name string, got C.int64_t, want int) error {
	if int64(got) != int64(want) {
		return illegal("%s is %d, the structure has %d", name, int64(got), want)
	}
	return nil
}
