package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/combin"
	"combpred/core/structure/examples"
)

// TestWeakOrdersMoments checks the numbers at three labels, where F = 1, 1, 3, 13: a pair is tied in 3 of 13 rankings and
// all pairs in one.
func TestWeakOrdersMoments(t *testing.T) {
	space := newWeakOrders(3)
	m := square(6)
	space.SecondMoment(m)
	a, b, p, q := 10.0/13, 4.0/13, 3.0/13, 1.0/13
	want := []float64{
		a, b, -b, 0, 0, 0,
		b, a, b, 0, 0, 0,
		-b, b, a, 0, 0, 0,
		0, 0, 0, p, q, q,
		0, 0, 0, q, p, q,
		0, 0, 0, q, q, p,
	}
	for i, got := range m.Data {
		if math.Abs(got-want[i]) > 1e-15 {
			t.Fatalf("entry %d of the second moment is %v, want %v", i, got, want[i])
		}
	}
}

// TestWeakOrdersSpectrum: for three labels two of the four eigenvalues are equal and their spaces one; at all sizes the
// eigenvalues times the dimensions of their spaces add up to the trace, d(1 − p₁) + d(p₁ − p₁²).
func TestWeakOrdersSpectrum(t *testing.T) {
	if got := newWeakOrders(3).Eigenvalues(); len(got) != 3 || got[2] != 2.0/13 {
		t.Errorf("the eigenvalues for three labels are %v", got)
	}
	for _, n := range []int{2, 3, 4, 10, 171, maxTiedLabels} {
		space := newWeakOrders(n)
		d := float64(space.len())
		dimension := map[part]float64{
			signGradients: float64(n - 1), signCycles: d - float64(n-1), tieConstant: 1, tieContrasts: d - 1,
		}
		var trace float64
		for _, e := range space.spaces {
			for _, p := range e.parts {
				trace += e.sigma * dimension[p]
			}
		}
		want := d * (1 - space.tied*space.tied)
		if !(math.Abs(trace-want) <= 1e-9*want) {
			t.Errorf("%d labels: the trace is %v, want %v", n, trace, want)
		}
	}
}

// TestWeakOrdersCount compares with the asymptotic F(n) ~ n!/(2 (ln 2)^(n+1)), whose relative error is below 0.11^n
// (Gross, 1962), beyond 170!.
func TestWeakOrdersCount(t *testing.T) {
	for _, n := range []int{20, 200, 1000} {
		gamma, _ := math.Lgamma(float64(n + 1))
		want := gamma - math.Ln2 - float64(n+1)*math.Log(math.Ln2)
		if got := combin.LogInt(newWeakOrders(n).Count()); math.Abs(got-want) > 1e-12*want {
			t.Errorf("ln F(%d) is %v, want %v", n, got, want)
		}
	}
}

// TestWeakOrdersDecode compares with all rankings of six labels, with magnitudes of either sign.
func TestWeakOrdersDecode(t *testing.T) {
	space := newWeakOrders(6)
	rng := rand.New(rand.NewPCG(8, 1))
	for trial := range 60 {
		score := randomScores(space.FeatureLen(), trial, rng)
		y, z, psi := make([]int32, 6), make([]int32, 6), make([]float64, space.FeatureLen())
		cert, err := space.Decode(y, score)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(-1)
		for other := range space.All() {
			space.Embed(psi, other)
			best = max(best, score.Value(psi))
		}
		space.Embed(psi, y)
		if got := score.Value(psi); math.Abs(got-best) > 1e-12 || math.Abs(cert.Value-best) > 1e-12 {
			t.Fatalf("%v scores %v with %+v, the best %v", y, got, cert, best)
		}
		if found, _ := space.Search(z, score, nil); math.Abs(found.Value-best) > 1e-12 {
			t.Fatalf("the search, exact for six labels, finds %v of %v", found.Value, best)
		}
	}
}

// randomScores draws scores without magnitudes, with those of the pre-image, and with any.
func randomScores(d, trial int, rng *rand.Rand) Scores {
	s := Scores{Linear: make([]float64, d)}
	for i := range s.Linear {
		s.Linear[i] = rng.NormFloat64()
	}
	if trial%3 > 0 {
		s.Magnitude = make([]float64, d)
		for i := range s.Magnitude {
			s.Magnitude[i] = -0.5
			if trial%3 == 2 {
				s.Magnitude[i] = rng.NormFloat64()
			}
		}
	}
	return s
}

