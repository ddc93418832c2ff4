package maxmargin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// instance returns a problem on n rows of p features, with outputs that no weights explain and the Hamming loss, and ψ of all outputs.
func instance(t testing.TB, name string, size int64, n, p int) *Problem {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": size}})
	if err != nil {
		t.Fatal(err)
	}
	members, err := ListMembers(space, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(p)))
	d := space.FeatureLen()
	pr := &Problem{Space: space, Psi: linalg.NewMatrix[float64](n, d), Weights: make([]float64, n),
		X: &solve.Design{Rows: linalg.Rows{Dense: linalg.NewMatrix[float64](n, p)}, Intercept: true}}
	for i := range pr.X.Dense.Data {
		pr.X.Dense.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		copy(pr.Psi.Row(i), members.Row(rng.IntN(members.Rows)))
		pr.Weights[i] = 0.3 + rng.Float64()
	}
	pr.Loss = hamming(pr.Psi, members)
	return pr
}

// hamming returns ‖ψ_i − ψ(z)‖₁ for entries 0 and 1, or −1, 0 and 1.
func hamming(psi, members matrix) Loss {
	bits := slices.Min(members.Data) >= 0
	l := Loss{Constant: make([]float64, psi.Rows), Gradient: linalg.NewMatrix[float64](psi.Rows, psi.Cols)}
	if !bits {
		l.Magnitude = linalg.NewMatrix[float64](psi.Rows, psi.Cols)
	}
	for i := range psi.Rows {
		for j, v := range psi.Row(i) {
			l.Constant[i] += math.Abs(v)
			l.Gradient.Row(i)[j] = -v
			if bits {
				l.Gradient.Row(i)[j] = 1 - 2*v
			} else if v == 0 {
				l.Magnitude.Row(i)[j] = 1
			}
		}
	}
	return l
}

// planesOf returns the planes of a row of all outputs, from the definition.
func planesOf(p *Problem, members matrix, row int, slack bool) (directions matrix, offsets []float64) {
	directions, offsets = linalg.NewMatrix[float64](members.Rows, members.Cols), make([]float64, members.Rows)
	for z := range members.Rows {
		for j, v := range members.Row(z) {
			offsets[z] += math.Abs(p.Psi.Row(row)[j] - v)
			directions.Row(z)[j] = p.Psi.Row(row)[j] - v
		}
		if slack {
			linalg.ScaleTo(directions.Row(z), offsets[z], directions.Row(z))
		}
	}
	return directions, offsets
}

func primalOf(p *Problem, members, w matrix, slack bool) float64 {
	value := linalg.Dot(w.Data, w.Data) / 2
	for i, weight := range p.Weights {
		directions, offsets := planesOf(p, members, p.row(i), slack)
		f, worst := scoresOf(p, w, p.row(i)), math.Inf(-1)
		for z, offset := range offsets {
			worst = max(worst, offset-linalg.Dot(f, directions.Row(z)))
		}
		value += weight * worst
	}
	return value
}

// least returns bounds on the least objective. All outputs are constraints of a quadratic program, whose dual, a distribution on the
// outputs of each row, is climbed by moving mass between two outputs of a row at a time, as far as that helps.
func least(p *Problem, members matrix, slack bool) (dual, primal float64) {
	n, d := p.blocks(), members.Cols
	w, shares := linalg.NewMatrix[float64](p.X.Columns(), d), linalg.NewMatrix[float64](n, members.Rows)
	own := make([]int, n)
	for i := range n {
		for z := range members.Rows {
			if slices.Equal(members.Row(z), p.Psi.Row(p.row(i))) {
				own[i] = z
			}
		}
		shares.Row(i)[own[i]] = 1
	}
	for range 4000 {
		for i, weight := range p.Weights {
			row := p.row(i)
			directions, offsets := planesOf(p, members, row, slack)
			share := shares.Row(i)
			norm := p.squareNorm(i)
			for range members.Rows {
				f := scoresOf(p, w, row)
				from, to, low, high := 0, 0, math.Inf(1), math.Inf(-1)
				for z, offset := range offsets {
					v := offset - linalg.Dot(f, directions.Row(z))
					if v > high {
						to, high = z, v
					}
					if share[z] > 0 && v < low {
						from, low = z, v
					}
				}
				move, square := make([]float64, d), 0.0
				for j := range move {
					move[j] = directions.Row(to)[j] - directions.Row(from)[j]
					square += move[j] * move[j]
				}
				if !(high > low) || square == 0 {
					break
				}
				step := min(share[from], (high-low)/(weight*norm*square))
				share[from], share[to] = share[from]-step, share[to]+step
				p.X.Entries(row, func(k int, x float64) { linalg.Axpy(w.Row(k), move, weight*step*x) })
			}
		}
		dual = -linalg.Dot(w.Data, w.Data) / 2
		for i, weight := range p.Weights {
			_, offsets := planesOf(p, members, p.row(i), slack)
			dual += weight * linalg.Dot(offsets, shares.Row(i))
		}
		if primal = primalOf(p, members, w, slack); primal-dual <= 1e-9*primal {
			break
		}
	}
	return dual, primal
}

var spaces = []struct {
	name string
	size int64
}{{"permutations", 3}, {"labelsets", 3}, {"tournaments", 2}, {"directedcycles", 3}, {"weakorders", 2}, {"ordinal", 3}, {"multiclass", 3}}

