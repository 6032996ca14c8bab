"""Normalization of raw sums over ordered pairs: numbers of pairs, and scaling."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = float | NDArray[np.float64]  # one number for all nodes or edges, or one for each


def pairs_through(
    n: int, sampled: NDArray[np.bool_] | None = None, *, endpoints: bool = False
) -> Pairs:
    """Number of ordered pairs (s, t) that could count a node: one for all nodes, or shape (n,).

    Pairs that begin or end at a node count it only with ``endpoints``; with them the number is also
    that of the pairs that could take an edge. ``sampled`` marks the sources of a uniform sample;
    None stands for all n nodes, and for chosen sources, which are not a sample.
    """
    k = n if sampled is None else float(np.count_nonzero(sampled))
    if endpoints:
        return k * (n - 1.0)
    return ((k - 1.0) if sampled is None else np.where(sampled, k - 1.0, k)) * (n - 2.0)


def rescale(raw: Any, pairs: Pairs, whole: Pairs, *, directed: bool, normalized: bool) -> Any:
    """Scores scaled as in NetworkX >= 3.5, from sums over ordered pairs; may overwrite ``raw``.

    normalized:  raw / pairs
    otherwise:   raw * (whole / pairs) / (1 if directed else 2)

    ``pairs`` begin at the sources of a sample, ``whole`` at all nodes. A score that no such pair
    could count (of the only source of a sample of one) is 0 / 0: NaN.
    """
    if isinstance(whole, float) and not whole:
        return raw
    with np.errstate(divide="ignore", invalid="ignore"):
        if normalized:
            raw /= pairs
            return raw
        if pairs is not whole:
            raw *= whole / pairs
        if not directed:
            raw /= 2
    return raw
