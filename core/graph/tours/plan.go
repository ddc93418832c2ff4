package tours

import "combpred/core/slicex"

// node is what the recursions visit in one step: a vertex, or the path that required arcs make of several.
type node struct {
	path     []int32
	required bool
	rival    int32 // the node of the same path run through the other way, of which a tour visits one; −1: none
}

func (x *node) first() int32 { return x.path[0] }
func (x *node) last() int32  { return x.path[len(x.path)-1] }

// plan says how the tours within a mask are listed: each is a ring of nodes, and all that the mask requires of arcs is in
// the paths of the nodes. Tours are grouped by the first node, the root. If a node must be visited, that one is the root,
// and otherwise each in turn is that of the tours whose smallest vertex it is, so that later roots have fewer nodes
// behind them.
type plan struct {
	nodes       []node
	roots       []int32
	unmasked    bool // there is no mask
	required    bool // some node must be visited, so that the roots share the nodes behind them
	closed      bool // the roots are tours themselves, and no others are within the mask
	least, most int  // numbers of visited vertices
	vertices    []int32
	links       []int32 // neighbours that the mask requires, two for each vertex, −1: none
	seen        []bool
}

// arrange makes the plan of the tours within a mask, or returns ErrNone if it sees that there are none. Cost: O(n), with
// a mask for arcs O(n²).
func (p *plan) arrange(n int, anchored bool, mask *Mask) error {
	p.nodes, p.roots, p.vertices = p.nodes[:0], p.roots[:0], slicex.Grow(p.vertices, 2*n)[:0]
	p.unmasked, p.required, p.closed = mask == nil, false, false
	p.least, p.most = mask.limits(n)
	if err := p.link(n, mask); err != nil {
		return err
	}
	for v := range int32(n) {
		s := mask.vertex(v)
		isAnchor := anchored && v == 0
		if s == Never && isAnchor {
			return ErrNone
		}
		if p.seen[v] || s == Never || p.links[2*v] >= 0 && p.links[2*v+1] >= 0 {
			continue // or inside a path, which begins at one of its ends
		}
		if err := p.add(v, n, mask, isAnchor || s == Always); err != nil {
			return err
		}
	}
	for v := range int32(n) {
		if p.links[2*v] >= 0 && !p.seen[v] {
			return p.ring(v, n, anchored, mask)
		}
	}
	return p.chooseRoots()
}

// link lists the neighbours that the mask requires.
func (p *plan) link(n int, mask *Mask) error {
	p.links, p.seen = slicex.Grow(p.links, 2*n), slicex.Grow(p.seen, n)
	clear(p.seen)
	for i := range p.links {
		p.links[i] = -1
	}
	if mask == nil || mask.Arcs == nil {
		return nil
	}
	for u := range int32(n) {
		for v := range u {
			if !mask.linked(u, v, n) {
				continue
			}
			for _, e := range [2][2]int32{{u, v}, {v, u}} {
				at := 2 * e[0]
				if p.links[at] >= 0 {
					at++
				}
				if p.links[at] >= 0 || mask.vertex(e[0]) == Never {
					return ErrNone
				}
				p.links[at] = e[1]
			}
		}
	}
	return nil
}

// walk appends the vertices of the path from v on, along the links, and reports whether the mask lets a tour run through it
// this way and the other way.
func (p *plan) walk(v int32, n int, mask *Mask) (path []int32, along, back bool) {
	begin := len(p.vertices)
	along, back = true, true
	for {
		p.vertices = append(p.vertices, v)
		p.seen[v] = true
		next := p.links[2*v]
		if next >= 0 && p.seen[next] {
			next = p.links[2*v+1]
		}
		if next < 0 || p.seen[next] {
			return p.vertices[begin:], along, back
		}
		along, back = along && mask.passes(v, next, n), back && mask.passes(next, v, n)
		v = next
	}
}

// add adds the node of the path that begins at v, or its two nodes.
func (p *plan) add(v int32, n int, mask *Mask, required bool) error {
	path, along, back := p.walk(v, n, mask)
	p.insert(path, along, back && len(path) > 1, required || len(path) > 1)
	if !along && !back {
		return ErrNone
	}
	return nil
}

// insert adds a path as a node, along as listed and back the other way.
func (p *plan) insert(path []int32, along, back, required bool) {
	p.required = p.required || required
	at := int32(len(p.nodes))
	if along {
		p.nodes = append(p.nodes, node{path, required, -1})
	}
	if back {
		begin := len(p.vertices)
		for i := len(path) - 1; i >= 0; i-- {
			p.vertices = append(p.vertices, path[i])
		}
		p.nodes = append(p.nodes, node{p.vertices[begin:], required, -1})
	}
	if along && back {
		p.nodes[at].rival, p.nodes[at+1].rival = at+1, at
	}
}

// ring makes the plan of the tours along a ring of required neighbours through v, which leave no others.
func (p *plan) ring(v int32, n int, anchored bool, mask *Mask) error {
	path, along, back := p.walk(v, n, mask)
	first, last := path[0], path[len(path)-1]
	along, back = along && mask.passes(last, first, n), back && mask.passes(first, last, n)
	for u := range int32(n) {
		must := mask.vertex(u) == Always || p.links[2*u] >= 0 || anchored && u == 0
		if must && !contains(path, u) {
			return ErrNone
		}
	}
	p.nodes = p.nodes[:0]
	p.insert(path, along, back, true)
	p.closed = true
	return p.chooseRoots()
}

// chooseRoots lists the roots.
func (p *plan) chooseRoots() error {
	if p.least > p.most || len(p.nodes) == 0 {
		return ErrNone
	}
	if !p.required {
		for r := range int32(len(p.nodes) - p.least + 1) {
			p.roots = append(p.roots, r)
		}
		if len(p.roots) == 0 {
			return ErrNone
		}
		return nil
	}
	root := int32(-1)
	for i, x := range p.nodes {
		if x.required && (root < 0 || x.rival < 0 && p.nodes[root].rival >= 0) {
			root = int32(i)
		}
	}
	p.roots = append(p.roots, root)
	if rival := p.nodes[root].rival; rival >= 0 {
		p.roots = append(p.roots, rival)
	}
	return nil
}

// behind appends the nodes to dst that may follow a root.
func (p *plan) behind(dst []int32, root int32) []int32 {
	for i := range int32(len(p.nodes)) {
		if i != root && i != p.nodes[root].rival && (p.required || i > root) {
			dst = append(dst, i)
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
