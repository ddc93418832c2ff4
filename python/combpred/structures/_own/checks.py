"""Whether the functions of a user's structure agree with each other: what `combpred.testing` offers.

Training and prediction take functions at their word: a few calls prove no agreement, and every call costs. Statistical
checks are the library's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._data.checks import is_number, seed_of, whole_number
from ..._lib.arrays import FloatArray
from ..._lib.structure import custom_agree, structure_second_moment
from .._base import Structure
from .._search.hereditary import SetProperty
from .computed import PythonSpace
from .functions import Functions

_FEW = 32  # outputs, or rows of scores, on which functions are tried that need no more
_ROUNDING = 1e-9  # relative


def check_structure(
    structure: Structure, *, n_draws: int = 4000, random_state: int | np.random.RandomState | None = 0
) -> None:
    r"""Raise AssertionError unless the functions of a structure agree with each other.

    Estimators check each value that your functions return, but not whether the functions fit together: whether `sample`
    is uniform, `decode` optimal, or `propose` reversible. Run this once, in the tests of your structure.

    Parameters
    ----------
    structure : Structure
        A `Custom` structure, or `Graphs` with a function as `hereditary`. Other structures need no check and pass.
    n_draws : int, default=4000
        Number of outputs drawn by `sample`; at least 100. More draws detect smaller errors.
    random_state : int, RandomState instance or None, default=0
        Source of randomness. With an integer the result is the same in every run.

    Raises
    ------
    AssertionError
        When a check fails. The message starts with its name; checks run in the order of the list below.
    TypeError, ValueError
        When the parameters of the structure are illegal.

    Notes
    -----
    Checks apply where the structure has what they need:

    - "embed": ψ of an output is the same in every call, and not the same for all draws;
    - "sample": equal generators give equal draws;
    - "contains": the answer about an output is the same in every call;
    - "decode": no known output scores more than the decoded one, for 32 rows of scores;
    - "moments": `mean` and `second_moment` are those of the draws;
    - "count": `log_count` fits the number of different draws, their largest frequency, and the rank of the moments;
    - "bounds": no known output scores more than `bound` says, and `radius` is not below the root mean square norm of ψ;
    - "sibling": :math:`\psi(y) + \psi(\mathrm{sibling}(y))` is the same for all draws y;
    - "propose": accepted moves keep the uniform distribution, and ``log_ratio(z, y)`` is ``-log_ratio(y, z)``;
    - "loss": the loss of an output against itself is 0;
    - "subsets": parts of a set with a hereditary property have it, too, as do those of an independent set.

    "moments", "count" and "propose" are statistical. Each fails for a correct structure with probability at most 1e-6,
    provided that no entry of ψ is larger than the largest one drawn, and, for "count", that ψ is injective. The others
    have no false alarms. No check proves that functions agree.

    Cost: a few calls of each function for every draw, and :math:`O(n\,d^2)` for n draws and d entries of ψ.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.structures import Custom
    >>> from combpred.testing import check_structure
    >>> rankings = Custom.from_sampler(
    ...     lambda rng: rng.permutation(3), lambda y: np.eye(3)[y].ravel(), sibling=lambda y: 2 - y
    ... )
    >>> check_structure(rankings)
    Traceback (most recent call last):
    ...
    AssertionError: sibling: entry 1 of ψ(y) + ψ(sibling(y)) is 2 for one output and 0 for another; it must be constant
    """
    for _, check in structure_checks(structure, n_draws=n_draws, random_state=random_state):
        check()


def structure_checks(
    structure: Structure, *, n_draws: int = 4000, random_state: int | np.random.RandomState | None = 0
) -> list[tuple[str, Callable[[], None]]]:
    """Return the checks of `check_structure` one by one, for parametrised tests.

    Parameters
    ----------
    structure, n_draws, random_state
        As for `check_structure`.

    Returns
    -------
    checks : list of (str, callable)
        Names, and functions without arguments that raise AssertionError. All of them share one set of draws.

    Raises
    ------
    TypeError, ValueError
        When an argument, or a parameter of the structure, is illegal.

    Notes
    -----
    The structure is read here; its functions are called when a check runs, apart from the draws that estimate moments.

    Examples
    --------
    In a test module for pytest::

        @pytest.mark.parametrize(("name", "check"), structure_checks(my_structure()))
        def test_my_structure(name, check):
            check()

    >>> from combpred.structures import Custom
    >>> from combpred.testing import structure_checks
    >>> bags = Custom.from_oracle(4, lambda held: held.sum() <= 2)
    >>> [name for name, _ in structure_checks(bags)]
    ['subsets']
    """
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    n, seed = whole_number(n_draws, "n_draws", 100, 2**31), seed_of(random_state)
    space: Any = structure.space
    space.description  # noqa: B018  # illegal parameters are refused here
    found: list[tuple[str, Callable[[], None]]] = []
    if isinstance(space, PythonSpace):
        evidence = _Evidence(space, n, seed)
        found += [(name, partial(test, evidence)) for name, (needs, test) in _CHECKS.items() if needs <= evidence.facts]
    of_sets = getattr(space, "set_property", None)
    if of_sets is not None:
        listed = getattr(space, "members", np.empty((0, of_sets.n_elements)))
        found.append(("subsets", partial(_check_subsets, of_sets, listed.astype(np.bool_), seed)))
    return [(name, partial(_named, name, check)) for name, check in found]


def _named(name: str, check: Callable[[], None]) -> None:
    """Run a check; whatever is wrong, the user's function is, and the error names the check."""
    try:
        check()
    except (AssertionError, ValueError, TypeError, RuntimeError) as error:
        raise AssertionError(f"{name}: {error}") from error


