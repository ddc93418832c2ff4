package extensions

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// falseAlarm is the probability with which a correct sampler fails one χ² test, of which there are a hundred. Seeds are
// fixed.
const falseAlarm = 1e-6

func mustNew(t testing.TB, n int, pairs ...[2]int32) *Poset {
	t.Helper()
	p, err := New(n, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// random returns a poset on n elements with each relation along a random order drawn with the given probability.
func random(t testing.TB, n int, density float64, rng *rand.Rand) *Poset {
	order := rng.Perm(n)
	var pairs [][2]int32
	for i, u := range order {
		for _, v := range order[i+1:] {
			if rng.Float64() < density {
				pairs = append(pairs, [2]int32{int32(u), int32(v)})
			}
		}
	}
	return mustNew(t, n, pairs...)
}

// list returns all linear extensions by trying all orders.
func list(p *Poset) (all [][]int32) {
	order := make([]int32, 0, p.Len())
	var extend func()
	extend = func() {
		if len(order) == p.Len() {
			all = append(all, append([]int32(nil), order...))
			return
		}
		for v := range p.Len() {
			ok := true
			for _, u := range order {
				ok = ok && int(u) != v && !p.Before(v, int(u))
			}
			for u := range p.Len() { // all before v must be placed
				placed := false
				for _, w := range order {
					placed = placed || int(w) == u
				}
				ok = ok && (placed || !p.Before(u, v))
			}
			if ok {
				order = append(order, int32(v))
				extend()
				order = order[:len(order)-1]
			}
		}
	}
	extend()
	return all
}

// TestUniform: on random posets, sparse to dense, both methods draw every extension equally often, and the count is the
// length of the list.
func TestUniform(t *testing.T) {
	const drawsEach = 25
	for n := 1; n <= 6; n++ {
		for round, density := range []float64{0, 0.15, 0.3, 0.5, 0.8, 1} {
			rng := rand.New(rand.NewPCG(uint64(n), uint64(round)))
			p := random(t, n, density, rng)
			all := list(p)
			if got, err := Count(p, MostCounted, 2, nil); err != nil || got.Cmp(big.NewInt(int64(len(all)))) != 0 {
				t.Fatalf("n = %d, density %v: Count is %v, %v; the list has %d", n, density, got, err, len(all))
			}
			number := map[string]int{}
			for i, order := range all {
				number[fmt.Sprint(order)] = i
			}
			for _, method := range []Method{Counting, Coupling} {
				s, err := NewSampler(p, method, nil)
				if err != nil {
					t.Fatal(err)
				}
				var source rand.PCG
				source.Seed(3, uint64(method))
				frequency := make([]float64, len(all))
				order := make([]int32, n)
				for range drawsEach * len(all) {
					if _, err := s.Sample(order, &source, nil); err != nil {
						t.Fatal(err)
					}
					i, ok := number[fmt.Sprint(order)]
					if !ok {
						t.Fatalf("%v is no extension", order)
					}
					frequency[i]++
				}
				var statistic float64
				for _, f := range frequency {
					statistic += (f - drawsEach) * (f - drawsEach) / drawsEach
				}
				freedom := float64(len(all) - 1)
				if freedom > 0 && mathext.GammaIncRegComp(freedom/2, statistic/2) < falseAlarm {
					t.Errorf("n = %d, density %v, method %d: χ² is %v with %v degrees of freedom", n, density, method, statistic, freedom)
				}
			}
		}
	}
}

// TestKnownCounts: zigzags have the Euler numbers (OEIS A000111), the subsets of k things 1, 1, 2, 48, 1680384 (OEIS
// A046873), and elements without relations n!, at sizes beyond 64 bits, too.
func TestKnownCounts(t *testing.T) {
	check := func(name string, p *Poset, want string) {
		t.Helper()
		if got, err := Count(p, MostCounted, 2, nil); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", name, got, err, want)
		}
	}
	for n, want := range []string{1: "1", "1", "2", "5", "16", "61", "272", "1385", "7936", "50521"} {
		if n == 0 {
			continue
		}
		var pairs [][2]int32
		for i := int32(1); int(i) < n; i++ {
			if i%2 == 1 {
				pairs = append(pairs, [2]int32{i - 1, i})
			} else {
				pairs = append(pairs, [2]int32{i, i - 1})
			}
		}
		check(fmt.Sprintf("zigzag of %d", n), mustNew(t, n, pairs...), want)
	}
	for k, want := range []string{"1", "1", "2", "48", "1680384"} {
		var pairs [][2]int32
		for set := range int32(1 << k) {
			for i := range k {
				if set>>i&1 == 0 {
					pairs = append(pairs, [2]int32{set, set | 1<<i})
				}
			}
		}
		check(fmt.Sprintf("subsets of %d", k), mustNew(t, 1<<k, pairs...), want)
	}
	check("no relations", mustNew(t, 30), new(big.Int).MulRange(1, 30).String())
	check("a chain", chains(t, 1, 64), "1")
	// Two chains of 32 joined by one relation across: C(64,32) less the merges in which all of the second is first.
	want := new(big.Int).Binomial(64, 32)
	joined := mustNew(t, 64, append(chainPairs(2, 32), [2]int32{0, 63})...)
	check("two chains, joined", joined, want.Sub(want, big.NewInt(1)).String())
}

// chainPairs returns the relations of chains of length elements each, one after the other.
func chainPairs(many, length int) (pairs [][2]int32) {
	for c := range many {
		for i := 1; i < length; i++ {
			v := int32(c*length + i)
			pairs = append(pairs, [2]int32{v - 1, v})
		}
	}
	return pairs
}

func chains(t testing.TB, many, length int) *Poset {
	return mustNew(t, many*length, chainPairs(many, length)...)
}

// TestBeyondTables: coupling draws extensions of 60 connected elements whose places have the means that tables give for a
// poset with few downsets, within 5.5 standard errors.
func TestBeyondTables(t *testing.T) {
	const draws = 300
	p := mustNew(t, 30, append(chainPairs(2, 15), [2]int32{3, 20})...)
	means := map[Method][]float64{}
	variance := make([]float64, 30)
	for _, method := range []Method{Counting, Coupling} {
		s, err := NewSampler(p, method, nil)
		if err != nil {
			t.Fatal(err)
		}
		var source rand.PCG
		source.Seed(11, uint64(method))
		mean, squares := make([]float64, 30), make([]float64, 30)
		order := make([]int32, 30)
		for range draws {
			steps, err := s.Sample(order, &source, nil)
			if err != nil || (steps > 0) != (method == Coupling) {
				t.Fatalf("method %d: %d steps, error %v", method, steps, err)
			}
			for i, v := range order {
				mean[v] += float64(i) / draws
				squares[v] += float64(i*i) / draws
			}
		}
		for v := range mean {
			variance[v] += (squares[v] - mean[v]*mean[v]) / draws
		}
		means[method] = mean
	}
	for v := range variance {
		if gap := means[Counting][v] - means[Coupling][v]; math.Abs(gap) > 5.5*math.Sqrt(variance[v])+1e-9 {
			t.Errorf("element %d is at %v by counting and at %v by coupling", v, means[Counting][v], means[Coupling][v])
		}
	}

	large := random(t, 70, 0.05, rand.New(rand.NewPCG(1, 1)))
	if _, err := NewSampler(large, Counting, nil); err == nil {
		t.Error("70 elements with few relations are counted")
	} else if limit, ok := errors.AsType[*LimitError](err); !ok || limit.Kind() != fault.KindCapability {
		t.Errorf("error %v, want a LimitError", err)
	}
	s, err := NewSampler(large, Auto, nil)
	if err != nil {
		t.Fatal(err)
	}
	var source rand.PCG
	source.Seed(1, 2)
	order, clone := make([]int32, 70), make([]int32, 70)
	before := source
	if steps, err := s.Sample(order, &source, nil); err != nil || steps == 0 {
		t.Fatalf("%d steps, error %v", steps, err)
	}
	if _, err := s.Clone().Sample(clone, &before, nil); err != nil || fmt.Sprint(order) != fmt.Sprint(clone) {
		t.Errorf("a clone draws %v, error %v, from the stream of %v", clone, err, order)
	}
	for i, v := range order {
		for _, u := range order[i+1:] {
			if large.Before(int(u), int(v)) {
				t.Fatalf("%d is behind %d", u, v)
			}
		}
	}
}

func TestPolls(t *testing.T) {
	stop := errors.New("enough")
	joined := mustNew(t, 16, append(chainPairs(2, 8), [2]int32{0, 15})...)
	s, err := NewSampler(joined, Coupling, func() error { return stop })
	if err != nil {
		t.Fatal(err) // nothing to do before the draws
	}
	if _, err := s.Sample(make([]int32, 16), new(rand.PCG), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the draw ends with %v", err)
	}
	if _, err := NewSampler(joined, Auto, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the preparation ends with %v", err)
	}
	cancelled := new(parallel.Monitor)
	cancelled.Cancel()
	if _, err := Count(joined, MostCounted, 1, cancelled); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("counting ends with %v", err)
	}
}

