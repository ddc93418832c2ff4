package cut

// branching solves one component: vertices get their sides in order, the cheaper one first. What is lost so far, and at
// least by each vertex that has no side yet to those that have, bounds what is lost in the end.
type branching struct {
	p        *Problem
	vertices []int32
	forward  [][]arc // to later vertices, by their place in the order
	lost     [][2][]float64
	side     []bool
	best     float64
}

func newBranching(p *Problem, vertices []int32) *branching {
	k := len(vertices)
	b := &branching{
		p: p, vertices: vertices, forward: make([][]arc, k), lost: make([][2][]float64, k+1), side: make([]bool, k),
		best: p.lost(vertices),
	}
	place := make(map[int32]int32, k)
	for i, v := range vertices {
		place[v] = int32(i)
	}
	for i, v := range vertices {
		for _, a := range p.arcsFrom(v) {
			if j, ok := place[a.to]; ok && int(j) > i {
				b.forward[i] = append(b.forward[i], arc{to: j, same: a.same, weight: a.weight})
			}
		}
	}
	for i := range b.lost {
		b.lost[i] = [2][]float64{make([]float64, k), make([]float64, k)}
	}
	return b
}

// run leaves the best sides in the problem, those that it finds there being the ones to beat.
func (b *branching) run() {
	b.from(0, 0)
}

// from decides on the vertices from place i on, after a loss.
func (b *branching) from(i int, lost float64) {
	k := len(b.vertices)
	bound := lost
	for j := i; j < k; j++ {
		bound += min(b.lost[i][0][j], b.lost[i][1][j])
	}
	if bound >= b.best-tolerance*b.p.total {
		return
	}
	if i == k {
		b.best = lost
		for j, v := range b.vertices {
			b.p.side[v] = b.side[j]
		}
		return
	}
	first := b.lost[i][1][i] < b.lost[i][0][i]
	for n, side := range [2]bool{first, !first} {
		if i == 0 && n == 1 {
			return // the sides are alike
		}
		b.side[i] = side
		s := b2i(side)
		for t := range 2 {
			copy(b.lost[i+1][t][i+1:], b.lost[i][t][i+1:])
		}
		for _, a := range b.forward[i] {
			b.lost[i+1][b2i(side != a.same)][a.to] += a.weight
		}
		b.from(i+1, lost+b.lost[i][s][i])
	}
}
