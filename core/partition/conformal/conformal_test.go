package conformal_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/internal/drawtest"
	"combpred/core/linalg"
	"combpred/core/partition"
	"combpred/core/partition/conformal"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// refused are structures, by name, of which E ψ does not tell the probabilities of parts.
var refused = map[string]bool{"partialorders": true, "directedcycles": true}

// listed are the outputs of a space, their ψ and their probabilities under scores.
type listed struct {
	y   [][]int32
	psi [][]float64
	p   []float64
}

func list(s structure.Space, scores []float64) (all listed) {
	var total float64
	for y := range s.(structure.Enumerator).All() {
		psi := make([]float64, s.FeatureLen())
		s.Embed(psi, y)
		value := 0.0
		for j, v := range psi {
			value += scores[j] * v
		}
		all.y, all.psi, all.p = append(all.y, slices.Clone(y)), append(all.psi, psi), append(all.p, math.Exp(value))
		total += math.Exp(value)
	}
	for k := range all.p {
		all.p[k] /= total
	}
	return all
}

// least returns the least probability of a part of each output, summed over all outputs that have the part.
func (l listed) least(single bool) []float64 {
	found := make([]float64, len(l.y))
	for k := range l.y {
		if found[k] = 1; single {
			found[k] = l.p[k]
			continue
		}
		for j, v := range l.psi[k] {
			var sum float64
			for other, psi := range l.psi {
				if psi[j] == v {
					sum += l.p[other]
				}
			}
			found[k] = min(found[k], sum)
		}
	}
	return found
}

// spaces are those of the examples that have from 2 to 400 outputs.
func spaces(t *testing.T) map[string]structure.Space {
	found := map[string]structure.Space{}
	for _, spec := range structure.Catalogue() {
		sizes, _ := examples.Of(spec.Name)
		for i, args := range sizes.Small() {
			s, err := spec.New(structure.Args(args))
			if err != nil {
				t.Fatal(err)
			}
			log, err := structure.LogCount(s)
			if _, lists := s.(structure.Enumerator); err == nil && lists && 0 < log && log < math.Log(400) {
				found[fmt.Sprintf("%s/%d", spec.Name, i)] = s
			}
		}
	}
	bit := func(k, j int) float64 { return float64((k + 1) >> j & 1) }
	bits, err := structure.New("custom", structure.Args(examples.Listed(6, 4, bit)))
	if err != nil {
		t.Fatal(err)
	}
	found["listed/0"] = bits
	return found
}

// TestSetsAgainstLists: the least probability of parts, and for thresholds that leave few outputs, many or none: which outputs are
// contained, how many there are, which values entries have, and that draws are uniform, by a list of all outputs. Sets shrink as thresholds
// grow.
func TestSetsAgainstLists(t *testing.T) {
	all, names := spaces(t), []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	tested := map[string]bool{}
	for _, name := range names {
		space := all[name]
		t.Run(name, func(t *testing.T) {
			parts, err := conformal.New(space)
			kind, _, _ := strings.Cut(name, "/")
			if err != nil {
				if !refused[kind] && !space.Facts().General || fault.KindOf(err) != fault.KindCapability {
					t.Fatal(err)
				}
				return
			}
			if refused[kind] {
				t.Fatalf("%v are not refused", space)
			}
			tested[kind] = true
			against(t, space, parts)
		})
	}
	if len(tested) != 17 || !tested["listed"] {
		t.Errorf("only %d structures were tested: %v", len(tested), tested)
	}
}

