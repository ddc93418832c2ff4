"""Routes of tourists: leave one trip out, predict it from its start, its end and its number of places.

A trip's row of inputs is its query; its output is the route. Two ridges learn it, one the arcs of the route and one the
set of places on it, so that what is learnt about a place is shared by all arcs into it. `StructuredVoting` weighs them
by rows that it leaves out, and predicts the best route with the start, end and length of the query.

Penalty and width of the kernel between lengths are chosen for each tenth of the trips by how the average predicts the
others when it leaves them out, and so are its weights; then each trip of the tenth is predicted by an average of models
trained on all other trips. Their scores come from one system for all trips: `StructuredRidgeCV` hands them to its
scorer.

    python tests/benchmarks/routes.py --data DIR [--cities Osak Edin] [--jobs 2]

DIR/routes holds places-CITY.csv (poiID, poiCat, poiLon, poiLat), trips-CITY.csv (trip, places) and
published_predictions.json.gz, what nine published methods predict for the same queries, if it is there.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from folders import TRIPS, file_of, text_of
from folders import chosen as chosen_sets
from joblib import Parallel, delayed
from numpy.typing import NDArray

from combpred import StructuredRidge, StructuredRidgeCV, StructuredVoting
from combpred.metrics import route_f1, route_pairs_f1
from combpred.structures import LabelSets, Routes, Structure

FloatArray = NDArray[np.float64]
FIGURES = ("F1", "pairs-F1", "inner F1")
ALPHAS = (10.0, 30.0)
WIDTHS = (0.6, 10.0)  # of the Gaussian kernel between logarithms of lengths
GROUPS = 10
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


def load(data: Path, name: str) -> City:
    """Return a city's trips and what published methods predict for them."""
    places, table = (pd.read_csv(file_of(data, TRIPS.replace("trips", part), name)) for part in ("places", "trips"))
    number = {place: i for i, place in enumerate(places["poiID"])}
    lists = [[number[int(place)] for place in str(row).split()] for row in table["places"]]
    kept = [i for i, trip in enumerate(lists) if len(trip) >= 2]
    row = {str(table["trip"].iloc[i]): at for at, i in enumerate(kept)}
    known = data / "routes" / "published_predictions.json.gz"
    by_trip = json.loads(text_of(known)).get(name, {}) if known.exists() else {}
    published: dict[str, dict[int, list[int]]] = {}
    for trip, predictions in by_trip.items():
        for method, route in predictions.items():
            published.setdefault(method, {})[row[trip]] = [number[place] for place in route]
    trips = [lists[i] for i in kept]
    assert all(trips[at] == route for at, route in published.pop("REAL", {}).items())
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


@dataclass(frozen=True)
class Setting:
    """What is chosen."""

    alpha: float
    width: float


SETTINGS = [Setting(*values) for values in product(ALPHAS, WIDTHS)]


def conditions(city: City, rows: NDArray[np.intp]) -> list[dict[str, Any]]:
    """Return what the queries of trips say about their routes."""
    trips = [city.trips[i] for i in rows]
    return [{"start": trip[0], "end": trip[-1], "length": len(trip)} for trip in trips]


def average(city: City, setting: Setting, rows: NDArray[np.intp]) -> StructuredVoting:
    """Return the average of both ridges, trained on some trips."""
    n = len(city.distance)

    def ridge(structure: Structure) -> StructuredRidge:
        return StructuredRidge(
            structure, alpha=setting.alpha, kernel="precomputed", fit_intercept=False, loss="squared"
        )

    voting = StructuredVoting([("arcs", ridge(Routes(n))), ("places", ridge(LabelSets(n)))])
    kernel = query_kernel(city, setting.width)[np.ix_(rows, rows)]
    return voting.fit(kernel, [city.trips[i] for i in rows])


def left_out(city: City, setting: Setting) -> tuple[FloatArray, FloatArray]:
    """Return scores of arcs, starts and ends for each trip by the two ridges, trained on all others."""
    n, found = len(city.distance), []
    kernel, visited = query_kernel(city, setting.width), np.zeros((len(city.trips), n), dtype=int)
    for row, trip in zip(visited, city.trips, strict=True):
        row[trip] = 1
    for structure, y in ((Routes(n), city.trips), (LabelSets(n), visited)):
        ridge = StructuredRidgeCV(
            structure, alphas=[setting.alpha], kernels=["precomputed"], losses=["squared"], fit_intercept=False
        )
        found.append(ridge.fit(kernel, y).loo_scores_)
    arcs, places = found
    arrives = np.array([v for u in range(n) for v in range(n) if v != u])  # a place is visited by an arc, or first
    return arcs, np.hstack([places[:, arrives], places, np.zeros_like(places)])


