package cabi

import (
	"runtime/debug"
	"strings"
	"unicode/utf8"
	"unsafe"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// ok is the status CP_OK.
const ok int32 = 0

// statuses are those of combpred.h by the kinds of errors.
var statuses = map[fault.Kind]int32{
	fault.KindValue:        1,
	fault.KindCapability:   2,
	fault.KindNumerical:    3,
	fault.KindCancelled:    4,
	fault.KindInternal:     5,
	fault.KindMemory:       6,
	fault.KindNotConverged: 7,
	fault.KindBudget:       8,
	fault.KindTarget:       10,
}

// Guard runs f and turns its error, or its panic, into a status and a message in the cap bytes at err.
func Guard(err unsafe.Pointer, cap int64, f func() error) (status int32) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		p := parallel.PanicError{Value: r, Stack: debug.Stack()}
		status = statuses[p.Kind()]
		setError(err, cap, p.Error())
	}()
	e := f()
	if e == nil {
		return ok
	}
	setError(err, cap, e.Error())
	return statuses[fault.KindOf(e)]
}

// GuardRows is Guard for functions that take rows of the caller's: it writes to badRow, unless that is NULL, which one is to blame,
// −1 for none. The message then leaves the row out.
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
		if row := fault.RowOf(e); row != fault.NoRow {
			*badRow = int64(row)
			return fault.At(fault.NoRow, e)
		}
		return e
	})
}

// Illegal returns the error of an argument; its text, made as fmt.Errorf makes it, names the argument first.
func Illegal(format string, args ...any) error { return fault.Value(format, args...) }

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