func against(t *testing.T, space structure.Space, parts *conformal.Parts) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := space.FeatureLen()
	scores, expected := make([]float64, d), make([]float64, d)
	for j := range scores {
		scores[j] = 1.5 * rng.NormFloat64()
	}
	rows := blas64.General{Rows: 1, Cols: d, Stride: max(d, 1), Data: scores}
	if err := partition.Batch(structure.Rows(space, rows), make([]float64, 1), expected, 1, nil); err != nil {
		t.Fatal(err)
	}
	l := list(space, scores)
	want := l.least(structure.SingleProbabilities(space) != nil)
	var flat []int32
	marginals := linalg.Matrix[float64]{Rows: len(l.y), Cols: d, Stride: max(d, 1)}
	for _, y := range l.y {
		flat, marginals.Data = append(flat, y...), append(marginals.Data, expected...)
	}
	got := make([]float64, len(l.y))
	if err := conformal.Scores(parts, got, marginals, flat, 2, nil); err != nil {
		t.Fatal(err)
	}
	for k := range got {
		if !(math.Abs(got[k]-want[k]) <= 1e-9) {
			t.Fatalf("the least probability of %v is %v, want %v", l.y[k], got[k], want[k])
		}
	}
	levels := slices.Sorted(slices.Values(want))
	before := len(l.y) + 1
	for _, q := range []float64{0, levels[len(levels)/4] - 1e-8, levels[len(levels)/2] - 1e-8, levels[len(levels)-1] - 1e-8,
		levels[len(levels)-1] + 1e-6} {
		sets := &conformal.Sets{Parts: parts, Marginals: marginals, Thresholds: make([]float64, len(l.y))}
		for k := range sets.Thresholds {
			sets.Thresholds[k] = q
		}
		size := setAgainst(t, sets, l, want, q, flat)
		if size > before {
			t.Errorf("a set grows from %d to %d outputs with the threshold", before, size)
		}
		before = size
	}
}

// setAgainst checks the set of a threshold, which all rows share, and returns its size.
func setAgainst(t *testing.T, sets *conformal.Sets, l listed, least []float64, q float64, flat []int32) int {
	inside, size := make([]bool, len(l.y)), 0
	if err := sets.Contains(inside, flat, 2, nil); err != nil {
		t.Fatal(err)
	}
	var outcomes drawtest.Outcomes
	for k, in := range inside {
		if in != (least[k] >= q) {
			t.Fatalf("q = %v: that the set contains %v is %v", q, l.y[k], in)
		}
		if in {
			outcomes.Add(l.y[k], 0)
			size++
		}
	}
	one := *sets
	one.Marginals, one.Thresholds = sets.Marginals.Slice(0, 1, 0, sets.Marginals.Cols), sets.Thresholds[:1]
	log := []float64{math.NaN()}
	err := one.LogSizes(log, 1, nil)
	if err != nil || !(math.Abs(log[0]-math.Log(float64(size))) <= 1e-9 || size == 0 && math.IsInf(log[0], -1)) {
		t.Fatalf("q = %v: ln of the size is %v, want that of %d, error %v", q, log[0], size, err)
	}
	allowed := make([]structure.Values, len(l.psi[0]))
	if err := one.Allowed(allowed, 1, nil); err != nil {
		t.Fatal(err)
	}
	if mask := (structure.Mask{Entries: allowed}); !sets.Single() {
		for k, in := range inside {
			if mask.Allows(l.psi[k]) != in {
				t.Fatalf("q = %v: the mask %v says otherwise of %v", q, allowed, l.psi[k])
			}
		}
	}
	draws := 40*size + 1
	y := make([]int32, draws*len(l.y[0]))
	err = one.Sample(y, draws, 7, 1, nil)
	switch {
	case size == 0:
		if fault.RowOf(err) != 0 {
			t.Errorf("a draw from an empty set: %v", err)
		}
	case err != nil:
		t.Fatal(err)
	default:
		at := 0
		outcomes.Check(t, "draws", func() []int32 {
			at = (at + 1) % draws
			return y[at*len(l.y[0]) : (at+1)*len(l.y[0])]
		})
	}
	return size
}

