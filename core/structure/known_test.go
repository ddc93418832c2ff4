package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/structure/examples"
)

// partial are spaces of which outputs may be known in part, with what nothing is known of.
var partial = []struct {
	name    string
	args    examples.Args
	unknown int32
}{
	{"permutations", examples.Sized(4), unknown},
	{"weakorders", examples.Sized(4), unknown},
	{"labelsets", examples.Sized(5), maybe},
	{"labelsets", examples.SizedSets(5, 2), maybe},
	{"labelsets", examples.Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1}}, maybe},
}

// TestKnownOutputsAreThoseThatAgree: of what is known of an output, the mask leaves the outputs that agree with it, whose mean ψ is that of
// EmbedPartial, and whose sums and draws are theirs.
func TestKnownOutputsAreThoseThatAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 1))
	for _, c := range partial {
		space := mustNew(t, c.name, c.args)
		known := space.(PartialEmbedder)
		var members [][]int32
		for y := range space.(Enumerator).All() {
			members = append(members, slices.Clone(y))
		}
		d := space.FeatureLen()
		for range 60 {
			row := make([]float64, space.PartLen())
			for i, v := range members[rng.IntN(len(members))] {
				if row[i] = float64(v); rng.IntN(2) == 0 {
					row[i] = -1
				}
			}
			y := make([]int32, space.PartLen())
			if err := known.ReadPartial(y, row); err != nil {
				t.Fatal(err)
			}
			within, err := Agreeing(space, y)
			if err != nil {
				t.Fatal(err)
			}
			if within == nil {
				if space.Check(y) != nil {
					t.Fatalf("%s: %v counts as whole", Describe(space), y)
				}
				continue
			}
			scores, psi := make([]float64, d), make([]float64, d)
			for j := range scores {
				scores[j] = rng.NormFloat64()
			}
			z, mean, uniform, count := 0.0, make([]float64, d), make([]float64, d), 0.0
			for _, member := range members {
				if !consistent(c.name, member, y) {
					if within.Check(member) == nil {
						t.Fatalf("%s: %v is taken for %v", Describe(space), member, y)
					}
					continue
				}
				if err := within.Check(member); err != nil {
					t.Fatalf("%s: %v is none of %v: %v", Describe(space), member, y, err)
				}
				space.Embed(psi, member)
				w := math.Exp(dot(scores, psi))
				z += w
				count++
				for j, v := range psi {
					mean[j] += w * v
					uniform[j] += v
				}
			}
			got, marginals := make([]float64, d), make([]float64, d)
			known.EmbedPartial(got, y)
			logZ, err := within.(Partitioner).LogPartition(marginals, scores, nil)
			if err != nil || math.Abs(logZ-math.Log(z)) > 1e-12 {
				t.Fatalf("%s: ln Z of %v is %v, must be %v (%v)", Describe(space), y, logZ, math.Log(z), err)
			}
			for j := range mean {
				if math.Abs(marginals[j]-mean[j]/z) > 1e-12 || math.Abs(got[j]-uniform[j]/count) > 1e-12 {
					t.Fatalf("%s: %v: entry %d of ψ is %v and %v, must be %v and %v", Describe(space), y, j, marginals[j], got[j],
						mean[j]/z, uniform[j]/count)
				}
			}
		}
	}
}

// consistent says whether an output is one of those of which y is known.
func consistent(name string, member, y []int32) bool {
	for u, a := range y {
		if name == "labelsets" {
			if a != maybe && a != member[u] {
				return false
			}
			continue
		}
		for v, b := range y {
			if a != unknown && b != unknown && (a < b) != (member[u] < member[v]) {
				return false
			}
		}
	}
	return true
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// TestListsOfTheBestAreBeforeTheOthers: of a list of the best labels the others are behind, in any order.
func TestListsOfTheBestAreBeforeTheOthers(t *testing.T) {
	space := mustNew(t, "permutations", examples.Sized(4))
	within, err := Agreeing(space, []int32{3, 1, 3, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := within.(Counter).Count().Int64(); got != 2 {
		t.Errorf("%d rankings agree, must be 2", got)
	}
}

func TestWhatContradictsConditionsIsRefused(t *testing.T) {
	space := mustNew(t, "permutations", examples.Sized(3))
	r, err := space.(Restricter).Restrict()([]Condition{{FirstKey, 2, Alone}})
	if err != nil {
		t.Fatal(err)
	}
	held, err := r.Within(space)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Agreeing(held, []int32{1, unknown, 2}); !errors.Is(err, errDisagrees) {
		t.Errorf("label 0 before label 2, which is first: %v", err)
	}
	if _, err := Agreeing(held, []int32{1, 2, 3}); err == nil {
		t.Error("a ranking that breaks the condition is accepted")
	}
	if within, err := Agreeing(held, []int32{1, 2, unknown}); err != nil || within.(Counter).Count().Int64() != 1 {
		t.Error(err)
	}
	for _, y := range [][]int32{{maybe, 2, 0}, {1, 1, maybe}, {0, 0, 0}} {
		sets := mustNew(t, "labelsets", examples.SizedSets(3, 1))
		if _, err := Agreeing(sets, y); err == nil {
			t.Errorf("%v is accepted", y)
		}
	}
	observed := mustNew(t, "labelsets", examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{0, 0, 1, 1}})
	if _, err := Agreeing(observed, []int32{1, maybe}); err != nil {
		t.Error(err)
	}
}
