package structure

import (
	"math"
	"slices"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestListedLabelSets: the list of the embeddings of a structure has its count, its moments, and decodes like it,
// with squares of ψ as well.
func TestListedLabelSets(t *testing.T) {
	sets := mustNew(t, "labelsets", examples.SizedSets(6, 3))
	const d = 6
	var outputs [][]int32
	var psi []float64
	for y := range sets.(Enumerator).All() {
		outputs = append(outputs, slices.Clone(y))
		row := make([]float64, d)
		sets.Embed(row, y)
		psi = append(psi, row...)
	}
	list := mustNew(t, "custom", examples.Listed(len(outputs), d, func(i, j int) float64 { return psi[i*d+j] })).(*listed)
	if list.Count().Cmp(sets.(Counter).Count()) != 0 {
		t.Errorf("the list counts %v, the sets %v", list.Count(), sets.(Counter).Count())
	}
	mean, want := make([]float64, d), make([]float64, d)
	list.Mean(mean)
	sets.(Momenter).Mean(want)
	a, b := square(d), square(d)
	list.SecondMoment(a)
	sets.(Momenter).SecondMoment(b)
	for i, v := range append(mean, a.Data...) {
		if w := append(want, b.Data...)[i]; math.Abs(v-w) > 1e-15 {
			t.Fatalf("moment %d is %v, want %v", i, v, w)
		}
	}
	score := Scores{Linear: []float64{0.3, -1, 0.2, 0.9, -0.4, 0.5}, Magnitude: []float64{0, 0, 0.6, -0.9, 0, 0}}
	y, z := make([]int32, 1), make([]int32, d)
	if _, err := list.Decode(y, score); err != nil {
		t.Fatal(err)
	}
	if _, err := sets.(Decoder).Decode(z, score); err != nil || !slices.Equal(outputs[y[0]], z) {
		t.Errorf("the list gives %v, the sets %v, error %v", outputs[y[0]], z, err)
	}
}

// TestPreImage: with Linear = v and Magnitude = −½ the member whose ψ is nearest to v is decoded, for any entries of ψ.
func TestPreImage(t *testing.T) {
	psi := [][]float64{{3, 0}, {0.5, 0.25}, {-2, 1}}
	list := mustNew(t, "custom", examples.Listed(3, 2, func(i, j int) float64 { return psi[i][j] })).(*listed)
	for want, v := range [][]float64{{1.8, 0}, {0.9, 0.1}, {-1, 0.2}} {
		y := make([]int32, 1)
		if _, err := list.Decode(y, Scores{Linear: v, Magnitude: []float64{-0.5, -0.5}}); err != nil || int(y[0]) != want {
			t.Errorf("nearest to %v is member %d, want %d", v, y[0], want)
		}
	}
}

// TestSummarised: moments come back as given, nothing is encoded, and a count that is not known stays unknown.
func TestSummarised(t *testing.T) {
	args := examples.FairSigns(3, math.NaN())
	args.Reals[1] = 0.5
	space := mustNew(t, "custom", args)
	mean, second := make([]float64, 3), square(3)
	space.(Momenter).Mean(mean)
	space.(Momenter).SecondMoment(second)
	if !slices.Equal(mean, []float64{0.5, 0, 0}) || !slices.Equal(second.Data, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}) {
		t.Errorf("the moments are %v and %v", mean, second.Data)
	}
	if log, err := LogCount(space); err != nil || !math.IsNaN(log) {
		t.Errorf("the logarithm of the count is %v, error %v", log, err)
	}
	if log, err := LogCount(mustNew(t, "custom", examples.FairSigns(3, 7.5))); err != nil || log != 7.5 {
		t.Errorf("the logarithm of the count is %v, error %v", log, err)
	}
	expectError(t, space.Check([]int32{0}), "no encoding")
	defer func() {
		if recover() == nil {
			t.Error("Embed does not panic")
		}
	}()
	space.Embed(mean, []int32{0})
}

// TestLogCount: a Counter's count is taken where the logarithm is not known by itself, and nothing where there is neither.
func TestLogCount(t *testing.T) {
	if log, err := LogCount(mustNew(t, "multiclass", examples.Sized(5))); err != nil || math.Abs(log-math.Log(5)) > 1e-15 {
		t.Errorf("the logarithm of 5 is %v, error %v", log, err)
	}
	_, err := LogCount(struct{ Space }{mustNew(t, "multiclass", examples.Sized(5))})
	expectError(t, err, "needs the number of its outputs")
}

func TestCustomMessages(t *testing.T) {
	entry := func(i int, v float64) examples.Args {
		args := examples.FairSigns(2, 3)
		args.Reals[i] = v
		return args
	}
	for want, args := range slicex.InOrder(map[string]examples.Args{
		"the embeddings of 3 members in 2 dimensions need 6 numbers, not 2": {
			Scalars: map[string]int64{"d": 2, "members": 3}, Reals: []float64{1, 2},
		},
		"the moments in 2 dimensions need 7 numbers, not 0": {Scalars: map[string]int64{"d": 2, "members": 0}},
		"are 16781313 numbers, at most 16777216":            {Scalars: map[string]int64{"d": 4096, "members": 0}},
		"entry 1 of the embedding of member 2 is NaN": examples.Listed(3, 2, func(i, j int) float64 {
			return math.Log(1.5 - float64(i*j))
		}),
		"the logarithm of the count is -1, must be at least 0":        entry(0, -1),
		"entry 0 of the mean is +Inf":                                 entry(1, math.Inf(1)),
		"entry (1, 0) of the second moment is NaN":                    entry(5, math.NaN()),
		"second_moment is not symmetric: 0.5 at (1, 0) but 0 at":      entry(5, 0.5),
		"the mean square of ψ_1 is 1, less than the square of its me": entry(2, 1.5),
	}) {
		_, err := build("custom", args)
		expectError(t, err, want)
	}
}

// TestListsUnderMasks: entries of a list may be held to values where all of them are −1, 0 or 1.
func TestListsUnderMasks(t *testing.T) {
	space, err := New("custom", Args{Scalars: map[string]int64{"d": 3, "members": 4},
		Reals: []float64{1, 0.5, 0, -1, 2, 1, 0, 3, 1, 1, 4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	mask := NewMask()
	mask.Limit(3, 2, Plus)
	mask.Limit(3, 0, Zero|Minus)
	part := under(t, space, mask)
	y := []int32{-1}
	if cert, err := part.Decode(y, Scores{Linear: []float64{-1, 1, 0}}); err != nil || y[0] != 1 && y[0] != 2 || cert.Value != 3 ||
		part.Count().Int64() != 2 || part.Check([]int32{3}) == nil || part.Check(y) != nil {
		t.Errorf("member %d with %+v, error %v", y[0], cert, err)
	}
	mask.Limit(3, 1, Plus)
	_, err = Within(space, mask)
	expectError(t, err, "entry 1 of ψ to be -1, 0 or 1 under conditions, not 0.5, which")
	bounds := NewMask()
	bounds.Size = Range{1, 2}
	_, err = Within(space, bounds)
	expectError(t, err, "to be held to bounds")
}
