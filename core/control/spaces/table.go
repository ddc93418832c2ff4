package spaces

import (
	"combpred/core/catalogue"
	"combpred/core/control/handles"
	"combpred/core/structure"
)

// open are the spaces that callers hold. Spaces are immutable, and whoever got one from the table has it for as long as the call takes:
// closing its handle meanwhile takes nothing away, and the collector frees it afterwards, with all that is derived from it.
var open = handles.New[structure.Space]("space", 1)

// Open builds the space that a description stands for, whose items have the given names, or none, and returns a handle of it. The
// buffers are not kept.
func Open(text []byte, ints []int32, reals []float64, names []string) (handle uint64, err error) {
	name, args, err := Parse(text, ints, reals)
	if err != nil {
		return 0, err
	}
	args.Names = names
	s, err := structure.New(name, args)
	if err != nil {
		return 0, err
	}
	return open.Open(s), nil
}

// Of returns the space of a handle.
func Of(handle uint64) (structure.Space, error) { return open.Get(handle) }

// Close makes a handle invalid.
func Close(handle uint64) error {
	_, err := open.Close(handle)
	return err
}

// Facts returns the facts of the space of a handle as a JSON object.
func Facts(handle uint64) (string, error) {
	s, err := Of(handle)
	if err != nil {
		return "", err
	}
	return catalogue.FactsOf(s).JSON()
}

// Len returns the number of open spaces.
func Len() int { return open.Len() }
