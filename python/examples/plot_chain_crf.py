"""
=================================
Reading words: a chain of letters
=================================

A blurred letter is hard to read alone and easier within a word. A linear-chain conditional random field (Lafferty,
McCallum & Pereira, 2001) scores labels by what is seen of each, and pairs of neighbours by what usually follows what.
It is a distribution over the paths through a trellis, whose arcs between labels are tied over the steps.
"""

# %%
# The data
# --------
# The handwriting that scikit-learn ships: digits of 8 × 8 pixels, here with so much noise that one in six is misread.
# They are the alphabet of a language in which every letter has few that may follow it: words of six letters are drawn
# from a Markov chain. Images in words for training and for testing come from different halves of the collection.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from combpred import ProbabilisticStructured
from combpred.structures import Paths

LENGTH, LETTERS, NOISE = 6, 10, 6.0
rng = np.random.default_rng(0)
digits = load_digits()
follows = np.full((LETTERS, LETTERS), 0.02)
for letter in range(LETTERS):
    follows[letter, rng.choice(LETTERS, 3, replace=False)] += [0.45, 0.25, 0.1]
follows /= follows.sum(axis=1, keepdims=True)


def write(n_words: int, half: int) -> tuple[np.ndarray, np.ndarray]:
    """Return words as noisy images (n_words, LENGTH, 64), and their letters."""
    letters = np.empty((n_words, LENGTH), dtype=int)
    letters[:, 0] = rng.integers(LETTERS, size=n_words)
    for t in range(1, LENGTH):
        for word in range(n_words):
            letters[word, t] = rng.choice(LETTERS, p=follows[letters[word, t - 1]])
    pools = [np.flatnonzero(digits.target[half::2] == letter) for letter in range(LETTERS)]
    chosen = np.array([[rng.choice(pools[letter]) for letter in word] for word in letters])
    images = digits.data[half::2][chosen]
    return images + NOISE * rng.normal(size=images.shape), letters


images, words = write(300, 0)
test_images, test_words = write(300, 1)
print(f"{len(words)} words of {LENGTH} letters to learn from, among {LETTERS**LENGTH:,} sequences")

# %%
# One letter at a time
# --------------------
# Logistic regression reads letters wherever they stand: each image is a row, and its weights are the same at every
# position.

pixels, test_pixels = images.reshape(-1, 64) / 16, test_images.reshape(-1, 64) / 16
reader = LogisticRegression(C=0.03, max_iter=1000).fit(pixels, words.ravel())
alone = reader.predict(test_pixels).reshape(test_words.shape)

# %%
# Letters first, words afterwards
# -------------------------------
# The simple way to use what follows what: divide the probabilities of letters by how frequent they are, multiply by the
# share of pairs counted in training words, and find the most probable word (Viterbi's algorithm). The same trellis
# decodes it, whatever the scores come from: here from that regression, and from one with a Gaussian kernel.

chain = Paths.trellis(LENGTH, LETTERS)
counts = np.ones((LETTERS, LETTERS))
np.add.at(counts, (words[:, :-1].ravel(), words[:, 1:].ravel()), 1)
log_follows = np.log(counts / counts.sum(axis=1, keepdims=True)).ravel()


def viterbi(classifier: LogisticRegression | Pipeline) -> np.ndarray:
    """Return the words that are most probable by single letters and counted pairs."""
    seen = np.log(classifier.predict_proba(test_pixels) + 1e-9).reshape(-1, LENGTH, LETTERS)
    seen[:, 1:] -= np.log(np.bincount(words.ravel()) / words.size)
    pairs = np.tile(log_follows, (len(seen), 1))
    return Paths.to_labels(chain.decode(np.column_stack([seen.reshape(len(seen), -1), pairs])), LETTERS)


counted = viterbi(reader)
kernel = Nystroem(gamma=0.05, n_components=500, random_state=0)
curved = make_pipeline(kernel, LogisticRegression(C=10.0, max_iter=1000)).fit(pixels, words.ravel())
counted_kernel = viterbi(curved)

# %%
# A word at a time
# ----------------
# The scores of `ProbabilisticStructured` are linear in a row's features, :math:`f(x) = Wx`, and W has its own weights
# for each entry of ψ: 60 entries for a letter at a position, and 100 for a pair of letters, which counts how often it
# occurs. A word is a row, of all its pixels. The pairs are tied over the steps, but the weights of pixels are not:
# every position has to learn reading by itself, and every pair of letters may depend on any pixel.

paths = Paths.from_labels(words, LETTERS)
free = ProbabilisticStructured(chain, alpha=10.0, tol=1e-3).fit(pixels.reshape(len(words), -1), paths)
untied = Paths.to_labels(free.predict(test_pixels.reshape(len(test_words), -1)), LETTERS)

# %%
# With weights of pixels that positions share
# -------------------------------------------
# The random field of the literature ties those as well: :math:`f_{tk} = \langle u_k, x_t\rangle` for letter k at
# position t, and one number for each pair. Its likelihood is that of the same space at other scores, whose partition
# functions and marginals are exact: the gradient with respect to the scores is the mean of ψ minus ψ of the word, and
# its sum over the positions is the gradient with respect to the weights.

