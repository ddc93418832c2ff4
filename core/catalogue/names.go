package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"combpred/core/aggregate"
	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/decode/hereditary"
	"combpred/core/decode/kbest"
	"combpred/core/decode/setloss"
	"combpred/core/extensions"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/labelrank"
	"combpred/core/labelrank/direct"
	"combpred/core/loglinear"
	"combpred/core/loglinear/train"
	"combpred/core/maxmargin"
	"combpred/core/maxmargin/affine"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
	"combpred/core/structure/metric"
)

// Names are the values of a parameter, in the order in which they are documented. The first is the default in the C interface.
type Names []Name

// Name is one of them, spelt as users spell it, and the number that the core knows it by.
type Name struct {
	Name   string
	number int
}

// Number returns the number of a name, and that of the first for "". Other names are an error, which is about the parameter.
func (n Names) Number(parameter, name string) (int, error) {
	if name == "" {
		return n[0].number, nil
	}
	for _, known := range n {
		if known.Name == name {
			return known.number, nil
		}
	}
	return 0, fault.Value("%s is %q, must be one of %s", parameter, name, strings.Join(n.spelt(), ", "))
}

// Of returns the name of a number.
func (n Names) Of(number int) string {
	return n[slices.IndexFunc(n, func(known Name) bool { return known.number == number })].Name
}

func (n Names) spelt() []string {
	out := make([]string, len(n))
	for i, name := range n {
		out[i] = name.Name
	}
	return out
}

// List is a set of names for those who read them.
type List struct {
	Key   string   `json:"key"` // of the list, such as "LIBRARY_DECODERS"
	Doc   string   `json:"doc"` // what they are, as a noun
	Names []string `json:"names"`
}

// NumberType is the type of the entries of an array.
type NumberType int

// The types that dense input features may have.
const (
	Float64 NumberType = iota
	Float32
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
)

// What coefficients of rows and weights of the features of a kernel matrix are converted into.
const (
	ToDual = iota
	FromDual
	FromScores
)

// The ways to partition functions, to means of ψ, and to the number of outputs.
const (
	AutoEstimate int = iota
	ExactSum
	Annealed
	TaylorExpansion
	Samples
	Counting
	ChainMeans
	Repeats
)

