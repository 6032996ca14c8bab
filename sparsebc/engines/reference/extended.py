"""The reference algebra where path counts leave the range of floats: a mantissa and an exponent.

An entry is m 2**e, and a product is one sparse product for each step of 2**512 between the entries'
exponents. Scaling by powers of two rounds nothing, and what is two steps below the largest
term of a sum is far below its last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

STEP = 512


def product(xp: Any, matrix: Any, mantissa: Any, exponent: Any, mask: Any) -> tuple[Any, Any]:
    """``matrix @ (mantissa 2**exponent)<mask>``, as mantissas in 1/2..1 (or 0) and exponents."""
    step = exponent // STEP
    value = xp.zeros(mantissa.shape)
    top = xp.zeros_like(step)
    for one in sorted(int(s) for s in xp.unique(step[mask])):
        scaled = xp.ldexp(mantissa, exponent - STEP * one)
        part = matrix @ xp.where(mask & (step == one), scaled, 0)
        lower = xp.ldexp(value, STEP * (xp.minimum(top, one) - one))
        found = part > 0
        value = xp.where(found, lower + part, value)
        top = xp.where(found, one, top)
    m, shift = xp.frexp(value)
    return m, STEP * top + shift


class ExtendedBatch:
    """One column per source of a group; ``workspace`` is that of the reference engine."""

    def __init__(self, workspace: Any, group: Any) -> None:
        self.workspace = workspace
        self.xp = xp = workspace.backend.xp
        n, width = workspace.omega.size, group.sources.size
        sources, column = xp.asarray(group.sources), xp.arange(width)
        self.alpha = xp.asarray(group.alpha)
        self.dependency = xp.zeros(n)
        self.squares = xp.zeros(workspace.squares.size)
        self.arcs = xp.zeros(workspace.arcs.size)
        self.stress = xp.zeros(workspace.stress.size)
        self.suffixes = xp.zeros((self.stress.size, width))
        self.level = xp.full((n, width), -1, dtype=np.int32)
        self.level[sources, column] = 0
        self.mantissa = xp.zeros((n, width))
        self.mantissa[sources, column] = 1
        self.exponent = xp.zeros((n, width), dtype=np.int32)
        self.max_sigma = 1.0  # no number of paths is too large

    def forward(self, depth: int) -> bool:
        """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
        if self.workspace.stop[0]:
            return False
        paths, exponent = product(
            self.xp,
            self.workspace.incoming,
            self.mantissa,
            self.exponent,
            self.level == depth,
        )
        found = (paths > 0) & (self.level < 0)
        self.level[found] = depth + 1
        self.mantissa[found] = paths[found]
        self.exponent[found] = exponent[found]
        return bool(found.any())

    def backward(self, depth: int) -> None:
        """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma."""
        if self.workspace.stop[0]:
            return
        xp, workspace = self.xp, self.workspace
        here, following = self.level == depth, self.level == depth + 1
        if self.arcs.size:
            tails, heads = workspace.tails, workspace.heads
            counts = xp.where(here, self.mantissa * self.alpha, 0)[tails]
            g = xp.where(following, self.mantissa, 0)[heads]
            apart = self.exponent[tails] + self.exponent[heads]
            self.arcs += xp.ldexp(counts * g, apart).sum(axis=1)
        if depth == 0:
            return
        if self.stress.size:
            beyond = workspace.outgoing @ xp.where(following, self.suffixes, 0)
            passing = xp.where(here, self.mantissa * beyond * self.alpha, 0)
            self.stress += xp.ldexp(passing, self.exponent).sum(axis=1)
            self.suffixes = xp.where(here, workspace.omega + beyond, self.suffixes)
        below, exponent = product(xp, workspace.outgoing, self.mantissa, self.exponent, following)
        delta = xp.where(here, xp.ldexp(self.mantissa * below, self.exponent + exponent), 0)
        self.dependency += (delta * self.alpha).sum(axis=1)
        if self.squares.size:
            self.squares += (delta * delta * self.alpha).sum(axis=1)
        # g has the exponent of 1 / sigma.
        g = (workspace.omega + delta)[here] / self.mantissa[here]
        self.mantissa[here] = g
        self.exponent[here] = -self.exponent[here]
