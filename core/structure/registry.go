package structure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"combpred/core/fault"
)

// Param describes one scalar or buffer that a structure is built from.
type Param struct {
	Name string // as in the structure's text, such as "n"
	Kind string // "int", "int32 buffer" or "float64 buffer"
	Doc  string // what it means
	// The range of an "int". Where others limit it further, Bound says to what, such as "n - 1".
	Least, Most int64
	Bound       string
	Reason      string // why there is no larger one, for messages; or empty
	Optional    bool   // it may be absent
}

// Args are the parameters of one structure in plain form: scalars by name, and at most one buffer of each type whose layout the
// structure's Params describe. Buffers belong to the caller; New copies what it keeps.
type Args struct {
	Scalars map[string]int64
	Ints    []int32
	Reals   []float64
	Names   []string // of the items, if they have any
}

// arguments are those of a structure that is being built, with the parameters that they are for.
type arguments struct {
	Args
	params []Param
}

// memo returns an empty one, with the names of the items.
func (a arguments) memo() *memo { return &memo{names: a.names()} }

func (a arguments) names() Names { return slices.Clone(a.Names) }

// Int returns the scalar called name, or an error that names it when it is missing or outside its range.
func (a arguments) Int(name string) (int, error) {
	return a.IntTo(name, math.MaxInt64)
}

// IntTo is Int for a scalar that others limit further, to at most bound.
func (a arguments) IntTo(name string, bound int64) (int, error) {
	p := a.params[slices.IndexFunc(a.params, func(p Param) bool { return p.Name == name })]
	v, ok := a.Scalars[name]
	if !ok {
		return 0, fault.Value("parameter %q is missing", name)
	}
	if most := min(p.Most, bound); v < p.Least || v > most {
		called, reason := fmt.Sprintf("parameter %q", name), ""
		if meaning, _, _ := strings.Cut(p.Doc, ";"); strings.HasPrefix(meaning, "number of ") {
			called = fmt.Sprintf("the %s (%s)", meaning, name)
		}
		if v > p.Most && p.Reason != "" {
			reason = "; " + p.Reason
		}
		return 0, fault.Value("%s is %d, must be between %d and %d%s", called, v, p.Least, most, reason)
	}
	return int(v), nil
}

// Spec is the registry entry of a structure.
type Spec struct {
	Name   string // catalogue name, such as "permutations"
	Doc    string // one sentence
	Params []Param
	// Conditions are the keys that a Restricter takes.
	Conditions []Term
	Parts      string                    // what the int32 parts of one encoded output are, and their order
	Psi        string                    // what the entries of ψ stand for, in their order
	Ref        string                    // where the formulas come from
	New        func(Args) (Space, error) // register sets it
	build      func(arguments) (Space, error)
	// Typical are parameters of small spaces. Whatever the structure can do with some parameters, one of them can.
	Typical []Args
}

// TypicalSpaces builds those of Typical.
func (s Spec) TypicalSpaces() []Space {
	all := make([]Space, len(s.Typical))
	for i, args := range s.Typical {
		var err error
		if all[i], err = s.New(args); err != nil {
			panic(err)
		}
	}
	return all
}

// LimitError says that an exact method is beyond its size.
type LimitError struct {
	What         string // the method, such as "exact decoding of permutations"
	Size, Limit  int
	Unit         string // what is counted, such as "labels", where the message is to say so; or empty
	OfRow        bool   // whether it is the scores of a row that are beyond the limit, so that other rows may be within it
	Effort       string // what was spent in vain on an instance within the limit, such as "1000 nodes"; or empty
	Alternatives string // what to use instead
}

func (e *LimitError) Error() string {
	if e.Effort != "" {
		return fmt.Sprintf("%s of size %d was not done within %s; %s", e.What, e.Size, e.Effort, e.Alternatives)
	}
	if e.Unit != "" {
		return fmt.Sprintf("%s is limited to %d %s, this structure has %d; %s", e.What, e.Limit, e.Unit, e.Size, e.Alternatives)
	}
	return fmt.Sprintf("%s is limited to size %d, this one has size %d; %s", e.What, e.Limit, e.Size, e.Alternatives)
}

// Kind is that of what a structure cannot do.
func (e *LimitError) Kind() fault.Kind { return fault.KindCapability }

// EveryRow reports whether the limit is one of the structure, whatever the scores.
func (e *LimitError) EveryRow() bool { return !e.OfRow }

var registry = map[string]Spec{}

// register adds a structure to the catalogue. It is called once for each, while package variables are initialised.
func register(s Spec) struct{} {
	s.New = func(a Args) (Space, error) {
		if err := s.checkItems(a); err != nil {
			return nil, err
		}
		return s.build(arguments{a, s.Params})
	}
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
		return nil, fault.Value("no structure is called %q; the catalogue lists all names", name)
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
			return fault.Value("%q has no parameter %q", s.Name, name)
		}
	}
	if len(args.Ints) > 0 && !takes("int32 buffer", "") {
		return fault.Value("%q takes no integers beside its parameters, not %d", s.Name, len(args.Ints))
	}
	if len(args.Reals) > 0 && !takes("float64 buffer", "") {
		return fault.Value("%q takes no reals beside its parameters, not %d", s.Name, len(args.Reals))
	}
	return nil
}

// checkItems returns an error unless there are no names, or a different one for each item, and perhaps for each column.
func (s Spec) checkItems(a Args) error {
	if len(a.Names) == 0 {
		return nil
	}
	n, counted := a.Scalars["n"]
	if !counted {
		n, counted = a.Scalars["vertices"] // of paths
	}
	if !counted {
		return fault.Value("%q has no items that could have names", s.Name)
	}
	columns := slices.ContainsFunc(s.Conditions, func(t Term) bool { return t.Second != "" })
	if k := int64(len(a.Names)); k != n && (!columns || k != 2*n) {
		what := "items"
		if columns {
			what = "items, or for as many items and columns"
		}
		return fault.Value("there are %d names for %d %s", k, n, what)
	}
	for _, names := range [2][]string{a.Names[:n], a.Names[n:]} {
		seen := make(map[string]bool, len(names))
		for _, name := range names {
			if seen[name] {
				return fault.Value("two items have the name %q", name)
			}
			seen[name] = true
		}
	}
	return nil
}
