// Package structure describes finite output spaces: classes, label sets, grades, hierarchies, rankings.
//
// A Space knows how many outputs it has, how to turn one into features, and what those features average to. That is all
// that closed-form training needs, so no fit ever lists the outputs one by one.
//
// # Vocabulary
//
// An output y is encoded as PartLen int32 values, its parts. The embedding ψ(y) is a vector of FeatureLen float64 values. The
// score of an output is ⟨s, ψ(y)⟩ for a score vector s of length FeatureLen; decoding finds an output of largest score. The mean
// μ, second moment M and covariance Σ = M − μμᵀ of ψ are those of the uniform distribution on the space, so they stay finite
// when the count does not fit a float64.
//
// # Conventions
//
// The destination comes first, is called dst, and is overwritten in full. Logarithms are natural. A Space is immutable and safe
// for concurrent use. Slices of a wrong length are the caller's bug and panic; an output that is not in the space is an error
// that says which part is wrong and why. Beyond Space a structure implements the interfaces of space.go that it can, and its
// Facts say how far they go.
//
// # Files
//
// A structure has the file of its name, and one for each larger part of what it can do:
//
//	<structure>.go             its registration, encoding, embedding, count, moments and uniform samples
//	<structure>_moments.go     moments that take more than a few lines
//	<structure>_spectrum.go    eigenvalues and frames of Σ
//	<structure>_frames.go      the frames, where they take more than a few lines
//	<structure>_sample.go      uniform samples that take more than a few lines
//	<structure>_decode.go      decoders
//	<structure>_partition.go   partition functions and samples of p(y) ∝ exp⟨s, ψ(y)⟩
//	<structure>_moves.go       local moves
//	<structure>_lattice.go     bounds of lattices of sets
//	<structure>_masked.go      what computes on the outputs that a mask allows
//	<structure>_sized.go       decoders for outputs of given sizes
//	<structure>_observed.go    the outputs in a list, such as those that data hold
//	<structure>_sizes.go       probabilities of outputs of each size
//	<structure>_list.go        a list of all outputs, from which counts and moments of small spaces come
//	<structure>_chain.go       a Markov chain, from which moments of large spaces are estimated
//	<structure>_partial.go     outputs of which a part is known
//
// A few have a part that no other structure has: custom_listed and custom_summarised, its two kinds; graphs_hereditary, sets of
// edges with a property, and their decoders; labelsets_sums, sums over sets by their sizes; partialorders_penalties, scores by
// which local search keeps to a mask; paths_graph, the graph that the parameters describe.
//
// What several structures share is in the files of the types that they embed or call: indices, allowed, sets, pairs, pairscheme, relations,
// visits, cyclespace, rootedtree, edgelist, edgesets, centring, isotropic, lexicographic, mirror. Their larger parts have files
// with the endings above, such as visits_moves, and so have those of graphs_hereditary. What conditions on
// outputs share is in pairs_conditions, sets_conditions, visits_conditions and edges_conditions. The rest belongs to the package:
// space (what a Space is, its facts, and what it may be able to do: the file to read first), batch (rows of scores, of one space or of
// several), conditions (their keys, and how they are read), mask (which outputs are allowed) and restricted (the space of those,
// restricted_listed what computes on it where a structure has no recursion), encode (rows of data, and what is said of wrong ones),
// features (names of the entries of ψ, and their cells), names (of items), scores, singles
// (probabilities of outputs that are one thing each), capability, registry, shared, derived (what is kept
// with a space).
//
// # Adding a structure
//
// Write one file with a type that implements Space and those interfaces of space.go that it can, and a package-level
//
//	var _ = register(Spec{Name: "mystructure", …})
//
// Facts leave out what their zero value says already. A space of some of the outputs of another one embeds a subspace.
//
// Everything else finds it through the registry: the conformance suite of package structuretest, the C interface, the catalogue
// and its documentation. Then enter the sizes at which it is tested in package examples, and write one Python class in
// python/combpred/structures.
package structure
