"""`Custom`, the user's own output spaces.

The class and its constructors are here. What they make is a `ListedSpace` (`_own.listed`) or a `PythonSpace`
(`_own.computed`), whose Markov chains are in `_own.chains`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import HasMethods, Interval, validate_parameter_constraints

from .._data.glossary import documented
from ._base import Structure
from ._own.basis import Basis
from ._own.computed import PythonSpace
from ._own.functions import Functions
from ._own.listed import ListedSpace, from_list
from ._own.oracle import Oracle, from_oracle


@documented
class Custom(Structure):
    r"""An output space of your own: given by formulas for its moments, a list, an output kernel or a uniform sampler.

    Training needs no more than the mean and the second moment of :math:`\psi` under the uniform distribution on the
    output space. There are six ways to give them:

    - ``Custom(log_count=, mean=, second_moment=, embed=, decode=)``: closed forms and functions;
    - `from_structures`: a list of all outputs with their ψ;
    - `from_kernel`: a list of all outputs with the values of a kernel between them;
    - `from_sampler`: a function that draws uniform outputs; the moments are averages over its draws, unless they are
      given, too;
    - `from_basis`: a kernel between outputs, which need not be listed, and few functions that span those of all;
    - `from_oracle`: a test of which sets of elements are outputs, with any set all its subsets.

    Parameters
    ----------
    log_count : float, default=None
        Natural logarithm of the number of outputs, at least 0.
    mean : array-like of shape (d,), default=None
        Mean :math:`\mu` of ψ over all outputs.
    second_moment : array-like of shape (d, d), default=None
        Mean of :math:`\psi\psi^\top` over all outputs. It must be symmetric, and ``second_moment - outer(mean, mean)``
        positive semi-definite.
    embed : callable, default=None
        ``embed(y)`` returns ψ of one output, of shape ``(d,)``. It must be injective for outputs to be told apart.
    decode : callable, default=None
        ``decode(scores)`` returns an output y of largest ``scores @ embed(y)``, for scores of shape ``(d,)``. Without
        it, predictions are found among the draws of `sample` and by the moves of `propose`; without these, everything
        works that needs no predictions.
    radius : float, default=None
        A number that no :math:`\|\psi(y)\|` exceeds: R of the thesis. It bounds all scores by :math:`R\|s\|`, which
        makes exact samplers, guaranteed estimates and every schedule of
        :func:`combpred.sampling.log_partition` available, and certificates say more.
    bound : callable, default=None
        ``bound(scores)`` returns a number that no ``abs(scores @ embed(y))`` exceeds, for the same purposes, where you
        know a tighter one.
    contains : callable, default=None
        ``contains(y)`` returns whether y is an output. Rows of y that it refuses are errors. `sample` and `propose` may
        then leave the space: their outputs are drawn again, or not moved to. So a uniform sampler of a larger set will
        do, of which the outputs are not too small a share.
    sibling : callable, default=None
        ``sibling(y)`` returns the output whose ψ is opposite: ``embed(y) + embed(sibling(y))`` must be the same for all
        y, as for a ranking and its reverse. The better of the two is a prediction with the guarantee ν = ½.
    propose : callable, default=None
        ``propose(y, rng)`` returns an output that y can move to in a small step, such as a ranking with two labels
        swapped. Predictions without `decode` follow a chain of such moves, and so does ``sampler="local"`` wherever
        outputs are drawn: samples, training, marginals and partition functions, which also need `sample`, for where
        chains begin. Moves must lead from every output to every other. One move in eight stays, so that they may be
        periodic.
    log_ratio : callable, default=None
        ``log_ratio(y, z)`` returns :math:`\ln q(y \mid z) - \ln q(z \mid y)` for a move from y to z, where q are the
        probabilities of `propose`. None: it moves from y to z as often as back.
    n_proposals : int, default=4096
        Proposals for each prediction without `decode`.
    loss : callable, or array-like of shape (k, k), default=None
        The loss Δ of predicting z where y was observed, for training by margins (``cost="own"`` of
        :class:`combpred.baselines.StructuredSVM`): ``loss(y, z)``, finite, at least 0, and 0 for equal outputs. With a
        list it may be a matrix, and the worst outputs are proven; otherwise they are searched among `n_proposals` draws
        of `sample` and what `decode` finds.
    n_moment_samples : int, default=10000
        Number of draws of `sample` for the moments, more than d, unless these are given. The standard error falls with
        its square root; `moments_info` reports it.
    random_state : int, default=0
        Seed of these draws, and of those that are searched for predictions. It is an integer, so that structures with
        equal parameters have equal moments.
    structures, psi, gram, sample, basis, kernel, project, n_elements, weights
        Parameters of `from_structures`, `from_kernel`, `from_sampler`, `from_basis` and `from_oracle`; pass them to
        these.

    Notes
    -----
    With a list, y has shape ``(n,)`` and holds indices 0..k−1 into the list: ``structures[y[i]]`` is the output.
    Predictions are int32. With functions, y is a sequence of n outputs in the form that `embed` takes, such as the rows
    of an array; predictions are stacked to one array if `decode` returns numbers or arrays of one shape, otherwise they
    are a 1-D array of objects.

    The default metric is `accuracy`. With functions, outputs of equal ψ count as equal.

    With a list everything is exact, decoding one row costs O(k d), and ``loss="squared"`` works for any ψ. With
    functions the package takes your word for what they return: ``decoder="exact"`` is refused, and `Certified`
    proves nothing beyond what follows from `radius`, `bound` and `sibling`. With `decode`, ``loss="squared"`` is
    refused too, as it has no term for :math:`\|\psi(y)\|^2`.

    Without `decode` a prediction is the best of `n_proposals` uniform draws, which all rows share: that is the best
    state of the Metropolis process of Vembu (2010, ch. 7) whatever its α, as it moves to every draw that is better than
    all before. With probability 1 − δ it is among the best share ln(1/δ) / `n_proposals` of all outputs: 0.07 % for
    4096 draws and δ = 0.05. Large spaces need `propose`: a chain of `n_proposals` moves then starts at the best of 256
    uniform draws. ``decoder="auto"`` and "anneal" cool it, "metropolis" keeps its temperature, "local-search" accepts
    what is no worse, and "approx" stays at the draw; "approx", "anneal" and "metropolis" do so in place of `decode`,
    too. ``loss="squared"`` works. Time: `n_proposals` calls of `sample` and `embed` in all, or of `propose` and `embed`
    for each row.

    Functions are called from Python, one output at a time and on one thread. Every value that they return is checked
    (its shape, type and range, and membership if `contains` is given), but not whether the functions agree with each
    other: :func:`combpred.testing.check_structure` tests that, once, in your test suite. To pickle a structure, or use
    it in other processes, its functions must be defined in a module.

    Parameters and methods share names here, so that ``structure.mean()`` is the method; read parameters by `get_params`
    and change them by `set_params` or assignment.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1: the counting assumption, and
    section 5.2: infinite-dimensional output embeddings.

    Examples
    --------
    Subsets of 3 labels by their formulas:

    >>> import numpy as np
    >>> from combpred.structures import Custom
    >>> sets = Custom(
    ...     log_count=3 * np.log(2), mean=[0.5] * 3, second_moment=np.full((3, 3), 0.25) + np.eye(3) / 4,
    ...     embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    ... )
    >>> sets.decode([[0.1, -2.0, 0.3]])
    array([[1, 0, 1]])

    Three colours, two of them similar:

    >>> colours = Custom.from_structures(["red", "orange", "blue"], [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> colours.count(), colours.decode([[-1.0, 2.0]])
    (3, array([2], dtype=int32))
    """

    name = "custom"
    default_metric = "accuracy"
    any_metric = True

    def __init__(
        self,
        *,
        log_count: float | None = None,
        mean: ArrayLike | None = None,
        second_moment: ArrayLike | None = None,
        embed: Callable[[Any], ArrayLike] | None = None,
        decode: Callable[[NDArray[np.float64]], Any] | None = None,
        radius: float | None = None,
        bound: Callable[[NDArray[np.float64]], float] | None = None,
        contains: Callable[[Any], bool] | None = None,
        sibling: Callable[[Any], Any] | None = None,
        propose: Callable[[Any, np.random.Generator], Any] | None = None,
        log_ratio: Callable[[Any, Any], float] | None = None,
        n_proposals: int = 4096,
        loss: Callable[[Any, Any], float] | ArrayLike | None = None,
        structures: Sequence[Any] | None = None,
        psi: ArrayLike | Callable[[Any], ArrayLike] | None = None,
        gram: ArrayLike | None = None,
        sample: Callable[[np.random.Generator], Any] | None = None,
        n_moment_samples: int = 10_000,
        random_state: int = 0,
        basis: Sequence[Any] | Callable[[Any], ArrayLike] | None = None,
        kernel: Callable[[Any, Any], float] | None = None,
        project: bool = False,
        n_elements: int | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        self._given: dict[str, Any] = {name: value for name, value in locals().items() if name != "self"}

    @classmethod
    def from_structures(
        cls,
        structures: Sequence[Any],
        psi: ArrayLike | Callable[[Any], ArrayLike],
        *,
        loss: Callable[[Any, Any], float] | ArrayLike | None = None,
    ) -> Custom:
        r"""Return a structure that is given by a list of all its outputs and their embeddings.

        Parameters
        ----------
        structures : sequence of length k
            All outputs, of any type. They are only counted, and passed to `psi` if that is a function.
        psi : array-like of shape (k, d) or callable
            The embeddings, or a function that returns the embedding of one output, of shape ``(d,)``.
        loss : array-like of shape (k, k) or callable, default=None
            As the parameter of the class: ``loss[i, j]`` of predicting j for i, or a function of two outputs.

        Returns
        -------
        Custom
            Its y holds indices 0..k−1 into the list. Illegal arguments raise TypeError or ValueError at the first use.

        Examples
        --------
        >>> from combpred.structures import Custom
        >>> words = ["ab", "ba", "aab"]
        >>> Custom.from_structures(words, lambda word: [word.count("a"), word.count("b")]).mean()
        array([1.33333333, 1.        ])
        """
        return cls(structures=structures, psi=psi, loss=loss)

    @classmethod
    def from_kernel(cls, structures: Sequence[Any], gram: ArrayLike) -> Custom:
        r"""Return a structure that is given by a list of all its outputs and a kernel between them.

        Parameters
        ----------
        structures : sequence of length k
            All outputs, of any type. They are only counted.
        gram : array-like of shape (k, k)
            Kernel values between all pairs of outputs; symmetric and positive semi-definite.

        Returns
        -------
        Custom
            Its y holds indices 0..k−1 into the list. ψ has one entry for each eigenvalue of `gram` above 1e-10 of the
            largest, in descending order, and :math:`\langle\psi(y), \psi(z)\rangle` is the kernel value up to the
            eigenvalues left out. Illegal arguments raise TypeError or ValueError at the first use.

        Notes
        -----
        The feature space of the kernel may have any dimension: only the span of the k outputs matters (Vembu, 2010,
        section 5.2). Cost: O(k³), at the first use.

        Examples
        --------
        >>> from combpred.structures import Custom
        >>> space = Custom.from_kernel(["x", "y", "z"], [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
        >>> space.n_features
        2
        """
        return cls(structures=structures, gram=gram)

    @classmethod
    def from_sampler(
        cls,
        sample: Callable[[np.random.Generator], Any],
        embed: Callable[[Any], ArrayLike],
        decode: Callable[[NDArray[np.float64]], Any] | None = None,
        **options: Any,
    ) -> Custom:
        """Return a structure that is given by a uniform sampler; unless they are given, its moments are averages.

        Parameters
        ----------
        sample : callable
            ``sample(rng)`` draws one output uniformly, with a :class:`numpy.random.Generator` as its only source of
            randomness.
        embed, decode : callable
            As the parameters of the class.
        **options
            Other parameters of the class: `log_count`; `mean` and `second_moment`, both or neither, which are not
            compared with draws; `n_moment_samples`, `random_state`, `radius`, `bound`, `contains`, `sibling`,
            `propose`, `log_ratio`, `n_proposals` and `loss`.

        Returns
        -------
        Custom
            Its `count` is not known, and its `log_count` is known only if given: estimates do not pass for it. Illegal
            arguments raise TypeError or ValueError at the first use.

        Notes
        -----
        Moments are sampled at the first use. Cost: O(n_moment_samples · d²), and `n_moment_samples` calls of each of
        the two functions. Estimators take over the moments of the structure that they are given; clones and pickles
        sample again.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred.structures import Custom
        >>> space = Custom.from_sampler(lambda rng: rng.permutation(3), lambda y: np.eye(3)[y].ravel())
        >>> space.moments_info.kind, space.moments_info.standard_error < 0.01
        ('sampled', True)
        """
        return cls(sample=sample, embed=embed, decode=decode, **options)

    @classmethod
    def from_basis(
        cls,
        basis: Sequence[Any] | Callable[[Any], ArrayLike],
        *,
        kernel: Callable[[Any, Any], float] | None = None,
        gram: ArrayLike | None = None,
        project: bool = False,
        **options: Any,
    ) -> Custom:
        r"""Return a structure that is given by a kernel between outputs and few functions that span those of all.

        The feature space of the kernel may have any dimension, and the outputs need not be listed: what matters is the
        span of the functions :math:`k(z, \cdot)` of all outputs z. Functions :math:`u_1, \ldots, u_k` are a basis if
        they span it.

        Parameters
        ----------
        basis : sequence of length k, or callable
            Outputs z, whose functions :math:`k(z, \cdot)` are the basis; or ``basis(y)`` returns the values
            :math:`u_1(y), \ldots, u_k(y)`. Functions may depend on each other linearly.
        kernel : callable, default=None
            ``kernel(y, z)`` returns the kernel value of two outputs. A basis of outputs needs it; with a function it is
            only a check that the basis spans.
        gram : array-like of shape (k, k), default=None
            Inner products of the functions in the feature space of the kernel. Only a basis that is a function needs
            it.
        project : bool, default=False
            Whether outputs outside of the span are projected onto it, where the kernel is only approximated. False:
            they are errors, as far as `kernel` tells.
        **options
            As for `from_sampler` or the class: `sample`, or `log_count`, `mean` and `second_moment`; `decode` and all
            others. Here `mean` and `second_moment` are averages of the values u, of shape ``(k,)`` and ``(k, k)``, and
            `decode` and `bound` take coefficients c of shape ``(k,)``, the score of y being
            :math:`\sum_l c_l u_l(y)`.

        Returns
        -------
        Custom
            ψ are coordinates in an orthonormal basis of the span, as for `from_kernel`:
            :math:`\langle\psi(y), \psi(z)\rangle` is the kernel value. Illegal arguments raise TypeError or
            ValueError at the first use.

        Notes
        -----
        Cost: O(k³) at the first use, and k values of the kernel for each output that is embedded.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, section 5.2: infinite-dimensional output
        embeddings.

        Examples
        --------
        Orders of six talks, of which only the first matters, by a kernel whose feature space is infinite:

        >>> import numpy as np
        >>> from combpred.structures import Custom
        >>> talks = [np.roll(np.arange(6), i) for i in range(6)]
        >>> space = Custom.from_basis(
        ...     talks, kernel=lambda y, z: np.exp(-abs(int(y[0]) - int(z[0]))), sample=lambda rng: rng.permutation(6)
        ... )
        >>> psi = space.embed([[3, 0, 1, 2, 4, 5], [4, 0, 1, 2, 3, 5]])
        >>> space.n_features, np.round(psi @ psi.T, 3).tolist()
        (6, [[1.0, 0.368], [0.368, 1.0]])
        """
        return cls(basis=basis, kernel=kernel, gram=gram, project=project, **options)

    @classmethod
    def from_oracle(
        cls,
        n_elements: int,
        contains: Callable[[NDArray[np.bool_]], bool],
        *,
        weights: ArrayLike | None = None,
        **options: Any,
    ) -> Custom:
        r"""Return the structure of an independence system: sets of elements that a function recognises.

        With each set, all its subsets are outputs: sets of items that fit into a bag, of tasks that do not clash, of
        independent columns of a matrix. `Graphs` has a parameter for such sets of edges.

        Parameters
        ----------
        n_elements : int
            Number of elements.
        contains : callable
            ``contains(held)`` returns whether a set is an output, for a read-only bool array of shape
            ``(n_elements,)``. It must be True for the empty set, and for every subset of a set for which it is True;
            :func:`combpred.testing.check_structure` looks for subsets that break this.
        weights : array-like of shape (n_elements,), default=None
            Positive measures of the elements: :math:`\psi_e(y)` is the root of that of e if y contains e, else 0.
            None: 1.
        **options
            `sample`, `log_count`, `mean`, `second_moment`, `n_moment_samples`, `n_proposals`, `loss` and
            `random_state`, as for `from_sampler`.

        Returns
        -------
        Custom
            Its y has shape ``(n, n_elements)`` and holds 0/1; predictions are int32. Illegal arguments raise TypeError
            or ValueError at the first use.

        Notes
        -----
        A system whose members 32 768 questions to `contains` find, such as all sets of 15 elements, is listed at the
        first use, by adding elements one by one, so that every set that is asked about is a member and one element
        more. Then everything is exact: moments, predictions, the outputs of largest scores in their order, partition
        functions, marginals and samples; what you give of moments, numbers and samplers is not needed, and not used.

        Larger systems have no number or order of outputs, and no exact partition functions. Their moments are those
        that you give, or those of the draws of `sample`, or else those of all sets of elements, and
        ``moments_info.kind`` is "relaxed". Predictions are then exact if at most 20 elements have a positive score.
        With more elements, ``decoder="auto"`` splits them into b blocks of 16, takes the best set within a block and
        improves it by local search; ν is at most 1 − 1/b. The result of Vembu (2010, section 5.4.1) for blocks of
        :math:`\log_2 n` elements is the special case. ``loss="squared"`` works.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.2: set systems; section 5.4.1: decoding
        independence systems.

        Examples
        --------
        What fits into a bag that holds 6 kg:

        >>> import numpy as np
        >>> from combpred.structures import Custom
        >>> kilos = np.array([1.0, 2.0, 3.0, 4.0])
        >>> bags = Custom.from_oracle(4, lambda held: kilos[held].sum() <= 6.0)
        >>> bags.count(), bags.decode([1.0, 1.0, 1.5, 2.2])
        (11, array([1, 1, 1, 0], dtype=int32))
        """
        return cls(n_elements=n_elements, contains=contains, weights=weights, **options)

    # Parameters.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor by name.

        Parameters
        ----------
        deep : bool, default=True
            Has no effect, as no parameter has parameters of its own.

        Returns
        -------
        params : dict of str to object
        """
        return dict(self._given)

    def __setattr__(self, key: str, value: Any) -> None:
        # Parameters are not attributes, which would hide the methods of the same names.
        if key in vars(self).get("_given", ()):
            key, value = "_given", {**self._given, key: value}
            self.__dict__.pop("_space", None)
        super().__setattr__(key, value)

    # All work is done by the space, which is of one of two kinds.

    def _make_space(self, *_: Any, **__: Any) -> ListedSpace | PythonSpace:
        return _build_space(self._given)

    def __copy__(self) -> Custom:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)  # with the space, if it is made: set_params makes another
        return other

    def _resolve(self, y: Any) -> Structure:
        _ = self.space  # which all copies share: moments are sampled once
        return super()._resolve(y)

    def encode(self, y: Any, argument: str = "y", *, partial: bool = False) -> NDArray[Any]:
        space: Any = self.space
        return space.encode(y, argument)

    def validate(self, y: Any) -> None:
        self.embed(y)  # by which the space looks

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        space: Any = self.space
        return space.compared(y_true, "y_true"), space.compared(y_pred, "y_pred")

    def enumerate(self) -> Iterator[Any]:
        """Return an iterator over all members, each once, in the order of the list.

        Yields
        ------
        y : one output

        Raises
        ------
        CapabilityError
            When functions or a sampler give the outputs, or there are more than 10 000 000; names what lists them.
        """
        self.count()  # says what lists them, even where log_count is not known, for which there are other remedies
        return super().enumerate()

    def feature_names(self) -> NDArray[np.object_]:
        what = "psi" if self._given["gram"] is None and self._given["basis"] is None else "basis"
        return np.array([f"{what}{i}" for i in range(self.n_features)], dtype=object)


_FUNCTIONS = [field.name for field in fields(Functions)]
#: What scikit-learn checks of the parameters.
_CONSTRAINTS: dict[str, list[Any]] = {
    **dict.fromkeys(("kernel", *_FUNCTIONS), [callable, None]),
    **dict.fromkeys(("mean", "second_moment", "gram", "weights"), ["array-like", None]),
    **dict.fromkeys(("psi", "loss"), ["array-like", callable, None]),
    **dict.fromkeys(("n_moment_samples", "n_proposals"), [Interval(Integral, 1, None, closed="left")]),
    "structures": [HasMethods("__len__"), None],
    "basis": [HasMethods("__len__"), callable, None],
    "log_count": [Interval(Real, 0, np.inf, closed="left"), None],
    "radius": [Interval(Real, 0, np.inf, closed="neither"), None],
    "n_elements": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": [Interval(Integral, 0, None, closed="left")],
    "project": ["boolean"],
}
_MOMENTS = {"log_count", "mean", "second_moment"}
_BESIDE_BASIS = {*_FUNCTIONS, *_MOMENTS} - {"embed"}
#: How spaces are described: the parameters that a description needs, and those that may be given with them.
_WAYS: list[tuple[set[str], set[str]]] = [
    ({"structures", "psi"}, {"loss"}),
    ({"structures", "gram"}, {"loss"}),
    ({"n_elements", "contains"}, {"weights", "sample", "loss", *_MOMENTS}),
    ({"basis (outputs)", "kernel"}, _BESIDE_BASIS),
    ({"basis (function)", "gram"}, {"kernel", *_BESIDE_BASIS}),
    ({"embed"}, {*_FUNCTIONS, *_MOMENTS}),
]
_ALWAYS = {"n_moment_samples", "n_proposals", "random_state", "project"}  # parameters that have a value without users


def _build_space(given: dict[str, Any]) -> ListedSpace | PythonSpace:
    """Return the space that the parameters describe; ValueError if they describe none, or more than one."""
    validate_parameter_constraints(_CONSTRAINTS, given, "Custom")
    named = {key for key, value in given.items() if value is not None} - _ALWAYS
    if "basis" in named:
        named = named - {"basis"} | {"basis (function)" if callable(given["basis"]) else "basis (outputs)"}
    useless = set() if "propose" in named else {"log_ratio"}  # which weighs moves
    if not any(needs <= named <= (needs | others) - useless for needs, others in _WAYS):
        ways = "; ".join(f"{_listed(needs)} (and {_listed(others)})" for needs, others in _WAYS)
        raise ValueError(f"Custom: {_listed(named) or 'nothing'} given; a space is described by one of: {ways}")
    if "structures" in named:
        return from_list(given["structures"], given["psi"], given["gram"], given["loss"])
    if "n_elements" in named:
        return from_oracle(Oracle(given["n_elements"], given["contains"], given["weights"]), given)
    if "embed" not in named:
        given = Basis(given["basis"], given["kernel"], given["gram"], given["project"]).described(given)
    return PythonSpace(Functions(**{name: given[name] for name in _FUNCTIONS}), given)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
