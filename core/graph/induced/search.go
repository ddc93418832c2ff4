package induced

import (
	"math"
	"math/rand/v2"

	"combpred/core/slicex"
)

const (
	// searchNodes is the number of nodes that Search spends on an exact solution of a component, some 20 ms.
	searchNodes = 1 << 18
	// blockSize is half the size of the problems that Search solves exactly in larger components, each of them in about
	// a tenth of a millisecond, and mostBlocked the largest component in which it does so.
	blockSize   = 10
	mostBlocked = 512
	// mostRelaxed is the largest component that is bounded by its semidefinite relaxation, in a few tenths of a second.
	mostRelaxed = 256
	// roundings is the number of starts from the relaxation, seeds that from single vertices.
	roundings = 8
	seeds     = 8
)

// Start marks the guaranteed set in chosen, of length n, from which Search begins, and returns a proven bound on the
// weight of every set, a guarantee ν with value ≥ (1−ν)·max + ν·min over all sets, and whether the set is proven to be a
// best one. An error of poll, which may be nil, ends the search and is returned; chosen is unspecified then.
//
// Components of up to 20 vertices are solved exactly. Others are cut into k ≥ 3 blocks; a best set within any two of them
// is taken. Every set S satisfies
//
//	Σ_{i<j} f(S ∩ (B_i ∪ B_j)) = f(S) + (k−2) Σ_i f(S ∩ B_i) ≥ f(S) + k(k−2)·min f,
//
// so the best of the k(k−1)/2 pairs, which earns at least 0, earns at least (1−ν)·max + ν·min for 1 − ν = 1/(k−1)².
// (Single blocks would give nothing: the weights between them are lost.) The guarantee returned is the better of this one
// and the one that the bound, the sum of all positive terms, proves: ν = (bound − value) / (bound − w) for any set of
// weight w, here the lighter one of no vertices and all.
//
// Cost: at most 2²⁰ steps of O(1) for each pair of blocks of ten vertices, and typically a thousand times less; beyond 512
// vertices blocks are single vertices, O(n²) in all.
func (w *Workspace) Start(chosen []bool, poll func() error) (bound, nu float64, optimal bool, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	bound, nu, optimal = w.each(chosen, 2*blockSize, math.MaxInt, func(size int) (bound, nu float64) {
		w.local.start(&w.part, 1, &w.poll)
		return w.part.favourable(), w.bestPair(size)
	})
	if err := w.poll.Err(); err != nil {
		return 0, 0, false, err
	}
	bound, nu, optimal = w.judge(chosen, bound, nu, optimal, func() float64 {
		whole := make([]bool, w.n)
		for u := range whole {
			whole[u] = true
		}
		return min(w.Value(whole), 0)
	})
	return bound, nu, optimal, nil
}

// Search marks a good set in chosen, of length n, that weighs no less than that of Start, and returns a proven bound on
// the weight of every set, a guarantee ν with value ≥ (1−ν)·max + ν·min over all sets, and whether the set is proven to be
// a best one. An error of poll, which may be nil and is called every few milliseconds, ends the search and is returned;
// chosen is unspecified then.
//
// Components that branch and bound solves quickly are solved exactly. In others tabu search improves on the guaranteed
// solution of Start and on other starts. The guarantee is that of Start, with a tighter bound and a lighter set.
//
// Cost: about n + 2²²/n moves of O(n) for each component, the relaxation up to 256 vertices, and the pairs of blocks up
// to 512; beyond that blocks are single vertices.
func (w *Workspace) Search(chosen []bool, poll func() error) (bound, nu float64, optimal bool, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	bound, nu, optimal = w.each(chosen, MaxVertices, searchNodes, w.searchPart)
	if err := w.poll.Err(); err != nil {
		return 0, 0, false, err
	}
	bound, nu, optimal = w.judge(chosen, bound, nu, optimal, w.light)
	return bound, nu, optimal, w.poll.Err()
}

// each marks sets for all components: those of up to exact vertices by branch and bound where that takes no more than the
// given number of nodes, the others by the function, which leaves its set in local.best and is told the size of the blocks.
// It adds up the bounds and takes the largest ν.
func (w *Workspace) each(chosen []bool, exact, nodes int, solve func(size int) (bound, nu float64)) (bound, nu float64,
	optimal bool) {
	w.reduce(chosen)
	bound = w.Value(chosen)
	optimal = true
	for lo, hi := range w.components() {
		if w.poll.Stopped() {
			break
		}
		vertices := w.parts[lo:hi]
		w.load(&w.part, vertices)
		if len(vertices) <= exact {
			if set, ok := w.branch.solve(&w.part, nodes); ok {
				for i, v := range vertices {
					chosen[v] = set>>i&1 == 1
				}
				bound += w.part.value(func(i int) bool { return set>>i&1 == 1 })
				continue
			}
		}
		optimal = false
		size := blockSize
		if len(vertices) > mostBlocked {
			size = 1
		}
		partBound, partNu := solve(size)
		bound += partBound
		nu = max(nu, partNu)
		for i, v := range vertices {
			chosen[v] = w.local.best[i]
		}
	}
	w.shed(chosen)
	return bound, nu, optimal
}