def _require(holds: Any, what: str) -> None:
    """Raise AssertionError that says what is wrong; unlike the statement, python -O does not leave it out."""
    if not holds:
        raise AssertionError(what)


def _require_within(excess: FloatArray, said: Callable[..., str]) -> None:
    """Raise AssertionError where an excess is positive, with what is said of the place of the largest."""
    at = np.unravel_index(int(np.argmax(excess)), excess.shape)
    _require(excess[at] <= 0, said(*map(int, at)))


class _Evidence:
    """What is known of a space before it is checked: some outputs, their ψ, and rows of scores.

    Parameters
    ----------
    space : PythonSpace
    n_draws, seed : int

    Attributes
    ----------
    facts : set of str
        The functions that there are, and "outputs", "moments", "log_count" and "bounds" where these are known.
    """

    def __init__(self, space: PythonSpace, n_draws: int, seed: int) -> None:
        self.seed, self._n, self.description = seed, n_draws, space.description
        self.functions: Functions = space.functions
        self.d, self.log_count = space.n_features, space.description.shape.log_count
        self.scores: FloatArray = self.rng(1).normal(size=(_FEW, self.d))
        self.facts = {name for name, function in vars(space.functions).items() if function is not None}
        for fact, is_known in (
            ("outputs", bool(self.facts & {"sample", "decode"})),
            ("moments", space.moments_info.kind == "exact"),
            ("log_count", not math.isnan(self.log_count)),
            ("bounds", space.functions.bounds_scores),
        ):
            self.facts |= {fact} if is_known else set()

    def rng(self, stream: int) -> np.random.Generator:
        """Return a new generator; each check has a stream of its own."""
        return np.random.default_rng([self.seed, stream])

    def draws(self, n: int) -> list[Any]:
        """Return the first n uniform draws, made anew."""
        rng = self.rng(0)
        return [self.functions.draw(rng) for _ in range(n)]

    def decoded(self) -> list[Any]:
        """Return what `decode` finds for the rows of scores."""
        assert self.functions.decode is not None
        return [self.functions.decode(s.copy()) for s in self.scores]

    @cached_property
    def outputs(self) -> list[Any]:
        """Uniform draws or, without a sampler, what `decode` finds."""
        return self.draws(self._n) if "sample" in self.facts else self.decoded()

    @cached_property
    def psi(self) -> FloatArray:
        return self.embed(self.outputs)

    def embed(self, outputs: list[Any]) -> FloatArray:
        return self.functions.embedded(outputs, self.d, "output")


def _check_embed(e: _Evidence) -> None:
    again = e.embed(e.outputs[:_FEW])
    _require(np.array_equal(again, e.psi[:_FEW]), "two calls give different ψ of the same output")
    if "sample" in e.facts and e.log_count != 0.0:
        _require((e.psi != e.psi[0]).any(), f"ψ is the same for all {len(e.psi)} draws: nothing tells outputs apart")


def _check_sample(e: _Evidence) -> None:
    same = np.allclose(e.embed(e.draws(_FEW)), e.psi[:_FEW], rtol=_ROUNDING, atol=_ROUNDING)
    _require(same, "equal generators give different draws; draw random numbers from rng only")


def _check_contains(e: _Evidence) -> None:
    for y in e.outputs[:_FEW]:
        same = e.functions.is_output(y) == e.functions.is_output(y)
        _require(same, f"two calls give different answers about {y!r:.80}")


def _check_decode(e: _Evidence) -> None:
    decoded = e.decoded()
    for y in decoded:
        _require(e.functions.is_output(y), f"contains is False for the decoded output {y!r:.80}")
    value = np.einsum("ij,ij->i", e.scores, e.embed(decoded))[:, np.newaxis]
    known = e.scores @ e.psi.T
    _require_within(
        known - value - _ROUNDING * (1.0 + np.abs(value)),
        lambda row, best: (
            f"the output decoded for scores {e.scores[row]} scores {value[row, 0]:.6g}, but {e.outputs[best]!r:.80} "
            f"scores {known[row, best]:.6g}; decode must return an output of largest score"
        ),
    )


