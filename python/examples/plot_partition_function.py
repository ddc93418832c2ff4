"""
===========================================
A partition function, exactly and by chance
===========================================

The partition function Z turns scores into probabilities. For rankings of eight labels it can be summed exactly. If it
cannot, it is estimated from random rankings, by letting the scores in little by little. This example does both, and
looks at the Markov chains that draw such rankings.
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
# All twenty intervals contain the exact value.

figure, ax = plt.subplots(layout="constrained")
order = np.argsort(repeated.value)
value, lower, upper = (x[order] - exact for x in (repeated.value, repeated.lower, repeated.upper))
ax.errorbar(range(20), value, yerr=[value - lower, upper - value], fmt="o", capsize=3, label="estimate and bounds")
ax.axhline(0.0, color="C1", linewidth=2, label="exact")
ax.set(xticks=[], xlabel="twenty estimates, in order", ylabel="error of ln Z", title="Estimates and their bounds")
ax.legend(loc="upper left")
plt.show()
print(f"{np.mean((lower <= 0) & (upper >= 0)):.0%} of the intervals contain the exact value")

# %%
# The levels of β that the samples chose, and those that are safe for any scores.

figure, ax = plt.subplots(layout="constrained")
for schedule, found in estimates.items():
    CoolingScheduleDisplay.from_estimate(found, name=schedule, ax=ax)
ax.set_title("Cooling schedules")
plt.show()

# %%
# Chains
# ------
# Samples may come from Markov chains. "meta" proposes any ranking at all, and seldom hits one that is good enough;
# "local" moves one label to another place. Each starts four times. The autocorrelation tells how long chains remember
# where they were. Those of "meta" stay at the same ranking for dozens of draws.

chains = {
    sampler: sampling.sample(
        rankings, np.tile(scores, (4, 1)), 1500, sampler=sampler, burn_in=0, thin=1, random_state=0
    )
    for sampler in ("meta", "local")
}
figure, ax = plt.subplots(layout="constrained")
for sampler, style in (("meta", "C1--"), ("local", "C0-")):
    curves = sampling.autocorrelation(chains[sampler].value.T, 100)
    lines = ax.plot(curves.T, style)
    lines[0].set_label(sampler)
ax.axhline(0.0, color="0.5", linewidth=0.8)
ax.set(xlabel="lag", ylabel="autocorrelation", title="What chains remember")
ax.legend()
plt.show()

# %%
# The scores along the first 300 draws of one chain of each kind, in a display with its effective sample size.

figure, ax = plt.subplots(layout="constrained")
for sampler, colour in (("meta", "C1"), ("local", "C0")):
    display = TraceDisplay(chains[sampler].value[:300, 0], name=sampler)
    display.plot(ax, color=colour, linewidth=1.5, alpha=1)
ax.set_title("Scores along chains")
plt.show()
