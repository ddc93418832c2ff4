package tours

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"

	"combpred/core/fault"
	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// mostDirect bounds gains of which weights need no scale: exp(−500) is trusted, and exp(500) for each of 1e15 tours no overflow.
	mostDirect = 500
	// leastSum is the smallest sum of scaled weights that is trusted. What underflows is below 1e-300 for each tour, and
	// there are fewer than 1e15 tours, so it is below 1e-30 of such a sum.
	leastSum = 1e-250
	// pollEvery is the number of sets between two polls.
	pollEvery = 1 << 8
)

// Distribution is the Gibbs distribution over the tours of a small problem within its mask, of at most MaxVertices
// vertices, or of as many more as the mask forbids: the probability of a tour is proportional to exp of what it earns.
//
// As in Workspace.Exact tours are grouped by their first node, the root, and table[S,v] is what the paths from the root
// through all of S to v weigh together, a sum where that has a minimum. Going back to the root, the same recursion gives
// what all ways to complete such a path weigh together, and thereby marginals.
//
// Weights are numbers, scaled to 1 at most, as in scale. If so much underflows that the sum may be wrong, all is done again
// with logarithms (see logs.go). The zero value is ready for use. It is not safe for concurrent use.
type Distribution struct {
	problem    Workspace // the gains, the mask and the root at hand
	logs       bool
	worth      []float64 // between nodes: weights, or gains with logs
	potential  []float64 // scratch of scale
	skip       []float64 // what not visiting a node weighs
	table      []float64
	completion []float64 // what the ways to complete a path weigh; with logs, probabilities
	totals     []float64 // what the tours of each root weigh; with logs, the logarithm
	logZ       float64
	keep       []float64 // for each block of sets, what not visiting the others of its nodes weighs
	keepLow    [block]float64
	lead       float64 // what not visiting the nodes before the root weighs
	drawn      []rootTable
	poll       parallel.Poll
}

// rootTable is what samples need of the tours of one root.
type rootTable struct {
	rooted rooted
	table  []float64
	sums   []float64 // of what the tours weigh that visit set 0, 1, …, s
}

// Reset begins a distribution on n vertices as Workspace.Reset does a problem, and returns its n×n matrix of gains.
func (d *Distribution) Reset(n int, anchored bool) []float64 {
	d.drawn = nil
	return d.problem.Reset(n, anchored)
}

// Restrict restricts the distribution as Workspace.Restrict does a problem.
func (d *Distribution) Restrict(mask *Mask) {
	d.drawn = nil
	d.problem.Restrict(mask)
}

// Sum returns ln Σ exp(what a tour earns) over all tours within the mask, and, unless arcs is nil, writes to the n×n matrix
// arcs by rows the probability that a tour goes from u to v: exactly 1 and 0 where the mask says so, and of arcs used
// EitherWay the two add up to exactly 1. It returns ErrNone if the mask leaves no tour, and errors for too large problems
// as Workspace.Exact does. An error of poll, which may be nil, ends the work and is returned. Cost: O(2ⁿ n²),
// 2^(n−1) (n−1) float64s; with arcs about twice that.
func (d *Distribution) Sum(arcs []float64, poll func() error) (float64, error) {
	if err := d.begin(poll); err != nil {
		return 0, err
	}
	defer d.poll.Reset(nil)
	p := &d.problem
	k := len(p.plan.nodes)
	nodeArcs := arcs // without a mask nodes are vertices
	if arcs != nil && p.mask != nil {
		nodeArcs = make([]float64, k*k)
	}
	clear(nodeArcs)
	p.gains(d.worth)
	shift, ok := d.scale()
	if !ok {
		return 0, ErrNone
	}
	total, err := d.sumNumbers(nodeArcs)
	if err != nil {
		return 0, err
	}
	d.logZ = shift + math.Log(total)
	if total < leastSum {
		if p.mask != nil {
			if count, err := d.count(); err != nil || count == 0 {
				return 0, fault.First(err, ErrNone)
			}
		}
		p.gains(d.worth)
		if err := d.sumLogs(nodeArcs); err != nil {
			return 0, err
		}
	}
	switch {
	case arcs == nil:
	case p.mask == nil:
		for i, x := range arcs {
			arcs[i] = min(x, 1)
		}
	default:
		d.arcsTo(arcs, nodeArcs)
	}
	return d.logZ, nil
}

