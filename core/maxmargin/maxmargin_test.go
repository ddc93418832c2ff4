package maxmargin

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
)

// scoresOf returns Wᵀx_i, written out.
func scoresOf(p *Problem, w matrix, i int) []float64 {
	f := make([]float64, w.Cols)
	p.X.Entries(i, func(k int, x float64) { linalg.Axpy(f, w.Row(k), x) })
	return f
}

func TestCandidatesAreReproducible(t *testing.T) {
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		run := func(seed uint64) Solution {
			p := instance(t, "permutations", 3, 9, 2)
			p.Candidates, p.Seed = 2, seed
			found, _, err := TrainSVM(p, SVMOptions{Solver: solver, Tol: 1e-6, MaxIter: 20}, p.Decoder(1), nil)
			if err != nil {
				t.Fatal(err)
			}
			if found.Exact {
				t.Error("drawn outputs cannot be proven best")
			}
			return found
		}
		a, b, c := run(1), run(1), run(2)
		if !slices.Equal(a.Weights.Data, b.Weights.Data) {
			t.Error("the same seed gave other weights")
		}
		if slices.Equal(a.Weights.Data, c.Weights.Data) {
			t.Error("another seed gave the same weights")
		}
	}
}

func TestAveragesAreWeightedMeansOfTheIterates(t *testing.T) {
	for _, rule := range []Rule{FrankWolfe, Perceptron} {
		p := instance(t, "permutations", 3, 7, 2)
		s := &State{V: linalg.NewMatrix[float64](7, 3), Offset: make([]float64, 7), LateV: linalg.NewMatrix[float64](7, 3),
			LateOffset: make([]float64, 7), W: linalg.NewMatrix[float64](3, 3)}
		sum, total := linalg.NewMatrix[float64](7, 3), 0.0
		for step := range 40 {
			p.advance(s, rule, step*5%7, []float64{1, float64(step), -2}, 0.25, 0.5)
			s.Step++
			weight := rule.Share(step+1) - rule.Share(step)
			total += weight
			for i := range 7 {
				linalg.Axpy(sum.Row(i), s.V.Row(i), weight)
			}
		}
		for i := range sum.Data {
			got := s.V.Data[i] - s.LateV.Data[i]/rule.Share(s.Step)
			if math.Abs(got-sum.Data[i]/total) > 1e-12*(1+math.Abs(got)) {
				t.Fatalf("rule %d: entry %d is %g, must be %g", rule, i, got, sum.Data[i]/total)
			}
		}
	}
}

