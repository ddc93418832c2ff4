// Command capi is the C interface of combpred: combpred.h says what it does.
//
// Every exported function runs its body in guard, takes its buffers through the checked conversions of buffers.go, and leaves the
// work to package core.
package main

// #include "combpred.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unicode/utf8"
	"unsafe"

	"combpred/core/parallel"
	"combpred/core/structure"
)

// guard runs f and turns its error, or its panic, into a status and a message in err[cap].
func guard(err *C.char, cap C.int64_t, f func() error) (status C.int32_t) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if a, ok := r.(argumentError); ok {
			status = C.CP_EVALUE
			setError(err, cap, string(a))
			return
		}
		status = C.CP_EINTERNAL
		setError(err, cap, fmt.Sprintf("internal error: %v\n%s", r, debug.Stack()))
	}()
	e := f()
	if e == nil {
		return C.CP_OK
	}
	setError(err, cap, e.Error())
	return statusOf(e)
}

// argumentError is an illegal argument. Conversions that return no error panic with it, and guard answers with CP_EVALUE.
type argumentError string

func (e argumentError) Error() string { return string(e) }

// statusOf says which status an error stands for. An error type of package core outside this list names its own.
func statusOf(err error) C.int32_t {
	var (
		limit      *structure.LimitError
		capability *structure.CapabilityError
		panicked   *parallel.PanicError
		own        interface{ Status() int32 }
	)
	switch {
	case errors.As(err, &own):
		return C.int32_t(own.Status())
	case errors.As(err, &limit), errors.As(err, &capability):
		return C.CP_ECAPABILITY
	case errors.Is(err, parallel.ErrCancelled):
		return C.CP_ECANCELLED
	case errors.As(err, &panicked):
		return C.CP_EINTERNAL
	}
	return C.CP_EVALUE
}

// setError writes text to buf[n] with a closing NUL, cut to fit between characters.
func setError(buf *C.char, n C.int64_t, text string) {
	if buf == nil || n <= 0 {
		return
	}
	if int64(len(text)) >= int64(n) {
		cut := int(n) - 1
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	dst := unsafe.Slice((*byte)(unsafe.Pointer(buf)), len(text)+1)
	dst[copy(dst, text)] = 0
}

//export cp_abi_version
func cp_abi_version() C.int32_t {
	return C.CP_ABI_VERSION
}

//export cp_test_panic
func cp_test_panic(inWorker C.int32_t, err *C.char, errCap C.int64_t) C.int32_t {
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
