// Package structuretest tests the properties that every structure must have. Package structure runs it on all registered
// ones, at the sizes that package examples has for them; a structure outside the registry can be tested by calling Run on its
// Spec and sizes of its own.
//
// The oracle is enumeration: at the small sizes every capability is compared with what listing the outputs gives. At the
// large sizes it tests what can be checked without: that numbers are finite, that samples are members, and that
// their averages agree with the moments.
package structuretest

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// mostSmall bounds the number of outputs of a small size, so that the tests run in a second or two.
const mostSmall = 5000

// Sizes are the parameters at which a structure is tested, see examples.Sizes.
type Sizes struct{ Small, Medium, Large []structure.Args }

// SizesOf returns the sizes that package examples has for the structure called name; without any the test fails.
func SizesOf(tb testing.TB, name string) Sizes {
	tb.Helper()
	known, ok := examples.Of(name)
	if !ok {
		tb.Fatalf("structure %q has no sizes to be tested at: add them to package examples", name)
	}
	return Sizes{argsOf(known.Small()), argsOf(known.Medium()), argsOf(known.Large())}
}

// Listed is a space whose outputs can be listed.
type Listed interface {
	structure.Space
	structure.Enumerator
}

// SmallOf yields the small spaces of a structure whose outputs can be listed, with their parameters.
func SmallOf(tb testing.TB, spec structure.Spec) iter.Seq2[structure.Args, Listed] {
	tb.Helper()
	return func(yield func(structure.Args, Listed) bool) {
		for _, args := range SizesOf(tb, spec.Name).Small {
			space, err := spec.New(args)
			if err != nil {
				tb.Fatal(err)
			}
			if listed, ok := space.(Listed); ok && !yield(args, listed) {
				return
			}
		}
	}
}

func argsOf(list []examples.Args) []structure.Args {
	args := make([]structure.Args, len(list))
	for i, a := range list {
		args[i] = structure.Args(a)
	}
	return args
}

// Run checks that a structure has all the properties.
func Run(t *testing.T, spec structure.Spec, sizes Sizes) {
	t.Helper()
	t.Run("spec", func(t *testing.T) { checkSpec(t, spec, sizes) })
	parts, restricted := map[structure.Key]int{}, 0
	for i, args := range sizes.Small {
		t.Run(name("small", i, args), func(t *testing.T) {
			s := small(t, spec, args)
			t.Run("facts", s.facts)
			t.Run("table", s.table)
			t.Run("encoding", s.encoding)
			t.Run("rows", s.rows)
			t.Run("names", s.names)
			t.Run("count", s.count)
			t.Run("moments", s.moments)
			t.Run("mode", s.mode)
			t.Run("keeps", s.keeps)
			t.Run("spectrum", s.spectrum)
			t.Run("decode", s.decode)
			t.Run("search", s.search)
			t.Run("stops", s.stops)
			t.Run("sample", s.sample)
			t.Run("moves", s.moves)
			t.Run("sibling", s.sibling)
			t.Run("partition", s.partition)
			t.Run("distribution", s.distribution)
			t.Run("lattice", s.lattice)
			t.Run("masks", s.masks)
			t.Run("conditions", func(t *testing.T) {
				restricted++
				s.conditions(t, spec, args, parts)
			})
		})
	}
	for _, term := range spec.Conditions {
		if restricted == len(sizes.Small) && parts[term.Key] == 0 {
			t.Errorf("no part of a space under '%v' alone is tested", term.Key)
		}
	}
	for i, args := range sizes.Large {
		t.Run(name("large", i, args), func(t *testing.T) {
			l := build(t, spec, args)
			t.Run("facts", l.facts)
			t.Run("moments", l.moments)
			t.Run("spectrum", l.spectrum)
			t.Run("decode", l.decode)
			t.Run("stops", l.stops)
			t.Run("moves", l.walk)
			t.Run("partition", l.partition)
		})
	}
	for i, args := range sizes.Medium {
		t.Run(name("medium", i, args), func(t *testing.T) {
			m := build(t, spec, args)
			t.Run("partition", m.partition)
			t.Run("summing stops", m.summingStops)
		})
	}
}

func name(kind string, i int, args structure.Args) string {
	text := fmt.Sprintf("%s %d", kind, i)
	for _, key := range slices.Sorted(maps.Keys(args.Scalars)) {
		text += fmt.Sprintf(" %s=%d", key, args.Scalars[key])
	}
	return text
}

