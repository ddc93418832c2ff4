package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/structure/examples"
)

// TestManyLabelsUnderConditions: rankings of far more labels than a sum or an exact decoder takes keep to which is first, which last
// and which before which, whatever the scores are.
func TestManyLabelsUnderConditions(t *testing.T) {
	const n = 130
	conditions := []Condition{{FirstKey, 3, Alone}, {LastKey, 70, Alone}}
	for i := 10; i < 60; i++ {
		conditions = append(conditions, Condition{BeforeKey, i * 7 % n, (i + 1) * 7 % n})
	}
	conditions = slices.DeleteFunc(conditions, func(c Condition) bool {
		return c.Key == BeforeKey && (c.V == 3 || c.U == 70)
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"permutations", "weakorders"} {
		base := mustNew(t, name, examples.Sized(n))
		r, err := base.(Restricter).Restrict()(conditions)
		if err != nil {
			t.Fatal(err)
		}
		space, err := Within(base, r.Mask)
		if err != nil {
			t.Fatal(err)
		}
		y, z := make([]int32, n), make([]int32, n)
		for round := range 3 {
			score := Scores{Linear: make([]float64, base.FeatureLen())}
			for i := range score.Linear {
				score.Linear[i] = rng.NormFloat64()
			}
			if round == 1 {
				score.Magnitude = make([]float64, len(score.Linear))
				for i := range score.Magnitude {
					score.Magnitude[i] = rng.NormFloat64()
				}
			}
			if _, err := space.(Decoder).Decode(y, score); !isLimit(err) {
				t.Errorf("%s: exact decoding gives %v", name, err)
			}
			start, err := space.(Searcher).Start(z, score, nil)
			if err != nil || space.Check(z) != nil {
				t.Fatalf("%s: the start is %v: %v, %v", name, z, space.Check(z), err)
			}
			found, err := space.(Searcher).Search(y, score, nil)
			if err != nil || space.Check(y) != nil {
				t.Fatalf("%s: the search gives %v: %v, %v", name, y, space.Check(y), err)
			}
			if found.Value < start.Value-slackOf(score) || found.UpperBound < found.Value || found.Nu != 1 {
				t.Errorf("%s: the search gives %+v, its start %+v", name, found, start)
			}
			psi := make([]float64, base.FeatureLen())
			if base.Embed(psi, y); math.Abs(score.Value(psi)-found.Value) > slackOf(score) {
				t.Errorf("%s: the value is %v, want %v", name, found.Value, score.Value(psi))
			}
		}
	}
}

func isLimit(err error) bool {
	_, limit := errors.AsType[*LimitError](err)
	return limit
}

func slackOf(score Scores) (sum float64) {
	for _, s := range slices.Concat(score.Linear, score.Magnitude) {
		sum += 1e-13 * math.Abs(s)
	}
	return sum
}

// TestConsistentRankingsUnderConditions: where scores agree with the conditions but for a few labels, decoding is exact at any size.
func TestConsistentRankingsUnderConditions(t *testing.T) {
	const n = 200
	for _, name := range []string{"permutations", "weakorders"} {
		base := mustNew(t, name, examples.Sized(n))
		r, err := base.(Restricter).Restrict()([]Condition{{FirstKey, n - 1, Alone}, {BeforeKey, 6, 5}})
		if err != nil {
			t.Fatal(err)
		}
		space, err := Within(base, r.Mask)
		if err != nil {
			t.Fatal(err)
		}
		score := Scores{Linear: make([]float64, base.FeatureLen())}
		fill(score.Linear[:n*(n-1)/2], 1) // every label before those of larger numbers
		y := make([]int32, n)
		cert, err := space.(Decoder).Decode(y, score)
		if err != nil || !cert.Optimal || y[n-1] != 1 || y[0] != 2 || y[6] != 7 || y[5] != 8 || y[n-2] != n {
			t.Errorf("%s: %v with %+v, error %v", name, y, cert, err)
		}
	}
}

// TestContradictoryPairs: errors are ErrNone and name the labels.
func TestContradictoryPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		mask Mask
		want string
	}{
		{"permutations", MaskOf(3, []EntryCondition{{0, 1, true}, {2, 1, true}, {1, 1, false}}),
			"the conditions put label 0 before label 1 before label 2 before label 0; leave one of them out"},
		{"permutations", MaskOf(3, []EntryCondition{{1, 0, true}}), "leave labels 0 and 2 no order"},
		{"weakorders", MaskOf(6, []EntryCondition{{1, 1, true}, {4, 1, true}}), "leave labels 0 and 2 neither an order nor a tie"},
		{"partialorders", MaskOf(3, []EntryCondition{{0, 1, true}, {2, 1, true}, {1, 1, false}}),
			"the relation of items 0 and 2 that follows from the conditions is ruled out by another one"},
		{"partialorders", MaskOf(3, []EntryCondition{{0, 1, true}, {2, 1, true}, {1, -1, true}}),
			"the conditions put item 0 before item 1 before item 2 before item 0"},
	} {
		_, err := Within(mustNew(t, c.name, examples.Sized(3)), c.mask)
		if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

// TestGroupsOfLabelsAreSummedApart: of 24 labels, more than a sum takes, all but four have their places; the 24 rankings are enumerated.
func TestGroupsOfLabelsAreSummedApart(t *testing.T) {
	const n = 24
	base := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	order := []int{20, 3, 11, 0, 23, 7, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 22, 21}
	free := order[10:14]
	var conditions []EntryCondition
	for i, u := range order {
		for j, v := range order[:i] {
			if i < 10 || i >= 14 || j < 10 { // v is before u
				conditions = append(conditions, EntryCondition{base.pair(u, v), int8(2*min(1, max(0, u-v)) - 1), true})
			}
		}
	}
	space, err := Within(base, MaskOf(base.len(), conditions))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	scores, y, psi := make([]float64, base.len()), make([]int32, n), make([]float64, base.len())
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	for place, u := range order {
		y[u] = int32(place + 1)
	}
	var z float64
	means, positions := make([]float64, base.len()), make([]float64, n*n)
	for among := range mustNew(t, "permutations", examples.Sized(4)).(Enumerator).All() {
		for i, u := range free {
			y[u] = 10 + among[i]
		}
		base.Embed(psi, y)
		w := math.Exp(floats.Dot(psi, scores))
		z += w
		floats.AddScaled(means, w, psi)
		for u, p := range y {
			positions[u*n+int(p)-1] += w
		}
	}
	got, at := make([]float64, base.len()), make([]float64, n*n)
	logZ, err := space.(Partitioner).LogPartition(got, scores, nil)
	if err := errors.Join(err, space.Facts().Positions(at, scores, nil)); err != nil || math.Abs(logZ-math.Log(z)) > 1e-10 {
		t.Fatalf("ln Z is %v, must be %v: %v", logZ, math.Log(z), err)
	}
	floats.Scale(1/z, means)
	floats.Scale(1/z, positions)
	if !floats.EqualApprox(got, means, 1e-12) || !floats.EqualApprox(at, positions, 1e-12) {
		t.Errorf("means are %v, must be %v; positions %v, must be %v", got, means, at, positions)
	}
	draw, err := space.(Partitioner).Distribution(scores, nil)
	if err != nil || space.(Counter).Count().Int64() != 24 {
		t.Fatalf("there are %v rankings, must be 24: %v", space.(Counter).Count(), err)
	}
	for range 20 {
		if draw(y, rng); space.Check(y) != nil {
			t.Fatalf("%v is drawn: %v", y, space.Check(y))
		}
	}
}

// TestPositionsUnderMasks compares the probabilities of positions with those of the filtered list.
func TestPositionsUnderMasks(t *testing.T) {
	const n = 5
	base := mustNew(t, "permutations", examples.Sized(n))
	space, err := Within(base, MaskOf(10, []EntryCondition{{0, 1, true}, {6, -1, true}, {9, 1, false}}))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	scores, psi := make([]float64, 10), make([]float64, 10)
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	want, total := make([]float64, n*n), 0.0
	for y := range space.(Enumerator).All() {
		base.Embed(psi, y)
		p := math.Exp(Scores{Linear: scores}.Value(psi))
		total += p
		for u, at := range y {
			want[u*n+int(at)-1] += p
		}
	}
	got := make([]float64, n*n)
	if err := space.Facts().Positions(got, scores, nil); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]/total) > 1e-13 {
			t.Errorf("label %d is at position %d with probability %v, want %v", i/n, i%n+1, got[i], want[i]/total)
		}
	}
}

// TestBoundsThatAreNotKnown: a bound that a structure knows nothing of is refused, not ignored.
func TestBoundsThatAreNotKnown(t *testing.T) {
	mask := NewMask()
	mask.Size = Range{1, 2}
	if _, err := Within(mustNew(t, "permutations", examples.Sized(4)), mask); err == nil {
		t.Error("rankings take a size")
	}
}
