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

func doTestPanic(a *testPanicArgs) error {
	if a.inWorker == 0 {
		panic("test of a panic in the calling goroutine")
	}
	return parallel.For(2, 1, 2, nil, func(lo, _ int) error {
		if lo == 1 {
			panic("test of a panic in a worker")
		}
		return nil
	})
}

func doVersion(a *versionArgs) error {
	a.room.Write(control.Version())
	return nil
}

func doCatalogue(a *catalogueArgs) error {
	text, err := control.Catalogue()
	if err == nil {
		a.room.Write(text)
	}
	return err
}

func doBlasRoutines(a *blasRoutinesArgs) error {
	a.room.Write(control.BlasRoutines())
	return nil
}

func doBlasStatus(a *blasStatusArgs) error {
	a.room.Write(control.BlasStatus())
	return nil
}

func doBlasOffer(a *blasOfferArgs) error {
	return control.BlasOffer(a.name, a.arguments, uintptr(a.address))
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
