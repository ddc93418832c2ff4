package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/control"
	"combpred/core/parallel"
)

// maxPath bounds the length of a path.
const maxPath = 1 << 12

//export go_cp_test_panic
func go_cp_test_panic(inWorker C.int32_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		if inWorker == 0 {
			panic("test of a panic in the calling goroutine")
		}
		return parallel.For(2, 1, 2, nil, func(lo, _ int) error {
			if lo == 1 {
				panic("test of a panic in a worker")
			}
			return nil
		})
	})
}

//export go_cp_version
func go_cp_version(dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, tell(dst, dstCap, needed, func() (string, error) { return control.Version(), nil }))
}

//export go_cp_catalogue
func go_cp_catalogue(dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, tell(dst, dstCap, needed, control.Catalogue))
}

//export go_cp_blas_routines
func go_cp_blas_routines(dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, tell(dst, dstCap, needed, func() (string, error) { return control.BlasRoutines(), nil }))
}

//export go_cp_blas_status
func go_cp_blas_status(dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, tell(dst, dstCap, needed, func() (string, error) { return control.BlasStatus(), nil }))
}

// tell returns what writes a text to the caller's buffer.
func tell(dst *C.char, dstCap C.int64_t, needed *C.int64_t, text func() (string, error)) func() error {
	return func() error {
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		told, err := text()
		if err == nil {
			out.Write(told)
		}
		return err
	}
}

//export go_cp_blas_offer
func go_cp_blas_offer(name, arguments *C.cp_in_char, address unsafe.Pointer, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		routine, err := cabi.Name(unsafe.Pointer(name), "name")
		if err != nil {
			return err
		}
		kinds, err := cabi.Name(unsafe.Pointer(arguments), "arguments")
		if err != nil {
			return err
		}
		return control.BlasOffer(routine, kinds, uintptr(address))
	})
}

//export go_cp_blas_activate
func go_cp_blas_activate(err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, control.BlasActivate)
}

//export go_cp_blas_open
func go_cp_blas_open(path *C.cp_in_char, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		text, err := cabi.Text(unsafe.Pointer(path), "path", maxPath)
		if err != nil {
			return err
		}
		if path != nil && text == "" {
			return cabi.Illegal("path is empty: give NULL for the libraries with usual names")
		}
		return control.BlasOpen(text)
	})
}
