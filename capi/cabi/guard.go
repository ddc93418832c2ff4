package cabi

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

// The statuses of combpred.h that are given here. Error types of package core name the others themselves.
const (
	ok          int32 = 0
	eValue      int32 = 1
	eCapability int32 = 2
	eCancelled  int32 = 4
	eInternal   int32 = 5
)

// Guard runs f and turns its error, or its panic, into a status and a message in the cap bytes at err.
func Guard(err unsafe.Pointer, cap int64, f func() error) (status int32) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if a, is := r.(argumentError); is {
			status = eValue
			setError(err, cap, message(a))
			return
		}
		status = eInternal
		setError(err, cap, fmt.Sprintf("internal error: %v\n%s", r, debug.Stack()))
	}()
	e := f()
	if e == nil {
		return ok
	}
	setError(err, cap, message(e))
	return statusOf(e)
}

// GuardRows is Guard for functions that take rows of the caller's: it writes to badRow, unless that is NULL, which one is to blame,
// −1 for none.
func GuardRows(badRow *int64, err unsafe.Pointer, cap int64, f func() error) int32 {
	return Guard(err, cap, func() error {
		if badRow == nil {
			return f()
		}
		if _, e := One(badRow, "bad_row"); e != nil {
			return e
		}
		*badRow = -1
		e := f()
		if at, is := errors.AsType[*badrow.Error](e); is {
			*badRow = int64(at.Row)
		}
		return e
	})
}

// argumentError is an illegal argument. Conversions that return no error panic with it, and guard answers with CP_EVALUE.
type argumentError struct{ error }

// Illegal returns the error of an argument; its text, made as fmt.Errorf makes it, names the argument first, not a package.
func Illegal(format string, args ...any) error { return argumentError{fmt.Errorf(format, args...)} }

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
func statusOf(err error) int32 {
	var (
		limit      *structure.LimitError
		capability *structure.CapabilityError
		panicked   *parallel.PanicError
		own        interface{ Status() int32 }
	)
	switch {
	case errors.As(err, &own):
		return own.Status()
	case errors.As(err, &limit), errors.As(err, &capability):
		return eCapability
	case errors.Is(err, parallel.ErrCancelled):
		return eCancelled
	case errors.As(err, &panicked):
		return eInternal
	}
	return eValue
}

// setError writes text to buf[n] with a closing NUL, cut to fit between characters. What is no UTF-8, or ends a text in C, as in the names
// that a message quotes, is replaced.
func setError(buf unsafe.Pointer, n int64, text string) {
	if buf == nil || n <= 0 {
		return
	}
	PutText(unsafe.Slice((*byte)(buf), min(n, maxMessage)), text)
}

// maxMessage is more than any message takes.
const maxMessage = 1 << 20

// PutText writes text to dst with a closing NUL, cut to fit between characters.
func PutText(dst []byte, text string) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) >= len(dst) {
		cut := len(dst) - 1
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	dst[copy(dst, text)] = 0
}
