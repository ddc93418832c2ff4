package tours

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
	"combpred/core/slicex"
)

// meets is the definition of a mask.
func (k *Mask) meets(tour []int32, n int) bool {
	arcs := map[[2]int]bool{}
	for i, u := range tour {
		arcs[[2]int{int(u), int(tour[next(i, len(tour))])}] = true
	}
	for v, s := range k.Vertices {
		if visited := slices.Contains(tour, int32(v)); s == Never && visited || s == Always && !visited {
			return false
		}
	}
	for i, s := range k.Arcs {
		u, v := i/n, i%n
		along, back := arcs[[2]int{u, v}], arcs[[2]int{v, u}]
		if u != v && (s == Never && along || s == Always && !along || s == EitherWay && !along && !back) {
			return false
		}
	}
	return len(tour) >= k.Least && (k.Most == 0 || len(tour) <= k.Most)
}

// maskKinds draw masks for n vertices, of one kind of condition each and of all at once. Some leave no tour.
var maskKinds = []struct {
	name string
	draw func(rng *rand.Rand, k *Mask, n int)
}{
	{"none", func(*rand.Rand, *Mask, int) {}},
	{"forbidden arcs", func(rng *rand.Rand, k *Mask, n int) { k.someArcs(rng, n, n*n/2, Never) }},
	{"required arcs", func(rng *rand.Rand, k *Mask, n int) { k.someArcs(rng, n, 1+rng.IntN(2), Always) }},
	{"required edges", func(rng *rand.Rand, k *Mask, n int) { k.someArcs(rng, n, 1+rng.IntN(2), EitherWay) }},
	{"a required path", func(rng *rand.Rand, k *Mask, n int) { k.path(rng, n, 2+rng.IntN(n-1), false) }},
	{"a required ring", func(rng *rand.Rand, k *Mask, n int) { k.path(rng, n, 3+rng.IntN(n-2), true) }},
	{"vertices", func(rng *rand.Rand, k *Mask, n int) {
		k.Vertices = make([]int8, n)
		for v := range k.Vertices {
			k.Vertices[v] = int8(rng.IntN(2) * (rng.IntN(3) - 1))
		}
	}},
	{"a range of lengths", func(rng *rand.Rand, k *Mask, n int) {
		k.Least = rng.IntN(n + 2)
		k.Most = rng.IntN(n + 2)
	}},
	{"all", func(rng *rand.Rand, k *Mask, n int) {
		k.someArcs(rng, n, rng.IntN(n), Never)
		k.someArcs(rng, n, rng.IntN(2), Always)
		k.someArcs(rng, n, rng.IntN(3), EitherWay)
		k.Vertices = make([]int8, n)
		k.Vertices[rng.IntN(n)] = int8(rng.IntN(3) - 1)
		k.Least, k.Most = rng.IntN(n), max(0, rng.IntN(2)*(n-rng.IntN(2)))
	}},
}

func (k *Mask) someArcs(rng *rand.Rand, n, count int, status int8) {
	if k.Arcs == nil {
		k.Arcs = make([]int8, n*n)
	}
	for range count {
		k.Arcs[rng.IntN(n*n)] = status
	}
}

// path requires a path or a ring of edges, of which one may be an arc.
func (k *Mask) path(rng *rand.Rand, n, length int, ring bool) {
	k.Arcs = make([]int8, n*n)
	order := rng.Perm(n)[:length]
	for i, v := range order {
		if i > 0 || ring {
			k.Arcs[order[(i+length-1)%length]*n+v] = EitherWay
		}
	}
	if rng.IntN(2) == 0 {
		k.Arcs[order[0]*n+order[1]] = Always
	}
}

// drawMask draws a mask, for symmetric problems one that says the same of an arc and its reverse.
func drawMask(rng *rand.Rand, kind, n int, symmetric bool) *Mask {
	k := new(Mask)
	maskKinds[kind].draw(rng, k, n)
	if symmetric && k.Arcs != nil {
		for u := range n {
			for v := range u {
				s := k.Arcs[u*n+v]
				if s == Always {
					s = EitherWay
				}
				k.Arcs[u*n+v], k.Arcs[v*n+u] = s, s
			}
		}
	}
	return k
}

