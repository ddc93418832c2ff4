package expect_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// asking is a machine that asks the same again and again. Its state holds scores and answers.
type asking struct {
	state []float64
	r     loglinear.RowsRequest
	seen  func(loglinear.RowsRequest)
	left  int
	begun bool
}

// newAsking lays out a machine for k rows of scores.
func newAsking(ask loglinear.Ask, numbers []float64, scores linalg.Matrix[float64], draws, times, more int) *asking {
	k, d := scores.Rows, scores.Cols
	a := &asking{state: make([]float64, 1+k+k*d+2*k*d+k*draws*d+more), left: times}
	t := flat.Tape{Data: a.state[:len(a.state)-more], At: 1}
	a.r = loglinear.RowsRequest{Ask: ask, Numbers: t.Take(k), Scores: t.Matrix(k, d), Draws: draws}
	copy(a.r.Numbers, numbers)
	a.r.Scores.CopyFrom(scores)
	a.r.Means, a.r.Psi = t.Matrix(2*k, d), t.Matrix(k*draws, d)
	if ask == loglinear.Mean {
		a.r.Means = a.r.Means.Slice(0, k, 0, d)
	}
	return a
}

func (a *asking) Next(*parallel.Monitor) (loglinear.RowsRequest, error) {
	if a.begun {
		a.seen(a.r)
	}
	a.begun = true
	if a.left--; a.left < 0 {
		return loglinear.RowsRequest{}, nil
	}
	flat.FillNaN(a.r.Means.Data)
	flat.FillNaN(a.r.Psi.Data)
	return a.r, nil
}

func (a *asking) Decline() error { return nil }

// drive answers with uniform outputs until the machine has finished; the state is all that is kept between requests.
func drive(t *testing.T, space structure.Space, a *asking, n, length int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 8))
	for {
		p, err := expect.NewProposed(a, a.state, length, n, space.FeatureLen(), 9)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ask == loglinear.Nothing {
			return
		}
		if r.Ask != loglinear.Uniform || r.Psi.Rows != r.Draws || !slices.Contains(a.r.Numbers, float64(r.First)) ||
			!slices.Equal(r.Scores.Row(0), a.r.Scores.Row(slices.Index(a.r.Numbers, float64(r.First)))) {
			t.Fatalf("%v was asked for", r)
		}
		y := make([]int32, space.PartLen())
		for k := range r.Psi.Rows {
			space.(structure.Sampler).Sample(y, rng)
			space.Embed(r.Psi.Row(k), y)
		}
	}
}

// TestProposed: means of the chains are those of the distributions, to within six standard errors, as batches tell them: by chance in one
// of 10⁶ runs for each of the entries, or ten times that, as there are 40 batches.
func TestProposed(t *testing.T) {
	space := loglineartest.Build(t, "permutations", 4)
	const n, rows, d, batches, each = 5, 3, 6, 40, 25
	scores := random(rows, d, 0.8, 6)
	want := linalg.NewMatrix[float64](rows, d)
	exact, request := expect.Exact{Space: space, Workers: 1}, loglinear.RowsRequest{Ask: loglinear.Mean, Scores: scores, Means: want}
	if err := exact.Answer(request, nil); err != nil {
		t.Fatal(err)
	}
	for _, ask := range []loglinear.Ask{loglinear.Mean, loglinear.Pair, loglinear.Draw} {
		whole, err := expect.ProposedLen(0, n, d)
		if err != nil {
			t.Fatal(err)
		}
		a := newAsking(ask, []float64{4, 0, 2}, scores, 3, batches*each, whole)
		var means [][]float64 // of each batch, rows × d
		a.seen = func(r loglinear.RowsRequest) {
			if len(means) == 0 || a.left%each == 0 && len(means) < batches {
				means = append(means, make([]float64, rows*d))
			}
			got, copies := r.Means, r.Means.Rows/rows
			if ask == loglinear.Draw {
				got, copies = r.Psi, 3
			}
			for i := range got.Rows {
				row := i % rows
				if ask == loglinear.Draw {
					row = i / copies
				}
				linalg.Axpy(means[len(means)-1][row*d:(row+1)*d], got.Row(i), 1/float64(copies*each))
			}
		}
		drive(t, space, a, n, len(a.state)-whole)
		if len(means) != batches {
			t.Fatalf("%d batches", len(means))
		}
		for j, m := range want.Data {
			var sum, squares float64
			for _, batch := range means {
				sum, squares = sum+batch[j]-m, squares+(batch[j]-m)*(batch[j]-m)
			}
			if off, limit := sum/batches, 6*math.Sqrt(squares/batches/batches); math.Abs(off) > limit {
				t.Errorf("request %d, entry %d is off by %v, at most %v", ask, j, off, limit)
			}
		}
	}
}

func TestProposedRefusesWhatIsNotItsState(t *testing.T) {
	const n, d = 2, 3
	whole, err := expect.ProposedLen(0, n, d)
	if err != nil {
		t.Fatal(err)
	}
	a := newAsking(loglinear.Mean, []float64{1}, random(1, d, 1, 1), 1, 2, whole)
	a.seen = func(loglinear.RowsRequest) {}
	length := len(a.state) - whole
	if _, err := expect.NewProposed(a, a.state[1:], length, n, d, 9); err == nil {
		t.Error("a shorter state is taken")
	}
	p, err := expect.NewProposed(a, a.state, length, n, d, 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Next(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Next(nil); err == nil || !strings.Contains(err.Error(), "not written") {
		t.Errorf("%v, want it refused that nothing was written", err)
	}
	if p.Decline() == nil {
		t.Error("uniform outputs are declined")
	}
	good := slices.Clone(a.state)
	for i := range 13 {
		for _, v := range []float64{-2, 0.5, math.NaN(), 1e300} {
			copy(a.state, good)
			a.state[length+i] = v
			p, err := expect.NewProposed(a, a.state, length, n, d, 9)
			if err == nil {
				clear(a.state[length+13:]) // as if all had been written
				_, err = p.Next(nil)
			}
			if err == nil && i != 9 { // there is no place of ψ in such a request
				t.Errorf("%v is taken for number %d", v, i)
			}
		}
	}
}

func TestProposedOnlyEstimates(t *testing.T) {
	whole, _ := expect.ProposedLen(0, 1, 1)
	a := newAsking(loglinear.Expect, []float64{0}, random(1, 1, 1, 1), 1, 1, whole)
	p, err := expect.NewProposed(a, a.state, len(a.state)-whole, 1, 1, 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Next(nil); err == nil || !strings.Contains(err.Error(), "partition function") {
		t.Errorf("%v, want ln Z refused", err)
	}
	for d, want := range slicex.InOrder(map[int]fault.Kind{0: fault.KindValue, 100: fault.KindMemory}) {
		if _, err := expect.ProposedLen(0, math.MaxInt/2, d); err == nil || fault.KindOf(err) != want {
			t.Errorf("more rows than memory holds, of ψ of %d entries: %v", d, err)
		}
	}
}
