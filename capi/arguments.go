// Command capi is the C interface of combpred: combpred.h says what it does.
//
// The entry points in C, which refuse forked processes, are generated (zz_entries.c); each calls the function here that is exported with
// "go_" before its name. Every exported function runs its body in guard, takes its arguments through the checked conversions of this
// file and of package cabi, and leaves the work to package core.
package main

//go:generate go run ./generate/names ../python/combpred/_lib/names.py
//go:generate -command entries go run ./generate/entries
//go:generate entries combpred.h zz_entries.c zz_exports.map zz_entries_test.go ../python/combpred/_lib/abi.py zz_readers.go

/*
#include <stddef.h>

#include "combpred.h"

#ifdef _WIN32
// Windows takes pages of mapped files back by itself.
static void give_back(size_t address, size_t bytes) { (void)address, (void)bytes; }
#else
#include <sys/mman.h>

static void give_back(size_t address, size_t bytes) { (void)madvise((void *)address, bytes, MADV_DONTNEED); }
#endif
*/
import "C"

import (
	"os"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/control/spaces"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// guard runs the body of an entry point.
func guard(err *C.char, errCap C.int64_t, f func() error) C.int32_t {
	return C.int32_t(cabi.Guard(unsafe.Pointer(err), int64(errCap), f))
}

// guardRows runs the body of an entry point that takes rows of the caller's.
func guardRows(badRow *C.int64_t, err *C.char, errCap C.int64_t, f func() error) C.int32_t {
	return C.int32_t(cabi.GuardRows((*int64)(unsafe.Pointer(badRow)), unsafe.Pointer(err), int64(errCap), f))
}

// The words of a Monitor and a cp_control are the same memory.
var _ [unsafe.Sizeof(C.cp_control{})]byte = [unsafe.Sizeof(parallel.Words{})]byte{}

func float64s(p *C.cp_in_f64, name string, dims ...C.int64_t) ([]float64, error) {
	return cabi.View[float64](unsafe.Pointer(p), name, dims...)
}

func int32s(p *C.cp_in_i32, name string, dims ...C.int64_t) ([]int32, error) {
	return cabi.View[int32](unsafe.Pointer(p), name, dims...)
}

// matrixAt views p[rows, cols].
func matrixAt(p unsafe.Pointer, name string, optional bool, rows, cols int64) (linalg.Matrix[float64], error) {
	if p == nil && optional {
		return linalg.Matrix[float64]{}, nil
	}
	data, err := cabi.View[float64](p, name, rows, cols)
	return linalg.Matrix[float64]{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}, err
}

// roomFor returns where a text of unknown length goes.
func roomFor(dst *C.char, dstCap C.int64_t, needed *C.int64_t) (cabi.Room, error) {
	return cabi.RoomFor(unsafe.Pointer(dst), int64(dstCap), (*int64)(unsafe.Pointer(needed)))
}

// choice returns the value of a parameter whose names are listed: the first for "".
func choice[M ~int | ~int32](names catalogue.Names, name, parameter string) (M, error) {
	number, err := names.Number(parameter, name)
	return M(number), err
}

// refusals has the first error of several parameters.
type refusals struct{ err error }

func (r *refusals) add(err error) {
	if r.err == nil {
		r.err = err
	}
}

// chosen is choice for one of several parameters.
func chosen[M ~int | ~int32](r *refusals, names catalogue.Names, name, parameter string) M {
	v, err := choice[M](names, name, parameter)
	r.add(err)
	return v
}

// flag is flag for one of several parameters.
func (r *refusals) flag(v int, name string) bool {
	set, err := flag(v, name)
	r.add(err)
	return set
}

// equal checks a dimension that the structure prescribes.
func equal(name string, got C.int64_t, want int) error {
	return cabi.Equal(name, got, "the structure", want)
}

// denseReaders view dense features by the number of their type.
var denseReaders = [...]func(p unsafe.Pointer, n, features, stride C.int64_t) (primal.Inputs, uintptr, error){
	catalogue.Float64: denseFeatures[float64], catalogue.Float32: denseFeatures[float32],
	catalogue.Int8: denseFeatures[int8], catalogue.Uint8: denseFeatures[uint8],
	catalogue.Int16: denseFeatures[int16], catalogue.Uint16: denseFeatures[uint16],
	catalogue.Int32: denseFeatures[int32], catalogue.Uint32: denseFeatures[uint32],
	catalogue.Int64: denseFeatures[int64], catalogue.Uint64: denseFeatures[uint64],
}

// denseFeatures views rows that begin at multiples of stride, and says how many bytes lie between them.
func denseFeatures[E primal.Number](at unsafe.Pointer, n, p, stride C.int64_t) (primal.Inputs, uintptr, error) {
	var one E
	view, err := cabi.View[E](at, "features.dense", n, stride)
	if err != nil {
		return nil, 0, err
	}
	if len(view) > 0 { // what follows the last row may not be there
		view = view[: len(view)-int(stride-p) : len(view)-int(stride-p)]
	}
	return primal.Dense(view, int(n), int(p), int(stride)), uintptr(stride) * unsafe.Sizeof(one), nil
}

// pages are rows in a mapped file.
type pages struct {
	start uintptr // 0: nothing is given back
	width uintptr // bytes of a row
}

// giveBack tells the system that rows lo to hi are not needed for now.
func (m pages) giveBack(lo, hi int) {
	if m.start == 0 || lo == hi {
		return
	}
	size := uintptr(os.Getpagesize())
	from := (m.start + uintptr(lo)*m.width) / size * size
	C.give_back(C.size_t(from), C.size_t(m.start+uintptr(hi)*m.width-from))
}

// flag reads a field that is 0 or 1.
func flag[N ~int | ~int64](v N, name string) (bool, error) {
	if v != 0 && v != 1 {
		return false, cabi.Illegal("%s is %d, must be 0 or 1", name, v)
	}
	return v == 1, nil
}

// inputs returns input features.
func (in *featuresIn) inputs() (primal.Inputs, pages, error) {
	if err := fault.First(checkCount(in.n, "features.n"), checkCount(in.p, "features.p")); err != nil {
		return nil, pages{}, err
	}
	stride := in.stride
	if stride == 0 {
		stride = in.p
	}
	if stride < in.p {
		return nil, pages{}, cabi.Illegal("features.stride is %d, must be 0 or at least features.p, which is %d", in.stride, in.p)
	}
	kind, err := catalogue.NumberTypes.Number("features.type", in.type_)
	if err != nil {
		return nil, pages{}, err
	}
	mapped, err := flag(in.mapped, "features.mapped")
	if err != nil {
		return nil, pages{}, err
	}
	if in.dense == nil && in.n*in.p != 0 {
		s, err := sparse(in.data, in.indices, in.indptr, in.n, in.p, "features")
		if err != nil {
			return nil, pages{}, err
		}
		return primal.CSR(s), pages{}, nil
	}
	x, width, err := denseReaders[kind](in.dense, C.int64_t(in.n), C.int64_t(in.p), C.int64_t(stride))
	if !mapped || err != nil {
		return x, pages{}, err
	}
	return x, pages{uintptr(in.dense), width}, nil
}

// sparse returns a matrix in compressed sparse rows, of which no part may be missing.
func sparse(data []float64, indices []int32, indptr []int64, n, p int, name string) (*solve.Sparse, error) {
	if len(indptr) != n+1 || len(data) != len(indices) {
		return nil, cabi.Illegal("%s: data, indices and indptr must be there where the matrix is not dense", name)
	}
	s := &solve.Sparse{Rows: n, Cols: p, Data: data, Indices: indices, Indptr: indptr}
	if err := s.Check(); err != nil {
		return nil, fault.Wrap("%s: %w", name, err)
	}
	return s, nil
}

// checkCount checks how many there are of something, be they looked at or not.
func checkCount[N ~int | ~int64](n N, name string) error {
	if n < 0 || n > maxRows {
		return cabi.Illegal("%s is %d, must be from 0 to %d", name, n, maxRows)
	}
	return nil
}

// ints returns a copy of whole numbers, which stays as it was checked.
func ints(of []int64) []int {
	if of == nil {
		return nil
	}
	out := make([]int, len(of))
	for i, v := range of {
		out[i] = int(v)
	}
	return out
}

// design returns a design.
func (in *designIn) design() (*solve.Design, error) {
	if err := fault.First(checkCount(in.n, "design.n"), checkCount(in.p, "design.p")); err != nil {
		return nil, err
	}
	x := new(solve.Design)
	var err error
	if x.Intercept, err = flag(in.intercept, "design.intercept"); err != nil {
		return nil, err
	}
	if in.c.dense != nil || in.n*in.p == 0 {
		x.Dense = linalg.Matrix[float64]{Rows: in.n, Cols: in.p, Stride: max(in.p, 1), Data: in.dense.Data}
		return x, nil
	}
	x.Sparse, err = sparse(in.data, in.indices, in.indptr, in.n, in.p, "design")
	return x, err
}

// space returns the open space of a handle.
func space(s C.cp_space) (structure.Space, error) { return spaces.Of(uint64(s)) }

// need returns s as the capability T, or an error that says what is missing and for what.
func need[T any](s structure.Space, what string) (T, error) {
	c, ok := s.(T)
	if !ok {
		return c, &structure.CapabilityError{Structure: structure.Describe(s), Need: what}
	}
	return c, nil
}

// main makes this package a command, as a C library must be.
func main() {}
