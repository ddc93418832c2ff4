package catalogue

import (
	"math"

	"combpred/core/chain"
	"combpred/core/partition"
	"combpred/core/structure"
)

// capability is something that a structure may be able to do.
type capability struct {
	name string
	// implemented reports whether spaces of a type can do it with some parameters. It calls nothing on its argument.
	implemented func(structure.Space) bool
	// refused reports whether a space of such a type cannot with its own parameters; nil where none refuses.
	refused func(structure.Space) bool
}

// capabilities lists them all, those of a space before the methods of drawing from p(y) ∝ exp⟨s, ψ(y)⟩.
var capabilities = []capability{
	{"count", is[structure.Counter], nil},
	{"log-count", either(is[structure.Counter], is[structure.LogCounter]), sizeUnknown},
	{"moments", is[structure.Moments], nil},
	{"exact-moments", is[structure.Moments], approximate},
	{"spectrum", is[structure.Spectrum], nil},
	{"enumerate", is[structure.Enumerator], nil},
	{"sample", is[structure.Sampler], nil},
	{"partial", is[structure.PartialEmbedder], nil},
	{"sibling", is[structure.Sibling], func(s structure.Space) bool { return !s.(structure.Sibling).Mirrored() }},
	{"decode", is[structure.Decoder], tooLargeToDecode},
	{"start", is[structure.Starter], nil},
	{"search", is[structure.Searcher], nil},
	{"partition", sums, func(s structure.Space) bool { return !partition.Available(s, false) }},
	{"marginals", sums, func(s structure.Space) bool { return !partition.Available(s, true) }},
	{"exact", draws, func(s structure.Space) bool { return !partition.Drawable(s) }},
	{"meta", is[structure.Sampler], incapable(chain.Meta)},
	{"local", both(is[structure.Proposer], begins), incapable(chain.LocalMoves)},
	{"cube", both(is[structure.Lattice], begins), incapable(chain.CubeMoves)},
	{"cftp", both(is[structure.Sampler], bounds), incapable(chain.FromPast)},
	{"rejection", both(is[structure.Sampler], bounds), incapable(chain.Reject)},
	{"monotone", is[structure.Lattice], incapable(chain.MonotonePast)},
}

var (
	sums   = either(is[structure.Partitioner], is[structure.Enumerator])
	draws  = either(is[structure.Distributor], is[structure.Enumerator])
	begins = either(is[structure.Sampler], is[structure.Starter])
	bounds = either(is[structure.Decoder], is[structure.Starter])
)

// Capabilities lists what a space can do with its parameters:
//
//	count, log-count          knows the number of its outputs, or its logarithm
//	moments, exact-moments    knows the mean and second moment of ψ, or those of the space itself
//	spectrum                  knows the eigenvalues of the covariance in closed form
//	enumerate, sample         lists its outputs, draws uniform ones
//	partial                   embeds outputs of which a part is known
//	sibling                   has outputs in pairs whose embeddings add up to the same vector
//	decode                    finds a best output; some scores may still be refused, where that takes too long
//	start, search             finds a guaranteed output, and improves on it
//	partition, marginals      sums over all outputs, and averages ψ over them, by a recursion or a list that takes the size
//	exact                     draws from p(y) ∝ exp⟨s, ψ(y)⟩ likewise
//	meta, local, cube         chains of uniform proposals, of local moves, of single elements that come and go
//	cftp, rejection, monotone coupling from the past by uniform proposals, rejection, coupling by the heat bath
//
// Where the number of outputs is not known, a list of them counts as one that takes the size; it may turn out to be too long.
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

func both(a, b func(structure.Space) bool) func(structure.Space) bool {
	return func(s structure.Space) bool { return a(s) && b(s) }
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

func incapable(method chain.Method) func(structure.Space) bool {
	return func(s structure.Space) bool { return chain.Capable(s, method) != nil }
}
