package tours

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
	"combpred/core/slicex"
)

// Where gains differ so much that the weights of important tours underflow, tables hold logarithms. An exponential for each
// term makes that about twenty times as slow.

// sumLogs is sumNumbers with logarithms. There must be a tour.
func (d *Distribution) sumLogs(arcs []float64) error {
	d.logs = true
	p := &d.problem
	k := len(p.plan.nodes)
	var each []float64 // k×k for each root
	if arcs != nil {
		each = make([]float64, len(d.totals)*k*k)
	}
	for i, root := range p.plan.roots {
		d.load(root)
		d.table = slicex.Grow(d.table, p.rooted.entries())
		d.totals[i] = d.tabulateLogs()
		if arcs != nil && !math.IsInf(d.totals[i], -1) {
			d.arcsOfRoot(each[i*k*k:(i+1)*k*k], d.totals[i])
		}
		if d.poll.Stopped() {
			return d.poll.Err()
		}
	}
	d.logZ = logsum.Of(d.totals)
	if arcs == nil {
		return nil
	}
	clear(arcs)
	shares := make([]float64, len(d.totals))
	logsum.SoftmaxTo(shares, d.totals)
	for i, share := range shares {
		floats.AddScaled(arcs, share, each[i*k*k:(i+1)*k*k])
	}
	return nil
}

// tabulateLogs is tabulate with logarithms.
func (d *Distribution) tabulateLogs() float64 {
	r := &d.problem.rooted
	var closed logsum.Sum
	if r.directIsAdmitted {
		closed.Add(r.direct)
	}
	var terms [MostNodes]float64
	for s := 1; s < 1<<len(r.free); s++ {
		if s%pollEvery == 0 && d.poll.Stopped() {
			return 0
		}
		if r.barred(s) {
			continue
		}
		mayEnd := r.admits(s)
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			rest := s &^ (1 << v)
			e := r.open[v]
			if rest != 0 {
				from, into := d.table[r.at(rest, 0):], r.into[v*r.m:(v+1)*r.m]
				k := 0
				for y := uint(rest); y != 0; y &= y - 1 {
					u := bits.TrailingZeros(y)
					terms[k] = from[u<<low] + into[u]
					k++
				}
				e = logsum.Of(terms[:k])
			}
			d.table[r.at(s, v)] = e
			if mayEnd {
				closed.Add(e + r.closing[v])
			}
		}
	}
	return closed.Log()
}

// arcsOfRoot writes the probabilities of arcs among the tours of the root at hand, whose table is filled, to a zeroed matrix
// for all nodes. Here completion[S,v] is the probability that a tour goes on from v when it has reached it through S, and a
// term of the sum in the table is the conditional probability of the node before.
func (d *Distribution) arcsOfRoot(arcs []float64, total float64) {
	r := &d.problem.rooted
	k, root := len(r.plan.nodes), int(r.root)
	d.completion = slicex.Grow(d.completion, r.entries())
	clear(d.completion)
	if r.directIsAdmitted {
		arcs[root*k+root] = logsum.Share(r.direct, total)
	}
	for s := 1<<len(r.free) - 1; s > 0; s-- {
		if s%pollEvery == 0 && d.poll.Stopped() {
			return
		}
		if r.barred(s) {
			continue
		}
		mayEnd := r.admits(s)
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			at, node := r.at(s, v), int(r.free[v])
			reach, whole := d.completion[at], d.table[at]
			if mayEnd {
				home := logsum.Share(whole+r.closing[v], total)
				arcs[node*k+root] += home
				reach += home
			}
			if reach == 0 {
				continue
			}
			rest := s &^ (1 << v)
			if rest == 0 {
				arcs[root*k+node] += reach
				continue
			}
			into := r.into[v*r.m : (v+1)*r.m]
			for y := uint(rest); y != 0; y &= y - 1 {
				u := bits.TrailingZeros(y)
				before := r.at(rest, u)
				q := reach * logsum.Share(d.table[before]+into[u], whole)
				d.completion[before] += q
				arcs[int(r.free[u])*k+node] += q
			}
		}
	}
}
