package spanning

import "math"

// The Gibbs distribution over the spanning trees, in which the probability of a tree is proportional to exp of the sum of its weights, is
// that of a network with conductances exp(weight). Its partition function is a determinant of the weighted Laplacian (Kirchhoff's
// matrix-tree theorem), and an edge of conductance w between vertices of effective resistance R is in a tree with probability w R
// (Kirchhoff, 1847). Both come from the elimination of this package: in floats with 1 for the largest conductance, and again in wide
// numbers if a conductance of the elimination turns out to be too small for that.

// LogSum returns ln Σ exp(weights of the edges of a tree) over all spanning trees. An error of poll, which may be nil, ends the work and
// is returned. Cost: that of elimination, at most n³/6 operations, and an exponential for each edge.
func (g *Graph) LogSum(weight []float64, poll func() error) (float64, error) {
	return g.distribution(nil, weight, poll)
}

// EdgesTo writes to p the probability that each edge is in a random tree, where the probability of a tree is proportional to exp of the
// sum of its weights, and returns what LogSum does. All probabilities keep their digits, small ones, too, whatever the weights. An error
// of poll, which may be nil, ends the work and is returned. Cost: three times that of LogSum.
func (g *Graph) EdgesTo(p, weight []float64, poll func() error) (float64, error) {
	clear(p)
	sum, err := g.distribution(p, weight, poll)
	for _, i := range g.required {
		p[i] = 1
	}
	return sum, err
}

// Work returns how many products LogSum takes, about; EdgesTo takes three times as many. Cost, the first time: that of finding an order of
// elimination, at most n³/64 word operations.
func (g *Graph) Work() float64 { return g.work() }

// distribution returns ln Z, and writes the probabilities of the links to p, unless that is nil.
func (g *Graph) distribution(p, weight []float64, poll func() error) (float64, error) {
	t, high := g.borrowNumbers(), g.highest(weight)
	defer g.tables.Put(t)
	t.poll.Reset(poll)
	g.conduct(t, p, weight, high)
	var sum float64
	if t.eliminate(false) {
		for _, total := range t.total {
			sum += math.Log(total)
		}
		if p != nil {
			t.resist()
			for i, l := range g.links {
				p[l.edge] = probability(p[l.edge], t.c[t.links[i]], weight[l.edge]-high)
			}
		}
	} else if t.poll.Err() == nil {
		sum = g.wideDistribution(p, newWideNumbers(t.elimination, &t.poll), weight, high)
	}
	return sum + g.offset(weight, high), t.poll.Err()
}

// wideDistribution is distribution in wide numbers.
func (g *Graph) wideDistribution(p []float64, t *wideNumbers, weight []float64, high float64) (sum float64) {
	g.conductWide(t, weight, high)
	t.eliminate(false)
	for _, total := range t.total {
		sum += total.log()
	}
	if p != nil {
		t.resist()
		for i, l := range g.links {
			p[l.edge] = min(wideExp(weight[l.edge]-high).mul(t.c[t.links[i]]).float(), 1)
		}
	}
	return sum
}

// highest returns the largest weight of a link, 0 if there is none.
func (g *Graph) highest(weight []float64) float64 {
	if len(g.links) == 0 {
		return 0
	}
	high := math.Inf(-1)
	for _, l := range g.links {
		high = max(high, weight[l.edge])
	}
	return high
}

// offset returns the part of ln Z that is not in the pivots: of the required edges, and of the factor exp(high) of each link in a tree.
func (g *Graph) offset(weight []float64, high float64) float64 {
	sum := float64(g.n-1) * high
	for _, i := range g.required {
		sum += weight[i]
	}
	return sum
}

// conduct begins an elimination with conductances of at most 1, those of parallel links together. It writes the conductances of the links
// to p, unless that is nil.
func (g *Graph) conduct(t *numbers, p, weight []float64, high float64) {
	for i, l := range g.links {
		c := math.Exp(weight[l.edge] - high)
		t.c[t.links[i]] += c
		if p != nil {
			p[l.edge] = c
		}
	}
}

// probability returns conductance times resistance, where underflow may have taken digits of the conductance exp(weight).
func probability(conductance, resistance, weight float64) float64 {
	if conductance < leastConductance {
		return wideExp(weight).mul(wide{x: resistance}.normal()).float()
	}
	return min(conductance*resistance, 1)
}

func (g *Graph) conductWide(t *wideNumbers, weight []float64, high float64) {
	for i, l := range g.links {
		at := t.links[i]
		t.c[at] = t.c[at].add(wideExp(weight[l.edge] - high))
	}
}

// borrowNumbers returns an elimination with all conductances 0.
func (g *Graph) borrowNumbers() *numbers {
	t, ok := g.tables.Get().(*numbers)
	if !ok {
		t = new(numbers)
	}
	t.reset(g.symbolic())
	return t
}