def unpadded(routes: NDArray[np.int32]) -> list[list[int]]:
    """Return routes as lists."""
    return [row[row >= 0].tolist() for row in routes]


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


def choose(city: City, tested: NDArray[np.intp]) -> tuple[Setting, FloatArray]:
    """Return the setting, and the weights of both ridges, that predict trips other than the tested ones best."""
    others = np.setdiff1d(np.arange(len(city.trips)), tested)
    scored = np.flatnonzero(np.isin(others, city.scored))
    held, reached = conditions(city, others[scored]), []
    for setting in SETTINGS:
        voting = average(city, setting, others)
        routes = Routes(len(city.distance)).decode(voting.left_out_scores_[scored], constraints=held)
        score = figures(city, others[scored], unpadded(routes)).mean()
        reached.append((score, setting, voting.weights_))
    return max(reached, key=lambda each: each[0])[1:]


def compare_losses(city: City) -> None:
    """Print F1 and pairs-F1 of one ridge by either loss, in five folds, as more is known of the routes to predict."""
    n, rng = len(city.distance), np.random.default_rng(0)
    order, kernel = rng.permutation(len(city.trips)), query_kernel(city, 0.3)
    for known in ((), ("start",), ("start", "end"), ("start", "end", "length")):
        for alpha in (0.01, 0.1, 1.0):
            found: dict[str, list[FloatArray]] = {"squared": [], "auc": []}
            for loss, fold in product(found, range(5)):
                tested = order[fold::5]
                rest, tested = np.setdiff1d(order, tested), tested[np.isin(tested, city.scored)]
                model = StructuredRidge(Routes(n), loss=loss, alpha=alpha, kernel="precomputed", fit_intercept=False)
                model.fit(kernel[np.ix_(rest, rest)], [city.trips[i] for i in rest])
                held = [{key: each[key] for key in known} for each in conditions(city, tested)] if known else None
                routes = model.predict(kernel[np.ix_(tested, rest)], constraints=held)
                found[loss].append(figures(city, tested, unpadded(routes))[:, :2])
            squared, auc = (np.concatenate(each) for each in found.values())
            gap, error = (auc - squared).mean(axis=0), (auc - squared).std(axis=0, ddof=1) / np.sqrt(len(auc))
            told = "  ".join(
                f"squared {squared[:, i].mean():.3f}, auc {auc[:, i].mean():.3f}, gap {gap[i]:+.3f} ± {error[i]:.3f}"
                for i in (0, 1)
            )
            print(f"known: {', '.join(known) or 'nothing'}; alpha {alpha:g}: {told}")


def main() -> None:
    """Print the table of each city."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cities", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--losses", action="store_true", help="compare the losses of one ridge instead")
    options = parser.parse_args()
    for name in chosen_sets(options.data, TRIPS, options.cities):
        begin = time.perf_counter()
        city = load(options.data, name)
        if options.losses:
            print(name)
            compare_losses(city)
            continue
        order = np.random.RandomState(0).permutation(city.scored)
        groups = np.array_split(order, GROUPS)
        found = Parallel(options.jobs)(delayed(choose)(city, rows) for rows in groups)
        chosen = [setting for setting, _ in found]
        scores = {setting: left_out(city, setting) for setting in set(chosen)}
        routes = []
        for rows, (setting, weights) in zip(groups, found, strict=True):
            arcs, places = scores[setting]
            combined = weights[0] * arcs[rows] + weights[1] * places[rows]
            routes += unpadded(Routes(len(city.distance)).decode(combined, constraints=conditions(city, rows)))
        ours = figures(city, order, routes)
        seconds = time.perf_counter() - begin
        print(f"{name}: {len(city.trips)} trips, {len(order)} of them scored, {seconds:.0f} s")
        print(f"{'':18}" + "".join(f"{figure:>10}" for figure in FIGURES) + "   ours minus theirs ± standard error")
        print(f"{'StructuredVoting':18}" + "".join(f"{mean:10.3f}" for mean in ours.mean(axis=0)))
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
