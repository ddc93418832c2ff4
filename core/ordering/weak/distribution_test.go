package weak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/internal/drawtest"
	"combpred/core/slicex"
)

// choiceDraws are distributions of masks of pairs, drawn pair by pair: some leave nearly all rankings, some one or none.
var choiceDraws = map[string]func(*rand.Rand) Choices{
	"open":      func(*rand.Rand) Choices { return MayAll },
	"few taken": func(r *rand.Rand) Choices { return MayAll &^ (1 << r.IntN(9)) },
	"one taken": func(r *rand.Rand) Choices { return MayAll &^ (1 << r.IntN(3)) },
	"any":       func(r *rand.Rand) Choices { return Choices(1 + r.IntN(7)) },
	"decided": func(r *rand.Rand) Choices {
		return []Choices{MayAll, MayAll, MayAll, MayPrecede, MayLevel, MayFollow}[r.IntN(6)]
	},
	"upwards": func(r *rand.Rand) Choices { return MayPrecede | Choices(r.IntN(8)) },
	"empty":   func(r *rand.Rand) Choices { return Choices(r.IntN(8)) },
}

func drawChoices(mask []Choices, n int, draw func(*rand.Rand) Choices, rng *rand.Rand) {
	for u := range n {
		for v := u + 1; v < n; v++ {
			mask[u*n+v] = draw(rng)
		}
	}
}

// allowsRank reports by definition whether a mask allows a ranking.
func allowsRank(mask []Choices, rank []int32) bool {
	n := len(rank)
	for u := range n {
		for v := u + 1; v < n; v++ {
			choice := MayLevel
			if rank[u] < rank[v] {
				choice = MayPrecede
			} else if rank[u] > rank[v] {
				choice = MayFollow
			}
			if mask[u*n+v]&choice == 0 {
				return false
			}
		}
	}
	return true
}

// tiedInstance is an instance with what each choice of a pair earns.
type tiedInstance struct {
	n                   int
	before, tie         []float64
	mask                []Choices
	name                string
	size                float64
	outcomes            drawtest.Outcomes
	first, both         []float64 // probabilities by the list
	seenFirst, seenBoth []int
}

func newTiedInstance(n int, scale float64, draw func(*rand.Rand) Choices, rng *rand.Rand) *tiedInstance {
	x := &tiedInstance{n: n, before: make([]float64, n*n), tie: make([]float64, n*n), mask: make([]Choices, n*n)}
	x.first, x.both, x.seenFirst, x.seenBoth = make([]float64, n*n), make([]float64, n*n), make([]int, n*n), make([]int, n*n)
	drawChoices(x.mask, n, draw, rng)
	for u := range n {
		for v := range n {
			if u != v {
				x.before[u*n+v], x.tie[u*n+v] = drawtest.Score(scale, rng), drawtest.Score(scale, rng)
				x.size += math.Abs(x.before[u*n+v]) + math.Abs(x.tie[u*n+v])
			}
		}
	}
	weakOrders(n, func(rank []int32) {
		if allowsRank(x.mask, rank) {
			var value float64
			x.each(rank, func(at int) { value += x.before[at] }, func(at int) { value += x.tie[at] })
			x.outcomes.Add(rank, value)
		}
	})
	if len(x.outcomes.Values) == 0 {
		return x
	}
	p, _ := x.outcomes.Probabilities()
	for k, rank := range x.outcomes.Values {
		x.each(rank, func(at int) { x.first[at] += p[k]; x.seenFirst[at]++ }, func(at int) { x.both[at] += p[k]; x.seenBoth[at]++ })
	}
	return x
}

// each calls strict for the ordered pairs that differ in a ranking, and tied for the pairs u < v that do not.
func (x *tiedInstance) each(rank []int32, strict, tied func(at int)) {
	for u := range x.n {
		for v := range x.n {
			switch {
			case rank[u] < rank[v]:
				strict(u*x.n + v)
			case u < v && rank[u] == rank[v]:
				tied(u*x.n + v)
			}
		}
	}
}

