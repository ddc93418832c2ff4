package decode

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/internal/structuretest"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// TestConditions compares decoding under random conditions with the best of the filtered list, for every structure.
func TestConditions(t *testing.T) {
	rows := 40
	if testing.Short() { // the race detector sees the same accesses in fewer
		rows = 8
	}
	feasible, infeasible, spaces := 0, 0, 0
	for _, spec := range structure.Catalogue() {
		for _, space := range structuretest.SmallOf(t, spec) {
			_, decodes := space.(structure.Decoder)
			if !decodes || space.Facts().General {
				continue
			}
			spaces++
			c := newRestrictedCase(spec.Name, space, rows)
			for _, m := range []blas64.General{{}, c.magnitude, {Rows: 1, Cols: c.d, Stride: c.d, Data: row(c.magnitude, 0)}} {
				for _, method := range []Method{Exact, Search} {
					some := c.check(t, m, method)
					feasible, infeasible = feasible+some, infeasible+rows-some
				}
			}
		}
	}
	if spaces < 30 || feasible < 50*rows || infeasible < 12*rows {
		t.Errorf("%d spaces, %d rows with outputs, %d without", spaces, feasible, infeasible)
	}
}

// restrictedCase is a space with ψ of all its outputs, and rows of scores under random conditions.
type restrictedCase struct {
	name              string
	space             structuretest.Listed
	rows, d           int
	members           [][]float64
	linear, magnitude blas64.General
	restricted        Restricted
}

func newRestrictedCase(name string, space structuretest.Listed, rows int) *restrictedCase {
	d, scaled := space.FeatureLen(), []float64{1, 1e290, 1e-290, 0}
	c := &restrictedCase{name: name, space: space, rows: rows, d: d, linear: gaussian(rows, d, 21), magnitude: gaussian(rows, d, 22),
		restricted: Restricted{First: []int{0}}}
	psi := make([]float64, d)
	for y := range space.All() {
		space.Embed(psi, y)
		c.members = append(c.members, slices.Clone(psi))
	}
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	for i := range rows {
		for j := range d {
			row(c.linear, i)[j] *= scaled[i%len(scaled)]
			row(c.magnitude, i)[j] *= scaled[i%len(scaled)]
		}
		for range rng.IntN(4) {
			c.restricted.All = append(c.restricted.All, Condition{Feature: rng.IntN(d), Value: int8(rng.IntN(3) - 1),
				Must: rng.IntN(2) == 0})
		}
		c.restricted.First = append(c.restricted.First, len(c.restricted.All))
	}
	return c
}

// best returns the largest score of the outputs that satisfy conditions, −Inf if none does.
func (c *restrictedCase) best(score structure.Scores, conditions []Condition) float64 {
	best := math.Inf(-1)
	for _, x := range c.members {
		if satisfied(conditions, x) {
			best = max(best, score.Value(x))
		}
	}
	return best
}

// check compares what a method decodes with the list, and returns how many rows have outputs that satisfy their conditions.
func (c *restrictedCase) check(t *testing.T, m blas64.General, method Method) (feasible int) {
	t.Helper()
	p, psi := c.space.PartLen(), make([]float64, c.d)
	dst, certs, met := make([]int32, c.rows*p), make([]structure.Certificate, c.rows), make([]bool, c.rows)
	if err := c.restricted.Batch(structure.OneSpace(c.space, c.linear, m), method, dst, certs, met, 2, nil); err != nil {
		t.Fatal(c.name, err)
	}
	for i, cert := range certs {
		score := structure.Scores{Linear: row(c.linear, i)}
		if m.Rows > 0 {
			score.Magnitude = row(m, i%m.Rows)
		}
		total := 0.0
		for _, v := range slices.Concat(score.Linear, score.Magnitude) {
			total += math.Abs(v)
		}
		slack := 1e-13 * total
		conditions := c.restricted.All[c.restricted.First[i]:c.restricted.First[i+1]]
		best := c.best(score, conditions)
		if math.IsInf(best, -1) {
			if met[i] || method == Exact && !cert.Optimal {
				t.Fatalf("%s, row %d: nothing satisfies %v, met is %t with %+v", c.name, i, conditions, met[i], cert)
			}
			continue
		}
		feasible++
		if err := c.space.Check(dst[i*p : (i+1)*p]); err != nil {
			t.Fatal(c.name, err)
		}
		c.space.Embed(psi, dst[i*p:(i+1)*p])
		if satisfied(conditions, psi) != met[i] || math.Abs(score.Value(psi)-cert.Value) > slack {
			t.Fatalf("%s, row %d under %v: met is %t, %+v, with ψ = %v", c.name, i, conditions, met[i], cert, psi)
		}
		if method == Exact && !met[i] || met[i] && cert.UpperBound < best-slack ||
			cert.Optimal && met[i] && math.Abs(cert.Value-best) > slack || method == Exact && (!cert.Optimal || cert.Nu != 0) {
			t.Fatalf("%s, row %d under %v: %+v, the best of the list has %v", c.name, i, conditions, cert, best)
		}
	}
	return feasible
}