// TestBothSolversReachTheSameObjective takes two routes to the minimum.
func TestBothSolversReachTheSameObjective(t *testing.T) {
	for _, space := range spaces {
		p := instance(t, space.name, space.size, 8, 2)
		planes, _, err := TrainSVM(p, SVMOptions{Tol: 1e-6, MaxIter: 500}, p.Decoder(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		steps, _, err := TrainSVM(p, SVMOptions{Solver: Blockwise, Tol: 1e-2, MaxIter: 1000, Average: true}, p.Decoder(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		least := planes.Objective - planes.Gap
		if !planes.Converged || !steps.Converged || steps.Objective < least || steps.Objective-steps.Gap > planes.Objective {
			t.Errorf("%s: %+v and %+v", space.name, planes, steps)
		}
	}
}

func TestBlocksAreVisitsInTheOrderAskedFor(t *testing.T) {
	p := &Problem{X: &solve.Design{Rows: linalg.Rows{Dense: matrix{Rows: 4}}}}
	if err := p.SetBlocks([]float64{1, 2, 0, 0.5}, []int64{3, 2, 1, 0}, 10); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Rows, []int64{3, 1, 1, 0}) || !slices.Equal(p.Weights, []float64{5, 10, 10, 10}) {
		t.Errorf("rows %v of weights %v", p.Rows, p.Weights)
	}
	if err := p.SetBlocks(nil, nil, 3); err != nil || p.Rows != nil || !slices.Equal(p.Weights, []float64{3, 3, 3, 3}) {
		t.Errorf("rows %v of weights %v, error %v", p.Rows, p.Weights, err)
	}
	if p.SetBlocks(nil, []int64{0, 1, 2, 4}, 1) == nil || p.SetBlocks([]float64{1, 1, 1, math.NaN()}, nil, 1) == nil {
		t.Error("no error")
	}
}

func TestTheOrderOfRowsDoesNotMatter(t *testing.T) {
	p := instance(t, "permutations", 3, 20, 3)
	q := *p
	q.X = &solve.Design{Rows: linalg.Rows{Dense: linalg.NewMatrix[float64](20, 3)}, Intercept: true}
	q.Psi, q.Weights = linalg.NewMatrix[float64](20, 3), make([]float64, 20)
	for i := range 20 {
		to := i * 7 % 20
		copy(q.X.Dense.Row(to), p.X.Dense.Row(i))
		copy(q.Psi.Row(to), p.Psi.Row(i))
		q.Weights[to] = p.Weights[i]
	}
	members, _ := ListMembers(p.Space, 1<<16)
	q.Loss = hamming(q.Psi, members)
	o := SVMOptions{Solver: Blockwise, MaxIter: 5}
	order := make([]int64, 20)
	for _, problem := range []*Problem{p, &q} {
		weights := slices.Clone(problem.Weights)
		if err := RowsOrder(order, problem.X, problem.Psi, nil, 2, nil); err != nil {
			t.Fatal(err)
		}
		if err := problem.SetBlocks(weights, order, 1); err != nil {
			t.Fatal(err)
		}
	}
	a, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := TrainSVM(&q, o, q.Decoder(o.Workers), nil)
	if err != nil || !slices.Equal(a.Weights.Data, b.Weights.Data) {
		t.Errorf("%+v and %+v, error %v", a, b, err)
	}
}

// caller answers like somebody who knows the losses.
type caller struct {
	Here
	p       *Problem
	members matrix
	slack   bool
}

func (c caller) Answer(r Request, _ *parallel.Monitor) error {
	if !r.Planes {
		return errors.New("nobody decodes here")
	}
	for k := range r.Linear.Rows {
		directions, offsets := planesOf(c.p, c.members, int(r.Rows[k]), c.slack)
		best := math.Inf(-1)
		for z, offset := range offsets {
			if v := offset - linalg.Dot(r.Linear.Row(k), directions.Row(z)); v > best {
				best = v
				copy(r.Psi.Row(k), directions.Row(z))
				r.Offset[k], r.Proven[k] = offset, true
			}
		}
	}
	return nil
}

// TestLossesThatOnlyTheCallerKnows: the solution is that of a list of outputs. Cutting planes ask a caller far less often, as
// they keep what it has answered, which a list makes no cheaper.
func TestLossesThatOnlyTheCallerKnows(t *testing.T) {
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		p := instance(t, "permutations", 3, 10, 2)
		members, _ := ListMembers(p.Space, 1<<16)
		p.Slack, p.Members = true, members
		o := SVMOptions{Solver: solver, Tol: 1e-3, MaxIter: 200, Average: true, Seed: 3}
		want, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := &Problem{X: p.X, Weights: p.Weights, Psi: matrix{Cols: p.Psi.Cols}, Asked: true}
		got, _, err := TrainSVM(asked, o, caller{p: p, members: members, slack: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		asOften := got.Iter == want.Iter
		if solver == CuttingPlanes {
			asOften = 2*got.Iter <= want.Iter
		}
		if !asOften || math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective || !got.Exact {
			t.Errorf("%+v, must be %+v", got, want)
		}
	}
}

func BenchmarkTraining(b *testing.B) {
	for name, solver := range slicex.InOrder(map[string]Solver{"cutting-planes": CuttingPlanes, "blockwise": Blockwise}) {
		b.Run(name, func(b *testing.B) {
			p := instance(b, "labelsets", 12, 2000, 50)
			for b.Loop() {
				o := SVMOptions{Solver: solver, MaxIter: 10, Average: true, Workers: 1}
				if _, _, err := TrainSVM(p, o, p.Decoder(1), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
