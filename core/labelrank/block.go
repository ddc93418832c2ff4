package labelrank

import (
	"math"

	"combpred/core/parallel"
)

// block is the dual problem of one row, all other rows fixed: to maximise over its variables α, one an edge,
//
//	Σ_e α_e margin_e − ½‖W‖²,   W the weights, to which α_e adds α_e (e_winner − e_loser) ⊗ x,
//
// where α_e >= 0 and those of a subgraph add up to at most limit. Only the scores f of the row are needed: a change of α by δ at
// the edge (u, v) moves f_u by δ‖x‖² and f_v by −δ‖x‖².
type block struct {
	graph graph
	alpha []float64 // of the edges
	f     []float64 // scores of the labels at α
	moved []float64 // of the labels: the change of Σ_e α_e (e_winner − e_loser) so far
	norm  float64   // ‖x‖², or the kernel's value
	limit float64
	dual  float64 // by how much the dual has risen
}

func newBlock(labels int) *block {
	return &block{f: make([]float64, labels), moved: make([]float64, labels)}
}

// load begins with row i. alpha (nil: zeros) are its variables, by pair; f is to be set by the caller.
func (b *block) load(e *Examples, i int, alpha []float64, norm, cost float64) {
	b.graph.readFrom(e, i)
	b.norm, b.limit = norm, cost*e.weight(i)*b.graph.share
	b.alpha, b.dual = b.alpha[:0], 0
	for _, edge := range b.graph.edges {
		a := 0.0
		if alpha != nil {
			a = alpha[edge.pair]
		}
		b.alpha = append(b.alpha, a)
	}
	clear(b.moved)
}

// store writes the variables back.
func (b *block) store(alpha []float64) {
	for at, edge := range b.graph.edges {
		alpha[edge.pair] = b.alpha[at]
	}
}

// gain returns the derivative of the dual by an edge's variable: by how much its margin is missed.
func (b *block) gain(at int) float64 {
	e := &b.graph.edges[at]
	return e.margin - (b.f[e.winner] - b.f[e.loser])
}

// losses returns the sum of the losses of the subgraphs.
func (b *block) losses() float64 {
	var sum float64
	start := 0
	for _, end := range b.graph.ends {
		worst := 0.0
		for at := start; at < end; at++ {
			worst = max(worst, b.gain(at))
		}
		sum += worst
		start = end
	}
	return sum
}

// credit returns Σ_e α_e gain_e.
func (b *block) credit() float64 {
	var sum float64
	for at, a := range b.alpha {
		sum += a * b.gain(at)
	}
	return sum
}

// gap returns by how much this row contributes to the difference of primal and dual: at fixed weights the contributions of all
// rows add up to it. It is 0 exactly where the block is solved.
func (b *block) gap() float64 { return b.limit*b.losses() - b.credit() }

// ascend raises the dual, subgraph by subgraph, until the gap is at most target, or at most part of the rise. Cost of a sweep: O(m²)
// for each subgraph of m edges.
func (b *block) ascend(target, part float64, sweeps int, mon *parallel.Monitor) error {
	for range sweeps {
		if err := mon.Err(); err != nil {
			return err
		}
		start := 0
		for _, end := range b.graph.ends {
			if end == start+1 {
				b.climb(start)
			} else {
				b.exchange(start, end, target, part)
			}
			start = end
		}
		if b.gap() <= max(target, part*b.dual) {
			return nil
		}
	}
	return nil
}

// climb takes the best value of the variable of an edge that has the whole limit.
func (b *block) climb(at int) {
	gain, old := b.gain(at), b.alpha[at]
	best := old
	switch {
	case b.norm > 0:
		best = min(max(old+gain/(2*b.norm), 0), b.limit)
	case gain > 0: // the input is zero: nothing moves the scores
		best = b.limit
	}
	step := best - old
	b.dual += step * (gain - step*b.norm)
	b.move(at, step)
	b.alpha[at] = best
}

// exchange moves weight between the edges of a subgraph, and what the limit leaves unused, always from where the dual gains least to
// where it gains most: sequential minimal optimisation. It ends when the subgraph has no more than its share of the gap that ascend
// may leave. Cost: O(m) a step, of which there are at most 2m, for m edges.
func (b *block) exchange(start, end int, target, part float64) {
	for range 2 * (end - start) {
		const unused = -1
		used, credit := 0.0, 0.0
		from, to := unused, unused
		least, most := math.Inf(1), 0.0 // what is unused gains nothing
		for at := start; at < end; at++ {
			g := b.gain(at)
			if g > most {
				most, to = g, at
			}
			if a := b.alpha[at]; a > 0 {
				used += a
				credit += a * g
				if g < least {
					least, from = g, at
				}
			}
		}
		room := b.limit - used
		if room > 0 && least >= 0 {
			least, from = 0, unused
		}
		if !(most > least) || b.limit*most-credit <= max(target, part*b.dual)/float64(len(b.graph.ends)) {
			return
		}
		step := room
		if from != unused {
			step = b.alpha[from]
		}
		curvature := b.norm * b.spread(from, to)
		if curvature > 0 {
			step = min(step, (most-least)/curvature)
		}
		b.dual += step * (most - least - 0.5*step*curvature)
		if from != unused {
			b.move(from, -step)
			b.alpha[from] -= step
		}
		if to != unused {
			b.move(to, step)
			b.alpha[to] += step
		}
	}
}

// spread returns the squared length of the difference of the directions of two edges, a negative number standing for no edge.
func (b *block) spread(from, to int) float64 {
	if from < 0 || to < 0 {
		return 2
	}
	p, q := &b.graph.edges[from], &b.graph.edges[to]
	out := 4.0
	if p.winner == q.winner {
		out -= 2
	}
	if p.loser == q.loser {
		out -= 2
	}
	if p.winner == q.loser {
		out += 2
	}
	if p.loser == q.winner {
		out += 2
	}
	return out
}

func (b *block) move(at int, step float64) {
	e := &b.graph.edges[at]
	b.f[e.winner] += step * b.norm
	b.f[e.loser] -= step * b.norm
	b.moved[e.winner] += step
	b.moved[e.loser] -= step
}
