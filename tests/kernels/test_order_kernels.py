"""Kernels on orders: against enumeration, definite, injective where they are said to be; refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from combpred import ApproximationWarning, CapabilityError, NumericalError, StructuredRidge, kernels, metrics
from combpred.kernels import _orders, edge_kernel, extension_kernel, position_kernel, signed_edge_kernel
from combpred.structures import PartialOrders, Permutations, WeakOrders

KERNELS = {
    "position": position_kernel,
    "position rbf": lambda *a, **k: position_kernel(*a, base="rbf", gamma=0.3, **k),
    "position delta": lambda *a, **k: position_kernel(*a, base="delta", **k),
    "edge": edge_kernel,
    "signed edge": signed_edge_kernel,
    "extension": extension_kernel,
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def posets(n: int) -> np.ndarray:
    """Return all partial orders of n items, in pairs."""
    return np.array(list(PartialOrders(n).enumerate()))


def matrices(signs: np.ndarray, n: int) -> np.ndarray:
    u, v = np.triu_indices(n, 1)
    before = np.zeros((len(signs), n, n), dtype=bool)
    before[:, u, v], before[:, v, u] = signs > 0, signs < 0
    return before


def agreeing(before: np.ndarray) -> np.ndarray:
    """Return which orders of all items agree with each relation, by trying all of them."""
    places = np.array(list(itertools.permutations(range(before.shape[1]))))
    wrong = places[:, :, None] > places[:, None, :]
    return ~(before[:, None] & wrong).any(axis=(2, 3))


def different(kernel: np.ndarray) -> np.ndarray:
    """Return for each pair of rows whether their features differ."""
    own = np.diag(kernel)
    return own[:, None] + own - 2 * kernel > 1e-9


def test_kernels_are_their_definitions():
    signs = posets(4)
    before = matrices(signs, 4)
    counts = before.sum(axis=1).astype(float)
    flat = before.reshape(len(before), -1).astype(float)
    orders = agreeing(before).astype(float)
    gap = counts[:, None] - counts
    for found, want in (
        (position_kernel(signs, format="pairs"), counts @ counts.T),
        (position_kernel(signs, format="pairs", base="rbf"), np.exp(-(gap**2) / 16).sum(axis=2)),
        (position_kernel(signs, format="pairs", base="rbf", gamma=np.int64(2)), np.exp(-2 * gap**2).sum(axis=2)),
        (position_kernel(signs, format="pairs", base="delta"), (gap == 0).sum(axis=2)),
        (edge_kernel(signs, format="pairs"), flat @ flat.T),
        (signed_edge_kernel(signs, format="pairs"), signs.astype(float) @ signs.T),
        (extension_kernel(signs, format="pairs"), orders @ orders.T),
    ):
        np.testing.assert_allclose(found, want, rtol=1e-14, atol=0)
    rng = np.random.default_rng(0)
    some, others = (rng.choice(len(posets(5)), 40) for _ in range(2))
    a, b = agreeing(matrices(posets(5)[some], 5)), agreeing(matrices(posets(5)[others], 5))
    found = extension_kernel(posets(5)[some], posets(5)[others], format="pairs", n_jobs=2)
    np.testing.assert_array_equal(found, a.astype(float) @ b.T)


@every_kernel
@pytest.mark.parametrize("n", [3, 4, 5])
def test_kernels_are_positive_semidefinite(kernel, n):
    signs = posets(n)[:: 1 if n < 5 else 12]
    for normalize in (False, True):
        values = kernel(signs, format="pairs", normalize=normalize)
        np.testing.assert_array_equal(values, values.T)
        spectrum = np.linalg.eigvalsh(values)
        assert spectrum[0] > -1e-12 * len(values) * spectrum[-1]


@every_kernel
def test_formats_and_blocks_agree(kernel):
    signs = posets(3)
    whole = kernel(signs, format="pairs")
    np.testing.assert_array_equal(kernel(matrices(signs, 3)), whole)
    np.testing.assert_array_equal(kernel(signs[2:7], signs, format="pairs"), whole[2:7])
    assert kernel(signs[4], signs[9], format="pairs") == whole[4, 9]
    positions = WeakOrders(3).sample(9, random_state=0)
    before = positions[:, :, None] < positions[:, None, :]
    np.testing.assert_array_equal(kernel(positions), kernel(before))
    np.testing.assert_array_equal(kernel(10.0 * positions), kernel(positions))  # only the order counts
    own = np.diag(whole)
    scale = np.sqrt(own[:, None] * own)
    want = np.divide(whole, scale, out=np.zeros_like(whole), where=scale > 0)
    np.testing.assert_allclose(kernel(signs, format="pairs", normalize=True), want, rtol=1e-13)
    found = kernel(signs[:3], signs, format="pairs", normalize=True)
    np.testing.assert_allclose(found, want[:3], rtol=1e-13)


def test_unknown_positions_and_ties_are_no_relation():
    rows = [[1, -1, 2, 2], [3, np.nan, 7.5, 7.5]]
    before = np.zeros((1, 4, 4), dtype=bool)
    before[0, 0, 2] = before[0, 0, 3] = True
    for kernel in (position_kernel, edge_kernel, signed_edge_kernel, extension_kernel):
        np.testing.assert_array_equal(kernel(rows), np.broadcast_to(kernel(before), (2, 2)))


def test_what_follows_is_understood():
    chain = [[1, 0, 1]]  # 0 before 1 and 1 before 2
    assert edge_kernel(chain, format="pairs") == [[3.0]]
    assert extension_kernel(chain, format="pairs") == [[1.0]]
    np.testing.assert_array_equal(position_kernel(chain, [[1, 1, 1]], format="pairs"), [[5.0]])


def test_edge_kernels_tell_all_partial_orders_apart():
    signs = posets(5)
    others = ~np.eye(len(signs), dtype=bool)
    for kernel in (edge_kernel, signed_edge_kernel):
        np.testing.assert_array_equal(different(kernel(signs, format="pairs")), others)


def test_extension_kernel_tells_all_partial_orders_apart():
    signs = posets(4)
    np.testing.assert_array_equal(different(extension_kernel(signs, format="pairs")), ~np.eye(len(signs), dtype=bool))


@pytest.mark.parametrize("base", ["linear", "rbf", "delta"])
def test_position_kernel_tells_total_and_weak_orders_apart_but_not_partial_ones(base):
    for structure in (Permutations(4), WeakOrders(4)):
        orders = np.array(list(structure.enumerate()))
        kernel = position_kernel(orders, base=base)
        np.testing.assert_array_equal(different(kernel), ~np.eye(len(orders), dtype=bool))
    crossed = np.zeros((2, 4, 4), dtype=bool)
    crossed[0, 0, 2] = crossed[0, 1, 3] = crossed[1, 0, 3] = crossed[1, 1, 2] = True
    assert not different(position_kernel(crossed, base=base)).any()
    assert different(edge_kernel(crossed))[0, 1]


def test_extension_kernel_is_zero_exactly_for_cycles():
    signs = posets(4)
    before = matrices(signs, 4)
    reach = before[:, None] | before
    for w in range(4):
        reach |= reach[:, :, :, w, None] & reach[:, :, None, w, :]
    cyclic = np.diagonal(reach, axis1=2, axis2=3).any(axis=2)
    np.testing.assert_array_equal(extension_kernel(signs, format="pairs") == 0, cyclic)
    # A cycle without a contradicting pair: 0 before 1 and 2 before 3, with 1 before 2 and 3 before 0.
    pair = np.array([[1, 0, 0, 0, 0, 1], [0, 0, -1, 1, 0, 0]])
    assert extension_kernel(pair[:1], pair[1:], format="pairs") == [[0.0]]
    assert signed_edge_kernel(pair[:1], pair[1:], format="pairs") == [[0.0]]


def test_normalized_signed_edge_kernel_is_kendalls_tau():
    orders = WeakOrders(6).sample(8, random_state=1)
    found = np.diag(signed_edge_kernel(orders[:4], orders[4:], normalize=True))
    np.testing.assert_allclose(found, metrics.kendall_tau(orders[:4], orders[4:], per_row=True), rtol=1e-14)


def test_large_counts_go_by_logarithms():
    top = np.full((2, 200), 200)
    top[0, :3], top[1, :2] = (1, 2, 3), (1, 2)  # the rest tied: 197! and 198! orders
    assert extension_kernel(top, normalize=True)[0, 1] == pytest.approx(1 / math.sqrt(198), rel=1e-12)
    with pytest.raises(NumericalError):
        extension_kernel(top)


@pytest.fixture
def small_tables(limits, monkeypatch):
    """Let counting give up at parts of two elements, and estimates go on from there."""
    monkeypatch.setattr(_orders, "_LIMITS", dict.fromkeys(_orders.KERNEL_METHODS, 3))
    limits.downsets(3)


def test_extension_kernel_is_estimated_beyond_tables(small_tables):
    signs = np.array([[0, 0, 0, 0, 0, 0], [1, 0, 0, -1, 0, 1], [1, 0, 0, 0, 0, 1]])  # none, a zigzag, two chains
    exact = np.array([[24, 5, 6], [5, 5, 5], [6, 5, 6]])
    with pytest.warns(ApproximationWarning):
        found = extension_kernel(signs, format="pairs", epsilon=0.5, delta=1e-6, random_state=0)
    assert (np.abs(found / exact - 1) <= 0.5).all()  # fails by chance with probability 1e-6
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 0] == 24 and found[2, 2] == 6
    again = extension_kernel(
        signs, signs, format="pairs", method="approximate", epsilon=0.5, delta=1e-6, normalize=True, random_state=0
    )
    scale = np.sqrt(np.diag(exact)[:, None] * np.diag(exact))
    assert (again <= 3 * exact / scale).all() and (again >= exact / scale / 3).all()
    assert again[0, 1] != exact[0, 1] / scale[0, 1]  # an estimate, not rounded
    with pytest.raises(CapabilityError) as caught:
        extension_kernel(signs, format="pairs", method="exact")
    assert caught.value.row == 0


@every_kernel
def test_estimators_take_them_as_callables_and_precomputed(kernel):
    rng = np.random.default_rng(0)
    X = Permutations(4).sample(30, random_state=0)
    X[::3, 1] = -1
    y = rng.integers(0, 3, 30)
    by_call = StructuredRidge(kernel=kernel).fit(X, y)
    by_matrix = StructuredRidge(kernel="precomputed").fit(kernel(X), y)
    np.testing.assert_allclose(by_call.decision_function(X[:5]), by_matrix.decision_function(kernel(X[:5], X)))


@pytest.mark.parametrize(
    ("arguments", "options", "row"),
    [
        (([[1, 2], [1, -2]],), {}, 1),
        (([[1, 2]], [[1, 2], [math.inf, 1]]), {}, 1),
        (([[1], [1]],), {}, None),
        (([["a", "b"]],), {}, 0),
        (([[1, 2]], [[1, 2, 3]]), {}, None),
        (([[1, 2]],), {"format": "auto"}, None),
        (([[0, 0], [0, 2]],), {"format": "pairs"}, None),
        (([[0, 0, 0], [0, 2, 0]],), {"format": "pairs"}, 1),
        (([[1, 1, 1], [1, -1, 1]],), {"format": "pairs"}, 1),
        ((np.ones((2, 3, 3)),), {}, 0),
    ],
)
def test_bad_orders_are_refused(arguments, options, row):
    for kernel in (position_kernel, edge_kernel, signed_edge_kernel, extension_kernel):
        with pytest.raises(ValueError) as caught:
            kernel(*arguments, **options)
        assert getattr(caught.value, "row", None) == row


def test_bad_options_are_refused():
    for kernel, options in (
        (position_kernel, {"base": "cubic"}),
        (position_kernel, {"base": "rbf", "gamma": 0.0}),
        (position_kernel, {"base": "rbf", "gamma": np.inf}),
        (position_kernel, {"gamma": 0.5}),
        (position_kernel, {"base": np.eye(2), "gamma": 0.5}),
        (extension_kernel, {"method": "guess"}),
        (extension_kernel, {"epsilon": 2}),
        (extension_kernel, {"delta": 0}),
    ):
        with pytest.raises(ValueError):
            kernel([[1, 2]], **options)
    for kernel, name in ((extension_kernel, "epsilon"), (extension_kernel, "delta")):
        with pytest.raises(TypeError, match=name):
            kernel([[1, 2]], **{name: "small"})
    with pytest.raises(TypeError, match="gamma"):
        position_kernel([[1, 2]], base="rbf", gamma="small")
    assert {"edge_kernel", "extension_kernel", "position_kernel", "signed_edge_kernel"} <= set(kernels.__all__)


def test_extension_kernel_is_interrupted(ctrl_c):
    rng = np.random.default_rng(0)
    rows = np.where(rng.random((60, 22)) < 0.2, np.argsort(rng.random((60, 22)), axis=1), -1)
    with ctrl_c(polled=True):
        for _ in range(100):
            extension_kernel(rows)


def test_rows_that_normalising_cannot_count_are_named():
    n = 70
    u, v = np.triu_indices(n, 1)
    hard = ((v == u + 35) | (v == u + 36)).astype(int)  # a fence: 70 elements, which only sampling counts
    total = np.ones(len(u), dtype=int)
    with pytest.raises(CapabilityError) as caught:
        extension_kernel([total, hard], [total], format="pairs", normalize=True, method="exact")
    assert caught.value.row == 1


def test_position_kernels_take_any_kappa_and_weights():
    signs = posets(4)
    counts = matrices(signs, 4).sum(axis=1)
    rng = np.random.default_rng(0)
    factor, weights = rng.normal(size=(4, 2)), np.array([0.0, 2.0, 0.5, 1.0])
    kappa = factor @ factor.T
    values = kappa[counts[:, None], counts[None]]
    for found, want in (
        (position_kernel(signs, format="pairs", base=kappa), values.sum(axis=2)),
        (position_kernel(signs, format="pairs", base=kappa.tolist(), weights=weights), values @ weights),
        (position_kernel(signs, format="pairs", base=lambda a, b: kappa[a, b]), values.sum(axis=2)),
        (position_kernel(signs, format="pairs", weights=weights), (counts * weights) @ counts.T),
        (
            position_kernel(signs, format="pairs", base="delta", weights=weights.tolist()),
            (counts[:, None] == counts) @ weights,
        ),
        (position_kernel(signs, signs[:5], format="pairs", base=kappa, weights=weights), (values @ weights)[:, :5]),
    ):
        np.testing.assert_allclose(found, want, rtol=1e-13, atol=1e-13)
    own = np.sqrt(np.diag(values @ weights))
    scaled = position_kernel(signs, format="pairs", base=kappa, weights=weights, normalize=True)
    np.testing.assert_allclose(scaled, values @ weights / np.outer(own, own), rtol=1e-12, atol=1e-14)
    assert np.linalg.eigvalsh(scaled)[0] > -1e-10
    assert position_kernel([1, 2, 3], [2, 1, 3], base=np.eye(3), weights=[1, 1, 4]) == 4.0


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ({"base": "cubic"}, None),
        ({"base": np.eye(2)}, None),
        (
            {"base": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]},
            None,
        ),
        ({"base": lambda a, b: float(a)}, None),
        ({"base": np.full((3, 3), np.nan)}, None),
        ({"base": np.ma.masked_less(np.eye(3), 1)}, 0),
        ({"weights": np.ma.masked_less([1, 0, 1], 1)}, 1),
        ({"weights": [1, 1]}, None),
        ({"weights": [1, -1, 1]}, None),
        ({"weights": ["a", "b", "c"]}, None),
    ],
)
def test_illegal_kappas_and_weights_are_refused(options, row):
    with pytest.raises(ValueError) as caught:
        position_kernel([[1, 2, 3], [3, 1, 2]], **options)
    assert getattr(caught.value, "row", None) == row
