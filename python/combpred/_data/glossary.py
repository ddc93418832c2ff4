r"""Descriptions of the parameters and attributes that several classes or functions share, each written once.

A docstring marks the places of entries by lines ``%(name)s``, and its class or function is decorated with `documented`.
The entries follow, as docstrings have them, each below its name; those without a name and a type of their own are
sentences to begin a text with. They may hold places of entries above them.

[structure]
structure : Structure, str or None, default=None
    The output space: an instance of a class of :mod:`combpred.structures`, the catalogue name of one (such as
    ``"permutations"``), or None to infer it from y: labels (1-D) make a ``MultiClass``, a 0/1 matrix ``LabelSets``.
    Sizes left out are inferred from y.

[alpha]
alpha : float, default=1.0
    Weight of the squared norm of the scorer against the sum of the losses of the rows; positive.

[loss]
loss : {"auto", "auc", "squared"}, default="auto"
    ``"auc"``: the thesis's quadratic bound of the AUC loss, which ranks the observed structure above the others.
    ``"squared"``: regression of ψ(y) (kernel dependency estimation; Weston et al., 2002), so that f(x) + μ estimates
    the expectation of ψ. ``"auto"``: what predicted best on held-out rows of that structure: ``"auc"`` for
    ``Cliques``, ``PosetElements`` and ``Routes``, and where decoders do not find pre-images; ``"squared"`` for all
    others, but with ``decision="score"`` for those only that it suits.

[decision_rules]
How scores decide.
``"score"``: by the largest inner product of ψ(y) with f(x) for ``loss="auc"``, with the expected
ψ for ``loss="squared"``. ``"mbr"``: by the least expected squared distance between embeddings (minimum Bayes risk),
Hamming distance or Kendall's where entries are bits or signs: the pre-image of the expected ψ, which to first order
is μ + Σf(x) for ``loss="auc"``. ``"auto"``: ``"mbr"`` for ``loss="squared"`` and ``"score"`` for ``loss="auc"``,
but ``"score"`` for cycles, routes, tournaments and partial orders, whose pre-images are small where the data tell
little, and ``"mode"`` for hierarchies, which are judged by accuracy. ``"mode"``, of nodes and grades: the most probable
one by the expected ψ. ``"median"``, of grades: another name of ``"mbr"``, which is their absolute error.

[ridge_decision]
decision : {"auto", "score", "mbr", "mode", "median"}, default="auto"
    %(decision_rules)s

[f1_decision]
``"f1"``, for ``LabelSets()`` in memory: the labels above a threshold.
It is that of the largest mean F1 of the training rows, each left out in training. If none of these has an empty set,
none is predicted: where no label is above the threshold, the largest one is predicted.

[threshold_decision]
decision : {"auto", "score", "mbr", "mode", "median", "f1"}, default="auto"
    %(decision_rules)s
    %(f1_decision)s

[expected_rules]
How the expected ψ decides.
``"mbr"``: by the least expected squared distance between embeddings (minimum Bayes risk), Hamming distance or
Kendall's where entries are bits or signs. ``"score"``: by the largest inner product with ψ(y). ``"auto"``: as
:class:`StructuredRidge` with ``loss="squared"``, and ``"score"`` where decoders do not find pre-images. ``"mode"``, of
nodes and grades: the most probable one. ``"median"``, of grades: another name of ``"mbr"``, which is their absolute
error.

[expected_decision]
decision : {"auto", "score", "mbr", "mode", "median"}, default="auto"
    %(expected_rules)s

[expected_threshold_decision]
decision : {"auto", "score", "mbr", "mode", "median", "f1"}, default="auto"
    %(expected_rules)s
    %(f1_decision)s

[loss_]
loss_, decision_ : str
    What ``"auto"`` stood for.

[kernel]
kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="linear"
    Input kernel, as in :class:`sklearn.kernel_ridge.KernelRidge`. With ``"precomputed"``, X is the square matrix of
    kernel values in ``fit``, and the values between new rows and training rows afterwards.

[gamma]
gamma : float, "scale" or None, default=None
    Scale of poly, rbf and laplacian; other kernels ignore it. None is one over the number of features; ``"scale"``
    divides that by the variance of the training inputs, weighted by `sample_weight` where ``fit`` takes it.

[gammas]
gammas : list of float, "scale" or None, or None, default=None
    Values of `gamma` to try with the kernels that have it. None: 0.03, 0.1, 0.3, 1, 3 and 10 times
    ``gamma="scale"``.

[degree]
degree : float, default=3
    Degree of the polynomial kernel; others ignore it.

[coef0]
coef0 : float, default=1.0
    Constant of the polynomial kernel; others ignore it.

[kernel_params]
kernel_params : dict, default=None
    Keyword arguments of a callable kernel; ``fit`` refuses them for kernels given by name.

[fit_intercept]
fit_intercept : bool, default=True
    Add a constant feature to the inputs, hence 1 to every kernel value. Its weights are penalised like the others.

[constant_feature]
fit_intercept : bool, default=True
    Add a constant feature to the inputs.

[decoder]
decoder : {"auto", "exact", "approx", "local-search", "anneal", "metropolis", "milp"}, default="auto"
    How `predict` maximises the score; its certificate says how good the result is. ``"auto"`` is
    exact where the structure can be decoded exactly at its size, and searches otherwise. ``"exact"`` raises
    CapabilityError beyond that size. ``"approx"`` returns the solution of a polynomial-time algorithm with a
    guarantee; ``"local-search"`` improves it by local moves, ``"anneal"`` by simulated annealing and
    ``"metropolis"`` by a Metropolis chain at one temperature (Vembu, 2010, ch. 7), with some :math:`10^5` random
    moves for each row of up to 20 items; none of them scores below it. Structures that can be decoded exactly in
    polynomial time at every size are decoded exactly by all of these. ``"milp"`` solves an integer program for each
    row (HiGHS, through SciPy), exactly at any size that its time limit allows: for rankings, cycles and routes.

[shuffle]
shuffle : bool, default=True
    Whether each pass visits the rows in a new random order, rather than in the order given.

[tol]
Training ends when the solver's relative measure of the distance from the minimum is at most `tol`.

[residual_tol]
tol : float, default=1e-8
    %(tol)s
    The measure is the norm of the residual of the stationarity equation, relative to that with all weights zero.

[gap_tol]
%(tol)s
The measure is the duality gap, relative to the objective.

[class_weight]
class_weight : dict, "balanced" or None, default=None
    Weights of the classes, which multiply those of rows, where outputs are classes: of ``MultiClass``, ``Ordinal``,
    ``Hierarchy`` and ``PosetElements``. A dict: by class, 1 for those that it leaves out. ``"balanced"``: n / (k nᵤ)
    for class u of the k that occur, on nᵤ of n rows (sums of `sample_weight`). For ``fit``; ``partial_fit`` takes a
    dict. None: 1.

[partial]
partial : {"likelihood", "mean"}, default="likelihood"
    How rows count of which not one whole output is known: rankings with unknown positions, or with a shared last one
    behind a list of the best; label sets with unknown labels; :class:`Admissible` sets. ``"likelihood"``: by the
    probability of what is known, a sum over all outputs that agree with it. ``"mean"``: by the mean of the
    log-probabilities of these outputs, a bound from below that keeps the objective convex but makes probabilities
    timid, the more is unknown. Where all rows are whole, both are the same.

[n_jobs]
n_jobs : int or None, default=None
    Number of threads of the library's own loops. None takes the setting of :func:`combpred.config_context`, or else
    all processors; results do not depend on it. Threads of BLAS are set as for NumPy.

[random_state]
random_state : int, RandomState instance or None, default=None
    Seed of the decoders ``"anneal"`` and ``"metropolis"``, re-read on every predict call. Each row of X has its own
    random stream, which follows from its entries: an integer gives a row the same prediction whatever the number of
    threads or the other rows, and equal rows equal predictions.

[verbose_bar]
verbose : int, default=0
    Print progress when positive, with a bar of tqdm where that is installed.

[verbose]
%(verbose_bar)s
    Also of predictions by the proposals of a :class:`~combpred.structures.Custom` structure.

[landmarks]
landmarks : {"random", "k-means++"}, default="random"
    How landmarks are chosen among the rows: drawn uniformly without replacement, or spread out as k-means++ seeds
    its centres (Arthur and Vassilvitskii, 2007), which takes :math:`O(n k p \log k)` time for p features.

[structure_]
structure_ : Structure
    The output space with all sizes resolved.

[coef_]
coef_ : ndarray of shape (d, n_features)
    Weights of the linear kernel, one row for each entry of ψ. Only with ``kernel="linear"``.

[label_coef_]
coef_ : ndarray of shape (k, n_features_in_)
    Weights of the linear kernel, one row for each label. Only with ``kernel="linear"``.
intercept_ : ndarray of shape (k,)
    Weights of the constant feature.
dual_coef_ : ndarray of shape (n, k)
    Coefficients of the training rows. Only with other kernels.

[dual_coef_]
dual_coef_ : ndarray of shape (n, d)
    Coefficients of the training rows, or of the rows of `X_fit_`. Only with other kernels.

[intercept_]
intercept_ : ndarray of shape (d,)
    Constant part of the scores; zero without `fit_intercept`.

[X_fit_]
X_fit_ : array or CSR of shape (n, n_features)
    Training inputs, which prediction needs. Only with kernels that are neither linear nor precomputed.

[kernel_]
kernel_ : InputKernel
    The kernel with `gamma` resolved.

[components_]
components_ : array or CSR of shape (k, n_features)
    The landmarks. Not with ``kernel="precomputed"``.

[component_indices_]
component_indices_ : ndarray of shape (k,)
    Rows of the training data that are landmarks, ascending.

[groups]
groups : array-like of shape (n,), default=None
    The group of each row, in place of what the parameter `groups` tells.

[classes_]
classes_ : ndarray
    Class labels (``MultiClass``), grades (``Ordinal``), allowed nodes (``Hierarchy``) or elements (``PosetElements``),
    sorted, as scikit-learn's metrics expect: names in the order of the alphabet. For ``LabelSets`` the labels, as the
    columns of y stand. Other structures have none.

[n_features_in_]
n_features_in_ : int
    Number of columns of X in training.

[feature_names_in_]
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of features, where X has names that are all strings.

[labels_listed]
labels : sequence of str or of int, default=None
    Names of the labels, in the order of the columns of the result. None: names that occur, sorted; of numbers those
    from 0 to the largest.

[labels_shown]
labels : sequence of str or of int, default=None
    Names of the labels, by which the columns of a data frame are matched. None: those of the columns of a data frame,
    otherwise numbers.

[n_labels_]
n_labels_ : int
    Number k of labels.
labels_ : list of str or None
    Names of the labels, from the columns of a data frame y; None where it has none.

[X_rows]
X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
    Inputs, converted to float64.

[sample_weight]
sample_weight : array of shape (n,) or float, default=None
    Weight of each row, at least 0; None for 1.

[constraints_of_training]
constraints : dict, or list of n dicts (or None), default=None
    What is known of the outputs of rows beforehand, such as the start and the end of routes: one dict for all rows,
    or one for each, as `predict` takes them. Z(x) sums over the outputs that satisfy those of the row, also in rows of
    weight 0. With exact inference, and draws by recursions; not with ``solver="newton"`` nor ``partial="mean"``.

[constraints_of_rows]
constraints : dict, or list of n dicts (or None), default=None
    What is known of the outputs of rows, as `predict` takes it: the distribution of a row is that of the outputs
    which satisfy it. With exact inference.

[known_sets]
y_true, y_pred : array-like of shape (n, d), or sparse matrix
    0/1 or booleans. Labels of y_true that are −1, NaN or None are unknown: the share is that of the others, and rows
    without any do not count.

[classes]
classes : array of labels, default=None
    All classes that will ever occur; the first call needs it where the structure has to learn the classes from y.

[blocks]
blocks : iterable of (X, y) or (X, y, sample_weight), or callable
    X is an array or CSR of shape (n_block, n_features), y the structures of its rows; blocks may be of different
    sizes, and empty. It is gone through several times, and must give the same rows each time: a list, an object
    whose ``__iter__`` starts anew, or a function without arguments that returns a new iterator (a generator
    function). Iterators are refused.

[classes_of_blocks]
classes : array-like, default=None
    All labels, for ``MultiClass``; None: those of the first block. Sizes of other structures that are left out are
    inferred from the first block.

[decomposition]
decomposition : {"edges", "stars", "sinks", "graph"} or callable, default="edges"
    The subgraphs of a row's preferences: "edges", each preference on its own; "stars", the preferences for each label
    over others; "sinks", those for others over each label; "graph", all of the row. Or a function of the list of the
    row's preferences, pairs (u, v) where u is preferred to v, that returns a list of subgraphs, each a list of such
    pairs; it must be picklable for the estimator to be.

[y_or_sets]
y : array-like of n outputs, or of n Admissible
    In the structure's format; or the set of outputs that are right for each row.

[n_labels]
n_labels : int, default=None
    Number of labels k, at least 2. None: the number of names, or of columns of y when an estimator is fitted.

[labels]
labels : sequence of str or of int, default=None
    Names of the labels, one for each column of y. Entries of ψ, conditions and messages call labels by them, and a data
    frame y must have them as its columns, in whichever order. None: the columns of y, if it is a data frame when an
    estimator is fitted; otherwise the numbers 0, 1, ….

[items]
items : sequence of str or of int, default=None
    Names of the items, by which entries of ψ, conditions and messages call them; None: the numbers 0, 1, ….

[vertices]
vertices : sequence of str or of int, default=None
    Names of the vertices, by which entries of ψ, edges, conditions and messages call them; None: the numbers 0, 1, ….

[places]
places : sequence of str or of int, default=None
    Names of the places, by which entries of ψ, conditions and messages call them; None: the numbers 0, 1, ….

[nodes]
nodes : sequence of str or of int, default=None
    Names of the nodes where `parent` is an array; None: the numbers 0, 1, …. The names of a mapping are its keys.

[n_items]
n_items : int, default=None
    Number of items N, at least 2. None: the number of items in y when an estimator is fitted.

[n_vertices]
n_vertices : int, default=None
    Number of vertices N, at least 3. None: the number of columns of y when an estimator is fitted, or one more than
    the largest vertex in y if that is larger.

[parent]
parent : array-like of shape (n_nodes,) or mapping
    ``parent[i]`` is the parent of node i, −1 for the root. Or a mapping from the name of each node to the name of
    its parent; the root maps to None or is missing. The nodes of a mapping are numbered in the order of its keys; a
    root that is not a key comes first.

[orders]
X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
    Orders in the given format, as for `position_kernel`. Two single rows give a single number.

[pairs]
pairs : array-like of shape (n_pairs, 2)
    Pairs (u, v) of elements, u before v. Relations that follow by transitivity need not be given.

[scores]
scores : array-like of shape (n, d) or (d,)
    Finite; one row for shape (d,). Columns of data frames are matched with `feature_names`.

[n_elements]
n_elements : int or list of str
    Elements are 0 to n_elements − 1, or have these names, by which `pairs` call them; at most 2048.

[counted_per_row]
per_row : bool, default=False
    Whether to return one value per row, NaN for rows that do not count, in place of their mean.

[rankings]
y_true, y_pred : array-like of shape (n, k), k >= 2
    Positions of the labels, 1 for the first; equal ones are ties. Only their order counts.

[return_X_y]
return_X_y : bool, default=False
    Return ``(data, target)`` instead of a Bunch.

[as_frame_of_data]
as_frame : bool, default=False
    Whether `data` is a pandas data frame, `target` one whose columns are `target_names` (a series where it holds single
    values), `structure` has these names, and `frame` is both together; else `frame` is None.

[parent_of_metrics]
parent : array-like of shape (n_nodes,), mapping, Hierarchy or Subtrees
    The tree, as in `combpred.structures.Hierarchy`, or that structure itself.

[positions_known]
y_true, y_pred : array-like of shape (n, k), k >= 2
    Positions of the labels, 1 for the first; equal ones are ties. Only their order counts. In `y_true` the position of
    a label may be unknown (−1 or NaN): the label is left out of both, and rows with fewer than two known labels do not
    count.

[cycles]
y_true, y_pred : array-like of shape (n, k), or lists of different lengths
    Vertices of each cycle in their order, padded with −1 at the right; the two may differ in width.

[seed_of_data]
random_state : int, RandomState instance or None, default=None
    The only source of randomness: the same integer gives the same data.

[verbose_programs]
verbose : int, default=0
    When positive, programs that take more than a second report how many were solved, and their constraints.
"""

