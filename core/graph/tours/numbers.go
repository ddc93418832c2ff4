package tours

import (
	"math"
	"math/bits"

	"combpred/core/slicex"
)

// scale turns the gains between nodes into weights of 1 at most, and returns the logarithm of what it divides the weight of
// each tour by. It returns false if a node that must be visited cannot be.
//
// Every node is entered and left once, or not visited, which is like entering it from itself with a gain of 0. So
// potentials can be taken off: the largest gain of entering each node, and then the largest that is left of leaving each,
// as in the assignment problem, of which tours are special solutions. What a tour weighs less than 1 then is about what it
// earns less than the best of these solutions. Where gains are so small that nothing is out of range, they stay as they are. Cost: O(n²),
// and n² exponentials.
func (d *Distribution) scale() (shift float64, ok bool) {
	nodes := d.problem.plan.nodes
	k := len(nodes)
	least := math.Inf(-1)
	if d.direct() {
		for i, g := range d.worth {
			if d.worth[i] = 0; g > least {
				d.worth[i] = math.Exp(g)
			}
		}
		for i := range d.skip {
			d.skip[i] = 1
		}
		return 0, true
	}
	d.potential = slicex.Grow(d.potential, 3*k)
	enter, leave, unvisited := d.potential[:k], d.potential[k:2*k], d.potential[2*k:]
	for i := range nodes {
		unvisited[i] = 0
		if nodes[i].required && nodes[i].rival < 0 {
			unvisited[i] = math.Inf(-1)
		}
	}
	copy(enter, unvisited)
	for i := range k {
		for j, g := range d.worth[i*k : (i+1)*k] {
			enter[j] = max(enter[j], g)
		}
	}
	for i := range k {
		if math.IsInf(enter[i], -1) {
			return 0, false
		}
		leave[i] = unvisited[i] - enter[i]
		for j, g := range d.worth[i*k : (i+1)*k] {
			leave[i] = max(leave[i], g-enter[j])
		}
		if math.IsInf(leave[i], -1) {
			return 0, false
		}
		shift += enter[i] + leave[i]
	}
	for i := range k {
		row := d.worth[i*k : (i+1)*k]
		for j, g := range row {
			if row[j] = 0; g > least {
				row[j] = math.Exp(g - leave[i] - enter[j])
			}
		}
		d.skip[i] = math.Exp(unvisited[i] - enter[i] - leave[i])
	}
	return shift, true
}

// direct reports whether weights need no scale: the largest gains of leaving each node add up to mostDirect at most.
func (d *Distribution) direct() bool {
	k := len(d.skip)
	var total float64
	for i := range k {
		most := 0.0
		for _, g := range d.worth[i*k : (i+1)*k] {
			if g = math.Abs(g); g <= math.MaxFloat64 { // no tour uses what the mask forbids
				most = max(most, g)
			}
		}
		total += most
	}
	return total <= mostDirect
}

// tabulate fills the table of the root at hand with numbers and returns what its tours weigh together.
func (d *Distribution) tabulate() (total float64) {
	r := &d.problem.rooted
	m := r.m
	if r.directIsAdmitted {
		total = r.direct * d.keep[0] * d.keepLow[0]
	}
	var keep [block]float64
	for h := range r.blocks() {
		if h%(pollEvery/block) == pollEvery/block-1 && d.poll.Stopped() {
			return 0
		}
		if r.barred(h << low) {
			continue
		}
		d.keepTo(&keep, h)
		rows := d.table[h*m*block : (h+1)*m*block]
		for x := uint(h); x != 0; x &= x - 1 {
			v := low + bits.TrailingZeros(x)
			rest := h &^ (1 << (v - low))
			row := (*[block]float64)(rows[v*block:])
			sumTo(row, d.table[rest*m*block:(rest+1)*m*block], r.into[v*m:(v+1)*m], uint(rest<<low|(block-1)))
			if rest == 0 {
				row[0] = r.open[v]
			}
			total += dot(row, &keep) * r.closing[v]
		}
		d.lowRows(rows, h)
		for v := range low {
			total += dot((*[block]float64)(rows[v*block:]), &keep) * r.closing[v]
		}
	}
	return total
}

// keepTo writes what not visiting the others weighs for each set of block h, 0 where no tour may end with the set.
func (d *Distribution) keepTo(keep *[block]float64, h int) {
	r := &d.problem.rooted
	if r.plain {
		for l, w := range d.keepLow {
			keep[l] = w * d.keep[h]
		}
		switch {
		case h == 0:
			keep[0], keep[1], keep[2], keep[4] = 0, 0, 0, 0
		case h&(h-1) == 0:
			keep[0] = 0
		}
		return
	}
	for l, w := range d.keepLow {
		keep[l] = 0
		if s := h<<low | l; s != 0 && r.admits(s) {
			keep[l] = w * d.keep[h]
		}
	}
}

