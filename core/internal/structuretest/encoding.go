package structuretest

import (
	"math"
	"slices"
	"testing"

	"combpred/core/structure"
)

// garbage returns n NaNs: a destination that is not overwritten in full shows.
func garbage(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// garbageParts returns n numbers that no encoding uses.
func garbageParts(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = math.MinInt32 + 7
	}
	return x
}

// encoding: the listed outputs are valid, distinct and listed in the same order each time; ψ tells them apart (unless the
// space is ambiguous), has entries in {−1, 0, 1} (in a general space neither is asked for, only that
// entries are finite) and leaves y alone; Check accepts exactly the outputs among all that differ from one in a single
// part.
func (e *enumerated) encoding(t *testing.T) {
	if len(e.index) != len(e.outputs) {
		t.Errorf("%d outputs are listed, %d of them distinct", len(e.outputs), len(e.index))
	}
	at := 0
	for y := range e.space.(structure.Enumerator).All() {
		if !slices.Equal(y, e.outputs[at]) {
			t.Fatalf("output %d is %v in one listing and %v in the next", at, e.outputs[at], y)
		}
		if at++; at == min(2, len(e.outputs)) {
			break
		}
	}
	embeddings := map[string]bool{}
	for i, y := range e.outputs {
		if len(y) != e.space.PartLen() {
			t.Fatalf("output %v has %d parts, want %d", y, len(y), e.space.PartLen())
		}
		if err := e.space.Check(y); err != nil {
			t.Errorf("Check refuses the member %v: %v", y, err)
		}
		before := slices.Clone(y)
		psi := e.embed(y)
		if !slices.Equal(before, y) {
			t.Errorf("Embed changed its input %v to %v", before, y)
		}
		if !slices.Equal(psi, e.psi[i]) {
			t.Errorf("Embed(%v) is %v once and %v the next time", y, e.psi[i], psi)
		}
		text := ""
		for j, v := range psi {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				t.Fatalf("ψ_%d(%v) is %v, must be finite", j, y, v)
			case e.general:
			case v != -1 && v != 0 && v != 1:
				t.Fatalf("ψ_%d(%v) is %v, must be -1, 0 or 1", j, y, v)
			}
			text += string(rune('1' + int(v)))
		}
		embeddings[text] = true
	}
	if shared := len(embeddings) < len(e.outputs); !e.general && shared != e.space.Facts().Ambiguous {
		t.Errorf("%d outputs have %d embeddings, ambiguous: %t", len(e.outputs), len(embeddings), !shared)
	}
	e.mutants(t)
}

// mutants changes one part of an output at a time.
func (e *enumerated) mutants(t *testing.T) {
	refused := 0
	for _, y := range e.outputs[:min(len(e.outputs), 100)] {
		for i, v := range y {
			for _, w := range []int32{-1, 0, v - 1, v + 1, int32(len(e.psi[0])), math.MinInt32, math.MaxInt32} {
				mutant := slices.Clone(y)
				mutant[i] = w
				_, member := e.index[key(mutant)]
				err := e.space.Check(mutant)
				if member != (err == nil) {
					t.Fatalf("Check(%v) is %v, while the list says member = %t", mutant, err, member)
				}
				if err != nil {
					refused++
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no mutant was refused")
	}
}
