// Package badrow has the error that says, as a number, which of the caller's rows is to blame.
package badrow

import (
	"errors"
	"fmt"
)

// Error says what is wrong with one row of a batch. Callers that pass rows of something larger find out which by errors.As,
// and need not read the text.
type Error struct {
	Row int   // counted from 0
	Err error // what is wrong with it
	// Named says that the text of Err names the row already, somewhere in its sentence.
	Named bool
}

// General is an error that may tell that no single row is to blame.
type General interface {
	error
	// EveryRow reports whether every row of the batch would have failed alike.
	EveryRow() bool
}

// At returns err as one about a row: its text is "row 3: " and that of err. A General error for which all rows are alike is
// returned as it is.
func At(row int, err error) error {
	if g, ok := errors.AsType[General](err); ok && g.EveryRow() {
		return err
	}
	return &Error{Row: row, Err: err}
}

// Named returns an error about a row whose text, made as fmt.Errorf makes it, names the row in its sentence.
func Named(row int, format string, args ...any) error {
	return &Error{Row: row, Err: fmt.Errorf(format, args...), Named: true}
}

// Renumbered returns an error about a row of a part as one about that of the whole which to says. Other errors, and those whose text
// names the row, are returned as they are.
func Renumbered(err error, to func(row int) int) error {
	if bad, ok := errors.AsType[*Error](err); ok && !bad.Named {
		return At(to(bad.Row), bad.Err)
	}
	return err
}

func (e *Error) Error() string {
	if e.Named {
		return e.Err.Error()
	}
	return fmt.Sprintf("row %d: %v", e.Row, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