func dot(a, b *[block]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1]) + (a[2]*b[2] + a[3]*b[3]) + ((a[4]*b[4] + a[5]*b[5]) + (a[6]*b[6] + a[7]*b[7]))
}

// sumTo writes to row what the paths weigh that go on from a node of a set to one more. It is what the time goes into.
func sumTo(row *[block]float64, from, into []float64, members uint) {
	var a0, a1, a2, a3, a4, a5, a6, a7 float64
	for ; members != 0; members &= members - 1 {
		u := bits.TrailingZeros(members)
		c := into[u]
		t := (*[block]float64)(from[u*block:])
		a0, a1, a2, a3 = a0+t[0]*c, a1+t[1]*c, a2+t[2]*c, a3+t[3]*c
		a4, a5, a6, a7 = a4+t[4]*c, a5+t[5]*c, a6+t[6]*c, a7+t[7]*c
	}
	*row = [block]float64{a0, a1, a2, a3, a4, a5, a6, a7}
}

// lowRows fills the rows of the three nodes by which the sets of block h differ, 0 where a set is without the node.
func (d *Distribution) lowRows(rows []float64, h int) {
	r := &d.problem.rooted
	m := r.m
	x, y, z := r.into[:m], r.into[m:2*m], r.into[2*m:3*m]
	var a1, a2, a4, a6, b2, b1, b4, b5, c4, c1, c2, c3 float64
	for high := uint(h); high != 0; high &= high - 1 {
		u := low + bits.TrailingZeros(high)
		t := (*[block]float64)(rows[u*block:])
		i, j, k := x[u], y[u], z[u]
		a1, a2, a4, a6 = a1+t[0]*i, a2+t[2]*i, a4+t[4]*i, a6+t[6]*i
		b2, b1, b4, b5 = b2+t[0]*j, b1+t[1]*j, b4+t[4]*j, b5+t[5]*j
		c4, c1, c2, c3 = c4+t[0]*k, c1+t[1]*k, c2+t[2]*k, c3+t[3]*k
	}
	if h == 0 {
		a1, b2, c4 = r.open[0], r.open[1], r.open[2]
	}
	a3, b3 := a2+b2*x[1], b1+a1*y[0]
	a5, c5 := a4+c4*x[2], c1+a1*z[0]
	b6, c6 := b4+c4*y[2], c2+b2*z[1]
	a7, b7, c7 := a6+b6*x[1]+c6*x[2], b5+a5*y[0]+c5*y[2], c3+a3*z[0]+b3*z[1]
	*(*[block]float64)(rows) = [block]float64{0, a1, 0, a3, 0, a5, 0, a7}
	*(*[block]float64)(rows[block:]) = [block]float64{0, 0, b2, b3, 0, 0, b6, b7}
	*(*[block]float64)(rows[2*block:]) = [block]float64{0, 0, 0, 0, c4, c5, c6, c7}
}

// complete adds to arcs, a matrix for all nodes, what the tours of the root at hand weigh that use each arc. The table must be
// filled.
//
// It goes back through the sets: completion[S,v] = closing[v]·keep[S] + Σ over w outside S of into[w,v]·completion[S∪w,w] is
// what the ways to complete a path weigh that has reached v through S.
func (d *Distribution) complete(arcs []float64) {
	r := &d.problem.rooted
	m := r.m
	d.completion = slicex.Grow(d.completion, r.entries())
	var keep [block]float64
	var sums [MostNodes + 1][MostNodes + 1]float64
	last := r.blocks() - 1
	var back [MostNodes]float64
	for h := last; h >= 0; h-- {
		if h%(pollEvery/block) == pollEvery/block-1 && d.poll.Stopped() {
			return
		}
		rows := d.completion[h*m*block : (h+1)*m*block]
		if r.barred(h << low) {
			clear(rows)
			continue
		}
		d.keepTo(&keep, h)
		table := d.table[h*m*block : (h+1)*m*block]
		for v := range low {
			back[v] += d.completeFrom(rows, table, h, v, &keep, &sums[v])
		}
		d.completeLow(rows, table, &sums)
		for x := uint(h); x != 0; x &= x - 1 {
			v := low + bits.TrailingZeros(x)
			back[v] += d.completeFrom(rows, table, h, v, &keep, &sums[v])
			d.completeByLow(rows, table, v, &sums[v])
		}
	}
	d.addArcs(arcs, &sums, &back)
}

// addArcs adds what the tours of the root at hand weigh, by their arcs between the nodes behind it and by those back to it.
func (d *Distribution) addArcs(arcs []float64, sums *[MostNodes + 1][MostNodes + 1]float64, back *[MostNodes]float64) {
	r := &d.problem.rooted
	k, root := len(r.plan.nodes), int(r.root)
	for i, x := range r.free {
		for j, y := range r.free {
			arcs[int(x)*k+int(y)] += sums[i][j] * r.into[j*r.m+i]
		}
		first := 1 << i
		arcs[root*k+int(x)] += r.open[i] * d.completion[r.at(first, i)]
		arcs[int(x)*k+root] += r.closing[i] * back[i]
	}
	if r.directIsAdmitted {
		arcs[root*k+root] += r.direct * d.keep[0] * d.keepLow[0]
	}
}

