"""
======================================
Row by row: the tours of four thousand
======================================

People take directed cycles, and their features tell which. `StructuredRidge` learns from pairs of person and tour
without listing a single cycle; `StructuredSGD` also does without a kernel matrix, 128 MB of numbers for 4000 people.
This is an experiment of Vembu (2010), section 5.5, with faster opponents: how close to the optimum does one pass get,
and in what time?
"""

# %%
# The data
# --------
# Everyone has 15 features and goes round the cycle of three or more out of ten places whose arcs earn the most under a
# hidden policy, linear in the features.

from __future__ import annotations

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.exceptions import ConvergenceWarning

from combpred import StructuredRidge, StructuredSGD
from combpred.datasets import make_dicycle_policies

SIZES = (100, 300, 1000, 2000, 4000)
N_TEST, TRUNCATION, LARGEST_NEWTON = 500, 500, 2000
X, y, policies = make_dicycle_policies(max(SIZES) + N_TEST, random_state=0)
X_test, hidden = X[-N_TEST:], policies[-N_TEST:]
common = {"structure": "directedcycles", "kernel": "rbf", "gamma": 0.01, "alpha": 1.0}
print(f"{len(X)} tours of {(y >= 0).sum(axis=1).mean():.1f} places on average")

# %%
# One pass against batches
# ------------------------
# Stochastic descent makes one pass, and keeps the last 500 people, or all of them and the average of its functions.
# Newton-CG iterates on the kernel matrix until the relative residual is a thousandth; conjugate gradient does the same
# with a preconditioner, and the closed form is exact. Times are processor times, the median of three fits. They include
# the kernel matrix and, for stochastic descent, the exact objective at the end, which is as much work as the pass.

warnings.simplefilter("ignore", ConvergenceWarning)  # a single pass is what we ask for
solvers = {
    "SGD, one pass, τ = 500": StructuredSGD(**common, truncation=TRUNCATION, max_iter=1, random_state=0),
    "SGD, all kept, averaged": StructuredSGD(**common, average=True, max_iter=1, random_state=0),
    "Newton-CG": StructuredRidge(**common, solver="newton-cg", tol=1e-3),
    "CG": StructuredRidge(**common, solver="cg", tol=1e-3),
    "closed form": StructuredRidge(**common, solver="closed-form"),
}
results: dict[str, list[tuple[float, ...]]] = {name: [] for name in solvers}
StructuredRidge(**common).fit(X[:50], y[:50])  # what is loaded at the first fit
for n in SIZES:
    for name, model in solvers.items():
        if name == "Newton-CG" and n > LARGEST_NEWTON:
            continue  # it would take most of a minute
        times = []
        for _ in range(3):
            began = time.process_time()
            model.fit(X[:n], y[:n])
            times.append(time.process_time() - began)
        seconds = float(np.median(times))
        scores = model.feature_scores(X_test)
        norms = np.linalg.norm(hidden, axis=1) * np.linalg.norm(scores, axis=1)
        cosine = float(np.mean(np.sum(hidden * scores, axis=1) / norms))
        results[name].append((model.objective_ / n, seconds, cosine))
        print(f"{n:5} {name:26} objective {model.objective_ / n:.4f}, {seconds:6.2f} s, cosine {cosine:.3f}")

# %%
# Time
# ----
# From a thousand people on, one averaged pass takes less than half of the time in which Newton-CG converges. Faster
# batch solvers change what the thesis found: the closed form is exact, and takes about as long as the averaged pass.

STYLES = dict(zip(solvers, ("o-", "s--", "^-.", "D:", "v-"), strict=True))


def draw(column: int, of: list[str], **texts: str) -> Axes:
    """Draw one column of the results against the number of people."""
    _, ax = plt.subplots(layout="constrained")
    for name in of:
        colour = f"C{list(solvers).index(name)}"
        values = [row[column] for row in results[name]]
        ax.plot(SIZES[: len(values)], values, STYLES[name], color=colour, label=name)
    ax.set(xscale="log", xlabel="people to learn from", **texts)
    ax.set_xticks(SIZES, [str(n) for n in SIZES])
    ax.minorticks_off()
    ax.legend(fontsize="small")
    return ax


draw(1, list(solvers), yscale="log", ylabel="processor's seconds", title="Time of a fit")
plt.show()

# %%
# Distance to the minimum
# -----------------------
# The averaged pass comes closer to the minimum with more people. Conjugate gradient is exact up to rounding.
# With this broad kernel everyone resembles everyone, and a function that keeps 500 people only cannot recover what it
# forgets.

# sphinx_gallery_thumbnail_number = 2
for rows in results.values():
    for i, (row, best) in enumerate(zip(rows, results["closed form"], strict=False)):
        rows[i] = (*row, 100 * (row[0] / best[0] - 1))
inexact = list(solvers)[:3]
draw(3, inexact, yscale="log", ylabel="% above the minimum", title="Objective")
plt.show()

# %%
# What the user gets
# ------------------
# How well the hidden policies of 500 others are recovered.

draw(2, list(solvers), ylabel="cosine with hidden policies", title="Policies recovered")
plt.show()
