// Command capi is the C interface of combpred: combpred.h says what it does.
//
// The entry points in C, which refuse forked processes, are generated (zz_entries.c); each calls the function here that is exported with
// "go_" before its name. Every exported function runs its body in guard, takes its arguments through the checked conversions of this
// file and of package cabi, and leaves the work to package core.
package main

//go:generate go run ./generate/names ../python/combpred/_lib/names.py
//go:generate go run ./generate/entries combpred.h zz_entries.c zz_exports.map zz_entries_test.go ../python/combpred/_lib/abi.py

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// guard runs the body of an entry point.
func guard(err *C.char, errCap C.int64_t, f func() error) C.int32_t {
	return C.int32_t(cabi.Guard(unsafe.Pointer(err), int64(errCap), f))
}

// guardRows runs the body of an entry point that takes rows of the caller's.
func guardRows(badRow *C.int64_t, err *C.char, errCap C.int64_t, f func() error) C.int32_t {
	return C.int32_t(cabi.GuardRows((*int64)(unsafe.Pointer(badRow)), unsafe.Pointer(err), int64(errCap), f))
}

// tail is what a call that can take long ends with.
type tail struct {
	workers int
	mon     *parallel.Monitor
}

func readTail(workers C.int32_t, control *C.cp_control) (tail, error) {
	w, err := cabi.Workers(workers)
	return tail{w, cabi.Monitor(unsafe.Pointer(control))}, err
}

// A Monitor and a cp_control are the same memory.
var _ [unsafe.Sizeof(C.cp_control{})]byte = [unsafe.Sizeof(parallel.Monitor{})]byte{}

func float64s(p *C.cp_in_f64, name string, dims ...C.int64_t) ([]float64, error) {
	return cabi.View[float64](unsafe.Pointer(p), name, dims...)
}

func optionalFloat64s(p *C.cp_in_f64, name string, dims ...C.int64_t) ([]float64, error) {
	return cabi.Optional[float64](unsafe.Pointer(p), name, dims...)
}

func int32s(p *C.cp_in_i32, name string, dims ...C.int64_t) ([]int32, error) {
	return cabi.View[int32](unsafe.Pointer(p), name, dims...)
}

func int64s(p *C.cp_in_i64, name string, dims ...C.int64_t) ([]int64, error) {
	return cabi.View[int64](unsafe.Pointer(p), name, dims...)
}

// matrix views p[rows, cols].
func matrix(p *C.cp_in_f64, name string, rows, cols C.int64_t) (linalg.Matrix[float64], error) {
	data, err := float64s(p, name, rows, cols)
	return linalg.Matrix[float64]{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}, err
}

// roomFor returns where a text of unknown length goes.
func roomFor(dst *C.char, dstCap C.int64_t, needed *C.int64_t) (cabi.Room, error) {
	return cabi.RoomFor(unsafe.Pointer(dst), int64(dstCap), (*int64)(unsafe.Pointer(needed)))
}

// named returns the value of a parameter whose names are listed: the first for NULL.
func named[M ~int | ~int32](names catalogue.Names, p *C.cp_in_char, parameter string) (M, error) {
	name, err := cabi.Name(unsafe.Pointer(p), parameter)
	if err != nil {
		return 0, err
	}
	number, err := names.Number(parameter, name)
	return M(number), err
}

// equal checks a dimension that the structure prescribes.
func equal(name string, got C.int64_t, want int) error {
	return cabi.Equal(name, got, "the structure", want)
}
