"""Scores from raw sums over ordered pairs: numbers of pairs, and scaling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pairs_through(
    n: int, sampled: NDArray[np.bool_] | None, *, endpoints: bool
) -> float | NDArray[np.float64]:
    """Ordered pairs (s, t) that could count a node: one number for all of them, or shape (n,).

    A pair counts its end points only with ``endpoints``. ``sampled`` marks the sources of a
    uniform sample; None stands for all n nodes, and for chosen sources, which are not a sample.
    """
    if sampled is None:
        return n * (n - 1.0) if endpoints else (n - 1.0) * (n - 2.0)
    k = float(np.count_nonzero(sampled))
    if endpoints:
        return k * (n - 1.0)
    return np.where(sampled, k - 1.0, k) * (n - 2.0)


def rescale(
    raw: NDArray[np.float64],
    sampled: NDArray[np.bool_] | None,
    *,
    directed: bool,
    normalized: bool,
    endpoints: bool,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Scores of NetworkX >= 3.5 from sums over ordered pairs; in ``out``, which may be ``raw``.

    normalized:  raw / pairs_through
    otherwise:   raw * (pairs in all / pairs_through) / (1 if directed else 2)

    A node that no sampled pair can count (the only source of a sample of one) is 0 / 0: NaN.
    """
    n = raw.size
    if (n if endpoints else n - 1) < 2:
        return raw
    pairs = pairs_through(n, sampled, endpoints=endpoints)
    with np.errstate(divide="ignore", invalid="ignore"):
        if normalized:
            return np.divide(raw, pairs, out=out)
        if sampled is not None:
            raw = raw * (pairs_through(n, None, endpoints=endpoints) / pairs)
        return np.divide(raw, 1 if directed else 2, out=out)


def rescale_weighted(
    raw: NDArray[np.float64],
    pairs: NDArray[np.float64],
    *,
    directed: bool,
    normalized: bool,
    endpoints: bool,
) -> NDArray[np.float64]:
    """Scores from sums over ordered pairs that have weights; ``pairs`` is their sum for each node.

    A node that no pair of positive weight can count is 0 / 0: NaN.
    """
    if not normalized:
        return raw / (1 if directed else 2)
    if (raw.size if endpoints else raw.size - 1) < 2:
        return raw
    with np.errstate(divide="ignore", invalid="ignore"):
        return raw / pairs


def rescale_arcs(
    raw: NDArray[np.float64],
    n: int,
    sampled: NDArray[np.bool_] | None,
    *,
    directed: bool,
    normalized: bool,
) -> NDArray[np.float64]:
    """Edge scores of NetworkX from sums over ordered pairs: any of k (n - 1) could take an edge.

    The raw sums of an undirected edge are those of both its arcs.
    """
    k = n if sampled is None else np.count_nonzero(sampled)
    if normalized:
        return raw / max(k * (n - 1.0), 1.0)
    return raw * (n / max(k, 1)) / (1 if directed else 2)
