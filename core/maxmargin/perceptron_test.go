package maxmargin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
)

// bounded returns the options for a bound on mistakes.
func bounded(members matrix) PerceptronOptions {
	o := PerceptronOptions{MaxIter: 20000, Squared: 2, Least: 1, Shuffle: true, Seed: 1, BlockRows: 7}
	if slices.Min(members.Data) >= 0 {
		o.Squared = 1
	} else if !slices.Contains(members.Data, 0) {
		o.Least = 2
	}
	return o
}

func TestMistakesOnSeparableDataStayWithinTheBounds(t *testing.T) {
	for _, space := range spaces {
		p := instance(t, space.name, space.size, 25, 3)
		members, _ := ListMembers(p.Space, 1<<16)
		hidden, margin := explain(p, members)
		for i := range p.Weights {
			p.Weights[i] = 1
		}
		m, err := TrainPerceptron(p, bounded(members), p.Decoder(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := m
		novikoff := found.Radius * found.Radius * linalg.Dot(hidden.Data, hidden.Data) / (margin * margin)
		if !found.Separated || float64(found.Mistakes) > novikoff || !(float64(found.Mistakes) <= found.Bound) ||
			math.IsInf(found.Bound, 0) {
			t.Errorf("%s: %+v, Novikoff's bound is %g", space.name, found, novikoff)
		}
		// The same bound from margins and losses of all outputs.
		w, late := linalg.NewMatrix[float64](p.X.Columns(), p.Psi.Cols), linalg.NewMatrix[float64](p.X.Columns(), p.Psi.Cols)
		if err := m.AddWeights(w, late); err != nil {
			t.Fatal(err)
		}
		ratio, far := math.Inf(1), 0.0
		for i := range p.blocks() {
			directions, losses := planesOf(p, members, i, false)
			far = max(far, p.squareNorm(i))
			for z, loss := range losses {
				if loss > 0 {
					ratio = min(ratio, linalg.Dot(scoresOf(p, w, i), directions.Row(z))/loss)
				}
			}
		}
		o := bounded(members)
		want := o.Squared * linalg.Dot(w.Data, w.Data) * far / (o.Least * ratio * ratio)
		if math.Abs(found.Bound-want) > 1e-6*want {
			t.Errorf("%s: the bound is %g, must be %g", space.name, found.Bound, want)
		}
	}
}

// TestPassesAreThoseOfTheRule follows the rule written out, and adds the weights after every visit up.
func TestPassesAreThoseOfTheRule(t *testing.T) {
	p := instance(t, "labelsets", 3, 8, 2)
	p.Rows, p.Weights = []int64{0, 1, 1, 3, 5}, []float64{1, 0.5, 0.5, 2, 1}
	members, _ := ListMembers(p.Space, 1<<16)
	o := PerceptronOptions{MaxIter: 6}
	m, err := TrainPerceptron(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, total := linalg.NewMatrix[float64](3, 3), linalg.NewMatrix[float64](3, 3)
	mistakes, passes := 0, 0
	for clean := false; passes < o.MaxIter && !clean; passes++ {
		clean = true
		for i, weight := range p.Weights {
			f := scoresOf(p, w, p.row(i))
			best, psi := math.Inf(-1), []float64(nil)
			for z := range members.Rows {
				if v := linalg.Dot(f, members.Row(z)); v > best { // the empty set comes first where all score alike
					best, psi = v, members.Row(z)
				}
			}
			if !slices.Equal(psi, p.Psi.Row(p.row(i))) {
				mistakes++
				clean = false
				p.X.Entries(p.row(i), func(k int, x float64) {
					linalg.Axpy(w.Row(k), p.Psi.Row(p.row(i)), weight*x)
					linalg.Axpy(w.Row(k), psi, -weight*x)
				})
			}
			linalg.Axpy(total.Data, w.Data, 1)
		}
	}
	found := m
	if found.Mistakes != mistakes || found.Iter != passes || found.Visits != 5*o.MaxIter && found.Separated || !math.IsNaN(found.Bound) {
		t.Errorf("%+v, must be %d mistakes in %d passes", found, mistakes, passes)
	}
	last, late := linalg.NewMatrix[float64](3, 3), linalg.NewMatrix[float64](3, 3)
	if err := m.AddWeights(last, late); err != nil {
		t.Fatal(err)
	}
	visits := float64(m.run.steps.Step)
	for i := range last.Data {
		if math.Abs(last.Data[i]-w.Data[i]) > 1e-12 || math.Abs(last.Data[i]-late.Data[i]/visits-total.Data[i]/visits) > 1e-12 {
			t.Fatalf("weight %d is %g, must be %g", i, last.Data[i], w.Data[i])
		}
	}
	coefficients, lateOnes := linalg.NewMatrix[float64](8, 3), linalg.NewMatrix[float64](8, 3)
	m.AddCoefficients(coefficients, lateOnes)
	for i := range 8 {
		p.X.Entries(i, func(k int, x float64) { linalg.Axpy(last.Row(k), coefficients.Row(i), -x) })
	}
	for _, v := range last.Data {
		if math.Abs(v) > 1e-12 {
			t.Fatalf("coefficients are off by %g", v)
		}
	}
}

func TestTrainingOfAPerceptronContinues(t *testing.T) {
	p := instance(t, "permutations", 3, 12, 3)
	whole, err := TrainPerceptron(p, PerceptronOptions{MaxIter: 4}, p.Decoder(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	last, late := linalg.NewMatrix[float64](4, 3), linalg.NewMatrix[float64](4, 3)
	want, wantLate := linalg.NewMatrix[float64](4, 3), linalg.NewMatrix[float64](4, 3)
	if err := whole.AddWeights(want, wantLate); err != nil {
		t.Fatal(err)
	}
	visits, mistakes := 0, 0
	for range 4 {
		m, err := TrainPerceptron(p, PerceptronOptions{MaxIter: 1, Start: last, Visits: visits}, p.Decoder(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		next := linalg.NewMatrix[float64](4, 3)
		next.CopyFrom(last)
		if err := m.AddWeights(next, late); err != nil {
			t.Fatal(err)
		}
		last = next
		visits, mistakes = m.Visits, mistakes+m.Mistakes
	}
	for i := range last.Data {
		if math.Abs(last.Data[i]-want.Data[i]) > 1e-10 || math.Abs(late.Data[i]-wantLate.Data[i]) > 1e-9 {
			t.Fatalf("weight %d is %g, must be %g", i, last.Data[i], want.Data[i])
		}
	}
	if visits != 48 || mistakes != whole.Mistakes {
		t.Errorf("%d visits with %d mistakes, %+v", visits, mistakes, whole)
	}
}

func TestNoBoundWhereNothingIsProven(t *testing.T) {
	p := instance(t, "permutations", 3, 20, 3)
	members, _ := ListMembers(p.Space, 1<<16)
	noisy := bounded(members)
	noisy.MaxIter = 3
	m, err := TrainPerceptron(p, noisy, p.Decoder(noisy.Workers), nil)
	if err != nil || m.Separated || !math.IsNaN(m.Bound) || m.Visits != 60 {
		t.Errorf("%+v, error %v", m, err)
	}
	explain(p, members)
	p.Candidates = 2
	drawn := bounded(members)
	drawn.MaxIter, drawn.Sampled = 50, true
	m, err = TrainPerceptron(p, drawn, p.Decoder(drawn.Workers), nil)
	if err != nil || m.Separated || m.Iter != 50 {
		t.Errorf("%+v, error %v", m, err)
	}
}

func TestWhatNoPerceptronTakesIsRefused(t *testing.T) {
	for name, spoil := range slicex.InOrder(map[string]func(p *Problem, o *PerceptronOptions){
		"max_iter": func(_ *Problem, o *PerceptronOptions) { o.MaxIter = 0 },
		"rows":     func(_ *Problem, o *PerceptronOptions) { o.BlockRows = -1 },
		"visits":   func(_ *Problem, o *PerceptronOptions) { o.Visits = -1 },
		"start":    func(_ *Problem, o *PerceptronOptions) { o.Start = linalg.NewMatrix[float64](1, 1) },
		"bound":    func(_ *Problem, o *PerceptronOptions) { o.Least = 0 },
		"zero-one": func(p *Problem, _ *PerceptronOptions) { p.Loss.ZeroOne = true },
		"slack":    func(p *Problem, _ *PerceptronOptions) { p.Slack = true },
		"overflow": func(p *Problem, _ *PerceptronOptions) { p.X.Dense.Row(4)[0] = 1e200 },
		"loss":     func(p *Problem, _ *PerceptronOptions) { p.Loss = Loss{} },
		"psi":      func(p *Problem, _ *PerceptronOptions) { p.Psi = matrix{} },
	}) {
		p := instance(t, "labelsets", 3, 6, 2)
		o := PerceptronOptions{MaxIter: 3, Squared: 1, Least: 1}
		spoil(p, &o)
		if _, err := TrainPerceptron(p, o, p.Decoder(o.Workers), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	p, o := instance(t, "labelsets", 3, 6, 2), PerceptronOptions{MaxIter: 3}
	if _, err := TrainPerceptron(p, o, nothing{}, nil); err == nil {
		t.Error("a request without an answer passed for one")
	}
}

// explain makes the outputs those of hidden weights, and returns these and the least margin.
func explain(p *Problem, members matrix) (hidden matrix, margin float64) {
	rng := rand.New(rand.NewPCG(8, 8))
	hidden, margin = linalg.NewMatrix[float64](p.X.Columns(), p.Psi.Cols), math.Inf(1)
	for i := range hidden.Data {
		hidden.Data[i] = rng.NormFloat64()
	}
	for i := range p.X.Len() {
		f, best, second := scoresOf(p, hidden, i), math.Inf(-1), math.Inf(-1)
		for z := range members.Rows {
			if v := linalg.Dot(f, members.Row(z)); v > best {
				best, second = v, best
				copy(p.Psi.Row(i), members.Row(z))
			} else {
				second = max(second, v)
			}
		}
		margin = min(margin, best-second)
	}
	p.Loss = hamming(p.Psi, members)
	return hidden, margin
}