// TestDistributionUnderMasks compares sums, pairs, counts and draws under a mask with the filtered list of rankings.
// Draws of a correct sampler fail with a probability below 1e-6 for each of some hundred masks.
func TestDistributionUnderMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	none := 0
	for name, draw := range slicex.InOrder(choiceDraws) {
		for _, scale := range []float64{0, 1, 40, 700, 1e9, drawtest.Mixed} {
			for n := 1; n <= 5; n++ {
				for round := range 6 {
					x := newTiedInstance(n, scale, draw, rng)
					x.name = fmt.Sprintf("%s, %d items, scale %g, %v", name, n, scale, x.mask)
					x.check(t, rng, round == 0)
					if len(x.outcomes.Values) == 0 {
						none++
					}
				}
			}
		}
	}
	if none < 50 {
		t.Errorf("only %d masks leave nothing", none)
	}
}

func (x *tiedInstance) check(t *testing.T, rng *rand.Rand, draws bool) {
	n, listed := x.n, len(x.outcomes.Values)
	var d Distribution
	before, tie := d.Reset(n)
	copy(before, x.before)
	copy(tie, x.tie)
	copy(d.Restrict(), x.mask)
	if count, err := d.Count(nil); err != nil || int(count) != listed {
		t.Fatalf("%s: the count is %d, want %d (%v)", x.name, count, listed, err)
	}
	got, err := d.Sum(nil)
	if listed == 0 {
		if !errors.Is(err, ErrNone) {
			t.Fatalf("%s: the sum of none is %v (%v)", x.name, got, err)
		}
		return
	}
	if _, want := x.outcomes.Probabilities(); err != nil || math.Abs(got-want) > 1e-11+1e-14*x.size {
		t.Fatalf("%s: the sum is %v, want %v (%v)", x.name, got, want, err)
	}
	first, both := make([]float64, n*n), make([]float64, n*n)
	if err := d.PairsTo(first, both, nil); err != nil {
		t.Fatal(err)
	}
	tolerance := 1e-11 + 1e-14*x.size
	same := func(at int, got, want float64, seen int) {
		if math.Abs(got-want) > tolerance || seen == 0 && got != 0 || seen == listed && got != 1 {
			t.Fatalf("%s: entry %d has %v, want %v, in %d of %d rankings", x.name, at, got, want, seen, listed)
		}
	}
	for u := range n {
		for v := range n {
			if at := u*n + v; u != v {
				same(at, first[at], x.first[at], x.seenFirst[at])
				if u < v {
					same(at, both[at], x.both[at], x.seenBoth[at])
				}
			}
		}
	}
	if draws && x.size < 1e6 {
		rank := make([]int32, n)
		x.outcomes.Check(t, x.name, func() []int32 {
			d.DrawTo(rank, rng)
			return rank
		})
	}
}

// TestDistributionLogs: the two ways to weigh rankings give the same sums and pairs where both are in range.
func TestDistributionLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	for n := 2; n <= 8; n++ {
		var d, l Distribution
		before, tie := d.Reset(n)
		for i := range before {
			before[i], tie[i] = 3*rng.NormFloat64(), 3*rng.NormFloat64()
		}
		gains, ties := l.Reset(n)
		copy(gains, before)
		copy(ties, tie)
		want, _ := d.Sum(nil)
		if _, err := l.Sum(nil); err != nil {
			t.Fatal(err)
		}
		base := want - math.Log(d.sums[0])
		got, err := l.sumLogs()
		if err != nil || math.Abs(got+base-want) > 1e-11*(1+math.Abs(want)) {
			t.Fatalf("%d items: the sums are %v and %v (%v)", n, got+base, want, err)
		}
		var first, second [2][]float64
		for i := range first {
			first[i], second[i] = make([]float64, n*n), make([]float64, n*n)
		}
		if err := errors.Join(d.PairsTo(first[0], first[1], nil), l.PairsTo(second[0], second[1], nil)); err != nil {
			t.Fatal(err)
		}
		for i := range first {
			for at, p := range first[i] {
				if math.Abs(p-second[i][at]) > 1e-12 {
					t.Fatalf("%d items: entry %d has %v and %v", n, at, p, second[i][at])
				}
			}
		}
	}
}

