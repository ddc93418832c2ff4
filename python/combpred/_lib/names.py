"""Names that the core knows, with their numbers where the C interface goes by numbers.

Written by ``go generate ./capi``: do not edit.
"""

from __future__ import annotations

#: Decoders.
LIBRARY_DECODERS: dict[str, int] = {"auto": 0, "exact": 1, "approx": 3, "local-search": 2, "anneal": 4, "metropolis": 5}

#: Decoders whose results depend on a seed.
RANDOM_DECODERS: tuple[str, ...] = ("anneal", "metropolis")

#: Ways to sample by proposals, all of which depend on a seed.
CHAIN_METHODS: dict[str, int] = {"meta": 0, "local": 1, "cube": 2, "cftp": 3, "rejection": 4, "monotone": 5}

#: Those that follow a Markov chain.
CHAINS: tuple[str, ...] = ("meta", "local", "cube")

#: Those that draw independent samples from exactly the distribution asked for.
EXACT_METHODS: tuple[str, ...] = ("cftp", "rejection", "monotone")

#: Those that propose uniform outputs.
UNIFORM_METHODS: tuple[str, ...] = ("meta", "cftp", "rejection")

#: Those that need bounds on the scores of all outputs.
BOUNDED_METHODS: tuple[str, ...] = ("cftp", "rejection")

#: Ways to sample linear extensions, all of which depend on a seed.
EXTENSION_METHODS: dict[str, int] = {"auto": 0, "counting": 1, "coupling": 2}

#: Methods that compute partition functions.
PARTITION_ENGINES: dict[str, int] = {"recursion": 0, "enumeration": 1}

#: What the mean and the second moment of a structure are.
MOMENTS_KINDS: dict[str, int] = {"exact": 0, "relaxed": 1, "sampled": 2}

#: Losses of ridge regression.
RIDGE_LOSSES: tuple[str, ...] = ("auc", "squared")

#: Solvers of ridge regression.
RIDGE_SOLVERS: tuple[str, ...] = ("auto", "closed-form", "cg", "newton-cg", "primal")

#: Rules by which max-margin training takes a step.
RULES: dict[str, int] = {"frank-wolfe": 0, "perceptron": 1}

#: Divisions of preferences into subgraphs.
SUBGRAPHS: dict[str, int] = {"edges": 0, "stars": 1, "graph": 2}

#: Updates of online label ranking.
UPDATES: dict[str, int] = {"additive": 0, "multiplicative": 1, "primal-dual": 2}