// judge completes the certificate of a set; light returns the weight of a light one.
func (w *Workspace) judge(chosen []bool, bound, nu float64, optimal bool, light func() float64) (float64, float64, bool) {
	if optimal {
		return bound, 0, true
	}
	value := w.Value(chosen)
	bound = max(bound, value)
	if w.fixed != nil {
		return bound, nu, bound <= value // light sets need not be admitted
	}
	if low := light(); bound > low {
		nu = min(nu, (bound-value)/(bound-low))
	}
	return bound, nu, bound <= value
}

// searchPart leaves the best set it finds of the component in local.best; size is that of its blocks.
func (w *Workspace) searchPart(size int) (bound, nu float64) {
	p, s := &w.part, &w.local
	s.start(p, 1, &w.poll)
	nu = w.bestPair(size)
	bound = p.favourable()
	if p.n <= mostRelaxed && !w.poll.Stopped() {
		w.sdp.solve(p, &w.poll)
		bound = min(bound, w.sdp.bound())
		rng := rand.New(rand.NewPCG(2, uint64(p.n))) // fixed directions
		side := make([]bool, p.n)
		for range roundings {
			w.sdp.roundTo(side, rng)
			s.clear()
			for u, in := range side {
				if in {
					s.flip(u)
				}
			}
			s.climb()
			s.keep()
		}
	}
	w.climbFromSeeds()
	s.recall()
	s.roam(p.n + 1<<22/p.n)
	s.recall()
	s.climbWithSwaps()
	s.keep()
	return bound, nu
}

// climbFromSeeds adds vertices greedily from each of a few single ones, those with the largest sum of favourable
// weights, and drops them greedily from the whole.
func (w *Workspace) climbFromSeeds() {
	p, s := &w.part, &w.local
	s.clear()
	for u := range p.n {
		s.flip(u)
	}
	s.climb()
	s.keep()
	used := make([]bool, p.n)
	for range min(seeds, p.n) {
		if w.poll.Stopped() {
			return
		}
		seed, most := -1, math.Inf(-1)
		for u := range p.n {
			if used[u] {
				continue
			}
			sum := p.linear[u]
			for _, x := range p.weight[u*p.n : (u+1)*p.n] {
				sum += max(0, x)
			}
			if sum > most {
				seed, most = u, sum
			}
		}
		used[seed] = true
		s.clear()
		s.flip(seed)
		s.climb()
		s.keep()
	}
}

// bestPair keeps a best set within two of at least three blocks and returns its guarantee.
func (w *Workspace) bestPair(size int) (nu float64) {
	p, s := &w.part, &w.local
	k := (p.n + size - 1) / size
	for i := range k {
		for j := i + 1; j < k; j++ {
			if (size > 1 || j%pollMoves == 0) && w.poll.Stopped() {
				return 1
			}
			if size == 1 {
				w.tryPair(i, j)
			} else {
				w.tryBlocks(i*size, j*size, size)
			}
		}
	}
	s.keep()
	return 1 - 1/(float64(k-1)*float64(k-1))
}

// tryPair keeps the set of two vertices, one of them or none if it is the best so far.
func (w *Workspace) tryPair(u, v int) {
	p, s := &w.part, &w.local
	a, b := p.linear[u], p.linear[v]
	both := a + b + p.weight[u*p.n+v]
	if most := max(a, b, both, 0); most > max(s.bestValue, 0)+s.threshold {
		s.clear()
		if both == most || a == most {
			s.flip(u)
		}
		if both == most || a < most && b == most {
			s.flip(v)
		}
		s.keep()
	}
}

// tryBlocks keeps a best set within two blocks that start at vertices a < b if it is the best so far.
func (w *Workspace) tryBlocks(a, b, size int) {
	p, s := &w.part, &w.local
	var members [2 * blockSize]int
	n := 0
	for _, lo := range [2]int{a, b} {
		for u := lo; u < min(lo+size, p.n); u++ {
			members[n] = u
			n++
		}
	}
	q := &w.block
	q.n = n
	q.weight, q.linear = slicex.Grow(q.weight, n*n), slicex.Grow(q.linear, n)
	for i, u := range members[:n] {
		q.linear[i] = p.linear[u]
		for j, v := range members[:n] {
			q.weight[i*n+j] = p.weight[u*p.n+v]
		}
	}
	set, _ := w.branch.solve(q, math.MaxInt) // at most 2^21 nodes
	s.clear()
	for i, u := range members[:n] {
		if set>>i&1 == 1 {
			s.flip(u)
		}
	}
	s.keep()
}

// light returns the weight of a light set, found by climbing downwards from the whole.
func (w *Workspace) light() float64 {
	clear(w.linear)
	whole := problem{n: w.n, weight: w.weight, linear: w.linear}
	s := &w.local
	s.start(&whole, -1, &w.poll)
	for u := range w.n {
		s.flip(u)
	}
	s.climb()
	light := min(w.Value(s.chosen), 0)
	s.problem = nil
	return light
}

// favourable returns the sum of all positive terms, a bound on the weight of every set.
func (p *problem) favourable() float64 {
	var sum float64
	for u := range p.n {
		sum += max(0, p.linear[u])
		for _, x := range p.weight[u*p.n : u*p.n+u] {
			sum += max(0, x)
		}
	}
	return sum
}

// value returns the weight of a set.
func (p *problem) value(chosen func(i int) bool) float64 {
	var sum float64
	for u := range p.n {
		if !chosen(u) {
			continue
		}
		sum += p.linear[u]
		for v, x := range p.weight[u*p.n : u*p.n+u] {
			if chosen(v) {
				sum += x
			}
		}
	}
	return sum
}
