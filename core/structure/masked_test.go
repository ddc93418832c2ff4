package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/logsum"
	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// under returns what a mask leaves of a space, with all that it can do.
func under(t *testing.T, s Space, m Mask) *restricted {
	t.Helper()
	part, err := Within(s, m)
	if err != nil {
		t.Fatal(err)
	}
	switch part := part.(type) {
	case *restricted:
		return part
	case *enumerated:
		return part.restricted
	case *searched:
		return part.restricted
	case *searchedEnumerated:
		return part.restricted
	}
	t.Fatalf("a mask leaves a %T", part)
	return nil
}

func gaussians(n int, scale float64, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}

// sums are what is expected of a part of a space.
type sums struct {
	logZ      float64
	marginals map[int]float64
}

// check compares ln Z and marginals, and these with the frequencies of draws.
func (want sums) check(t *testing.T, part *restricted, scores []float64, rng *rand.Rand) {
	t.Helper()
	marginals := make([]float64, len(scores))
	logZ, err := part.LogPartition(marginals, scores, nil)
	if err != nil || !(math.Abs(logZ-want.logZ) <= 1e-10*max(1, math.Abs(want.logZ))) {
		t.Fatalf("%v: ln Z is %v, want %v, error %v", part, logZ, want.logZ, err)
	}
	for i, p := range slicex.InOrder(want.marginals) {
		if !(math.Abs(marginals[i]-p) <= 1e-8) {
			t.Errorf("%v: marginal %d is %v, want %v", part, i, marginals[i], p)
		}
	}
	draw, err := part.Distribution(scores, nil)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 400
	y, psi, mean := make([]int32, part.PartLen()), make([]float64, len(scores)), make([]float64, len(scores))
	for range draws {
		draw(y, rng)
		if err := part.Check(y); err != nil {
			t.Fatal(err)
		}
		part.Embed(psi, y)
		for i, v := range psi {
			mean[i] += v / draws
		}
	}
	for i, p := range marginals {
		if math.Abs(mean[i]-p) > 6*math.Sqrt(p*(1-p)/draws)+4.0/draws {
			t.Errorf("%v: entry %d has the mean %v over draws, and the marginal %v", part, i, mean[i], p)
		}
	}
}

// TestSetsOfManySizes compares sets of ranges of sizes, some labels fixed, with sums over the sizes in logarithms.
func TestSetsOfManySizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, c := range []struct {
		n        int
		size     Range
		fixed    int
		scale    float64
		ofLength int
	}{
		{40, Range{0, 40}, 9, 1, -1}, {40, Range{3, 7}, 4, 2, -1}, {700, Range{10, 60}, 30, 1, -1}, {900, Range{400, 500}, 100, 3, -1},
		{2000, Range{5, 25}, 0, 1, -1}, {2000, Range{900, 1100}, 400, 2, -1}, {2000, Range{1950, 2000}, 20, 1, -1},
		{2000, Range{0, 1000}, 10, 1, 120},
	} {
		space := mustNew(t, "labelsets", examples.SizedSets(int64(c.n), int64(c.ofLength)))
		mask := NewMask()
		mask.Size = c.size
		for k := range c.fixed {
			mask.Limit(c.n, rng.IntN(c.n), []Values{Plus | Minus, Zero}[min(1, k%5)]) // may be both
		}
		state := make([]int8, c.n)
		for i, v := range mask.Entries {
			if v == 0 {
				mask.Entries[i] = Zero
			}
		}
		if s, err := mask.states(); err != nil {
			t.Fatal(err)
		} else {
			copy(state, s)
		}
		size := c.size
		if c.ofLength >= 0 {
			size = Range{c.ofLength, c.ofLength}
		}
		s := gaussians(c.n, c.scale, rng)
		want := sums{marginals: map[int]float64{}}
		all := setsBySize(s, state, size, -1)
		want.logZ = all
		for range 3 {
			i := rng.IntN(c.n)
			want.marginals[i] = math.Exp(setsBySize(s, state, size, i) - all)
		}
		part := under(t, space, mask)
		want.check(t, part, s, rng)
		checkBestSet(t, part, s, state, size)
		if n, err := LogCount(part); err != nil || math.Abs(n-setsBySize(make([]float64, c.n), state, size, -1)) > 1e-9*max(1, n) {
			t.Errorf("%v: the logarithm of the count is %v", part, n)
		}
	}
}

