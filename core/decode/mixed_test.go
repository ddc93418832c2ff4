package decode

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// decodable reports whether a space can be decoded, searched and held to conditions.
func decodable(_ string, s structure.Space) bool {
	_, decodes := s.(structure.Decoder)
	return decodes && !s.Facts().General
}

// found is what decoding says of rows.
type found struct {
	y      []int32
	certs  []structure.Certificate
	traces []Trace
	met    []bool
}

func newFound(b *structure.Batch) found {
	n := b.Len()
	return found{make([]int32, b.Parts()), make([]structure.Certificate, n), make([]Trace, n), make([]bool, n)}
}

// agree compares what is found for rows of several spaces, by any number of workers, with what is found for each row alone. decode gets the
// row that is alone, or −1.
func agree(t *testing.T, m structuretest.Mixed, decode func(b *structure.Batch, i, workers int, to found) error) found {
	t.Helper()
	alone := make([]found, m.Len())
	for i := range alone {
		alone[i] = newFound(m.Alone(i))
		if err := decode(m.Alone(i), i, 1, alone[i]); err != nil {
			t.Fatal(err)
		}
		known(&alone[i].traces[0])
	}
	var all found
	for _, workers := range []int{1, 3} {
		all = newFound(m.Batch)
		if err := decode(m.Batch, -1, workers, all); err != nil {
			t.Fatal(err)
		}
		for i, own := range alone {
			known(&all.traces[i])
			if s, _ := m.Row(i); !slices.Equal(m.Output(all.y, i), own.y) || all.certs[i] != own.certs[0] ||
				all.traces[i] != own.traces[0] || all.met[i] != own.met[0] {
				t.Fatalf("row %d of %s is %v %+v %+v %t, alone %v %+v %+v %t", i, structure.Describe(s), m.Output(all.y, i), all.certs[i],
					all.traces[i], all.met[i], own.y, own.certs[0], own.traces[0], own.met[0])
			}
		}
	}
	return all
}

// known replaces NaN, a temperature that there is none of, by 0.
func known(trace *Trace) {
	if math.IsNaN(trace.Temperature) {
		trace.Temperature = 0
	}
}

// TestRowsOfSeveralSpaces: rows of all structures in one batch are decoded as each of them alone is, by every method.
func TestRowsOfSeveralSpaces(t *testing.T) {
	for _, magnitudes := range []bool{false, true} {
		m := structuretest.NewMixed(t, 3, 1, magnitudes, decodable)
		for _, method := range []Method{Auto, Exact, Search, Approx} {
			agree(t, m, func(b *structure.Batch, _, workers int, to found) error {
				return Batch(b, method, 3, to.y, to.certs, workers, nil)
			})
		}
	}
	movable := structuretest.NewMixed(t, 2, 1, false, func(name string, s structure.Space) bool {
		_, moves := s.(structure.Proposer)
		return decodable(name, s) && moves && s.PartLen() > 2 && s.PartLen() < 6
	})
	searched := structuretest.NewMixedOf(t, []structure.Space{build(t, "permutations", 15), build(t, "partialorders", 5),
		build(t, "weakorders", 4)}, 2, 1, true)
	for _, method := range []Method{Anneal, Metropolis} {
		agree(t, movable, func(b *structure.Batch, _, workers int, to found) error {
			p := Process{Method: method, Runs: 2, Steps: 50, Seed: 5}
			return SearchBatch(b, p, to.y, to.certs, to.traces, workers, nil)
		})
		agree(t, searched, func(b *structure.Batch, _, workers int, to found) error {
			return Batch(b, method, 5, to.y, to.certs, workers, nil)
		})
	}
}

// TestConditionsOfSeveralSpaces: conditions of each row, and those of all rows, are about the ψ of the space of the row.
func TestConditionsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 1, true, decodable)
	rng := rand.New(rand.NewPCG(1, 2))
	own := Restricted{First: []int{0}}
	for i := range m.Len() {
		for range rng.IntN(3) {
			own.All = append(own.All, Condition{Feature: rng.IntN(m.Width(i)), Value: int8(rng.IntN(3) - 1), Must: rng.IntN(2) == 0})
		}
		own.First = append(own.First, len(own.All))
	}
	part := func(i int) *Restricted {
		if i < 0 {
			return &own
		}
		some := own.All[own.First[i]:own.First[i+1]]
		return &Restricted{First: []int{0, len(some)}, All: some}
	}
	shared := Restricted{First: []int{0, 1}, All: []Condition{{Feature: 0, Value: 1, Must: true}}}
	for _, method := range []Method{Auto, Exact, Search} {
		all := agree(t, m, func(b *structure.Batch, i, workers int, to found) error {
			return part(i).Batch(b, method, to.y, to.certs, to.met, workers, nil)
		})
		if !slices.Contains(all.met, true) || !slices.Contains(all.met, false) {
			t.Error("all rows are alike")
		}
		agree(t, m, func(b *structure.Batch, _, workers int, to found) error {
			return shared.Batch(b, method, to.y, to.certs, to.met, workers, nil)
		})
	}
	row, last := m.Len()-1, 1<<20
	own.All = append(own.All, Condition{Feature: last, Value: 1})
	own.First[len(own.First)-1]++
	to := newFound(m.Batch)
	if err := own.Batch(m.Batch, Auto, to.y, nil, to.met, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	wide := m.FirstOf(func(s structure.Space) bool { return s.FeatureLen() < 4 })
	beyond := Restricted{First: []int{0, 1}, All: []Condition{{Feature: 3, Value: 1}}}
	if err := beyond.Batch(m.Batch, Auto, to.y, nil, to.met, 1, nil); fault.RowOf(err) < 0 || m.Width(fault.RowOf(err)) > 3 || wide < 0 {
		t.Errorf("the error is %v, must be about a row of fewer than 4 features", err)
	}
}

