"""Routes of tourists: leave one trip out, predict it from its start, its end and its number of places.

A trip's row of inputs is its query; its output is the route. The embedding counts arcs and, beside them, visits, so
that what is learnt about a place is shared by all arcs into it. It is given as a `Custom` structure whose moments are
sampled from random routes as long as the observed ones; predicted scores are handed to `Routes`, which finds the best
route with the start, end and length of the query.

Penalty, the weight of visits and the width of the kernel between lengths are chosen for each tenth of the trips by
cross-validation on the others; then each trip of the tenth is predicted by a model trained on all other trips. The
scores of such models come from one system for all trips: `StructuredRidgeCV` hands them to its scorer.

    python tests/benchmarks/routes.py --data DIR [--cities Osak Edin] [--jobs 2]

DIR/routes holds places-CITY.csv (poiID, poiCat, poiLon, poiLat), trips-CITY.csv (trip, places) and
published_predictions.json.gz, what nine published methods predict for the same queries.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.metrics import route_f1, route_pairs_f1
from combpred.structures import Custom, Routes

FloatArray = NDArray[np.float64]
FIGURES = ("F1", "pairs-F1", "inner F1")
ALPHAS = (10.0, 30.0)
VISITS = (0.5, 1.0)  # weight of visits beside arcs
WIDTHS = (0.6, 10.0)  # of the Gaussian kernel between logarithms of lengths
GROUPS, FOLDS = 10, 3
MOMENT_SAMPLES = 20_000
EARTH_KM = 6371.0


@dataclass(frozen=True)
class City:
    """Trips through the places 0..n−1 of a city, of two places or more.

    Attributes
    ----------
    distance : ndarray of shape (n, n)
        Kilometres.
    trips : list of list of int
    published : dict
        For each method, what it predicts for each trip that it predicts.
    """

    distance: FloatArray
    trips: list[list[int]]
    published: dict[str, dict[int, list[int]]]

    @property
    def scored(self) -> NDArray[np.intp]:
        """Trips that are predicted: those with a place between start and end."""
        return np.array([i for i, trip in enumerate(self.trips) if len(trip) >= 3])

    @property
    def queries(self) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Start, end and number of places of each trip."""
        ends = np.array([(trip[0], trip[-1]) for trip in self.trips])
        return ends[:, 0], ends[:, 1], np.array([len(trip) for trip in self.trips], dtype=float)


def load(folder: Path, name: str) -> City:
    """Return a city's trips and what published methods predict for them."""
    places, table = pd.read_csv(folder / f"places-{name}.csv"), pd.read_csv(folder / f"trips-{name}.csv")
    number = {place: i for i, place in enumerate(places["poiID"])}
    lists = [[number[int(place)] for place in str(row).split()] for row in table["places"]]
    kept = [i for i, trip in enumerate(lists) if len(trip) >= 2]
    row = {str(table["trip"].iloc[i]): at for at, i in enumerate(kept)}
    with gzip.open(folder / "published_predictions.json.gz") as file:
        by_trip = json.load(file)[name]
    published: dict[str, dict[int, list[int]]] = {}
    for trip, predictions in by_trip.items():
        for method, route in predictions.items():
            published.setdefault(method, {})[row[trip]] = [number[place] for place in route]
    trips = [lists[i] for i in kept]
    assert all(trips[at] == route for at, route in published.pop("REAL").items())
    latitude, longitude = np.radians(places["poiLat"]), np.radians(places["poiLon"])
    north = np.subtract.outer(latitude.to_numpy(), latitude.to_numpy())
    east = np.subtract.outer(longitude.to_numpy(), longitude.to_numpy()) * np.cos(latitude.mean())
    return City(EARTH_KM * np.hypot(north, east), trips, published)


def query_kernel(city: City, width: float) -> FloatArray:
    """Return the kernel between all queries: alike in start, in end, in both or in where these are, and in length."""
    start, end, length = city.queries
    near = np.exp(-city.distance)
    same_start, same_end = start[:, None] == start, end[:, None] == end
    ends = 1.0 + same_start + same_end + (same_start & same_end) + near[np.ix_(start, start)] + near[np.ix_(end, end)]
    lengths = np.exp(-((np.subtract.outer(np.log(length), np.log(length)) / width) ** 2))
    kernel: FloatArray = ends * (lengths + 0.2)
    return kernel


def lifting(n: int, visits: float) -> FloatArray:
    """Return the matrix from arcs, starts and ends, as in `Routes`, to arcs and weighted visits behind the start."""
    n_arcs = n * (n - 1)
    arrives = np.array([v for u in range(n) for v in range(n) if v != u])
    into = np.zeros((n, n_arcs + 2 * n))
    into[arrives, np.arange(n_arcs)] = visits
    return np.vstack([np.eye(n_arcs, n_arcs + 2 * n), into])


def space(city: City, visits: float) -> tuple[Custom, FloatArray]:
    """Return the output space, y being numbers of trips, and its lifting matrix."""
    n = len(city.distance)
    lift = lifting(n, visits)
    lengths = np.array([len(trip) for trip in city.trips])
    embedded = Routes(n).embed(city.trips) @ lift.T

    def random_routes(count: int, rng: np.random.RandomState) -> list[list[int]]:
        return [rng.permutation(n)[:k].tolist() for k in rng.choice(lengths, count)]

    psi = Routes(n).embed(random_routes(MOMENT_SAMPLES, np.random.RandomState(0))) @ lift.T
    mean = psi.mean(axis=0)
    moment = psi.T @ psi / len(psi)
    # Scores are decoded by `Routes`, which takes conditions; nothing is decoded here.
    return Custom(
        log_count=np.log(len(psi)),
        mean=mean,
        second_moment=moment,
        embed=lambda i: embedded[i],
        decode=lambda scores: 0,
    ), lift


