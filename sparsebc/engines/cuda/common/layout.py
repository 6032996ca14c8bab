"""Fields and constants of several kernels, and the sums of `engines/sums.py` as template flags."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sums import SUMS
from ..runtime.structs import Field

WORD, WARP = 32, 32  # bits of a word, threads of a warp
# In place of the first neighbour of a row that has more than its own place holds.
LONG_ROW = -2
# Within cutoffs of so many edges a source meets few nodes.
BALL = 64
# What a source has of each node, by name: in flight where it is wanted on the host.
ROWS: dict[str, np.dtype[Any]] = {
    "level": np.dtype(np.int32),
    "before": np.dtype(np.int32),
    "distance": np.dtype(np.float64),
}

FLAGS = {row.name: row.bit for row in SUMS.values() if row.bit}
# Sums kept once for all batches: a source is in one of them.
WHOLE = ("departures",)
# Sums of which every batch in flight has its own, added up in the order of the batches.
BY_NODE = tuple(name for name in FLAGS if not SUMS[name].by_arc and name not in WHOLE)


def flags_of(sums: frozenset[str]) -> str:
    """Template parameter of a backward phase: the flags of its sums."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums))


# What every kernel that counts paths, a block of threads to a source, is called with.
PATHS = (
    Field("const Share *", "omega", "(n,)"),
    Field("const Share *", "alpha", "(count,)"),
    Field("double *", "sums", "(workers, columns, n, sums by node) over the sources of a worker"),
    Field("int *", "order", "(workers, n) nodes, level by level"),
    Field("int *", "starts", "(workers, n + 2) where each level starts"),
    Field("Real *", "counts", "(workers, n) sigma by place in the order, for several columns"),
    Field("unsigned long long *", "max_sigma", "bits of the largest path count, as a double"),
    Field("double", "limit", "path count from which the results are of no use"),
)

HEADERS = {
    "sums": "enum Sums {\n"
    + "".join(
        f"    {name.upper()} = {bit},  // {SUMS[name].meaning}\n" for name, bit in FLAGS.items()
    )
    + "};\n\n// Of these, the sums of which every batch in flight has its own, by node.\n"
    + f"constexpr int BY_NODE = {' | '.join(map(str.upper, BY_NODE))};\n",
}
