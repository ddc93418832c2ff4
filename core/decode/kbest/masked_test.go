package kbest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// restrictedTo returns a random part of a space, which is not all of it and not empty. A mask limits a few entries of ψ to values of an
// output and some others, unless entries have other values than −1, 0 and 1; conditions by key are added half of the time.
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
		if space.Facts().General {
			break
		}
		entry := rng.IntN(d)
		mask.Limit(d, entry, structure.Values(1+rng.IntN(6))|1<<(int8(pattern[entry])+1))
	}
	part, err := structure.Within(space, mask)
	if errors.Is(err, structure.ErrNone) || err == nil && mask.AllowsAll() {
		return nil
	}
	if err != nil {
		t.Fatalf("%s under %+v: %v", structure.Describe(space), mask, err)
	}
	return part
}

// TestPartsComeInOrder compares the k best outputs of parts of all spaces with the sorted list of these.
func TestPartsComeInOrder(t *testing.T) {
	for _, spec := range structure.Catalogue() {
		t.Run(spec.Name, func(t *testing.T) {
			listed := 0
			for args, space := range structuretest.SmallOf(t, spec) {
				rng := rand.New(rand.NewPCG(13, uint64(space.FeatureLen())))
				for trial := range 8 {
					if part := restrictedTo(t, spec, args, space, rng); part != nil {
						listed += compareWithSorted(t, part, scoresOf(space.FeatureLen(), rng)[trial%3])
					}
				}
			}
			if listed < 10 && spec.Name != "custom" {
				t.Errorf("%d parts are listed", listed)
			}
		})
	}
}

// compareWithSorted compares the first outputs, by each method, with those of the sorted list, and returns how many times.
func compareWithSorted(t *testing.T, part structure.Space, score structure.Scores) (listed int) {
	t.Helper()
	lister, ok := part.(structure.Enumerator)
	if !ok || isEmpty(lister) {
		return 0
	}
	want := expected(part, score, 1)
	for _, method := range []Method{Auto, Partition} {
		what := fmt.Sprintf("%s, method %d", structure.Describe(part), method)
		most := min(len(want), 25)
		parts, values, _, err := list(part, score, Options{Method: method, Nu: 1}, most, 1)
		if _, missing := errors.AsType[*structure.CapabilityError](err); missing && score.Magnitude != nil {
			continue // no Decoder for squares
		}
		if _, counts := errors.AsType[*FeatureError](err); counts && method == Partition && part.Facts().General {
			continue
		}
		if err != nil {
			t.Fatal(what, err)
		}
		checkList(t, what, part, score, parts, values, want[:most])
		listed++
	}
	return listed
}

// TestPartsWithoutOutputs: conditions that turn out to leave nothing are an error about values that names the row, by each method.
func TestPartsWithoutOutputs(t *testing.T) {
	three, err := structure.New("weakorders", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		t.Fatal(err)
	}
	d := three.FeatureLen()
	circle := structure.MaskOf(d, []structure.EntryCondition{{Feature: 0, Value: 1, Must: true}, {Feature: 1, Value: -1, Must: true},
		{Feature: 2, Value: 1, Must: true}})
	part, err := structure.Within(three, circle)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []Method{Auto, Sort, Partition} {
		_, err := Batch(structure.OneSpace(part, rowOf(make([]float64, d), d), rowOf(nil, d)), Options{Method: method, Nu: 1}, 2, make([]int32, 6), nil, 1, nil)
		if !errors.Is(err, structure.ErrNone) || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != 0 {
			t.Errorf("method %d gives %v", method, err)
		}
	}
}

// TestListsUnderMasks: the members of a long list that a mask allows are sorted as all are, whatever numbers ψ has.
func TestListsUnderMasks(t *testing.T) {
	const members, d = 70000, 64
	reals := make([]float64, members*d)
	for i := range members {
		reals[i*d], reals[i*d+1] = float64(i%2), float64(i)/2
	}
	all, err := structure.New("custom", structure.Args{Scalars: map[string]int64{"d": d, "members": members}, Reals: reals})
	if err != nil {
		t.Fatal(err)
	}
	mask := structure.NewMask()
	mask.Limit(d, 2, structure.Zero)
	part, err := structure.Within(all, mask)
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, d)
	scores[1] = 1
	y := make([]int32, 3)
	r, err := Batch(structure.OneSpace(part, rowOf(scores, d), rowOf(nil, d)), Options{Nu: 1}, 3, y, nil, 1, nil)
	if err != nil || r.Methods[0] != Sort || !slices.Equal(y, []int32{members - 1, members - 2, members - 3}) {
		t.Errorf("%v by method %d, error %v", y, r.Methods, err)
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
		t.Run(spec.Name, func(t *testing.T) {
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
		})
	}
}

// checkSubproblems decodes a few of the subproblems that the best output leaves.
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
		t.Fatalf("%s: %v", structure.Describe(space), err)
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