@dataclass(frozen=True)
class Setting:
    """What is chosen."""

    alpha: float
    visits: float
    width: float


SETTINGS = [Setting(*values) for values in product(ALPHAS, VISITS, WIDTHS)]


class Predictor:
    """Routes for held-out trips, for one setting."""

    def __init__(self, city: City, setting: Setting) -> None:
        self._city, self._alpha = city, setting.alpha
        self._kernel = query_kernel(city, setting.width)
        self._space, self._lift = space(city, setting.visits)

    def __call__(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> list[list[int]]:
        """Return the routes predicted for trips, after training on others."""
        ridge = StructuredRidge(self._space, alpha=self._alpha, kernel="precomputed", fit_intercept=False)
        ridge.fit(self._kernel[np.ix_(train, train)], train)
        return self._routes(ridge.feature_scores(self._kernel[np.ix_(test, train)]), test)

    def left_out(self) -> list[list[int]]:
        """Return the route predicted for each trip after training on all others."""
        found = []

        def record(model: StructuredRidgeCV, X: FloatArray, y: NDArray[np.intp]) -> float:
            found.append(model.decision_function(X))
            return 0.0

        everything = np.arange(len(self._city.trips))
        StructuredRidgeCV(
            self._space, alphas=[self._alpha], scoring=record, kernel="precomputed", fit_intercept=False
        ).fit(self._kernel, everything)
        return self._routes(found[0], everything)

    def _routes(self, scores: FloatArray, rows: NDArray[np.intp]) -> list[list[int]]:
        trips = [self._city.trips[i] for i in rows]
        held = [{"start": trip[0], "end": trip[-1], "length": len(trip)} for trip in trips]
        decoded = Routes(len(self._city.distance)).decode(scores @ self._lift, constraints=held)
        return [row[row >= 0].tolist() for row in decoded]


def figures(city: City, rows: NDArray[np.intp], routes: list[list[int]]) -> FloatArray:
    """Return F1, pairs-F1 and inner F1 of predicted routes, one row each."""
    trips = [city.trips[i] for i in rows]
    inner = []
    for trip, route in zip(trips, routes, strict=True):
        truth, predicted = set(trip[1:-1]), set(route[1:-1])
        inner.append(2.0 * len(truth & predicted) / max(len(truth) + len(predicted), 1))
    return np.column_stack(
        [route_f1(trips, routes, per_row=True), route_pairs_f1(trips, routes, per_row=True), np.array(inner)]
    )


def choose(city: City, tested: NDArray[np.intp], rng: np.random.RandomState) -> Setting:
    """Return the setting that predicts trips other than the tested ones best, by cross-validation."""
    others = np.setdiff1d(np.arange(len(city.trips)), tested)
    fold = rng.permutation(len(others)) % FOLDS
    reached = []
    for setting in SETTINGS:
        predict = Predictor(city, setting)
        parts = []
        for k in range(FOLDS):
            held_out = np.intersect1d(others[fold == k], city.scored)
            parts.append(figures(city, held_out, predict(others[fold != k], held_out)))
        reached.append(np.vstack(parts).mean())
    return SETTINGS[int(np.argmax(reached))]


def main() -> None:
    """Print the table of each city."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cities", nargs="+", default=["Osak", "Edin"])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for name in options.cities:
        begin = time.perf_counter()
        city = load(options.data / "routes", name)
        order = np.random.RandomState(0).permutation(city.scored)
        groups = np.array_split(order, GROUPS)
        chosen = Parallel(options.jobs)(
            delayed(choose)(city, rows, np.random.RandomState(k)) for k, rows in enumerate(groups)
        )
        left_out = {setting: Predictor(city, setting).left_out() for setting in set(chosen)}
        routes = [left_out[setting][i] for rows, setting in zip(groups, chosen, strict=True) for i in rows]
        ours = figures(city, order, routes)
        seconds = time.perf_counter() - begin
        print(f"{name}: {len(city.trips)} trips, {len(order)} of them scored, {seconds:.0f} s")
        print(f"{'':18}" + "".join(f"{figure:>10}" for figure in FIGURES) + "   ours minus theirs ± standard error")
        print(f"{'StructuredRidge':18}" + "".join(f"{mean:10.3f}" for mean in ours.mean(axis=0)))
        for method, predictions in city.published.items():
            known = np.array([at for at, i in enumerate(order) if i in predictions])
            if len(known) < 2:  # of which nothing can be said
                continue
            theirs = figures(city, order[known], [predictions[i] for i in order[known]])
            gap = ours[known] - theirs
            error = gap.std(axis=0, ddof=1) / np.sqrt(len(gap))
            means = "".join(f"{mean:10.3f}" for mean in theirs.mean(axis=0))
            gaps = "  ".join(f"{g:+.3f} ± {e:.3f}" for g, e in zip(gap.mean(axis=0), error, strict=True))
            print(f"{method:18}{means}   {gaps}")
        for setting in SETTINGS:
            if times := chosen.count(setting):
                print(f"chosen {times} times: {setting}")


if __name__ == "__main__":
    main()