// Count returns the number of tours within the mask, 0 if there are none. The errors are those of Sum, and so is the cost.
//
// It is Sum with weights of 1. There are fewer than 2⁵³ tours, so that all numbers are exact.
func (d *Distribution) Count(poll func() error) (uint64, error) {
	switch err := d.begin(poll); err {
	case nil:
	case ErrNone:
		return 0, nil
	default:
		return 0, err
	}
	defer d.poll.Reset(nil)
	return d.count()
}

func (d *Distribution) count() (uint64, error) {
	d.problem.gains(d.worth)
	for i, g := range d.worth {
		d.worth[i] = 0
		if !math.IsInf(g, -1) {
			d.worth[i] = 1
		}
	}
	for i := range d.skip {
		d.skip[i] = 1
	}
	total, err := d.sumNumbers(nil)
	return uint64(total), err
}

// begin arranges the problem and sizes what is about nodes.
func (d *Distribution) begin(poll func() error) error {
	d.poll.Reset(poll)
	d.drawn = nil
	p := &d.problem
	if p.mask == nil && p.n > MaxVertices {
		return &SizeError{Size: p.n}
	}
	if err := p.prepare(); err != nil {
		return err
	}
	if p.mask != nil {
		if p.rooted.begin(&p.plan, p.plan.roots[0]); len(p.rooted.free) > MostNodes {
			return &StatesError{Free: len(p.rooted.free)}
		}
	}
	k := len(p.plan.nodes)
	d.worth, d.skip, d.totals = slicex.Grow(d.worth, k*k), slicex.Grow(d.skip, k), slicex.Grow(d.totals, len(p.plan.roots))
	return nil
}

// sumNumbers adds up scaled weights, root by root.
func (d *Distribution) sumNumbers(arcs []float64) (total float64, err error) {
	d.logs = false
	p := &d.problem
	for i, root := range p.plan.roots {
		d.load(root)
		d.table = slicex.Grow(d.table, p.rooted.entries())
		d.totals[i] = d.tabulate()
		if arcs != nil {
			d.complete(arcs)
		}
		if d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		total += d.totals[i]
	}
	if total > 0 {
		for i := range arcs {
			arcs[i] /= total
		}
	}
	return total, nil
}

// load loads the problem of a root, and the weights of nodes that are not visited.
func (d *Distribution) load(root int32) {
	p := &d.problem
	r := &p.rooted
	r.begin(&p.plan, root)
	if d.logs {
		r.load(d.worth, math.Inf(-1))
		return
	}
	r.load(d.worth, 0)
	d.lead = 1
	if !p.plan.required {
		for _, s := range d.skip[:root] {
			d.lead *= s
		}
	}
	if rival := p.plan.nodes[root].rival; rival >= 0 {
		d.lead = d.skip[rival]
	}
	weight := func(i int) float64 {
		if i < len(r.free) {
			return d.skip[r.free[i]]
		}
		return 1
	}
	d.keepLow[block-1] = 1
	for l := block - 2; l >= 0; l-- {
		i := bits.TrailingZeros(^uint(l))
		d.keepLow[l] = d.keepLow[l|1<<i] * weight(i)
	}
	d.keep = slicex.Grow(d.keep, r.blocks())
	last := r.blocks() - 1
	d.keep[last] = d.lead
	for h := last - 1; h >= 0; h-- {
		i := bits.TrailingZeros(^uint(h))
		d.keep[h] = d.keep[h|1<<i] * weight(low+i)
	}
}

// arcsTo writes the probabilities of arcs of vertices, given those of arcs of nodes, which on the diagonal are those of
// tours of one node.
func (d *Distribution) arcsTo(arcs, between []float64) {
	p := &d.problem
	n, nodes := p.n, p.plan.nodes
	k := len(nodes)
	clear(arcs)
	for i := range nodes {
		from := int(nodes[i].last()) * n
		for j := range nodes {
			arcs[from+int(nodes[j].first())] += min(between[i*k+j], 1)
		}
	}
	visits := func(j int) (sum float64) {
		for i := range nodes {
			sum += between[i*k+j]
		}
		return min(sum, 1)
	}
	for j := range nodes {
		x := &nodes[j]
		if len(x.path) == 1 {
			continue
		}
		p := 1.0
		switch {
		case x.rival > int32(j):
			p = visits(j)
		case x.rival >= 0:
			p = 1 - visits(int(x.rival))
		}
		for i, v := range x.path[1:] {
			arcs[int(x.path[i])*n+int(v)] = p
		}
		if d.problem.plan.closed {
			arcs[int(x.last())*n+int(x.first())] = p
		}
	}
}

