package structure

import (
	"math/big"
	"math/rand/v2"

	"combpred/core/combin"
)

// pathCounts are the numbers of paths as walks need them.
type pathCounts struct {
	ahead []uint64        // number of paths from each vertex to the target; 0 where there is none, or where it takes more bits
	arcs  []*combin.Table // for vertices with more paths than 64 bits can count: which of its arcs a path takes
}

func (p *paths) countsFewBits() pathCounts {
	c := pathCounts{ahead: make([]uint64, p.vertices), arcs: make([]*combin.Table, p.vertices)}
	for v, n := range p.ahead {
		switch {
		case n == nil:
		case n.IsUint64():
			c.ahead[v] = n.Uint64()
		default:
			c.arcs[v] = combin.NewTable(combin.Weighted(func(yield func(*big.Int) bool) {
				for _, a := range p.out[v] {
					if !yield(p.ahead[p.arcs[a].head]) {
						return
					}
				}
			}, n))
		}
	}
	return c
}

func (p *paths) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.longest)
	p.walkTo(dst, p.source, rng)
}

// walkTo writes a uniform path from vertex v to the target. Where there are more paths than 64 bits can count it draws
// one arc after the other, each with the share of the paths that take it; then the number of a path in the order of All,
// and walks to it: at each vertex the arc is the one among whose paths the number lies.
func (p *paths) walkTo(dst []int32, v int32, rng *rand.Rand) {
	counts := p.counts()
	place := 0
	for ; counts.arcs[v] != nil; place++ {
		a := p.out[v][counts.arcs[v].Draw(rng)]
		dst[place], v = a, p.arcs[a].head
	}
	number := rng.Uint64N(counts.ahead[v])
	for ; v != p.target; place++ {
		for _, a := range p.out[v] {
			head := p.arcs[a].head
			if number < counts.ahead[head] {
				dst[place], v = a, head
				break
			}
			number -= counts.ahead[head]
		}
	}
	for i := range dst[place:] {
		dst[place+i] = -1
	}
}
