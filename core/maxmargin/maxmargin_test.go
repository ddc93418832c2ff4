package maxmargin

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/decode"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// small returns a problem on rankings of three labels, with the Hamming loss of the signed pairs, and ψ of all outputs.
func small(t *testing.T, n, p int, rule Rule) (*Problem, [][]float64) {
	t.Helper()
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	for y := range space.(structure.Enumerator).All() {
		psi := make([]float64, space.FeatureLen())
		space.Embed(psi, y)
		all = append(all, psi)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	d := space.FeatureLen()
	pr := &Problem{Space: space, Rule: rule, Method: decode.Exact, Psi: linalg.NewMatrix[float64](n, d), Weights: make([]float64, n),
		X: &solve.Design{N: n, P: p, Intercept: true, Dense: linalg.NewMatrix[float64](n, p)}}
	pr.Loss = Loss{Constant: make([]float64, n), Gradient: linalg.NewMatrix[float64](n, d)}
	for i := range n {
		for k := range p {
			pr.X.Dense.Row(i)[k] = rng.NormFloat64()
		}
		copy(pr.Psi.Row(i), all[rng.IntN(len(all))])
		pr.Weights[i] = 0.5 + rng.Float64()
		pr.Loss.Constant[i] = float64(d)
		linalg.Axpy(pr.Loss.Gradient.Row(i), pr.Psi.Row(i), -1)
	}
	return pr, all
}

func start(p *Problem) *State {
	n, d := p.Psi.Rows, p.Psi.Cols
	return &State{V: linalg.NewMatrix[float64](n, d), Offset: make([]float64, n), LateV: linalg.NewMatrix[float64](n, d),
		LateOffset: make([]float64, n), W: linalg.NewMatrix[float64](p.X.Len(), d)}
}

// scoresOf returns Wᵀx_i, written out.
func scoresOf(p *Problem, w matrix, i int) []float64 {
	f := make([]float64, w.Cols)
	p.X.Entries(i, func(k int, x float64) { linalg.Axpy(f, w.Row(k), x) })
	return f
}

// objectives returns the primal at W, by enumeration, and the dual at the means and offsets.
func objectives(p *Problem, all [][]float64, v matrix, offset []float64) (primal, dual float64) {
	w := linalg.NewMatrix[float64](p.X.Len(), v.Cols)
	for i := range v.Rows {
		p.X.Entries(i, func(k int, x float64) { linalg.Axpy(w.Row(k), v.Row(i), p.Weights[i]*x) })
	}
	for _, x := range w.Data {
		primal += x * x / 2
	}
	dual = -primal
	for i := range v.Rows {
		f, worst := scoresOf(p, w, i), math.Inf(-1)
		for _, psi := range all {
			h := p.Loss.Constant[i] + structure.Scores{Linear: p.Loss.Gradient.Row(i)}.Value(psi)
			for j := range psi {
				h -= f[j] * (p.Psi.Row(i)[j] - psi[j])
			}
			worst = max(worst, h)
		}
		primal += p.Weights[i] * worst
		dual += p.Weights[i] * offset[i]
	}
	return primal, dual
}

func ordered(n int) []int64 {
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	return order
}

func TestFrankWolfeClosesTheGap(t *testing.T) {
	p, all := small(t, 12, 3, FrankWolfe)
	s := start(p)
	var last float64
	for pass := range 3000 {
		report, err := p.Pass(ordered(12), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.Proven != 12 {
			t.Fatalf("%d of 12 decodings were proven", report.Proven)
		}
		if pass%500 == 0 {
			primal, dual := objectives(p, all, s.V, s.Offset)
			if dual < last || primal < dual {
				t.Errorf("pass %d: primal %g, dual %g after %g", pass, primal, dual, last)
			}
			last = dual
		}
	}
	primal, dual := objectives(p, all, s.V, s.Offset)
	if gap := (primal - dual) / primal; gap > 1e-3 {
		t.Errorf("the gap is still %g of %g", gap, primal)
	}
	// W is what the means make it.
	for i := range p.X.N {
		p.X.Entries(i, func(k int, x float64) { linalg.Axpy(s.W.Row(k), s.V.Row(i), -p.Weights[i]*x) })
	}
	for _, x := range s.W.Data {
		if math.Abs(x) > 1e-9 {
			t.Fatalf("W is off by %g", x)
		}
	}
}

// TestAveragesAreWeightedMeansOfTheIterates adds the iterates up after every step.
func TestAveragesAreWeightedMeansOfTheIterates(t *testing.T) {
	for _, rule := range []Rule{FrankWolfe, Perceptron} {
		p, _ := small(t, 7, 2, rule)
		s := start(p)
		sum, total := linalg.NewMatrix[float64](7, 3), 0.0
		for step := range 40 {
			if _, err := p.Pass([]int64{int64(step * 5 % 7)}, s, nil); err != nil {
				t.Fatal(err)
			}
			weight := rule.Share(step+1) - rule.Share(step)
			total += weight
			for i := range 7 {
				linalg.Axpy(sum.Row(i), s.V.Row(i), weight)
			}
		}
		for i := range sum.Data {
			got := s.V.Data[i] - s.LateV.Data[i]/rule.Share(s.Step)
			if math.Abs(got-sum.Data[i]/total) > 1e-12 {
				t.Fatalf("rule %d: entry %d is %g, must be %g", rule, i, got, sum.Data[i]/total)
			}
		}
	}
}

func TestPerceptronEndsWithoutMistakesWithinNovikoffsBound(t *testing.T) {
	p, all := small(t, 30, 4, Perceptron)
	rng := rand.New(rand.NewPCG(5, 5))
	hidden := linalg.NewMatrix[float64](p.X.Len(), 3)
	for i := range hidden.Data {
		hidden.Data[i] = rng.NormFloat64()
	}
	margin, norm := math.Inf(1), 0.0
	for _, x := range hidden.Data {
		norm += x * x
	}
	for i := range p.X.N {
		f, best, second := scoresOf(p, hidden, i), math.Inf(-1), math.Inf(-1)
		for _, psi := range all {
			v := structure.Scores{Linear: f}.Value(psi)
			if v > best {
				best, second = v, best
				copy(p.Psi.Row(i), psi)
			} else {
				second = max(second, v)
			}
		}
		margin = min(margin, best-second)
		p.Weights[i] = 1
	}
	s, mistakes, radius := start(p), 0, 0.0
	for range 10000 {
		report, err := p.Pass(ordered(30), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		mistakes += report.Updates
		radius = max(radius, report.Radius)
		if report.Updates == 0 {
			if bound := radius * norm / (margin * margin); float64(mistakes) > bound {
				t.Errorf("%d mistakes, the bound is %g", mistakes, bound)
			}
			return
		}
	}
	t.Error("separable data are not separated")
}

func TestCandidatesAreReproducibleAndNeverBelowTheExample(t *testing.T) {
	run := func(seed uint64) []float64 {
		p, _ := small(t, 9, 2, FrankWolfe)
		p.Candidates, p.Seed = 2, seed
		s := start(p)
		for range 20 {
			report, err := p.Pass(ordered(9), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if report.Proven != 0 {
				t.Error("drawn outputs cannot be proven best")
			}
		}
		for i, v := range s.Offset {
			if v < 0 {
				t.Errorf("offset %d is %g", i, v)
			}
		}
		return s.W.Data
	}
	a, b, c := run(1), run(1), run(2)
	same := true
	for i := range a {
		if a[i] != b[i] {
			t.Fatal("the same seed gave other weights")
		}
		same = same && a[i] == c[i]
	}
	if same {
		t.Error("another seed gave the same weights")
	}
}

func TestIllegalArgumentsAndCancellation(t *testing.T) {
	for name, spoil := range map[string]func(*Problem, *State, []int64){
		"order":      func(_ *Problem, _ *State, order []int64) { order[1] = 7 },
		"weights":    func(p *Problem, _ *State, _ []int64) { p.Weights[0] = math.NaN() },
		"step":       func(_ *Problem, s *State, _ []int64) { s.Step = -1 },
		"candidates": func(p *Problem, _ *State, _ []int64) { p.Candidates = -1 },
		"rule":       func(p *Problem, _ *State, _ []int64) { p.Rule = 9 },
		"loss":       func(p *Problem, _ *State, _ []int64) { p.Loss = Loss{} },
		"coef":       func(_ *Problem, s *State, _ []int64) { s.W = linalg.NewMatrix[float64](1, 3) },
		"scores":     func(_ *Problem, s *State, _ []int64) { s.W.Data[0] = math.Inf(1) },
	} {
		p, _ := small(t, 5, 2, FrankWolfe)
		s, order := start(p), ordered(5)
		spoil(p, s, order)
		if _, err := p.Pass(order, s, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	p, _ := small(t, 5, 2, FrankWolfe)
	var mon parallel.Monitor
	mon.Cancel()
	if _, err := p.Pass(ordered(5), start(p), &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("got %v", err)
	}
}

// caller answers like somebody who knows the losses.
type caller struct {
	p       *Problem
	members matrix
	slack   bool
}

func (c caller) Answer(r Request, _ *parallel.Monitor) error {
	if r.Ask != Planes {
		return errors.New("nobody decodes here")
	}
	for k := range r.Linear.Rows {
		directions, offsets := planesOf(c.p, c.members, c.p.row(r.Block(k)), c.slack)
		best := math.Inf(-1)
		for z, offset := range offsets {
			if v := offset - linalg.Dot(r.Linear.Row(k), directions.Row(z)); v > best {
				best = v
				copy(r.Psi.Row(k), directions.Row(z))
				r.Offset[k], r.Proven[k] = offset, 1
			}
		}
	}
	return nil
}

func TestLossesThatOnlyTheCallerKnows(t *testing.T) {
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		p := instance(t, "permutations", 3, 10, 2)
		members, _ := ListMembers(p.Space, 1<<16)
		p.Slack, p.Members = true, members
		o := SVMOptions{Solver: solver, Tol: 1e-3, MaxIter: 200, Average: true, Seed: 3}
		want, _, err := TrainSVM(p, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := &Problem{X: p.X, Weights: p.Weights, Psi: matrix{Cols: p.Psi.Cols}, Asked: true}
		got, _, err := drive(asked, o, caller{p, members, true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Iter != want.Iter || math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective || !got.Exact {
			t.Errorf("%+v, must be %+v", got, want)
		}
	}
}

func BenchmarkTraining(b *testing.B) {
	for name, solver := range map[string]Solver{"cutting-planes": CuttingPlanes, "blockwise": Blockwise} {
		b.Run(name, func(b *testing.B) {
			p := instance(b, "labelsets", 12, 2000, 50)
			for b.Loop() {
				if _, _, err := TrainSVM(p, SVMOptions{Solver: solver, MaxIter: 10, Average: true, Workers: 1}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
