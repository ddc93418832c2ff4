package structure

import (
	"iter"
	"math"
	"math/big"

	"combpred/core/combin"
	"combpred/core/fault"
)

// engine computes on those outputs of a space that a mask allows. What it lacks it says in its facts, and refuses by name. Decode and the
// sums return ErrNone where the mask turns out to allow no output.
type engine interface {
	Decoder
	Partitioner
	// count returns the number of outputs, nil where it is not known at this size.
	count() *big.Int
	// facts returns what is known of the costs, Sums and TooLargeToDecode, and LogCount where that is cheaper than the number.
	facts() Facts
}

// maskable spaces compute under masks. An engine that is an Enumerator lists the outputs in the order of the space.
type maskable interface {
	Space
	// under returns what computes under a mask, or ErrNone. The engine of a Searcher is one, too, whose searches keep to the mask.
	under(m *Mask) (engine, error)
}

// bounded spaces know the bounds of a mask.
type bounded interface {
	// bounds returns how many items a mask may speak of, and how many places an output may start and end with; 0: it may not.
	bounds() (items, ends int)
	// keeps reports whether a member keeps to what the mask holds beside the entries of ψ.
	keeps(m *Mask, y []int32) bool
}

// restricted is the space of those outputs of another one that a mask allows. It can do what that space can: its decoders are exact, and
// its sums and draws go over the allowed outputs alone.
type restricted struct {
	subspace[Space]
	engine
	mask Mask
}

// What a restricted space can do depends on the other one.
type (
	searched struct {
		*restricted
		Searcher
	}
	enumerated struct {
		*restricted
		Enumerator
	}
	searchedEnumerated struct {
		*restricted
		Searcher
		Enumerator
	}
)

// mostFiltered is the largest logarithm of a number of outputs that are listed to find those that a mask allows: 2²⁰.
var mostFiltered = 20 * math.Ln2

// Within returns the space of the outputs that a mask allows, which has the parts and the ψ of the given one and can be decoded, summed
// over, drawn from and counted as far as that can. It returns ErrNone where it sees at once that there is no such output, and a
// *CapabilityError where a structure takes no masks and has too many outputs to list. What the mask holds must not change afterwards.
// Cost: O(d), and for structures without a recursion that of listing all outputs.
func Within(s Space, m Mask) (Space, error) {
	if r, ok := s.(interface{ whole() (Space, Mask) }); ok {
		var err error
		base, mask := r.whole()
		if m, err = mask.and(m); err != nil {
			return nil, err
		}
		s = base
	}
	if m.AllowsAll() {
		return s, nil
	}
	if err := m.check(s); err != nil {
		return nil, err
	}
	if err := m.checkBounds(s); err != nil {
		return nil, err
	}
	r := &restricted{subspace: subspace[Space]{s}, mask: m}
	var err error
	if x, ok := s.(maskable); ok {
		r.engine, err = x.under(&r.mask)
	} else {
		r.engine, err = listWithin(r)
	}
	if err != nil {
		return nil, err
	}
	return r.withAbilities(), nil
}

// logNumber is the logarithm of the number of outputs of a space, kept with it, as lists of the best outputs take many masks.
type logNumber float64

func (logNumber) Bytes() int { return 8 }

// withAbilities returns the space with those of its base.
func (r *restricted) withAbilities() Space {
	searcher, searches := r.engine.(Searcher)
	lister, lists := r.lister()
	switch {
	case searches && lists:
		return &searchedEnumerated{r, searcher, lister}
	case searches:
		return &searched{r, searcher}
	case lists:
		return &enumerated{r, lister}
	}
	return r
}

// lister returns what lists the outputs in the order of the base: the engine, or a filter where the base has few.
func (r *restricted) lister() (Enumerator, bool) {
	if _, lists := r.all.(Enumerator); !lists {
		return nil, false
	}
	if e, lists := r.engine.(Enumerator); lists {
		return e, true
	}
	log, err := Derive(r.all, func() (logNumber, error) {
		log, err := LogCount(r.all)
		return logNumber(log), err
	})
	return filter{r}, err == nil && float64(log) <= mostFiltered
}

func (r *restricted) whole() (Space, Mask) { return r.all, r.mask }
func (r *restricted) String() string       { return Describe(r.all) + " under conditions" }
func (r *restricted) Count() *big.Int      { return r.count() }

// Facts are those of the engine, and how outputs and ψ look.
func (r *restricted) Facts() Facts {
	f := r.facts()
	f.Layout = r.subspace.Facts().Layout
	if f.LogCount == nil {
		f.LogCount = func() float64 {
			switch n := r.count(); {
			case n == nil:
				return math.NaN()
			case n.Sign() == 0:
				return math.Inf(-1)
			default:
				return combin.LogInt(n)
			}
		}
	}
	return f
}

// LogPartition is that of the engine. Entries that the mask decides have exactly the value that it leaves them.
func (r *restricted) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	logZ, err := r.engine.LogPartition(marginals, scores, poll)
	if marginals != nil {
		for i, v := range r.mask.Entries {
			switch v {
			case Minus:
				marginals[i] = -1
			case Zero:
				marginals[i] = 0
			case Plus:
				marginals[i] = 1
			}
		}
	}
	return logZ, err
}

// Check says which condition a member of the whole space breaks.
func (r *restricted) Check(y []int32) error {
	if err := r.all.Check(y); err != nil {
		return err
	}
	psi := make([]float64, r.FeatureLen())
	r.Embed(psi, y)
	for i, v := range r.mask.Entries {
		if !v.allows(psi[i]) {
			return fault.Value("entry %d of ψ, %s, is %g, which the conditions rule out", i, nameOf(r.all, i), psi[i])
		}
	}
	if b, ok := r.all.(bounded); ok && !b.keeps(&r.mask, y) {
		return fault.Value("the output does not keep to the conditions on its size, its members or its ends")
	}
	return nil
}

// allows is Check without its reasons, with room for ψ.
func (r *restricted) allows(psi []float64, y []int32) bool {
	if r.mask.Entries != nil {
		r.Embed(psi, y)
		if !r.mask.Allows(psi) {
			return false
		}
	}
	b, ok := r.all.(bounded)
	return !ok || b.keeps(&r.mask, y)
}

// Restrict is that of the whole space.
func (r *restricted) Restrict() func([]Condition) (Restriction, error) {
	if base, ok := r.all.(Restricter); ok {
		return base.Restrict()
	}
	return func([]Condition) (Restriction, error) {
		return Restriction{}, &CapabilityError{Structure: r.String(), Need: "outputs that can be held to conditions by key"}
	}
}

// filter lists the outputs of the whole space that are allowed, in its order.
type filter struct{ r *restricted }

func (f filter) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		psi := make([]float64, f.r.FeatureLen())
		for y := range f.r.all.(Enumerator).All() {
			if f.r.allows(psi, y) && !yield(y) {
				return
			}
		}
	}
}

// Read is that of the whole space, among the outputs that are allowed.
func (r *restricted) Read(dst []int32, row []float64) error {
	if err := ReadTo(r.all, dst, row); err != nil {
		return err
	}
	return r.Check(dst)
}
