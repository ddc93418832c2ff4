// Command capi is the C interface of combpred: combpred.h says what it does.
//
// The entry points in C, which refuse forked processes, are generated (zz_entries.c); each calls the function here that is exported with
// "go_" before its name. Every exported function runs its body in guard, takes its buffers through the checked conversions of buffers.go, and leaves the
// work to package core.
package main

//go:generate go run ./generate/names ../python/combpred/_lib/names.py
//go:generate go run ./generate/entries combpred.h zz_entries.c

// #include "combpred.h"
import "C"

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode/utf8"
	"unsafe"

	"combpred/core/badrow"
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
			setError(err, cap, message(a))
			return
		}
		status = C.CP_EINTERNAL
		setError(err, cap, fmt.Sprintf("internal error: %v\n%s", r, debug.Stack()))
	}()
	e := f()
	if e == nil {
		return C.CP_OK
	}
	setError(err, cap, message(e))
	return statusOf(e)
}

// guardRows is guard for functions that take rows of the caller's: it writes to badRow, unless that is NULL, which one is to blame,
// −1 for none.
func guardRows(badRow *C.int64_t, err *C.char, cap C.int64_t, f func() error) C.int32_t {
	return guard(err, cap, func() error {
		if badRow == nil {
			return f()
		}
		if _, e := one(badRow, "bad_row"); e != nil {
			return e
		}
		*badRow = -1
		e := f()
		if at, ok := errors.AsType[*badrow.Error](e); ok && !errors.Is(e, parallel.ErrCancelled) {
			*badRow = C.int64_t(at.Row)
		}
		return e
	})
}

// argumentError is an illegal argument. Conversions that return no error panic with it, and guard answers with CP_EVALUE.
type argumentError struct{ error }

// illegal returns the error of an argument; its text, made as fmt.Errorf makes it, names the argument first, not a package.
func illegal(format string, args ...any) error { return argumentError{fmt.Errorf(format, args...)} }

func (e argumentError) Unwrap() error { return errors.Unwrap(e.error) }

// packageName is how the errors of a package begin, as is the custom in Go.
var packageName = regexp.MustCompile(`^[a-z]+: `)

// message returns the text of an error without the names of packages, with which it and those that it wraps begin.
func message(err error) string {
	text := err.Error()
	_, own := err.(argumentError)
	name := packageName.FindString(text)
	for _, inner := range wrapped(err) {
		old := inner.Error()
		if strings.HasPrefix(text, old) { // the name is that of the inner one
			own = true
		}
		text = strings.Replace(text, old, message(inner), 1)
	}
	if own {
		return text
	}
	return strings.TrimPrefix(text, name)
}

// wrapped returns the errors that err wraps.
func wrapped(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}

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
