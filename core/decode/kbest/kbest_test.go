package kbest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// mostListed bounds the number of outputs of the spaces that are tested, so that all of them are listed by decodings in a second or two.
const mostListed = 150

// small yields the small spaces of all structures whose outputs can be listed, with their number.
func small(t *testing.T) func(yield func(string, structure.Space) bool) {
	t.Helper()
	return func(yield func(string, structure.Space) bool) {
		for _, spec := range structure.Catalogue() {
			i := 0
			for _, space := range structuretest.SmallOf(t, spec) {
				i++
				count := 0
				for range space.All() {
					if count++; count > mostListed {
						break
					}
				}
				if count <= mostListed && !yield(fmt.Sprintf("%s %d", spec.Name, i), space) {
					return
				}
			}
		}
	}
}

// scoresOf are vectors of scores: Gaussian ones, those with many ties, tiny and huge ones, with and without magnitudes.
func scoresOf(d int, rng *rand.Rand) []structure.Scores {
	vector := func(f func() float64) []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	tied := func() float64 { return float64(rng.IntN(3) - 1) }
	return []structure.Scores{
		{Linear: vector(rng.NormFloat64)},
		{Linear: vector(tied)},
		{Linear: vector(rng.NormFloat64), Magnitude: vector(rng.NormFloat64)},
		{Linear: vector(func() float64 { return 1e290 * rng.NormFloat64() })},
		{Linear: vector(func() float64 { return 1e-290 * rng.NormFloat64() }), Magnitude: vector(func() float64 { return -1e-290 })},
		{Linear: make([]float64, d)},
	}
}

// expected returns the scores of the different ψ of a space, best first, down to a share of their range.
func expected(space structure.Space, score structure.Scores, nu float64) []float64 {
	psi := make([]float64, space.FeatureLen())
	seen := map[string]bool{}
	var values []float64
	for y := range space.(structure.Enumerator).All() {
		space.Embed(psi, y)
		for i := range psi {
			psi[i] += 0
		}
		if key := fmt.Sprint(psi); !seen[key] {
			seen[key] = true
			values = append(values, score.Value(psi))
		}
	}
	slices.Sort(values)
	slices.Reverse(values)
	least := (1-nu)*values[0] + nu*values[len(values)-1] - slackOf(score)
	return slices.DeleteFunc(values, func(v float64) bool { return nu < 1 && v < least })
}

func slackOf(score structure.Scores) float64 {
	return tieTolerance * (sumOf(score.Linear) + sumOf(score.Magnitude))
}

// checkList compares a list with the expected scores: each ψ once, with its score, in order up to rounding.
func checkList(t *testing.T, what string, space structure.Space, score structure.Scores, parts [][]int32, values, want []float64) {
	t.Helper()
	if len(parts) != len(want) {
		t.Fatalf("%s: %d outputs are listed, there are %d", what, len(parts), len(want))
	}
	psi := make([]float64, space.FeatureLen())
	seen := map[string]bool{}
	for i, y := range parts {
		if err := space.Check(y); err != nil {
			t.Fatal(what, err)
		}
		space.Embed(psi, y)
		for j := range psi {
			psi[j] += 0
		}
		key := fmt.Sprint(psi)
		if seen[key] {
			t.Fatalf("%s: ψ of output %d comes twice", what, i)
		}
		seen[key] = true
		for _, v := range []float64{values[i], want[i]} {
			if math.Abs(score.Value(psi)-v) > 4*slackOf(score) {
				t.Fatalf("%s: output %d scores %v, its value is given as %v, and the list has %v there", what, i, score.Value(psi),
					values[i], want[i])
			}
		}
	}
}

// rowOf returns scores as a batch of one row.
func rowOf(s []float64, d int) blas64.General {
	if s == nil {
		return blas64.General{Cols: d, Stride: max(1, d)}
	}
	return blas64.General{Rows: 1, Cols: d, Stride: max(1, d), Data: s}
}

