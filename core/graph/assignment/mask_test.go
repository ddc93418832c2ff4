package assignment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
	"combpred/core/slicex"
)

// maskDraws are distributions of masks, drawn cell by cell: some leave nearly all assignments, some one or none.
var maskDraws = map[string]func(*rand.Rand) Cell{
	"open":       func(*rand.Rand) Cell { return Allowed },
	"few holes":  func(r *rand.Rand) Cell { return Cell(r.IntN(6) / 5) },
	"many holes": func(r *rand.Rand) Cell { return Cell(r.IntN(2)) },
	"one needed": func(r *rand.Rand) Cell { return Required * Cell(r.IntN(12)/11) },
	"mixed": func(r *rand.Rand) Cell {
		return []Cell{Allowed, Allowed, Allowed, Forbidden, Forbidden, Required}[r.IntN(6)]
	},
}

// allows reports by definition whether a mask allows an assignment.
func allows(mask []Cell, column []int32) bool {
	n := len(column)
	for at, c := range mask {
		taken := int(column[at/n]) == at%n
		if taken && c == Forbidden || !taken && c == Required {
			return false
		}
	}
	return true
}

// allowedOutcomes lists the assignments that a mask allows.
func allowedOutcomes(gain []float64, mask []Cell, n int) *drawtest.Outcomes {
	all := new(drawtest.Outcomes)
	drawtest.Permutations(n, func(y []int32) {
		if allows(mask, y) {
			all.Add(y, total(gain, y))
		}
	})
	return all
}

// TestMasks compares all that is done under a mask with the filtered list of assignments. Draws of a correct sampler fail
// with a probability below 1e-6 for each of some hundred masks.
func TestMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	none := 0
	for name, draw := range slicex.InOrder(maskDraws) {
		for _, scale := range []float64{0, 1, 700, 1e9, drawtest.Mixed} {
			for n := 1; n <= 5; n++ {
				for round := range 8 {
					gain, mask := make([]float64, n*n), make([]Cell, n*n)
					for k := range gain {
						gain[k], mask[k] = drawtest.Score(scale, rng), draw(rng)
					}
					all := allowedOutcomes(gain, mask, n)
					m := masked{gain, mask, n, fmt.Sprintf("%s, %d rows, scale %g, %v", name, n, scale, mask)}
					m.check(t, all, rng, round == 0)
					if len(all.Values) == 0 {
						none++
					}
				}
			}
		}
	}
	if none < 50 {
		t.Errorf("only %d masks leave nothing", none)
	}
}

type masked struct {
	gain []float64
	mask []Cell
	n    int
	name string
}

func (m masked) check(t *testing.T, all *drawtest.Outcomes, rng *rand.Rand, draws bool) {
	var d Distribution
	copy(d.Reset(m.n), m.gain)
	copy(d.Restrict(), m.mask)
	if count, err := d.Count(nil); err != nil || int(count) != len(all.Values) {
		t.Fatalf("%s: the count is %d, want %d (%v)", m.name, count, len(all.Values), err)
	}
	var w Workspace
	copy(w.Reset(m.n), m.gain)
	copy(w.Restrict(), m.mask)
	best := make([]int32, m.n)
	if len(all.Values) == 0 {
		if err := w.Solve(best); !errors.Is(err, ErrNone) {
			t.Fatalf("%s: the best of none is %v (%v)", m.name, best, err)
		}
		if sum, err := d.Sum(nil); !errors.Is(err, ErrNone) {
			t.Fatalf("%s: the sum of none is %v (%v)", m.name, sum, err)
		}
		return
	}
	var size, most float64 = 0, math.Inf(-1)
	for _, g := range m.gain {
		size += math.Abs(g)
	}
	for _, y := range all.Values {
		most = max(most, total(m.gain, y))
	}
	if err := w.Solve(best); err != nil || !allows(m.mask, best) || total(m.gain, best) < most-1e-13*size {
		t.Fatalf("%s: the best is %v (%v)", m.name, best, err)
	}
	p, want := all.Probabilities()
	got, err := d.Sum(nil)
	if err != nil || math.Abs(got-want) > 1e-12+1e-14*size {
		t.Fatalf("%s: the sum is %v, want %v (%v)", m.name, got, want, err)
	}
	cells, wanted, seen := make([]float64, m.n*m.n), make([]float64, m.n*m.n), make([]int, m.n*m.n)
	for k, y := range all.Values {
		for i, j := range y {
			wanted[i*m.n+int(j)] += p[k]
			seen[i*m.n+int(j)]++
		}
	}
	if err := d.CellsTo(cells, nil); err != nil || !floats.EqualApprox(cells, wanted, 1e-10+1e-14*size) {
		t.Fatalf("%s: the cells have %v, want %v (%v)", m.name, cells, wanted, err)
	}
	for at, c := range cells {
		if seen[at] == 0 && c != 0 || seen[at] == len(all.Values) && c != 1 {
			t.Fatalf("%s: cell %d is in %d of %d assignments and has %v", m.name, at, seen[at], len(all.Values), c)
		}
	}
	if draws && size < 1e6 {
		y := make([]int32, m.n)
		all.Check(t, m.name, func() []int32 {
			d.DrawTo(y, rng)
			return y
		})
	}
}

