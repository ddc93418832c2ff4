// Package examples holds the sizes at which each structure is tested. Only tests import it, so that no process carries them.
//
// It does not import package structure, whose own tests use it as well.
package examples

import "slices"

// Args are the parameters of a structure: the fields of structure.Args, to which they convert.
type Args struct {
	Scalars map[string]int64
	Ints    []int32
	Reals   []float64
	Names   []string
}

// Sizes lists the parameters at which a structure is tested.
type Sizes struct {
	// Small has those of enumerable sizes, the smallest first: the conformance suite runs on each.
	Small func() []Args
	// Medium has those, if any, beyond a list of all outputs and within the limit of the exponential recursion for the
	// partition function: that is tested there.
	Medium func() []Args
	// Large has those far beyond enumeration (one beyond 170!, the factorial limit of float64): counts and moments must stay
	// exact and finite there.
	Large func() []Args
}

var all = map[string]Sizes{}

// add enters the sizes of the structure of a name. It is called once for each, while package variables are initialised.
func add(name string, s Sizes) struct{} {
	if _, dup := all[name]; dup {
		panic("examples: " + name + " is entered twice")
	}
	if s.Medium == nil {
		s.Medium = list()
	}
	all[name] = s
	return struct{}{}
}

// Of returns the sizes of the structure called name, and whether there are any.
func Of(name string) (Sizes, bool) {
	s, ok := all[name]
	return s, ok
}

// Names returns the structures that have sizes, in order.
func Names() []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// list returns a function of what is cheap to write down.
func list(args ...Args) func() []Args { return func() []Args { return args } }

// sizes returns a function of the parameters n alone.
func sizes(n ...int64) func() []Args {
	return func() []Args {
		args := make([]Args, len(n))
		for i, v := range n {
			args[i] = Sized(v)
		}
		return args
	}
}

// Sized returns the parameters of a structure that is given by its size alone.
func Sized(n int64) Args { return Args{Scalars: map[string]int64{"n": n}} }

// SizedSets returns those of sets of one size out of n.
func SizedSets(n, size int64) Args {
	return Args{Scalars: map[string]int64{"n": n, "size": size}}
}
