package catalogue

import (
	"slices"

	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/extensions"
	"combpred/core/fit"
	"combpred/core/labelrank"
	"combpred/core/maxmargin"
	"combpred/core/partition"
	"combpred/core/structure"
)

// Name is one of the values of a parameter, spelt as users spell it.
type Name struct {
	Name   string `json:"name"`
	Number int    `json:"number"` // in the C interface
}

// List is a set of names, in the order in which they are documented.
type List struct {
	Key      string `json:"key"` // of the list, such as "LIBRARY_DECODERS"
	Doc      string `json:"doc"` // what they are, as a noun
	Names    []Name `json:"names"`
	Numbered bool   `json:"numbered"` // the C interface takes the numbers; otherwise names, or it takes none
}

var (
	decoders = []Name{
		{"auto", int(decode.Auto)}, {"exact", int(decode.Exact)}, {"approx", int(decode.Approx)},
		{"local-search", int(decode.Search)}, {"anneal", int(decode.Anneal)}, {"metropolis", int(decode.Metropolis)},
	}
	chainMethods = []Name{
		{"meta", int(chain.Meta)}, {"local", int(chain.LocalMoves)}, {"cube", int(chain.CubeMoves)},
		{"cftp", int(chain.FromPast)}, {"rejection", int(chain.Reject)}, {"monotone", int(chain.MonotonePast)},
	}
	extensionMethods = []Name{
		{"auto", int(extensions.Auto)}, {"counting", int(extensions.Counting)}, {"coupling", int(extensions.Coupling)},
	}
	engines = []Name{{"recursion", int(partition.Recursion)}, {"enumeration", int(partition.Enumeration)}}
	moments = []Name{
		{"exact", int(structure.ExactMoments)}, {"relaxed", int(structure.RelaxedMoments)},
		{"sampled", int(structure.SampledMoments)},
	}
	rules     = []Name{{"frank-wolfe", int(maxmargin.FrankWolfe)}, {"perceptron", int(maxmargin.Perceptron)}}
	subgraphs = []Name{
		{"edges", int(labelrank.Edges)}, {"stars", int(labelrank.Stars)}, {"graph", int(labelrank.Whole)},
	}
	updates = []Name{
		{"additive", int(labelrank.Additive)}, {"multiplicative", int(labelrank.Multiplicative)},
		{"primal-dual", int(labelrank.PrimalDual)},
	}
)

// Lists returns all names but those of structures.
func Lists() []List {
	which := func(is func(chain.Method) bool) []Name {
		return slices.DeleteFunc(slices.Clone(chainMethods), func(n Name) bool { return !is(chain.Method(n.Number)) })
	}
	random := slices.DeleteFunc(slices.Clone(decoders), func(n Name) bool { return !decode.Method(n.Number).Random() })
	return []List{
		{"LIBRARY_DECODERS", "Decoders", decoders, true},
		{"RANDOM_DECODERS", "Decoders whose results depend on a seed", random, false},
		{"CHAIN_METHODS", "Ways to sample by proposals, all of which depend on a seed", chainMethods, true},
		{"CHAINS", "Those that follow a Markov chain", which(chain.Method.Chained), false},
		{"EXACT_METHODS", "Those that draw independent samples from exactly the distribution asked for", which(chain.Method.Exact), false},
		{"UNIFORM_METHODS", "Those that propose uniform outputs", which(chain.Method.Uniform), false},
		{"BOUNDED_METHODS", "Those that need bounds on the scores of all outputs", which(chain.Method.Bounded), false},
		{"EXTENSION_METHODS", "Ways to sample linear extensions, all of which depend on a seed", extensionMethods, true},
		{"PARTITION_ENGINES", "Methods that compute partition functions", engines, true},
		{"MOMENTS_KINDS", "What the mean and the second moment of a structure are", moments, true},
		{"RIDGE_LOSSES", "Losses of ridge regression", plain(fit.Losses), false},
		{"RIDGE_SOLVERS", "Solvers of ridge regression", plain(fit.Solvers), false},
		{"RULES", "Rules by which max-margin training takes a step", rules, true},
		{"SUBGRAPHS", "Divisions of preferences into subgraphs", subgraphs, true},
		{"UPDATES", "Updates of online label ranking", updates, true},
	}
}

// plain returns names that the C interface takes as they are.
func plain(names []string) []Name {
	out := make([]Name, len(names))
	for i, name := range names {
		out[i] = Name{name, i}
	}
	return out
}
