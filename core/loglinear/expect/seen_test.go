package expect

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/structure"
)

// seenRankings returns what is seen of rankings of four labels: whole ones, some in part, a list of the best, and sets, with scores.
func seenRankings(t *testing.T) (Outputs, []int, linalg.Matrix[float64]) {
	t.Helper()
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 4}})
	if err != nil {
		t.Fatal(err)
	}
	parts := []int32{
		1, 2, 3, 4,
		1, 0, 2, 0,
		0, 0, 0, 0,
		2, 1, 3, 3,
		4, 3, 2, 1,
		1, 2, 4, 3,
		1, 0, 2, 0,
	}
	psi := linalg.NewMatrix[float64](7, 6)
	for i := range 7 {
		if err := structure.EmbedKnown(space, psi.Row(i), parts[i*4:(i+1)*4]); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 40))
	scores := linalg.NewMatrix[float64](6, 6)
	for i := range scores.Data {
		scores.Data[i] = rng.NormFloat64()
	}
	return Outputs{Spaces: One(space), Parts: parts, Psi: psi, First: []int{0, 1, 2, 3, 4, 6, 7}}, []int{1, 12, 24, 2, 2, 12}, scores
}

// agreeing yields ψ of the outputs that were seen of a row.
func agreeing(t *testing.T, o Outputs, row int) (all [][]float64) {
	t.Helper()
	space := o.Spaces.List[0]
	for y := range space.(structure.Enumerator).All() {
		for a := o.First[row]; a < o.First[row+1]; a++ {
			known, agrees := o.Parts[a*4:a*4+4], true
			for u, p := range known {
				for v, q := range known {
					agrees = agrees && (p == 0 || q == 0 || p >= q || y[u] < y[v])
				}
			}
			if agrees {
				psi := make([]float64, 6)
				space.Embed(psi, y)
				all = append(all, psi)
			}
		}
	}
	return all
}

func TestSeenSumsOverWhatAgrees(t *testing.T) {
	o, counts, scores := seenRankings(t)
	seen, err := NewSeen(o, 6, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	rows := []int64{3, 0, 5, 1, 2, 4}
	r := loglinear.RowsRequest{Ask: loglinear.Expect, Rows: loglinear.Numbered(rows), Scores: scores,
		Means: linalg.NewMatrix[float64](6, 6), LogZ: make([]float64, 6)}
	if err := seen.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	pair := r
	pair.Ask, pair.Means = loglinear.Pair, linalg.NewMatrix[float64](12, 6)
	if err := seen.Answer(pair, nil); err != nil {
		t.Fatal(err)
	}
	for k, row := range rows {
		all, z, mean := agreeing(t, o, int(row)), 0.0, make([]float64, 6)
		if len(all) != counts[row] {
			t.Fatalf("%d outputs agree with row %d, must be %d", len(all), row, counts[row])
		}
		for _, psi := range all {
			w := math.Exp(floats.Dot(psi, scores.Row(k)))
			z += w
			linalg.Axpy(mean, psi, w)
		}
		if math.Abs(r.LogZ[k]-math.Log(z)) > 1e-12 {
			t.Errorf("ln Z of row %d is %v, must be %v", row, r.LogZ[k], math.Log(z))
		}
		for j := range mean {
			for _, got := range []float64{r.Means.Row(k)[j], pair.Means.Row(k)[j], pair.Means.Row(k + 6)[j]} {
				if math.Abs(got-mean[j]/z) > 1e-12 {
					t.Errorf("entry %d of the mean of row %d is %v, must be %v", j, row, got, mean[j]/z)
				}
			}
		}
	}
	if len(seen.spaces.List) != 3 {
		t.Errorf("there are %d spaces, must be 3: two rows share one", len(seen.spaces.List))
	}
}

// TestChainsStayWithinWhatAgrees: means of many draws along chains are within six standard errors of the exact ones, up to their
// autocorrelation, for which eight times as many draws are counted as one; what is known is exact.
func TestChainsStayWithinWhatAgrees(t *testing.T) {
	o, _, scores := seenRankings(t)
	seen, err := NewSeen(o, 6, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: loglinear.Between(0, 6), Scores: scores,
		Means: linalg.NewMatrix[float64](6, 6), LogZ: make([]float64, 6)}
	if err := seen.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	want := r.Means
	if err := seen.chain(false, 3); err != nil {
		t.Fatal(err)
	}
	const rounds = 60
	sums := linalg.NewMatrix[float64](6, 6)
	for range rounds {
		r.Means = linalg.NewMatrix[float64](6, 6)
		if err := seen.Answer(r, nil); err != nil {
			t.Fatal(err)
		}
		linalg.Axpy(sums.Data, r.Means.Data, 1.0/rounds)
	}
	draws := float64(rounds*chains*seen.chains.Draws) / 8
	for i, m := range want.Data {
		if math.Abs(sums.Data[i]-m) > 6*math.Sqrt((1-m*m)/draws)+1e-9 {
			t.Errorf("entry %d is %v, must be %v", i, sums.Data[i], m)
		}
	}
	if seen.chain(true, 3) == nil {
		t.Error("chains move under conditions")
	}
}

func TestSetsAreOfWholeOutputs(t *testing.T) {
	o, _, _ := seenRankings(t)
	o.Parts[5*4] = 0
	if _, err := NewSeen(o, 6, 1, 1); err == nil {
		t.Error("an output of a set that is known in part is accepted")
	}
	whole := Outputs{Spaces: o.Spaces, Parts: o.Parts[:4], Psi: o.Psi}
	if seen, err := NewSeen(whole, 1, 1, 1); err != nil || seen != nil {
		t.Errorf("of a whole output something else was seen: %v, %v", seen, err)
	}
}
