package setloss

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// worth is what a set is worth where y is true: F1, or the negative share of pairs of labels in the wrong order, a pair of equal ones by
// half.
func worth(loss Loss, y, set []int32) float64 {
	if loss == F1 {
		both, all := 0.0, 0.0
		for i := range y {
			both += 2 * float64(y[i]*set[i])
			all += float64(y[i] + set[i])
		}
		if all == 0 {
			return 1
		}
		return both / all
	}
	wrong, pairs := 0.0, 0.0
	for i := range y {
		for j := range y {
			if y[i] > y[j] {
				pairs++
				wrong += 0.5 * float64(1-set[i]+set[j])
			}
		}
	}
	return -wrong / max(pairs, 1)
}

// TestSetsOfLeastExpectedLoss compares the sets, and what they are worth, with the best of all that satisfy the conditions of their row, by
// the definition of losses and conditions and the probabilities of all outputs one by one.
func TestSetsOfLeastExpectedLoss(t *testing.T) {
	const rows = 30
	spec := specOf(t, "labelsets")
	spaces := 0
	for args, space := range structuretest.SmallOf(t, spec) {
		spaces++
		n := space.FeatureLen()
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		scores := blas64.General{Rows: rows, Cols: n, Stride: n, Data: make([]float64, rows*n)}
		for i := range scores.Data {
			scores.Data[i] = []float64{0.5, 3, 40}[i/n%3] * rng.NormFloat64()
		}
		var all [][]int32
		for y := range space.All() {
			all = append(all, slices.Clone(y))
		}
		conditions := &decode.Keyed{First: []int{0}}
		admitted := make([][][]int32, rows)
		for i := range rows {
			for {
				var of []structure.Condition
				if i%2 == 1 {
					of = structuretest.RandomConditions(spec, args, space, rng)
				}
				admitted[i] = nil
				for _, y := range all {
					if structuretest.Satisfies(spec.Name, args, space, y, of) {
						admitted[i] = append(admitted[i], y)
					}
				}
				if len(admitted[i]) > 0 {
					conditions.All = append(conditions.All, of...)
					conditions.First = append(conditions.First, len(conditions.All))
					break
				}
			}
		}
		for _, loss := range []Loss{F1, Ranking} {
			got, values := make([]int32, rows*n), make([]float64, rows)
			if err := Batch(structure.OneSpaceLinear(space, scores), loss, conditions, got, values, 2, nil); err != nil {
				t.Fatal(err)
			}
			again := make([]float64, rows)
			if err := Values(structure.OneSpaceLinear(space, scores), loss, got, again, 1, nil); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				p := probabilities(all, scores.Data[i*n:(i+1)*n])
				expected := func(set []int32) (value float64) {
					for at, y := range all {
						value += p[at] * worth(loss, y, set)
					}
					return value
				}
				best := math.Inf(-1)
				for _, set := range admitted[i] {
					best = max(best, expected(set))
				}
				set := got[i*n : (i+1)*n]
				if !slices.ContainsFunc(admitted[i], func(y []int32) bool { return slices.Equal(y, set) }) {
					t.Fatalf("%v, %s, row %d: %v does not satisfy the conditions", structure.Describe(space),
						[]string{"F1", "ranking"}[loss], i, set)
				}
				for _, v := range []float64{expected(set), values[i], again[i]} {
					if math.Abs(v-best) > 1e-12 {
						t.Fatalf("%v, %s, row %d: %v is worth %v, the best set %v", structure.Describe(space),
							[]string{"F1", "ranking"}[loss], i, set, v, best)
					}
				}
			}
		}
	}
	if spaces < 12 {
		t.Errorf("%d spaces", spaces)
	}
}

func probabilities(all [][]int32, s []float64) []float64 {
	p, most, sum := make([]float64, len(all)), math.Inf(-1), 0.0
	for at, y := range all {
		for i, in := range y {
			p[at] += s[i] * float64(in)
		}
		most = max(most, p[at])
	}
	for at := range p {
		p[at] = math.Exp(p[at] - most)
		sum += p[at]
	}
	for at := range p {
		p[at] /= sum
	}
	return p
}