def _check_moments(e: _Evidence) -> None:
    custom_agree(e.description, "moments", e.psi)


def _check_count(e: _Evidence) -> None:
    if "moments" in e.facts:
        custom_agree(e.description, "rank", np.empty((0, e.d)))
    if "sample" in e.facts:
        custom_agree(e.description, "count", e.psi)


def _check_bounds(e: _Evidence) -> None:
    radius = e.functions.radius
    if radius is not None and "moments" in e.facts:
        size = math.sqrt(float(np.trace(structure_second_moment(e.description))))
        _require(
            size <= radius * (1.0 + _ROUNDING),
            f"radius={radius:.6g} is below the root mean square of the norm of ψ, {size:.6g}, by the second moment",
        )
    if "outputs" in e.facts:
        known, bounds = np.abs(e.scores @ e.psi.T).max(axis=1), e.functions.bounds(e.scores)
        _require_within(
            known - bounds * (1.0 + _ROUNDING) - _ROUNDING,
            lambda row: (
                f"an output scores ±{known[row]:.6g} for scores {e.scores[row]}, beyond the bound {bounds[row]:.6g}"
            ),
        )


def _check_sibling(e: _Evidence) -> None:
    sums = e.psi + e.functions.siblings(e.outputs, e.d)[1]
    _require_within(
        np.abs(sums - sums[0]) - _ROUNDING * (1.0 + np.abs(sums[0]).max()),
        lambda row, entry: (
            f"entry {entry} of ψ(y) + ψ(sibling(y)) is {sums[0, entry]:.6g} for one output and {sums[row, entry]:.6g} "
            "for another; it must be constant"
        ),
    )


def _check_propose(e: _Evidence) -> None:
    change, rng = np.zeros_like(e.psi), e.rng(2)
    for i, y in enumerate(e.outputs):
        if (moved := e.functions.move(y, rng)) is None:
            continue
        z, ratio = moved
        if e.functions.log_ratio is not None and math.isfinite(ratio):
            back = e.functions.log_ratio(z, y)
            _require(
                is_number(back) and abs(ratio + back) <= _ROUNDING * (1.0 + abs(ratio)),
                f"log_ratio is {ratio:.6g} for a move and {back!r} for the move back; their sum must be 0",
            )
        change[i] = min(1.0, math.exp(min(ratio, 0.0))) * (e.embed([z])[0] - e.psi[i])
    if "sample" in e.facts:
        custom_agree(e.description, "moves", change)


def _check_loss(e: _Evidence) -> None:
    assert e.functions.loss is not None
    for y in e.outputs[:_FEW]:
        value = e.functions.loss(y, y)
        _require(is_number(value) and value == 0, f"it is {value!r} between {y!r:.80} and itself, must be 0")


def _check_subsets(of_sets: SetProperty, members: NDArray[np.bool_], seed: int) -> None:
    """Look for a set with the property that has a part without it, by taking elements away one by one."""
    known, rng = {held.tobytes() for held in members}, np.random.default_rng([seed, 3])
    single: list[tuple[Any, Any]] = [(held, [e]) for held in members for e in np.flatnonzero(held)]
    for held, order in chain(single, ((held, rng.permutation(np.flatnonzero(held))) for held in _sets(of_sets, rng))):
        smaller = held.copy()
        for e in order:
            larger = smaller.copy()
            smaller[e] = False
            if smaller.tobytes() not in known and not of_sets.holds(smaller):
                raise of_sets.contradiction(larger, smaller)
        _require(
            not known or held.tobytes() in known,
            f"adding elements one by one does not lead to the set of {of_sets.shown(held)}",
        )


def _sets(of_sets: SetProperty, rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Yield sets with the property: all elements and random halves that happen to have it, and sets grown at random."""
    n = of_sets.n_elements
    for held in (np.ones(n, np.bool_), *(rng.random((2 * _FEW, n)) < 0.5)):
        if of_sets.holds(held):
            yield held
    for _ in range(_FEW):
        held = np.zeros(n, np.bool_)
        for e in rng.permutation(n):
            held[e] = True
            held[e] = of_sets.holds(held)
        yield held


#: What each check needs, and the check, in their order.
_CHECKS: dict[str, tuple[set[str], Callable[[_Evidence], None]]] = {
    "embed": ({"outputs"}, _check_embed),
    "sample": ({"sample"}, _check_sample),
    "contains": ({"outputs", "contains"}, _check_contains),
    "decode": ({"decode"}, _check_decode),
    "moments": ({"sample", "moments"}, _check_moments),
    "count": ({"log_count"}, _check_count),
    "bounds": ({"bounds"}, _check_bounds),
    "sibling": ({"outputs", "sibling"}, _check_sibling),
    "propose": ({"outputs", "propose"}, _check_propose),
    "loss": ({"outputs", "loss"}, _check_loss),
}
