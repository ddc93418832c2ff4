package walks_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/custom/walks"
	"combpred/core/fault"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// ring moves on outputs 0 to 5, whose figure is their number, one step up twice as often as one step down. Every seventh move leads
// nowhere.
type ring struct {
	t       *testing.T
	rng     *rand.Rand
	outputs map[int64]int
	calls   int
	asked   int // moves of the last call
}

const ringSize = 6

func (r *ring) Move(_, from, to []int64, psi, ratio []float64) error {
	r.calls++
	r.asked = len(from)
	for k := range from {
		if psi[k] != 0 || ratio[k] != 0 {
			r.t.Fatal("answers are not zero before")
		}
		if slices.Contains(from, to[k]) {
			r.t.Fatalf("a move from %v would write to %v", from, to)
		}
		if from[k] == walks.FromNowhere {
			r.outputs[to[k]] = r.rng.IntN(ringSize)
		} else if y, known := r.outputs[from[k]]; !known {
			r.t.Fatalf("a move from %d, which is no output", from[k])
		} else if r.rng.IntN(7) == 0 {
			delete(r.outputs, to[k])
			ratio[k] = math.Inf(-1)
			continue
		} else if r.rng.IntN(3) > 0 {
			r.outputs[to[k]], ratio[k] = (y+1)%ringSize, -math.Ln2
		} else {
			r.outputs[to[k]], ratio[k] = (y+ringSize-1)%ringSize, math.Ln2
		}
		psi[k] = float64(r.outputs[to[k]])
	}
	return nil
}

func ringScores(of ...float64) []structure.Scores {
	scores := make([]structure.Scores, len(of))
	for i, s := range of {
		scores[i] = structure.Scores{Linear: []float64{s}}
	}
	return scores
}

// TestLockstep: chains of lopsided moves, and of uniform proposals, have the distributions of their scores, by Pearson's statistic with 5
// degrees of freedom. States 40 steps apart count as independent ones: a false alarm in 1e-6 of seeds for each of four.
func TestLockstep(t *testing.T) {
	for _, uniform := range []bool{false, true} {
		r := &ring{t: t, rng: rand.New(rand.NewPCG(3, 3)), outputs: map[int64]int{}}
		scores := ringScores(0, 0.4)
		l := walks.NewLockstep(r, scores, 1, walks.Numbers(10, 2), 7, []uint64{1, 2})
		l.Uniform = uniform
		if err := l.Draw(0); err != nil {
			t.Fatal(err)
		}
		const draws = 3000
		var counts [2][ringSize]float64
		for range draws {
			for range 40 {
				if err := l.Step([]float64{1, 1}, true); err != nil {
					t.Fatal(err)
				}
			}
			for c := range counts {
				if y := r.outputs[l.At[c]]; float64(y) != l.Psi[c] || scores[c].Linear[0]*l.Psi[c] != l.Value[c] {
					t.Fatalf("chain %d is at %d, said to be %v that scores %v", c, y, l.Psi[c], l.Value[c])
				}
				counts[c][int(l.Psi[c])]++
			}
		}
		for c, seen := range counts {
			var sum, statistic float64
			for y := range seen {
				sum += math.Exp(scores[c].Linear[0] * float64(y))
			}
			for y, many := range seen {
				expected := draws * math.Exp(scores[c].Linear[0]*float64(y)) / sum
				statistic += (many - expected) * (many - expected) / expected
			}
			if statistic > 35.9 { // the quantile
				t.Errorf("uniform %v, chain %d: χ² is %v", uniform, c, statistic)
			}
		}
		if r.calls > 40*draws+1 {
			t.Errorf("%d calls, must be one a step", r.calls)
		}
	}
}

// TestLockstepRemembers: the best output stays known, pinned ones too, and at infinite β nothing is lost.
func TestLockstepRemembers(t *testing.T) {
	r := &ring{t: t, rng: rand.New(rand.NewPCG(4, 4)), outputs: map[int64]int{0: 2, 1: 3}}
	l := walks.NewLockstep(r, ringScores(1, -1), 1, walks.Numbers(2, 2), 8, []uint64{1, 2})
	l.Begin([]int64{0, 1}, []float64{2, 3})
	pinned := map[int64]int{l.Pin(0): 2}
	for step := range 2000 {
		before := slices.Clone(l.Value)
		beta := []float64{math.Inf(1), 0.1}
		if err := l.Step(beta, false); err != nil {
			t.Fatal(err)
		}
		if r.asked != 2 || l.Value[0] < before[0] {
			t.Fatalf("step %d: %d moves, from %v to %v", step, r.asked, before, l.Value)
		}
		if step%50 == 0 {
			pinned[l.Pin(1)] = int(l.Psi[1])
		}
	}
	for number, y := range slicex.InOrder(pinned) {
		if r.outputs[number] != y {
			t.Errorf("number %d is %d, was pinned as %d", number, r.outputs[number], y)
		}
	}
	if r.outputs[l.Best[0]] != 5 || l.Most[0] != 5 || r.outputs[l.Best[1]] != 0 || l.Most[1] != 0 || l.Accepted[1] > 2000 {
		t.Errorf("best are %v with %v, after %v accepted", l.Best, l.Most, l.Accepted)
	}
	if a, b := l.Fresh(), l.Fresh(); a == b || r.outputs[b] != 0 {
		t.Errorf("%d and %d are fresh", a, b)
	}
}

// moverOf is a function that moves.
type moverOf func(of, from, to []int64, psi, ratio []float64) error

func (f moverOf) Move(of, from, to []int64, psi, ratio []float64) error {
	return f(of, from, to, psi, ratio)
}

// TestWhatMoversDoWrong: errors come through, and numbers that are none are refused with their walk.
func TestWhatMoversDoWrong(t *testing.T) {
	none := errors.New("there are no more")
	for name, c := range slicex.InOrder(map[string]struct {
		move func(psi, ratio []float64) error
		row  int
	}{
		"there are no more":          {func(_, _ []float64) error { return none }, fault.NoRow},
		"must be finite":             {func(psi, _ []float64) error { psi[1] = math.NaN(); return nil }, 1},
		"the ratio of a move is NaN": {func(_, ratio []float64) error { ratio[0] = math.NaN(); return nil }, 0},
	}) {
		mover := moverOf(func(_, _, _ []int64, psi, ratio []float64) error { return c.move(psi, ratio) })
		l := walks.NewLockstep(mover, ringScores(1, 1), 1, walks.Numbers(2, 2), 1, []uint64{1, 2})
		l.Begin([]int64{0, 1}, []float64{0, 0})
		err := l.Step([]float64{1, 1}, false)
		if err == nil || !strings.Contains(err.Error(), name) || fault.RowOf(err) != c.row {
			t.Errorf("%v, want %q of chain %d", err, name, c.row)
		}
	}
	nowhere := moverOf(func(_, _, _ []int64, _, ratio []float64) error { ratio[0] = math.Inf(-1); return nil })
	if walks.NewLockstep(nowhere, ringScores(1), 1, walks.Numbers(0, 1), 1, []uint64{1}).Draw(0) == nil {
		t.Error("a chain begins nowhere")
	}
}
