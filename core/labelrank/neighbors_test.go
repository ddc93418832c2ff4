package labelrank

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// rankingsOf returns all rankings of k labels, as positions from 1 on.
func rankingsOf(k int) (all [][]int32) {
	var extend func(prefix []int32)
	extend = func(prefix []int32) {
		if len(prefix) == k {
			all = append(all, append([]int32(nil), prefix...))
			return
		}
	next:
		for at := int32(1); int(at) <= k; at++ {
			for _, taken := range prefix {
				if taken == at {
					continue next
				}
			}
			extend(append(prefix, at))
		}
	}
	extend(nil)
	return all
}

// signsOf returns 1 for each pair of which the first label is first, and −1 for others.
func signsOf(positions []int32) (signs []int8) {
	for u, a := range positions {
		for _, b := range positions[u+1:] {
			if a < b {
				signs = append(signs, 1)
			} else {
				signs = append(signs, -1)
			}
		}
	}
	return signs
}

// against returns the weight of preferences that a ranking reverses.
func against(signs []int8, net, stated []float64) (sum float64) {
	for p, s := range signs {
		sum += (stated[p] - float64(s)*net[p]) / 2
	}
	return sum
}

// preferencesOf adds up, by definition, what the neighbours of a row prefer: the weights for and against each pair, all that is stated
// about it, and the Borda scores, with the weight of all neighbours.
func preferencesOf(v *Neighbors, i int) (net, stated, borda []float64, total float64) {
	e, m := v.Examples, v.Weights.Cols
	k := e.Labels
	net, stated, borda = make([]float64, k*(k-1)/2), make([]float64, k*(k-1)/2), make([]float64, k)
	for j := range m {
		at := int(v.Numbers[i*m+j])
		w, p := v.Weights.Row(i)[j]*e.Weights[at], 0
		total += w
		for a := range k {
			for b := a + 1; b < k; b++ {
				if s := e.Signs[at*len(net)+p]; s != 0 {
					side := math.Copysign(w, float64(s))
					net[p] += side
					stated[p] += w
					borda[a] += side
					borda[b] -= side
				}
				p++
			}
		}
	}
	return net, stated, borda, total
}

// checkConsensus compares the ranking of a row, and the model of Mallows around it, with all rankings.
func checkConsensus(t *testing.T, found *Consensus, i int, all [][]int32, net, stated []float64) {
	t.Helper()
	k := len(all[0])
	positions := found.Positions[i*k : (i+1)*k]
	least := math.Inf(1)
	for _, ranking := range all {
		least = min(least, against(signsOf(ranking), net, stated))
	}
	mine := against(signsOf(positions), net, stated)
	if mine > least+1e-12 {
		t.Errorf("row %d: %v reverses a weight of %g, %g is possible", i, positions, mine, least)
	}
	theta := found.Theta[i]
	if math.IsInf(theta, 1) {
		if mine > 1e-12 || found.Probability[i] != 1 {
			t.Errorf("row %d: θ is infinite where a weight of %g is reversed", i, mine)
		}
		return
	}
	// At θ the model around the positions reverses as much of what is stated, and gives them their probability.
	z, expected := 0.0, 0.0
	for _, ranking := range all {
		d, weight := 0, 0.0
		for p, s := range signsOf(ranking) {
			if s != signsOf(positions)[p] {
				d++
				weight += stated[p]
			}
		}
		z += math.Exp(-theta * float64(d))
		expected += math.Exp(-theta*float64(d)) * weight
	}
	if math.Abs(expected/z-mine) > 1e-9 && theta > 0 {
		t.Errorf("row %d: a weight of %g is expected to be reversed, %g is", i, expected/z, mine)
	}
	if math.Abs(found.Probability[i]-1/z) > 1e-12 {
		t.Errorf("row %d: probability %g, must be %g", i, found.Probability[i], 1/z)
	}
}