// The names of all that the C interface has to choose from, but for structures and the options of ridge regression.
var (
	Decoders = Names{
		{"auto", int(decode.Auto)}, {"exact", int(decode.Exact)}, {"approx", int(decode.Approx)},
		{"local-search", int(decode.Search)}, {"anneal", int(decode.Anneal)}, {"metropolis", int(decode.Metropolis)},
	}
	Proposals = Names{
		{"auto", int(decode.AnyProposals)}, {"local", int(decode.Moves)}, {"uniform", int(decode.Uniform)},
	}
	KBestMethods = Names{
		{"auto", int(kbest.Auto)}, {"unordered", int(kbest.Unordered)}, {"combinations", int(kbest.Combinations)},
		{"sort", int(kbest.Sort)}, {"partition", int(kbest.Partition)}, {"siblings", int(kbest.Siblings)},
	}
	SetLosses         = Names{{"f1", int(setloss.F1)}, {"ranking", int(setloss.Ranking)}}
	HereditaryMethods = Names{
		{"auto", int(hereditary.Auto)}, {"exact", int(hereditary.Exact)}, {"local-search", int(hereditary.Search)},
	}
	ChainMethods     = named(chain.Methods())
	PartitionMethods = Names{{"auto", AutoEstimate}, {"exact", ExactSum}, {"annealed", Annealed}, {"taylor", TaylorExpansion}}
	MarginalMethods  = Names{{"samples", Samples}, {"counting", Counting}, {"chains", ChainMeans}}
	EstimateMethods  = slices.Concat(PartitionMethods, MarginalMethods, Names{{"repeats", Repeats}})
	ExternalMethods  = append(Names{{"annealed", Annealed}, {"repeats", Repeats}}, MarginalMethods...)
	LevelSamplers    = append(Names{{"auto", int(estimate.AutoSampler)}, {"exact", int(estimate.ExactSampler)}}, ChainMethods...)
	SampleMethods    = append(Names{
		{"auto", int(estimate.AutoSampler)}, {"chain", int(sampler.AnyChain)}, {"exact", int(estimate.ExactSampler)},
	}, ChainMethods...)
	Schedules = Names{
		{"adaptive", int(estimate.Adaptive)}, {"uniform", int(estimate.Uniform)}, {"thesis", int(estimate.Thesis)},
	}
	ExtensionMethods = Names{
		{"auto", int(extensions.Auto)}, {"counting", int(extensions.Counting)}, {"coupling", int(extensions.Coupling)},
	}
	Engines = Names{{"recursion", int(partition.Recursion)}, {"enumeration", int(partition.Enumeration)}}
	Moments = Names{
		{"exact", int(structure.ExactMoments)}, {"relaxed", int(structure.RelaxedMoments)},
		{"sampled", int(structure.SampledMoments)},
	}
	Aggregations = Names{
		{"auto", int(aggregate.Auto)}, {"exact", int(aggregate.Exact)}, {"milp", int(aggregate.MILP)}, {"lp", int(aggregate.LP)},
		{"pivot", int(aggregate.Pivot)}, {"random-pivot", int(aggregate.RandomPivot)},
		{"local-search", int(aggregate.LocalSearch)}, {"best-input", int(aggregate.BestInput)},
		{"borda", int(aggregate.BordaCount)}, {"footrule", int(aggregate.Assignment)},
		{"median-rank", int(aggregate.MedianRanks)},
	}
	Consensuses   = Names{{"order", int(aggregate.Order)}, {"weak", int(aggregate.Weak)}, {"partial", int(aggregate.Partial)}}
	MarginSolvers = Names{{"cutting-plane", int(maxmargin.CuttingPlanes)}, {"frank-wolfe", int(maxmargin.Blockwise)}}
	Rescalings    = Names{{"margin", 0}, {"slack", 1}}
	EntryKinds    = Names{
		{"bits", int(affine.Bits)}, {"signs", int(affine.Signs)}, {"signs and zeros", int(affine.SignsAndZeros)},
		{"signs and ties", int(affine.SignsAndTies)},
	}
	Costs = Names{
		{"hamming", int(affine.Hamming)}, {"kendall", int(affine.Kendall)}, {"tree", int(affine.Hamming)},
		{"zero-one", int(affine.ZeroOne)}, {"h-loss", int(affine.HLoss)}, {"h-loss-sibling", int(affine.HLossSibling)},
	}
	Subgraphs = Names{{"edges", int(labelrank.Edges)}, {"stars", int(labelrank.Stars)}, {"graph", int(labelrank.Whole)},
		{"sinks", int(labelrank.Sinks)}}
	NumberTypes = Names{
		{"float64", int(Float64)}, {"float32", int(Float32)}, {"int8", int(Int8)}, {"uint8", int(Uint8)}, {"int16", int(Int16)},
		{"uint16", int(Uint16)}, {"int32", int(Int32)}, {"uint32", int(Uint32)}, {"int64", int(Int64)}, {"uint64", int(Uint64)},
	}
	LoglinearSolvers = Names{{"lbfgs", int(train.LBFGS)}, {"sgd", int(train.SGD)}, {"online", int(train.Online)},
		{"newton", int(train.Newton)}}
	Distributions = append(Names{{"exact", -1}, {"draws", -2}}, ChainMethods...)
	LoglinearSums = Names{
		{"moments", int(loglinear.Moments)}, {"loss", int(loglinear.Loss)}, {"spread", int(loglinear.Spread)},
	}
	KernelConversions = Names{{"dual", ToDual}, {"from-dual", FromDual}, {"from-scores", FromScores}}
	InputKernels      = Names{
		{"linear", int(kernel.Linear)}, {"poly", int(kernel.Polynomial)}, {"rbf", int(kernel.RBF)},
		{"laplacian", int(kernel.Laplacian)}, {"cosine", int(kernel.Cosine)},
	}
	OrderKernels = Names{
		{"edges", int(kernel.Edges)}, {"signed-edges", int(kernel.SignedEdges)}, {"positions", int(kernel.Positions)},
		{"positions-rbf", int(kernel.PositionsRBF)}, {"same-positions", int(kernel.SamePositions)},
		{"extensions", int(kernel.Extensions)},
	}
	PositionLosses = Names{
		{"spearman", int(direct.Spearman)}, {"footrule", int(direct.Footrule)}, {"ndcg", int(direct.NDCG)},
		{"precision", int(direct.Precision)},
	}
	// OwnRankingLosses are given by the caller's numbers.
	OwnRankingLosses = Names{
		{"by-position", int(direct.ByPosition)}, {"by-hits", int(direct.ByHits)}, {"listed", int(direct.Listed)},
	}
	RankingMetrics = Names{
		{"kendall_tau", int(metric.KendallTau)}, {"tau_x", int(metric.TauX)}, {"spearman_rho", int(metric.SpearmanRho)},
		{"spearman_footrule", int(metric.SpearmanFootrule)}, {"top_k_recall", int(metric.TopKRecall)},
		{"ndcg", int(metric.NDCG)}, {"rank_biased_overlap", int(metric.RankBiasedOverlap)},
	}
	VisitMetrics = Names{
		{"route_f1", int(metric.RouteF1)}, {"route_pairs_f1", int(metric.RoutePairsF1)},
		{"policy_cosine", int(metric.PolicyCosine)}, {"cycle_f1", int(metric.CycleF1)},
	}
	NodeMetrics = Names{
		{"path-length", int(metric.PathLength)}, {"path-distance", int(metric.PathDistance)}, {"h-loss", int(metric.HLoss)},
		{"set-h-loss", int(metric.SetHLoss)},
	}
	NodeCosts = Names{
		{"unit", int(metric.UnitCosts)}, {"sibling", int(metric.SiblingCosts)}, {"subtree", int(metric.SubtreeCosts)},
	}
	Updates = Names{
		{"additive", int(labelrank.Additive)}, {"multiplicative", int(labelrank.Multiplicative)},
		{"primal-dual", int(labelrank.PrimalDual)},
	}
)

