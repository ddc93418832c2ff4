"""Draws from p_β(y) ∝ exp(β⟨s, ψ(y)⟩) along chains that are led from level to level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lib_chain
from ._annealing_levels import Drawn, Levels, Trust
from ._chain_diagnostics import cube_mixing_bound, meta_mixing_bound
from ._errors import CapabilityError

_N_CHAINS = 4
_TUNING_DRAWS = 256  # of each chain
_DEPENDENCE = 1.25  # draws that are to be worth an independent one
_DECAY = math.log((_DEPENDENCE + 1) / (_DEPENDENCE - 1))  # of the slowest mode from draw to draw that this means
_DRAWN = 1.75  # draws that are made for an independent one: tuned figures are too small rather than too large
_MOST_R_HAT = 1.05
_KEPT = 2**14  # draws of a level for the diagnosis
_FEWEST = 64  # draws at a level where steps are short
_PROVEN_SHARE = 0.01  # of all steps that a burn-in by a bound may take


class ChainLevels(Levels):
    """Draws of four chains, which begin at a level where those at the nearest level below are.

    At its first visit to a level the number of steps between draws is raised until the autocorrelation time of scores
    is at most 1.25 draws: neighbours then have a correlation of 1/9. The first draw follows after as many as take such
    a correlation down to the total variation allowed, squared; or after what a mixing bound proves, where that is 1 %
    of all steps or less. For each independent draw that a schedule asks for, 1.75 are made.

    Parameters
    ----------
    sampler : {"local", "meta", "cube"}
    spread : float
        Bound on the range of scores, infinite where none is known.
    total_variation : float
        Distance from p_β at which draws begin.
    """

    def __init__(self, sampler: str, spread: float, total_variation: float, *args: Any) -> None:
        super().__init__(*args)
        self._sampler, self._spread, self._tv = sampler, spread, total_variation
        self._states: dict[float, NDArray[Any]] = {}
        self._spacing: dict[float, int] = {}
        self._seen: dict[float, list[NDArray[np.float64]]] = {}
        self._failure: str | None = None
        self._uniformly = True

    def _draw(self, beta: float, n: int) -> Drawn:
        if beta == 0 and self._uniformly:
            try:
                drawn = self._uniform(n)
            except CapabilityError:
                self._uniformly = False
            else:
                self._states[beta] = drawn[1][np.arange(_N_CHAINS) % n]
                return drawn
        if beta not in self._spacing:
            self._tune(beta)
        many = -(-n // _N_CHAINS)
        values, parts = self._run(beta, many, 0, self._spacing[beta])
        seen = self._seen[beta]
        if sum(block.shape[1] for block in seen) < _KEPT:
            seen.append(values)
        # One draw of each chain after the other: neighbours are as independent as can be.
        return values.T.ravel()[:n], np.swapaxes(parts, 0, 1).reshape(-1, parts.shape[2])[:n]

    def visit(self, beta: float) -> None:
        if beta == 0:
            self.draw(beta, _N_CHAINS)
        elif beta not in self._spacing:
            self._tune(beta)

    def _run(self, beta: float, many: int, burn_in: int, spacing: int) -> Drawn:
        """Go on with the chains at a level; return scores (chains, many) and parts (chains, many, ·)."""
        plan = _lib_chain.Plan(self._sampler, many, burn_in, spacing, 1, self._seed())
        rows = np.tile(beta * self.scores, (_N_CHAINS, 1))
        drawn = self.structure._draw_parts(rows, plan, self._states.get(beta), None, self.n_threads)
        self._count(drawn.value.size, int(drawn.steps.sum()), int(drawn.accepted.sum()))
        self._states[beta] = drawn.y[:, -1]
        values = drawn.value / beta if beta > 0 else self._score(drawn.y.reshape(-1, drawn.y.shape[2]))
        return values.reshape(_N_CHAINS, many), drawn.y

    def _tune(self, beta: float) -> None:
        below = [level for level in self._states if level < beta]
        spacing = 1
        if below:
            self._states[beta] = self._states[max(below)]
            spacing = max(1, self._states[beta].shape[1], self._spacing.get(max(below), 1))
        while True:
            values, _ = self._run(beta, _TUNING_DRAWS, self._burn_in(beta, spacing), spacing)
            size = _lib_chain.chain_diagnose(values)[0]
            dependence = values.size / size if size == size else 1.0  # NaN: all scores are equal
            if dependence <= _DEPENDENCE:
                break
            longer = math.ceil(spacing * min(max(dependence, 1.5), 16.0))
            if values.size * longer > (self.max_steps - self.n_steps) / 8:
                self._failure = self._failure or (
                    f"at level {beta:.3g} draws {spacing} steps apart are worth {100 / dependence:.0f} % of as many "
                    "independent ones"
                )
                break
            spacing = longer
        self._spacing[beta] = spacing
        self._seen[beta] = [values]

    def _burn_in(self, beta: float, spacing: int) -> int:
        steps = math.ceil(2 * math.log(1 / self._tv) / _DECAY) * spacing
        proven = math.inf
        if self._sampler == "meta":
            proven = meta_mixing_bound(-beta * self._spread, self._tv)
        elif self._sampler == "cube" and self.structure._free_values() == (0, 1):
            proven = cube_mixing_bound(len(self.scores), self._tv)
        return math.ceil(proven) if _N_CHAINS * proven <= _PROVEN_SHARE * self.max_steps else steps

    def affordable(self, levels: Sequence[float], n: int) -> int:
        for beta in levels:
            if beta > 0 and beta not in self._spacing:
                self._tune(beta)
        wanted = math.ceil(_DRAWN * n)
        each = sum(self._spacing.get(beta, 1) for beta in levels)
        possible = max(int((self.max_steps - self.n_steps) / each), _FEWEST)
        if possible < wanted:
            self._failure = (
                f"max_steps={self.max_steps} leave room for {possible} of {wanted} draws at each of "
                f"{len(levels)} levels"
            )
        return min(wanted, possible)

    def trust(self) -> Trust:
        share, r_hat = 1.0, 1.0
        for blocks in self._seen.values():
            size, ratio, _ = _lib_chain.chain_diagnose(np.concatenate(blocks, axis=1))
            if size == size:  # not NaN, as where all scores are equal
                share = min(share, size / sum(block.size for block in blocks))
                r_hat = max(r_hat, ratio)
        failure = self._failure
        if failure is None and (share < 1 / _DRAWN or r_hat > _MOST_R_HAT):
            failure = f"draws are worth {100 * share:.0f} % of as many independent ones, and split-R̂ is {r_hat:.3f}"
        return Trust(share, r_hat, failure)
