package tours

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

const (
	// mostDirect bounds the sum over the vertices of their largest gain in magnitude up to which weights are kept as such,
	// and not as their logarithms: neither exp(−600) nor the sum of exp(600) over 17! tours is out of range.
	mostDirect = 600
	// pollEvery is the number of sets between two polls.
	pollEvery = 1 << 8
)

// Distribution is the Gibbs distribution over the tours of a small problem, of at most MaxVertices vertices: the probability
// of a tour is proportional to exp of what it earns.
//
// As in Workspace.Exact tours are grouped by their smallest vertex, the root, and table[S,v] is what the paths from the
// root through all of S to v weigh together, a sum where that has a maximum. The terms of the sum are the conditional
// probabilities of the vertex before v, which marginals and samples need. Weights are numbers where the gains are small
// and logarithms where they are not. The zero value is ready for use. It is not safe for concurrent use.
type Distribution struct {
	problem Workspace // the gains, and those between the vertices behind the root at hand
	logs    bool
	table   []float64
	reach   []float64   // the probability that a tour of the root at hand comes from it by S to v
	totals  []float64   // ln Σ over the tours of each root
	drawn   []rootTable // by root, filled when a sample first needs it
	poll    parallel.Poll
}

// rootTable is what samples need of the tours of one root.
type rootTable struct {
	table, into []float64
	ends        logsum.Table // entries of the table, by what the tours that end there weigh
}

// Reset begins a distribution on n vertices as Workspace.Reset does a problem, and returns its n×n matrix of gains.
func (d *Distribution) Reset(n int, anchored bool) []float64 {
	d.drawn = nil
	return d.problem.Reset(n, anchored)
}

// Sum returns ln Σ exp(what a tour earns) over all tours, and, unless arcs is nil, writes to the n×n matrix arcs by rows
// the probability that a tour goes from u to v. It returns a *SizeError beyond MaxVertices vertices. An error of poll,
// which may be nil, ends the work and is returned. Cost: O(2ⁿ n²), 2^(n−1) (n−1) float64s; with arcs about thrice that.
func (d *Distribution) Sum(arcs []float64, poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	roots, err := d.begin()
	if err != nil {
		return 0, err
	}
	n := d.problem.n
	var each []float64 // n×n for each root
	if arcs != nil {
		each = make([]float64, roots*n*n)
	}
	d.totals = grow(d.totals, roots)
	for root := range d.totals {
		d.totals[root] = d.tabulate(root)
		if arcs != nil {
			d.arcsTo(each[root*n*n:(root+1)*n*n], root)
		}
		if d.poll.Stopped() {
			return 0, d.poll.Err()
		}
	}
	total := logsum.Of(d.totals)
	if arcs != nil {
		clear(arcs)
		for root, t := range d.totals {
			share := logsum.Share(t, total)
			floats.AddScaled(arcs, share, each[root*n*n:(root+1)*n*n])
		}
		for i, p := range arcs {
			arcs[i] = min(p, 1)
		}
	}
	return total, nil
}

// begin decides on logarithms and returns the number of roots.
func (d *Distribution) begin() (roots int, err error) {
	n := d.problem.n
	if n > MaxVertices {
		return 0, &SizeError{Size: n}
	}
	var total float64
	for u := range n {
		most := 0.0
		for v, g := range d.problem.gain[u*n : (u+1)*n] {
			if v != u {
				most = max(most, math.Abs(g))
			}
		}
		total += most
	}
	d.logs = !(total <= mostDirect)
	if d.problem.anchored {
		return 1, nil
	}
	return n - leastVisits + 1, nil
}

// load prepares the weights between the vertices behind a root and returns their number.
func (d *Distribution) load(root int) (m int) {
	p := &d.problem
	m = p.load(root)
	if !d.logs {
		for _, gains := range [][]float64{p.into, p.open, p.closing} {
			for i, g := range gains {
				gains[i] = math.Exp(g)
			}
		}
	}
	return m
}

// tabulate fills the table of a root and returns the logarithm of what its tours weigh together.
func (d *Distribution) tabulate(root int) float64 {
	m := d.load(root)
	p := &d.problem
	d.table = grow(d.table, m<<m)
	var direct float64
	var closed logsum.Mean
	closed.Reset(0)
	var terms [MaxVertices]float64
	for s := 1; s < 1<<m; s++ {
		if s%pollEvery == 0 && d.poll.Stopped() {
			return 0
		}
		entry := d.table[s*m : (s+1)*m]
		if s&(s-1) == 0 {
			v := bits.TrailingZeros(uint(s))
			entry[v] = p.open[v]
			continue
		}
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			rest := s &^ (1 << v)
			from, into := d.table[rest*m:(rest+1)*m], p.into[v*m:(v+1)*m]
			if d.logs {
				k := 0
				for y := uint(rest); y != 0; y &= y - 1 {
					u := bits.TrailingZeros(y)
					terms[k] = from[u] + into[u]
					k++
				}
				entry[v] = logsum.Of(terms[:k])
				closed.Add(entry[v]+p.closing[v], nil)
				continue
			}
			entry[v] = reached(from, into, rest)
			direct += entry[v] * p.closing[v]
		}
	}
	if d.logs {
		return closed.LogSum()
	}
	return math.Log(direct)
}

