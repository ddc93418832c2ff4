"""
====================================================
Row by row: stochastic descent on a function we know
====================================================

`StructuredRidge` solves its training problem in closed form, or by iterations on the kernel matrix. `StructuredSGD`
takes one step for each row, keeps the last τ of them, and never holds a kernel matrix. Here they learn the identity
function on {0, 1}⁵, an experiment of Vembu (2010), section 5.5: how far does one pass get, and in what time?
"""

# %%
# Four solvers, one objective
# ---------------------------
# Inputs are five fair bits, and the label set of an input is the input itself. We compare a single pass over m rows, of
# which τ = 0.15 m are kept, with Newton-CG, the method of the thesis, and with what came later: conjugate gradient with
# a preconditioner, and the closed form. We measure the objective for each row, and the processor time of the fit, which
# for stochastic descent includes the exact objective at the end, as much work as the pass itself.

from __future__ import annotations

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from combpred import StructuredRidge, StructuredSGD
from combpred.datasets import make_identity_labels

SIZES = (100, 300, 1000, 2000, 4000)
N_KEPT, SHARES = 2000, (0.01, 0.02, 0.05, 0.15, 0.3, 0.6, None)
common = {"structure": "labelsets", "kernel": "rbf", "gamma": 0.5, "alpha": 1.0}
solvers = {
    "SGD, one pass, τ = 0.15 m": StructuredSGD(**common, truncation=0.15, max_iter=1, random_state=0),
    "SGD, all kept, averaged": StructuredSGD(**common, average=True, max_iter=1, random_state=0),
    "Newton-CG": StructuredRidge(**common, solver="newton-cg", tol=1e-3),
    "CG": StructuredRidge(**common, solver="cg", tol=1e-3),
    "closed form": StructuredRidge(**common, solver="closed-form"),
}


def fitted(n: int, model: StructuredRidge | StructuredSGD) -> tuple[float, float]:
    """Return the objective for each row and the seconds of a fit."""
    X, y = make_identity_labels(n, random_state=0)
    began = time.process_time()
    model.fit(X, y)
    return model.objective_ / n, time.process_time() - began


fitted(50, StructuredRidge(**common))  # what is loaded at the first fit
warnings.simplefilter("ignore", ConvergenceWarning)  # a loose tolerance and a single pass are what we ask for
curves = {name: [fitted(n, model) for n in SIZES] for name, model in solvers.items()}
for name, curve in curves.items():
    print(f"{name:26}" + "  ".join(f"{value:.4f} in {seconds:5.2f} s" for value, seconds in curve))

# %%
# How much must be kept?
# ----------------------
# A function that keeps τ rows forgets what older rows taught it. Of 2000 rows with 32 different inputs, a few hundred
# contain every input several times.

exact = curves["closed form"][SIZES.index(N_KEPT)][0]
one_pass = StructuredSGD(**common, max_iter=1, random_state=0)
by_truncation = {
    average: [fitted(N_KEPT, one_pass.set_params(truncation=share, average=average)) for share in SHARES]
    for average in (False, True)
}
for share, (value, seconds) in zip(SHARES, by_truncation[False], strict=True):
    kept = N_KEPT if share is None else round(share * N_KEPT)
    print(f"τ = {kept:4}: {value:.4f} in {seconds:.2f} s")

# %%
# The picture
# -----------
# Left, one truncated pass falls short of the minimum, by less as there are more rows; one that keeps all rows and
# averages is within a thousandth of it from some hundred rows on. In the middle, the time: beyond a thousand rows both
# take less than Newton-CG to its tolerance, as the thesis found. Faster batch solvers move that crossing to some
# thousand rows, where only a pass neither factors a matrix of all rows nor multiplies by it many times. Right, what is
# lost by keeping less; an average is truncated as it goes, and loses more.

COLOURS = ("#0072B2", "#56B4E9", "#CC79A7", "#E69F00", "#009E73")
figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.2), layout="constrained")
for (name, curve), colour, marker in zip(curves.items(), COLOURS, "os^Dv", strict=True):
    values, seconds = zip(*curve, strict=True)
    if name != "closed form":
        gaps = [1 - value / best for (value, _), (best, _) in zip(curve, curves["closed form"], strict=True)]
        axes[0].plot(SIZES, np.maximum(gaps, 1e-8), marker=marker, color=colour, label=name)
    axes[1].plot(SIZES, seconds, marker=marker, color=colour, label=name)
axes[0].set(
    xscale="log", yscale="log", xlabel="rows m", ylabel="objective, relative distance", title="Distance to the minimum"
)
axes[1].set(xscale="log", yscale="log", xlabel="rows m", ylabel="processor's seconds", title="Time of a fit")
kept = [N_KEPT if share is None else share * N_KEPT for share in SHARES]
for average, colour, label in ((False, COLOURS[0], "last function"), (True, COLOURS[1], "average")):
    axes[2].plot(kept, [value for value, _ in by_truncation[average]], marker="o", color=colour, label=label)
axes[2].axhline(exact, color=COLOURS[4], linestyle="--", label="closed form")
axes[2].set(
    xscale="log", xlabel="size of the support τ", ylabel="objective for each row", title=f"One pass over {N_KEPT} rows"
)
for ax in axes:
    ax.grid(alpha=0.3)
for ax in axes[1:]:
    ax.legend(frameon=False, fontsize=8)
plt.show()
