package structure

import (
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// Space is a finite set of outputs with an embedding: what every structure must offer.
type Space interface {
	// PartLen returns the number of int32 parts of one encoded output.
	PartLen() int
	// FeatureLen returns d, the length of ψ.
	FeatureLen() int
	// Check returns nil if y is the encoding of a member, and otherwise says which part is wrong and why.
	Check(y []int32) error
	// Embed writes ψ(y) to dst. y must have passed Check.
	Embed(dst []float64, y []int32)
}

// PartialEmbedder embeds outputs of which only a part is known.
type PartialEmbedder interface {
	// CheckPartial returns nil if y encodes an output or what is known of one, and otherwise says which part is wrong and why.
	CheckPartial(y []int32) error
	// EmbedPartial writes the mean of ψ over all outputs that agree with what is known to dst. y must have passed CheckPartial.
	EmbedPartial(dst []float64, y []int32)
	// ReadPartial is Read for rows of which only a part may be known. Encodings pass CheckPartial.
	ReadPartial(dst []int32, row []float64) error
}

// Generalized is implemented by structures whose ψ may have entries other than −1, 0 and 1 or be the same for several
// outputs. The decoder of such a space may refuse a Magnitude with a *CapabilityError.
type Generalized interface {
	// General reports whether it is so for this space.
	General() bool
}

// Counter knows the exact number of outputs.
type Counter interface {
	Count() *big.Int
}

// LogCounter knows the logarithm of the number of outputs without the number itself, where that is expensive or not known exactly;
// NaN where not even that is.
type LogCounter interface {
	LogCount() float64
}

// Ambiguous spaces have outputs with equal ψ, which no score can tell apart. All others that are not Generalized have an injective ψ.
type Ambiguous interface {
	// Embeddings returns the number of different values of ψ.
	Embeddings() *big.Int
}

// LogCount returns the natural logarithm of the number of outputs of a space that is a LogCounter or a Counter, and a CapabilityError
// for others.
func LogCount(s Space) (float64, error) {
	switch c := s.(type) {
	case LogCounter:
		return c.LogCount(), nil
	case Counter:
		return combin.LogInt(c.Count()), nil
	}
	return 0, &CapabilityError{Structure: Describe(s), Need: "the number of its outputs"}
}

// Moments knows the mean and the second moment of ψ under the uniform distribution.
type Moments interface {
	// Mean writes μ to dst, of length d.
	Mean(dst []float64)
	// SecondMoment writes M to the d×d matrix dst, both triangles.
	SecondMoment(dst blas64.General)
}

// Spectrum knows the non-zero eigenvalues of Σ and gives each eigenspace as a tight frame, so that no d×d matrix is formed.
//
// A frame of the eigenspace i is a d×FrameLen(i) matrix F with FFᵀ = P, the orthogonal projector onto it. Σ = Σ_i σ_i P_i.
// Structures whose spectrum is not known in closed form leave this out and are diagonalised numerically.
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

// Suited is implemented by structures on which ridge regression predicts better by another loss than "squared", or by another decision
// than the output of least expected squared distance: measured by tests/benchmarks/losses.py on held-out rows, by the structure's metric.
type Suited interface {
	// Suits returns the loss, "auc" or "squared", and the decision under "squared", "score" or "mbr".
	Suits() (loss, decision string)
}

// Positioner knows where items stand under p(y) ∝ exp⟨s, ψ(y)⟩, of rankings of n items without ties.
type Positioner interface {
	// Positions writes the probability that item u is at position r + 1 to dst[u,r], an n×n matrix by rows. poll is as for Start.
	Positions(dst, scores []float64, poll func() error) error
}

// Enumerator lists every output once. The yielded slice is reused between iterations.
type Enumerator interface {
	All() iter.Seq[[]int32]
}

// Preparer is implemented by spaces that make something at first use which takes much longer than any later one.
type Preparer interface {
	// Prepare makes it now. poll is as for Start; what it stops is not kept.
	Prepare(poll func() error) error
}

// Prepare prepares a space that is a Preparer. Where many outputs of a space are decoded, drawn or listed that comes first,
// for those methods have no poll.
func Prepare(s Space, poll func() error) error {
	if p, ok := s.(Preparer); ok {
		return p.Prepare(poll)
	}
	return nil
}

// Sibling is a sibling system (Gärtner and Vembu, 2009): outputs come in pairs whose embeddings add up to the same vector, so that the
// better one of a pair scores at least the mean of the largest and the smallest score.
type Sibling interface {
	// Mirrored reports whether the outputs of this space have siblings: with some parameters they have none.
	Mirrored() bool
	// Mirror writes the sibling of y, a member of a Mirrored space, to dst.
	Mirror(dst, y []int32)
}

// Free spaces have outputs whose parts are ψ, every entry of which takes its values whatever the others are.
type Free interface {
	// FreeValues returns the values that each entry of ψ takes, in ascending order and not to be changed; nil where entries depend.
	FreeValues() []int32
}

// Exclusive has outputs of which ψ is the indicator: one entry, any of them, is 1 and the others are 0.
type Exclusive interface {
	Exclusive()
}

// Sampler draws exactly uniform outputs.
type Sampler interface {
	Sample(dst []int32, rng *rand.Rand)
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

// Decoder finds an output of largest score exactly.
type Decoder interface {
	// Decode writes a maximiser to dst. Ties are broken in a fixed way, so that equal scores give equal outputs. Where the
	// instance is beyond what can be solved exactly it returns a *LimitError and leaves dst unspecified.
	Decode(dst []int32, score Scores) (Certificate, error)
}

// Limited is a Decoder that refuses all scores beyond a size. Others may refuse some scores, at sizes where they take long.
type Limited interface {
	// Decodable reports whether this space is within the size.
	Decodable() bool
}

// Starter finds a guaranteed solution in polynomial time, for spaces whose Decode takes more than that or is refused at
// some sizes.
type Starter interface {
	// Start writes an output to dst and returns a certificate whose Nu and UpperBound are proven. poll may be nil;
	// otherwise it is called once at least and every few milliseconds, and its first error ends the work and is returned,
	// dst being unspecified.
	Start(dst []int32, score Scores, poll func() error) (Certificate, error)
}

// Searcher improves on a guaranteed solution without proof of optimality, at sizes where Decode is refused.
type Searcher interface {
	Starter
	// Search writes an output to dst that scores at least as much as that of Start, up to rounding. Its certificate and
	// poll are as those of Start.
	Search(dst []int32, score Scores, poll func() error) (Certificate, error)
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

// Gainer is a Proposer that knows what a move gains without embedding both ends.
type Gainer interface {
	Proposer
	// Gain returns the score of z less that of y, where z was drawn from y by Propose, up to rounding.
	Gain(z, y []int32, score Scores) float64
}

// Gapped is a Proposer of whose moves the spectrum is known, so that chains of them have proven mixing times. Where a space
// is Free, a move gives one entry, each with the same probability, any other of its values.
type Gapped interface {
	Proposer
	// MoveGaps returns by how much all eigenvalues of the transition matrix of Propose but the first are below 1, and by
	// how much all are above −1, or bounds on these from below. Where there is one output only, both are 1.
	MoveGaps() (below, above float64)
}

// Steady is a Gapped of which chains of moves, by the rule of Metropolis, keep a gap whatever the scores are.
type Steady interface {
	Gapped
	// LeastGap returns by how much all eigenvalues but the first are below 1, or a bound on this from below.
	LeastGap() float64
}

// MomentsInfo says where the mean and the second moment of a space come from.
type MomentsInfo struct {
	Kind MomentsKind
	// StandardError is that of the estimated entries of the second moment, the largest one; 0 unless Kind is SampledMoments.
	StandardError float64
}

// MomentsKind is one of the ways to the moments of a space.
type MomentsKind int

const (
	ExactMoments   MomentsKind = iota // those of the space
	RelaxedMoments                    // those of a larger space that contains it
	SampledMoments                    // averages over samples, with a standard error
)

// Approximator is implemented by spaces whose moments need not be exact. All others have exact ones.
type Approximator interface {
	// MomentsKind costs nothing. MomentsInfo may have to estimate them.
	MomentsKind() MomentsKind
	MomentsInfo() MomentsInfo
}

// Lattice is implemented by spaces of sets that are encoded by the 0/1 membership of their elements, their parts, with
// ψ(y) = y. With any two sets their union and their intersection are members, and from every set single elements that
// come or go lead to every other: the order ideals of a partial order are such a space. Chains that change one element
// at a time can then be followed from all states at once by following the least and the greatest (Propp and Wilson,
// 1996).
type Lattice interface {
	// Bounds writes the least and the greatest set, or returns false where the space with its parameters is no lattice.
	Bounds(least, greatest []int32) bool
	// Movable reports whether changing part i alone leads from the member y to another member. If a set that contains
	// another one lacks i and can take it, so can that one; if a set has i and can drop it, so can every subset that
	// has it: both follow from unions and intersections.
	Movable(y []int32, i int) bool
}

// Partitioner knows the partition functions of the distributions p(y) ∝ exp⟨s, ψ(y)⟩ on a space without a list of its outputs.
type Partitioner interface {
	// LogPartition returns ln Z = ln Σ_y exp⟨s, ψ(y)⟩, a sum over all outputs, and writes the marginals E ψ = ∇ ln Z to
	// marginals, unless that is nil. Scores of any finite size are allowed that add up to no more than CheckScores allows.
	// poll may be nil; otherwise it is called every few milliseconds at sizes that take longer, and its first error ends
	// the work and is returned. Where the space is too large it returns a *LimitError.
	LogPartition(marginals, scores []float64, poll func() error) (logZ float64, err error)
	// PartitionCost returns about how many elementary operations LogPartition takes, +Inf where it refuses.
	PartitionCost(marginals bool) float64
}

// SizeMarginals is a space of sets, with the 0/1 membership as ψ, whose distributions tell how likely an element is in a set of each size.
type SizeMarginals interface {
	// SizeMarginals returns P(i ∈ y, |y| = k) at row k−1 and column i, under p(y) ∝ exp⟨scores, ψ(y)⟩, and the probability of the empty
	// set. Rows end where all larger sets together have a probability below 1e-16. Scores and poll are as for LogPartition.
	SizeMarginals(scores []float64, poll func() error) (table blas64.General, empty float64, err error)
	// FixedSize returns the size of all sets, −1 where it varies.
	FixedSize() int
}

// Rated is a Partitioner whose operations take another time than those of most.
type Rated interface {
	// PartitionRate returns how many of the operations of PartitionCost a processor does in a second, about.
	PartitionRate() float64
}

// Distributor draws exactly from the distributions p(y) ∝ exp⟨s, ψ(y)⟩.
type Distributor interface {
	// Distribution returns a function that draws independent outputs y ~ p and may be called from one goroutine at a time.
	// What all draws share is done once, here. Scores, poll and a *LimitError are as for LogPartition.
	Distribution(scores []float64, poll func() error) (draw Draw, err error)
}

// DrawLimited is a Distributor that takes other sizes than LogPartition takes with marginals.
type DrawLimited interface {
	// Drawable reports whether this space is within the size that Distribution takes.
	Drawable() bool
}

// Draw writes a random output to dst.
type Draw func(dst []int32, rng *rand.Rand)

// Tabulated spaces hold ψ of all outputs. Sums over these for many rows of scores are then matrix products.
type Tabulated interface {
	// Table returns ψ of the outputs in its rows, not to be changed, in the order of the Enumerator.
	Table() blas64.General
}
