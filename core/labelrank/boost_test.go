package labelrank

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
)

// objective is that of boosting, from its definition.
func objective(e *Examples, f func(i, label int) float64, weights []float64, alpha float64) (sum float64) {
	for i := range e.Rows() {
		g := graph{}
		g.readFrom(e, i)
		start := 0
		for _, end := range g.ends {
			total := 1.0
			for _, edge := range g.edges[start:end] {
				total += math.Exp(f(i, edge.loser) - f(i, edge.winner))
			}
			sum += e.weight(i) * g.share * math.Log(total)
			start = end
		}
	}
	for _, w := range weights {
		sum += 2 * alpha * math.Log(math.Cosh(w/2))
	}
	return sum
}

// sparseOf returns the same design in compressed sparse rows.
func sparseOf(x *solve.Design) *solve.Design {
	s := &solve.Sparse{Rows: x.Len(), Cols: x.Features(), Indptr: []int64{0}}
	for i := range x.Len() {
		for j, v := range x.Dense.Row(i) {
			s.Data, s.Indices = append(s.Data, v), append(s.Indices, int32(j))
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return &solve.Design{Rows: linalg.Rows{Sparse: s}, Intercept: x.Intercept}
}

func boosted(how Decomposition) (*Examples, *solve.Design, matrix) {
	e, x := drawn(30, 4, how, 5), drawnDesign(30, 3, 6)
	e.Margins = nil
	rng := rand.New(rand.NewPCG(7, 7))
	for range 30 {
		e.Weights = append(e.Weights, 2*rng.Float64())
	}
	e.Weights[3] = 0
	scores := linalg.NewMatrix[float64](30*4, 2)
	for i := range scores.Data {
		scores.Data[i] = rng.NormFloat64()
	}
	return e, x, scores
}

func TestRoundsLowerTheObjectiveByWhatIsSureAndReachItsMinimum(t *testing.T) {
	for _, how := range []Decomposition{Edges, Stars, Whole} {
		e, x, scores := boosted(how)
		features := func(w []float64) func(i, label int) float64 {
			return func(i, label int) (f float64) {
				x.Entries(i, func(j int, v float64) { f += v * w[j*4+label] })
				return f
			}
		}
		combined := func(w []float64) func(i, label int) float64 {
			return func(i, label int) float64 { return linalg.Dot(scores.Row(i*4+label), w) }
		}
		for name, c := range slicex.InOrder(map[string]struct {
			base Functions
			f    func(w []float64) func(i, label int) float64
		}{"dense": {FeatureFunctions(x, e), features}, "sparse": {FeatureFunctions(sparseOf(x), e), features},
			"rankers": {RankerFunctions(scores, e), combined}}) {
			for _, alpha := range []float64{0, 0.3} {
				found, err := e.Boost(c.base, BoostOptions{Alpha: alpha, MinGain: 1e-13, MaxIter: 20000, Workers: 2}, nil)
				if err != nil || !found.Converged || found.Check() != nil {
					t.Fatalf("%s: %d rounds, error %v", name, len(found.Bounds), err)
				}
				for k, sure := range found.Bounds {
					if sure < 0 || found.Losses[k]-found.Losses[k+1] < sure-1e-12*found.Losses[0] {
						t.Fatalf("%s, round %d: %g after %g, sure of %g", name, k, found.Losses[k+1], found.Losses[k], sure)
					}
				}
				last := found.Losses[len(found.Bounds)]
				if want := objective(e, c.f(found.Weights), found.Weights, alpha); math.Abs(last-want) > 1e-12*want {
					t.Errorf("%s: the objective is %g, reported as %g", name, want, last)
				}
				for j := range found.Weights { // it is convex: the minimum is where its derivatives vanish
					at := func(h float64) float64 {
						w := slices.Clone(found.Weights)
						w[j] += h
						return objective(e, c.f(w), w, alpha)
					}
					if slope := (at(1e-4) - at(-1e-4)) / 2e-4; math.Abs(slope) > 1e-3 {
						t.Errorf("%s, alpha %g: derivative %d is %g", name, alpha, j, slope)
					}
				}
			}
		}
	}
}

func TestWhatCannotBeBoostedIsRefused(t *testing.T) {
	e, x, _ := boosted(Edges)
	base := FeatureFunctions(x, e)
	for _, o := range []BoostOptions{{Alpha: -1, MaxIter: 1}, {MinGain: -1, MaxIter: 1}, {}, {Alpha: math.NaN(), MaxIter: 1}} {
		if _, err := e.Boost(base, o, nil); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	few, err := e.Boost(base, BoostOptions{MaxIter: 2}, nil)
	if err != nil || few.Check() == nil {
		t.Errorf("two rounds have converged, error %v", err)
	}
	var mon parallel.Monitor
	mon.Cancel()
	if _, err := e.Boost(base, BoostOptions{MaxIter: 2}, &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("got %v", err)
	}
	e.Margins = make([]float64, len(e.Signs))
	if _, err := e.Boost(base, BoostOptions{MaxIter: 2}, nil); err == nil {
		t.Error("margins were left out")
	}
}

func TestMistakesStayWithinTheirBound(t *testing.T) {
	for _, how := range []Decomposition{Edges, Stars, Whole} {
		e, x, _ := boosted(how)
		rng := rand.New(rand.NewPCG(8, 8))
		u, sum := linalg.NewMatrix[float64](4, 4), 0.0
		for i := range u.Data {
			u.Data[i] = rng.NormFloat64()
			sum += math.Abs(u.Data[i])
		}
		for _, update := range []Update{Additive, Multiplicative, PrimalDual} {
			l := &Learner{Update: update, Rate: 1, Radius: 2 * sum, Cost: 1, Coef: linalg.NewMatrix[float64](4, 4),
				Theta: linalg.NewMatrix[float64](4, 4)}
			for range 3 {
				if err := l.Learn(e, x, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			bound, err := l.MistakeBound(e, x, u, 3, nil)
			if err != nil || !(l.Tally.Mistakes <= bound) {
				t.Errorf("update %d: %g mistakes, the bound is %g, error %v", update, l.Tally.Mistakes, bound, err)
			}
		}
		narrow := &Learner{Update: Multiplicative, Rate: 1, Radius: sum / 2}
		if _, err := narrow.MistakeBound(e, x, u, 1, nil); err == nil {
			t.Error("weights beyond the radius were taken")
		}
	}
	// One row x = (1, 2) of weight 3 that prefers label 0: with U of one 1 the loss is 3·max(0, 1 − 1) = 0, and S = 15.
	e := &Examples{Labels: 2, Signs: []int8{1}, Weights: []float64{3}}
	x := &solve.Design{Rows: linalg.Rows{Dense: matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 2}}}}
	u := linalg.NewMatrix[float64](2, 2)
	u.Row(0)[0] = 1
	if bound, err := (&Learner{}).MistakeBound(e, x, u, 4, nil); err != nil || math.Abs(bound-30) > 1e-12 {
		t.Errorf("the bound is %g, must be 30, error %v", bound, err)
	}
}