// TestWeakOrdersGuarantee compares the certificates of searches among ten labels with the best and the worst of all
// rankings, the worst being the best for the opposite scores. Where ties earn no less, or no more, than the mean of both
// orders, the ratio is at most 1/2.
func TestWeakOrdersGuarantee(t *testing.T) {
	const n = 10
	space := newWeakOrders(n)
	d := space.len()
	rng := rand.New(rand.NewPCG(8, 2))
	searched := 0
	for trial := range 40 {
		score := randomScores(2*d, trial, rng)
		if trial%4 == 1 { // ties earn less
			for i := range d {
				score.Linear[d+i] = score.magnitude(i) - score.magnitude(d+i) - rng.Float64()
			}
		}
		y := make([]int32, n)
		found, _ := space.Search(y, score, nil)
		best, err := space.Decode(y, score)
		if err != nil {
			t.Fatal(err)
		}
		worst, err := space.Decode(y, opposite(score))
		if err != nil {
			t.Fatal(err)
		}
		low := -worst.Value
		if found.Value > best.Value+1e-9 || found.UpperBound < best.Value-1e-9 {
			t.Errorf("the certificate %+v contradicts the best value %v", found, best.Value)
		}
		if promised := (1-found.Nu)*best.Value + found.Nu*low; found.Value < promised-1e-9 {
			t.Errorf("the search reaches %v and guarantees %v", found.Value, promised)
		}
		if !found.Optimal {
			searched++
			if trial%4 == 1 && found.Nu > 0.5 {
				t.Errorf("the ratio is %v though ties earn less", found.Nu)
			}
		}
	}
	if searched < 20 {
		t.Errorf("only %d of 40 searches were not exact", searched)
	}
}

func opposite(s Scores) Scores {
	o := Scores{Linear: slices.Clone(s.Linear), Magnitude: slices.Clone(s.Magnitude)}
	for i := range o.Linear {
		o.Linear[i] = -o.Linear[i]
	}
	for i := range o.Magnitude {
		o.Magnitude[i] = -o.Magnitude[i]
	}
	return o
}

// TestWeakOrdersExactLarge: a hundred labels whose scores agree with a ranking of pairs, tied within, are decoded exactly.
func TestWeakOrdersExactLarge(t *testing.T) {
	const n = 100
	space := newWeakOrders(n)
	score := Scores{Linear: make([]float64, space.FeatureLen())}
	fill(score.Linear[:space.len()], 1)
	want := make([]int32, n)
	for u := range n {
		want[u] = int32(u/2 + 1)
		if u%2 == 0 {
			score.Linear[space.len()+space.pair(u, u+1)] = 3
		}
	}
	y := make([]int32, n)
	cert, err := space.Decode(y, score)
	if err != nil || !slices.Equal(y, want) || cert.Value != n*(n-2)/2+3*n/2 {
		t.Errorf("%v with %+v, error %v", y, cert, err)
	}
}

func TestWeakOrdersMessages(t *testing.T) {
	space := newWeakOrders(70)
	y := make([]int32, 70)
	fill32(y, 1)
	if err := space.Check(y); err != nil {
		t.Errorf("the tie of all is refused: %v", err)
	}
	y[3] = 3
	expectError(t, space.Check(y), "no label has rank 2, while one has rank 3")
	y[3] = 71
	expectError(t, space.Check(y), "found 71 in column 3; ranks are whole numbers 1..70, none left out")
	score := Scores{Linear: make([]float64, space.FeatureLen())}
	fill(score.Linear[space.len():], 1)
	_, err := space.Decode(y, score)
	if limit, ok := errors.AsType[*LimitError](err); !ok || limit.Size != 70 || limit.Limit != 16 {
		t.Errorf("the error is %v", err)
	}
	_, err = build("weakorders", examples.Sized(1025))
	expectError(t, err, `(n) is 1025, must be between 2 and 1024`)
}

func fill32(y []int32, v int32) {
	for i := range y {
		y[i] = v
	}
}