// reached returns what the paths weigh that go on from a vertex of s to one more. It is what the time goes into.
func reached(from, into []float64, s int) (sum float64) {
	into = into[:len(from)]
	for x := uint(s); x != 0; x &= x - 1 {
		u := bits.TrailingZeros(x)
		sum += from[u] * into[u]
	}
	return sum
}

// before writes, for each vertex u of s without v, the probability that a path from the root through s to v comes from u,
// times scale. s has two vertices at least.
func (d *Distribution) before(dst *[MaxVertices]float64, table, into []float64, m, s, v int, scale float64) {
	rest := s &^ (1 << v)
	from, whole := table[rest*m:(rest+1)*m], table[s*m+v]
	into = into[v*m : (v+1)*m]
	if !d.logs {
		scale /= whole
	}
	for x := uint(rest); x != 0; x &= x - 1 {
		u := bits.TrailingZeros(x)
		if d.logs {
			dst[u] = scale * logsum.Share(from[u]+into[u], whole)
		} else {
			dst[u] = scale * (from[u] * into[u])
		}
	}
}

// arcsTo writes the probabilities of arcs among the tours of the root whose table is filled to the zeroed matrix arcs.
func (d *Distribution) arcsTo(arcs []float64, root int) {
	n := d.problem.n
	m := n - root - 1
	total := d.totals[root]
	whole := math.Exp(total) // finite where it is read
	d.reach = grow(d.reach, m<<m)
	clear(d.reach)
	arc := func(u, v int) *float64 { return &arcs[(root+1+u)*n+root+1+v] }
	var q [MaxVertices]float64
	for s := 1<<m - 1; s > 0; s-- {
		if s%pollEvery == 0 && d.poll.Stopped() {
			return
		}
		if s&(s-1) == 0 {
			v := bits.TrailingZeros(uint(s))
			arcs[root*n+root+1+v] += d.reach[s*m+v]
			continue
		}
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			home := d.table[s*m+v]
			if d.logs {
				home = logsum.Share(home+d.problem.closing[v], total)
			} else {
				home = home * d.problem.closing[v] / whole
			}
			arcs[(root+1+v)*n+root] += home
			reach := d.reach[s*m+v] + home
			if reach == 0 {
				continue
			}
			rest := s &^ (1 << v)
			d.before(&q, d.table, d.problem.into, m, s, v, reach)
			for y := uint(rest); y != 0; y &= y - 1 {
				u := bits.TrailingZeros(y)
				d.reach[rest*m+u] += q[u]
				*arc(u, v) += q[u]
			}
		}
	}
}

// DrawTo writes a random tour to tour, its smallest vertex first, and returns its length. Sum must have been called. Cost:
// O(n²), for the first tour of each root that of its table in addition, which is kept.
func (d *Distribution) DrawTo(tour []int32, rng *rand.Rand) int {
	d.problem.checkTour(tour)
	root := logsum.Pick(d.totals, rng)
	m := d.problem.n - root - 1
	r := d.rootTable(root, m)
	end := r.ends.Draw(rng)
	s, v := end/m, end%m
	length := bits.OnesCount(uint(s)) + 1
	tour[0] = int32(root)
	var q [MaxVertices]float64
	for place := length - 1; ; place-- {
		tour[place] = int32(root + 1 + v)
		if place == 1 {
			return length
		}
		d.before(&q, r.table, r.into, m, s, v, 1)
		s &^= 1 << v
		rest := rng.Float64()
		for x := uint(s); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			if q[u] == 0 {
				continue
			}
			v = u // the last one where rounding leaves a rest
			if rest -= q[u]; rest < 0 {
				break
			}
		}
	}
}

// rootTable returns the table of a root, which it fills when it is first asked for.
func (d *Distribution) rootTable(root, m int) *rootTable {
	if d.drawn == nil {
		d.drawn = make([]rootTable, len(d.totals))
	}
	r := &d.drawn[root]
	if r.table != nil {
		return r
	}
	d.tabulate(root)
	ends := make([]float64, m<<m)
	for i := range ends {
		s, v := i/m, i%m
		ends[i] = math.Inf(-1)
		if s>>v&1 == 1 && s&(s-1) != 0 {
			ends[i] = d.table[i] + d.problem.closing[v]
			if !d.logs {
				ends[i] = math.Log(d.table[i]) + math.Log(d.problem.closing[v])
			}
		}
	}
	r.ends = logsum.NewTable(ends)
	r.table = append([]float64(nil), d.table...)
	r.into = append([]float64(nil), d.problem.into...)
	return r
}
