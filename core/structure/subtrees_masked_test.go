package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/logsum"
	"combpred/core/structure/examples"
)

// TestSubtreesOfManySizes compares subtrees of ranges of sizes, some nodes fixed, with sums and maxima over pairs of numbers of nodes
// below each node.
func TestSubtreesOfManySizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, n := range []int{2, 15, 60, 300} {
		for trial := range 20 {
			parent := [][]int32{randomTree(n, rng), examples.BinaryTree(n), examples.Chain(n)}[trial%3]
			space := mustNew(t, "subtrees", examples.Subtrees(parent)).(*subtrees)
			mask, state := NewMask(), make([]int8, n)
			for range rng.IntN(3) {
				v, x := rng.IntN(n), int8(2*rng.IntN(2)-1)
				state[v] = x
				mask.Limit(n, v, AnyValue)
				mask.Entries[v] = only(max(x, 0))
			}
			lo := 1 + rng.IntN(n)
			mask.Size = Range{lo, lo + rng.IntN(n+1-lo)}
			s := gaussians(n, 1, rng)
			sum := bySize(space, s, state, logsum.Add)
			most := bySize(space, s, state, math.Max)
			want, best := sums{math.Inf(-1), nil}, math.Inf(-1)
			for k := mask.Size.Least; k <= mask.Size.Most; k++ {
				want.logZ, best = logsum.Add(want.logZ, sum[k]), max(best, most[k])
			}
			if math.IsInf(best, -1) {
				if _, err := Within(space, mask); !errors.Is(err, ErrNone) {
					t.Fatalf("nothing is left of %v under %+v: %v", parent, mask, err)
				}
				continue
			}
			part := under(t, space, mask)
			want.check(t, part, s, rng)
			y, e := make([]int32, n), part.engine.(*maskedSubtrees)
			if cert, err := part.Decode(y, Scores{Linear: s}); err != nil || part.Check(y) != nil || math.Abs(cert.Value-best) > 1e-9 {
				t.Fatalf("%v under %+v: the best subtree has %v, want %v, error %v", parent, mask, cert.Value, best, err)
			}
			if value := e.knapsack(y, Scores{Linear: s}); part.Check(y) != nil || math.Abs(value-best) > 1e-9 {
				t.Fatalf("%v under %+v: the knapsack problem gives %v, want %v; %v", parent, mask, value, best, part.Check(y))
			}
		}
	}
}

// bySize returns what the subtrees of each number of nodes come to, by sums of logarithms or maxima.
func bySize(t *subtrees, s []float64, state []int8, add func(x, y float64) float64) []float64 {
	n := len(s)
	below := make([][]float64, n)
	for v := range below {
		below[v] = []float64{math.Inf(-1), s[v]}
	}
	for i := n - 1; i >= 0; i-- {
		v := t.order[i]
		p := t.parent[v]
		if state[v] > 0 {
			below[v][0] = math.Inf(-1)
		} else if p >= 0 {
			required := false // anything below
			for j := i + 1; j < n; j++ {
				for at := t.order[j]; at >= 0; at = t.parent[at] {
					required = required || at == v && state[t.order[j]] > 0
				}
			}
			if !required {
				below[v][0] = 0
			}
		}
		if state[v] < 0 {
			for k := 1; k < len(below[v]); k++ {
				below[v][k] = math.Inf(-1)
			}
		}
		if p < 0 {
			break
		}
		sum := make([]float64, len(below[p])+len(below[v])-1)
		fill(sum, math.Inf(-1))
		for j, x := range below[p] {
			for k, y := range below[v] {
				sum[j+k] = add(sum[j+k], x+y)
			}
		}
		below[p] = sum
	}
	return append(below[t.order[0]], math.Inf(-1))
}

// TestSubtreesOfManyNodes: sizes are bounded at sizes at which one of the two decoders alone can do so, and refused where neither can.
func TestSubtreesOfManyNodes(t *testing.T) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(14, 1))
	space := mustNew(t, "subtrees", examples.Subtrees(randomTree(n, rng)))
	for _, c := range []struct {
		size  Range
		score float64
		want  float64
	}{
		{Range{60, n}, -1, -60}, {Range{1, 600}, 1, 600}, {Range{40, 50}, 1, 50}, {Range{40, 50}, -1, -40}, {Range{600, 600}, 1, 600},
	} {
		mask := NewMask()
		mask.Size = c.size
		part, y, score := under(t, space, mask), make([]int32, n), Scores{Linear: make([]float64, n)}
		fill(score.Linear, c.score)
		if cert, err := part.Decode(y, score); err != nil || cert.Value != c.want || part.Check(y) != nil {
			t.Errorf("%+v: %v, error %v, %v", c, cert, err, part.Check(y))
		}
	}
	mask := NewMask()
	mask.Size = Range{n / 2, n / 2}
	part, y, score := under(t, space, mask), make([]int32, n), Scores{Linear: make([]float64, n)}
	facts := part.Facts()
	_, err := part.Decode(y, score)
	if _, refused := errors.AsType[*LimitError](err); !refused || !facts.TooLargeToDecode || !math.IsInf(facts.Sums.Plain, 1) ||
		part.Count() != nil {
		t.Errorf("half of %d nodes: %v, facts %+v", n, err, facts)
	}
}
