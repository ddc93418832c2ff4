package expect_test

import (
	"math"
	"testing"

	"combpred/core/chain"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
)

func random(rows, cols int, size float64, seed uint64) linalg.Matrix[float64] {
	return linalg.Shaped(loglineartest.Random(rows*cols, size, seed), rows, cols)
}

// TestMeansOfDraws: means of many draws are within six standard errors of the exact ones, which happens by chance in one of 10⁶ runs for
// each of 72 entries, for pairs as for means; draws embed outputs.
func TestMeansOfDraws(t *testing.T) {
	space := loglineartest.Build(t, "permutations", 4)
	const n, d, rounds = 6, 6, 40
	scores := random(n, d, 0.7, 5)
	want := linalg.NewMatrix[float64](n, d)
	r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: loglinear.Numbered([]int64{5, 0, 3, 2, 1, 4}), Scores: scores, Means: want}
	if err := (expect.Exact{Spaces: expect.One(space), Workers: 1}).Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	oracle, err := expect.NewSampled(expect.One(space), n, 0, true, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	r.Ask, r.Draws, r.Means = loglinear.Pair, rounds, linalg.NewMatrix[float64](2*n, d)
	if err := oracle.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	draws := float64(oracle.Draws * rounds)
	for i := range 2 * n {
		for j, v := range r.Means.Row(i) {
			m := want.Row(i % n)[j]
			if math.Abs(v-m) > 6*math.Sqrt((1-m*m)/draws)+1e-9 {
				t.Errorf("entry %d of row %d is %v, want %v", j, i, v, m)
			}
		}
	}
	chained, err := expect.NewSampled(expect.One(space), n, chain.LocalMoves, false, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	r.Ask, r.Draws, r.Psi = loglinear.Draw, 3, linalg.NewMatrix[float64](3*n, d)
	for range 2 { // cold, then warm
		if err := chained.Answer(r, nil); err != nil {
			t.Fatal(err)
		}
		for i := range r.Psi.Rows {
			for _, v := range r.Psi.Row(i) {
				if math.Abs(v) != 1 {
					t.Fatalf("draw %d is %v", i, r.Psi.Row(i))
				}
			}
		}
	}
	r.Ask = loglinear.Expect
	if oracle.Answer(r, nil) == nil {
		t.Error("samples tell ln Z")
	}
	r.Ask, r.Rows = loglinear.Mean, loglinear.Between(n-1, 2*n-1)
	if chained.Answer(r, nil) == nil {
		t.Error("there are chains for a row that is not there")
	}
}

// TestExact: expectations and ln Z of sets without constraints are those of independent labels; draws are outputs.
func TestExact(t *testing.T) {
	space := loglineartest.Build(t, "labelsets", 3)
	exact := expect.Exact{Spaces: expect.One(space), Workers: 2}
	scores := random(5, 3, 1, 2)
	r := loglinear.RowsRequest{Ask: loglinear.Expect, Rows: loglinear.Between(0, 5), Scores: scores,
		Means: linalg.NewMatrix[float64](5, 3), LogZ: make([]float64, 5)}
	if err := exact.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	for i, got := range r.LogZ {
		var want float64
		for j, s := range scores.Row(i) {
			want += math.Log1p(math.Exp(s))
			if m := 1 / (1 + math.Exp(-s)); math.Abs(r.Means.Row(i)[j]-m) > 1e-14 {
				t.Errorf("mean %d of row %d is %v, want %v", j, i, r.Means.Row(i)[j], m)
			}
		}
		if math.Abs(got-want) > 1e-13 {
			t.Errorf("ln Z of row %d is %v, want %v", i, got, want)
		}
	}
	r.Ask, r.Draws, r.Psi = loglinear.Draw, 4, linalg.NewMatrix[float64](20, 3)
	if err := exact.Answer(r, nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Psi.Data {
		if v != 0 && v != 1 {
			t.Fatalf("a draw has the entry %v", v)
		}
	}
	if r.Ask = loglinear.Pair; exact.Answer(r, nil) == nil {
		t.Error("exact expectations come in pairs")
	}
}
