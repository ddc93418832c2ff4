package structure

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestCycleCounts compares with OEIS A002807 (cycles of the complete graph), twice as many for directed ones, and with
// A000522(n) − n − 1 for routes.
func TestCycleCounts(t *testing.T) {
	for i, want := range []int64{1, 7, 37, 197, 1172, 8018, 62814, 556014} {
		n := int64(i + 3)
		if got := mustNew(t, "cycles", examples.Sized(n)).(Counter).Count(); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("there are %v cycles over %d vertices, want %d", got, n, want)
		}
		if got := mustNew(t, "directedcycles", examples.Sized(n)).(Counter).Count(); got.Cmp(big.NewInt(2*want)) != 0 {
			t.Errorf("there are %v directed cycles over %d vertices, want %d", got, n, 2*want)
		}
	}
	for n, want := range slicex.InOrder(map[int64]int64{2: 2, 3: 12, 4: 60, 5: 320, 6: 1950, 9: 986400}) {
		if got := mustNew(t, "routes", examples.Sized(n)).(Counter).Count(); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("there are %v routes through %d places, want %d", got, n, want)
		}
	}
}

// TestTourSpectra: at sizes whose covariance nobody forms, eigenvalues are positive, distinct and descending, and with
// the dimensions of their spaces add up to the trace, the sum of the variances.
func TestTourSpectra(t *testing.T) {
	for _, name := range []string{"directedcycles", "cycles", "routes"} {
		for _, n := range []int64{4, 5, 9, 17, 50, 171, 300} {
			space := mustNew(t, name, examples.Sized(n))
			eigenvalues := space.Facts().Spectrum.Eigenvalues()
			for i, v := range eigenvalues {
				if !(v > 0) || i > 0 && v >= eigenvalues[i-1] {
					t.Fatalf("%s, n = %d: the eigenvalues are %v", name, n, eigenvalues)
				}
			}
			mean := make([]float64, space.FeatureLen())
			space.(Momenter).Mean(mean)
			trace := 0.0
			for _, p := range mean {
				trace += p - p*p // entries of 0 and 1
			}
			k := float64(n)
			var got float64
			switch s := space.(type) {
			case directedCycles:
				trace = k * (k - 1) / 2 * (k - 2) * s.through()
				got = eigenvalues[0] * (k - 1) * (k - 2) / 2
			case cycles:
				dimension := []float64{1, k - 1, k * (k - 3) / 2, k - 1 + k*(k-3)/2}
				for _, e := range s.spaces() {
					got += e.value * dimension[e.space]
				}
			case routes:
				dimension := []float64{1, k - 1, k - 1, k * (k - 3) / 2, (k - 1) * (k - 2) / 2}
				for _, e := range s.spaces() {
					for _, p := range e.parts {
						got += e.value * dimension[p.kind]
					}
				}
			}
			if math.Abs(got-trace) > 1e-11*trace {
				t.Errorf("%s, n = %d: the eigenvalues add up to %v, the variances to %v", name, n, got, trace)
			}
		}
	}
}

// TestToursBeyondExact: one vertex more than the limit is refused by name, and search has a proven bound and a guarantee
// that its score fulfils, half-way for directed cycles without a Magnitude.
func TestToursBeyondExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"directedcycles", "cycles", "routes"} {
		for _, n := range []int64{16, 17} {
			space := mustNew(t, name, examples.Sized(n))
			score := Scores{Linear: make([]float64, space.FeatureLen())}
			for i := range score.Linear {
				score.Linear[i] = rng.NormFloat64()
			}
			y, z := make([]int32, n), make([]int32, n)
			found, _ := space.(Searcher).Search(z, score, nil)
			if err := space.Check(z); err != nil {
				t.Fatal(err)
			}
			exact, err := space.(Decoder).Decode(y, score)
			if limit, refused := errors.AsType[*LimitError](err); refused != (n == 17) || refused && limit.Limit != 16 {
				t.Fatalf("%s of size %d: the error is %v", name, n, err)
			}
			if err == nil && (found.Value > exact.Value+1e-9 || found.UpperBound < exact.Value-1e-9) {
				t.Errorf("%s: search has %+v, the best scores %v", name, found, exact.Value)
			}
			if found.Optimal || found.Nu <= 0 || found.Nu > 0.5 {
				t.Errorf("%s: the certificate of search is %+v", name, found)
			}
		}
	}
}

