package structure

import (
	"iter"
	"math"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// Start reading here. A structure is a Space with Facts. Beyond that it implements those of the interfaces below that it can: it counts
// its outputs (Counter), lists them (Enumerator), draws them (Sampler), finds the best (Decoder, Searcher), moves between them (Proposer),
// averages over them uniformly (Momenter) or with weights (Partitioner), is held to conditions (Restricter), and reads rows of data
// (Reader, PartialEmbedder). Callers ask for a behaviour by a type assertion, and read in the Facts how far it goes.

// Space is a finite set of outputs with an embedding: what every structure must offer.
type Space interface {
	// PartLen returns the number of int32 parts of one encoded output.
	PartLen() int
	// FeatureLen returns d, the length of ψ.
	FeatureLen() int
	// Facts returns what can be said of the space at once. It costs O(d) at most: ask once for many outputs.
	Facts() Facts
	// Check returns nil if y is the encoding of a member, and otherwise says which part is wrong and why.
	Check(y []int32) error
	// Embed writes ψ(y) to dst. y must have passed Check.
	Embed(dst []float64, y []int32)
}

// Facts are the properties of a space that take no work to find, and what only a few structures can do. The zero value describes most
// spaces: a function or an interface that is nil means that there is no such thing, at least with the parameters of this space.
type Facts struct {
	Layout

	// About the outputs.

	// LogCount returns the logarithm of their number without the number itself, which is expensive or not known exactly; NaN if even the
	// logarithm is unknown. Call the function LogCount, which asks a Counter otherwise.
	LogCount func() float64
	// Ambiguous spaces have outputs with equal ψ, which no score can tell apart. All others that are not General have an injective ψ.
	Ambiguous bool
	// FreeValues are the values that each entry of ψ takes whatever the others are, in ascending order, read-only, for spaces whose parts
	// are ψ; nil if entries depend on each other.
	FreeValues []int32
	// Exclusive spaces have a ψ that is the indicator of the output: one entry, any of them, is 1 and the others are 0.
	Exclusive bool
	// Mirror writes the sibling of the member y to dst. In a sibling system (Gärtner and Vembu, 2009) outputs come in pairs whose
	// embeddings add up to the same vector, so that the better one of a pair scores at least the mean of the largest and the smallest
	// score.
	Mirror func(dst, y []int32)
	// Lattice is for sets whose unions and intersections are members, too.
	Lattice Lattice
	// Table holds ψ of all outputs in its rows, read-only, in the order of the Enumerator. Sums over outputs for many rows of scores are
	// then matrix products. It has no rows if the space keeps no such list.
	Table blas64.General

	// About training.

	// Moments says where those of a Momenter come from.
	Moments MomentsKind
	// StandardError returns the largest standard error of the entries of an estimated second moment. The first call may do the estimating.
	StandardError func() float64
	// Spectrum knows the eigenspaces of Σ in closed form. Without it Σ is diagonalised numerically.
	Spectrum Spectrum
	// Loss ("auc" or "squared") and Decision under "squared" ("score", "mbr" or "mode") are those by which ridge regression predicts
	// best, as measured by tests/benchmarks/losses.py on held-out rows with the structure's metric. Empty means "squared" and "mbr", the
	// output of least expected squared distance.
	Loss, Decision string

	// About decoding, moving and summing.

	// TooLargeToDecode says that Decode refuses all scores at this size. A Decoder may still refuse some scores that would take long.
	TooLargeToDecode bool
	// Prepare builds what is otherwise built at first use and takes much longer than any later use. Call the function Prepare before
	// decoding, drawing or listing many outputs, as those methods have no poll. poll is as for Searcher; unfinished work is dropped.
	Prepare func(poll func() error) error
	// Moves are those of a Proposer.
	Moves Moves
	// Sums are the costs of a Partitioner.
	Sums Sums
	// Positions writes the probability that item u is at position r + 1 under p(y) ∝ exp⟨scores, ψ(y)⟩ to dst[u,r], an n×n matrix by rows,
	// for rankings of n items without ties. poll is as for Searcher.
	Positions func(dst, scores []float64, poll func() error) error
	// SizeMarginals, for sets with their 0/1 membership as ψ, returns P(i ∈ y, |y| = k) at row k−1 and column i, under
	// p(y) ∝ exp⟨scores, ψ(y)⟩, and the probability of the empty set. The table ends when all larger sets together have a probability
	// below 1e-16. Scores and poll are as for LogPartition.
	SizeMarginals func(scores []float64, poll func() error) (table blas64.General, empty float64, err error)
	// FixedSize is the size of all sets of a space with SizeMarginals, −1 if it varies.
	FixedSize int
}

// Layout says how outputs look in data and what the entries of ψ are. Every subset of the outputs has the same.
type Layout struct {
	// Format says what a row of data holds, in a clause that ends messages, such as "grades are whole numbers 0..4".
	Format string
	// Widths are the numbers of entries that rows of data may have. nil means PartLen, or any number with AnyWidth.
	Widths   []int
	AnyWidth bool
	// Names yields a name for each entry of ψ, in order. Call NamesOf, which falls back on Cells and on numbers.
	Names iter.Seq[string]
	// Cells are the pairs of items that entries of ψ stand for. Its Kind is empty if they stand for none.
	Cells Cells
	// Entries are the values that entries of ψ take: "bits", 0 and 1, which empty means, too; "signs", −1 and 1; "signs and zeros";
	// "signs and ties", a first half of −1, 0 and 1 and a second half that is 1 where the first is 0; "numbers", any; or "unknown".
	Entries string
	// Costs are the losses between outputs that training by margins may take, by their names in the catalogue, the usual one first.
	// nil means "hamming" alone.
	Costs []string
	// Decisions are those by distributions beside the most probable output and that of nearest ψ.
	Decisions []string
	// General spaces have a ψ that may have entries other than −1, 0 and 1 or be the same for several outputs. Their decoders may refuse a
	// Magnitude with a *CapabilityError.
	General bool
}

// Moves are those of a Proposer.
type Moves struct {
	// Gain returns the score of z less that of y, up to rounding, for a z that Propose drew from y; nil if that takes embedding both.
	Gain func(z, y []int32, score Scores) float64
	// Below and Above bound the eigenvalues of the transition matrix of Propose, so that chains of moves have proven mixing times: all but
	// the first are at most 1 − Below, and all are at least −1 + Above. Both are 1 if there is only one output; Below is 0 if nothing is
	// known. With FreeValues, a move gives one entry any other of its values, all with the same probability.
	Below, Above float64
	// Least is like Below for chains of moves by the rule of Metropolis, whatever the scores are.
	Least float64
}

// Sums are the costs of a Partitioner.
type Sums struct {
	// Plain and Marginals are about how many elementary operations LogPartition takes without marginals and with them, +Inf if it refuses.
	Plain, Marginals float64
	// Rate is about how many of these operations a processor does in a second; 0 means the usual number.
	Rate float64
	// Draws says that Distribution takes this size.
	Draws bool
}

// Cost returns the number of operations with marginals or without.
func (s Sums) Cost(marginals bool) float64 {
	if marginals {
		return s.Marginals
	}
	return s.Plain
}

// sumsOf returns the costs of a Partitioner that draws at the sizes at which it has marginals.
func sumsOf(cost func(marginals bool) float64) Sums {
	s := Sums{Plain: cost(false), Marginals: cost(true)}
	s.Draws = !math.IsInf(s.Marginals, 1)
	return s
}

// movesOf returns moves of known gaps.
func movesOf(below, above float64) Moves { return Moves{Below: below, Above: above} }

// MomentsKind is one of the ways to the moments of a space.
type MomentsKind int

const (
	ExactMoments   MomentsKind = iota // those of the space
	RelaxedMoments                    // those of a larger space that contains it
	SampledMoments                    // averages over samples, with a standard error
)

// Lattice are sets that are encoded by the 0/1 membership of their elements, their parts, with ψ(y) = y. With any two sets their union
// and their intersection are members, and from every set single elements that come or go lead to every other: the order ideals of a
// partial order are such a space. Chains that change one element at a time can then be followed from all states at once by following
// the least and the greatest (Propp and Wilson, 1996).
type Lattice interface {
	// BoundsTo writes the least and the greatest set.
	BoundsTo(least, greatest []int32)
	// Movable reports whether changing part i alone leads from the member y to another member. If a set that contains another one lacks
	// i and can take it, so can that one; if a set has i and can drop it, so can every subset that has it: both follow from unions and
	// intersections.
	Movable(y []int32, i int) bool
}

// Spectrum knows the non-zero eigenvalues of Σ and gives each eigenspace as a tight frame, so that no d×d matrix is formed.
//
// A frame of the eigenspace i is a d×FrameLen(i) matrix F with FFᵀ = P, the orthogonal projector onto it. Σ = Σ_i σ_i P_i.
type Spectrum interface {
	// Eigenvalues returns the distinct non-zero eigenvalues of Σ, in descending order.
	Eigenvalues() []float64
	// FrameLen returns the number of columns of the frame of eigenspace i.
	FrameLen(i int) int
	// AnalyzeTo writes vF to dst, one row for each row of v (rows×d): dst is rows×FrameLen(i).
	AnalyzeTo(dst, v blas64.General, i int)
	// SynthesizeTo adds cFᵀ to dst (rows×d), one row for each row of c (rows×FrameLen(i)).
	SynthesizeTo(dst, c blas64.General, i int)
}

// Counter knows the exact number of outputs. Spaces under a mask return nil at sizes at which they do not know it.
type Counter interface {
	Count() *big.Int
}

// LogCount returns the natural logarithm of the number of outputs, or a CapabilityError for spaces that know neither it nor the number.
func LogCount(s Space) (float64, error) {
	if log := s.Facts().LogCount; log != nil {
		return log(), nil
	}
	if c, ok := s.(Counter); ok {
		return combin.LogInt(c.Count()), nil
	}
	return 0, &CapabilityError{Structure: Describe(s), Need: "the number of its outputs"}
}

// Prepare does what the facts of a space say is to be done before its first use.
func Prepare(s Space, poll func() error) error {
	if prepare := s.Facts().Prepare; prepare != nil {
		return prepare(poll)
	}
	return nil
}

// Enumerator lists every output once. The yielded slice is reused between iterations.
type Enumerator interface {
	All() iter.Seq[[]int32]
}

// Sampler draws exactly uniform outputs.
type Sampler interface {
	Sample(dst []int32, rng *rand.Rand)
}

// Decoder finds an output of largest score exactly.
type Decoder interface {
	// Decode writes a maximiser to dst. Ties are broken in a fixed way, so that equal scores give equal outputs. Where the
	// instance is beyond what can be solved exactly it returns a *LimitError and leaves dst unspecified.
	Decode(dst []int32, score Scores) (Certificate, error)
}

// Searcher finds guaranteed outputs without proof of optimality, for spaces whose Decode takes more than polynomial time or is refused
// at some sizes.
type Searcher interface {
	// Start writes an output to dst in polynomial time and returns a certificate whose Nu and UpperBound are proven. poll may be nil;
	// otherwise it is called once at least and every few milliseconds, and its first error ends the work and is returned,
	// dst being unspecified.
	Start(dst []int32, score Scores, poll func() error) (Certificate, error)
	// Search writes an output to dst that scores at least as much as that of Start, up to rounding. Its certificate and
	// poll are as those of Start.
	Search(dst []int32, score Scores, poll func() error) (Certificate, error)
}

// Certificate says how good a decoded output is known to be.
type Certificate struct {
	// Value is the score of the decoded output.
	Value float64
	// UpperBound is a proven bound on the score of every output; it equals Value when Optimal.
	UpperBound float64
	// Nu is the guarantee: Value ≥ (1−Nu)·max + Nu·min over the space. It is 0 when Optimal.
	Nu float64
	// Optimal says that no output scores higher, up to rounding.
	Optimal bool
}

// Proposer draws random local moves between outputs, for Markov chains on the space. The moves are symmetric, the
// probability of z from y being that of y from z, and lead from every output to every other one in some number of moves.
// So the only stationary distribution of a chain that accepts every move is the uniform one, and that of a chain that accepts
// them with the probabilities of Metropolis et al. (1953) is its target. Such a chain may be periodic.
type Proposer interface {
	// Propose writes the output to which a random move leads from y to dst, which may be y itself. y must be a member and
	// stays as it is; dst and y must not overlap.
	Propose(dst, y []int32, rng *rand.Rand)
}

// Partitioner knows the distributions p(y) ∝ exp⟨s, ψ(y)⟩ on a space without a list of its outputs.
type Partitioner interface {
	// LogPartition returns ln Z = ln Σ_y exp⟨s, ψ(y)⟩, a sum over all outputs, and writes the marginals E ψ = ∇ ln Z to
	// marginals, unless that is nil. Scores of any finite size are allowed that add up to no more than CheckScores allows.
	// poll may be nil; otherwise it is called every few milliseconds at sizes that take longer, and its first error ends
	// the work and is returned. Where the space is too large it returns a *LimitError.
	LogPartition(marginals, scores []float64, poll func() error) (logZ float64, err error)
	// Distribution returns a function that draws independent outputs y ~ p and may be called from one goroutine at a time.
	// What all draws share is done once, here. Scores, poll and a *LimitError are as for LogPartition.
	Distribution(scores []float64, poll func() error) (draw Draw, err error)
}

// Draw writes a random output to dst.
type Draw func(dst []int32, rng *rand.Rand)

// Momenter knows the mean and the second moment of ψ under the uniform distribution.
type Momenter interface {
	// Mean writes μ to dst, of length d.
	Mean(dst []float64)
	// SecondMoment writes M to the d×d matrix dst, both triangles.
	SecondMoment(dst blas64.General)
}

// Moder knows the probabilities of outputs from expected features alone.
type Moder interface {
	// ModeScores replaces expected features Eψ by scores s with ⟨s, ψ(y)⟩ = P(y) for every output y.
	ModeScores(expected []float64)
}

// Restricter holds outputs to conditions in terms of what they are made of.
type Restricter interface {
	// Restrict returns a function that checks conditions and makes a mask of them, which Within takes. It may be called by several
	// goroutines. Its error says which condition is illegal, contradicts another one or leaves no output, and what to do; where there is
	// none, that is no promise that some output satisfies them.
	Restrict() func([]Condition) (Restriction, error)
}

// Reader reads outputs whose rows of data may differ from their parts.
type Reader interface {
	// Read writes the encoding of the output that a row of data shows to dst, or says what is wrong with the row, which has a number
	// of entries that the Layout allows. Encodings pass Check.
	Read(dst []int32, row []float64) error
}

// PartialEmbedder embeds outputs of which only a part is known.
type PartialEmbedder interface {
	// CheckPartial returns nil if y encodes an output or what is known of one, and otherwise says which part is wrong and why.
	CheckPartial(y []int32) error
	// EmbedPartial writes the mean of ψ over all outputs that agree with what is known to dst. y must have passed CheckPartial.
	EmbedPartial(dst []float64, y []int32)
	// ReadPartial is Read for rows of which only a part may be known. Encodings pass CheckPartial.
	ReadPartial(dst []int32, row []float64) error
	// Known returns the mask of the outputs that agree with what is known. y must have passed CheckPartial.
	Known(y []int32) Mask
}

// subspace is embedded by spaces of some of the outputs of another one: parts, ψ and layout are the same. A space that embeds it adds
// Check, its own Facts, and whatever it can do.
type subspace[S Space] struct{ all S }

func (s subspace[S]) PartLen() int                   { return s.all.PartLen() }
func (s subspace[S]) FeatureLen() int                { return s.all.FeatureLen() }
func (s subspace[S]) Facts() Facts                   { return Facts{Layout: s.all.Facts().Layout} }
func (s subspace[S]) Embed(dst []float64, y []int32) { s.all.Embed(dst, y) }

func (s subspace[S]) itemNames() Names   { return itemNamesOf(s.all) }
func (s subspace[S]) columnNames() Names { return columnNamesOf(s.all) }