// named returns the names that methods have themselves.
func named[M interface {
	~int
	fmt.Stringer
}](methods []M) Names {
	all := make(Names, len(methods))
	for i, m := range methods {
		all[i] = Name{m.String(), int(m)}
	}
	return all
}

// spellings returns names that are strings of a type of their own.
func spellings[S ~string](names []S) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}

// Lists returns all names but those of structures.
func Lists() []List {
	which := func(is func(chain.Method) bool) []string {
		return slices.DeleteFunc(slices.Clone(ChainMethods), func(n Name) bool { return !is(chain.Method(n.number)) }).spelt()
	}
	whichOf := func(is func(aggregate.Method) bool) []string {
		return slices.DeleteFunc(slices.Clone(Aggregations), func(n Name) bool { return !is(aggregate.Method(n.number)) }).spelt()
	}
	constrained := slices.DeleteFunc(slices.Clone(Decoders), func(n Name) bool { return !decode.Method(n.number).Constrained() })
	return []List{
		{"LIBRARY_DECODERS", "Decoders", Decoders.spelt()},
		{"RANDOM_DECODERS", "Decoders whose results depend on a seed", RandomDecoders().spelt()},
		{"PROPOSALS", "What those propose", Proposals.spelt()},
		{"CONSTRAINED_DECODERS", "Decoders that respect constraints", constrained.spelt()},
		{"KBEST_METHODS", "Ways to list the best outputs", KBestMethods.spelt()},
		{"SET_LOSSES", "Losses of label sets by which distributions decide", SetLosses.spelt()},
		{"CHAIN_METHODS", "Ways to sample by proposals, all of which depend on a seed", ChainMethods.spelt()},
		{"CHAINS", "Those that follow a Markov chain", which(chain.Method.Chained)},
		{"EXACT_METHODS", "Those that draw independent samples from exactly the distribution asked for", which(chain.Method.Exact)},
		{"UNIFORM_METHODS", "Those that propose uniform outputs", which(chain.Method.Uniform)},
		{"BOUNDED_METHODS", "Those that need bounds on the scores of all outputs", which(chain.Method.Bounded)},
		{"PARTITION_METHODS", "Ways to ln Z", PartitionMethods.spelt()},
		{"MEANS_METHODS", "Ways to estimate the mean of ψ", MarginalMethods.spelt()},
		{"SCHEDULES", "Schedules of annealing", Schedules.spelt()},
		{"EXTENSION_METHODS", "Ways to sample linear extensions, all of which depend on a seed", ExtensionMethods.spelt()},
		{"PARTITION_ENGINES", "Methods that compute partition functions", Engines.spelt()},
		{"MOMENTS_KINDS", "What the mean and the second moment of a structure are", Moments.spelt()},
		{"RIDGE_LOSSES", "Losses of ridge regression", spellings(fit.Losses)},
		{"RIDGE_SOLVERS", "Solvers of ridge regression", spellings(fit.Solvers)},
		{"RIDGE_PRECISIONS", "Precisions in which ridge regression factors", spellings(fit.Precisions)},
		{"RIDGE_DECISIONS", "Decisions of ridge regression", spellings(fit.Decisions)},
		{"CONSENSUSES", "What the consensus of rankings may be", Consensuses.spelt()},
		{"KEMENY_METHODS", "Ways to find the consensus of least Kendall distance", whichOf(aggregate.Method.Kendall)},
		{"RELATION_METHODS", "Those for consensuses with ties, and for partial orders", whichOf(aggregate.Method.Relational)},
		{"ACYCLIC_METHODS", "Those for acyclic parts of the majority's preferences", whichOf(aggregate.Method.Acyclic)},
		{"POSITIONAL_METHODS", "Ways to find a consensus by the positions of items",
			whichOf(func(m aggregate.Method) bool { return !m.Kendall() })},
		{"LOGLINEAR_SOLVERS", "Solvers of log-linear training", LoglinearSolvers.spelt()},
		{"DISTRIBUTIONS", "What log-linear training knows about distributions", Distributions.spelt()},
		{"NUMBER_TYPES", "Types of the numbers of dense input features", NumberTypes.spelt()},
		{"MARGIN_SOLVERS", "Solvers of support vector machines", MarginSolvers.spelt()},
		{"RESCALINGS", "What the loss rescales in a support vector machine", Rescalings.spelt()},
		{"ENTRY_KINDS", "Values that the entries of ψ take, where losses are affine", EntryKinds.spelt()},
		{"AFFINE_COSTS", "Losses that are affine in ψ", Costs.spelt()},
		{"INPUT_KERNELS", "Kernels of inputs", InputKernels.spelt()},
		{"ORDER_KERNELS", "Kernels of orders", OrderKernels.spelt()},
		{"SUBGRAPHS", "Divisions of preferences into subgraphs", Subgraphs.spelt()},
		{"POSITION_LOSSES", "Losses of rankings that add up over positions", PositionLosses.spelt()},
		{"OWN_RANKING_LOSSES", "Ways to give other losses of rankings", OwnRankingLosses.spelt()},
		{"UPDATES", "Updates of online label ranking", Updates.spelt()},
		{"RANKING_METRICS", "Metrics of rankings", RankingMetrics.spelt()},
		{"VISIT_METRICS", "Metrics of routes and cycles", VisitMetrics.spelt()},
		{"NODE_METRICS", "Metrics of nodes of a tree, and of sets of them", NodeMetrics.spelt()},
		{"NODE_COSTS", "Costs of wrong nodes", NodeCosts.spelt()},
	}
}

// RandomDecoders are those whose results depend on a seed.
func RandomDecoders() Names {
	return slices.DeleteFunc(slices.Clone(Decoders), func(n Name) bool { return !decode.Method(n.number).Random() })
}