func TestConditionsAreChecked(t *testing.T) {
	space := build(t, "labelsets", 3)
	linear := gaussian(2, 3, 23)
	run := func(r Restricted, method Method, met int) error {
		return r.Batch(structure.OneSpaceLinear(space, linear), method, make([]int32, 6), nil, make([]bool, met), 1, nil)
	}
	one := []Condition{{Feature: 1, Value: 1, Must: true}}
	for want, err := range slicex.InOrder(map[string]error{
		"conditions for 3 rows":           run(Restricted{[]int{0, 0, 0, 1}, one}, Auto, 2),
		"go from 0 to 1, must go":         run(Restricted{[]int{0, 1}, nil}, Auto, 2),
		"of row 1 end at 0, before":       run(Restricted{[]int{0, 1, 0}, nil}, Auto, 2),
		"condition 0 is about feature 3":  run(Restricted{[]int{0, 1}, []Condition{{Feature: 3, Value: 1, Must: true}}}, Auto, 2),
		"condition 0 is about the value":  run(Restricted{[]int{0, 1}, []Condition{{Feature: 2, Value: 2, Must: true}}}, Auto, 2),
		"met has 1 entries":               run(Restricted{[]int{0, 1}, one}, Auto, 1),
		"method number 4 takes no condit": run(Restricted{[]int{0, 1}, one}, Anneal, 2),
	}) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	if err := run(Restricted{[]int{0, 1}, one}, Auto, 2); err != nil {
		t.Error(err)
	}
	large := build(t, "permutations", 30)
	err := (&Restricted{[]int{0, 1}, one}).Batch(structure.OneSpaceLinear(large, gaussian(1, 435, 1)), Exact, make([]int32, 30), nil,
		make([]bool, 1), 1, nil)
	if _, ok := errors.AsType[*structure.LimitError](err); !ok {
		t.Errorf("beyond the exact size the error is %v", err)
	}
}

// TestSearchKeepsChains: conditions that follow from others are conditions, too, so that a search keeps all of them.
func TestSearchKeepsChains(t *testing.T) {
	const n, rows = 30, 4
	pair := func(u, v int) Condition {
		value := int8(1)
		if u > v {
			u, v, value = v, u, -1
		}
		return Condition{Feature: u*(2*n-u-1)/2 + v - u - 1, Value: value, Must: true}
	}
	for _, name := range []string{"permutations", "weakorders"} {
		space := build(t, name, n)
		linear := gaussian(rows, space.FeatureLen(), 24)
		chain := Restricted{First: []int{0, n - 1}}
		for i := range n - 1 {
			chain.All = append(chain.All, pair(i*7%n, (i+1)*7%n))
		}
		dst, certs, met := make([]int32, rows*n), make([]structure.Certificate, rows), make([]bool, rows)
		if err := chain.Batch(structure.OneSpaceLinear(space, linear), Search, dst, certs, met, 1, nil); err != nil {
			t.Fatal(err)
		}
		for i, m := range met {
			for k := range n {
				if y := dst[i*n:]; !m || y[k*7%n] != int32(k+1) {
					t.Fatalf("%s, row %d: a chain of all labels is decoded as %v, met is %t", name, i, dst[i*n:(i+1)*n], m)
				}
			}
		}
		cycle := Restricted{[]int{0, 3}, []Condition{pair(0, 1), pair(1, 2), pair(2, 0)}}
		if err := cycle.Batch(structure.OneSpaceLinear(space, linear), Search, dst, certs, met, 1, nil); err != nil || slices.Contains(met, true) {
			t.Errorf("%s: a cycle gives %v, error %v", name, met, err)
		}
	}
}

// satisfied reports whether ψ satisfies conditions, by definition.
func satisfied(conditions []Condition, psi []float64) bool {
	for _, c := range conditions {
		if (psi[c.Feature] == float64(c.Value)) != c.Must {
			return false
		}
	}
	return true
}
