"""
===========================================
A partition function, exactly and by chance
===========================================

How many rankings are there, if each counts as much as it is worth? The answer, the partition function Z, turns scores
into probabilities. For eight labels it can be summed exactly; where it cannot, it is estimated from random rankings
alone, by letting the scores in little by little. The example does both, and looks at the chains that make such
rankings.
"""

# %%
# A distribution over rankings
# ----------------------------
# Every pair of eight labels has a score for the one standing before the other, and p(y) is proportional to the
# exponential of a ranking's sum of scores. The scores are such that few of the 40 320 rankings take most of the
# probability.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from combpred import sampling
from combpred.plotting import CoolingScheduleDisplay, TraceDisplay
from combpred.structures import Permutations

EPSILON, DELTA = 0.2, 0.25
rankings = Permutations(8)
scores = 0.7 * np.random.default_rng(0).standard_normal(rankings.n_features)
exact = rankings.log_partition(scores)
effective = np.exp(exact - scores @ rankings.marginals(scores))
print(f"ln Z = {exact:.4f}; p is as wide as {effective:.0f} equally probable rankings of {rankings.count()}")

# %%
# Estimates
# ---------
# Between the uniform distribution and p lie those of the scores times β. `log_partition` with ``method="annealed"``
# draws samples at several levels of β from 0 to 1, and multiplies estimates of how much Z grows from one to the next.
# Equally spaced levels that are safe for any scores are many. Levels that the samples themselves show to be close
# enough are few, and need fewer samples for the same promise: Z within a factor of 1 ± 0.2, with probability 0.75.
# Twenty estimates show how it is kept.

estimates = {
    schedule: sampling.log_partition(
        rankings, scores, method="annealed", epsilon=EPSILON, delta=DELTA, sampler="exact", schedule=schedule,
        random_state=0,
    )
    for schedule in ("adaptive", "uniform")
}  # fmt: skip
for schedule, found in estimates.items():
    steps = len(found.details.schedules[0]) - 1
    print(f"{schedule:9} {steps:3} steps, {found.n_samples[0]:7} samples, error of ln Z {found.value[0] - exact:+.4f}")
repeated = sampling.log_partition(
    rankings, np.tile(scores, (20, 1)), method="annealed", epsilon=EPSILON, delta=DELTA, sampler="exact", random_state=1
)

# %%
# Chains
# ------
# Samples may come from Markov chains. "meta" proposes any ranking at all, and seldom hits one that is good enough;
# "local" moves one label to another place. Each starts four times.

chains = {
    sampler: sampling.sample(
        rankings, np.tile(scores, (4, 1)), 1500, sampler=sampler, burn_in=0, thin=1, random_state=0
    )
    for sampler in ("meta", "local")
}

# %%
# The picture
# -----------
# Above, the levels of β, and twenty estimates with the bounds they promise. Below, the scores along the chains, and how
# long these remember where they were.

COLOURS = {"adaptive": "#009E73", "uniform": "#CC79A7", "local": "#0072B2", "meta": "#E66101"}


def draw_schedules(ax: Axes) -> None:
    """Draw the levels of all schedules."""
    for schedule, found in estimates.items():
        CoolingScheduleDisplay.from_estimate(found, name=schedule, ax=ax, color=COLOURS[schedule])
    ax.set_title("Cooling schedules")


def draw_estimates(ax: Axes) -> None:
    """Draw estimates of ln Z with their bounds, and the exact value."""
    order = np.argsort(repeated.value)
    value, lower, upper = (x[order] - exact for x in (repeated.value, repeated.lower, repeated.upper))
    ax.errorbar(
        range(len(value)), value, yerr=[value - lower, upper - value], fmt="o", markersize=4, capsize=2,
        color=COLOURS["adaptive"], label="estimate and its bounds",
    )  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=1, label="exact")
    ax.set(xticks=[], xlabel="estimates, in order", ylabel="error of ln Z", title="Twenty estimates, adaptive")
    ax.legend(frameon=False, loc="upper left")


figure, axes = plt.subplots(2, 2, figsize=(12, 7.5), width_ratios=(1.5, 1), layout="constrained")
draw_estimates(axes[0, 0])
draw_schedules(axes[0, 1])
for sampler, drawn in chains.items():
    TraceDisplay.from_samples(drawn, ax=axes[1], color=COLOURS[sampler])
axes[1, 0].set_title("Scores along chains")
axes[1, 1].set_title("What chains remember")
plt.show()
