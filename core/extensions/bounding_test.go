package extensions

import (
	"math/rand/v2"
	"testing"
)

// TestBoundsStay: along the bounding chain every element is, in chains from many extensions, at its place or earlier; the
// elements are a downset in an allowed order; and once all are bounded the chains are equal.
func TestBoundsStay(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := 2 + rng.IntN(8)
		p := random(t, n, rng.Float64(), rng)
		elements := make([]int, 0, n)
		for _, set := range p.sets {
			elements = append(elements, set...)
		}
		// One "component" of all elements: the chain asks for a linear extension, not for connectedness.
		b := newBounding(p, elements)
		b.begin()
		var states [][]int32
		for range 10 {
			x := make([]int32, n)
			for i := range x {
				x[i] = int32(i)
			}
			for range 100 * rng.IntN(3) {
				i := rng.IntN(n - 1)
				if !b.before[int(x[i])*n+int(x[i+1])] {
					x[i], x[i+1] = x[i+1], x[i]
				}
			}
			states = append(states, x)
		}
		for step := 0; b.known < n || step < 50; step++ {
			i, coin := rng.IntN(n-1), rng.IntN(2) == 1
			at, known := append([]int32(nil), b.bound...), b.known
			for _, x := range states {
				b.step(x, i, coin) // B moves with each: put it back
				copy(b.bound, at)
				b.known = known
			}
			b.step(nil, i, coin)
			b.check(t, states)
		}
		for _, x := range states {
			for i, v := range x {
				if v != b.bound[i] {
					t.Fatalf("B is complete, %v, a chain is at %v", b.bound, x)
				}
			}
		}
	}
}

func (b *bounding) check(t *testing.T, states [][]int32) {
	t.Helper()
	place := make([]int, b.n)
	for v := range place {
		place[v] = -1
	}
	for i, v := range b.bound {
		if v != unknown {
			place[v] = i
		}
	}
	for v, at := range place {
		for u, earlier := range place {
			if at >= 0 && b.before[u*b.n+v] && (earlier < 0 || earlier > at) {
				t.Fatalf("B is %v, %d comes before %d", b.bound, u, v)
			}
		}
	}
	for _, x := range states {
		for i, v := range x {
			if place[v] >= 0 && place[v] < i {
				t.Fatalf("B is %v, a chain is at %v", b.bound, x)
			}
		}
	}
}