// checkSpec checks what the catalogue shows, and that parameters are validated.
func checkSpec(t *testing.T, spec structure.Spec, sizes Sizes) {
	if spec.Doc == "" || spec.Parts == "" || spec.Psi == "" || spec.Ref == "" {
		t.Error("the structure needs a Doc, a Ref, and a description of its parts and of its ψ")
	}
	if len(sizes.Small) == 0 || len(sizes.Large) == 0 {
		t.Fatal("the structure needs small and large sizes, or it goes untested")
	}
	kinds := []string{"int", "int32 buffer", "float64 buffer"}
	for _, p := range spec.Params {
		if p.Name == "" || p.Doc == "" || !slices.Contains(kinds, p.Kind) {
			t.Errorf("parameter %+v needs a name, a doc and a kind out of %q", p, kinds)
		}
		if (p.Kind == "int") != (p.Most > p.Least) {
			t.Errorf("parameter %+v: whole numbers have a range, buffers have none", p)
		}
	}
	for i, args := range sizes.Small {
		if _, err := spec.New(args); err != nil {
			t.Errorf("small size %d is refused: %v", i, err)
		}
		more := structure.Args{Scalars: map[string]int64{"no such parameter": 1}, Ints: args.Ints, Reals: args.Reals}
		for k, v := range slicex.InOrder(args.Scalars) {
			more.Scalars[k] = v
		}
		if _, err := structure.New(spec.Name, more); err == nil {
			t.Errorf("small size %d with an unknown parameter is accepted", i)
		}
		for k := range slicex.InOrder(args.Scalars) {
			for _, bad := range []int64{-2, 1 << 40} {
				less := structure.Args{Scalars: map[string]int64{}, Ints: args.Ints, Reals: args.Reals}
				for l, v := range slicex.InOrder(args.Scalars) {
					less.Scalars[l] = v
				}
				less.Scalars[k] = bad
				if _, err := structure.New(spec.Name, less); err == nil {
					t.Errorf("small size %d with %s = %d is accepted", i, k, bad)
				}
			}
		}
	}
	if _, err := spec.New(structure.Args{}); err == nil {
		t.Error("missing parameters are accepted")
	}
}

// subject is a space under test.
type subject struct {
	space   structure.Space
	general bool // see structure.Layout
}

func build(t *testing.T, spec structure.Spec, args structure.Args) subject {
	t.Helper()
	space, err := structure.New(spec.Name, args)
	if err != nil {
		t.Fatal(err)
	}
	if space.PartLen() < 1 || space.FeatureLen() < 1 {
		t.Fatalf("PartLen is %d and FeatureLen is %d, must be positive", space.PartLen(), space.FeatureLen())
	}
	return subject{space, space.Facts().General}
}

// enumerated is a space with the list of its outputs and their embeddings.
type enumerated struct {
	subject
	outputs [][]int32
	psi     [][]float64
	index   map[string]int // of an output in the list
}

func small(t *testing.T, spec structure.Spec, args structure.Args) *enumerated {
	t.Helper()
	e := &enumerated{subject: build(t, spec, args), index: map[string]int{}}
	lister, ok := e.space.(structure.Enumerator)
	if !ok {
		t.Fatal("the structure is no Enumerator, so there is nothing to compare it with")
	}
	for y := range lister.All() {
		e.index[key(y)] = len(e.outputs)
		e.outputs = append(e.outputs, slices.Clone(y))
		e.psi = append(e.psi, e.embed(y))
		if len(e.outputs) > mostSmall {
			t.Fatalf("more than %d outputs are too many for a small size", mostSmall)
		}
	}
	if len(e.outputs) == 0 {
		t.Fatal("the space is empty")
	}
	return e
}

func (s subject) embed(y []int32) []float64 {
	psi := garbage(s.space.FeatureLen())
	s.space.Embed(psi, y)
	return psi
}

// key tells outputs apart as keys of a map.
func key(y []int32) string {
	bytes := make([]byte, 0, 4*len(y))
	for _, v := range y {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(v))
	}
	return string(bytes)
}

// count compares Count with the number of outputs listed.
func (e *enumerated) count(t *testing.T) {
	counter, ok := e.space.(structure.Counter)
	if !ok {
		t.Skip("no Counter")
	}
	if got := counter.Count(); got.Cmp(big.NewInt(int64(len(e.outputs)))) != 0 {
		t.Errorf("Count is %v, the list has %d outputs", got, len(e.outputs))
	}
	if got, err := structure.LogCount(e.space); err != nil || math.Abs(got-math.Log(float64(len(e.outputs)))) > exact {
		t.Errorf("LogCount is %v, the list has %d outputs", got, len(e.outputs))
	}
	counter.Count().SetInt64(-1)
	if counter.Count().Sign() < 0 {
		t.Error("changing the number that Count returned changes the space")
	}
}

// generator returns a random source whose stream depends on the number of the test only.
func generator(test uint64) *rand.Rand { return rand.New(rand.NewPCG(0x5eed, test)) }
