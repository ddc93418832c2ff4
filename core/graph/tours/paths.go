package tours

import (
	"math"
	"slices"
)

// paths is the problem of the best path from the end of head through some of the free vertices to the beginning of tail,
// or back to that of head. Free vertices are known by their numbers in free.
type paths struct {
	head, tail, free []int32
	least, most      int       // how many free vertices are visited
	required         []int     // 1 for each free vertex that must be visited, otherwise 0
	direct           float64   // gain of visiting none of them
	open, closing    []float64 // of going from the head to each of them, and from each to the tail
	into             []float64 // into[v*m+u] is that of going from u to v

	// The sets of k vertices are numbered in colexicographic order: {p_0 < … < p_{k−1}} is number Σ_i C(p_i, i+1). Set
	// number r holds the entries layer[k] + r·k + j, what a best path through it earns that ends in p_j.
	table   []float64
	layer   []int
	choose  []int // choose[p*(most+1)+i] = C(p, i)
	set     []int32
	rankOff []int // scratch: rank of the set without its j-th vertex
}

// end is where a path leaves the free vertices: the set it has visited, and which of them is the last.
type end struct {
	set  []int32
	last int
}

// count sets where in the table the sets of each size begin and returns the size of the table, or a *StatesError where that
// is too large.
func (p *paths) count() (total int, err error) {
	m := len(p.free)
	p.layer = grow(p.layer, p.most+1)
	sets := 1.0 // C(m, k), exact where it matters
	for k := 1; k <= p.most; k++ {
		sets = math.Round(sets * float64(m-k+1) / float64(k))
		p.layer[k] = total
		if states := sets * float64(k); states > MostStates-float64(total) {
			return 0, &StatesError{Free: m}
		}
		total += int(sets) * k
	}
	return total, nil
}

// allocate sizes the table; its error is that of count.
func (p *paths) allocate() error {
	m := len(p.free)
	total, err := p.count()
	if err != nil {
		return err
	}
	p.table = grow(p.table, total)
	p.set, p.rankOff = grow(p.set, p.most), grow(p.rankOff, p.most)
	p.choose = grow(p.choose, (m+1)*(p.most+1))
	for v := range m + 1 {
		row := p.choose[v*(p.most+1) : (v+1)*(p.most+1)]
		clear(row)
		row[0] = 1
		if v > 0 {
			above := p.choose[(v-1)*(p.most+1):]
			for i := 1; i <= min(v, p.most); i++ {
				row[i] = above[i-1] + above[i]
			}
		}
	}
	return nil
}

// solve fills the table and returns the most that an admissible path earns and where it ends.
func (p *paths) solve() (most float64, best end) {
	needed := 0
	for _, r := range p.required {
		needed += r
	}
	most = math.Inf(-1)
	if p.least == 0 && needed == 0 {
		most = p.direct
	}
	for k := 1; k <= p.most; k++ {
		set := p.set[:k]
		for i := range set {
			set[i] = int32(i)
		}
		at := p.layer[k]
		for more := true; more; more = p.next(set) {
			missing := needed
			for _, v := range set {
				missing -= p.required[v]
			}
			if missing <= p.most-k { // otherwise the missing ones cannot be visited any more
				entry := p.table[at : at+k]
				p.extend(entry, set)
				if k >= p.least && missing == 0 {
					for j, v := range set {
						if value := entry[j] + p.closing[v]; value > most {
							most, best = value, end{append(best.set[:0], set...), j}
						}
					}
				}
			}
			at += k
		}
	}
	return most, best
}

// next replaces a set by the next one of its size in colexicographic order, and reports whether there is one.
func (p *paths) next(set []int32) bool {
	for i := range set {
		if i+1 < len(set) && set[i]+1 < set[i+1] || i+1 == len(set) && int(set[i])+1 < len(p.free) {
			set[i]++
			for j := range i {
				set[j] = int32(j)
			}
			return true
		}
	}
	return false
}

// extend writes what best paths through a set earn, for each of its vertices as the last.
func (p *paths) extend(entry []float64, set []int32) {
	k := len(set)
	if k == 1 {
		entry[0] = p.open[set[0]]
		return
	}
	p.ranks(set)
	for j := range set {
		entry[j], _ = p.reach(set, j)
	}
}

// ranks fills rankOff with the numbers of the set without each of its vertices in turn.
func (p *paths) ranks(set []int32) {
	width := p.most + 1
	rank := 0
	for i, v := range set[1:] {
		rank += p.choose[int(v)*width+i+1]
	}
	for j := range set {
		p.rankOff[j] = rank
		if j+1 < len(set) {
			rank += p.choose[int(set[j])*width+j+1] - p.choose[int(set[j+1])*width+j+1]
		}
	}
}

// reach returns what a best path through a set earns that ends in its j-th vertex, and which is the last one before,
// by its place in the set without the j-th. rankOff must be that of the set.
func (p *paths) reach(set []int32, j int) (value float64, before int) {
	k, m := len(set), len(p.free)
	from := p.table[p.layer[k-1]+p.rankOff[j]*(k-1):][:k-1]
	into := p.into[int(set[j])*m : (int(set[j])+1)*m]
	value = math.Inf(-1)
	for i, e := range from[:j] {
		if e += into[set[i]]; e > value {
			value, before = e, i
		}
	}
	for i, e := range from[j:] {
		if e += into[set[j+i+1]]; e > value {
			value, before = e, j+i
		}
	}
	return value, before
}

// unwind writes the tour whose path ends as given, and returns its length.
func (p *paths) unwind(tour []int32, at end) int {
	length := copy(tour, p.head)
	set, j := at.set, at.last
	for k := len(set); k > 0; k-- {
		tour[length+k-1] = p.free[set[j]]
		if k > 1 {
			p.ranks(set)
			_, before := p.reach(set, j)
			set = slices.Delete(set, j, j+1)
			j = before
		}
	}
	length += len(at.set)
	return length + copy(tour[length:], p.tail)
}
