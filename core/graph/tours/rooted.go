package tours

import (
	"math"
	"math/bits"

	"combpred/core/slicex"
)

const (
	// MostNodes is the largest number of nodes behind a root that tables over all their sets are filled for: 17·2^17 entries.
	MostNodes = 17
	// low is the number of nodes by which sets make a block: those that differ in the first three only.
	low   = 3
	block = 1 << low
)

// rooted is the problem of the tours that begin with one root. Nodes behind it are known by their numbers in free, and
// sets of them are bits.
//
// Tables have an entry for each set S and each node v of it, in blocks of eight sets: those that differ in nodes 0, 1 and
// 2 only lie side by side, so that one coefficient serves eight entries and the inner loops neither branch nor look for
// bits. Where there are fewer nodes than that, others fill up which cannot be reached.
type rooted struct {
	plan             *plan
	root             int32
	free             []int32
	m                int // nodes, 3 at least
	open, closing    []float64
	into             []float64 // into[v*m+u] is for going from u to v
	direct           float64   // for going from the root to itself
	single           int       // the nodes of one vertex
	needed           int       // those that must be visited
	pairs            []int     // of which exactly one must be
	least, most      int       // numbers of vertices in a set
	required         int       // vertices in the nodes that must be visited, one of each pair
	plain            bool      // without a mask: sets of two or more vertices are admitted, all others are not
	directIsAdmitted bool
}

// begin lists the nodes behind a root.
func (r *rooted) begin(p *plan, root int32) {
	r.plan, r.root = p, root
	r.free = r.free[:0]
	if !p.closed {
		r.free = p.behind(r.free, root)
	}
	r.m = max(low, len(r.free))
	own := len(p.nodes[root].path)
	r.pairs, r.needed, r.required = r.pairs[:0], 0, 0
	if r.plain = p.unmasked; r.plain {
		r.least, r.most, r.single, r.directIsAdmitted = leastVisits-1, len(r.free), 1<<len(r.free)-1, false
		return
	}
	r.least, r.most = p.least-own, p.most-own
	r.single = 0
	for i, x := range r.free {
		switch node := &p.nodes[x]; {
		case node.rival > x:
			r.pairs = append(r.pairs, 1<<i|1<<r.numberOf(node.rival))
			r.required += len(node.path)
		case node.rival < 0 && node.required:
			r.needed |= 1 << i
			r.required += len(node.path)
		}
		if len(p.nodes[x].path) == 1 {
			r.single |= 1 << i
		}
	}
	r.directIsAdmitted = own >= leastVisits && r.required == 0 && r.least <= 0 && r.most >= 0
}

func (r *rooted) numberOf(node int32) int {
	for i, x := range r.free {
		if x == node {
			return i
		}
	}
	panic("tours: a node is not behind the root")
}

// load copies what going between the root and the nodes behind it is worth, out of a matrix for all nodes of the plan.
func (r *rooted) load(worth []float64, none float64) {
	n, m := len(r.plan.nodes), r.m
	r.into, r.open, r.closing = slicex.Grow(r.into, m*m), slicex.Grow(r.open, m), slicex.Grow(r.closing, m)
	if len(r.free) < m {
		for _, s := range [][]float64{r.into, r.open, r.closing} {
			for i := range s {
				s[i] = none
			}
		}
	}
	root, into := int(r.root), r.into
	r.direct = worth[root*n+root]
	if r.plain { // the vertices behind the root are the next ones
		copy(r.open, worth[root*n+root+1:(root+1)*n])
		for i := range r.free {
			from := worth[(root+1+i)*n : (root+2+i)*n]
			r.closing[i] = from[root]
			for j, g := range from[root+1:] {
				into[j*m+i] = g
			}
			into[i*m+i] = none
		}
		return
	}
	for i, x := range r.free {
		r.open[i], r.closing[i] = worth[root*n+int(x)], worth[int(x)*n+root]
		from := worth[int(x)*n : (int(x)+1)*n]
		for j, y := range r.free {
			into[j*m+i] = from[y]
		}
		into[i*m+i] = none
	}
}

// blocks returns the number of blocks of sets.
func (r *rooted) blocks() int { return 1 << (r.m - low) }

// entries returns the number of entries of a table.
func (r *rooted) entries() int { return r.m << r.m }

// at returns where a table has its entry for a set and one of its nodes.
func (r *rooted) at(s, v int) int { return (s>>low*r.m+v)<<low | s&(block-1) }

// size returns the number of vertices in a set of nodes.
func (r *rooted) size(s int) int {
	size := bits.OnesCount(uint(s & r.single))
	for x := uint(s &^ r.single); x != 0; x &= x - 1 {
		if i := bits.TrailingZeros(x); i < len(r.free) {
			size += len(r.plan.nodes[r.free[i]].path)
		}
	}
	return size
}

// admits reports whether a tour may visit exactly a set of nodes beside the root.
func (r *rooted) admits(s int) bool {
	if r.plain {
		return s&(s-1) != 0 && s>>len(r.free) == 0
	}
	if s&r.needed != r.needed || s>>len(r.free) != 0 {
		return false
	}
	if size := r.size(s); size < r.least || size > r.most {
		return false
	}
	for _, pair := range r.pairs {
		if x := s & pair; x == 0 || x == pair {
			return false
		}
	}
	return true
}

// barred reports whether no tour begins by visiting a set of nodes. Then none does that begins by visiting more.
func (r *rooted) barred(s int) bool {
	if r.plain {
		return false
	}
	if r.size(s|r.needed) > r.most {
		return true
	}
	for _, pair := range r.pairs {
		if s&pair == pair {
			return true
		}
	}
	return false
}

// prepare arranges the problem by its mask unless that is done.
func (w *Workspace) prepare() error {
	if !w.arranged {
		w.none = w.plan.arrange(w.n, w.anchored, w.mask)
		w.arranged = true
	}
	return w.none
}

// costs writes the negatives of gains.
func (w *Workspace) costs(dst []float64) {
	if w.mask == nil {
		for i, g := range w.gain {
			dst[i] = -g
		}
		return // the diagonal is not read
	}
	w.gains(dst)
	for i, g := range dst {
		dst[i] = -g
	}
}

// gains writes what a tour earns by going from one node to another and through that, −Inf where the mask forbids it; on the
// diagonal, by going from the end of a node to its beginning. Cost: O(n²).
func (w *Workspace) gains(dst []float64) {
	nodes := w.plan.nodes
	k := len(nodes)
	if w.mask == nil {
		copy(dst, w.gain)
		for i := range k {
			dst[i*k+i] = math.Inf(-1)
		}
		return
	}
	for j := range nodes {
		y := &nodes[j]
		var inner float64
		for i, v := range y.path[1:] {
			inner += w.at(y.path[i], v)
		}
		for i := range nodes {
			x := &nodes[i]
			dst[i*k+j] = math.Inf(-1)
			isItself := i == j && len(x.path) >= leastVisits
			if u, v := x.last(), y.first(); (i != j && x.rival != int32(j) || isItself) && w.mask.arc(u, v, w.n) != Never {
				dst[i*k+j] = inner + w.at(u, v)
			}
		}
	}
}
