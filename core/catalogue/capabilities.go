package catalogue

import (
	"math"
	"slices"

	"combpred/core/chain"
	"combpred/core/partition"
	"combpred/core/structure"
)

// capability is something that a structure may be able to do.
type capability struct {
	name, doc string
	of        func(structure.Space) bool // reports whether a space can, with its parameters
}

// capabilities lists them all, those of a space before the methods of drawing from p(y) ∝ exp⟨s, ψ(y)⟩.
var capabilities = append([]capability{
	{"count", "knows the exact number of its outputs", func(s structure.Space) bool { return is[structure.Counter](s) && sizeKnown(s) }},
	{"log-count", "knows the logarithm of the number of its outputs", sizeKnown},
	{"moments", "knows the mean and the second moment of ψ, or those of something close", is[structure.Momenter]},
	{"exact-moments", "knows those that are averages over its outputs", func(s structure.Space) bool {
		return is[structure.Momenter](s) && s.Facts().Moments == structure.ExactMoments
	}},
	{"spectrum", "knows the eigenvalues of the covariance of ψ in closed form",
		fact(func(f structure.Facts) bool { return f.Spectrum != nil })},
	{"enumerate", "lists its outputs", is[structure.Enumerator]},
	{"sample", "draws uniform outputs", is[structure.Sampler]},
	{"partial", "embeds outputs of which a part is known", is[structure.PartialEmbedder]},
	{"mode", "tells the probabilities of outputs by expected features", is[structure.Moder]},
	{"sibling", "has outputs in pairs whose embeddings add up to the same vector",
		fact(func(f structure.Facts) bool { return f.Mirror != nil })},
	{"independent", "has entries of ψ that take their values whatever the others are",
		fact(func(f structure.Facts) bool { return f.FreeValues != nil })},
	{"exclusive", "has an embedding of which one entry is 1, any of them, and the others are 0, whatever its parameters",
		fact(func(f structure.Facts) bool { return f.Exclusive })},
	{"decode", "finds a best output; some scores may still be refused, where that takes too long", func(s structure.Space) bool {
		return is[structure.Decoder](s) && !s.Facts().TooLargeToDecode
	}},
	{"start", "finds a guaranteed output", is[structure.Searcher]},
	{"search", "improves on a guaranteed output", is[structure.Searcher]},
	{"partition", "sums over all outputs, by a recursion or a list that takes the size",
		func(s structure.Space) bool { return partition.Available(s, false) }},
	{"marginals", "averages ψ over p(y) ∝ exp⟨s, ψ(y)⟩ likewise",
		func(s structure.Space) bool { return partition.Available(s, true) }},
	{"exact", "draws from p(y) ∝ exp⟨s, ψ(y)⟩ likewise", partition.Drawable},
}, methods()...)

// methods returns the ways to draw.
func methods() (all []capability) {
	for _, m := range chain.Methods() {
		all = append(all, capability{m.String(), m.Doc(), func(s structure.Space) bool { return chain.Capable(s, m) == nil }})
	}
	return all
}

// Meaning is the name of a capability and what a structure that has it does.
type Meaning struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Meanings says what the names of capabilities stand for.
func Meanings() []Meaning {
	all := make([]Meaning, len(capabilities))
	for i, c := range capabilities {
		all[i] = Meaning{c.name, c.doc}
	}
	return all
}

// Capabilities lists what a space can do with its parameters, by the names that Meanings explains. Where the number of outputs is not
// known, a list of them counts as one that takes the size; it may turn out to be too long.
func Capabilities(space structure.Space) []string { return ofAny([]structure.Space{space}) }

// ofAny lists what some of the spaces can do.
func ofAny(spaces []structure.Space) []string {
	have := []string{}
	for _, c := range capabilities {
		if slices.ContainsFunc(spaces, c.of) {
			have = append(have, c.name)
		}
	}
	return have
}

// is reports whether a space implements the interface T.
func is[T any](s structure.Space) bool {
	_, ok := s.(T)
	return ok
}

// fact reports whether something holds of the facts of a space.
func fact(holds func(structure.Facts) bool) func(structure.Space) bool {
	return func(s structure.Space) bool { return holds(s.Facts()) }
}

// sizeKnown reports whether a space knows the logarithm of its number of outputs, which a Counter does unless its facts say otherwise.
func sizeKnown(s structure.Space) bool {
	if log := s.Facts().LogCount; log != nil {
		return !math.IsNaN(log())
	}
	return is[structure.Counter](s)
}
