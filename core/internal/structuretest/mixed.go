package structuretest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/structure"
)

// Mixed are rows of several spaces in random order, some of which have more than one, which lie in random order in memory, too, with gaps
// between them. The first and the last space have no rows, and can do nothing.
type Mixed struct {
	*structure.Batch
	linear, magnitude []float64
	first             []int
}

// Idle is a space without any ability.
type Idle struct{ structure.Space }

// NewMixed returns rows of the small spaces that a test takes: of every third a single one, many of the others. Scores are scaled by a
// number; those of magnitudes are left out unless they are wanted.
func NewMixed(tb testing.TB, many int, scale float64, magnitudes bool, takes func(name string, s structure.Space) bool) Mixed {
	tb.Helper()
	var spaces []structure.Space
	for _, spec := range structure.Catalogue() {
		for _, space := range SmallOf(tb, spec) {
			if takes(spec.Name, space) {
				spaces = append(spaces, space)
			}
		}
	}
	return NewMixedOf(tb, spaces, many, scale, magnitudes)
}

// NewMixedOf returns rows of some spaces.
func NewMixedOf(tb testing.TB, spaces []structure.Space, many int, scale float64, magnitudes bool) Mixed {
	tb.Helper()
	if len(spaces) < 3 {
		tb.Fatalf("there are %d spaces", len(spaces))
	}
	idle := Idle{spaces[0]}
	spaces = append(append([]structure.Space{idle}, spaces...), idle)
	var of []int32
	for at := 1; at < len(spaces)-1; at++ {
		rows := many
		if at%3 == 0 {
			rows = 1
		}
		of = append(of, slices.Repeat([]int32{int32(at)}, rows)...)
	}
	rng := rand.New(rand.NewPCG(3, uint64(len(of))))
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	m := Mixed{first: make([]int, len(of))}
	for _, i := range rng.Perm(len(of)) {
		m.linear = append(m.linear, make([]float64, rng.IntN(3))...)
		m.first[i] = len(m.linear)
		for range spaces[of[i]].FeatureLen() {
			m.linear = append(m.linear, scale*rng.NormFloat64())
		}
	}
	if magnitudes {
		m.magnitude = make([]float64, len(m.linear))
		for k := range m.magnitude {
			m.magnitude[k] = scale * rng.NormFloat64()
		}
	}
	var err error
	if m.Batch, err = structure.NewBatch(len(of), spaces, of, m.first, m.linear, m.magnitude); err != nil {
		tb.Fatal(err)
	}
	return m
}

// Alone returns row i as all that there is.
func (m Mixed) Alone(i int) *structure.Batch {
	space, _ := m.Row(i)
	d := space.FeatureLen()
	matrix := func(data []float64) blas64.General {
		if data == nil {
			return blas64.General{}
		}
		return blas64.General{Rows: 1, Cols: d, Stride: max(d, 1), Data: slices.Clone(data[m.first[i]:][:d])}
	}
	return structure.OneSpace(space, matrix(m.linear), matrix(m.magnitude))
}

// Pick returns what there is of row i among so much for each, for options that a row takes with it.
func Pick[T any](values []T, i int) []T {
	if values == nil {
		return nil
	}
	return values[i : i+1]
}

// Spoil sets a score of row i to a value.
func (m Mixed) Spoil(i int, value float64) { m.linear[m.first[i]] = value }

// FirstOf returns the first row that has a property, −1 if none does.
func (m Mixed) FirstOf(has func(s structure.Space) bool) int {
	for i := range m.Len() {
		if s, _ := m.Row(i); has(s) {
			return i
		}
	}
	return -1
}