func list(space structure.Space, score structure.Scores, o Options, capacity, workers int) ([][]int32, []float64, Method, error) {
	d, p := space.FeatureLen(), space.PartLen()
	dst, values := make([]int32, capacity*p), make([]float64, capacity)
	r, err := Batch(structure.OneSpace(space, rowOf(score.Linear, d), rowOf(score.Magnitude, d)), o, capacity, dst, values, workers, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	parts := make([][]int32, r.Counts[0])
	for i := range parts {
		parts[i] = dst[i*p : (i+1)*p]
	}
	return parts, values[:len(parts)], r.Methods[0], nil
}

// TestAllOutputsComeInOrder compares every way to list outputs with the sorted list, for every structure.
func TestAllOutputsComeInOrder(t *testing.T) {
	listed := map[Method]int{}
	for name, space := range small(t) {
		rng := rand.New(rand.NewPCG(1, 2))
		for i, score := range scoresOf(space.FeatureLen(), rng) {
			for _, nu := range []float64{1, 0.5, 0.2} {
				want := expected(space, score, nu)
				for _, method := range []Method{Auto, Combinations, Sort, Partition} {
					what := fmt.Sprintf("%s, scores %d, method %d, ν = %v", name, i, method, nu)
					parts, values, used, err := list(space, score, Options{Method: method, Nu: nu}, mostListed, 2)
					var missing *structure.CapabilityError
					var feature *FeatureError
					if method != Sort && errors.As(err, &missing) || errors.As(err, &feature) {
						continue // no independent entries, no Decoder for squares, or other features than −1, 0 and 1
					}
					if err != nil {
						t.Fatal(what, err)
					}
					checkList(t, what, space, score, parts, values, want)
					listed[used]++
				}
			}
		}
	}
	if listed[Combinations] < 50 || listed[Sort] < 500 || listed[Partition] < 500 {
		t.Errorf("lists by method: %v", listed)
	}
}

// TestLaterOutputsAreThoseOfTheWholeList: neither the capacity nor what is skipped changes what is listed, nor do workers.
func TestLaterOutputsAreThoseOfTheWholeList(t *testing.T) {
	for name, space := range small(t) {
		score := scoresOf(space.FeatureLen(), rand.New(rand.NewPCG(3, 4)))[0]
		for _, method := range []Method{Auto, Partition} {
			all, _, _, err := list(space, score, Options{Method: method, Nu: 1}, mostListed, 1)
			if err != nil {
				continue // as in the test above
			}
			for skip, capacity := range slicex.InOrder(map[int]int{0: 1, 1: 2, 3: 4, 7: 5}) {
				some, _, _, err := list(space, score, Options{Method: method, Nu: 1, Skip: skip}, capacity, 3)
				if err != nil {
					t.Fatal(err)
				}
				want := all[min(skip, len(all)):min(skip+capacity, len(all))]
				if !slices.EqualFunc(some, want, slices.Equal) {
					t.Errorf("%s, method %d: outputs from %d on are %v, must be %v", name, method, skip, some, want)
				}
			}
		}
	}
}

// TestTheBetterOfSiblings compares the outputs without order with the better half of all, for every sibling system.
func TestTheBetterOfSiblings(t *testing.T) {
	systems := 0
	for name, space := range small(t) {
		for i, score := range scoresOf(space.FeatureLen(), rand.New(rand.NewPCG(5, 6))) {
			parts, values, used, err := list(space, score, Options{Method: Unordered, Nu: 0.5}, mostListed, 1)
			if err != nil || used != Siblings {
				continue
			}
			systems++
			order := make([]int, len(parts))
			for k := range order {
				order[k] = k
			}
			slices.SortStableFunc(order, func(a, b int) int { return byDescending(values[a], values[b]) })
			sorted, sortedValues := make([][]int32, len(parts)), make([]float64, len(parts))
			for k, at := range order {
				sorted[k], sortedValues[k] = parts[at], values[at]
			}
			want := expected(space, score, 0.5)
			checkList(t, fmt.Sprintf("%s, scores %d", name, i), space, score, sorted, sortedValues, want)
		}
	}
	if systems < 20 {
		t.Errorf("%d sibling systems are found", systems)
	}
	tournaments, err := structure.New("tournaments", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		t.Fatal(err)
	}
	uneven := structure.Scores{Linear: []float64{1, 1, 1}, Magnitude: []float64{-0.5, -0.5, -0.5}}
	if _, _, _, err := list(tournaments, uneven, Options{Method: Siblings, Nu: 0.5}, 27, 1); err == nil {
		t.Error("pairs that are not level are listed")
	}
}

func TestRefusals(t *testing.T) {
	space := func(name string, scalars map[string]int64) structure.Space {
		s, err := structure.New(name, structure.Args{Scalars: scalars})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rng := rand.New(rand.NewPCG(9, 10))
	large := space("permutations", map[string]int64{"n": 40})
	score := scoresOf(large.FeatureLen(), rng)[0]
	if _, _, _, err := list(large, score, Options{Nu: 1}, 1, 1); err == nil {
		t.Error("rankings of 40 labels are listed in order")
	} else if limit, ok := errors.AsType[*structure.LimitError](err); !ok || limit.Limit != 20 {
		t.Errorf("the error is %v", err)
	}
	three := space("permutations", map[string]int64{"n": 3})
	for _, bad := range []Options{{Nu: -0.1}, {Nu: 1.1}, {Nu: math.NaN()}, {Nu: 1, Skip: -1}, {Nu: 1, Method: 9}} {
		if _, _, _, err := list(three, structure.Scores{Linear: make([]float64, 3)}, bad, 1, 1); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if _, _, _, err := list(three, structure.Scores{Linear: []float64{1, math.NaN(), 1}}, Options{Nu: 1}, 1, 1); err == nil {
		t.Error("NaN is accepted")
	}
	var mon parallel.Monitor
	mon.Cancel()
	for _, method := range []Method{Auto, Partition, Siblings} {
		_, err := Batch(structure.OneSpace(three, rowOf(make([]float64, 3), 3), rowOf(nil, 3)), Options{Method: method, Nu: 1}, 6, make([]int32, 18),
			nil, 1, &mon)
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("cancelled, method %d gives %v", method, err)
		}
	}
	for _, rows := range []int{1, 2} {
		scores := blas64.General{Rows: rows, Cols: 3, Stride: 3, Data: make([]float64, 3*rows)}
		list := func(reason error) error {
			var mon parallel.Monitor
			space := refusing{Space: three, reason: reason, mon: &mon}
			_, err := Batch(structure.OneSpace(space, scores, rowOf(nil, 3)), Options{Method: Partition, Nu: 1}, 6, make([]int32, 18*rows), nil, 1, &mon)
			return err
		}
		if err := list(parallel.ErrCancelled); err != parallel.ErrCancelled {
			t.Errorf("%d rows that are cancelled while the first one is decoded give %v", rows, err)
		}
		if err := list(errors.New("no")); fault.RowOf(err) != 0 {
			t.Errorf("%d rows of which the first cannot be decoded give %v", rows, err)
		}
	}
}

// refusing does not decode; what it is asked for is cancelled where that is the reason.
type refusing struct {
	structure.Space
	reason error
	mon    *parallel.Monitor
}

func (r refusing) Decode([]int32, structure.Scores) (structure.Certificate, error) {
	if errors.Is(r.reason, parallel.ErrCancelled) {
		r.mon.Cancel()
	}
	return structure.Certificate{}, r.reason
}
