package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/logsum"
	"combpred/core/structure/examples"
)

// TestPathsOfManyLengths compares the paths of a range of lengths that hold an arc and not some others with sums by vertex, length, and
// whether the arc was passed.
func TestPathsOfManyLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	const n = 150
	var arcs [][2]int32
	for v := range int32(n - 1) {
		arcs = append(arcs, [2]int32{v, v + 1})
		for _, step := range rng.Perm(6)[:2] {
			if w := v + 2 + int32(step); w < n {
				arcs = append(arcs, [2]int32{v, w})
			}
		}
	}
	space := mustNew(t, "paths", examples.Paths(n, arcs, 0, n-1, nil))
	for _, length := range []Range{{0, n}, {60, 62}, {0, 40}, {100, 200}, {149, 149}} {
		for _, required := range []int{-1, 0, 90} {
			mask, state := NewMask(), make([]int8, len(arcs))
			mask.Size = length
			if required >= 0 {
				state[required] = 1
				mask.Limit(len(arcs), required, Plus)
			}
			for range 10 {
				if a := rng.IntN(len(arcs)); arcs[a][1]-arcs[a][0] > 1 && a != required {
					state[a] = -1
					mask.Limit(len(arcs), a, Zero)
				}
			}
			s := gaussians(len(arcs), 1, rng)
			want := sums{logZ: byLength(arcs, s, state, length, required, logsum.Add)}
			best := byLength(arcs, s, state, length, required, math.Max)
			if math.IsInf(best, -1) {
				if _, err := Within(space, mask); !errors.Is(err, ErrNone) {
					t.Errorf("nothing is left of %+v: %v", mask, err)
				}
				continue
			}
			part, y := under(t, space, mask), make([]int32, space.PartLen())
			want.check(t, part, s, rng)
			if cert, err := part.Decode(y, Scores{Linear: s}); err != nil || part.Check(y) != nil || math.Abs(cert.Value-best) > 1e-9 {
				t.Errorf("%v: the best path has %v, want %v; error %v", length, cert.Value, best, err)
			}
			log := byLength(arcs, make([]float64, len(arcs)), state, length, required, logsum.Add)
			if got := part.Facts().LogCount(); math.Abs(got-log) > 1e-9 {
				t.Errorf("%v: the logarithm of the count is %v, want %v", length, got, log)
			}
		}
	}
}

// byLength returns what the paths of some lengths come to, by sums of logarithms or maxima. Vertices are in topological order.
func byLength(arcs [][2]int32, s []float64, state []int8, length Range, required int, add func(x, y float64) float64) float64 {
	n := int(slices.MaxFunc(arcs, func(a, b [2]int32) int { return int(a[1] - b[1]) })[1]) + 1
	at := make([][][2]float64, n)
	for v := range at {
		at[v] = slices.Repeat([][2]float64{{math.Inf(-1), math.Inf(-1)}}, n+1)
	}
	at[0][0][0] = 0
	passed := 0
	if required >= 0 {
		passed = 1
	}
	for v := range at {
		for a, arc := range arcs {
			if int(arc[0]) != v || state[a] < 0 {
				continue
			}
			for k := range n {
				for bit := range 2 {
					to := &at[arc[1]][k+1][max(bit, btoi(a == required))]
					*to = add(*to, at[v][k][bit]+s[a])
				}
			}
		}
	}
	sum := math.Inf(-1)
	for k := length.Least; k <= min(length.Most, n); k++ {
		sum = add(sum, at[n-1][k][passed])
	}
	return sum
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTiedArcsUnderMasks compares masks on counts of groups with the list of all paths, whether or not a path can hold a group twice.
func TestTiedArcsUnderMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	left := 0
	for _, args := range []examples.Args{
		examples.Paths(4, [][2]int32{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 0, 3, []int32{0, 1, 2, 2}),
		examples.Paths(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}}, 0, 3, []int32{2, 0, 1, 4, 5, 3}),
		examples.Paths(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}}, 0, 3, []int32{0, 1, 0, 1, 1, 0}),
		examples.Trellis(5, 3), examples.Trellis(4, 2),
	} {
		space := mustNew(t, "paths", args).(*paths)
		d := space.FeatureLen()
		for range 60 {
			mask := NewMask()
			for range 1 + rng.IntN(3) {
				mask.Limit(d, rng.IntN(d), Values(1+rng.IntN(7))|Values(1<<(1+rng.IntN(2))))
			}
			if rng.IntN(2) == 0 {
				mask.Items = make([]int8, len(space.arcs))
				mask.Items[rng.IntN(len(space.arcs))] = int8(rng.IntN(3) - 1)
			}
			s := gaussians(d, 1, rng)
			want, best, count, psi := sums{logZ: math.Inf(-1)}, math.Inf(-1), 0, make([]float64, d)
			for y := range space.All() {
				if space.Embed(psi, y); mask.Allows(psi) && space.keeps(&mask, y) {
					value := Scores{Linear: s}.Value(psi)
					want.logZ, best, count = logsum.Add(want.logZ, value), max(best, value), count+1
				}
			}
			if mask.AllowsAll() {
				continue
			}
			if count == 0 {
				if _, err := Within(space, mask); !errors.Is(err, ErrNone) {
					t.Fatalf("nothing is left of %v under %+v: %v", space, mask, err)
				}
				continue
			}
			left++
			part, y := under(t, space, mask), make([]int32, space.PartLen())
			if part.Count().Int64() != int64(count) {
				t.Fatalf("%v under %+v: %v paths, want %d", space, mask, part.Count(), count)
			}
			logZ, err := part.LogPartition(nil, s, nil)
			cert, failed := part.Decode(y, Scores{Linear: s})
			if err != nil || failed != nil || part.Check(y) != nil || math.Abs(logZ-want.logZ) > 1e-9 || math.Abs(cert.Value-best) > 1e-9 {
				t.Fatalf("%v under %+v: ln Z is %v, want %v; the best path has %v, want %v", space, mask, logZ, want.logZ, cert.Value, best)
			}
		}
	}
	if left < 100 {
		t.Errorf("%d masks leave a path", left)
	}
}
