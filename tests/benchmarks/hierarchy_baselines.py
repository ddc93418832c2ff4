"""Table 5.1 of the thesis on ImCLEF07D: losses ℓ01, ℓΔ and ℓH of classifiers of nodes, of margins and of counting.

Baselines of Cesa-Bianchi, Gentile and Zaniboni (2006) and Rousu et al. (2006): "SVM", a support vector machine for each
node, independently; "H-SVM", trained at each node on rows that belong to its parent, and predicting from the root
downwards; "H-RLS", the same with regularised least squares; "H-M3", one machine with margins for the whole tree, here
`StructuredSVM` with the loss ℓΔ. All see the same features: standardised ones, or 1000 of a Nyström map of a Gaussian
kernel. The penalty of each is chosen by ℓ01 on a fifth of the training rows, and the model is trained again on all.

    python tests/benchmarks/hierarchy_baselines.py [--data DIR] [--rows 10000] [--landmarks 1000] [--only-landmarks]

DIR/hierarchical holds ImCLEF07D_Train.arff.gz and ImCLEF07D_Test.arff.gz, or others of that form given by --name.
Without --data the images are the digits of scikit-learn in a tree of their shapes, the first 1000 for training.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from folders import HIERARCHIES, chosen
from hierarchy import load, tree_of
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from combpred import StructuredRidge
from combpred.baselines import StructuredSVM
from combpred.datasets import load_digits_hierarchy
from combpred.kernels import NystromMap
from combpred.metrics import hierarchical_h_loss
from combpred.structures import Hierarchy

Sets = NDArray[np.int_]
PENALTIES = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]
SVM: dict[str, Any] = {"cost": "tree", "rescaling": "margin", "tol": 0.05, "max_iter": 200, "random_state": 0}
Part = tuple[NDArray[np.float64], list[str]]  # features, and nodes


class Nodes:
    """A binary classifier of each node.

    Parameters
    ----------
    make : callable
        Returns an unfitted classifier.
    parent : ndarray of shape (n_nodes,)
    downwards : bool
        Whether nodes see only rows of their parent, and are predicted only below nodes that are.
    """

    def __init__(self, make: Callable[[], Any], parent: NDArray[np.int_], downwards: bool) -> None:
        self.make, self.parent, self.downwards = make, parent, downwards

    def fit(self, X: NDArray[np.float64], sets: Sets) -> Nodes:
        self.models: list[Any] = []
        for node, above in enumerate(self.parent):
            rows = sets[:, above] == 1 if self.downwards and above >= 0 else np.ones(len(X), dtype=bool)
            target = sets[rows, node]
            constant = len(np.unique(target)) < 2
            self.models.append(int(target.max(initial=0)) if constant else self.make().fit(X[rows], target))
        return self

    def predict(self, X: NDArray[np.float64]) -> Sets:
        sets = np.zeros((len(X), len(self.parent)), dtype=int)
        for node in np.argsort([depth_of(self.parent, node) for node in range(len(self.parent))], kind="stable"):
            model, above = self.models[node], self.parent[node]
            found = np.full(len(X), model) if isinstance(model, int) else model.predict(X)
            sets[:, node] = found * (sets[:, above] if self.downwards and above >= 0 else 1)
        return sets


class Paths:
    """A learner of single nodes of the tree, as sets of the nodes on their paths."""

    def __init__(self, model: Any, tree: Hierarchy) -> None:
        self.model, self.tree = model, tree

    def fit(self, X: NDArray[np.float64], sets: Sets) -> Paths:
        self.model.fit(X, deepest(sets, np.array([depth_of(self.tree.parent, v) for v in range(sets.shape[1])])))
        return self

    def predict(self, X: NDArray[np.float64]) -> Sets:
        return self.tree.embed(self.model.predict(X)).astype(int)


def depth_of(parent: Any, node: int) -> int:
    """Return how many nodes are above a node."""
    return 0 if parent[node] < 0 else 1 + depth_of(parent, int(parent[node]))


def deepest(sets: Sets, depths: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return the deepest node of each set."""
    return np.argmax(np.where(sets == 1, depths, -1), axis=1)


def h_loss(parent: NDArray[np.int_], y: Sets, z: Sets) -> NDArray[np.float64]:
    """Return ℓH of any sets: how many nodes are wrong below none that is."""
    wrong, above = y != z, np.zeros(y.shape, dtype=bool)
    for node in np.argsort([depth_of(parent, node) for node in range(len(parent))], kind="stable"):
        if parent[node] >= 0:
            above[:, node] = above[:, parent[node]] | wrong[:, parent[node]]
    return (wrong & ~above).sum(axis=1).astype(float)