func TestTheGapBoundsTheDistanceToTheOptimumOverAllConstraints(t *testing.T) {
	for _, space := range spaces {
		for _, slack := range []bool{false, true} {
			p := instance(t, space.name, space.size, 5, 2)
			members, _ := ListMembers(p.Space, 1<<16)
			low, high := least(p, members, slack)
			if high-low > 1e-7*high {
				t.Fatalf("%s: the least objective lies between %g and %g only", space.name, low, high)
			}
			p.Slack = slack
			for _, list := range []bool{false, true} {
				if list {
					p.Members = members
				}
				for solver, tol := range slicex.InOrder(map[Solver]float64{CuttingPlanes: 1e-4, Blockwise: 2e-2}) {
					o := SVMOptions{Solver: solver, Tol: tol, MaxIter: 3000, Average: true, BlockRows: 2}
					found, looks, err := TrainSVM(p, o, p.Decoder(1), nil)
					if err != nil {
						t.Fatal(err)
					}
					objective := primalOf(p, members, found.Weights, slack)
					at := []any{space.name, slack, list, solver}
					if !slack || list {
						if !found.Exact || !found.Converged {
							t.Errorf("%v: not solved: %+v", at, found)
						}
						if math.Abs(objective-found.Objective) > 1e-9*objective {
							t.Errorf("%v: the objective is %g, reported as %g", at, objective, found.Objective)
						}
						if distance := objective - high; distance > found.Gap+1e-7*high || objective < low*(1-1e-9) {
							t.Errorf("%v: %g above the least objective %g, with a gap of %g", at, distance, low, found.Gap)
						}
						mustEnclose(t, at, solver, looks, low, high)
					} else if found.Objective > objective*(1+1e-9) || found.Exact && objective-high > found.Gap+1e-7*high {
						t.Errorf("%v: the objective is %g, reported as %+v", at, objective, found)
					}
				}
			}
		}
	}
}

func mustEnclose(t *testing.T, at []any, solver Solver, looks []Look, low, high float64) {
	t.Helper()
	for k, l := range looks {
		if l.Bound > high*(1+1e-9) || l.Objective < low*(1-1e-9) {
			t.Errorf("%v: %+v do not enclose %g", at, l, low)
		}
		if k == 0 {
			continue
		}
		before := looks[k-1]
		if l.Iter <= before.Iter || solver == CuttingPlanes && (l.Objective > before.Objective || l.Bound < before.Bound) {
			t.Errorf("%v: %+v after %+v", at, l, before)
		}
	}
}

func TestALossOfZeroAndOneTakesAList(t *testing.T) {
	p := instance(t, "multiclass", 4, 8, 3)
	o := SVMOptions{Tol: 1e-6, MaxIter: 500}
	p.Loss.ZeroOne = true
	if _, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil); err == nil {
		t.Error("a loss of 0 and 1 was decoded")
	}
	p.Members, _ = ListMembers(p.Space, 1<<16)
	zeroOne, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Slack = true // where all losses are 1, the rescalings are the same
	slack, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil || math.Abs(slack.Objective-zeroOne.Objective) > 1e-5*slack.Objective {
		t.Errorf("%g and %g, error %v", slack.Objective, zeroOne.Objective, err)
	}
	p.Slack, p.Loss.ZeroOne, p.Members = false, false, matrix{}
	for i := range p.Loss.Constant { // of classes it is half the Hamming loss
		p.Loss.Constant[i] /= 2
		linalg.ScaleTo(p.Loss.Gradient.Row(i), 0.5, p.Loss.Gradient.Row(i))
	}
	half, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil || math.Abs(half.Objective-zeroOne.Objective) > 1e-5*half.Objective {
		t.Errorf("%g and %g, error %v", half.Objective, zeroOne.Objective, err)
	}
}

func TestSlackSearchesStayWithinTheirBound(t *testing.T) {
	for _, space := range spaces {
		p := instance(t, space.name, space.size, 40, 2)
		members, _ := ListMembers(p.Space, 1<<16)
		p.Slack = true
		s := p.newPlanes(40, 1, &Decoder{Space: p.Space, Workers: 1}, nil)
		rng := rand.New(rand.NewPCG(7, 7))
		s.begin(0, 40)
		for i := range s.f.Data {
			s.f.Data[i] = rng.NormFloat64() * []float64{0.05, 0.3, 1}[i/s.f.Cols%3]
		}
		if err := s.find(); err != nil {
			t.Fatal(err)
		}
		proven, sum, most := 0, 0.0, 0.0
		for k := range 40 {
			directions, offsets := planesOf(p, members, k, true)
			best := math.Inf(-1)
			for z, offset := range offsets {
				best = max(best, offset-linalg.Dot(s.f.Row(k), directions.Row(z)))
			}
			v := s.value(k)
			if v > best+1e-9 || best > s.search[k].bound+1e-9 {
				t.Errorf("%s: found %g, the best is %g, the bound %g", space.name, v, best, s.search[k].bound)
			}
			sum, most = sum+v, most+best
			if s.proven[k] {
				if proven++; math.Abs(v-best) > 1e-8*(1+best) {
					t.Errorf("%s: %g is called the best, which is %g", space.name, v, best)
				}
			}
		}
		if proven == 0 || sum < 0.8*most {
			t.Errorf("%s: %d proven, products of %g where %g are possible", space.name, proven, sum, most)
		}
	}
}
