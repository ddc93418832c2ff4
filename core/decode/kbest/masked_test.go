package kbest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// restrictedTo returns a random part of a space, which is not all of it and not empty. A mask limits a few entries of ψ to values of an
// output and some others; for every other space the conditions of its keys are added.
func restrictedTo(t *testing.T, spec structure.Spec, args structure.Args, space structuretest.Listed, rng *rand.Rand) structure.Space {
	t.Helper()
	var pattern []float64
	d := space.FeatureLen()
	for y := range space.All() {
		if pattern == nil || rng.IntN(4) == 0 {
			pattern = make([]float64, d)
			space.Embed(pattern, y)
		}
	}
	mask := structure.NewMask()
	if restricter, ok := space.(structure.Restricter); ok {
		if r, err := restricter.Restrict()(structuretest.RandomConditions(spec, args, space, rng)); err == nil && rng.IntN(2) == 0 {
			mask = r.Mask
		}
	}
	for range 1 + rng.IntN(2) {
		entry := rng.IntN(d)
		mask.Limit(d, entry, structure.Values(1+rng.IntN(6))|1<<(int8(pattern[entry])+1))
	}
	part, err := structure.Within(space, mask)
	if errors.Is(err, structure.ErrNone) || err == nil && mask.AllowsAll() {
		return nil
	}
	if err != nil {
		t.Errorf("%s under %+v: %v", structure.Describe(space), mask, err)
		return nil
	}
	return part
}

// TestPartsComeInOrder compares the k best outputs of parts of all spaces with the sorted list of these.
func TestPartsComeInOrder(t *testing.T) {
	for _, spec := range structure.Catalogue() {
		listed := 0
		for args, space := range structuretest.SmallOf(t, spec) {
			if space.Facts().General {
				continue
			}
			rng := rand.New(rand.NewPCG(13, uint64(space.FeatureLen())))
			for trial := range 8 {
				part := restrictedTo(t, spec, args, space, rng)
				if part == nil {
					continue
				}
				score := scoresOf(space.FeatureLen(), rng)[trial%3]
				lister, ok := part.(structure.Enumerator)
				if !ok || isEmpty(lister) {
					continue
				}
				want := expected(part, score, 1)
				for _, method := range []Method{Auto, Partition} {
					what := fmt.Sprintf("%s %v, trial %d, method %d", structure.Describe(part), args, trial, method)
					most := min(len(want), 25)
					parts, values, _, err := list(part, score, Options{Method: method, Nu: 1}, most, 1)
					if _, missing := errors.AsType[*structure.CapabilityError](err); missing && score.Magnitude != nil {
						continue // no Decoder for squares
					}
					if err != nil {
						t.Fatal(what, err)
					}
					checkList(t, what, part, score, parts, values, want[:most])
					listed++
				}
			}
		}
		if listed < 10 && spec.Name != "custom" {
			t.Errorf("%s: %d parts are listed", spec.Name, listed)
		}
	}
}

func isEmpty(s structure.Enumerator) bool {
	for range s.All() {
		return false
	}
	return true
}

// recursive are structures that take masks at every size.
var recursive = []string{"cliques", "hierarchy", "labelsets", "multiclass", "ordinal", "paths", "posetelements", "subtrees"}

// TestSubproblemsAreMasks: the subproblems of a partition are decoded under masks alone, at small sizes of all structures and at large ones
// of those that have a recursion.
func TestSubproblemsAreMasks(t *testing.T) {
	for _, spec := range structure.Catalogue() {
		sizes := structuretest.SizesOf(t, spec.Name)
		all := sizes.Small
		if slices.Contains(recursive, spec.Name) {
			all = append(all, sizes.Large...)
		}
		for _, args := range all {
			space, err := spec.New(args)
			if err != nil {
				t.Fatal(err)
			}
			facts := space.Facts()
			if _, decodes := space.(structure.Decoder); !decodes || facts.General || facts.TooLargeToDecode {
				continue
			}
			rng := rand.New(rand.NewPCG(14, uint64(space.FeatureLen())))
			checkSubproblems(t, space, scoresOf(space.FeatureLen(), rng)[0])
		}
	}
}

// checkSubproblems lists two outputs, given the values that entries take, and decodes a few of the subproblems of the first one.
func checkSubproblems(t *testing.T, space structure.Space, score structure.Scores) {
	t.Helper()
	const most = 8
	d, p := space.FeatureLen(), space.PartLen()
	l := &lister{space: space, score: score, nu: 1, most: 2, workers: 1}
	y, psi := make([]int32, p), make([]float64, d)
	if _, err := space.(structure.Decoder).Decode(y, score); err != nil {
		if _, limited := errors.AsType[*structure.LimitError](err); limited {
			return
		}
		t.Fatal(structure.Describe(space), err)
	}
	space.Embed(psi, y)
	best := cell{domains: slices.Repeat([]bits{structure.AnyValue}, d), psi: make([]int8, d)}
	for i, v := range psi {
		best.psi[i] = int8(v)
	}
	entries := free(best.domains)
	var domains [][]bits
	for at := 0; at < len(entries); at += 1 + len(entries)/most {
		domains = append(domains, best.child(at, entries))
	}
	answers, none := make([]int32, len(domains)*p), make([]bool, len(domains))
	if err := l.decodeWithin(answers, none, domains); err != nil {
		t.Errorf("%s: %v", structure.Describe(space), err)
		return
	}
	for i, domain := range domains {
		z := answers[i*p : (i+1)*p]
		if none[i] {
			continue
		}
		space.Embed(psi, z)
		for e, v := range psi {
			if bit(int8(v))&domain[e] == 0 {
				t.Fatalf("%s: entry %d is %v, out of the domain", structure.Describe(space), e, v)
			}
		}
	}
}
