package structure

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/graph/induced"
)

// maskedCliques computes on the vertex sets that a mask allows. An edge that is required puts in both of its vertices, one that is
// forbidden bars them from one set.
type maskedCliques struct {
	all    cliques
	fixed  []int32    // +1 for vertices that belong to every set, −1 for those that belong to none, otherwise 0
	barred [][2]int32 // pairs of free vertices that do not belong to one set
	size   Range      // numbers of vertices, which those that are fixed leave
}

var (
	_ maskable = cliques{}
	_ engine   = (*maskedCliques)(nil)
	_ Searcher = (*maskedCliques)(nil)
)

// under costs O(n²).
func (c cliques) under(m *Mask) (engine, error) {
	e := &maskedCliques{all: c, fixed: make([]int32, c.n), size: Range{max(0, m.Size.Least), min(m.Size.Most, c.n)}}
	for v, x := range m.Items {
		e.fixed[v] = int32(x)
	}
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	var nonadjacent [][2]int32
	pair := 0
	for u, v := range itemPairs(c.n) {
		if states != nil {
			switch states[pair] {
			case 1:
				if e.fixed[u] < 0 || e.fixed[v] < 0 {
					return nil, ErrNone
				}
				e.fixed[u], e.fixed[v] = 1, 1
			case -1:
				nonadjacent = append(nonadjacent, [2]int32{int32(u), int32(v)})
			}
		}
		pair++
	}
	for _, p := range nonadjacent { // after all that is in
		for side, v := range p {
			switch other := p[1-side]; {
			case e.fixed[v] > 0 && e.fixed[other] > 0:
				return nil, ErrNone
			case e.fixed[v] > 0:
				e.fixed[other] = -1
			}
		}
	}
	for _, p := range nonadjacent {
		if e.fixed[p[0]] == 0 && e.fixed[p[1]] == 0 {
			e.barred = append(e.barred, p)
		}
	}
	free, required := e.free()
	e.size = Range{max(e.size.Least, required), min(e.size.Most, required+len(free))}
	if e.size.Least > e.size.Most {
		return nil, ErrNone
	}
	return e, nil
}

// facts: sets of fewer than two vertices share ψ = 0.
func (e *maskedCliques) facts() Facts {
	return Facts{Ambiguous: e.ambiguous(), Sums: sumsOf(e.partitionCost)}
}

func (e *maskedCliques) ambiguous() bool {
	free, required := e.free()
	edgeless := 0
	if e.size.has(0) {
		edgeless = 1
	}
	if e.size.has(1) {
		edgeless += len(free)
	}
	return required == 0 && edgeless > 1
}

// free returns the vertices that are neither in all sets nor in none, and the number of those in all.
func (e *maskedCliques) free() (free []int, required int) {
	for v, f := range e.fixed {
		switch f {
		case 0:
			free = append(free, v)
		case 1:
			required++
		}
	}
	return free, required
}

// count adds up binomial coefficients or, where pairs are barred, lists the sets, for as many vertices as are summed over.
func (e *maskedCliques) count() *big.Int {
	free, required := e.free()
	if len(e.barred) == 0 {
		sum := new(big.Int)
		for k := e.size.Least; k <= e.size.Most; k++ {
			sum.Add(sum, combin.Binomial(len(free), k-required))
		}
		return sum
	}
	if len(free) > induced.MaxSummed {
		return nil
	}
	d, _, _, err := e.distribution(make([]float64, e.all.FeatureLen()), nil)
	if err != nil {
		return new(big.Int)
	}
	return big.NewInt(int64(d.Count()))
}

// load returns a workspace with the score of every pair of vertices, and what barred pairs weigh.
func (e *maskedCliques) load(dst []int32, score Scores, barred float64) *cliqueWorkspace {
	w := e.all.load(dst, score)
	for _, p := range e.barred {
		w.Weigh(p[0], p[1], barred)
	}
	w.Fix(e.fixed)
	return w
}

// Decode finds a best set as that of all cliques does, or, where its size is not allowed, by branch and bound over sets of each size
// that is. It returns a *LimitError where that takes too long.
func (e *maskedCliques) Decode(dst []int32, score Scores) (Certificate, error) {
	w := e.load(dst, score, math.Inf(-1))
	defer e.all.pool.put(w)
	err := w.ExactWithin(w.chosen, e.size.Least, e.size.Most)
	if sized, ok := errors.AsType[*induced.SizedError](err); ok {
		err = &LimitError{
			What:         fmt.Sprintf("exact decoding of cliques of %d more vertices among those left open,", sized.Size),
			OfRow:        true,
			Size:         sized.Vertices,
			Effort:       "its limits of time and memory",
			Alternatives: searchInstead,
		}
	}
	switch {
	case errors.Is(err, induced.ErrNone):
		return Certificate{}, ErrNone
	case err != nil:
		return Certificate{}, cliqueLimit(err)
	}
	return proven(e.all.finish(dst, w.chosen, score)), nil
}

