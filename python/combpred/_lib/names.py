"""Names that the core knows.

Written by ``go generate ./capi``: do not edit.
"""

from __future__ import annotations

#: Decoders.
LIBRARY_DECODERS: tuple[str, ...] = ("auto", "exact", "approx", "local-search", "anneal", "metropolis")

#: Decoders whose results depend on a seed.
RANDOM_DECODERS: tuple[str, ...] = ("anneal", "metropolis")

#: What those propose.
PROPOSALS: tuple[str, ...] = ("auto", "local", "uniform")

#: Decoders that respect constraints.
CONSTRAINED_DECODERS: tuple[str, ...] = ("auto", "exact", "local-search")

#: Ways to list the best outputs.
KBEST_METHODS: tuple[str, ...] = ("auto", "unordered", "combinations", "sort", "partition", "siblings")

#: Losses of label sets by which distributions decide.
SET_LOSSES: tuple[str, ...] = ("f1", "ranking")

#: Ways to sample by proposals, all of which depend on a seed.
CHAIN_METHODS: tuple[str, ...] = ("meta", "local", "cube", "cftp", "rejection", "monotone")

#: Those that follow a Markov chain.
CHAINS: tuple[str, ...] = ("meta", "local", "cube")

#: Those that draw independent samples from exactly the distribution asked for.
EXACT_METHODS: tuple[str, ...] = ("cftp", "rejection", "monotone")

#: Those that propose uniform outputs.
UNIFORM_METHODS: tuple[str, ...] = ("meta", "cftp", "rejection")

#: Those that need bounds on the scores of all outputs.
BOUNDED_METHODS: tuple[str, ...] = ("cftp", "rejection")

#: Ways to ln Z.
PARTITION_METHODS: tuple[str, ...] = ("auto", "exact", "annealed", "taylor")

#: Ways to estimate the mean of ψ.
MEANS_METHODS: tuple[str, ...] = ("samples", "counting", "chains")

#: Schedules of annealing.
SCHEDULES: tuple[str, ...] = ("adaptive", "uniform", "thesis")

#: Ways to sample linear extensions, all of which depend on a seed.
EXTENSION_METHODS: tuple[str, ...] = ("auto", "counting", "coupling")

#: Methods that compute partition functions.
PARTITION_ENGINES: tuple[str, ...] = ("recursion", "enumeration")

#: What the mean and the second moment of a structure are.
MOMENTS_KINDS: tuple[str, ...] = ("exact", "relaxed", "sampled")

#: Losses of ridge regression.
RIDGE_LOSSES: tuple[str, ...] = ("auc", "squared")

#: Solvers of ridge regression.
RIDGE_SOLVERS: tuple[str, ...] = ("auto", "closed-form", "cg", "newton-cg", "primal")

#: Precisions in which ridge regression factors.
RIDGE_PRECISIONS: tuple[str, ...] = ("single", "double")

#: Decisions of ridge regression.
RIDGE_DECISIONS: tuple[str, ...] = ("score", "mbr")

#: What the consensus of rankings may be.
CONSENSUSES: tuple[str, ...] = ("order", "weak", "partial")

#: Ways to find the consensus of least Kendall distance.
KEMENY_METHODS: tuple[str, ...] = ("auto", "exact", "milp", "lp", "pivot", "random-pivot", "local-search", "best-input")

#: Those for consensuses with ties, and for partial orders.
RELATION_METHODS: tuple[str, ...] = ("auto", "exact", "milp", "local-search", "best-input")

#: Those for acyclic parts of the majority's preferences.
ACYCLIC_METHODS: tuple[str, ...] = ("auto", "exact", "milp", "local-search")

#: Ways to find a consensus by the positions of items.
POSITIONAL_METHODS: tuple[str, ...] = ("borda", "footrule", "median-rank")

#: Solvers of log-linear training.
LOGLINEAR_SOLVERS: tuple[str, ...] = ("lbfgs", "sgd", "online", "newton")

#: What log-linear training knows about distributions.
DISTRIBUTIONS: tuple[str, ...] = ("exact", "draws", "meta", "local", "cube", "cftp", "rejection", "monotone")

#: Types of the numbers of dense input features.
NUMBER_TYPES: tuple[str, ...] = (
    "float64",
    "float32",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
)

#: Solvers of support vector machines.
MARGIN_SOLVERS: tuple[str, ...] = ("cutting-plane", "frank-wolfe")

#: What the loss rescales in a support vector machine.
RESCALINGS: tuple[str, ...] = ("margin", "slack")

#: Values that the entries of ψ take, where losses are affine.
ENTRY_KINDS: tuple[str, ...] = ("bits", "signs", "signs and zeros", "signs and ties")

#: Losses that are affine in ψ.
AFFINE_COSTS: tuple[str, ...] = ("hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling")

#: Kernels of inputs.
INPUT_KERNELS: tuple[str, ...] = ("linear", "poly", "rbf", "laplacian", "cosine")

#: Kernels of orders.
ORDER_KERNELS: tuple[str, ...] = ("edges", "signed-edges", "positions", "positions-rbf", "same-positions", "extensions")

#: Divisions of preferences into subgraphs.
SUBGRAPHS: tuple[str, ...] = ("edges", "stars", "graph", "sinks")

#: Losses of rankings that add up over positions.
POSITION_LOSSES: tuple[str, ...] = ("spearman", "footrule", "ndcg", "precision")

#: Ways to give other losses of rankings.
OWN_RANKING_LOSSES: tuple[str, ...] = ("by-position", "by-hits", "listed")

#: Updates of online label ranking.
UPDATES: tuple[str, ...] = ("additive", "multiplicative", "primal-dual")
