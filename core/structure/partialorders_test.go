package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/ordering"
	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestPartialOrdersTables compares the tabulated numbers with lists of all orders of up to 7 items: how many there are (OEIS
// A001035), in how many the first two items are related, and that among three items one pair is related as often as two
// are, on which the second moment rests.
func TestPartialOrdersTables(t *testing.T) {
	for n := 2; n <= maxListed; n++ {
		orders, related := 0, 0
		var exactly [4]int // number of related pairs among the first three items
		extender{n: n}.list(0, func(e *extender) {
			orders++
			pairs := 0
			if e.up[0]>>1&1 == 1 || e.down[0]>>1&1 == 1 {
				related++
				pairs++
			}
			if n > 2 {
				for i := range 2 {
					if e.up[i]>>2&1 == 1 || e.down[i]>>2&1 == 1 {
						pairs++
					}
				}
				exactly[pairs]++
			}
		})
		if orders != listedOrders(n) || related != relatedOrders[n] {
			t.Errorf("%d items: %d orders, the first two related in %d; tabulated are %d and %d",
				n, orders, related, listedOrders(n), relatedOrders[n])
		}
		if got := mustNew(t, "partialorders", examples.Sized(int64(n))).(Counter).Count().Int64(); got != int64(orders) {
			t.Errorf("%d items: Count is %d, want %d", n, got, orders)
		}
		if exactly[1] != exactly[2] {
			t.Errorf("%d items: one of three pairs is related in %d orders, two are in %d", n, exactly[1], exactly[2])
		}
	}
}

// TestPartialOrdersList: the numbers of the list lead to distinct orders, all of which are members, for 6 items; for 7 the
// list has the tabulated length.
func TestPartialOrdersList(t *testing.T) {
	space := mustNew(t, "partialorders", examples.Sized(6)).(listedPartialOrders)
	seen := map[[15]int32]bool{}
	for y := range space.All() {
		if err := space.Check(y); err != nil {
			t.Fatal(err)
		}
		seen[[15]int32(y)] = true
	}
	if len(seen) != 130023 {
		t.Errorf("%d different orders of 6 items are listed, want 130023", len(seen))
	}
	if level := builtLevel(7); len(level.codes) != 6129859 || int(level.ends[130022]) != len(level.codes) {
		t.Errorf("%d orders of 7 items are listed", len(level.codes))
	}
}

// TestPartialOrdersListIsStopped: what builds the list is stopped long before the end, and nothing of it is kept.
func TestPartialOrdersListIsStopped(t *testing.T) {
	stop := errors.New("stop")
	polls := 0
	poll := func() error {
		if polls++; polls == 3 {
			return stop
		}
		return nil
	}
	if level, err := buildLevel(7, poll); err != stop || polls != 3 || len(level.codes) > listedOrders(7)/50 {
		t.Errorf("error %v after %d polls and %d orders", err, polls, len(level.codes))
	}
	space := mustNew(t, "partialorders", examples.Sized(7))
	built := orderLevels[7].built.Swap(nil)
	if err := Prepare(space, func() error { return stop }); err != stop || orderLevels[7].built.Load() != nil {
		t.Errorf("error %v, kept %t", err, orderLevels[7].built.Load() != nil)
	}
	if _, err := space.(Partitioner).LogPartition(nil, make([]float64, 21), func() error { return stop }); err != stop {
		t.Errorf("error %v of a sum", err)
	}
	orderLevels[7].built.Store(built)
	if err := Prepare(mustNew(t, "permutations", examples.Sized(3)), func() error { return stop }); err != nil {
		t.Error("a space with nothing to prepare polls")
	}
}

// TestPartialOrdersDecode compares decoding of 6 and 7 items with all orders, with magnitudes of either sign.
func TestPartialOrdersDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for n, trials := range slicex.InOrder(map[int64]int{6: 12, 7: 3}) {
		space := mustNew(t, "partialorders", examples.Sized(n)).(listedPartialOrders)
		scores, best := make([]Scores, trials), make([]float64, trials)
		for i := range scores {
			scores[i], best[i] = randomScores(space.len(), i, rng), math.Inf(-1)
		}
		for y := range space.All() {
			for i, s := range scores {
				best[i] = max(best[i], space.valueOf(y, s))
			}
		}
		y := make([]int32, space.len())
		for i, s := range scores {
			cert, err := space.Decode(y, s)
			if err != nil || space.Check(y) != nil || !cert.Optimal {
				t.Fatalf("%v with %+v, error %v", y, cert, err)
			}
			if got := space.valueOf(y, s); math.Abs(got-best[i]) > 1e-12 || math.Abs(cert.Value-best[i]) > 1e-12 {
				t.Errorf("%d items: %v scores %v, the best %v", n, y, got, best[i])
			}
		}
	}
}

