package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/combin"
	"combpred/core/structure/examples"
)

// TestPermutationsSecondMoment checks the published entries: 1 for a pair with itself, ±1/3 for pairs that share a
// label, + where they share the smaller or the larger one, 0 for disjoint pairs.
func TestPermutationsSecondMoment(t *testing.T) {
	const n = 7
	space := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	d := space.FeatureLen()
	m := square(d)
	space.SecondMoment(m)
	seen := 0
	for u := range n {
		for v := u + 1; v < n; v++ {
			for x := range n {
				for y := x + 1; y < n; y++ {
					want := 0.0
					switch {
					case u == x && v == y:
						want = 1
					case u == x || v == y:
						want = 1.0 / 3
					case u == y || v == x:
						want = -1.0 / 3
					}
					if got := m.Data[space.pair(u, v)*d+space.pair(x, y)]; got != want {
						t.Fatalf("the second moment of %d<%d and %d<%d is %v, want %v", u, v, x, y, got, want)
					}
					seen++
				}
			}
		}
	}
	if seen != d*d {
		t.Fatalf("%d entries were compared, want %d", seen, d*d)
	}
}

// TestPermutationsCount compares ln n! with log-gamma to 1e-9 beyond 170!, where float64 overflows.
func TestPermutationsCount(t *testing.T) {
	for _, n := range []int64{170, 171, 200, 5000} {
		want, _ := math.Lgamma(float64(n + 1))
		if got := combin.LogInt(mustNew(t, "permutations", examples.Sized(n)).(Counter).Count()); math.Abs(got-want) > 1e-9*want {
			t.Errorf("ln %d! is %v, want %v", n, got, want)
		}
	}
}

// TestPermutationsSpectrumLarge checks the trace at a size whose covariance would have 3·10⁹ entries: the dimensions of
// the eigenspaces n−1 and (n−1)(n−2)/2 times their eigenvalues add up to d, as every ψ is ±1 with mean 0.
func TestPermutationsSpectrumLarge(t *testing.T) {
	const n = 333
	space := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	sigma := space.Eigenvalues()
	if got := sigma[gradients]*(n-1) + sigma[cyclic]*(n-1)*(n-2)/2; math.Abs(got-float64(space.FeatureLen())) > 1e-6 {
		t.Errorf("the trace is %v, want %d", got, space.FeatureLen())
	}
}

// TestPermutationsRelabel: renaming the labels renames the best ranking. Gaussian scores have one best ranking almost
// surely.
func TestPermutationsRelabel(t *testing.T) {
	const n = 9
	space := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		score, renamed := make([]float64, space.FeatureLen()), make([]float64, space.FeatureLen())
		to := rng.Perm(n)
		for u := range n {
			for v := u + 1; v < n; v++ {
				s := rng.NormFloat64()
				score[space.pair(u, v)] = s
				renamed[space.pair(to[u], to[v])] = s * sign(to[u] < to[v])
			}
		}
		y, z := make([]int32, n), make([]int32, n)
		if _, err := space.Decode(y, Scores{Linear: score}); err != nil {
			t.Fatal(err)
		}
		if _, err := space.Decode(z, Scores{Linear: renamed}); err != nil {
			t.Fatal(err)
		}
		for label, pos := range y {
			if z[to[label]] != pos {
				t.Fatalf("the ranking %v becomes %v when labels are renamed by %v", y, z, to)
			}
		}
	}
}

// TestPermutationsExactLarge: a hundred labels are decoded exactly where their scores agree but for a few cycles, and
// the proof holds: the score is the sum of all magnitudes less what each planted cycle must cost.
func TestPermutationsExactLarge(t *testing.T) {
	const n = 100
	space := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	score := make([]float64, space.FeatureLen())
	fill(score, 1)
	for u := 0; u+2 < n; u += 9 { // the cycle u, u+1, u+2 costs twice its weakest pair
		score[space.pair(u, u+2)] = -0.25
	}
	y := make([]int32, n)
	cert, err := space.Decode(y, Scores{Linear: score})
	cycles := float64((n-3)/9 + 1)
	want := float64(len(score)) - cycles*(0.75+2*0.25)
	if err != nil || !cert.Optimal || math.Abs(cert.Value-want) > 1e-9 {
		t.Errorf("the certificate is %+v, error %v, want the value %v", cert, err, want)
	}
}

// TestPermutationsTies: scores of zero leave the labels in ascending order, and only the magnitudes in the value.
func TestPermutationsTies(t *testing.T) {
	const n = 30
	space := mustNew(t, "permutations", examples.Sized(n)).(permutations)
	score := Scores{Linear: make([]float64, space.FeatureLen()), Magnitude: make([]float64, space.FeatureLen())}
	fill(score.Magnitude, -0.5)
	y, want := make([]int32, n), make([]int32, n)
	identityTo(want)
	cert, err := space.Decode(y, score)
	if err != nil || !slices.Equal(y, want) || cert.Value != -0.5*float64(space.FeatureLen()) {
		t.Errorf("zero scores give %v with %+v, error %v", y, cert, err)
	}
}

func TestPermutationsMessages(t *testing.T) {
	space := mustNew(t, "permutations", examples.Sized(70))
	y := make([]int32, 70)
	identityTo(y)
	y[60] = 3
	expectError(t, space.Check(y), "labels 2 and 60 share position 3 in [")
	y[60] = 71
	expectError(t, space.Check(y), "found 71 in column 60; positions are whole numbers 1..70, 1 for the first")
	_, err := build("permutations", examples.Sized(1))
	expectError(t, err, `(n) is 1, must be between 2 and 16384`)
}

func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want one with %q", err, want)
	}
}

// TestPositions: probabilities of positions are those of the list of all rankings.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n <= 6; n++ {
		space := permutations{pairs: pairs{n: n}, memo: new(memo), pool: new(pool[workspace])}
		d := space.FeatureLen()
		for _, scale := range []float64{0, 1, 300} {
			scores, psi := make([]float64, d), make([]float64, d)
			for j := range scores {
				scores[j] = scale * rng.NormFloat64()
			}
			want, got := make([]float64, n*n), make([]float64, n*n)
			logZ, err := space.LogPartition(nil, scores, nil)
			if err != nil {
				t.Fatal(err)
			}
			for y := range space.All() {
				space.Embed(psi, y)
				for label, position := range y {
					want[label*n+int(position)-1] += math.Exp(floats.Dot(scores, psi) - logZ)
				}
			}
			if err := space.positions(got, scores, nil); err != nil {
				t.Fatal(err)
			}
			if !floats.EqualApprox(got, want, 1e-10) {
				t.Errorf("%d labels, scores of size %g: %v, want %v", n, scale, got, want)
			}
		}
	}
}
