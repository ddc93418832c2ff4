package catalogue

import (
	"math"

	"combpred/core/chain"
	"combpred/core/partition"
	"combpred/core/structure"
)

// capability is something that a structure may be able to do.
type capability struct {
	name, doc string
	// implemented reports whether spaces of a type can do it with some parameters. It calls nothing on its argument.
	implemented func(structure.Space) bool
	// refused reports whether a space of such a type cannot with its own parameters; nil where none refuses.
	refused func(structure.Space) bool
}

// capabilities lists them all, those of a space before the methods of drawing from p(y) ∝ exp⟨s, ψ(y)⟩.
var capabilities = append([]capability{
	{"count", "knows the exact number of its outputs", is[structure.Counter], nil},
	{"log-count", "knows the logarithm of the number of its outputs", either(is[structure.Counter], is[structure.LogCounter]), sizeUnknown},
	{"moments", "knows the mean and the second moment of ψ, or those of something close", is[structure.Moments], nil},
	{"exact-moments", "knows those that are averages over its outputs", is[structure.Moments], approximate},
	{"spectrum", "knows the eigenvalues of the covariance of ψ in closed form", is[structure.Spectrum], nil},
	{"enumerate", "lists its outputs", is[structure.Enumerator], nil},
	{"sample", "draws uniform outputs", is[structure.Sampler], nil},
	{"partial", "embeds outputs of which a part is known", is[structure.PartialEmbedder], nil},
	{"sibling", "has outputs in pairs whose embeddings add up to the same vector", is[structure.Sibling], func(s structure.Space) bool { return !s.(structure.Sibling).Mirrored() }},
	{"independent", "has entries of ψ that take their values whatever the others are", is[structure.Free], func(s structure.Space) bool { return s.(structure.Free).FreeValues() == nil }},
	{"exclusive", "has an embedding of which one entry is 1, any of them, and the others are 0, whatever its parameters", is[structure.Exclusive], nil},
	{"decode", "finds a best output; some scores may still be refused, where that takes too long", is[structure.Decoder], tooLargeToDecode},
	{"start", "finds a guaranteed output", is[structure.Starter], nil},
	{"search", "improves on a guaranteed output", is[structure.Searcher], nil},
	{"partition", "sums over all outputs, by a recursion or a list that takes the size", sums, func(s structure.Space) bool { return !partition.Available(s, false) }},
	{"marginals", "averages ψ over p(y) ∝ exp⟨s, ψ(y)⟩ likewise", sums, func(s structure.Space) bool { return !partition.Available(s, true) }},
	{"exact", "draws from p(y) ∝ exp⟨s, ψ(y)⟩ likewise", draws, func(s structure.Space) bool { return !partition.Drawable(s) }},
}, methods()...)

var (
	sums  = either(is[structure.Partitioner], is[structure.Enumerator])
	draws = either(is[structure.Distributor], is[structure.Enumerator])
)

// methods returns the ways to draw.
func methods() (all []capability) {
	for _, m := range chain.Methods() {
		all = append(all, capability{m.String(), m.Doc(), m.Implemented, func(s structure.Space) bool { return chain.Capable(s, m) != nil }})
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
func Capabilities(space structure.Space) []string {
	have := []string{}
	for _, c := range capabilities {
		if c.implemented(space) && (c.refused == nil || !c.refused(space)) {
			have = append(have, c.name)
		}
	}
	return have
}

// ofType lists what spaces of a type can do with some parameters, given a zero value of it.
func ofType(zero structure.Space) []string {
	have := []string{}
	for _, c := range capabilities {
		if c.implemented(zero) {
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

func either(a, b func(structure.Space) bool) func(structure.Space) bool {
	return func(s structure.Space) bool { return a(s) || b(s) }
}

// sizeUnknown reports whether a space knows no logarithm of its number of outputs either.
func sizeUnknown(s structure.Space) bool {
	if is[structure.Counter](s) {
		return false
	}
	return math.IsNaN(s.(structure.LogCounter).LogCount())
}

func approximate(s structure.Space) bool {
	a, ok := s.(structure.Approximator)
	return ok && a.MomentsKind() != structure.ExactMoments
}

func tooLargeToDecode(s structure.Space) bool {
	l, ok := s.(structure.Limited)
	return ok && !l.Decodable()
}
