// Package induced finds sets of vertices whose induced subgraph has largest weight: choose S to maximise the sum of
// w[u,v] over the pairs of S, for weights of any sign. It is the unconstrained binary quadratic programme without
// linear terms, which is NP-hard and contains the maximum clique (weights 1 and −∞).
//
// # Reduction
//
// With x_v the contribution that v would make, linear terms included: a vertex that gains nothing even if all its
// favourable neighbours are chosen is left out, one that loses nothing even if all its unfavourable ones are is put in,
// and its weights become linear terms of the others; some best set survives (persistency, Hammer and Hansen, 1981).
// What remains falls into the connected components of the non-zero weights, which are solved one by one. Scores that
// come from a model are often mostly negative, so that graphs of a hundred vertices fall apart.
//
// # Sets that are left out
//
// Fix decides single vertices. A weight of −∞ bars two vertices from one set: no finite sum outweighs it, and nothing is
// ever subtracted from it. Exact, ExactWithin and Distribution take such weights; Start and Search do not.
package induced

import (
	"fmt"
	"math"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// MaxVertices is the largest component that Exact tries to solve.
	MaxVertices = 48
	// MaxNodes is the number of nodes that Exact visits in one component at most, in about a second. Components of 40
	// vertices with Gaussian weights, the hardest kind, take about 10⁶.
	MaxNodes = 1 << 23
)

// ErrNone says that what is fixed and barred leaves no set.
var ErrNone = fault.Value("no set of vertices is left")

// SizeError says that a component is too large to be solved exactly.
type SizeError struct{ Size int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("a component of %d vertices is beyond the limit of exact solution, %d", e.Size, MaxVertices)
}

// EffortError says that a component was not solved within MaxNodes nodes.
type EffortError struct{ Size int }

func (e *EffortError) Error() string {
	return fmt.Sprintf("a component of %d vertices was not solved within %d nodes", e.Size, MaxNodes)
}

// Workspace holds one instance and the scratch to solve it, kept from one instance to the next. The zero value is ready
// for use. It is not safe for concurrent use.
type Workspace struct {
	n      int
	weight []float64 // n×n
	linear []float64 // of each vertex, from the vertices that reduction has put in
	fixed  []int32   // see Fix; nil: nothing is
	state  []state
	parts  []int32 // the vertices left by reduction, component after component
	ends   []int32 // ends of the components in parts

	part   problem
	block  problem // two blocks of a component
	branch brancher
	local  localSearch
	sdp    relaxation
	poll   parallel.Poll
	sized  sizedSearch
}

// problem is one component: maximise Σ linear[u] over S plus Σ weight[u,v] over the pairs of S.
type problem struct {
	n              int
	weight, linear []float64
}

// Reset begins an instance of n vertices and returns its n×n weight matrix by rows, for the caller to fill: symmetric, finite
// or −∞, zero on the diagonal.
func (w *Workspace) Reset(n int) []float64 {
	w.n, w.fixed = n, nil
	w.weight = slicex.Grow(w.weight, n*n)
	return w.weight
}

// Weigh sets the weight of two different vertices.
func (w *Workspace) Weigh(u, v int32, weight float64) {
	w.weight[int(u)*w.n+int(v)], w.weight[int(v)*w.n+int(u)] = weight, weight
}

// Fix restricts the instance to the sets that hold every vertex with +1 and none with −1 in fixed, of length n, the
// others being 0. The slice is kept until the next Reset and not changed.
func (w *Workspace) Fix(fixed []int32) {
	if len(fixed) != w.n {
		panic(fmt.Sprintf("induced: %d vertices are fixed or free, the instance has %d", len(fixed), w.n))
	}
	w.fixed = fixed
}

// Exact marks a best set in chosen, of length n. Ties are broken in a fixed way; vertices that contribute nothing are
// left out. It returns a *SizeError where a component has more than MaxVertices vertices and an *EffortError where it
// takes more than MaxNodes nodes, and then leaves chosen unspecified. Where two vertices are barred that are fixed to be
// in, it returns ErrNone. Cost: O(n²) and that of branch and bound for each component, exponential in the worst case; with
// Gaussian weights about 2^(m/2) nodes of O(m) for m vertices.
func (w *Workspace) Exact(chosen []bool) error {
	w.reduce(chosen)
	for v, f := range w.fixed {
		if f > 0 && math.IsInf(w.linear[v], -1) {
			return ErrNone
		}
	}
	for lo, hi := range w.components() {
		if hi-lo > MaxVertices {
			return &SizeError{Size: hi - lo}
		}
	}
	for lo, hi := range w.components() {
		w.load(&w.part, w.parts[lo:hi])
		set, ok := w.branch.solve(&w.part, MaxNodes)
		if !ok {
			return &EffortError{Size: hi - lo}
		}
		for i, v := range w.parts[lo:hi] {
			chosen[v] = set>>i&1 == 1
		}
	}
	w.shed(chosen)
	return nil
}

// load makes p the problem of the given vertices.
func (w *Workspace) load(p *problem, vertices []int32) {
	m := len(vertices)
	p.n = m
	p.weight = slicex.Grow(p.weight, m*m)
	p.linear = slicex.Grow(p.linear, m)
	for i, u := range vertices {
		p.linear[i] = w.linear[u]
		r := w.row(u)
		for j, v := range vertices {
			p.weight[i*m+j] = r[v]
		}
	}
}

// shed takes vertices out that contribute nothing, the largest first: the choice among equals that the reader expects.
func (w *Workspace) shed(chosen []bool) {
	for again := true; again; {
		again = false
		for u := w.n - 1; u >= 0; u-- {
			if !chosen[u] || w.fixed != nil && w.fixed[u] > 0 {
				continue
			}
			var gain float64
			for v, weight := range w.row(int32(u)) {
				if chosen[v] {
					gain += weight
				}
			}
			if gain == 0 {
				chosen[u] = false
				again = true
			}
		}
	}
}

// Value returns the weight of a set. Cost: O(n²).
func (w *Workspace) Value(chosen []bool) float64 {
	var sum float64
	for u, in := range chosen {
		if !in {
			continue
		}
		for v, weight := range w.row(int32(u))[:u] {
			if chosen[v] {
				sum += weight
			}
		}
	}
	return sum
}

func (w *Workspace) row(u int32) []float64 { return w.weight[int(u)*w.n : (int(u)+1)*w.n] }

// magnitude returns Σ|linear| + Σ|weight| over pairs.
func (p *problem) magnitude() float64 {
	var sum float64
	for u := range p.n {
		sum += math.Abs(p.linear[u])
		for _, weight := range p.weight[u*p.n : u*p.n+u] {
			sum += math.Abs(weight)
		}
	}
	return sum
}
