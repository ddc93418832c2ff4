package aggregate

import (
	"fmt"
	"math/bits"

	"combpred/core/linalg"
)

// AcyclicMajority is a partial order that follows from an acyclic part of the majority's preferences.
type AcyclicMajority struct {
	Relation   []bool  // k×k: whether u is before v, by a preference that is kept or by a chain of such
	Kept       []bool  // k×k: the preferences that are kept
	Weight     float64 // their weight, the sum of the majorities' margins
	UpperBound float64 // no acyclic part has more
	Ratio      float64 // Weight is at least Ratio times the largest possible one: 1 or 1/2
	Optimal    bool    // whether no acyclic part has more weight
	Method     Method  // the method that was used
}

// Margins returns the weights of the majority's preferences: where more than a share threshold of the weight of the rankings that know
// u and v has u before v, that of these rankings less that of those with v before u, otherwise 0. threshold is at least 1/2 and
// less than 1. The result is what groups and programs of Acyclic are about. Cost: O(k²).
func Margins(w *Pairs, threshold float64) (linalg.Matrix[float64], error) {
	k := w.Items()
	if !(threshold >= 0.5 && threshold < 1) {
		return matrix{}, fmt.Errorf("aggregate: the threshold is %v, must be at least 1/2 and less than 1", threshold)
	}
	margins := linalg.NewMatrix[float64](k, k)
	for u := range k {
		for v := range k {
			// The sign of a margin is known as exactly as the weights are, shares up to rounding.
			if a, b := w.Before.Row(u)[v], w.Before.Row(v)[u]; a > b && a > threshold*(a+b+w.tied(u, v)) {
				margins.Row(u)[v] = a - b
			}
		}
	}
	return margins, nil
}

// Acyclic returns the partial order that follows from the acyclic part of largest weight of the majority's preferences: the
// maximum acyclic subgraph problem. margins are what Margins returns.
//
// An acyclic part is one that some order of the items agrees with, so that a best one follows from an order that violates
// preferences of the least weight. Methods are Auto, Exact, MILP and LocalSearch, which keeps at least half of what can be
// kept, as the better one of an order and its reverse does. Cost: as that of Kemeny.
func Acyclic(margins linalg.Matrix[float64], o Options) (*AcyclicMajority, error) {
	if !o.Method.Acyclic() {
		return nil, fmt.Errorf("aggregate: method %v is not one of auto, exact, milp and local-search", o.Method)
	}
	s := solver{method: o.Method, programs: o.Programs, workers: o.Workers, mon: o.Monitor}
	parts, err := s.solve(margins)
	if err != nil {
		return nil, err
	}
	order, lost := joined(parts, margins)
	k := len(order)
	a := &AcyclicMajority{Relation: make([]bool, k*k), Kept: make([]bool, k*k), Ratio: 0.5, Optimal: true, Method: o.Method}
	words := (k + 63) / 64
	after := make([]uint64, k*words)
	var total float64
	for i := k - 1; i >= 0; i-- {
		u := int(order[i])
		own := after[u*words : (u+1)*words]
		for _, v := range order[i+1:] {
			if margins.Row(u)[v] > 0 {
				a.Kept[u*k+int(v)] = true
				own[v>>6] |= 1 << (v & 63)
				for w, x := range after[int(v)*words : (int(v)+1)*words] {
					own[w] |= x
				}
			}
		}
		for w, x := range own {
			for ; x != 0; x &= x - 1 {
				a.Relation[u*k+64*w+bits.TrailingZeros64(x)] = true
			}
		}
		total += linalg.Sum(margins.Row(u))
	}
	for _, p := range parts {
		a.Optimal = a.Optimal && p.optimal
	}
	a.Weight = total - CostOf(margins, order)
	a.UpperBound = max(a.Weight, total-lost)
	if a.Optimal {
		a.UpperBound, a.Ratio = a.Weight, 1
	}
	if o.Method == Auto {
		a.Method = LocalSearch
		if a.Optimal {
			a.Method = Exact
		}
	}
	return a, nil
}
