package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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

// TestGroupsOfLabelsAreSummedApart: of 24 labels, more than a sum takes, with six in front and two at the end, those between are
// distributed as they are alone.
func TestGroupsOfLabelsAreSummedApart(t *testing.T) {
	const n, m = 24, 4
	base, alone := mustNew(t, "permutations", examples.Sized(n)).(permutations), mustNew(t, "permutations", examples.Sized(m)).(permutations)
	var conditions []EntryCondition
	before := func(u, v int) {
		value := int8(1)
		if u > v {
			value = -1
		}
		conditions = append(conditions, EntryCondition{base.pair(u, v), value, true})
	}
	order := []int{20, 3, 11, 0, 23, 7, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 22, 21}
	free := order[10:14] // all others are in this order
	for i, u := range order {
		for j, v := range order[i+1:] {
			if !(i >= 10 && i+1+j < 14) {
				before(u, v)
			}
		}
	}
	space, err := Within(base, MaskOf(base.len(), conditions))
	if err != nil {
		t.Fatal(err)
	}
	if got := space.(Counter).Count(); got.Int64() != 24 {
		t.Errorf("there are %v rankings, must be 24", got)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	scores := make([]float64, base.len())
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	own, fixed := make([]float64, alone.len()), 0.0
	for _, c := range conditions {
		fixed += float64(c.Value) * scores[c.Feature]
	}
	for i := range m {
		for j := i + 1; j < m; j++ {
			own[alone.pair(i, j)] = scores[base.pair(free[i], free[j])]
		}
	}
	want, means := make([]float64, alone.len()), make([]float64, base.len())
	logZ, err := alone.LogPartition(want, own, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := space.(Partitioner).LogPartition(means, scores, nil)
	if err != nil || math.Abs(got-logZ-fixed) > 1e-10 {
		t.Errorf("ln Z is %v, must be %v: %v", got, logZ+fixed, err)
	}
	for _, c := range conditions {
		if means[c.Feature] != float64(c.Value) {
			t.Fatalf("the mean of entry %d is %v, must be %d", c.Feature, means[c.Feature], c.Value)
		}
	}
	positions, places := make([]float64, n*n), make([]float64, m*m)
	if err := errors.Join(space.Facts().Positions(positions, scores, nil), alone.positions(places, own, nil)); err != nil {
		t.Fatal(err)
	}
	for i := range m {
		for j := i + 1; j < m; j++ {
			if math.Abs(means[base.pair(free[i], free[j])]-want[alone.pair(i, j)]) > 1e-12 {
				t.Errorf("the mean of labels %d and %d is %v", free[i], free[j], means[base.pair(free[i], free[j])])
			}
		}
		for r := range m {
			if math.Abs(positions[free[i]*n+10+r]-places[i*m+r]) > 1e-12 {
				t.Errorf("label %d is at position %d with probability %v", free[i], 11+r, positions[free[i]*n+10+r])
			}
		}
	}
	draw, err := space.(Partitioner).Distribution(scores, nil)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]int32, n)
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
