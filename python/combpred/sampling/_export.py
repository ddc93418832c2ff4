"""The function `to_arviz`: draws along chains in the form of ArviZ."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.checks import whole_number
from .._lib.versions import __version__
from ..structures import Structure
from ._diagnostics import effective_sample_size, split_r_hat
from ._sample import Samples


def to_arviz(samples: Samples, structure: Structure, *, n_chains: int = 1) -> Any:
    r"""Return draws in the form of ArviZ, for its diagnostics, summaries and plots.

    Parameters
    ----------
    samples : Samples
        What :func:`sample` returned.
    structure : Structure
        That of the draws.
    n_chains : int, default=1
        Number of successive rows of scores that are chains of one distribution, of which the number of rows must be a
        multiple: ``sample(structure, np.repeat(scores, 4, axis=0), 500)`` makes four chains for each row.

    Returns
    -------
    arviz.InferenceData, or from ArviZ 1.0 on xarray.DataTree
        With the groups:

        - "posterior": ``psi`` of dimensions (chain, draw, row, entry), entries by their `feature_names`;
        - "sample_stats": ``lp``, the score of each draw, ``n_steps`` and ``acceptance_rate`` since the draw before, of
          dimensions (chain, draw, row). Attributes of ``lp`` are our `effective_sample_size` and
          `split_r_hat` for each row; attributes of the group say which sampler made the draws.

    Raises
    ------
    ImportError
        Without ArviZ.
    ValueError
        For rows that cannot be grouped to `n_chains`.

    Notes
    -----
    Chains of a trained :class:`~combpred.ProbabilisticStructured` are those of its scores:
    ``sample(model.structure_, np.repeat(model.feature_scores(X), 4, axis=0), 500, sampler="local")``.

    :func:`split_r_hat` is ``arviz.rhat(method="split")``. :func:`effective_sample_size` differs from
    ``arviz.ess(method="mean")`` by some percent in some hundred draws: our autocovariances have the divisor of unbiased
    variances, and ArviZ counts one autocorrelation more where that is positive. ArviZ's defaults take ranks, and the
    worse of the figures for the centre and the tails (Vehtari et al., 2021), which finds chains that differ in scale
    alone, too. Where all draws are equal, ours are NaN, and ArviZ takes them for as many independent ones.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Permutations
    >>> ranking = Permutations(labels=["tea", "milk", "juice"])
    >>> draws = sampling.sample(ranking, np.zeros((4, 3)), 100, sampler="local", random_state=0)
    >>> exported = sampling.to_arviz(draws, ranking, n_chains=4)  # doctest: +SKIP
    >>> exported.posterior["psi"].sizes  # doctest: +SKIP
    Frozen({'chain': 4, 'draw': 100, 'row': 1, 'entry': 3})
    """
    import arviz
    import xarray

    if not isinstance(samples, Samples):
        raise TypeError(f"samples must be what combpred.sampling.sample returns, got {samples!r:.80}")
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, that of the draws; got {structure!r:.80}")
    n_draws, n = samples.value.shape
    whole_number(n_chains, "n_chains", 1, n)
    if n % n_chains:
        raise ValueError(f"n_chains={n_chains} must divide the number of rows, of which samples has {n}")

    def arranged(values: Any) -> Any:
        """Return values (n_draws, n, ...) as (chain, draw, row, ...)."""
        return np.moveaxis(values.reshape(n_draws, n // n_chains, n_chains, *values.shape[2:]), (2, 0), (0, 1))

    psi = structure.embed(samples.y.reshape(-1, *samples.y.shape[2:])).reshape(n_draws, n, -1)
    dims, lp = ("chain", "draw", "row"), arranged(samples.value)
    rows = [lp[:, :, row] for row in range(n // n_chains)]
    known = {
        "effective_sample_size": [effective_sample_size(row) for row in rows],
        "split_r_hat": [split_r_hat(row) for row in rows],
    }
    about = {"inference_library": "combpred", "inference_library_version": __version__, "sampler": samples.sampler}
    numbers: dict[str, Any] = {name: np.arange(size) for name, size in zip(dims, lp.shape, strict=True)}
    groups: dict[str, Any] = {
        "posterior": xarray.Dataset(
            {"psi": ((*dims, "entry"), arranged(psi))},
            {**numbers, "entry": np.asarray(structure.feature_names(), dtype=str)},
            about,
        ),
        "sample_stats": xarray.Dataset(
            {
                "lp": (dims, lp, known),
                "n_steps": (dims, arranged(samples.steps)),
                "acceptance_rate": (dims, arranged(samples.accepted / samples.steps)),
            },
            numbers,
            {**about, "is_exact": int(samples.is_exact)},
        ),
    }
    if arviz.__version__.startswith("0."):
        return arviz.InferenceData(**groups)
    return xarray.DataTree.from_dict(groups)
