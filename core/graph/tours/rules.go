package tours

import "fmt"

// MostStates is the largest table that ExactWithin fills: 16 MiB, and some tenths of a second. That is 17 free vertices when
// any number of them may be visited, and many more when only few are.
const MostStates = 1 << 21

// Rules restrict the tours of a problem.
type Rules struct {
	// Head and Tail are the vertices with which a tour begins and ends, listed from a suitable one on; both may be empty.
	// A Tail needs a Head. In an anchored problem the Head begins with vertex 0.
	Head, Tail []int32
	// Fixed has an entry for each vertex: +1 for those that every tour visits, −1 for those that none does, otherwise 0.
	// It does not matter for the vertices of Head and Tail. It may be nil: all 0.
	Fixed []int32
	// Length is the number of vertices; 0 stands for any.
	Length int
}

// fixed returns what the rules say of a vertex.
func (r *Rules) fixed(v int32) int32 {
	if r.Fixed == nil {
		return 0
	}
	return r.Fixed[v]
}

// free appends the vertices to dst, in ascending order, that are neither forbidden nor in Head or Tail.
func (r *Rules) free(dst []int32, n int) []int32 {
	for v := range int32(n) {
		if r.fixed(v) >= 0 && !contains(r.Head, v) && !contains(r.Tail, v) {
			dst = append(dst, v)
		}
	}
	return dst
}

func contains(s []int32, v int32) bool {
	for _, u := range s {
		if u == v {
			return true
		}
	}
	return false
}

// check panics unless the rules fit the problem and leave a tour.
func (w *Workspace) check(r *Rules) {
	required, allowed := len(r.Head)+len(r.Tail), len(r.Head)+len(r.Tail)
	for _, v := range r.free(nil, w.n) {
		allowed++
		if r.fixed(v) > 0 {
			required++
		}
	}
	least := leastVisits
	if r.Length > 0 {
		least = r.Length
	}
	switch {
	case r.Fixed != nil && len(r.Fixed) != w.n:
		panic(fmt.Sprintf("tours: rules for %d vertices, the problem has %d", len(r.Fixed), w.n))
	case w.anchored && (len(r.Head) == 0 || r.Head[0] != 0):
		panic("tours: the tours of an anchored problem begin with vertex 0")
	case len(r.Tail) > 0 && len(r.Head) == 0:
		panic("tours: rules with a tail need a head")
	case r.Length > 0 && (r.Length < leastVisits || required > r.Length), allowed < least:
		panic("tours: the rules leave no tour")
	}
}
