package extensions

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/parallel"
)

// signs returns the relations of a poset as a row of Common.
func signs(p *Poset) (row []int32) {
	for u := range p.Len() {
		for v := u + 1; v < p.Len(); v++ {
			switch {
			case p.Before(u, v):
				row = append(row, 1)
			case p.Before(v, u):
				row = append(row, -1)
			default:
				row = append(row, 0)
			}
		}
	}
	return row
}

// TestCommon: on random posets the entries are the numbers of orders in both lists of extensions, whatever the workers.
func TestCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n <= 6; n++ {
		var posets []*Poset
		var rows []int32
		for _, density := range []float64{0, 0.1, 0.3, 0.3, 0.6, 1} {
			p := random(t, n, density, rng)
			posets, rows = append(posets, p), append(rows, signs(p)...)
		}
		m := len(posets)
		got, again := make([]float64, m*m), make([]float64, m*m)
		if err := Common(got, rows, nil, n, MostCounted, nil, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := Common(again, rows, rows, n, MostCounted, nil, 3, nil); err != nil || !slices.Equal(got, again) {
			t.Errorf("n = %d: %v by rows against themselves, %v by two tables, error %v", n, got, again, err)
		}
		for i, p := range posets {
			for j, q := range posets {
				both := 0
				for _, a := range list(p) {
					for _, b := range list(q) {
						if slices.Equal(a, b) {
							both++
						}
					}
				}
				if want := math.Log(float64(both)); got[i*m+j] != want && math.Abs(got[i*m+j]-want) > 1e-14*math.Abs(want) {
					t.Errorf("n = %d, posets %d and %d: %v, want %v", n, i, j, got[i*m+j], want)
				}
			}
		}
	}
}

// TestCommonLimits: what cannot be counted is NaN, and illegal arguments are refused.
func TestCommonLimits(t *testing.T) {
	zigzag, tight := make([]int32, 70*69/2), make([]int32, 70*69/2)
	for at, u := 0, 0; u < 70; u++ {
		for v := u + 1; v < 70; v++ {
			tight[at] = 1
			if v == u+1 {
				zigzag[at] = int32(1 - 2*(u%2))
			}
			at++
		}
	}
	dst := make([]float64, 4)
	if err := Common(dst, slices.Concat(zigzag, tight), nil, 70, 1000, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(dst[0]) || !math.IsInf(dst[1], -1) || !math.IsInf(dst[2], -1) || dst[3] != 0 {
		t.Errorf("a zigzag of 70 cannot be counted and disagrees with the order 0, 1, …, which is one: got %v", dst)
	}
	err := Common(dst[:1], make([]int32, 70*69/2), nil, 70, 1000, nil, 1, nil)
	if err != nil || math.Abs(dst[0]-230.43904356577696) > 1e-11 {
		t.Errorf("ln 70! is %v, error %v", dst[0], err) // math.lgamma(71) of Python
	}
	for _, c := range []struct {
		dst     int
		x       []int32
		n       int
		message string
	}{
		{1, []int32{2}, 2, "must hold −1, 0 and 1"},
		{1, []int32{0, 0}, 3, "multiple of 3"},
		{2, []int32{0}, 2, "dst has 2 entries"},
		{1, nil, 1, "between 2"},
	} {
		err := Common(make([]float64, c.dst), c.x, nil, c.n, 10, nil, 1, nil)
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v of %d elements: error %v, want %q", c.x, c.n, err, c.message)
		}
	}
	stopped := new(parallel.Monitor)
	stopped.Cancel()
	if err := Common(dst[:1], []int32{0}, nil, 2, 10, nil, 1, stopped); err == nil {
		t.Error("a cancelled call goes on")
	}
}

// TestCountOfManyWords: of chains in a row, the first element of each is before the last of the next. The merges of free
// chains that break this for some neighbours are those of fewer, longer chains, the latter of two neighbours coming first;
// inclusion and exclusion leave a number of more bits than tables hold.
func TestCountOfManyWords(t *testing.T) {
	lengths := []int64{12, 12, 12, 13, 13}
	var pairs [][2]int32
	next, first := int32(0), int32(-1)
	for _, length := range lengths {
		last := next + int32(length) - 1
		for v := next; v < last; v++ {
			pairs = append(pairs, [2]int32{v, v + 1})
		}
		if first >= 0 {
			pairs = append(pairs, [2]int32{first, last})
		}
		first, next = next, last+1
	}
	p := mustNew(t, int(next), pairs...)
	want := new(big.Int)
	for broken := range 1 << (len(lengths) - 1) {
		term, run := new(big.Int).MulRange(1, int64(next)), int64(0)
		for k, length := range lengths {
			run += length
			if broken>>k&1 == 0 {
				term.Quo(term, new(big.Int).MulRange(1, run))
				run = 0
			} else {
				term.Neg(term)
			}
		}
		want.Add(want, term)
	}
	if got, err := Count(p, MostCounted, 1, nil); err != nil || got.Cmp(want) != 0 || want.BitLen() <= 128 {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
	if _, err := NewSampler(p, Counting, nil); err == nil || !strings.Contains(err.Error(), "128 bits") {
		t.Errorf("a table holds %d bits, error %v", want.BitLen(), err)
	}
	if _, err := Count(p, 1000, 1, nil); err == nil || !strings.Contains(err.Error(), "more than 1000 downsets") {
		t.Errorf("error %v beyond the limit", err)
	}
}

// TestCountTakesApart: three tied groups, the second of which holds two chains, have no more downsets to count than those.
func TestCountTakesApart(t *testing.T) {
	var pairs [][2]int32
	for u := range int32(100) {
		for v := range int32(100) {
			if u < 40 && v >= 40 || u < 90 && v >= 90 || u >= 40 && u+1 == v && v < 90 && u != 64 {
				pairs = append(pairs, [2]int32{u, v})
			}
		}
	}
	want := new(big.Int).Binomial(50, 25)
	for _, group := range []int64{40, 10} {
		want.Mul(want, new(big.Int).MulRange(1, group))
	}
	if got, err := Count(mustNew(t, 100, pairs...), 1, 1, nil); err != nil || got.Cmp(want) != 0 {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
}
