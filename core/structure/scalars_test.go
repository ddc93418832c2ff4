package structure

import (
	"slices"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestOrdinalMoments checks the corrected counts at three grades: n − i grades are at least i, n − max(i, j) both.
func TestOrdinalMoments(t *testing.T) {
	space := mustNew(t, "ordinal", examples.Sized(3)).(Momenter)
	mean, second := make([]float64, 3), square(3)
	space.Mean(mean)
	space.SecondMoment(second)
	if want := []float64{1, 2.0 / 3, 1.0 / 3}; !slices.Equal(mean, want) {
		t.Errorf("the mean is %v, want %v", mean, want)
	}
	a, b := 2.0/3, 1.0/3
	if want := []float64{1, a, b, a, a, b, b, b, b}; !slices.Equal(second.Data, want) {
		t.Errorf("the second moment is %v, want %v", second.Data, want)
	}
}

// TestSmallestIndexWins: among outputs of equal score the scans take the first.
func TestSmallestIndexWins(t *testing.T) {
	equal := Scores{Linear: make([]float64, 6)}
	later := Scores{Linear: []float64{0, 0, 1, 0, 0, 0}}
	for name, args := range slicex.InOrder(map[string]examples.Args{
		"multiclass":    examples.Sized(6),
		"ordinal":       examples.Sized(6),
		"posetelements": examples.Poset(6, func(a, b int) bool { return a >= b }),
		"hierarchy":     examples.Hierarchy([]int32{-1, 0, 1, 2, 3, 4}, nil),
	}) {
		space := mustNew(t, name, args).(Decoder)
		y := []int32{-1}
		if _, err := space.Decode(y, equal); err != nil || y[0] != 0 {
			t.Errorf("%s: equal scores give %d, error %v, want 0", name, y[0], err)
		}
		if _, err := space.Decode(y, later); err != nil || y[0] != 2 {
			t.Errorf("%s: a gain at 2 gives %d, error %v, want 2", name, y[0], err)
		}
	}
}

func TestPosetMessages(t *testing.T) {
	refused := []struct {
		relation []int32
		want     string
	}{
		{[]int32{1, 0, 0, 0, 0, 0, 0, 0, 1}, "element 1 is not ⪰ itself"},
		{[]int32{1, 0, 1, 0, 1, 0, 1, 0, 1}, "elements 0 and 2 are ⪰ each other"},
		{[]int32{1, 1, 0, 0, 1, 1, 0, 0, 1}, "element 0 is ⪰ element 1 and element 1 ⪰ element 2, but element 0 is not ⪰ element 2"},
		{[]int32{1, 0, 0, 0, 1, 0, 0, 5, 1}, "the relation is 5 for elements 2 and 1"},
		{[]int32{1, 0, 0, 1}, "3 elements needs 9 integers, or 12 with the allowed mask, not 4"},
		{[]int32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "no element of the poset is allowed, so there is nothing to predict"},
		{[]int32{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 2}, "the allowed mask is 2 for element 2, must be 0 or 1"},
	}
	for _, r := range refused {
		_, err := build("posetelements", examples.Args{Scalars: map[string]int64{"n": 3}, Ints: r.relation})
		expectError(t, err, r.want)
	}
}

// TestArgsAreCopied: changing the buffers after construction leaves the space as it was.
func TestArgsAreCopied(t *testing.T) {
	args := examples.Hierarchy([]int32{-1, 0, 0}, nil)
	space := mustNew(t, "hierarchy", args)
	clear(args.Ints)
	psi := make([]float64, 3)
	space.Embed(psi, []int32{2})
	if !slices.Equal(psi, []float64{1, 0, 1}) {
		t.Errorf("ψ(2) is %v after the caller's buffer changed", psi)
	}
}

// TestWrongLengthsPanic: a slice of the wrong length is the caller's bug, in every structure.
func TestWrongLengthsPanic(t *testing.T) {
	for _, spec := range Catalogue() {
		space := mustNew(t, spec.Name, smallest(t, spec.Name)[1])
		d, parts := space.FeatureLen(), space.PartLen()
		long := make([]int32, parts+1)
		for name, call := range slicex.InOrder(map[string]func(){
			"Check":        func() { _ = space.Check(long) },
			"Embed":        func() { space.Embed(make([]float64, d+1), make([]int32, parts)) },
			"Mean":         func() { space.(Momenter).Mean(make([]float64, d+1)) },
			"SecondMoment": func() { space.(Momenter).SecondMoment(square(d + 1)) },
			"Sample":       func() { space.(Sampler).Sample(long, nil) },
			"Decode":       func() { _, _ = space.(Decoder).Decode(long, Scores{Linear: make([]float64, d)}) },
			"Decode scores": func() {
				_, _ = space.(Decoder).Decode(make([]int32, parts), Scores{Linear: make([]float64, d+1)})
			},
		}) {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of %s accepts a wrong length", name, spec.Name)
					}
				}()
				call()
			}()
		}
	}
}