func TestMessages(t *testing.T) {
	for want, try := range slicex.InOrder(map[string]func() (*Poset, error){
		"there are 0 elements, must be between 1 and": func() (*Poset, error) { return New(0, nil) },
		"pair 1 is (1, 3), elements must be between 0 and 2": func() (*Poset, error) {
			return New(3, [][2]int32{{0, 1}, {1, 3}})
		},
		"pair 0 puts element 2 before itself": func() (*Poset, error) { return New(3, [][2]int32{{2, 2}}) },
		"the relations lead from element 0 back to it": func() (*Poset, error) {
			return New(3, [][2]int32{{0, 1}, {1, 2}, {2, 0}})
		},
	}) {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestBatch: rows do not depend on the number of workers or of rows, only on the seed.
func TestBatch(t *testing.T) {
	p := mustNew(t, 12, append(chainPairs(3, 4), [2]int32{0, 5}, [2]int32{9, 2})...)
	for _, method := range []Method{Counting, Coupling} {
		one, many := make([]int32, 12*20), make([]int32, 12*30)
		steps := make([]int64, 30)
		if err := Batch(p, method, 5, one, nil, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := Batch(p, method, 5, many, steps, 3, nil); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(one) != fmt.Sprint(many[:len(one)]) {
			t.Errorf("method %d: workers or later rows matter", method)
		}
		if fmt.Sprint(many[:12]) == fmt.Sprint(many[12:24]) || (steps[29] > 0) != (method == Coupling) {
			t.Errorf("method %d: rows %v, steps %v", method, many[:24], steps)
		}
	}
	if Batch(p, Auto, 1, make([]int32, 13), nil, 1, nil) == nil || Batch(p, Auto, 1, make([]int32, 12), make([]int64, 2), 1, nil) == nil {
		t.Error("outputs of a wrong length are accepted")
	}
}
