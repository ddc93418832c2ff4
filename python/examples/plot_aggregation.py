"""
==============================
Ten teams choose a flight path
==============================

Before the two spacecraft that became Voyager 1 and 2 were launched, ten teams of scientists ranked 32 pairs of
trajectories, each by what its own instruments would see. Which ranking agrees best with all of them? This example finds
it, compares faster methods that promise less, and asks which preferences the teams share at all.
"""

# %%
# The ballots
# -----------
# One line for each team, best trajectory first, ties in braces, in the notation of PrefLib. The figures are those of
# Dyer and Miles (1976), *An actual application of collective choice theory to the selection of trajectories for the
# Mariner Jupiter/Saturn 1977 project*, Operations Research 24, as found in PrefLib (Mattei and Walsh, 2013).

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from preflibtools.instances import OrdinalInstance

from combpred.aggregation import acyclic_majority, borda, footrule, kemeny, median_rank, read_preflib

BALLOTS = """
# TITLE: Mariner Jupiter/Saturn 1977
# NUMBER ALTERNATIVES: 32
1: 23,25,22,27,21,5,2,19,13,26,7,31,24,1,30,12,18,28,8,9,29,16,32,14,15,10,4,3,17,6,11,20
1: 21,22,23,25,27,5,9,13,7,31,24,26,8,28,29,16,30,2,1,19,32,12,18,3,4,6,10,11,14,15,17,20
1: 22,25,27,23,21,5,7,30,31,32,17,29,28,13,1,8,{14,24},2,12,26,19,18,9,6,4,{3,16},15,11,10,20
1: 23,22,27,13,25,4,21,14,5,16,9,8,10,{3,17},30,20,11,28,7,31,26,24,{2,19},{15,29},{12,18},1,32,6
1: 32,31,{10,30},7,{13,25},{9,27},29,22,26,8,24,14,23,5,{12,18},4,{1,16,28},{2,19,21},{3,11,15,20},17,6
1: 20,4,23,5,3,27,22,{12,21,25},{7,11,13,24,30,31},1,6,{9,29},{2,14,17},32,{8,15,26},{10,28},19,18,16
1: 26,31,17,3,27,29,10,{7,14,15,18,22},{1,13},{8,12,19},{25,28,30},{2,11,32},9,{4,20,24},{5,21},23,16,6
1: 21,9,25,{2,10,18,19},27,{8,29},{5,14,15,28,31},{12,22,23,26},{7,16,30},{1,13,24,32},{3,4,17,20},11,6
1: {5,22},{23,25,27},{3,4,17},{2,12,21,24,30},{7,8,9,13,26,28,29,31},{1,6,11,14,15,16,18,19,20,32},10
1: 24,{20,12,9},{1,2,16},11,{3,4,5,6,7,8,10,13,14,15,17,18,19,21,22,23,25,26,27,28,29,30,31,32}
"""
election = OrdinalInstance()
election.parse_str(BALLOTS.strip(), "toi")
ballots = read_preflib(election)
rankings = ballots.rankings
print(f"{ballots.title}: {rankings.shape[0]} rankings of {rankings.shape[1]} trajectories")

# %%
# The best ranking
# ----------------
# The distance counts pairs in opposite orders, and half of each pair that a team has tied. Four trajectories come first
# in some best ranking, and four last, one by one. The other 24 form one strongly connected component of the majority's
# preferences: too large for the recursion over subsets, but the integer program solves it in no time.

best = kemeny(rankings, method="milp")
names = [str(item + 1) for item in best.order]
print(f"distance {best.distance:g}, {best.reason}; first {', '.join(names[:5])}, last {', '.join(names[-3:])}")

# %%
# What the other methods promise, and hold
# ----------------------------------------
# Each result carries the guarantee of its method, and a lower bound found on the way, which says much more. Methods
# that go by positions minimise another distance, and guarantee nothing about this one.


def kendall(y: np.ndarray) -> float:
    """Return the distance of a ranking to all ballots."""
    before, tied = rankings[:, :, None] < rankings[:, None, :], rankings[:, :, None] == rankings[:, None, :]
    return float((before & (y[:, None] > y)).sum() + np.triu(tied, 1).sum() / 2)


rows = []
for method in ("milp", "lp", "local-search", "pivot", "random-pivot", "best-input"):
    result = kemeny(rankings, method=method, random_state=0)
    assert result.ratio is not None  # there is one for rankings of all items
    rows.append((method, result.distance, result.ratio, result.certified_ratio))
for name, function in (("borda", borda), ("footrule", footrule), ("median", median_rank)):
    rows.append((name, kendall(function(rankings).consensus), np.nan, np.nan))
print("method          distance  guaranteed  proven")
for name, distance, ratio, certified in rows:
    print(f"{name:<14} {distance:9g}  {ratio:10.3f}  {certified:6.3f}")

# %%
# What the teams agree on
# -----------------------
# A pair may also be left open. Only preferences that more than a given share of the teams have count, of the teams that
# rank both trajectories, and of these the largest part without cycles; its transitive closure is a partial order.

shares = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
related = [acyclic_majority(rankings, threshold=share).relation.sum() / (32 * 31 / 2) for share in shares]
for share, part in zip(shares, related, strict=True):
    print(f"more than {share:.0%} of the teams: {part:.0%} of the pairs are ordered")

# %%
# The order in pictures
# ---------------------
# The teams' preferences in the order found: red if more teams have the row's trajectory first. Little red is left below
# the diagonal.

before = (rankings[:, :, None] < rankings[:, None, :]).sum(axis=0)
margins = (before - before.T)[np.ix_(best.order, best.order)]
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
image = ax.imshow(margins, cmap="RdBu_r", vmin=-10, vmax=10)
ax.set(title="Ten teams, 32 trajectories", xlabel="trajectory, best first", ylabel="trajectory, best first")
ax.set_xticks(range(0, 32, 4), names[::4])
ax.set_yticks(range(0, 32, 4), names[::4])
figure.colorbar(image, label="teams for the row − teams against it")
plt.show()

# %%
# How far each method's ranking is from the optimum, and the bound that the method proves. Borda, which looks at
# positions only, ends about three per cent above.

height = np.arange(len(rows))[::-1]
figure, ax = plt.subplots(layout="constrained")
ax.barh(height, [100 * (row[1] / best.distance - 1) for row in rows], color="C0", alpha=0.6, label="in fact")
ax.plot([100 * (row[3] - 1) for row in rows], height, "|", ms=14, mew=3, color="C1", label="proven at most")
ax.set_yticks(height, [name for name, *_ in rows])
ax.set(title="Distance to the ballots", xlabel="% above the least possible")
ax.legend()
plt.show()

# %%
# How much of the order survives if larger majorities are asked for.

figure, ax = plt.subplots(layout="constrained")
ax.plot(100 * shares, 100 * np.array(related), "o-")
ax.set(title="Pairs with a common order", xlabel="majority asked for, %", ylabel="% of all pairs", ylim=(0, 100))
plt.show()
