package structuretest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"combpred/core/slicex"
	"combpred/core/structure"
)

const (
	// mostMoving bounds the number of outputs between which the frequencies of all moves are counted, and proposals is
	// the number of moves drawn from each.
	mostMoving, proposals = 400, 4000
	// leastExpected is the number of moves between two outputs, in both directions, from which on they are compared.
	leastExpected = 10
)

// moves: local moves lead to members, leave where they start as it is, gain what they say, join all outputs, and are as
// frequent in either direction.
func (e *enumerated) moves(t *testing.T) {
	proposer, ok := e.space.(structure.Proposer)
	if !ok {
		t.Skip("no Proposer")
	}
	e.walk(t)
	n := len(e.outputs)
	if n > mostMoving {
		return
	}
	rng := generator(40)
	seen := make([]map[int]float64, n) // seen[i][j]: moves from i to j
	for i, y := range e.outputs {
		seen[i] = map[int]float64{}
		for range proposals {
			seen[i][e.propose(t, proposer, y, rng)]++
		}
	}
	if reached := reachable(seen); reached < n {
		t.Errorf("moves lead from the first output to %d of %d", reached, n)
	}
	// Bowker's test of symmetry (1948): given how many moves lie between two outputs, a fair coin decides on the direction
	// of each. A correct Proposer fails with probability falseAlarm for one size.
	var statistic, freedom float64
	for i := range seen {
		for j, forth := range slicex.InOrder(seen[i]) {
			back := seen[j][i]
			if i == j || back > 0 && j < i || forth+back < leastExpected {
				continue // counted from the other side, if at all
			}
			statistic += (forth - back) * (forth - back) / (forth + back)
			freedom++
		}
	}
	if n > 1 && freedom == 0 {
		t.Fatal("no two outputs have enough moves between them to be compared")
	}
	if p := mathext.GammaIncRegComp(max(freedom, 1)/2, statistic/2); p < falseAlarm {
		t.Errorf("χ² is %.1f with %.0f degrees of freedom, p = %.2g: the moves are not symmetric", statistic, freedom, p)
	}
}

// propose draws a move from y and returns the place of its end in the list.
func (e *enumerated) propose(t *testing.T, proposer structure.Proposer, y []int32, rng *rand.Rand) int {
	t.Helper()
	original, z := slices.Clone(y), garbageParts(len(y))
	proposer.Propose(z, y, rng)
	if !slices.Equal(original, y) {
		t.Fatalf("Propose changes %v to %v", original, y)
	}
	at, ok := e.index[key(z)]
	if !ok {
		t.Fatalf("a move leads from %v to %v, which is not in the list", y, z)
	}
	return at
}

// reachable returns the number of outputs to which moves lead from the first.
func reachable(seen []map[int]float64) int {
	reached := make([]bool, len(seen))
	reached[0] = true
	queue := []int{0}
	for i := 0; i < len(queue); i++ {
		for j := range slicex.InOrder(seen[queue[i]]) {
			if !reached[j] {
				reached[j] = true
				queue = append(queue, j)
			}
		}
	}
	return len(queue)
}

// walk: from decoded or sampled outputs moves lead to members and gain what they say.
func (s subject) walk(t *testing.T) {
	proposer, ok := s.space.(structure.Proposer)
	if !ok {
		t.Skip("no Proposer")
	}
	gain := s.space.Facts().Moves.Gain
	rng := generator(41)
	y, z := garbageParts(s.space.PartLen()), garbageParts(s.space.PartLen())
	for score := range scoreVectors(s.space.FeatureLen(), 18, rng) {
		switch first := s.space.(type) {
		case structure.Sampler:
			first.Sample(y, rng)
		case structure.Searcher:
			if _, err := first.Start(y, score, nil); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatal("a Proposer must be a Sampler or a Searcher")
		}
		value := score.Value(s.embed(y))
		for range 40 {
			proposer.Propose(z, y, rng)
			if err := s.space.Check(z); err != nil {
				t.Fatalf("a move leads to no member: %v", err)
			}
			if gain != nil {
				next := score.Value(s.embed(z))
				if gained := gain(z, y, score); !(math.Abs(gained-(next-value)) <= slack(score)) {
					t.Fatalf("Gain is %v, the scores are %v and then %v", gained, value, next)
				}
				value = next
			}
			y, z = z, y
		}
	}
}
