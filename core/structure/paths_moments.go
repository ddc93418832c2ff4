package structure

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// A uniform path is a Markov chain. Let N(v) be the number of paths from v to the target: the chain leaves v through an
// arc to w with probability N(w)/N(v), a ratio of exact counts that is correctly rounded at any size. All moments are sums
// and products of such probabilities without cancellation, so that they are finite and accurate to some units in the last
// place for each arc of a path.

// probability returns the probability with which a uniform path that has come to the tail of an arc goes on through it.
func (p *paths) probability(a int32) float64 {
	x := p.arcs[a]
	return combin.Ratio(p.ahead[x.head], p.ahead[x.tail])
}

// passages returns for each arc the probability that a uniform path holds it. Cost: a ratio for each arc.
func (p *paths) passages() []float64 {
	visit := make([]float64, p.vertices)
	visit[p.source] = 1
	pass := make([]float64, len(p.arcs))
	for _, v := range p.order {
		for _, a := range p.out[v] {
			if visit[v] > 0 {
				pass[a] = visit[v] * p.probability(a)
				visit[p.arcs[a].head] += pass[a]
			}
		}
	}
	return pass
}

func (p *paths) Mean(dst []float64) {
	mustLen("dst", len(dst), p.features)
	clear(dst)
	for a, pass := range p.passages() {
		dst[p.group[a]] += pass
	}
}

// SecondMoment: let e_v be the expected counts on a uniform path from v to the target, e_v = Σ_a P(a | v)(1_a + e_head(a)).
// The arcs behind the arc a on paths that hold it have the expected counts e_head(a), so that M = B + Bᵀ + diag(μ) with
// B = Σ_a P(a) 1_a e_head(a)ᵀ over the features of the arcs. Cost: d operations for each arc, and d numbers for each vertex
// whose arcs have been passed in part.
func (p *paths) SecondMoment(dst blas64.General) {
	d := p.features
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	for g := range d {
		clear(row(dst, g))
	}
	expected := make([][]float64, p.vertices)
	waiting := p.arcsInto()
	var free [][]float64 // vectors of vertices whose arcs have all been passed
	pass := p.passages()
	for _, v := range slices.Backward(p.order) {
		var counts []float64
		if last := len(free) - 1; last >= 0 {
			counts, free = free[last], free[:last]
			clear(counts)
		} else {
			counts = make([]float64, d)
		}
		expected[v] = counts
		for _, a := range p.out[v] {
			head := p.arcs[a].head
			behind, on := expected[head], p.probability(a)
			counts[p.group[a]] += on
			joint := row(dst, int(p.group[a]))
			for h, e := range behind {
				counts[h] += on * e
				joint[h] += pass[a] * e
			}
			if waiting[head]--; waiting[head] == 0 {
				free = append(free, behind)
			}
		}
	}
	for g := range d {
		for h := range g {
			sum := dst.Data[g*dst.Stride+h] + dst.Data[h*dst.Stride+g]
			dst.Data[g*dst.Stride+h], dst.Data[h*dst.Stride+g] = sum, sum
		}
		dst.Data[g*dst.Stride+g] *= 2
	}
	for a, on := range pass {
		g := int(p.group[a])
		dst.Data[g*dst.Stride+g] += on
	}
}

// arcsInto returns the number of usable arcs into each vertex.
func (p *paths) arcsInto() []int32 {
	n := make([]int32, p.vertices)
	for _, v := range p.order {
		for _, a := range p.out[v] {
			n[p.arcs[a].head]++
		}
	}
	return n
}
