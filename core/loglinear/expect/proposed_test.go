package expect_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// uniform draws uniform outputs, and remembers for whom.
type uniform struct {
	t     *testing.T
	space structure.Space
	rng   *rand.Rand
	rows  map[int]bool
}

func (u uniform) Answer(r loglinear.RowsRequest, _ *parallel.Monitor) error {
	if r.Ask != loglinear.Uniform || r.Rows.Len() != 1 || r.Scores.Rows != 1 || r.Psi.Rows != r.Draws {
		u.t.Fatalf("%v was asked for", r)
	}
	u.rows[r.Rows.At(0)] = true
	y := make([]int32, u.space.PartLen())
	for k := range r.Psi.Rows {
		u.space.(structure.Sampler).Sample(y, u.rng)
		u.space.Embed(r.Psi.Row(k), y)
	}
	return nil
}

// TestProposed: means of the chains are those of the distributions, to within six standard errors, as batches tell them: by chance in one
// of 10⁶ runs for each of the entries, or ten times that, as there are 40 batches.
func TestProposed(t *testing.T) {
	space := loglineartest.Build(t, "permutations", 4)
	const n, rows, d, batches, each = 5, 3, 6, 40, 25
	scores := random(rows, d, 0.8, 6)
	want := linalg.NewMatrix[float64](rows, d)
	exact := expect.Exact{Spaces: expect.One(space), Workers: 1}
	request := loglinear.RowsRequest{Ask: loglinear.Mean, Scores: scores, Means: want}
	if err := exact.Answer(request, nil); err != nil {
		t.Fatal(err)
	}
	for _, ask := range []loglinear.Ask{loglinear.Mean, loglinear.Pair, loglinear.Draw} {
		u := uniform{t, space, rand.New(rand.NewPCG(8, 8)), map[int]bool{}}
		p := expect.NewProposed(u, n, d, 9)
		r := loglinear.RowsRequest{Ask: ask, Rows: loglinear.Numbered([]int64{4, 0, 2}), Scores: scores, Draws: 3,
			Means: linalg.NewMatrix[float64](2*rows, d), Psi: linalg.NewMatrix[float64](3*rows, d)}
		if ask == loglinear.Mean {
			r.Means = r.Means.Slice(0, rows, 0, d)
		}
		got, copies := r.Means, r.Means.Rows/rows
		if ask == loglinear.Draw {
			got, copies = r.Psi, 3
		}
		means := linalg.NewMatrix[float64](batches, rows*d)
		for batch := range batches * each {
			if err := p.Answer(r, nil); err != nil {
				t.Fatal(err)
			}
			for i := range got.Rows {
				row := i % rows
				if ask == loglinear.Draw {
					row = i / copies
				}
				linalg.Axpy(means.Row(batch / each)[row*d:(row+1)*d], got.Row(i), 1/float64(copies*each))
			}
		}
		if len(u.rows) != rows || !u.rows[4] || !u.rows[0] || !u.rows[2] {
			t.Errorf("outputs were drawn for the rows %v", u.rows)
		}
		for j, m := range want.Data {
			var sum, squares float64
			for batch := range batches {
				off := means.Row(batch)[j] - m
				sum, squares = sum+off, squares+off*off
			}
			if off, limit := sum/batches, 6*math.Sqrt(squares/batches/batches); math.Abs(off) > limit {
				t.Errorf("request %d, entry %d is off by %v, at most %v", ask, j, off, limit)
			}
		}
	}
}

// silent answers nothing.
type silent struct{}

func (silent) Answer(r loglinear.RowsRequest, _ *parallel.Monitor) error {
	r.Psi.Data[0] = math.NaN()
	return nil
}

// failing cannot draw.
type failing struct{}

func (failing) Answer(loglinear.RowsRequest, *parallel.Monitor) error {
	return fault.At(0, errors.New("no"))
}

func TestProposedRefuses(t *testing.T) {
	r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: loglinear.Numbered([]int64{1, 0}), Scores: random(2, 3, 1, 1),
		Means: linalg.NewMatrix[float64](2, 3)}
	for want, p := range slicex.InOrder(map[string]*expect.Proposed{
		"not written":     expect.NewProposed(silent{}, 2, 3, 9),
		"no":              expect.NewProposed(failing{}, 2, 3, 9),
		"row 1 is beyond": expect.NewProposed(silent{}, 1, 3, 9),
	}) {
		if err := p.Answer(r, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r.Ask = loglinear.Expect
	if err := expect.NewProposed(silent{}, 2, 3, 9).Answer(r, nil); err == nil || !strings.Contains(err.Error(), "partition function") {
		t.Errorf("%v, want ln Z refused", err)
	}
}
