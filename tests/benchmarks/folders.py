"""Data sets of a folder: shared by the benchmarks, so that they run on any sets that are laid out alike.

    label_ranking/NAME.csv                 features, then L1, L2, …: the position of each label, 1 for the first
    partial_label_ranking/NAME.csv         the same, where positions may be equal
    partial_label_ranking/probs/NAME.csv   the same with probabilities of labels, which are ranked
    multilabel/NAME/NAME-train.arff        with NAME-test.arff, and NAME.xml, which lists the labels (Mulan's format)
    ordinal/NAME.csv                       features, then the grade, a whole number, without names
    hierarchical/NAME_Train.arff           with NAME_Test.arff: features, then paths in a tree (Clus's format)
    routes/trips-NAME.csv                  with places-NAME.csv, see `routes`

Every file may be compressed: then its name ends in .gz as well.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from arff_files import read_arff
from numpy.typing import NDArray
from scipy.stats import rankdata

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
RANKINGS, TIES = "label_ranking/*.csv", "partial_label_ranking/*.csv"
PROBABILITIES = "partial_label_ranking/probs/*.csv"
LABEL_SETS, GRADES, HIERARCHIES = "multilabel/*/*-train.arff", "ordinal/*.csv", "hierarchical/*_Train.arff"
TRIPS = "routes/trips-*.csv"


def listed(data: Path, layout: str) -> list[str]:
    """Return the names of the sets of a layout, none where the folder lacks its subfolder."""
    before, after = Path(layout).name.split("*")
    found = (path.name.removesuffix(".gz") for end in ("", ".gz") for path in data.glob(layout + end))
    return sorted({name.removeprefix(before).removesuffix(after) for name in found}, key=str.lower)


def chosen(data: Path, layout: str, asked: Sequence[str] | None = None) -> list[str]:
    """Return the names that are asked for, or of all sets of a layout; ends the program where there are none."""
    there = listed(data, layout)
    absent = [name for name in asked or () if name not in there]
    if absent or not there:
        raise SystemExit(f"{data / layout}: no set {absent[0] if absent else 'at all'}; there are {there}")
    return list(asked) if asked else there


def file_of(data: Path, layout: str, name: str) -> Path:
    """Return the path of a set, compressed or not."""
    path = data / layout.replace("*", name)
    return path if path.exists() else path.with_name(path.name + ".gz")


def text_of(path: Path) -> str:
    """Return what a file holds."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def _table(data: Path, layout: str, name: str) -> tuple[Numbers, Numbers]:
    """Return the columns of features and those of labels."""
    columns = pd.read_csv(file_of(data, layout, name))
    labels = [c for c in columns.columns if c.startswith("L")]
    return columns.drop(columns=labels).to_numpy(float), columns[labels].to_numpy(float)


def rankings(data: Path, name: str, layout: str = RANKINGS) -> tuple[Numbers, Integers]:
    """Return features and positions."""
    X, positions = _table(data, layout, name)
    return X, positions.astype(int)


def ranked_probabilities(data: Path, name: str) -> tuple[Numbers, Integers]:
    """Return features and dense ranks of probabilities, 1 for the largest."""
    X, probabilities = _table(data, PROBABILITIES, name)
    return X, rankdata(-probabilities, method="dense", axis=1).astype(int)


def label_sets(data: Path, name: str, part: str = "train") -> tuple[Numbers, Integers]:
    """Return features and 0/1 labels of the part "train" or "test"."""
    path = file_of(data, LABEL_SETS.replace("train", part), name)
    frame, _, labels, _ = read_arff(str(path), text_of(path), str(path.parent / f"{name}.xml"))
    features = pd.get_dummies(frame.drop(columns=labels))  # nominal ones become bits
    return features.to_numpy(float), frame[labels].to_numpy(float).astype(int)


def grades(data: Path, name: str) -> tuple[Numbers, Integers]:
    """Return features and grades, counted from 0."""
    numbers = pd.read_csv(file_of(data, GRADES, name), sep="[,;\\s]+", header=None, engine="python").to_numpy(float)
    return numbers[:, :-1], np.unique(numbers[:, -1], return_inverse=True)[1].astype(int)