// TestConsensusIsThatOfAllRankings: of random neighbours, with weights of their own and of the examples, against sums by definition and
// the list of all rankings.
func TestConsensusIsThatOfAllRankings(t *testing.T) {
	const n, m, k = 40, 6, 4
	rng := rand.New(rand.NewPCG(3, 3))
	e := drawn(30, k, Edges, 9)
	e.Signs[0] = 127 // only the sign counts
	e.Signs[1] = -128
	for range e.Rows() {
		e.Weights = append(e.Weights, rng.Float64()*2)
	}
	v := &Neighbors{Examples: e, Weights: linalg.NewMatrix[float64](n, m)}
	for i := range v.Weights.Data {
		v.Weights.Data[i] = rng.Float64()
		v.Numbers = append(v.Numbers, int64(rng.IntN(e.Rows())))
	}
	v.Numbers[0] = 0
	clear(v.Weights.Row(7))
	found := Consensus{Scores: linalg.NewMatrix[float64](n, k), Positions: make([]int32, n*k), Theta: make([]float64, n),
		Probability: make([]float64, n), Pairs: linalg.NewMatrix[float64](n, k*k)}
	if err := v.ConsensusTo(found, 2, nil); err != nil {
		t.Fatal(err)
	}
	all := rankingsOf(k)
	for i := range n {
		net, stated, borda, total := preferencesOf(v, i)
		for l, b := range borda {
			if want := b / max(total, 1e-300); math.Abs(found.Scores.Row(i)[l]-want) > 1e-12 {
				t.Errorf("row %d: score %g of label %d, want %g", i, found.Scores.Row(i)[l], l, want)
			}
		}
		for a, p := 0, 0; a < k; a++ {
			for b := a; b < k; b++ {
				want := 0.5 // what prefers neither counts half
				if b > a {
					want += net[p] / (2 * max(total, 1e-300))
					p++
				}
				if x, y := found.Pairs.Row(i)[a*k+b], found.Pairs.Row(i)[b*k+a]; math.Abs(x-want) > 1e-12 || math.Abs(y-1+want) > 1e-12 {
					t.Errorf("row %d: %d before %d with %g and %g, want %g", i, a, b, x, y, want)
				}
			}
		}
		checkConsensus(t, &found, i, all, net, stated)
	}
	// Borda scores that are known already give the same.
	alone, own := &Neighbors{Examples: &Examples{Labels: k, Signs: e.Signs}, Weights: linalg.NewMatrix[float64](e.Rows(), 1)},
		linalg.NewMatrix[float64](e.Rows(), k)
	for i := range e.Rows() {
		alone.Numbers, alone.Weights.Data[i] = append(alone.Numbers, int64(i)), 1
	}
	again := linalg.NewMatrix[float64](n, k)
	if err := alone.ConsensusTo(Consensus{Scores: own}, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range own.Data {
		v.Counts = append(v.Counts, int32(s))
	}
	if err := v.ConsensusTo(Consensus{Scores: again}, 1, nil); err != nil || !slices.Equal(again.Data, found.Scores.Data) {
		t.Errorf("known scores give others: %v", err)
	}
	if found.Theta[7] != 0 || found.Scores.Row(7)[0] != 0 {
		t.Errorf("neighbours without weight: θ %g, scores %v", found.Theta[7], found.Scores.Row(7))
	}
}

// TestMallowsAtItsEnds: all for the centre, half for it, nothing stated, all but a billionth.
func TestMallowsAtItsEnds(t *testing.T) {
	centre := []int32{1, 2, 3}
	m := newMallows(3)
	for _, c := range []struct{ net, stated, low, high, probability float64 }{
		{0, 2, 0, 0, 1.0 / 6}, {2, 2, math.Inf(1), math.Inf(1), 1}, {0, 0, 0, 0, 1.0 / 6}, {1e9 - 2, 1e9, 20, 21, 1},
		{-1, 2, 0, 0, 1.0 / 6},
	} {
		theta, probability := m.fit(centre, []float64{c.net, c.net, c.net}, []float64{c.stated, c.stated, c.stated})
		if theta < c.low || theta > c.high || math.Abs(probability-c.probability) > 1e-8 {
			t.Errorf("%+v: θ %g, probability %g", c, theta, probability)
		}
	}
}

func TestNeighborsAreRefused(t *testing.T) {
	for name, spoil := range slicex.InOrder(map[string]func(v *Neighbors){
		"number": func(v *Neighbors) { v.Numbers[3] = 5 },
		"weight": func(v *Neighbors) { v.Weights.Data[3] = -1 },
		"NaN":    func(v *Neighbors) { v.Weights.Data[2] = math.NaN() },
		"sum":    func(v *Neighbors) { v.Weights.Data[2], v.Weights.Data[3] = 1e308, 1e308 },
	}) {
		v := &Neighbors{Examples: drawn(5, 3, Edges, 1), Numbers: []int64{0, 1, 2, 2}, Weights: linalg.NewMatrix[float64](2, 2)}
		v.Examples.Signs[6] = 1
		spoil(v)
		err := v.ConsensusTo(Consensus{Positions: make([]int32, 6)}, 1, nil)
		if fault.RowOf(err) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	v := &Neighbors{Examples: drawn(5, 3, Edges, 1), Numbers: []int64{0}, Weights: linalg.NewMatrix[float64](1, 1)}
	if err := v.ConsensusTo(Consensus{Positions: make([]int32, 3)}, 1, &cancelled); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkConsensus(b *testing.B) {
	const n, m, k = 500, 10, 40
	v := &Neighbors{Examples: drawn(2000, k, Edges, 1), Numbers: make([]int64, n*m), Weights: linalg.NewMatrix[float64](n, m)}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range v.Numbers {
		v.Numbers[i], v.Weights.Data[i] = int64(rng.IntN(2000)), 1
	}
	scores := linalg.NewMatrix[float64](n, k)
	for b.Loop() {
		if err := v.ConsensusTo(Consensus{Scores: scores}, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
