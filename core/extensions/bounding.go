package extensions

import "math/rand/v2"

// unknown stands in a bounding state for an element that is not bounded yet.
const unknown = -1

// bounding is coupling from the past by the bounding chain of Huber (2006), for one component of n ≥ 2 elements, numbered
// along a linear extension.
//
// The bounding state B has an element or nothing at each place. An element at place b of B is at place b or earlier in
// the extension x of every chain. The elements in B are a downset, and stand in B in an order that the poset allows. At
// first B has the first element, at the last place, which bounds nothing.
//
// A step draws a place i and a coin C.
//
//   - B: if C, and unless the element of B at i comes before that at i+1, the two change places. Then, if nothing is at
//     the last place, the next element along the linear extension is put there.
//   - A chain x: its coin is C, or its opposite if x has at i the element a that B has at i+1. With this coin x makes
//     its step of the chain of Karzanov and Khachiyan. B follows from earlier draws, so the coin of x is fair: every x
//     alone follows that chain.
//
// The bounds stay. If C and a goes to i in B: an x that has a at i does not move it, by its opposite coin; one that has a
// at i+1 moves it to i, unless the c that it has at i comes before a. Then c is in B, a downset, before a, and at i or
// later as it bounds x: at i, where B would not have let a pass. If B leaves its element d at i where C is set, d comes
// before a; an x with d at i has a, which it has at i+1 or earlier and after d, at i+1, and may not exchange them. If C
// is not set, an x with d at i has the coin C and does nothing. All other bounds of this step grow.
//
// Once B has all elements, they are bounded by n different places, so that every x is B. Blocks of steps start B afresh,
// each twice as long as the one after it in time. Going back, the first block whose B becomes complete has ended with
// every x equal to B; from there x goes through the later blocks with the same draws. That is the state at time 0 of a
// chain that began in the infinite past, which is exactly uniform (Propp and Wilson, 1996).
type bounding struct {
	n      int
	before []bool // n×n
	source rand.PCG
	rng    *rand.Rand
	bound  []int32 // B
	known  int     // number of elements in it
	blocks []rand.PCG
}

func newBounding(p *Poset, elements []int) *bounding {
	n := len(elements)
	b := &bounding{n: n, before: make([]bool, n*n), bound: make([]int32, n)}
	for i, u := range elements {
		for j, v := range elements {
			b.before[i*n+j] = p.Before(u, v)
		}
	}
	b.rng = rand.New(&b.source)
	return b
}

// sample writes a uniform extension to x and returns how many steps back in time it begins. source is left where the
// draw ended. poll is called every few milliseconds and its first error ends the draw.
func (b *bounding) sample(x []int32, source *rand.PCG, poll func() error) (steps int64, err error) {
	b.blocks = b.blocks[:0]
	length := int64(b.n) * int64(b.n) // of the block at hand
	for ; ; length *= 2 {
		b.blocks = append(b.blocks, *source)
		b.source = *source
		b.begin()
		if err := b.run(nil, length, poll); err != nil {
			return 0, err
		}
		steps += length
		*source = b.source
		if b.known == b.n {
			break
		}
	}
	copy(x, b.bound)
	for k := len(b.blocks) - 2; k >= 0; k-- {
		length /= 2
		b.source = b.blocks[k]
		b.begin()
		if err := b.run(x, length, poll); err != nil {
			return 0, err
		}
	}
	return steps, nil
}

// begin puts the bounding chain at its start.
func (b *bounding) begin() {
	for i := range b.bound {
		b.bound[i] = unknown
	}
	b.bound[b.n-1] = 0
	b.known = 1
}

// pollSteps is the number of steps between polls.
const pollSteps = 1 << 14

// run makes steps of the bounding chain, and of the extension x unless it is nil.
func (b *bounding) run(x []int32, steps int64, poll func() error) error {
	for t := range steps {
		if t%pollSteps == 0 {
			if err := poll(); err != nil {
				return err
			}
		}
		draw := b.rng.IntN(2 * (b.n - 1))
		b.step(x, draw/2, draw%2 == 1)
	}
	return nil
}

// step makes one step at places i and i+1.
func (b *bounding) step(x []int32, i int, coin bool) {
	d, a := b.bound[i], b.bound[i+1]
	if x != nil {
		if swap := coin != (x[i] == a); swap && !b.before[int(x[i])*b.n+int(x[i+1])] {
			x[i], x[i+1] = x[i+1], x[i]
		}
	}
	if !coin || a != unknown && d != unknown && b.before[int(d)*b.n+int(a)] {
		return
	}
	b.bound[i], b.bound[i+1] = a, d
	if b.bound[b.n-1] == unknown {
		b.bound[b.n-1] = int32(b.known)
		b.known++
	}
}