// Start is that of all cliques, if its size is allowed, or else Search.
func (e *maskedCliques) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.improve(dst, score, poll, (*induced.Workspace).Start)
}

// Search is that of all cliques, if its size is allowed, and otherwise exchanges vertices of sets of each size that is, and proves no more
// than a bound: Nu is 1 then, unless the bound is reached. Pairs that are barred cost more than any scores.
func (e *maskedCliques) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.improve(dst, score, poll, (*induced.Workspace).Search)
}

func (e *maskedCliques) improve(dst []int32, score Scores, poll func() error, find cliqueSearch) (cert Certificate, err error) {
	barred := 0.0
	for i := range score.Linear {
		barred -= 2 * math.Abs(score.indicator(i))
	}
	w := e.load(dst, score, min(barred, -1))
	defer e.all.pool.put(w)
	optimal := false
	if cert.UpperBound, cert.Nu, optimal, err = find(&w.Workspace, w.chosen, poll); err != nil {
		return Certificate{}, err
	}
	if members := w.members(); !e.size.has(members) {
		optimal, cert.Nu = false, 1
		if err = e.searchSizes(w, &cert, poll); err != nil {
			return Certificate{}, err
		}
	}
	if err = polled(poll); err != nil {
		return Certificate{}, err
	}
	for _, p := range e.barred {
		if w.chosen[p[0]] && w.chosen[p[1]] {
			return Certificate{}, ErrUnmet
		}
	}
	cert.Value = e.all.finish(dst, w.chosen, score)
	if optimal || cert.Value >= cert.UpperBound {
		return proven(cert.Value), nil
	}
	return cert, nil
}

// searchSizes leaves the best set that is found of any size allowed in w.chosen, and lowers the bound to the largest of those of the sizes.
func (e *maskedCliques) searchSizes(w *cliqueWorkspace, cert *Certificate, poll func() error) error {
	chosen := make([]bool, e.all.n)
	most, bound := math.Inf(-1), math.Inf(-1)
	for k := e.size.Least; k <= e.size.Most; k++ {
		ofSize, err := w.SearchSized(chosen, k, poll)
		if err != nil {
			return err
		}
		bound = max(bound, ofSize)
		if value := w.Value(chosen); value > most {
			most = value
			copy(w.chosen, chosen)
		}
	}
	cert.UpperBound = min(cert.UpperBound, bound)
	return nil
}

// members returns the number of chosen vertices.
func (w *cliqueWorkspace) members() (k int) {
	for _, in := range w.chosen {
		if in {
			k++
		}
	}
	return k
}

// restrict returns the space of those cliques that obey the parameters, all of them where nothing is prescribed.
func (c cliques) restrict(a arguments) (Space, error) {
	mask := NewMask()
	if _, ok := a.Scalars["size"]; ok {
		size, err := a.IntTo("size", int64(c.n))
		if err != nil {
			return nil, err
		}
		if size >= 0 {
			mask.Size = Range{size, size}
		}
	}
	if len(a.Ints) != 0 && len(a.Ints) != c.n {
		return nil, fault.Value("\"fixed\" has %d entries, must have %d", len(a.Ints), c.n)
	}
	for v, f := range a.Ints {
		if f < -1 || f > 1 {
			return nil, fault.Value("\"fixed\" is %d at %d, must be -1, 0 or 1", f, v)
		}
		mask.Items = append(mask.Items, int8(f))
	}
	s, err := Within(c, mask)
	if errors.Is(err, ErrNone) {
		return nil, fault.Value("no clique obeys \"size\" and \"fixed\"; %w", err)
	}
	return s, err
}

// Restrict takes vertices that are required or forbidden, and a number of vertices.
func (c cliques) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (Restriction, error) {
		m, err := readMembers(vertexTerms, "vertex", conditions, c.n, c.names)
		if err != nil {
			return Restriction{}, err
		}
		mask := NewMask()
		mask.Size, mask.Items = m.size, make([]int8, c.n)
		for _, v := range m.required {
			mask.Items[v] = 1
		}
		for _, v := range m.forbidden {
			mask.Items[v] = -1
		}
		return Restriction{Mask: mask}, m.checkSize(0)
	}
}
