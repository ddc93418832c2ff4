package structure

import (
	"math/rand/v2"
	"slices"
)

// visitMoves are moves between lists of places, closed ones (cycles) or open ones (routes). One of five is drawn:
//
//   - a random place comes or goes. From a list of k places it is put into one of g(k) gaps, k in a closed list and k+1
//     in an open one, or, from one of k+1 places, taken out with probability 1/g(k): as likely as its way back;
//   - a random visited place is exchanged for a random one, unless that is visited too;
//   - a random stretch of the list is turned round, as its way back does;
//   - a random place of k is taken to one of the g(k−1) gaps between the others, as on its way back;
//   - two neighbouring stretches between three of the g(k) gaps swap places, as on their way back, where they lie between
//     three gaps too. Steps inside keep their direction, which matters where that of a turned stretch costs much.
//
// These probabilities depend on the number of places alone, so that it does not matter where the description of a cycle
// begins and in which direction it runs. Dropping places leads from every list to one of the shortest; exchanging and
// turning lead from there to all of these.
type visitMoves struct {
	closed bool
	least  int // places of the shortest lists
}

// propose writes the list to which a random move leads from y and returns its length. Cost: O(n).
func (m visitMoves) propose(dst, y []int32, rng *rand.Rand) (k int) {
	n := len(y)
	mustLen("dst", len(dst), n)
	copy(dst, y)
	k = visited(y)
	switch rng.IntN(5) {
	case 0:
		return m.comeOrGo(dst, k, rng)
	case 1:
		at, other := rng.IntN(k), int32(rng.IntN(n))
		if !slices.Contains(y[:k], other) {
			dst[at] = other
		}
	case 2:
		m.turn(dst[:k], rng)
	case 3:
		m.swap(dst[:k], rng)
	default:
		v := dst[m.remove(dst[:k], rng.IntN(k))]
		m.insert(dst[:k], v, rng)
	}
	return k
}

// gaps returns in how many gaps of a list of k places another one can be put.
func (m visitMoves) gaps(k int) int {
	if m.closed {
		return k
	}
	return k + 1
}

// comeOrGo puts a random place in or takes it out, and returns the new length.
func (m visitMoves) comeOrGo(y []int32, k int, rng *rand.Rand) int {
	v := int32(rng.IntN(len(y)))
	at := slices.Index(y[:k], v)
	switch {
	case at < 0:
		m.insert(y[:k+1], v, rng)
		return k + 1
	case k > m.least && rng.IntN(m.gaps(k-1)) == 0:
		y[m.remove(y[:k], at)] = noPlace
		return k - 1
	}
	return k
}

// remove takes the entry at a place to the end of the list, the others closing up, and returns where that is.
func (m visitMoves) remove(list []int32, at int) (last int) {
	v := list[at]
	copy(list[at:], list[at+1:])
	last = len(list) - 1
	list[last] = v
	return last
}

// insert puts v into a random gap of all but the last entry of the list, which is overwritten.
func (m visitMoves) insert(list []int32, v int32, rng *rand.Rand) {
	gap := rng.IntN(m.gaps(len(list) - 1)) // in a closed list the gaps before its beginning and behind its end are one
	copy(list[gap+1:], list[gap:])
	list[gap] = v
}

// turn reverses a stretch of two or more entries, which in a closed list may run across its end.
func (m visitMoves) turn(list []int32, rng *rand.Rand) {
	k := len(list)
	from := rng.IntN(k)
	if !m.closed {
		to := otherIndex(from, k, rng)
		slices.Reverse(list[min(from, to) : max(from, to)+1])
		return
	}
	length := 2 + rng.IntN(k-1)
	for i := range length / 2 {
		a, b := (from+i)%k, (from+length-1-i)%k
		list[a], list[b] = list[b], list[a]
	}
}

// swap exchanges two neighbouring stretches, of one or more entries each. The third stretch of a closed list, across its
// end, stays.
func (m visitMoves) swap(list []int32, rng *rand.Rand) {
	n := m.gaps(len(list))
	if n < 3 {
		return
	}
	first := rng.IntN(n)
	second := otherIndex(first, n, rng)
	third := rng.IntN(n)
	for third == first || third == second {
		third = rng.IntN(n)
	}
	cut := [3]int{first, second, third}
	slices.Sort(cut[:])
	rotate(list[cut[0]:cut[2]], cut[1]-cut[0])
}

var (
	cycleMoves = visitMoves{closed: true, least: leastCycle}
	routeMoves = visitMoves{least: leastRoute}
)