from __future__ import annotations

import re
from typing import TypeVar

Documented = TypeVar("Documented")

_PLACEHOLDER = re.compile(r"^( *)%\((\w+)\)s$", re.MULTILINE)
_NAME = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)

#: Entries by name; none where Python was told to leave docstrings out.
GLOSSARY: dict[str, str] = {}


def documented(described: Documented) -> Documented:
    """Put the entries of the glossary in place of lines ``%(name)s`` in the docstring of a class or function.

    An entry is indented as its line is, and lines that are indented further may add to it. Decorates; docstrings that
    Python was told to leave out stay so. scikit-learn's pictures of estimators show the help of parameters beside links
    to documentation, and only there; as there is no site to lead to, links of classes stay on the page.
    """
    if isinstance(described, type):
        for name, value in {"module": "combpred", "template": "#{estimator_module}.{estimator_name}"}.items():
            setattr(described, f"_doc_link_{name}", value)
    if described.__doc__ is not None:
        described.__doc__ = _filled(described.__doc__)
    return described


def _filled(text: str) -> str:
    return _PLACEHOLDER.sub(_entry, text)


def _entry(line: re.Match[str]) -> str:
    indent, name = line.groups()
    return "\n".join(indent + text if text else text for text in GLOSSARY[name].split("\n"))


_parts = _NAME.split(__doc__ or "")
for _name, _text in zip(_parts[1::2], _parts[2::2], strict=True):
    GLOSSARY[_name] = _filled(_text.strip("\n"))
