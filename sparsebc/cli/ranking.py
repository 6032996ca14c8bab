"""Scores beside names, the highest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.network import entries_at
from .table import table


def by_cutoff(found: Mapping[str, Any], cutoffs: Sequence[str]) -> dict[str, Any]:
    """The scores of each measure; of several cutoffs, one for each, named after it."""
    if len(cutoffs) < 2:
        return dict(found)
    return {
        f"{name}_{cutoff}": scores[place] if isinstance(scores, list) else scores[:, place]
        for name, scores in found.items()
        for place, cutoff in enumerate(cutoffs)
    }


def ranking(
    what: Mapping[str, Sequence[str]],
    measured: Mapping[str, NDArray[Any]],
    extra: Mapping[str, Sequence[str]],
    top: int,
) -> list[str]:
    """Table of the `top` rows, highest score of the first measure first; ties keep their order."""
    order = _order(measured, top)
    aligned = [_aligned(scores[order]) for scores in measured.values()]
    rows = [
        (
            str(rank),
            *(column[i] for column in what.values()),
            *scores,
            *(column[i] for column in extra.values()),
        )
        for rank, (i, *scores) in enumerate(zip(order, *aligned, strict=True), 1)
    ]
    sides = ">" + "<" * (len(what) + len(measured)) + ">" * len(extra)
    return table(("rank", *what, *measured, *extra), rows, sides)


def records(
    what: Mapping[str, Sequence[str]],
    measured: Mapping[str, NDArray[Any]],
    extra: Mapping[str, Sequence[str]],
    top: int,
) -> list[dict[str, Any]]:
    """The same rows as objects, every digit kept; what is extra are whole numbers."""
    return [
        {
            "rank": rank,
            **{title: column[i] for title, column in what.items()},
            **{title: float(scores[i]) for title, scores in measured.items()},
            **{title: int(column[i]) for title, column in extra.items()},
        }
        for rank, i in enumerate(_order(measured, top).tolist(), 1)
    ]


def _order(measured: Mapping[str, NDArray[Any]], top: int) -> NDArray[np.int64]:
    return np.argsort(-next(iter(measured.values())), kind="stable")[:top]


def _aligned(scores: NDArray[np.float64]) -> list[str]:
    """Six digits each, the decimal points below each other."""
    digits = [f"{score:#.6g}".partition(".") for score in scores]
    whole = max((len(before) for before, *_ in digits), default=0)
    return [before.rjust(whole) + point + after for before, point, after in digits]


def edges(
    scores: Any, matrix: Any, names: Sequence[str], *, directed: bool
) -> tuple[dict[str, list[str]], NDArray[Any], NDArray[np.float64]]:
    """Names of the ends of each edge, an undirected one once, its weight in the matrix, its score.

    Of the weights of an undirected edge that is stored both ways, the smaller.
    """
    coo = scores.tocoo()
    once = slice(None) if directed else coo.row < coo.col
    row, column = coo.row[once].astype(np.int64), coo.col[once].astype(np.int64)
    weights = entries_at(matrix, row, column)
    if not directed:
        weights = np.fmin(weights, entries_at(matrix, column, row))  # NaN where nothing is stored
    if matrix.dtype.kind in "biu":
        weights = weights.astype(np.int64)
    ends = {"source": row, "target": column}
    named = {title: [names[v] for v in nodes] for title, nodes in ends.items()}
    return named, weights, coo.data[once]