// TestConditionsLeaveWhatSatisfiesThem: sets under conditions are those without, less what does not satisfy them.
func TestConditionsLeaveWhatSatisfiesThem(t *testing.T) {
	for _, c := range []struct {
		name      string
		condition structure.Condition
	}{
		{"permutations", structure.Condition{Key: structure.FirstKey, U: 1, V: structure.Alone}},
		{"labelsets", structure.Condition{Key: structure.SizeKey, U: 1, V: 2}},
		{"hierarchy", structure.Condition{Key: structure.WithinKey, U: 1, V: structure.Alone}},
		{"routes", structure.Condition{Key: structure.StartKey, U: 2, V: structure.Alone}},
	} {
		name, args := c.name, examples.Sized(4)
		if name == "hierarchy" {
			args = examples.Hierarchy([]int32{-1, 0, 0, 1, 1}, []int32{1, 1, 1, 1, 1})
		}
		space, err := structure.New(name, structure.Args(args))
		if err != nil {
			t.Fatal(err)
		}
		restriction, err := space.(structure.Restricter).Restrict()([]structure.Condition{c.condition})
		if err != nil {
			t.Fatal(err)
		}
		held, err := restriction.Within(space)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := conformal.New(space)
		if err != nil {
			t.Fatal(err)
		}
		d := space.FeatureLen()
		l := list(space, make([]float64, d))
		expected := make([]float64, d)
		for k, psi := range l.psi {
			for j, v := range psi {
				expected[j] += l.p[k] * v
			}
		}
		sets := &conformal.Sets{Parts: parts, Marginals: linalg.Matrix[float64]{Rows: 1, Cols: d, Stride: d, Data: expected},
			Thresholds: []float64{0.01}, Held: []structure.Space{held}}
		size := 0
		for _, y := range l.y {
			in := []bool{false}
			if err := sets.Contains(in, y, 1, nil); err != nil || in[0] != (held.Check(y) == nil) {
				t.Errorf("%s: the set contains %v: %v, error %v", name, y, in[0], err)
			}
			if in[0] {
				size++
			}
		}
		log := []float64{0}
		if err := sets.LogSizes(log, 1, nil); err != nil || math.Abs(log[0]-math.Log(float64(size))) > 1e-9 {
			t.Errorf("%s: ln of the size is %v, want that of %d, error %v", name, log[0], size, err)
		}
		y := make([]int32, 20*space.PartLen())
		if err := sets.Sample(y, 20, 3, 1, nil); err != nil {
			t.Fatal(err)
		}
		for draw := range slices.Chunk(y, space.PartLen()) {
			if err := held.Check(draw); err != nil {
				t.Errorf("%s: a draw breaks the conditions: %v", name, err)
			}
		}
	}
}

// TestBadRowsAreNamed: marginals and thresholds that are none, and outputs that are none.
func TestBadRowsAreNamed(t *testing.T) {
	space, err := structure.New("permutations", structure.Args(examples.Sized(3)))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := conformal.New(space)
	if err != nil {
		t.Fatal(err)
	}
	sets := &conformal.Sets{Parts: parts, Marginals: linalg.NewMatrix[float64](2, 3), Thresholds: []float64{0.1, 0.2}}
	in, log := make([]bool, 2), make([]float64, 2)
	if err := sets.Contains(in, []int32{1, 2, 3, 1, 1, 3}, 1, nil); fault.RowOf(err) != 1 {
		t.Errorf("an output that is none: %v", err)
	}
	sets.Marginals.Row(1)[0] = math.NaN()
	if err := sets.Contains(in, []int32{1, 2, 3, 1, 2, 3}, 1, nil); fault.RowOf(err) != 1 {
		t.Errorf("a marginal that is NaN: %v", err)
	}
	sets.Marginals.Row(1)[0] = 0
	sets.Thresholds[1] = math.NaN()
	if err := sets.LogSizes(log, 1, nil); fault.RowOf(err) != 1 {
		t.Errorf("a threshold that is NaN: %v", err)
	}
	large, err := structure.New("permutations", structure.Args(examples.Sized(40)))
	if err != nil {
		t.Fatal(err)
	}
	if parts, err = conformal.New(large); err != nil {
		t.Fatal(err)
	}
	sets = &conformal.Sets{Parts: parts, Marginals: linalg.NewMatrix[float64](1, 780), Thresholds: []float64{0.1}}
	sets.Marginals.Row(0)[0] = 0.9
	var limit *structure.LimitError
	if err := sets.LogSizes(log[:1], 1, nil); !errors.As(err, &limit) {
		t.Errorf("too many labels to count: %v", err)
	}
}
