package expect_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/structure"
)

// moving makes the moves of a space for a caller, and some that lead to no output.
type moving struct {
	space   structure.Space
	rng     *rand.Rand
	outputs map[int64][]int32
}

func (m moving) Move(_, from, to []int64, psi, ratio []float64) error {
	d := m.space.FeatureLen()
	for k := range from {
		z := make([]int32, m.space.PartLen())
		switch {
		case from[k] < 0:
			m.space.(structure.Sampler).Sample(z, m.rng)
		case m.rng.IntN(8) == 0:
			ratio[k] = math.Inf(-1)
			continue
		default:
			m.space.(structure.Proposer).Propose(z, m.outputs[from[k]], m.rng)
		}
		m.outputs[to[k]] = z
		m.space.Embed(psi[k*d:(k+1)*d], z)
	}
	return nil
}

// TestMoved: means of persistent chains of moves are those of the distributions, to within six standard errors, as batches tell them: by
// chance in one of 10⁶ runs for each of the entries, or ten times that, as there are 40 batches.
func TestMoved(t *testing.T) {
	space := loglineartest.Build(t, "permutations", 4)
	const n, rows, d, batches, each = 300, 3, 6, 40, 25
	scores := random(rows, d, 0.8, 6)
	want := linalg.NewMatrix[float64](rows, d)
	exact := expect.Exact{Spaces: expect.One(space), Workers: 1}
	if err := exact.Answer(loglinear.RowsRequest{Ask: loglinear.Mean, Scores: scores, Means: want}, nil); err != nil {
		t.Fatal(err)
	}
	for _, ask := range []loglinear.Ask{loglinear.Mean, loglinear.Pair, loglinear.Draw} {
		caller := moving{space, rand.New(rand.NewPCG(8, 8)), map[int64][]int32{}}
		m := expect.NewMoved(caller, n, d, 9)
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
			if err := m.Answer(r, nil); err != nil {
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
		if len(caller.outputs) > 3*2*rows {
			t.Errorf("the caller holds %d outputs, must be 3 for each of 6 chains", len(caller.outputs))
		}
		for j, mean := range want.Data {
			var sum, squares float64
			for batch := range batches {
				off := means.Row(batch)[j] - mean
				sum, squares = sum+off, squares+off*off
			}
			if off, limit := sum/batches, 6*math.Sqrt(squares/batches/batches); math.Abs(off) > limit {
				t.Errorf("request %d, entry %d is off by %v, at most %v", ask, j, off, limit)
			}
		}
	}
}

// refusing moves nothing.
type refusing struct{}

func (refusing) Move(_, _, _ []int64, _, _ []float64) error { return fault.At(3, errors.New("no")) }

func TestMovedRefuses(t *testing.T) {
	r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: loglinear.Numbered([]int64{1, 0}), Scores: random(2, 3, 1, 1),
		Means: linalg.NewMatrix[float64](2, 3)}
	m := expect.NewMoved(refusing{}, 2, 3, 1)
	if err := m.Answer(r, nil); fault.RowOf(err) != 1 {
		t.Errorf("%v, must be about row 1 of the request", err)
	}
	r.Rows = loglinear.Numbered([]int64{1, 2})
	if m.Answer(r, nil) == nil {
		t.Error("there are chains for a row that is not there")
	}
	r.Ask = loglinear.Expect
	if m.Answer(r, nil) == nil {
		t.Error("samples tell ln Z")
	}
}
