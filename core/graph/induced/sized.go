package induced

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// maxSizedWork is the number of nodes times open vertices that exactSized visits at most, in some tenths of a second.
	maxSizedWork = 1 << 23
	// maxSizedTable bounds the table of its bounds, 32 MiB.
	maxSizedTable = 1 << 22
	// sizedStarts is the number of greedy starts of local search.
	sizedStarts = 16
)

// SizedError says that the sets of a given size were too many to find a best one among them for certain.
type SizedError struct{ Vertices, Size int }

func (e *SizedError) Error() string {
	return fmt.Sprintf("the sets of %d out of %d vertices were not searched within the effort allowed",
		e.Size, e.Vertices)
}

// sizedSearch looks for the best choice of a given number among m candidates, vertices whose choice is open.
type sizedSearch struct {
	m, size   int
	candidate []int32
	weight    []float64 // m×m
	linear    []float64 // of each candidate, from the vertices that are fixed
	top       []float64 // see fill
	pull      []float64 // row i, at depth i: linear plus the weights to the chosen candidates
	key       []float64
	chosen    []bool
	best      []bool
	bestValue float64
	nodes     int
}

// ExactWithin marks a best set of lo to hi vertices in chosen, of length n, fixed ones as Fix says. It returns ErrNone where
// there is no such set, and a *SizedError or the errors of Exact where that takes too long; chosen is unspecified then.
// Where the best set of any size is not within the bounds, the sizes are tried one by one, from the side where that one is.
// Cost: that of Exact or, for each size, of branch and bound, exponential in the worst case; O(m² k + m² log m) for the bounds
// of m open vertices, k of which are chosen.
func (w *Workspace) ExactWithin(chosen []bool, lo, hi int) error {
	required, allowed := 0, w.n
	for _, f := range w.fixed {
		required += max(int(f), 0)
		allowed += min(int(f), 0)
	}
	lo, hi = max(lo, required), min(hi, allowed)
	if lo > hi {
		return ErrNone
	}
	anySize := lo == required && hi == allowed
	first, step := lo, 1
	if anySize || lo < hi {
		err := w.Exact(chosen)
		k := members(chosen)
		if anySize || err == nil && lo <= k && k <= hi || errors.Is(err, ErrNone) {
			return err
		}
		if err == nil && k > hi { // good sets come first, which end the searches of other sizes early
			first, step = hi, -1
		}
	}
	most, best := math.Inf(-1), make([]bool, w.n)
	for size := first; lo <= size && size <= hi; size += step {
		value, err := w.exactSized(chosen, size, most)
		if err != nil {
			return err
		}
		if value > most {
			most = value
			copy(best, chosen)
		}
	}
	copy(chosen, best)
	if math.IsInf(most, -1) || math.IsInf(w.Value(chosen), -1) { // two may be barred that are fixed
		return ErrNone
	}
	return nil
}

// members returns the size of a set.
func members(chosen []bool) (size int) {
	for _, in := range chosen {
		if in {
			size++
		}
	}
	return size
}

// exactSized marks a best set of the given number of vertices, of which so many at most are fixed to be in, and returns what it
// earns beside the weights among those. Where no set earns more than known, it returns that and chosen is unspecified.
func (w *Workspace) exactSized(chosen []bool, size int, known float64) (float64, error) {
	s := w.beginSized(chosen, size)
	if float64(s.m)*float64(s.m)*float64(s.size+1) > maxSizedTable {
		return 0, &SizedError{Vertices: s.m, Size: s.size}
	}
	s.bestValue = math.Inf(-1)
	if w.finite() { // exchanges subtract weights
		s.climb(&w.poll)
	}
	s.bestValue = max(s.bestValue, known)
	s.fill()
	s.nodes = 0
	copy(s.pull[:s.m], s.linear)
	clear(s.chosen)
	if !s.node(0, s.size, 0) {
		return 0, &SizedError{Vertices: s.m, Size: s.size}
	}
	s.finish(chosen)
	return s.bestValue, nil
}

