package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/structure/examples"
)

// TestCliquesTrace: the dimensions 1, n−1 and n(n−3)/2 of the eigenspaces times their eigenvalues add up to the trace of
// Σ, d·3/16, at a size whose covariance would have 2·10⁹ entries.
func TestCliquesTrace(t *testing.T) {
	const n = 300
	space := mustNew(t, "cliques", examples.Sized(n)).(cliques)
	sigma := space.Eigenvalues()
	got := sigma[pairConstants] + (n-1)*sigma[pairDegrees] + n*(n-3)/2*sigma[pairRest]
	if want := float64(space.FeatureLen()) * 3 / 16; math.Abs(got-want) > 1e-9*want {
		t.Errorf("the trace is %v, want %v", got, want)
	}
}

// TestPairScheme compares the eigenvalues with products with the matrix itself, for one that has three different
// entries.
func TestPairScheme(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const same, adjacent, disjoint = 0.7, -0.2, 0.05
	for n := 2; n <= 7; n++ {
		scheme := pairScheme{n}
		d := scheme.pairs()
		edges := completeEdges(n)
		values := scheme.eigenvalues(same, adjacent, disjoint)
		v := square(d)
		for i := range v.Data {
			v.Data[i] = rng.NormFloat64()
		}
		total := square(d)
		for space, value := range values {
			c := square(scheme.frameLen(space))
			c.Rows, c.Data = d, make([]float64, d*c.Cols)
			scheme.analyzeTo(c, v, space)
			for i := range c.Data {
				c.Data[i] *= value
			}
			scheme.synthesizeTo(total, c, space)
		}
		for i := range d {
			for j := range d {
				var want float64
				for k, e := range edges {
					entry := disjoint
					shared := 0
					for _, x := range e {
						for _, y := range edges[j] {
							if x == y {
								shared++
							}
						}
					}
					switch shared {
					case 2:
						entry = same
					case 1:
						entry = adjacent
					}
					want += v.Data[i*d+k] * entry
				}
				if got := total.Data[i*d+j]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("n = %d: entry %d of row %d is %v, want %v", n, j, i, got, want)
				}
			}
		}
	}
}

// TestCliquesLimits: beyond the exact method's size the refusal names it, and the search certifies what it found.
func TestCliquesLimits(t *testing.T) {
	const n = 70
	space := mustNew(t, "cliques", examples.Sized(n)).(cliques)
	rng := rand.New(rand.NewPCG(2, 2))
	score := Scores{Linear: make([]float64, space.FeatureLen()), Magnitude: make([]float64, space.FeatureLen())}
	for i := range score.Linear {
		score.Linear[i] = 2 * rng.NormFloat64()
		score.Magnitude[i] = -0.5
	}
	y := make([]int32, n)
	_, err := space.Decode(y, score)
	limit, ok := errors.AsType[*LimitError](err)
	if !ok || limit.Limit != 48 || limit.Size > n || !strings.Contains(err.Error(), "by search") {
		t.Errorf("70 vertices give the error %v", err)
	}
	cert, _ := space.Search(y, score, nil)
	if cert.Optimal || cert.Value <= 0 || cert.UpperBound < cert.Value || cert.Nu <= 0 || cert.Nu > 0.2 {
		t.Errorf("the certificate is %+v", cert)
	}
	effort := &LimitError{What: "solving", Size: 5, Limit: 9, Effort: "7 steps", Alternatives: "do not"}
	if got, want := effort.Error(), "solving of size 5 was not done within 7 steps; do not"; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
}

func TestCliquesMessages(t *testing.T) {
	space := mustNew(t, "cliques", examples.Sized(4))
	expectError(t, space.Check([]int32{0, 1, 2, 0}), "found 2 in column 2; cliques are 0/1 matrices")
	_, err := build("cliques", examples.Sized(1))
	expectError(t, err, `(n) is 1, must be between 2 and 4096`)
}