// TestPartialOrdersSearchQuality: among seven items the search finds the best order in nearly all cases, its guarantee
// holds against the best and the worst, and it is 1/2 at most where the magnitudes have one sign.
func TestPartialOrdersSearchQuality(t *testing.T) {
	space := mustNew(t, "partialorders", examples.Sized(7)).(listedPartialOrders)
	rng := rand.New(rand.NewPCG(9, 2))
	missed, searched := 0, 0
	const trials = 60
	for trial := range trials {
		score := randomScores(space.len(), trial, rng)
		y := make([]int32, space.len())
		found, _ := space.Search(y, score, nil)
		if err := space.Check(y); err != nil {
			t.Fatal(err)
		}
		best, err := space.Decode(y, score)
		if err != nil {
			t.Fatal(err)
		}
		worst, err := space.Decode(y, opposite(score))
		if err != nil {
			t.Fatal(err)
		}
		if found.Value > best.Value+1e-9 || found.UpperBound < best.Value-1e-9 {
			t.Errorf("the certificate %+v contradicts the best value %v", found, best.Value)
		}
		if promised := (1-found.Nu)*best.Value - found.Nu*worst.Value; found.Value < promised-1e-9 {
			t.Errorf("the search reaches %v and guarantees %v", found.Value, promised)
		}
		if trial%3 < 2 && found.Nu > 0.5 {
			t.Errorf("the ratio is %v with magnitudes of one sign", found.Nu)
		}
		if !found.Optimal {
			searched++
		}
		if found.Value < best.Value-1e-9 {
			missed++
		}
	}
	if missed > 3 || searched < trials/2 {
		t.Errorf("%d of %d best orders were missed, at most 3 may be; %d were searched for", missed, trials, searched)
	}
}

// TestPartialOrdersChain compares the estimate with the exact probability, for 8 items from the list of 431 723 379 orders.
// An estimate is further than 5 standard errors off with probability below 1e-5 (Student's t, 63 degrees of freedom).
func TestPartialOrdersChain(t *testing.T) {
	exact := map[int]float64{4: 132.0 / 219, 6: 72564.0 / 130023, 7: 3313152.0 / 6129859, 8: 226764132.0 / 431723379}
	for n, want := range slicex.InOrder(exact) {
		q, standardError := estimateRelated(n)
		if !(math.Abs(q-want) <= 5*standardError) || standardError > 0.002 {
			t.Errorf("%d items: the estimate is %v ± %v, exact is %v", n, q, standardError, want)
		}
	}
}

// TestPartialOrdersChainTriples: beyond the list, too, the products of signs of pairs that share an item average to a third
// of q. They are summed through (after − before)² of each item. The averages of batches give a standard error; an average
// is further than 5 of them off with probability below 1e-5.
func TestPartialOrdersChainTriples(t *testing.T) {
	const n, batches, sweeps = 11, 64, 100
	rng := rand.New(rand.NewPCG(9, 3))
	var order ordering.Partial
	order.Reset(n)
	var sum, squares float64
	for batch := range batches + 8 {
		var total float64
		for range sweeps {
			for range n * n {
				u, v := rng.IntN(n), rng.IntN(n)
				if order.CanRemove(u, v) {
					order.Remove(u, v)
				} else if order.CanAdd(u, v) {
					order.Add(u, v)
				}
			}
			total += tripleExcess(&order, n)
		}
		if batch >= 8 {
			sum += total / sweeps
			squares += (total / sweeps) * (total / sweeps)
		}
	}
	mean := sum / batches
	standardError := math.Sqrt((squares/batches - mean*mean) / (batches - 1))
	if math.Abs(mean) > 5*standardError || standardError > 0.005 {
		t.Errorf("b/q − 1/3 is estimated as %v ± %v", mean, standardError)
	}
}