// problems calls visit with problems of up to 6 vertices: of directed cycles, of cycles with an equal gain for both directions, and
// of routes, with masks of all kinds and gains of several sizes.
func problems(rng *rand.Rand, each int, visit func(name string, w *Workspace, k *Mask, all *drawtest.Outcomes)) {
	scales := []float64{0, 1, 20, 700, 1e9}
	for kind := range maskKinds {
		for shape, shapeName := range []string{"directed cycles", "cycles", "routes"} {
			for trial := range each {
				n, scale := 3+rng.IntN(4), scales[trial%len(scales)]
				name := fmt.Sprintf("%s, %d vertices, mask of %s, scale %g", shapeName, n, maskKinds[kind].name, scale)
				var w Workspace
				w.fill(rng, func(rng *rand.Rand, gain []float64, n int) {
					if shape == 1 {
						mirrored(rng, gain, n, 1)
					} else {
						draws["Gaussian"](rng, gain, n)
					}
					floats.Scale(scale, gain)
				}, n, shape == 2)
				k := drawMask(rng, kind, n, shape == 1)
				var all drawtest.Outcomes
				w.allTours(func(tour []int32) {
					if k.meets(tour, n) {
						all.Add(tour, w.Value(tour))
					}
				})
				visit(name, &w, k, &all)
			}
		}
	}
}

// TestMasksAgainstAllTours compares the best tour, sums, marginals and counts with those of the tours that meet the mask.
func TestMasksAgainstAllTours(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	var d Distribution // one for all, to see that nothing is left of the last problem
	none, some, logs := 0, 0, 0
	problems(rng, 60, func(name string, w *Workspace, k *Mask, all *drawtest.Outcomes) {
		n := w.n
		w.Restrict(k)
		copy(d.Reset(n, w.anchored), w.gain)
		d.Restrict(k)
		tour, arcs := make([]int32, n), make([]float64, n*n)
		length, err := w.Exact(tour)
		got, sumErr := d.Sum(arcs, nil)
		isLog := d.logs
		count, countErr := d.Count(nil)
		if int(count) != len(all.Values) || countErr != nil {
			t.Fatalf("%s: %d tours are counted, there are %d (%v)", name, count, len(all.Values), countErr)
		}
		if len(all.Values) == 0 {
			none++
			if !errors.Is(err, ErrNone) || !errors.Is(sumErr, ErrNone) {
				t.Fatalf("%s: there is no tour, the errors are %v and %v", name, err, sumErr)
			}
			return
		}
		some++
		if isLog {
			logs++
		}
		p, want := all.Probabilities()
		best := math.Inf(-1)
		wanted := make([]float64, n*n)
		rounding := 0.0 // what that of what single tours earn may change
		for i, g := range w.gain {
			if i%(n+1) != 0 {
				rounding += 1e-15 * math.Abs(g)
			}
		}
		for i, y := range all.Values {
			best = max(best, w.Value(y))
			for j, u := range y {
				wanted[int(u)*n+int(y[next(j, len(y))])] += p[i]
			}
		}
		slack := 1e-11 * max(1, math.Abs(best))
		if err != nil || !w.isTour(tour[:length]) || !k.meets(tour[:length], n) || math.Abs(w.Value(tour[:length])-best) > slack {
			t.Fatalf("%s: %v is decoded and earns %v, the best %v (%v)", name, tour[:length], w.Value(tour[:length]), best, err)
		}
		if sumErr != nil || math.Abs(got-want) > slack {
			t.Fatalf("%s: the sum is %v, want %v (%v)", name, got, want, sumErr)
		}
		if !floats.EqualApprox(arcs, wanted, 1e-10+rounding) {
			t.Fatalf("%s, %+v: the arcs have %v, want %v", name, *k, arcs, wanted)
		}
		checkCertain(t, name, k, arcs, n)
	})
	if none < 100 || some < 500 || logs < 50 {
		t.Errorf("%d masks left no tour, %d some, %d of them in logarithms: the test is too easy", none, some, logs)
	}
}

// checkCertain: what a mask says of arcs is so exactly.
func checkCertain(t *testing.T, name string, k *Mask, arcs []float64, n int) {
	t.Helper()
	for i, s := range k.Arcs {
		u, v := i/n, i%n
		if u == v {
			continue
		}
		along, back := arcs[i], arcs[v*n+u]
		if s == Never && along != 0 || s == Always && along != 1 || s == EitherWay && along+back != 1 {
			t.Fatalf("%s: the mask says %d of arc %d→%d, its marginal is %v, that of its reverse %v", name, s, u, v, along, back)
		}
	}
}