// completeFrom writes the row of node v in block h as far as completions go back to the root or on to nodes outside the block,
// adds to sums what these ways weigh without their next arc, and returns the same for those back to the root.
func (d *Distribution) completeFrom(rows, table []float64, h, v int, keep *[block]float64, sums *[MostNodes + 1]float64) (back float64) {
	r := &d.problem.rooted
	m := r.m
	t := (*[block]float64)(table[v*block:])
	c := r.closing[v]
	a0, a1, a2, a3, a4, a5, a6, a7 := c*keep[0], c*keep[1], c*keep[2], c*keep[3], c*keep[4], c*keep[5], c*keep[6], c*keep[7]
	for x := uint(r.blocks()-1) &^ uint(h); x != 0; x &= x - 1 {
		w := bits.TrailingZeros(x)
		row := (*[block]float64)(d.completion[((h|1<<w)*m+low+w)*block:])
		c := r.into[(low+w)*m+v]
		r0, r1, r2, r3, r4, r5, r6, r7 := row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
		a0, a1, a2, a3, a4, a5, a6, a7 = a0+r0*c, a1+r1*c, a2+r2*c, a3+r3*c, a4+r4*c, a5+r5*c, a6+r6*c, a7+r7*c
		sums[low+w] += (t[0]*r0 + t[1]*r1) + (t[2]*r2 + t[3]*r3) + ((t[4]*r4 + t[5]*r5) + (t[6]*r6 + t[7]*r7))
	}
	*(*[block]float64)(rows[v*block:]) = [block]float64{a0, a1, a2, a3, a4, a5, a6, a7}
	return dot(t, keep)
}

// completeLow adds to the rows of nodes 0, 1 and 2 the ways that go on among them, the largest sets first.
func (d *Distribution) completeLow(rows, table []float64, sums *[MostNodes + 1][MostNodes + 1]float64) {
	r := &d.problem.rooted
	m := r.m
	a, b, c := (*[block]float64)(rows), (*[block]float64)(rows[block:]), (*[block]float64)(rows[2*block:])
	ta, tb, tc := (*[block]float64)(table), (*[block]float64)(table[block:]), (*[block]float64)(table[2*block:])
	x, y, z := r.into[:low], r.into[m:m+low], r.into[2*m:2*m+low]
	a[3], b[3] = a[3]+c[7]*z[0], b[3]+c[7]*z[1]
	a[5], c[5] = a[5]+b[7]*y[0], c[5]+b[7]*y[2]
	b[6], c[6] = b[6]+a[7]*x[1], c[6]+a[7]*x[2]
	a[1] += b[3]*y[0] + c[5]*z[0]
	b[2] += a[3]*x[1] + c[6]*z[1]
	c[4] += a[5]*x[2] + b[6]*y[2]
	sums[0][1] += ta[1]*b[3] + ta[5]*b[7]
	sums[0][2] += ta[1]*c[5] + ta[3]*c[7]
	sums[1][0] += tb[2]*a[3] + tb[6]*a[7]
	sums[1][2] += tb[2]*c[6] + tb[3]*c[7]
	sums[2][0] += tc[4]*a[5] + tc[6]*a[7]
	sums[2][1] += tc[4]*b[6] + tc[5]*b[7]
}

// completeByLow adds to the row of another node v the ways that go on to nodes 0, 1 and 2.
func (d *Distribution) completeByLow(rows, table []float64, v int, sums *[MostNodes + 1]float64) {
	r := &d.problem.rooted
	m := r.m
	a, b, c := (*[block]float64)(rows), (*[block]float64)(rows[block:]), (*[block]float64)(rows[2*block:])
	x, y, z := r.into[v], r.into[m+v], r.into[2*m+v]
	row, t := (*[block]float64)(rows[v*block:]), (*[block]float64)(table[v*block:])
	row[0] += a[1]*x + b[2]*y + c[4]*z
	row[1] += b[3]*y + c[5]*z
	row[2] += a[3]*x + c[6]*z
	row[3] += c[7] * z
	row[4] += a[5]*x + b[6]*y
	row[5] += b[7] * y
	row[6] += a[7] * x
	sums[0] += t[0]*a[1] + t[2]*a[3] + t[4]*a[5] + t[6]*a[7]
	sums[1] += t[0]*b[2] + t[1]*b[3] + t[4]*b[6] + t[5]*b[7]
	sums[2] += t[0]*c[4] + t[1]*c[5] + t[2]*c[6] + t[3]*c[7]
}
