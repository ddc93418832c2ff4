package expect_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/chain"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/structure"
)

// two are spaces whose ψ have 6 entries, ±1 and 0/1, and whose outputs have 4 parts and 6.
func two(t testing.TB, of ...int32) expect.Spaces {
	return expect.Spaces{List: []structure.Space{loglineartest.Build(t, "permutations", 4), loglineartest.Build(t, "labelsets", 6)}, Of: of}
}

// enumerated returns ln Z and the mean of ψ by a sum over all outputs.
func enumerated(space structure.Space, scores []float64) (logZ float64, mean []float64) {
	mean = make([]float64, len(scores))
	psi, sum := make([]float64, len(scores)), 0.0
	for y := range space.(structure.Enumerator).All() {
		space.Embed(psi, y)
		p := math.Exp(floats.Dot(psi, scores))
		sum += p
		floats.AddScaled(mean, p, psi)
	}
	floats.Scale(1/sum, mean)
	return math.Log(sum), mean
}

// TestRowsOfSeveralSpaces: expectations are sums over the outputs of the space of each row, to rounding where they are exact, and within
// six standard errors of draws, which is beyond by chance in one of 10⁶ runs for each of 144 entries; draws are of the row's space.
func TestRowsOfSeveralSpaces(t *testing.T) {
	spaces := two(t, 0, 1, 1, 0, 1)
	numbers := []int64{4, 0, 2, 3}
	const n, d, rounds = 4, 6, 60
	of := func(k int) structure.Space { return spaces.List[spaces.Of[numbers[k]]] }
	r := loglinear.RowsRequest{Ask: loglinear.Expect, Rows: loglinear.Numbered(numbers), Scores: random(n, d, 0.7, 3),
		Means: linalg.NewMatrix[float64](n, d), LogZ: make([]float64, n)}
	exact := expect.Exact{Spaces: spaces, Workers: 2}
	if err := exact.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	want := linalg.NewMatrix[float64](n, d)
	for k := range n {
		logZ, mean := enumerated(of(k), r.Scores.Row(k))
		copy(want.Row(k), mean)
		if math.Abs(logZ-r.LogZ[k]) > 1e-12 || !floats.EqualApprox(mean, r.Means.Row(k), 1e-12) {
			t.Errorf("row %d has ln Z %v and means %v, want %v and %v", k, r.LogZ[k], r.Means.Row(k), logZ, mean)
		}
	}
	drawn := func(by loglinear.Oracle) {
		t.Helper()
		r.Ask, r.Draws, r.Psi = loglinear.Draw, 3, linalg.NewMatrix[float64](3*n, d)
		if err := by.Answer(r, nil); err != nil {
			t.Fatal(err)
		}
		for i := range r.Psi.Rows {
			low := float64(-1)
			if spaces.Of[numbers[i/3]] == 1 {
				low = 0
			}
			for _, v := range r.Psi.Row(i) {
				if v != low && v != 1 {
					t.Fatalf("draw %d is %v, of another space", i, r.Psi.Row(i))
				}
			}
		}
	}
	drawn(exact)
	for _, recursion := range []bool{true, false} {
		by, err := expect.NewSampled(spaces, 5, chain.LocalMoves, recursion, 7, 2)
		if err != nil {
			t.Fatal(err)
		}
		drawn(by)
		r.Ask, r.Draws, r.Means = loglinear.Pair, rounds, linalg.NewMatrix[float64](2*n, d)
		if err := by.Answer(r, nil); err != nil {
			t.Fatal(err)
		}
		draws := float64(by.Draws * rounds)
		if !recursion {
			draws /= 4 // those of a chain are correlated
		}
		for i := range 2 * n {
			low := float64(-1)
			if spaces.Of[numbers[i%n]] == 1 {
				low = 0
			}
			for j, v := range r.Means.Row(i) {
				m := want.Row(i % n)[j]
				if math.Abs(v-m) > 6*math.Sqrt((1-m)*(m-low)/draws)+1e-9 {
					t.Errorf("recursion %v: entry %d of row %d is %v, want %v", recursion, j, i, v, m)
				}
			}
		}
		drawn(by)
	}
}

// TestFitOfSeveralSpaces: where rows are of two spaces the gradient of the objective, by enumeration, vanishes at what a search finds.
func TestFitOfSeveralSpaces(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 4), 12, 2, 4)
	p := c.Problem
	spaces := two(t, make([]int32, p.Len())...)
	for i := range spaces.Of {
		if spaces.Of[i] = int32(i % 2); i%2 == 1 {
			floats.AddConst(1, p.Psi.Row(p.Row(i)))
			floats.Scale(0.5, p.Psi.Row(p.Row(i)))
		}
	}
	o := c.Options()
	o.Tol = 1e-9
	f, err := loglinear.Fit(o, p, c.Space, expect.Exact{Spaces: spaces, Workers: 1}, linalg.Matrix[float64]{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gradient := linalg.NewMatrix[float64](f.Weights.Rows, f.Weights.Cols)
	floats.AddScaled(gradient.Data, 2*c.Alpha, f.Weights.Data)
	scores := linalg.NewMatrix[float64](p.Len(), c.Space.FeatureLen())
	if err := p.ScoresTo(scores, loglinear.Between(0, p.Len()), f.Weights); err != nil {
		t.Fatal(err)
	}
	for i := range p.Len() {
		_, rest := enumerated(spaces.List[spaces.Of[i]], scores.Row(i))
		floats.Sub(rest, p.Psi.Row(p.Row(i)))
		p.X.Entries(p.Row(i), func(j int, v float64) { floats.AddScaled(gradient.Row(j), v*p.Weight(i), rest) })
	}
	if far := floats.Norm(gradient.Data, math.Inf(1)); far > 1e-6 {
		t.Errorf("the gradient is %g", far)
	}
}

func TestSpacesThatDoNotFit(t *testing.T) {
	r := loglinear.RowsRequest{Ask: loglinear.Expect, Rows: loglinear.Between(0, 2), Scores: linalg.NewMatrix[float64](2, 6),
		Means: linalg.NewMatrix[float64](2, 6), LogZ: make([]float64, 2)}
	none, several, wide := two(t, 0, 1), two(t), two(t, 0, 1)
	none.List = nil
	wide.List[1] = loglineartest.Build(t, "labelsets", 5)
	for _, c := range []struct {
		name   string
		spaces expect.Spaces
		want   string
	}{
		{"none", none, "there are 0 spaces"},
		{"of nothing", several, "of must say"},
		{"too few", two(t, 1), "of has 1 entries"},
		{"beyond", two(t, 0, 2), "of has 2, must"},
		{"negative", two(t, -1, 0), "of has -1, must"},
		{"other width", wide, "have 5 entries"},
	} {
		_, drawn := expect.NewSampled(c.spaces, 2, 0, true, 1, 1)
		for _, err := range []error{expect.Exact{Spaces: c.spaces, Workers: 1}.Answer(r, nil), drawn} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			}
		}
	}
}