// setsBySize returns ln Σ eˢ over the sets of some sizes, those with label with if that is not −1.
func setsBySize(s []float64, state []int8, size Range, with int) float64 {
	most := min(size.Most, len(s))
	byK := make([]float64, most+1)
	fill(byK, math.Inf(-1))
	byK[0] = 0
	for i, x := range s {
		for k := most; k >= 0 && state[i] >= 0; k-- {
			taken := math.Inf(-1)
			if k > 0 {
				taken = byK[k-1] + x
			}
			if state[i] > 0 || i == with {
				byK[k] = taken
			} else {
				byK[k] = logsum.Add(byK[k], taken)
			}
		}
		if i == with && state[i] < 0 {
			return math.Inf(-1)
		}
	}
	sum := math.Inf(-1)
	for k := max(size.Least, 0); k <= most; k++ {
		sum = logsum.Add(sum, byK[k])
	}
	return sum
}

// checkBestSet compares the best set with that of the best size, of the labels of largest scores.
func checkBestSet(t *testing.T, part *restricted, s []float64, state []int8, size Range) {
	t.Helper()
	var free []float64
	value, in := 0.0, 0
	for i, x := range s {
		switch state[i] {
		case 0:
			free = append(free, x)
		case 1:
			value += x
			in++
		}
	}
	slices.Sort(free)
	slices.Reverse(free)
	best := math.Inf(-1)
	for k := 0; k <= len(free); k++ {
		if size.has(in + k) {
			best = max(best, value)
		}
		if k < len(free) {
			value += free[k]
		}
	}
	y := make([]int32, len(s))
	cert, err := part.Decode(y, Scores{Linear: s})
	if err != nil || part.Check(y) != nil || math.Abs(cert.Value-best) > 1e-9*max(1, math.Abs(best)) {
		t.Errorf("%v: the best set has %v, want %v; error %v, %v", part, cert.Value, best, err, part.Check(y))
	}
}

// TestWithinALargeHierarchy compares 4096 nodes, held to the subtree of one of them and out of that of another, with all of them in turn.
func TestWithinALargeHierarchy(t *testing.T) {
	const n = 4096
	rng := rand.New(rand.NewPCG(12, 1))
	for name, parent := range slicex.InOrder(map[string][]int32{"random": randomTree(n, rng), "binary": examples.BinaryTree(n)}) {
		space := mustNew(t, "hierarchy", examples.Hierarchy(parent, nil))
		within, but := 3, n-40
		for at := int32(but); at >= 0; at = parent[at] {
			if at == int32(within) {
				but = n - 1
			}
		}
		restriction, err := space.(Restricter).Restrict()([]Condition{{WithinKey, within, Alone}})
		if err != nil {
			t.Fatal(err)
		}
		restriction.Mask.Limit(n, but, Zero)
		s := gaussians(n, 1, rng)
		want, best, left := sums{math.Inf(-1), map[int]float64{}}, math.Inf(-1), 0
		values, psi := map[int]float64{}, make([]float64, n)
		for v := range n {
			space.Embed(psi, []int32{int32(v)})
			if psi[within] == 0 || psi[but] == 1 {
				continue
			}
			values[v] = Scores{Linear: s}.Value(psi)
			want.logZ, best = logsum.Add(want.logZ, values[v]), max(best, values[v])
			left++
		}
		for v, x := range slicex.InOrder(values) {
			space.Embed(psi, []int32{int32(v)})
			for i, in := range psi {
				want.marginals[i] += in * math.Exp(x-want.logZ)
			}
		}
		part := under(t, space, restriction.Mask)
		if got := part.Count(); got.Int64() != int64(left) || left < 2 {
			t.Errorf("%s: %v nodes are left, want %d", name, got, left)
		}
		want.check(t, part, s, rng)
		y := []int32{-1}
		if cert, err := part.Decode(y, Scores{Linear: s}); err != nil || part.Check(y) != nil || math.Abs(cert.Value-best) > 1e-9 {
			t.Errorf("%s: node %d has %v, want %v, error %v", name, y[0], cert.Value, best, err)
		}
	}
}

func randomTree(n int, rng *rand.Rand) []int32 {
	parent := make([]int32, n)
	parent[0] = -1
	for v := 1; v < n; v++ {
		parent[v] = int32(rng.IntN(v))
	}
	return parent
}
