package structure

import (
	"fmt"

	"combpred/core/fault"
)

// CapabilityError says that a structure lacks what a computation needs. It is reported before any work is done.
type CapabilityError struct {
	Structure    string // what String gives for the structure, such as "permutations of 5 labels"
	Need         string // the missing capability and what it is for, such as "a Decoder, to find the best output"
	Alternatives string // what to do instead; or empty
}

func (e *CapabilityError) Error() string {
	text := fmt.Sprintf("%s: this needs %s, which the structure does not have", e.Structure, e.Need)
	if e.Alternatives != "" {
		text += "; " + e.Alternatives
	}
	return text
}

// Kind is that of what a structure cannot do.
func (e *CapabilityError) Kind() fault.Kind { return fault.KindCapability }

// EveryRow is true: what a structure lacks it lacks for any scores.
func (e *CapabilityError) EveryRow() bool { return true }

// Describe returns a short description of a space for messages: its String method's where it has one, its type
// otherwise.
func Describe(s Space) string {
	if d, ok := s.(fmt.Stringer); ok {
		return d.String()
	}
	return fmt.Sprintf("%T", s)
}
