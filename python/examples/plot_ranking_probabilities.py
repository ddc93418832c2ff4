"""
===============================
How sure a ranking of digits is
===============================

Which digit is this, which comes next, and how sure can one be? `ProbabilisticStructured` predicts a distribution
over rankings, exactly, over all 3 628 800 orders of the ten digits. The example compares a clear image with an unclear
one, and checks on images that it has not seen whether the probabilities are right.
"""

# %%
# The data
# --------
# Images of digits, with rankings of the ten digits by the probability that a naive Bayes classifier gives them. There
# are few images to learn from, so that much remains uncertain.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from combpred import ProbabilisticStructured
from combpred.datasets import load_digits_ranking
from combpred.plotting import MarginalsDisplay, ReliabilityDisplay
from combpred.structures import Permutations

X, y = load_digits_ranking(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, train_size=300, test_size=500, random_state=0)
print(f"{Permutations(10).count()} rankings, {len(X_train)} images to learn from, {len(X_test)} others")

# %%
# Learning
# --------
# The penalty decides how far distributions may move from the uniform one. Its right size shows in the likelihood of
# other rankings: a small one makes the model sure of too much, a large one of too little. Kendall's τ of the most
# probable rankings hardly tells.

models = {}
for alpha in (0.003, 0.1, 1.0):
    model = ProbabilisticStructured(Permutations(), kernel="rbf", gamma="scale", alpha=alpha, tol=1e-3)
    models[alpha] = model.fit(X_train, y_train)
    loss, tau = model.score_log_loss(X_test, y_test), model.score(X_test, y_test)
    print(f"alpha {alpha:5}: log loss {loss:.2f} (uniform: {Permutations(10).log_count():.2f}), τ {tau:.3f}")

# %%
# A clear image and an unclear one
# --------------------------------
# The probabilities that one digit stands before another, for the image of least entropy. Digits are sorted by their
# expected rank.

# sphinx_gallery_thumbnail_number = 2
model = models[0.1]
entropy = model.entropy(X_test)


def draw(row: int, title: str) -> None:
    """Draw the marginals of a row, and beside them its image."""
    figure, (beside, ax) = plt.subplots(1, 2, figsize=(6, 4), width_ratios=(1, 3.2), layout="constrained")
    beside.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    beside.set(xticks=[], yticks=[])
    MarginalsDisplay.from_estimator(model, X_test[[row]], order="rank", ax=ax, include_values=False)
    ax.set(xlabel="… before this one", ylabel="this digit stands …", title=f"{title}: {entropy[row]:.1f} nats")
    ranking = " > ".join(map(str, Permutations.to_orders(model.predict(X_test[[row]]))[0]))
    print(f"{title}: most probable is {ranking}")
    plt.show()


draw(int(np.argmin(entropy)), "A clear image")

# %%
# The same for the image of most entropy.

draw(int(np.argmax(entropy)), "An unclear image")

# %%
# Are the probabilities right?
# ----------------------------
# Predicted probabilities and frequencies, for all 45 pairs of digits of all test images. What the model with the
# penalty in the middle predicts happens as often as it says.

figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for (alpha, each), marker in zip(models.items(), "^os", strict=True):
    ReliabilityDisplay.from_estimator(each, X_test, y_test, name=f"alpha {alpha}", n_bins=12, ax=ax, marker=marker)
ax.set_title("P(one digit before another)")
plt.show()
