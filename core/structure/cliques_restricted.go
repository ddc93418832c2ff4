package structure

import (
	"errors"
	"fmt"
	"iter"
	"math/big"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/graph/induced"
)

// restrictedCliques is the space of the vertex sets of a given size that hold some vertices and not others. It has
// decoders and no counts: it is what prediction under constraints chooses from.
type restrictedCliques struct {
	all   cliques
	size  int     // −1: any
	fixed []int32 // +1 for vertices that belong to every set, −1 for those that belong to none, otherwise 0
}

var (
	_ Enumerator = (*restrictedCliques)(nil)
	_ Ambiguous  = (*restrictedCliques)(nil)
	_ Decoder    = (*restrictedCliques)(nil)
	_ Searcher   = (*restrictedCliques)(nil)
)

// restrict returns the space of those cliques that obey the parameters, all of them where nothing is prescribed.
func (c cliques) restrict(a given) (Space, error) {
	size := -1
	if _, given := a.Scalars["size"]; given {
		var err error
		if size, err = a.IntTo("size", int64(c.n)); err != nil {
			return nil, err
		}
	}
	if len(a.Ints) != 0 && len(a.Ints) != c.n {
		return nil, fault.Value("\"fixed\" has %d entries, must have %d", len(a.Ints), c.n)
	}
	if size < 0 && len(a.Ints) == 0 {
		return c, nil
	}
	r := &restrictedCliques{all: c, size: size, fixed: make([]int32, c.n)}
	copy(r.fixed, a.Ints)
	required, free := 0, 0
	for v, f := range r.fixed {
		switch f {
		case 1:
			required++
		case 0:
			free++
		case -1:
		default:
			return nil, fault.Value("\"fixed\" is %d for vertex %s, must be -1, 0 or 1", f, c.names.of(v))
		}
	}
	if size >= 0 && (required > size || required+free < size) {
		return nil, fault.Value("no set of %d vertices holds %d and may hold %d more", size, required, free)
	}
	return r, nil
}

func (r *restrictedCliques) String() string                 { return r.all.String() + " under constraints" }
func (r *restrictedCliques) PartLen() int                   { return r.all.PartLen() }
func (r *restrictedCliques) FeatureLen() int                { return r.all.FeatureLen() }
func (r *restrictedCliques) Embed(dst []float64, y []int32) { r.all.Embed(dst, y) }
func (r *restrictedCliques) Format() string                 { return r.all.Format() }
func (r *restrictedCliques) Cells() Cells                   { return r.all.Cells() }
func (r *restrictedCliques) itemNames() Names               { return r.all.names }
func (r *restrictedCliques) columnNames() Names             { return r.all.names }

func (r *restrictedCliques) Check(y []int32) error {
	if err := r.all.Check(y); err != nil {
		return err
	}
	members := 0
	for v, in := range y {
		members += int(in)
		if f := r.fixed[v]; f != 0 && (f > 0) != (in > 0) {
			return fault.Value("whether vertex %s is in must be %t", r.all.names.of(v), f > 0)
		}
	}
	if r.size >= 0 && members != r.size {
		return fault.Value("the clique has %d vertices, must have %d", members, r.size)
	}
	return nil
}

// All lists the sets in lexicographic order of their membership vectors.
func (r *restrictedCliques) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for y := range r.all.All() {
			if r.Check(y) == nil && !yield(y) {
				return
			}
		}
	}
}

// Embeddings counts the sets; those without two vertices share ψ = 0.
func (r *restrictedCliques) Embeddings() *big.Int {
	required, free := 0, 0
	for _, f := range r.fixed {
		switch {
		case f > 0:
			required++
		case f == 0:
			free++
		}
	}
	edgeless := 0
	for _, k := range [2]int{0, 1} {
		if k >= required && (r.size < 0 || r.size == k) {
			edgeless += int(combin.Binomial(free, k-required).Int64())
		}
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(free))
	if r.size >= 0 {
		all = combin.Binomial(free, r.size-required)
	}
	return all.Sub(all, big.NewInt(int64(max(0, edgeless-1))))
}

// Decode finds a best set as that of all cliques does, or, with a size, by branch and bound over sets of that size. It
// returns a *LimitError where that takes too long.
func (r *restrictedCliques) Decode(dst []int32, score Scores) (Certificate, error) {
	w := r.load(dst, score)
	defer r.all.pool.put(w)
	if r.size < 0 {
		if err := w.Exact(w.chosen); err != nil {
			return Certificate{}, cliqueLimit(err)
		}
	} else if err := w.ExactSized(w.chosen, r.size); err != nil {
		if e, ok := errors.AsType[*induced.SizedError](err); ok {
			return Certificate{}, &LimitError{
				What:         fmt.Sprintf("exact decoding of cliques of %d more vertices among those left open,", e.Size),
				OfRow:        true,
				Size:         e.Vertices,
				Effort:       "its limits of time and memory",
				Alternatives: searchInstead,
			}
		}
		return Certificate{}, err
	}
	return proven(r.all.finish(dst, w.chosen, score)), nil
}

// Start is that of all cliques, or, with a size, Search.
func (r *restrictedCliques) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*induced.Workspace).Start)
}

// Search is that of all cliques, or, with a size, exchanges vertices of sets of that size and proves no more than a
// bound: Nu is 1 then, unless the bound is reached.
func (r *restrictedCliques) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return r.improve(dst, score, poll, (*induced.Workspace).Search)
}

// improve finds a good set by the function, or, with a size, by exchanges.
func (r *restrictedCliques) improve(dst []int32, score Scores, poll func() error, find cliqueSearch) (cert Certificate, err error) {
	w := r.load(dst, score)
	defer r.all.pool.put(w)
	optimal := false
	if r.size < 0 {
		cert.UpperBound, cert.Nu, optimal, err = find(&w.Workspace, w.chosen, poll)
	} else {
		cert.Nu = 1
		cert.UpperBound, err = w.SearchSized(w.chosen, r.size, poll)
	}
	if err == nil {
		err = polled(poll)
	}
	if err != nil {
		return Certificate{}, err
	}
	cert.Value = r.all.finish(dst, w.chosen, score)
	if optimal || cert.Value >= cert.UpperBound {
		return proven(cert.Value), nil
	}
	return cert, nil
}

func (r *restrictedCliques) load(dst []int32, score Scores) *cliqueWorkspace {
	w := r.all.load(dst, score)
	w.Fix(r.fixed)
	return w
}

// Restrict takes vertices that are required or forbidden, and a number of vertices.
func (c cliques) Restrict() func([]Condition) (Restriction, error) {
	return func(given []Condition) (Restriction, error) {
		m, err := readMembers(vertexTerms, "vertex", given, c.n, c.names)
		if err != nil {
			return Restriction{}, err
		}
		fixed := make([]int32, c.n)
		for _, v := range m.required {
			fixed[v] = 1
		}
		for _, v := range m.forbidden {
			fixed[v] = -1
		}
		return Restriction{Space: &restrictedCliques{all: c, size: m.size, fixed: fixed}}, m.checkSize(m.size, 0)
	}
}