psi = chain.embed(paths)
inputs, test_inputs = (np.column_stack([x, np.ones(len(x))]) for x in (pixels, test_pixels))  # a constant feature
shape = (inputs.shape[1] + LETTERS, LETTERS)  # of the weights: pixels and constant, then pairs


def scores(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the scores of ψ for words whose letters are rows of x."""
    seen = (x @ weights[: x.shape[1]]).reshape(-1, LENGTH * LETTERS)
    return np.column_stack([seen, np.tile(weights[x.shape[1] :].ravel(), (len(seen), 1))])


def loss(flat: np.ndarray, alpha: float = 3.0) -> tuple[float, np.ndarray]:
    """Return the penalised negative log-likelihood, and its gradient."""
    weights = flat.reshape(shape)
    f = scores(weights, inputs)
    residual = chain.marginals(f) - psi
    letters, follow = residual[:, : LENGTH * LETTERS], residual[:, LENGTH * LETTERS :]
    gradient = np.vstack([inputs.T @ letters.reshape(-1, LETTERS), follow.sum(axis=0).reshape(LETTERS, LETTERS)])
    value = float(np.sum(chain.log_partition(f) - (f * psi).sum(axis=1)))
    return value + alpha * flat @ flat, (gradient + 2 * alpha * weights).ravel()


weights = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", tol=1e-4).x.reshape(shape)
test_scores = scores(weights, test_inputs)
together = Paths.to_labels(chain.decode(test_scores), LETTERS)
pairs = weights[-LETTERS:]

for name, guess in (
    ("one letter at a time", alone),
    ("letters, counted pairs", counted),
    ("kernel, counted pairs", counted_kernel),
    ("all weights untied", untied),
    ("a word at a time", together),
):
    right = guess == test_words
    print(f"{name:22} letters {right.mean():.3f}, whole words {right.all(axis=1).mean():.3f}")

# %%
# Weights of pixels and pairs that are learnt together read more than the same linear reader followed by counted pairs.
# A better reader matters more: the one with a kernel, followed by counted pairs, is ahead of both. All of them need the
# trellis, for its decoder, and in training for its marginals.

# %%
# How sure is it?
# ---------------
# Marginals are sums over all sequences, by the forward–backward recursion: the probability of each letter, given the
# whole word.

sure = chain.marginals(test_scores)[:, : LENGTH * LETTERS].reshape(-1, LENGTH, LETTERS).max(axis=2)
for low, high in ((0.0, 0.6), (0.6, 0.9), (0.9, 1.01)):
    some = (sure >= low) & (sure < high)
    right = (together == test_words)[some].mean()
    print(f"probability {low:.1f} to {min(high, 1):.1f}: {some.mean():.2f} of letters, {right:.2f} right")

# %%
# Words that are hard to read
# ---------------------------
# Three words of the test set in which the reader gets two letters or more wrong. Below each image stands what is read
# when letters are read alone, and what is read in the word.

interesting = np.flatnonzero((alone != test_words).sum(axis=1) >= 2)[:3]
figure, ax = plt.subplots(figsize=(6, 4.8), layout="constrained")
for row, word in enumerate(interesting):
    for t in range(LENGTH):
        left, bottom = 10 * t, -15 * row
        image = test_images[word, t].reshape(8, 8)
        ax.imshow(image, cmap="gray_r", vmin=-8, vmax=24, extent=(left, left + 8, bottom, bottom + 8))
        for below, guess in ((1.7, alone[word, t]), (4.4, together[word, t])):
            style = {"color": "C0"} if guess == test_words[word, t] else {"color": "C1", "weight": "bold"}
            ax.text(left + 4, bottom - below, str(guess), ha="center", va="center", **style)
    for below, name in ((1.7, "alone"), (4.4, "in the word")):
        ax.text(-1, -15 * row - below, name, ha="right", va="center")
ax.set(xlim=(-17, 59), ylim=(-36, 9), aspect="equal", title="Three noisy words")
ax.axis("off")
handles = [plt.Line2D([], [], marker="o", linestyle="", color=colour) for colour in ("C0", "C1")]
figure.legend(handles, ["right", "wrong"], loc="outside lower center", ncols=2)
plt.show()

# %%
# The pairs of letters that the chain learnt to expect, beside the language that wrote the words. Bright pairs are
# frequent.

figure, axes = plt.subplots(1, 2, figsize=(6, 3.6), sharey=True, layout="constrained")
for ax, matrix, title in (
    (axes[0], pairs - pairs.mean(axis=1, keepdims=True), "Weights learnt"),
    (axes[1], np.log(follows), "The language"),
):
    ax.imshow(matrix, cmap="viridis")
    ax.set(title=title, xlabel="letter", xticks=range(0, LETTERS, 3), yticks=range(0, LETTERS, 3))
axes[0].set_ylabel("letter before")
plt.show()

# %%
# How many letters are read right at each position. The first and the last letter have one neighbour only.

figure, ax = plt.subplots(layout="constrained")
positions = np.arange(1, LENGTH + 1)
for name, guess, style in (
    ("a word at a time", together, "s-"),
    ("one letter at a time", alone, "o--"),
    ("all weights untied", untied, "^:"),
):
    ax.plot(positions, (guess == test_words).mean(axis=0), style, label=name)
ax.set(ylim=(0, 1), xlabel="position in the word", ylabel="share of letters", title="Letters read right")
ax.legend(loc="lower right")
plt.show()