def losses(parent: NDArray[np.int_], y: Sets, z: Sets) -> NDArray[np.float64]:
    """Return ℓ01, ℓΔ and ℓH of each row."""
    return np.column_stack([(y != z).any(axis=1), (y != z).sum(axis=1), h_loss(parent, y, z)]).astype(float)


def learners(tree: Hierarchy) -> dict[str, Callable[[float], Any]]:
    """Return learners by name, as functions of the penalty."""
    parent = np.asarray(tree.parent)

    def svm(penalty: float) -> Any:
        return LinearSVC(C=1.0 / penalty, dual=False)

    found: dict[str, Callable[[float], Any]] = {
        "SVM": lambda penalty: Nodes(lambda: svm(penalty), parent, downwards=False),
        "H-SVM": lambda penalty: Nodes(lambda: svm(penalty), parent, downwards=True),
        "H-RLS": lambda penalty: Nodes(lambda: RidgeClassifier(alpha=penalty), parent, downwards=True),
    }
    found["H-M3 (StructuredSVM)"] = lambda penalty: Paths(StructuredSVM(tree, C=1.0 / penalty, **SVM), tree)
    for loss, decision in (("auc", "score"), ("squared", "mode")):
        ridge = {"loss": loss, "decision": decision, "kernel": "linear"}
        found[f"StructuredRidge, {loss}"] = lambda penalty, ridge=ridge: Paths(
            StructuredRidge(tree, alpha=penalty, **ridge), tree
        )
    return found


def read(data: Path | None, name: str) -> tuple[Part, Part, dict[str, str | None]]:
    """Return training rows, test rows, and the parent of each node."""
    if data is None:
        digits = load_digits_hierarchy()
        X, codes = digits.data, digits.target.tolist()
        return (X[:1000], codes[:1000]), (X[1000:], codes[1000:]), dict(digits.structure.parent)
    X, codes, nodes = load(data, *chosen(data, HIERARCHIES, [name]))
    return (X, codes), load(data, name, "Test")[:2], tree_of(nodes)


def main() -> None:
    """Print the table for each kind of features."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="digits of scikit-learn unless given")
    parser.add_argument("--name", default="ImCLEF07D")
    parser.add_argument("--rows", type=int, default=10_000, help="training rows, drawn")
    parser.add_argument("--landmarks", type=int, default=1000, help="0: only the features themselves")
    parser.add_argument("--learners", nargs="*", help="the first words of rows of the table; all unless given")
    parser.add_argument("--only-landmarks", action="store_true", help="leave out the features themselves")
    args = parser.parse_args()
    (X, codes), (X_test, codes_test), above = read(args.data, args.name)
    named = Hierarchy(above, allowed="leaves")
    names = named.feature_names().tolist()
    parent = np.array([-1 if above[name] is None else names.index(above[name]) for name in names])
    tree = Hierarchy(parent, allowed="leaves")
    some = np.random.RandomState(0).permutation(len(X))[: args.rows]
    X, codes = X[some], [codes[i] for i in some]
    sets, sets_test = (named.embed(each).astype(int) for each in (codes, codes_test))
    some, others = sets[:500], sets[-500:]
    assert (h_loss(parent, some, others) == hierarchical_h_loss(some, others, parent=parent, per_row=True)).all()
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    seen = [] if args.only_landmarks else [("features", X, X_test)]
    if args.landmarks:
        nystrom = NystromMap(args.landmarks, gamma=0.3 / X.shape[1], random_state=0).fit(X)
        seen.append((f"{args.landmarks} Nyström features", nystrom.transform(X), nystrom.transform(X_test)))
    held = np.arange(len(X)) >= 0.8 * len(X)
    for title, train, test in seen:
        print(f"{title:<34}{'l01 %':>16}{'lD':>16}{'lH':>16}{'penalty':>10}{'fit s':>8}")
        for name, make in learners(tree).items():
            if args.learners and not name.startswith(tuple(args.learners)):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # solvers that stop at their limit on large penalties
                tried = {
                    penalty: losses(
                        parent, sets[held], make(penalty).fit(train[~held], sets[~held]).predict(train[held])
                    )[:, 0].mean()
                    for penalty in PENALTIES
                }
                best = min(tried, key=tried.__getitem__)
                start = time.perf_counter()
                model = make(best).fit(train, sets)
                seconds = time.perf_counter() - start
                found = losses(parent, sets_test, model.predict(test)) * [100, 1, 1]
            errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
            means = found.mean(axis=0)
            shown = "".join(f"{m:8.3f} ±{e:.3f}".rjust(16) for m, e in zip(means, errors, strict=True))
            print(f"{name:<34}{shown}{best:>10g}{seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main()