// finite reports whether no two vertices are barred from one set.
func (w *Workspace) finite() bool {
	for _, weight := range w.weight[:w.n*w.n] {
		if math.IsInf(weight, -1) {
			return false
		}
	}
	return true
}

// SearchSized marks a good set of the given number of vertices in chosen, of length n, fixed ones as Fix says, and
// returns a proven bound on the weight of all of them. There must be such sets. It exchanges vertices, one against one,
// from greedy starts. An error of poll, which may be nil, ends the search and is returned; chosen is unspecified then.
// Cost: O(m k) for each exchange among m open vertices of which k are chosen.
func (w *Workspace) SearchSized(chosen []bool, size int, poll func() error) (bound float64, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	s := w.beginSized(chosen, size)
	s.climb(&w.poll)
	if err := w.poll.Err(); err != nil {
		return 0, err
	}
	bound = s.rootBound()
	s.finish(chosen)
	for v, in := range chosen { // the part of the fixed vertices
		if in && w.fixed != nil && w.fixed[v] > 0 {
			for u, weight := range w.row(int32(v))[:v] {
				if chosen[u] && w.fixed[u] > 0 {
					bound += weight
				}
			}
		}
	}
	return bound, nil
}

// beginSized makes the candidates' problem, those with the largest sums of favourable weights first.
func (w *Workspace) beginSized(chosen []bool, size int) *sizedSearch {
	s := &w.sized
	clear(chosen)
	s.candidate = s.candidate[:0]
	for v := range int32(w.n) {
		switch {
		case w.fixed == nil || w.fixed[v] == 0:
			s.candidate = append(s.candidate, v)
		case w.fixed[v] > 0:
			chosen[v] = true
			size--
		}
	}
	s.m, s.size = len(s.candidate), size
	if size < 0 || size > s.m {
		panic(fmt.Sprintf("induced: %d of %d open vertices cannot be chosen", size, s.m))
	}
	potential := make([]float64, w.n)
	for _, v := range s.candidate {
		for u, weight := range w.row(v) {
			if chosen[u] {
				potential[v] += 2 * weight
			} else if w.fixed == nil || w.fixed[u] == 0 {
				potential[v] += max(0, weight)
			}
		}
	}
	slices.SortStableFunc(s.candidate, func(u, v int32) int { return cmp.Compare(potential[v], potential[u]) })
	m := s.m
	s.weight, s.linear = slicex.Grow(s.weight, m*m), slicex.Grow(s.linear, m)
	s.pull, s.key = slicex.Grow(s.pull, (m+1)*m), slicex.Grow(s.key, m)
	s.chosen, s.best = slicex.Grow(s.chosen, m), slicex.Grow(s.best, m)
	for i, u := range s.candidate {
		s.linear[i] = 0
		for v, in := range chosen {
			if in {
				s.linear[i] += w.row(u)[v]
			}
		}
		for j, v := range s.candidate {
			s.weight[i*m+j] = w.row(u)[v]
		}
	}
	return s
}

// finish marks the best candidates.
func (s *sizedSearch) finish(chosen []bool) {
	for i, v := range s.candidate {
		chosen[v] = s.best[i]
	}
}

// climb leaves the best of several local optima in best.
func (s *sizedSearch) climb(poll *parallel.Poll) {
	s.bestValue = math.Inf(-1)
	pull := s.key
	for start := range max(1, min(sizedStarts, s.m)) {
		clear(s.chosen)
		copy(pull, s.linear)
		value := 0.0
		add := func(i int, sign float64) {
			value += sign * pull[i]
			s.chosen[i] = sign > 0
			floats.AddScaled(pull, sign, s.weight[i*s.m:(i+1)*s.m])
		}
		for k := range s.size {
			most := -1
			for i := range s.m {
				if !s.chosen[i] && (most < 0 || pull[i] > pull[most]) {
					most = i
				}
			}
			if k == 0 {
				most = start // another one each time
			}
			add(most, 1)
		}
		for range 10 * s.m {
			if poll.Stopped() {
				return
			}
			from, to, gain := s.exchange(pull)
			if from < 0 {
				break
			}
			before := value
			add(from, -1)
			add(to, 1)
			if !(value > before) || gain <= 0 {
				break
			}
		}
		if value > s.bestValue {
			s.bestValue = value
			copy(s.best, s.chosen)
		}
	}
}