// TestManyLabels compares thousands of labels with the best of the sets of most probable labels, by sums over all sizes.
func TestManyLabels(t *testing.T) {
	const n = 1500
	space := build(t, "labelsets", n)
	rng := rand.New(rand.NewPCG(3, 3))
	s := make([]float64, n)
	for i := range s {
		s[i] = -6 + 2*rng.NormFloat64()
	}
	y, value := make([]int32, n), make([]float64, 1)
	if err := Batch(structure.OneSpaceLinear(space, blas64.General{Rows: 1, Cols: n, Stride: n, Data: s}), F1, nil, y, value, 1, nil); err != nil {
		t.Fatal(err)
	}
	// Sums of labels, those of the largest scores first: E F1 of the first h follows from how many of these, and of the others, are in y.
	slices.SortFunc(s, func(a, b float64) int { return cmp.Compare(b, a) })
	best := 0.0
	for h := 1; h < 40; h++ {
		in, out := sizes(s[:h], 200), sizes(s[h:], 200)
		expected := 0.0
		for a, p := range in {
			for b, q := range out {
				expected += p * q * 2 * float64(a) / float64(h+a+b)
			}
		}
		best = max(best, expected)
	}
	if math.Abs(best-value[0]) > 1e-12 {
		t.Errorf("expected F1 is %v, want %v", value[0], best)
	}
}

// sizes returns the distribution of the number of labels, up to most.
func sizes(s []float64, most int) []float64 {
	p := make([]float64, most)
	p[0] = 1
	for _, v := range s {
		q := 1 / (1 + math.Exp(-v))
		for k := most - 1; k >= 0; k-- {
			p[k] *= 1 - q
			if k > 0 {
				p[k] += p[k-1] * q
			}
		}
	}
	return p
}

func TestRefusals(t *testing.T) {
	two := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{0, 1, 0, 0, math.NaN(), 0}}
	y, values := make([]int32, 6), make([]float64, 2)
	var lacks *structure.CapabilityError
	if err := Batch(structure.OneSpaceLinear(build(t, "permutations", 3), two), F1, nil, y, values, 1, nil); !errors.As(err, &lacks) {
		t.Error(err)
	}
	sets := build(t, "labelsets", 3)
	if err := Batch(structure.OneSpaceLinear(build(t, "labelsets", 4), two), F1, nil, y, values, 1, nil); err == nil {
		t.Error("scores of 3 labels are taken for 4")
	}
	for name, err := range slicex.InOrder(map[string]error{
		"NaN": Batch(structure.OneSpaceLinear(sets, two), F1, nil, y, values, 1, nil),
		"no set": Values(structure.OneSpaceLinear(sets, blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 6)}), F1,
			[]int32{1, 0, 1, 0, 2, 0}, values, 1, nil),
	}) {
		if fault.RowOf(err) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	zeros := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 6)}
	full := structure.Condition{Key: structure.SizeKey, U: 3, V: structure.Alone}
	for _, c := range []struct {
		first []int
		bad   structure.Condition
		row   int
	}{
		{[]int{0, 1, 2}, structure.Condition{Key: structure.SizeKey, U: 4, V: structure.Alone}, 1},
		{[]int{0, 1, 1, 2}, full, fault.NoRow}, // of three rows
		{[]int{0, 1, 1}, full, fault.NoRow},    // not all are of rows
	} {
		err := Batch(structure.OneSpaceLinear(sets, zeros), F1, &decode.Keyed{First: c.first, All: []structure.Condition{full, c.bad}}, y, values, 1, nil)
		if err == nil || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != c.row {
			t.Errorf("%v, %v: %v", c.first, c.bad, err)
		}
	}
	var mon parallel.Monitor
	mon.Cancel()
	if err := Batch(structure.OneSpaceLinear(sets, two), F1, nil, y, values, 1, &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
}

func build(t *testing.T, name string, n int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func specOf(t *testing.T, name string) structure.Spec {
	t.Helper()
	for _, spec := range structure.Catalogue() {
		if spec.Name == name {
			return spec
		}
	}
	t.Fatal(name)
	return structure.Spec{}
}
