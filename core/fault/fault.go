// Package fault has the errors of the module: each says what kind of refusal it is, which of the caller's rows is to blame, and,
// in words that nobody edits afterwards, what is wrong.
//
// Texts name no package, for those who read them called none of ours, and no row: its number stands beside the text, so that whoever
// passes rows of something larger can count it among those, and whoever takes it as a number need not strip it off.
package fault

import (
	"errors"
	"fmt"
)

// Kind says what sort of refusal an error is. Interfaces to other languages map it to their statuses and exceptions.
type Kind uint8

const (
	KindValue        Kind = iota // an argument is illegal
	KindCapability               // the structure, at this size, cannot do what is asked
	KindNumerical                // the numbers do not allow it: a matrix is not positive definite, a result overflows
	KindCancelled                // the caller asked to stop
	KindBudget                   // an exact sampler was not done within its budget
	KindMemory                   // the work would need more memory than can be addressed
	KindNotConverged             // the limit of iterations came first; what was computed is valid
	KindInternal                 // a bug of ours
	KindTarget                   // what was seen of the output of a row is illegal
)

// NoRow is the row of an error that no row is to blame for.
const NoRow = -1

// refusal is the error of this package. Types of their own are for errors that callers branch on or read fields of; they have a Kind
// method, too.
type refusal struct {
	kind  Kind
	row   int    // counted from 0, or NoRow
	text  string // what is wrong, without the row
	cause error  // what it was made of, or nil
}

// Error returns the text, behind "row 3: " where a row is to blame.
func (e *refusal) Error() string {
	if e.row == NoRow {
		return e.text
	}
	return fmt.Sprintf("row %d: %s", e.row, e.text)
}

func (e *refusal) Kind() Kind { return e.kind }

func (e *refusal) Unwrap() error { return e.cause }

// EveryRow reports whether every row of a batch would have failed alike. Where an error was made of another, that one knows.
func (e *refusal) EveryRow() bool {
	if cause, is := errors.AsType[general](e.cause); is && e.row == NoRow {
		return cause.EveryRow()
	}
	return e.kind == KindCancelled
}

// general is an error that may tell that no single row is to blame.
type general interface {
	error
	EveryRow() bool
}

// Value returns an error about an illegal argument, made as fmt.Errorf makes it. The row of an error among the arguments becomes that
// of the new one, and is left out of the text. This holds for the other kinds, too.
func Value(format string, args ...any) error { return newError(KindValue, format, args...) }

// Capability returns an error about what cannot be done with a structure at its size.
func Capability(format string, args ...any) error { return newError(KindCapability, format, args...) }

// Numerical returns an error about numbers that do not allow a computation.
func Numerical(format string, args ...any) error { return newError(KindNumerical, format, args...) }

// Cancelled returns an error of what was asked to stop. No row is ever to blame for it.
func Cancelled(format string, args ...any) error { return newError(KindCancelled, format, args...) }

// Budget returns an error of an exact method that was not done within its budget.
func Budget(format string, args ...any) error { return newError(KindBudget, format, args...) }

// Target returns an error about what was seen of the output of a row, unless the one among the arguments is about more than values.
func Target(err error) error {
	if KindOf(err) != KindValue {
		return err
	}
	return newError(KindTarget, "%w", err)
}

// Memory returns an error about work that would need more memory than can be addressed.
func Memory(format string, args ...any) error { return newError(KindMemory, format, args...) }

// NotConverged returns an error of an iteration that ended at its limit.
func NotConverged(format string, args ...any) error {
	return newError(KindNotConverged, format, args...)
}

// First returns the first of the errors, nil if there is none.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Wrap returns an error of the kind, and about the row, of that which is among the arguments.
func Wrap(format string, args ...any) error {
	e := newError(KindValue, format, args...)
	e.kind = KindOf(e.cause)
	return e
}

// newError writes to args, which are the caller's own copy as long as it lists them one by one.
func newError(kind Kind, format string, args ...any) *refusal {
	e := &refusal{kind: kind, row: NoRow}
	for i, arg := range args {
		if cause, is := arg.(error); is {
			if e.cause == nil {
				e.cause, e.row = cause, RowOf(cause)
			}
			args[i] = bare(TextOf(cause))
		}
	}
	e.text = fmt.Errorf(format, args...).Error()
	return e
}

// bare is the text of an error among the arguments of a format.
type bare string

func (b bare) Error() string { return string(b) }

// At returns err as one about a row, in place of the row that it may name already. An error for which all rows are alike is returned
// as it is: what tells is the method EveryRow of the error.
func At(row int, err error) error {
	if all, is := errors.AsType[general](err); is && all.EveryRow() {
		return err
	}
	return &refusal{kind: KindOf(err), row: row, text: TextOf(err), cause: err}
}

// AtThis is At for rows that share nothing, such as rows with spaces of their own: an error that all rows alike would have had is about
// the row, too, unless the caller asked to stop.
func AtThis(row int, err error) error {
	if KindOf(err) == KindCancelled {
		return err
	}
	return &refusal{kind: KindOf(err), row: row, text: TextOf(err), cause: err}
}

// Renumbered returns an error about a row of a part as one about that of the whole which to says. Others are returned as they are.
func Renumbered(err error, to func(row int) int) error {
	if row := RowOf(err); row != NoRow {
		return At(to(row), err)
	}
	return err
}

// KindOf returns what an error says of its kind. Those that say nothing, such as a callback's own, are about values.
func KindOf(err error) Kind {
	if e, is := errors.AsType[interface {
		error
		Kind() Kind
	}](err); is {
		return e.Kind()
	}
	return KindValue
}

// RowOf returns the number of the row that an error is about, or NoRow.
func RowOf(err error) int {
	if e, is := errors.AsType[*refusal](err); is {
		return e.row
	}
	return NoRow
}

// TextOf returns what an error says without the number of the row.
func TextOf(err error) string {
	if e, is := err.(*refusal); is {
		return e.text
	}
	return err.Error()
}
