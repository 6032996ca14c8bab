"""The graph as searches in step take it: row pointers, degrees, and the rows that are hubs."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ..prepare.launch import kernel
from ..prepare.layout import THREADS
from ..runtime.copies import clear, download
from ..runtime.kernels import c_type

FEW_HUBS = 1 << 10  # that come to the host with their number


def rows_for_search(graph: Graph, pointer: np.dtype[Any], most: int) -> dict[str, Any]:
    """What a search in step takes of a graph, by the names of its fields; some of it on the host.

    Row pointers, indices, and of each row twice its out-degree, plus one for a hub: a row of more
    than so many neighbours one way. And the hubs.
    """
    (outgoing, out_indices), (incoming, in_indices) = graph.outgoing, graph.incoming
    rows: dict[str, Any] = {"out_indices": out_indices, "in_indices": in_indices}
    if graph.ops.xp is not cupy:
        leaving: NDArray[np.int64] = outgoing[1:] - outgoing[:-1]
        is_hub = np.maximum(leaving, incoming[1:] - incoming[:-1]) > most
        rows["degree"] = (2 * leaving + is_hub).astype(np.uint32)
        rows["out_indptr"] = rows["in_indptr"] = outgoing.astype(pointer)
        if not graph.symmetric:
            rows["in_indptr"] = incoming.astype(pointer)
        return rows | {"hubs": np.flatnonzero(is_hub).astype(np.int32)}
    n, hubs = graph.n, cupy.empty(graph.n + 1, np.uint32)
    clear(hubs[:1])
    rows["degree"] = cupy.empty(n, np.uint32)
    rows["out_indptr"] = rows["in_indptr"] = cupy.empty(n + 1, pointer)
    if not graph.symmetric:
        rows["in_indptr"] = cupy.empty(n + 1, pointer)
    kernel(f"degrees<{c_type(pointer)}>")(
        (n // THREADS + 1,),
        (THREADS,),
        (
            *(np.int32(n), outgoing, incoming, np.int32(most)),
            *(rows[name] for name in ("out_indptr", "in_indptr", "degree")),
            hubs,
        ),
    )
    seen = download(hubs[:FEW_HUBS])  # device to host
    count = int(seen[0])
    found = seen if count < seen.size else download(hubs)  # device to host
    return rows | {"hubs": np.sort(found[1 : count + 1]).astype(np.int32)}