// TestMaskOfMany: what is required does not count towards the limit of sums, and the same numbers come out without it. A
// choice of too many rows is refused.
func TestMaskOfMany(t *testing.T) {
	const n, k = 60, 9
	rng := rand.New(rand.NewPCG(11, 2))
	var all, part Distribution
	gain, few := all.Reset(n), part.Reset(k)
	for i := range gain {
		gain[i] = 30 * rng.NormFloat64()
	}
	mask := all.Restrict()
	var earned float64
	for i := k; i < n; i++ { // row i has column n+k−1−i
		mask[i*n+n+k-1-i] = Required
		earned += gain[i*n+n+k-1-i]
	}
	for i := range k {
		copy(few[i*k:][:k], gain[i*n:])
	}
	got, err := all.Sum(nil)
	want, other := part.Sum(nil)
	if err != nil || other != nil || math.Abs(got-want-earned) > 1e-10 {
		t.Errorf("the sum is %v, want %v (%v, %v)", got, want+earned, err, other)
	}
	cells, fewer := make([]float64, n*n), make([]float64, k*k)
	if err := errors.Join(all.CellsTo(cells, nil), part.CellsTo(fewer, nil)); err != nil {
		t.Fatal(err)
	}
	for i := range k {
		if !floats.EqualApprox(cells[i*n:][:k], fewer[i*k:][:k], 1e-13) {
			t.Errorf("row %d has %v, want %v", i, cells[i*n:][:k], fewer[i*k:][:k])
		}
	}
	if count, err := all.Count(nil); count != 362880 || err != nil {
		t.Errorf("the count is %d, want 9! (%v)", count, err)
	}
	all.Reset(n)
	if _, err := all.Sum(nil); !errors.As(err, new(*SizeError)) {
		t.Errorf("the error is %v", err)
	}
}

// TestCountOfDerangements: the permanent of a matrix of ones but for its diagonal; 20 rows are 895014631192902121 (OEIS
// A000166). So are menage numbers with two diagonals forbidden: 12 couples are 59216642 (OEIS A000179).
func TestCountOfDerangements(t *testing.T) {
	var d Distribution
	for n, want := range slicex.InOrder(map[int]uint64{1: 0, 2: 1, 3: 2, 12: 176214841, 20: 895014631192902121}) {
		d.Reset(n)
		mask := d.Restrict()
		for i := range n {
			mask[i*n+i] = Forbidden
		}
		if got, err := d.Count(nil); got != want || err != nil {
			t.Errorf("%d rows: the count is %d, want %d (%v)", n, got, want, err)
		}
		if got, err := d.Sum(nil); want > 0 && (err != nil || math.Abs(got-math.Log(float64(want))) > 1e-12*got) {
			t.Errorf("%d rows: the sum is %v, want ln %d (%v)", n, got, want, err)
		}
	}
	const n = 12
	d.Reset(n)
	mask := d.Restrict()
	for i := range n {
		mask[i*n+i], mask[i*n+(i+1)%n] = Forbidden, Forbidden
	}
	if got, err := d.Count(nil); got != 59216642 || err != nil {
		t.Errorf("the menage number is %d (%v)", got, err)
	}
}

// TestPotentials: sums relative to the largest gains of rows and to potentials are the same where both are in range.
func TestPotentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for n := 1; n <= 9; n++ {
		var d Distribution
		for i, gain := 0, d.Reset(n); i < len(gain); i++ {
			gain[i] = 5 * rng.NormFloat64()
		}
		want, err := d.Sum(nil)
		if err != nil {
			t.Fatal(err)
		}
		base := d.weighByRows()
		shift, err := d.weighByPotentials()
		d.recurse()
		if got := math.Log(d.sums[1<<n-1]) + base + shift; err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%d rows: the sum is %v by potentials and %v by rows (%v)", n, got, want, err)
		}
	}
}
