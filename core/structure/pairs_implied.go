package structure

// chained makes the order that signs of pairs require transitive. A local search
// can then always repair a ranking that violates some of them: among the violated pairs it takes one whose labels are closest, and
// puts the label that must come first directly in front of the other.
//
// Cost: O(d) and n/64 for each pair that is required.
func (p pairs) chained(values []int8) {
	after := make([][]int, p.n) // labels that come directly behind each label
	waits := make([]int, p.n)   // for how many of those
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			switch values[p.pair(u, v)] {
			case 1:
				after[u] = append(after[u], v)
				waits[u]++
			case -1:
				after[v] = append(after[v], u)
				waits[v]++
			}
		}
	}
	before := make([][]int, p.n)
	for u, list := range after {
		for _, v := range list {
			before[v] = append(before[v], u)
		}
	}
	// Labels whose followers are all done are done next, from the last on.
	var done []int
	for u, w := range waits {
		if w == 0 {
			done = append(done, u)
		}
	}
	for i := 0; i < len(done); i++ {
		for _, u := range before[done[i]] {
			if waits[u]--; waits[u] == 0 {
				done = append(done, u)
			}
		}
	}
	if len(done) < p.n {
		return // the pairs form a cycle
	}
	words := (p.n + 63) / 64
	all := make([]uint64, p.n*words)
	behind := func(u int) []uint64 { return all[u*words : (u+1)*words] }
	for _, u := range done {
		own := behind(u)
		for _, v := range after[u] {
			own[v/64] |= 1 << (v % 64)
			for i, w := range behind(v) {
				own[i] |= w
			}
		}
		for v := range p.n {
			if own[v/64]>>(v%64)&1 != 0 {
				values[p.pair(u, v)] = int8(sign(u < v))
			}
		}
	}
}
