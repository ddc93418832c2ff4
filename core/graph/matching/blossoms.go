package matching

import "slices"

// shrink makes a blossom of the cycle through the edge v–w and the node root.
func (s *search) shrink(root, v, w int32) {
	b := s.unused[len(s.unused)-1]
	s.unused = s.unused[:len(s.unused)-1]
	var children []int32
	var links []link
	for c := s.top[v]; ; c = s.top[s.entry[c].near] {
		children = append(children, c)
		if c == root {
			break
		}
		links = append(links, s.entry[c])
	}
	slices.Reverse(children)
	slices.Reverse(links)
	links = append(links, link{v, w})
	for c := s.top[w]; c != root; c = s.top[s.entry[c].near] {
		children = append(children, c)
		links = append(links, link{s.entry[c].far, s.entry[c].near})
	}
	s.children[b], s.links[b], s.base[b], s.price[b], s.parent[b] = children, links, s.base[root], 0, -1
	s.label[b], s.entry[b] = outer, s.entry[root]
	for _, c := range children {
		s.parent[c] = b
		s.eachVertex(c, func(u int32) {
			s.top[u] = b
			if s.label[c] == inner {
				s.queue = append(s.queue, u)
			}
		})
	}
}

// expose changes the matching within a node so that v is its base.
func (s *search) expose(b, v int32) {
	if b < int32(s.n) {
		return
	}
	i := s.childOf(b, v)
	s.expose(s.children[b][i], v)
	children, links := s.children[b], s.links[b]
	join := func(j int) {
		l := links[j]
		s.expose(children[j], l.near)
		s.expose(children[(j+1)%len(children)], l.far)
		s.mate[l.near], s.mate[l.far] = l.far, l.near
	}
	if i%2 == 1 {
		for j := i + 1; j < len(children); j += 2 {
			join(j)
		}
	} else {
		for j := i - 2; j >= 0; j -= 2 {
			join(j)
		}
	}
	s.children[b] = append(slices.Clone(children[i:]), children[:i]...)
	s.links[b] = append(slices.Clone(links[i:]), links[:i]...)
	s.base[b] = v
}

// childOf returns which child of a blossom holds a vertex.
func (s *search) childOf(b, v int32) int {
	for s.parent[v] != b {
		v = s.parent[v]
	}
	return slices.Index(s.children[b], v)
}

// isTop reports whether a blossom is in use and outermost.
func (s *search) isTop(b int32) bool { return len(s.children[b]) > 0 && s.parent[b] < 0 }

// release makes the children of a blossom outermost and gives its number back.
func (s *search) release(b int32) {
	for _, c := range s.children[b] {
		s.parent[c], s.label[c] = -1, unlabelled
		s.eachVertex(c, func(v int32) { s.top[v] = c })
	}
	s.children[b], s.links[b] = nil, nil
	s.unused = append(s.unused, b)
}

// open dissolves an inner blossom without a price: the way through it from where the tree enters to its base stays in the
// tree. Its other children are free to be reached anew, so all outer vertices are looked at again.
func (s *search) open(b int32) {
	entry, children, links := s.entry[b], s.children[b], s.links[b]
	i := s.childOf(b, entry.far)
	s.release(b)
	s.label[children[i]], s.entry[children[i]] = inner, entry
	k := len(children)
	for i != 0 {
		var matched, next link
		var middle, end int
		if i%2 == 1 { // forward, to the base as the child behind the last one
			middle, end = i+1, (i+2)%k
			matched, next = links[i], links[(i+1)%k]
		} else {
			middle, end = i-1, i-2
			matched, next = links[i-1], links[i-2]
			matched.near, matched.far = matched.far, matched.near
			next.near, next.far = next.far, next.near
		}
		s.label[children[middle]], s.entry[children[middle]] = outer, matched
		s.label[children[end]], s.entry[children[end]] = inner, next
		i = end
	}
	s.queue = s.queue[:0]
	for v := range int32(s.n) {
		if s.label[s.top[v]] == outer {
			s.queue = append(s.queue, v)
		}
	}
}

// dissolve opens an outermost blossom without a price, and those within that are outermost then.
func (s *search) dissolve(b int32) {
	if !s.isTop(b) || s.price[b] > 0 {
		return
	}
	children := s.children[b]
	s.release(b)
	for _, c := range children {
		if c >= int32(s.n) {
			s.dissolve(c)
		}
	}
}