// TestMaskedDraws compares draws with the probabilities of the tours that meet the mask, by χ² with fixed seeds: each of about
// 300 comparisons gives a false alarm with a probability below 1e-6.
func TestMaskedDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	problems(rng, 15, func(name string, w *Workspace, k *Mask, all *drawtest.Outcomes) {
		if len(all.Values) == 0 {
			return
		}
		var d Distribution
		copy(d.Reset(w.n, w.anchored), w.gain)
		d.Restrict(k)
		if _, err := d.Sum(nil, nil); err != nil {
			t.Fatal(err)
		}
		tour := make([]int32, w.n)
		all.Check(t, name, func() []int32 { return tour[:d.DrawTo(tour, rng)] })
	})
}

// TestNumbersAndLogarithmsAgree at sizes without a list of all tours.
func TestNumbersAndLogarithmsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for kind, k := range maskKinds {
		for _, anchored := range []bool{false, true} {
			const n = 11
			mask := drawMask(rng, kind, n, false)
			var d Distribution
			gain := d.Reset(n, anchored)
			each(gain, func() float64 { return 3 * rng.NormFloat64() })
			d.Restrict(mask)
			arcs, again := make([]float64, n*n), make([]float64, n*n)
			got, err := d.Sum(arcs, nil)
			if errors.Is(err, ErrNone) {
				continue
			}
			if d.logs {
				t.Errorf("%s: logarithms are taken of small gains", k.name)
			}
			d.problem.gains(d.worth)
			between := make([]float64, len(d.worth))
			if err := d.sumLogs(between); err != nil {
				t.Fatal(err)
			}
			d.arcsTo(again, between)
			if math.Abs(got-d.logZ) > 1e-12*math.Abs(got) || !floats.EqualApprox(arcs, again, 1e-12) {
				t.Errorf("%s: numbers and logarithms differ: %v, %v", k.name, got, d.logZ)
			}
		}
	}
}

// TestSearchWithinMasks: local search keeps to the mask, earns no more than the best tour and no less than where it begins, and
// the bound holds. Where the mask forbids no arcs, it finds a tour, and nearly always the best one.
func TestSearchWithinMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	compared, best, missed := 0, 0, 0
	problems(rng, 12, func(name string, w *Workspace, k *Mask, all *drawtest.Outcomes) {
		n := w.n
		before := slices.Clone(w.gain)
		w.Restrict(k)
		tour := make([]int32, n)
		length, err := w.Search(tour, nil)
		if len(all.Values) == 0 {
			if !errors.Is(err, ErrNone) && !errors.Is(err, ErrNotFound) {
				t.Fatalf("%s: there is no tour, the search returns %v, %v", name, tour[:length], err)
			}
			return
		}
		most := math.Inf(-1)
		for _, y := range all.Values {
			most = max(most, w.Value(y))
		}
		slack := 1e-11 * max(1, math.Abs(most))
		if b := w.Bound(); b < most-slack {
			t.Fatalf("%s: the bound is %v, a tour earns %v", name, b, most)
		}
		compared++
		if errors.Is(err, ErrNotFound) && slices.Contains(k.Arcs, Never) {
			missed++
			return
		}
		got := w.Value(tour[:length])
		if err != nil || !k.meets(tour[:length], n) || got > most+slack {
			t.Fatalf("%s, %+v: the search finds %v, %v", name, *k, tour[:length], err)
		}
		if got > most-slack {
			best++
		}
		if length, err := w.Start(tour, nil); err == nil && (!k.meets(tour[:length], n) || w.Value(tour[:length]) > got+slack) {
			t.Fatalf("%s: the search begins at %v, and ends at %v", name, w.Value(tour[:length]), got)
		}
		for i, g := range before {
			if g != w.gain[i] {
				t.Fatal("the gains are changed")
			}
		}
	})
	t.Logf("%d compared, %d best, %d not found", compared, best, missed)
	if best+missed < compared*98/100 || missed > compared/50 {
		t.Errorf("%d of %d searches reached the best tour, %d none", best, compared, missed)
	}
}