// DrawTo writes a random tour to tour, its smallest vertex first, and returns its length. Sum must have been called without
// an error. Cost: O(n²), for the first tour of each root that of its table in addition, which is kept.
func (d *Distribution) DrawTo(tour []int32, rng *rand.Rand) int {
	p := &d.problem
	p.checkTour(tour)
	i := d.drawRoot(rng)
	t := d.rootTable(i)
	r := &t.rooted
	s := drawSum(t.sums, rng)
	var order [MostNodes]int32
	k := 0
	after := r.closing
	for s != 0 {
		v := d.drawLast(t, s, after, rng)
		order[k] = r.free[v]
		k++
		s &^= 1 << v
		after = r.into[v*r.m : (v+1)*r.m]
	}
	length := copy(tour, p.plan.nodes[r.root].path)
	for k--; k >= 0; k-- {
		length += copy(tour[length:], p.plan.nodes[order[k]].path)
	}
	if p.mask != nil {
		fromSmallest(tour[:length])
	}
	return length
}

// drawRoot returns the number of a random root.
func (d *Distribution) drawRoot(rng *rand.Rand) int {
	switch {
	case len(d.totals) == 1:
		return 0
	case d.logs:
		return logsum.Pick(d.totals, rng)
	}
	return logsum.PickWeight(d.totals, rng)
}

// drawSum returns i with a probability proportional to sums[i] − sums[i−1].
func drawSum(sums []float64, rng *rand.Rand) int {
	u := rng.Float64() * sums[len(sums)-1]
	i := sort.Search(len(sums), func(i int) bool { return sums[i] > u })
	if i == len(sums) { // the product was rounded up
		i = sort.SearchFloat64s(sums, sums[len(sums)-1])
	}
	return i
}

// drawLast returns the last node of a random path through a set, before which it is worth as much to go on as after says.
func (d *Distribution) drawLast(t *rootTable, s int, after []float64, rng *rand.Rand) int {
	var w [MostNodes]float64
	top := math.Inf(-1)
	var sum float64
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		if e := t.table[t.rooted.at(s, v)]; d.logs {
			w[v] = e + after[v]
			top = max(top, w[v])
		} else {
			w[v] = e * after[v]
			sum += w[v]
		}
	}
	if d.logs {
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			w[v] = math.Exp(w[v] - top)
			sum += w[v]
		}
	}
	return logsum.DrawMember(w[:], s, rng.Float64()*sum)
}

// rootTable returns the table of root number i, which it fills when it is first asked for.
func (d *Distribution) rootTable(i int) *rootTable {
	p := &d.problem
	if d.drawn == nil {
		d.drawn = make([]rootTable, len(p.plan.roots))
	}
	t := &d.drawn[i]
	if t.table != nil {
		return t
	}
	p.rooted = rooted{} // what it holds is kept with the table
	d.load(p.plan.roots[i])
	r := &p.rooted
	d.table = make([]float64, r.entries())
	if d.logs {
		d.tabulateLogs()
	} else {
		d.tabulate()
	}
	t.rooted, t.table = p.rooted, d.table
	p.rooted, d.table = rooted{}, nil
	t.sums = make([]float64, 1<<len(t.rooted.free))
	var sum float64
	for s := range t.sums {
		sum += d.visiting(t, s)
		t.sums[s] = sum
	}
	return t
}

// visiting returns what the tours weigh together that visit a set beside the root; with logs, relative to all of the root.
func (d *Distribution) visiting(t *rootTable, s int) (sum float64) {
	r := &t.rooted
	scale := 1.0
	if !d.logs {
		scale = d.keep[s>>low] * d.keepLow[s&(block-1)]
	}
	add := func(e, closing float64) {
		if d.logs {
			sum += math.Exp(e + closing - d.logZ)
		} else {
			sum += scale * e * closing
		}
	}
	switch {
	case s == 0 && r.directIsAdmitted && d.logs:
		add(0, r.direct)
	case s == 0 && r.directIsAdmitted:
		add(1, r.direct)
	case s != 0 && r.admits(s):
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			add(t.table[r.at(s, v)], r.closing[v])
		}
	}
	return sum
}
