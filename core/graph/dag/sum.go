package dag

import (
	"math"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// Sums over paths are numbers with scales: what the paths from a vertex weigh is b·2²⁵⁶ᵉ, with an integer e that changes
// only when b would leave 2^±250. Most vertices then have the e of their neighbours, and are passed without a look at
// it; but no b is ever lost to overflow or underflow, whatever the scores are, and no logarithm is taken but that of the sum of
// all. Weights of single scores are numbers up to e^±346, and b·2²⁵⁶ᵉ as well beyond.
const (
	stepBits  = 256
	plain     = 346 // e³⁴⁶ < 2⁵⁰⁰
	large     = 0x1p250
	small     = 0x1p-250
	stepUp    = 0x1p256
	stepDown  = 0x1p-256
	stepHigh  = stepBits * math.Ln2
	stepLow   = 5.936759843446527e-15 // what stepHigh is short of 256 ln 2 as a float64
	clampHard = 90                    // of scores so large that their digits end before the point
)

// pollEvery is the number of vertices between two polls.
const pollEvery = 1 << 14

// Workspace is the memory of passes through a graph. The zero value is ready for use.
type Workspace struct {
	scores, value         []float64
	weight, shift         []float64 // e^score is weight·2^(256 shift), by symbol; no shifts where all scores are plain
	b, e                  []float64 // by vertex
	scale                 []float64 // of the arcs out of a vertex
	term, total, reaching []float64 // what goes on through each arc and vertex, in one scale for a vertex; probabilities of vertices
	poll                  parallel.Poll
}

// LogSum returns ln Σ exp(score) over all paths and adds up the probability of each arc under p(path) ∝ exp(score) in the
// marginals of its symbol, unless marginals is nil. An error of poll, which may be nil, ends the work and is returned. Cost: O(arcs),
// an exponential for each score.
func (g *Graph) LogSum(marginals, scores []float64, w *Workspace, poll func() error) (float64, error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	g.weigh(scores, w)
	logZ := g.backward(w, marginals != nil)
	if marginals != nil {
		g.forward(marginals, w)
	}
	return logZ, w.poll.Err()
}

// weigh takes the exponentials of the scores.
func (g *Graph) weigh(scores []float64, w *Workspace) {
	scores = g.scored(scores, w)
	var most float64
	for _, s := range scores {
		most = max(most, math.Abs(s))
	}
	w.weight, w.shift = slicex.Grow(w.weight, len(scores)), w.shift[:0]
	if most <= plain {
		logsum.ExpTo(w.weight, scores)
		return
	}
	for i, s := range scores {
		k := math.Round(s / stepHigh)
		rest := math.FMA(-k, stepLow, math.FMA(-k, stepHigh, s))
		w.weight[i] = min(max(rest, -clampHard), clampHard)
		w.shift = append(w.shift, k)
	}
	logsum.ExpTo(w.weight, w.weight)
}

// backward sums from the sink to the source, and returns the logarithm of the sum. It keeps the terms if asked to.
func (g *Graph) backward(w *Workspace, keep bool) float64 {
	n := g.Vertices()
	w.b, w.e = slicex.Grow(w.b, n), slicex.Grow(w.e, n)
	b, e, weight := w.b, w.e, w.weight
	var terms []float64
	if keep {
		w.term, w.total = slicex.Grow(w.term, g.Arcs()), slicex.Grow(w.total, n)
		terms = w.term
	}
	b[n-1], e[n-1] = 1, 0
	scale, even := 0.0, n // vertices behind the one at hand and before even have the scale e = scale
	for v := n - 2; v >= 0; v-- {
		if v%pollEvery == 0 && w.poll.Stopped() {
			return 0
		}
		from, to := g.start[v], g.start[v+1]
		heads, symbols := g.head[from:to], g.symbol[from:to]
		symbols = symbols[:len(heads)]
		sum, at := 0.0, scale
		switch {
		case len(w.shift) > 0 || int(g.far[v]) >= even:
			sum, at = g.mixed(v, w, terms)
		case keep:
			into := terms[from:to]
			into = into[:len(heads)]
			for i, head := range heads {
				t := weight[symbols[i]] * b[head]
				into[i] = t
				sum += t
			}
		default:
			for i, head := range heads {
				sum += weight[symbols[i]] * b[head]
			}
		}
		if keep {
			w.total[v] = sum
		}
		for ; sum > large; at++ {
			sum *= stepDown
		}
		for ; sum < small; at-- {
			sum *= stepUp
		}
		b[v], e[v] = sum, at
		if at != scale {
			scale, even = at, v+1
		}
	}
	return math.Log(b[0]) + e[0]*stepHigh + e[0]*stepLow
}

// mixed is a step of backward where scales differ: sums are in the largest one. Terms are within 2^±750, so that one which
// is eight scales below is nothing beside it.
func (g *Graph) mixed(v int, w *Workspace, terms []float64) (sum, top float64) {
	from, to := g.start[v], g.start[v+1]
	heads, symbols := g.head[from:to], g.symbol[from:to]
	symbols = symbols[:len(heads)]
	w.scale = slicex.Grow(w.scale, len(heads))
	scale := w.scale[:len(heads)]
	top = math.Inf(-1)
	for i, head := range heads {
		at := w.e[head]
		if len(w.shift) > 0 {
			at += w.shift[symbols[i]]
		}
		scale[i] = at
		if at > top {
			top = at
		}
	}
	if terms != nil {
		terms = terms[from:to]
	}
	for i, head := range heads {
		below := &down[int(min(top-scale[i], float64(len(down)-1)))]
		t := w.weight[symbols[i]] * w.b[head] * below[0] * below[1]
		if terms != nil {
			terms[i] = t
		}
		sum += t
	}
	return sum, top
}

// down holds the weights of scales below another one, as products, for which a float64 has too few exponents.
var down = func() (table [9][2]float64) {
	for i := range table[:len(table)-1] {
		table[i] = [2]float64{math.Ldexp(1, -stepBits*min(i, 3)), math.Ldexp(1, -stepBits*max(i-3, 0))}
	}
	return table
}()

// forward passes probabilities from the source to the sink.
func (g *Graph) forward(marginals []float64, w *Workspace) {
	dst := marginals
	if g.silent {
		w.scores = slicex.Grow(w.scores, g.symbols+1) // the entry of silent arcs goes nowhere
		marginals = w.scores
	}
	clear(marginals)
	n := g.Vertices()
	w.reaching = slicex.Grow(w.reaching, n)
	reaching := w.reaching
	clear(reaching)
	reaching[0] = 1
	for v := range n - 1 {
		if v%pollEvery == 0 && w.poll.Stopped() {
			return
		}
		if reaching[v] == 0 {
			continue
		}
		from, to := g.start[v], g.start[v+1]
		heads, symbols, terms := g.head[from:to], g.symbol[from:to], w.term[from:to]
		symbols, terms = symbols[:len(heads)], terms[:len(heads)]
		share := reaching[v] / w.total[v]
		for i, head := range heads {
			p := share * terms[i]
			reaching[head] += p
			marginals[symbols[i]] += p
		}
	}
	copy(dst, marginals[:g.symbols])
}

// Distribution draws paths with probabilities p(path) ∝ exp(score).
type Distribution struct {
	g           *Graph
	term, total []float64
}

// NewDistribution does what all draws share. Cost and poll: those of LogSum.
func (g *Graph) NewDistribution(scores []float64, poll func() error) (*Distribution, error) {
	var w Workspace
	w.poll.Reset(poll)
	g.weigh(scores, &w)
	g.backward(&w, true)
	return &Distribution{g, w.term, w.total}, w.poll.Err()
}

// Draw writes the labels of the arcs of a random path to dst, which has room for the longest, and returns their number. Cost: that
// of the arcs passed over.
func (d *Distribution) Draw(dst []int32, rng *rand.Rand) int {
	g, v := d.g, int32(0)
	arcs := 0
	for ; v != int32(g.Vertices()-1); arcs++ {
		rest, chosen := rng.Float64()*d.total[v], int32(-1)
		for a := g.start[v]; a < g.start[v+1]; a++ {
			if d.term[a] == 0 {
				continue
			}
			chosen = a // the last one where rounding leaves a rest
			if rest -= d.term[a]; rest < 0 {
				break
			}
		}
		dst[arcs], v = g.label[chosen], g.head[chosen]
	}
	return arcs
}