// TestKeyedConditionsOfSeveralSpaces: conditions in terms of structures are read by that of their row.
func TestKeyedConditionsOfSeveralSpaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var specs []structure.Spec
	var args []structure.Args
	var spaces []structure.Space
	for _, spec := range structure.Catalogue() {
		for a, space := range structuretest.SmallOf(t, spec) {
			if _, restricts := space.(structure.Restricter); restricts && decodable("", space) {
				spaces, specs, args = append(spaces, space), append(specs, spec), append(args, a)
			}
		}
	}
	m := structuretest.NewMixedOf(t, spaces, 4, 1, false)
	own := Keyed{First: []int{0}}
	for i := range m.Len() {
		s, _ := m.Row(i)
		at := m.At(i) - 1 // behind the idle space
		conditions := structuretest.RandomConditions(specs[at], args[at], s, rng)
		if _, err := s.(structure.Restricter).Restrict()(conditions); err == nil { // no two of them contradict each other
			own.All = append(own.All, conditions...)
		}
		own.First = append(own.First, len(own.All))
	}
	all := agree(t, m, func(b *structure.Batch, i, workers int, to found) error {
		k := &own
		if i >= 0 {
			some := own.All[own.First[i]:own.First[i+1]]
			k = &Keyed{First: []int{0, len(some)}, All: some}
		}
		return k.Batch(b, Auto, to.y, to.certs, to.met, workers, nil)
	})
	if len(own.All) == 0 || !slices.Contains(all.met, true) {
		t.Errorf("%d conditions, nothing is decoded", len(own.All))
	}
	unknown := Keyed{First: []int{0, 1}, All: []structure.Condition{{Key: -1}}}
	if err := unknown.Batch(m.Batch, Auto, all.y, nil, all.met, 1, nil); fault.RowOf(err) == fault.NoRow {
		t.Errorf("the error is %v, must be about a row", err)
	}
}

// TestRefusalsOfSeveralSpaces: what is wrong with a row, or with its space, is about that row.
func TestRefusalsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 1, false, decodable)
	to := newFound(m.Batch)
	row := m.Len() / 2
	m.Spoil(row, math.Inf(1))
	err := Batch(m.Batch, Auto, 0, to.y, to.certs, 2, nil)
	if fault.RowOf(err) != row || fault.TextOf(err) != "score 0 is +Inf, must be finite" {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	classes, large := build(t, "multiclass", 3), build(t, "permutations", 30)
	linear := make([]float64, 3+435+3+3)
	linear[3] = 1
	b, err := structure.NewBatch(4, []structure.Space{classes, large, opaque{classes}}, []int32{0, 1, 0, 2}, nil, linear, nil)
	if err != nil {
		t.Fatal(err)
	}
	to = newFound(b)
	err = Batch(b, Exact, 0, to.y, nil, 1, nil)
	if _, lacks := errors.AsType[*structure.CapabilityError](err); !lacks || fault.RowOf(err) != 3 {
		t.Errorf("without a decoder the error is %v", err)
	}
	b, err = structure.NewBatch(3, []structure.Space{classes, large, opaque{classes}}, []int32{0, 1, 0}, nil, linear[:3+435+3], nil)
	if err != nil {
		t.Fatal(err)
	}
	to = newFound(b)
	for i := range linear {
		linear[i] = math.Sin(float64(i * i))
	}
	err = Batch(b, Exact, 0, to.y, nil, 1, nil)
	if _, beyond := errors.AsType[*structure.LimitError](err); !beyond || fault.RowOf(err) != 1 {
		t.Errorf("beyond the exact size the error is %v", err)
	}
	if err = Batch(b, Exact, 0, to.y[1:], nil, 1, nil); err == nil || fault.RowOf(err) != fault.NoRow {
		t.Errorf("without room the error is %v", err)
	}
}