// TestCounts: the ordered Bell numbers (OEIS A000670), and the linear extensions of an antichain, n! where no tie is allowed.
func TestCounts(t *testing.T) {
	var d Distribution
	for n, want := range slicex.InOrder(map[int]uint64{1: 1, 4: 75, 9: 7087261, 12: 28091567595}) {
		d.Reset(n)
		if got, err := d.Count(nil); err != nil || got != want {
			t.Errorf("%d items: the count is %d, want %d (%v)", n, got, want, err)
		}
	}
	d.Reset(10)
	drawChoices(d.Restrict(), 10, func(*rand.Rand) Choices { return MayPrecede | MayFollow }, nil)
	if got, err := d.Count(nil); err != nil || got != 3628800 {
		t.Errorf("the count without ties is %d, want 10! (%v)", got, err)
	}
}

// TestDistributionAgainstAllRankings: sums, pairs and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, scale := range []float64{0, 1, 900} {
		for n := 1; n <= 5; n++ {
			name := fmt.Sprintf("%d items, scale %g", n, scale)
			var d Distribution
			before, tie := d.Reset(n)
			for u := range n {
				for v := range n {
					before[u*n+v], tie[u*n+v] = 0, scale*rng.NormFloat64()
					if u != v {
						before[u*n+v] = scale * rng.NormFloat64()
					}
				}
			}
			var all drawtest.Outcomes
			each := func(rank []int32, strict, tied func(at int)) {
				for u := range n {
					for v := range n {
						switch {
						case rank[u] < rank[v]:
							strict(u*n + v)
						case u < v && rank[u] == rank[v]:
							tied(u*n + v)
						}
					}
				}
			}
			weakOrders(n, func(rank []int32) {
				var value float64
				each(rank, func(at int) { value += before[at] }, func(at int) { value += tie[at] })
				all.Add(rank, value)
			})
			p, want := all.Probabilities()
			got, err := d.Sum(nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			first, firstWanted := make([]float64, n*n), make([]float64, n*n)
			both, bothWanted := make([]float64, n*n), make([]float64, n*n)
			for k, rank := range all.Values {
				each(rank, func(at int) { firstWanted[at] += p[k] }, func(at int) { bothWanted[at] += p[k] })
			}
			if err := d.PairsTo(first, both, nil); err != nil {
				t.Fatal(err)
			}
			for u := range n {
				for v := range n {
					if at := u*n + v; u != v && math.Abs(first[at]-firstWanted[at]) > 1e-10 ||
						u < v && math.Abs(both[at]-bothWanted[at]) > 1e-10 {
						t.Errorf("%s: pair %d, %d has %g and %g, want %g and %g", name, u, v, first[at], both[at], firstWanted[at],
							bothWanted[at])
					}
				}
			}
			rank := make([]int32, n)
			all.Check(t, name, func() []int32 {
				d.DrawTo(rank, rng)
				return rank
			})
		}
	}
}

func TestSumsStop(t *testing.T) {
	errStop := errors.New("stop")
	stop := func() error { return errStop }
	var d Distribution
	before, tie := d.Reset(10)
	clear(before)
	clear(tie)
	if _, err := d.Sum(stop); !errors.Is(err, errStop) {
		t.Errorf("the sum ends with %v", err)
	}
	if _, err := d.Sum(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.PairsTo(before, tie, stop); !errors.Is(err, errStop) {
		t.Errorf("the pairs end with %v", err)
	}
	if _, err := d.Count(stop); !errors.Is(err, errStop) {
		t.Errorf("the count ends with %v", err)
	}
}