// TestReversedCycles: a directed cycle and its reverse have opposite scores, so that search never scores less than 0,
// however few of its starts the size leaves.
func TestReversedCycles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 120
	space := mustNew(t, "directedcycles", examples.Sized(n))
	score := Scores{Linear: make([]float64, space.FeatureLen())}
	for i := range score.Linear {
		score.Linear[i] = -rng.Float64()
	}
	y := make([]int32, n)
	if cert, _ := space.(Searcher).Search(y, score, nil); cert.Value < 0 || cert.Nu > 0.5 {
		t.Errorf("the certificate is %+v", cert)
	}
}

// TestMinimalTours: where every pair costs the same, the shortest cycles and routes are best; scores of zero give the
// first ones.
func TestMinimalTours(t *testing.T) {
	for name, want := range slicex.InOrder(map[string][]int32{
		"directedcycles": {0, 1, 2}, "cycles": {0, 1, 2}, "routes": {0, 1},
	}) {
		for _, cost := range []float64{0, -0.5} {
			space := mustNew(t, name, examples.Sized(8))
			score := Scores{Linear: make([]float64, space.FeatureLen()), Magnitude: make([]float64, space.FeatureLen())}
			fill(score.Magnitude, cost)
			y := make([]int32, 8)
			cert, err := space.(Decoder).Decode(y, score)
			k := visited(y)
			if err != nil || !slices.Equal(y[:k], want) || cert.Value != cost*3 {
				t.Errorf("%s: scores of %v give %v, %+v, error %v", name, cost, y, cert, err)
			}
		}
	}
}

func TestTourMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		y    []int32
		want string
	}{
		{"directedcycles", []int32{0, 1, 2, 1, -1}, "[0, 1, 2, 1] visits vertex 1 twice; a cycle visits each vertex at most once"},
		{"directedcycles", []int32{0, 1, 5, -1, -1},
			"found 5 in column 2; vertices are whole numbers 0..4, and −1 pads short rows at the right"},
		{"directedcycles", []int32{0, 1, -1, 2, -1}, "[0, 1, -1, 2] goes on behind −1; padding stands at the right end only"},
		{"directedcycles", []int32{0, 1, -1, -1, -1}, "[0, 1] visits 2 vertices; a cycle visits at least 3"},
		{"directedcycles", []int32{1, 0, 2, -1, -1}, "the cycle begins with vertex 1, must begin with its smallest, 0"},
		{"cycles", []int32{0, 2, 3, 1, -1}, "the cycle goes on with vertex 2 and ends with 1, must end with the larger one"},
		{"routes", []int32{3, -1, -1, -1, -1}, "[3] visits 1 place; a route visits at least 2"},
		{"routes", []int32{3, -2, -1, -1, -1}, "found -2 in column 1; places are whole numbers 0..4"},
	} {
		expectError(t, mustNew(t, c.name, examples.Sized(5)).Check(c.y), c.want)
	}
	y := make([]int32, 300)
	for i := range y {
		y[i] = int32(i)
	}
	y[299] = 257
	expectError(t, mustNew(t, "routes", examples.Sized(300)).Check(y), "visits place 257 twice; a route visits")
}

// TestCyclesMayBeListedFromAnyVertex: every listing of a cycle has the same canonical one, which is the only one that Check takes.
func TestCyclesMayBeListedFromAnyVertex(t *testing.T) {
	const n = 5
	for _, name := range []string{"cycles", "directedcycles"} {
		space := mustNew(t, name, examples.Sized(n))
		got, listing := make([]int32, n), make([]int32, n)
		read := func() error {
			row := make([]float64, n)
			for i, v := range listing {
				row[i] = float64(v)
			}
			return ReadTo(space, got, row)
		}
		for y := range space.(Enumerator).All() {
			k := visited(y)
			ways := []int{1}
			if name == "cycles" {
				ways = append(ways, k-1) // backwards
			}
			for first := range k {
				for _, step := range ways {
					padFrom(listing, 0)
					for i := range k {
						listing[i] = y[(first+i*step)%k]
					}
					if err := read(); err != nil || !slices.Equal(got, y) {
						t.Fatalf("%s: %v becomes %v, want %v, error %v", name, listing, got, y, err)
					}
					if legal := space.Check(listing) == nil; legal != slices.Equal(listing, y) {
						t.Fatalf("%s: Check takes %v: %v", name, listing, legal)
					}
				}
			}
		}
		copy(listing, []int32{2, 1, 0, 2, -1})
		expectError(t, read(),
			"[2, 1, 0, 2] visits vertex 2 twice; a cycle visits each vertex at most once: leave out the return to the first vertex")
	}
}