// TestLayersAgreeWithBlocks: tables by layers give what tables in blocks do.
func TestLayersAgreeWithBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	for range 300 {
		n, kind := 4+rng.IntN(6), rng.IntN(len(maskKinds))
		var w Workspace
		w.fill(rng, draws["Gaussian"], n, rng.IntN(2) == 0)
		w.Restrict(drawMask(rng, kind, n, false))
		if w.prepare() != nil {
			continue
		}
		k := len(w.plan.nodes)
		w.worth = slicex.Grow(w.worth, k*k)
		w.costs(w.worth)
		for _, root := range w.plan.roots {
			w.rooted.begin(&w.plan, root)
			w.rooted.load(w.worth, math.Inf(1))
			want, s, last := w.tabulate()
			got, end := w.solveLayers()
			if got != want {
				t.Fatalf("%s: layers give %v, blocks %v", maskKinds[kind].name, got, want)
			}
			if math.IsInf(got, 1) {
				continue
			}
			one, other := make([]int32, n), make([]int32, n)
			one, other = one[:w.unwind(one, s, last)], other[:w.unwindLayers(other, end)]
			if math.Abs(w.Value(one)+want) > tolerance || math.Abs(w.Value(other)+want) > tolerance {
				t.Fatalf("%s: %v and %v earn %v and %v, not %v", maskKinds[kind].name, one, other, w.Value(one), w.Value(other), -want)
			}
		}
	}
}

// TestShortToursAreExactAmongManyVertices compares with the search for the best third vertex.
func TestShortToursAreExactAmongManyVertices(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	var w Workspace
	const n = 200
	w.fill(rng, draws["Gaussian"], n, true)
	tour := make([]int32, n)
	mask := &Mask{Arcs: make([]int8, n*n), Least: 5, Most: 5}
	mask.Arcs[7], mask.Arcs[9*n], mask.Arcs[7*n+8] = Always, Always, Never
	w.Restrict(mask)
	k, err := w.Exact(tour)
	if err != nil || k != 5 {
		t.Fatalf("%d vertices, error %v", k, err)
	}
	best := math.Inf(-1)
	for a := range int32(n) {
		for b := range int32(n) {
			if a != b && a != 0 && b != 0 && a != 7 && b != 7 && a != 9 && b != 9 && a != 8 {
				best = max(best, w.Value([]int32{0, 7, a, b, 9}))
			}
		}
	}
	if v := w.Value(tour[:k]); math.Abs(v-best) > tolerance {
		t.Errorf("%v earns %v, the best %v", tour[:k], v, best)
	}
	var states *StatesError
	w.Restrict(&Mask{})
	if _, err := w.Exact(tour); !errors.As(err, &states) || states.Error() == "" {
		t.Errorf("199 free vertices: %v", err)
	}
	var d Distribution
	clear(d.Reset(n, true))
	d.Restrict(mask)
	if _, err := d.Sum(nil, nil); !errors.As(err, &states) {
		t.Errorf("a sum over tours of 200 vertices: %v", err)
	}
}

// TestForbiddenVerticesDoNotCount: problems with many forbidden vertices are those without them.
func TestForbiddenVerticesDoNotCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	const n, left = 40, 9
	var w, small Workspace
	var d, sums Distribution
	w.fill(rng, draws["Gaussian"], n, false)
	mask := &Mask{Vertices: make([]int8, n)}
	order := rng.Perm(n)
	for _, v := range order[left:] {
		mask.Vertices[v] = Never
	}
	members := order[:left]
	slices.Sort(members)
	gain := small.Reset(left, false)
	for i, u := range members {
		for j, v := range members {
			gain[i*left+j] = w.gain[u*n+v]
		}
	}
	copy(sums.Reset(left, false), gain)
	copy(d.Reset(n, false), w.gain)
	w.Restrict(mask)
	d.Restrict(mask)
	one, other := make([]int32, n), make([]int32, n)
	k, err := w.Exact(one)
	l, _ := small.Exact(other)
	for i, v := range other[:l] {
		other[i] = int32(members[v])
	}
	if err != nil || !slices.Equal(one[:k], other[:l]) {
		t.Errorf("%v is decoded, without the forbidden vertices %v (%v)", one[:k], other[:l], err)
	}
	got, err := d.Sum(nil, nil)
	want, _ := sums.Sum(nil, nil)
	if err != nil || math.Abs(got-want) > 1e-12*want {
		t.Errorf("the sum is %v, without the forbidden vertices %v (%v)", got, want, err)
	}
}

