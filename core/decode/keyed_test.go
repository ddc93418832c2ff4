package decode

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// TestKeyedConditions compares decoding under random conditions, each row with its own, with the best of the outputs that satisfy them
// by the definitions of their keys; and with one row at a time.
func TestKeyedConditions(t *testing.T) {
	const rows = 40
	for _, spec := range structure.Catalogue() {
		for args, space := range structuretest.SmallOf(t, spec) {
			if _, takes := space.(structure.Restricter); !takes {
				continue
			}
			d, p := space.FeatureLen(), space.PartLen()
			rng := rand.New(rand.NewPCG(5, uint64(d)))
			linear, magnitude, psi := gaussian(rows, d, 31), gaussian(rows, d, 32), make([]float64, d)
			if err := Batch(structure.OneSpace(space, linear, magnitude), Auto, 0, make([]int32, rows*p), nil, 1, nil); err != nil {
				magnitude = blas64.General{} // squares of counts
			}
			score := func(i int) structure.Scores {
				if magnitude.Rows == 0 {
					return structure.Scores{Linear: row(linear, i)}
				}
				return structure.Scores{Linear: row(linear, i), Magnitude: row(magnitude, i)}
			}
			keyed, best := Keyed{First: []int{0}}, make([]float64, rows)
			of := make([][]structure.Condition, rows)
			for i := range rows {
				for {
					of[i] = structuretest.RandomConditions(spec, args, space, rng)
					if i%7 == 0 {
						of[i] = nil
					}
					single := Keyed{[]int{0, len(of[i])}, of[i]}
					if single.Each(space, 1, nil, func(int, structure.Restriction) {}) == nil {
						break
					}
				}
				best[i] = math.Inf(-1)
				for y := range space.All() {
					if structuretest.Satisfies(spec.Name, args, space, y, of[i]) {
						space.Embed(psi, y)
						best[i] = max(best[i], score(i).Value(psi))
					}
				}
				keyed.All = append(keyed.All, of[i]...)
				keyed.First = append(keyed.First, len(keyed.All))
			}
			dst, certs, met := make([]int32, rows*p), make([]structure.Certificate, rows), make([]bool, rows)
			if err := keyed.Batch(structure.OneSpace(space, linear, magnitude), Auto, dst, certs, met, 2, nil); err != nil {
				t.Fatalf("%v: %v", structure.Describe(space), err)
			}
			for i := range rows {
				y := dst[i*p : (i+1)*p]
				if met[i] != !math.IsInf(best[i], -1) || !certs[i].Optimal {
					t.Fatalf("%s: %v: met %t, certificate %+v, best %v", structure.Describe(space), of[i], met[i], certs[i], best[i])
				}
				one, alone := Keyed{[]int{0, len(of[i])}, of[i]}, make([]int32, p)
				linear, magnitude := blas64.General{Rows: 1, Cols: d, Stride: d, Data: row(linear, i)}, magnitude
				if magnitude.Rows > 0 {
					magnitude = blas64.General{Rows: 1, Cols: d, Stride: d, Data: row(magnitude, i)}
				}
				if err := one.Batch(structure.OneSpace(space, linear, magnitude), Auto, alone, nil, make([]bool, 1), 1, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(alone, y) {
					t.Fatalf("%s: %v alone gives %v, among others %v", structure.Describe(space), of[i], alone, y)
				}
				if met[i] && (math.Abs(certs[i].Value-best[i]) > 1e-12 || !structuretest.Satisfies(spec.Name, args, space, y, of[i])) {
					t.Fatalf("%s: %v gives %v of %v, best %v", structure.Describe(space), of[i], y, certs[i].Value, best[i])
				}
			}
		}
	}
}

// TestKeyedConditionsOfManyLabels: rankings that only local search decodes keep to their conditions, each row to its own.
func TestKeyedConditionsOfManyLabels(t *testing.T) {
	const n, rows = 130, 3
	for _, name := range []string{"permutations", "weakorders"} {
		space := build(t, name, n)
		keyed := Keyed{First: []int{0}}
		for i := range rows {
			keyed.All = append(keyed.All, structure.Condition{Key: structure.FirstKey, U: i, V: structure.Alone},
				structure.Condition{Key: structure.LastKey, U: 50 + i, V: structure.Alone})
			for u := 60; u < 100; u += i + 1 {
				keyed.All = append(keyed.All, structure.Condition{Key: structure.BeforeKey, U: u + i + 1, V: u})
			}
			keyed.First = append(keyed.First, len(keyed.All))
		}
		dst, certs, met := make([]int32, rows*n), make([]structure.Certificate, rows), make([]bool, rows)
		linear := gaussian(rows, space.FeatureLen(), 33)
		if err := keyed.Batch(structure.Rows(space, linear), Auto, dst, certs, met, 2, nil); err != nil {
			t.Fatal(name, err)
		}
		for i, cert := range certs {
			y, of := dst[i*n:(i+1)*n], keyed.All[keyed.First[i]:keyed.First[i+1]]
			if !met[i] || space.Check(y) != nil || !structuretest.Satisfies(name, structure.Args{}, space, y, of) {
				t.Errorf("%s, row %d: %v does not satisfy %v, met is %t", name, i, y, of, met[i])
			}
			if !(cert.Value > 0 && cert.UpperBound > cert.Value) || cert.Optimal {
				t.Errorf("%s, row %d: %+v", name, i, cert)
			}
		}
	}
}

// TestArrange lists cycles as decoding does.
func TestArrange(t *testing.T) {
	space := build(t, "cycles", 6)
	y := []int32{0, 1, 2, 3, -1, -1, 0, 2, 1, 4, 3, -1}
	keyed := Keyed{[]int{0, 2, 3}, []structure.Condition{
		{Key: structure.StartKey, U: 2, V: structure.Alone}, {Key: structure.EndKey, U: 3, V: structure.Alone},
		{Key: structure.EndKey, U: 1, V: structure.Alone},
	}}
	if err := keyed.Arrange(space, y, 2, nil); err != nil || !slices.Equal(y, []int32{2, 1, 0, 3, -1, -1, 2, 0, 3, 4, 1, -1}) {
		t.Error(y, err)
	}
	y = []int32{0, 1, 2, 3, -1, -1, 0, 2, 1, 4, 3, -1}
	if err := keyed.Arrange(space, append(y[6:12:12], y[:6]...), 2, nil); fault.RowOf(err) != 0 {
		t.Error("a cycle that does not end where it must is taken:", err)
	}
	shared := Keyed{[]int{0, 1}, keyed.All[:1]}
	if err := shared.Arrange(space, y, 1, nil); err != nil || !slices.Equal(y, []int32{2, 1, 0, 3, -1, -1, 2, 0, 3, 4, 1, -1}) {
		t.Error(y, err)
	}
	if err := keyed.Arrange(space, y[:6], 1, nil); err == nil {
		t.Error("two rows of conditions are taken for one output")
	}
}

// TestKeyedErrors: errors name the row where rows have conditions of their own, and only then.
func TestKeyedErrors(t *testing.T) {
	alone := func(k structure.Key, v int) structure.Condition {
		return structure.Condition{Key: k, U: v, V: structure.Alone}
	}
	run := func(space structure.Space, k Keyed, rows int, magnitude blas64.General, method Method) error {
		d := space.FeatureLen()
		linear := blas64.General{Rows: rows, Cols: d, Stride: d, Data: make([]float64, rows*d)}
		magnitude.Cols, magnitude.Stride = d, d
		y, met := make([]int32, rows*space.PartLen()), make([]bool, rows)
		return k.Batch(structure.OneSpace(space, linear, magnitude), method, y, nil, met, 1, nil)
	}
	routes, none := build(t, "routes", 24), blas64.General{}
	short, long, outside := alone(structure.LengthKey, 3), alone(structure.RequiredKey, 3), alone(structure.StartKey, 24)
	for _, c := range []struct {
		name string
		err  error
		row  int
		want string
	}{
		{"a row beyond exact decoding", run(routes, Keyed{[]int{0, 1, 2}, []structure.Condition{short, long}}, 2, none, Exact), 1,
			"limited"},
		{"a free row beyond it", run(routes, Keyed{[]int{0, 1, 1}, []structure.Condition{short}}, 2, none, Exact), 1, "limited"},
		{"all rows beyond it", run(routes, Keyed{[]int{0, 1}, []structure.Condition{long}}, 2, none, Exact), -1, "limited"},
		{"an illegal row", run(routes, Keyed{[]int{0, 1, 2}, []structure.Condition{short, outside}}, 2, none, Auto), 1,
			"'start' holds 24"},
		{"an illegal condition for all", run(routes, Keyed{[]int{0, 1}, []structure.Condition{outside}}, 2, none, Auto), -1,
			"'start' holds 24"},
		{"another number of rows", run(routes, Keyed{[]int{0, 1, 1, 1}, []structure.Condition{short}}, 2, none, Auto), -1,
			"for 3 rows, must be for 1 or 2"},
		{"a method without", run(routes, Keyed{[]int{0, 1}, []structure.Condition{short}}, 2, none, Anneal), -1, "takes no conditions"},
		{"a structure without", run(build(t, "multiclass", 3), Keyed{[]int{0, 1}, []structure.Condition{short}}, 1, none, Auto), -1,
			"held to conditions"},
		{"checking rows", (&Keyed{[]int{0, 1, 2}, []structure.Condition{short, alone(structure.FirstKey, 1)}}).Each(routes, 1, nil,
			func(int, structure.Restriction) {}), 1, "takes no key 'first'"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || fault.RowOf(c.err) != c.row {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	tied, err := structure.New("paths", structure.Args(examples.Trellis(4, 2)))
	if err != nil {
		t.Fatal(err)
	}
	d := tied.FeatureLen()
	first := Keyed{[]int{0, 1}, []structure.Condition{{Key: structure.ForbiddenKey, U: 0, V: 1}}}
	if err := run(tied, first, 1, blas64.General{Rows: 1, Data: make([]float64, d)}, Auto); err == nil ||
		!strings.Contains(err.Error(), "counts that are 0 or 1") {
		t.Errorf("squares of counts are taken: %v", err)
	}
	if err := run(tied, first, 1, none, Auto); err != nil {
		t.Error(err)
	}
}

// TestWithin: rows of several spaces, each with conditions of its own, are rows of the outputs that satisfy them, in as few spaces as there
// are different conditions; what they count as is known from enumeration by hand.
func TestWithin(t *testing.T) {
	sets, orders := build(t, "labelsets", 4), build(t, "permutations", 3)
	alone := func(k structure.Key, v int) structure.Condition {
		return structure.Condition{Key: k, U: v, V: structure.Alone}
	}
	keyed := &Keyed{[]int{0, 1, 2, 3, 3, 4}, []structure.Condition{
		alone(structure.SizeKey, 2), alone(structure.FirstKey, 1), alone(structure.SizeKey, 2), alone(structure.RequiredKey, 3),
	}}
	b, err := structure.NewBatch(5, []structure.Space{sets, orders}, []int32{0, 1, 0, 1, 0}, nil, make([]float64, 4+3+4+3+4), nil)
	if err != nil {
		t.Fatal(err)
	}
	held, err := keyed.Within(b)
	if err != nil || len(held.Spaces()) != 4 {
		t.Fatal("equal conditions have spaces of their own:", len(held.Spaces()), err)
	}
	for i, want := range []float64{6, 2, 6, 6, 8} {
		space, score := held.Row(i)
		logZ, err := space.(structure.Partitioner).LogPartition(nil, score.Linear, nil)
		if err != nil || math.Abs(math.Exp(logZ)-want) > 1e-9 {
			t.Errorf("row %d has %v outputs, has %v: %v", i, math.Exp(logZ), want, err)
		}
	}
	keyed.All[3] = alone(structure.RequiredKey, 4)
	if _, err := keyed.Within(b); fault.RowOf(err) != 4 {
		t.Error("an illegal condition of row 4 is told as:", err)
	}
	two := blas64.General{Rows: 2, Cols: 4, Stride: 4, Data: make([]float64, 8)}
	one := blas64.General{Rows: 1, Cols: 4, Stride: 4, Data: make([]float64, 4)}
	differ := &Keyed{[]int{0, 1, 1}, keyed.All[:1]}
	if _, err := differ.Within(structure.OneSpace(sets, two, one)); err == nil {
		t.Error("magnitudes of all rows are taken for rows of different conditions")
	}
}