// tripleExcess returns the average of the products less a third of that of the squares, for one order.
func tripleExcess(order *ordering.Partial, n int) float64 {
	related, products := 0, 0
	for u := range n {
		net, degree := 0, 0
		for v := range n {
			switch {
			case order.Before(u, v):
				net++
				degree++
			case order.Before(v, u):
				net--
				degree++
			}
		}
		related += degree
		products += net*net - degree
	}
	ordered := float64(n * (n - 1))
	return float64(products)/(ordered*float64(n-2)) - float64(related)/ordered/3
}

// TestPartialOrdersKinds: which moments are taken at which size, and which capabilities go with it.
func TestPartialOrdersKinds(t *testing.T) {
	for _, c := range []struct {
		args    examples.Args
		kind    MomentsKind
		counted bool
		listed  bool
	}{
		{examples.Sized(7), ExactMoments, true, true},
		{examples.Sized(8), RelaxedMoments, true, false},
		{examples.Sized(18), RelaxedMoments, true, false},
		{examples.Sized(19), RelaxedMoments, false, false},
		{examples.PartialOrders(5, momentsRelaxed), RelaxedMoments, true, true},
		{examples.PartialOrders(9, momentsSampled), SampledMoments, true, false},
	} {
		space := mustNew(t, "partialorders", c.args)
		facts := space.Facts()
		estimated := facts.StandardError != nil && facts.StandardError() > 0
		_, counted := space.(Counter)
		_, listed := space.(Enumerator)
		if facts.Moments != c.kind || counted != c.counted || listed != c.listed || estimated != (c.kind == SampledMoments) {
			t.Errorf("%v: moments of kind %v, counted = %t, listed = %t", c.args.Scalars, facts.Moments, counted, listed)
		}
	}
	for _, args := range []examples.Args{examples.PartialOrders(8, momentsExact), examples.PartialOrders(49, momentsSampled)} {
		if _, err := build("partialorders", args); err == nil {
			t.Errorf("%v is accepted", args.Scalars)
		} else if _, ok := errors.AsType[*LimitError](err); !ok {
			t.Errorf("%v is refused with %v, must be a LimitError", args.Scalars, err)
		}
	}
	_, err := build("partialorders", examples.PartialOrders(5, 4))
	expectError(t, err, `"moments" is 4, must be between 0 and 3`)
}

// TestPartialOrdersLarge: consistent scores are decoded exactly at any size; others have a bound and a guarantee.
func TestPartialOrdersLarge(t *testing.T) {
	const n = 40
	space := mustNew(t, "partialorders", examples.Sized(n)).(partialOrders)
	score := Scores{Linear: make([]float64, space.len()), Magnitude: make([]float64, space.len())}
	want := make([]int32, space.len())
	for u := range n {
		for v := u + 1; v < n; v++ { // layers of four: unrelated within
			if u/4 < v/4 {
				score.Linear[space.pair(u, v)] = -1
				want[space.pair(u, v)] = -1
			}
		}
	}
	fill(score.Magnitude, -0.5)
	y := make([]int32, space.len())
	if cert, err := space.Decode(y, score); err != nil || !slices.Equal(y, want) || cert.Value != 360 {
		t.Errorf("the layers give %+v, error %v", cert, err)
	}
	rng := rand.New(rand.NewPCG(9, 4))
	for i := range score.Linear {
		score.Linear[i] = rng.NormFloat64()
	}
	if _, err := space.Decode(y, score); err == nil {
		t.Error("scores that are not consistent are decoded exactly")
	} else if limit, ok := errors.AsType[*LimitError](err); !ok || limit.Limit != maxListed || limit.Size != n {
		t.Errorf("the error is %v", err)
	}
	cert, _ := space.Search(y, score, nil)
	if err := space.Check(y); err != nil || cert.Optimal || !(cert.Nu > 0 && cert.Nu <= 0.5) || !(cert.Value > 0) {
		t.Errorf("the search gives %+v, error %v", cert, err)
	}
}

func TestPartialOrdersMessages(t *testing.T) {
	space := mustNew(t, "partialorders", examples.Sized(4))
	expectError(t, space.Check([]int32{1, 0, 0, 1, 0, 0}), "not transitive: 0 is before 1 and 1 before 2, but 0 is not before 2")
	expectError(t, space.Check([]int32{1, -1, 0, 1, 0, 0}), "not transitive: 0 is before 1 and 1 before 2, but 0 is not before 2")
	expectError(t, space.Check([]int32{0, 0, 0, 0, 0, 2}), "found 2 in column 5; a pair u < v has +1")
}