// TestCountsAtTheLimit: there are Σ_k C(n,k)·(k−1)! directed cycles of three vertices or more, and Σ_{k≥2} m!/(m−k)! routes
// through m places.
func TestCountsAtTheLimit(t *testing.T) {
	var d Distribution
	const n = 15
	var cycles, routes uint64
	falling := uint64(1) // n!/(n−k)!
	for k := uint64(1); k <= n; k++ {
		falling *= n - k + 1
		if k >= 3 {
			cycles += falling / k
		}
		if k >= 2 {
			routes += falling
		}
	}
	d.Reset(n, false)
	if got, err := d.Count(nil); err != nil || got != cycles {
		t.Errorf("%d cycles are counted, there are %d (%v)", got, cycles, err)
	}
	d.Reset(n+1, true)
	if got, err := d.Count(nil); err != nil || got != routes {
		t.Errorf("%d routes are counted, there are %d (%v)", got, routes, err)
	}
	d.Reset(MaxVertices+1, true)
	if _, err := d.Count(nil); !errors.As(err, new(*SizeError)) {
		t.Errorf("a count of too many: %v", err)
	}
}

// TestSearchAmongForbiddenArcs: on graphs with a few arcs for each vertex, too large for exact decoding, the search finds tours.
func TestSearchAmongForbiddenArcs(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	var w Workspace
	const n = 40
	tour := make([]int32, n)
	for range 10 {
		w.fill(rng, draws["Gaussian"], n, false)
		mask := &Mask{Arcs: make([]int8, n*n), Vertices: make([]int8, n), Least: 5}
		for i := range mask.Arcs {
			if rng.IntN(4) > 0 {
				mask.Arcs[i] = Never
			}
		}
		order := rng.Perm(n)
		mask.Arcs[order[0]*n+order[1]] = Always
		mask.Arcs[order[2]*n+order[3]] = EitherWay
		mask.Vertices[order[4]], mask.Vertices[order[5]] = Always, Never
		w.Restrict(mask)
		if k, err := w.Search(tour, nil); err != nil || !mask.meets(tour[:k], n) || w.Value(tour[:k]) > w.Bound() {
			t.Errorf("the search finds %v, %v", tour[:k], err)
		}
	}
	stop := errors.New("stop")
	before := slices.Clone(w.gain)
	if _, err := w.Search(tour, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
	for i, g := range before {
		if g != w.gain[i] {
			t.Fatal("the gains are changed")
		}
	}
}

// TestExtent says beforehand what Exact and Sum refuse.
func TestExtent(t *testing.T) {
	required := func(n int, k Mask, v ...int) *Mask {
		k.Vertices = make([]int8, n)
		for _, v := range v {
			k.Vertices[v] = Always
		}
		return &k
	}
	follows := func(n, u, v int) *Mask {
		k := &Mask{Arcs: make([]int8, n*n)}
		k.Arcs[u*n+v] = Always
		return k
	}
	for i, c := range []struct {
		n                   int
		mask                *Mask
		decodable, summable bool
	}{
		{17, nil, true, true},
		{18, nil, false, false},
		{18, required(18, Mask{}, 3), true, true},
		{19, required(19, Mask{}, 3), false, false},
		{19, follows(19, 5, 3), true, true},
		{40, required(40, Mask{Least: 5, Most: 5}, 3), true, false},
		{40, required(40, Mask{Least: 25, Most: 25}, 3), false, false},
		{30, &Mask{Least: 4, Most: 4}, true, false},
	} {
		var w Workspace
		var d Distribution
		for i, gain := 0, w.Reset(c.n, false); i < len(gain); i++ {
			gain[i] = float64(i % 7)
		}
		copy(d.Reset(c.n, false), w.gain)
		w.Restrict(c.mask)
		d.Restrict(c.mask)
		_, exact := w.Exact(make([]int32, c.n))
		_, sum := d.Sum(nil, nil)
		got, err := ExtentOf(c.n, false, c.mask)
		if got.Decodable != c.decodable || got.Decodable != (exact == nil) || got.Summable != c.summable || got.Summable != (sum == nil) ||
			err != nil {
			t.Errorf("case %d: the extent is %+v, %v; solving gives the error %v, summing %v", i, got, err, exact, sum)
		}
	}
	for what, k := range slicex.InOrder(map[string]*Mask{"arcs": {Arcs: make([]int8, 5)}, "vertices": {Vertices: make([]int8, 5)}}) {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a mask with too few %s is accepted", what)
				}
			}()
			_, _ = ExtentOf(4, false, k)
		}()
	}
	barred := &Mask{Vertices: []int8{0, Never, Never, 0}}
	if _, err := ExtentOf(4, false, barred); err != ErrNone {
		t.Errorf("two vertices make a tour: %v", err)
	}
}
