package structure

import (
	"fmt"
	"maps"
	"slices"
)

// Param describes one scalar or buffer that a structure is built from.
type Param struct {
	Name string // as in the structure's text, such as "n"
	Kind string // "int", "int32 buffer" or "float64 buffer"
	Doc  string // what it means and what is allowed
}

// Args are the parameters of one structure in plain form: scalars by name, and at most one buffer of each type whose layout the
// structure's Params describe. Buffers belong to the caller; New copies what it keeps.
type Args struct {
	Scalars map[string]int64
	Ints    []int32
	Reals   []float64
}

// Int returns the scalar called name, or an error that names it when it is missing or outside [lo, hi].
func (a Args) Int(name string, lo, hi int64) (int, error) {
	v, ok := a.Scalars[name]
	if !ok {
		return 0, fmt.Errorf("structure: parameter %q is missing", name)
	}
	if v < lo || v > hi {
		return 0, fmt.Errorf("structure: parameter %q is %d, must be between %d and %d", name, v, lo, hi)
	}
	return int(v), nil
}

// Spec is the registry entry of a structure.
type Spec struct {
	Name   string // catalogue name, such as "permutations"
	Doc    string // one sentence
	Params []Param
	Ref    string // where the formulas come from
	New    func(Args) (Space, error)
	// Small lists parameters of enumerable sizes, the smallest first: the conformance suite runs on each.
	Small []Args
	// Medium lists sizes, if any, beyond a list of all outputs and within the limit of the exponential recursion for the
	// partition function: that is tested there.
	Medium []Args
	// Large lists parameters far beyond enumeration (one beyond 170!, the factorial limit of float64): counts and moments
	// must stay exact and finite there.
	Large []Args
}

// LimitError says that an exact method is beyond its size.
type LimitError struct {
	What         string // the method, such as "exact decoding of permutations"
	Size, Limit  int
	Effort       string // what was spent in vain on an instance within the limit, such as "1000 nodes"; or empty
	Alternatives string // what to use instead
}

func (e *LimitError) Error() string {
	if e.Effort != "" {
		return fmt.Sprintf("structure: %s of size %d was not done within %s; %s", e.What, e.Size, e.Effort, e.Alternatives)
	}
	return fmt.Sprintf("structure: %s is limited to size %d, this one has size %d; %s", e.What, e.Limit, e.Size, e.Alternatives)
}

var registry = map[string]Spec{}

// register adds a structure to the catalogue. It is called once for each, while package variables are initialised.
func register(s Spec) struct{} {
	if _, dup := registry[s.Name]; dup {
		panic("structure: " + s.Name + " registered twice")
	}
	registry[s.Name] = s
	return struct{}{}
}

// Catalogue returns all registered structures in order of their names.
func Catalogue() []Spec {
	all := make([]Spec, 0, len(registry))
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		all = append(all, registry[name])
	}
	return all
}

// New builds the structure called name. A parameter that it does not have is an error: a misspelt optional one must not pass
// for its default.
func New(name string, args Args) (Space, error) {
	s, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("structure: no structure is called %q", name)
	}
	if err := s.checkNames(args); err != nil {
		return nil, err
	}
	return s.New(args)
}

// checkNames returns an error that names a scalar, or a kind of buffer, that the structure does not take.
func (s Spec) checkNames(args Args) error {
	takes := func(kind, name string) bool {
		return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == kind && (name == "" || p.Name == name) })
	}
	for _, name := range slices.Sorted(maps.Keys(args.Scalars)) {
		if !takes("int", name) {
			return fmt.Errorf("structure: %q has no parameter %q", s.Name, name)
		}
	}
	if len(args.Ints) > 0 && !takes("int32 buffer", "") {
		return fmt.Errorf("structure: %q takes no integers beside its parameters, not %d", s.Name, len(args.Ints))
	}
	if len(args.Reals) > 0 && !takes("float64 buffer", "") {
		return fmt.Errorf("structure: %q takes no reals beside its parameters, not %d", s.Name, len(args.Reals))
	}
	return nil
}