// exchange returns the exchange of a chosen vertex for another one that gains most, or −1 if none gains.
func (s *sizedSearch) exchange(pull []float64) (from, to int, gain float64) {
	from, to = -1, -1
	for i := range s.m {
		if !s.chosen[i] {
			continue
		}
		for j := range s.m {
			if s.chosen[j] {
				continue
			}
			if g := pull[j] - pull[i] - s.weight[i*s.m+j]; g > gain {
				from, to, gain = i, j, g
			}
		}
	}
	return from, to, gain
}

// fill tabulates, for every candidate v ≥ i and number k, the sum of the k largest of its weights to other candidates
// from i on.
func (s *sizedSearch) fill() {
	m, width := s.m, s.size+1
	s.top = slicex.Grow(s.top, m*m*width)
	for v := range m {
		var largest []float64 // in descending order, of the candidates from i on
		for i := m - 1; i >= 0; i-- {
			if i != v {
				x := s.weight[v*m+i]
				at, _ := slices.BinarySearchFunc(largest, x, func(a, b float64) int { return cmp.Compare(b, a) })
				largest = slices.Insert(largest, at, x)
			}
			sums := s.top[(i*m+v)*width : (i*m+v+1)*width]
			sums[0] = 0
			for k := 1; k < width; k++ {
				sums[k] = sums[k-1]
				if k <= len(largest) {
					sums[k] += largest[k-1]
				}
			}
		}
	}
}

// node searches the choices of r candidates from i on and reports whether it ended within the limit. The weights inside
// such a choice count half at each of their ends, so it adds at most the sum of the r largest of pull + ½ (the r−1
// largest weights).
func (s *sizedSearch) node(i, r int, value float64) bool {
	if s.nodes++; s.nodes*s.m > maxSizedWork {
		return false
	}
	if r == 0 {
		if value > s.bestValue {
			s.bestValue = value
			copy(s.best, s.chosen)
		}
		return true
	}
	m := s.m
	if m-i < r {
		return true
	}
	pull := s.pull[i*m : (i+1)*m]
	key := s.key[:m-i]
	for v := i; v < m; v++ {
		key[v-i] = pull[v] + s.top[(i*m+v)*(s.size+1)+r-1]/2
	}
	if value+largest(key, r) <= s.bestValue {
		return true
	}
	below := s.pull[(i+1)*m : (i+2)*m]
	for v := i + 1; v < m; v++ {
		below[v] = pull[v] + s.weight[i*m+v]
	}
	gain := pull[i]
	s.chosen[i] = true
	ok := s.node(i+1, r-1, value+gain)
	s.chosen[i] = false
	if !ok {
		return false
	}
	copy(below[i+1:], pull[i+1:])
	return s.node(i+1, r, value)
}

// rootBound returns the bound of the first node.
func (s *sizedSearch) rootBound() float64 {
	if s.size == 0 {
		return 0
	}
	others := make([]float64, 0, s.m)
	for v := range s.m {
		others = others[:0]
		for u, x := range s.weight[v*s.m : (v+1)*s.m] {
			if u != v {
				others = append(others, x)
			}
		}
		s.key[v] = s.linear[v] + largest(others, s.size-1)/2
	}
	return largest(s.key[:s.m], s.size)
}

// largest returns the sum of the k largest numbers of x, which it sorts.
func largest(x []float64, k int) float64 {
	slices.Sort(x)
	var sum float64
	for _, v := range x[len(x)-k:] {
		sum += v
	}
	return sum
}
