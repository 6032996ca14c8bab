"""cuGraph in a process of its own, because an illegal address there ends every later CUDA call.

``python -m benchmarks.cugraph FOLDER`` reads ``FOLDER/graph.npz``, as `measure` writes it, keeps
the scores in ``FOLDER/scores.npy`` and prints a JSON line after each step. Scores are raw: scaled
as cuGraph scales them, 0 at vertices that it does not return.

There are three ways to call it: with a ``prebuilt`` graph on the device to scores there, from a
CuPy csr matrix (``device``), and from a SciPy matrix to scores on the host (``host``).
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from .peers import answers, told

LONG = 4.0  # seconds; the first run of a longer call counts, and ``device`` is left out
ENOUGH = 19.0  # seconds after which a way is not repeated
FEW = 16  # sources of the call that loads everything


def measure(A, sources, *, directed, edges, repeats, limit, sort=True):
    """Result and raw scores of cuGraph, None without scores; a run is killed after `limit` seconds.

    `sort` puts sources into the order of falling out-degree, as unsorted ones may be ignored.
    """
    with tempfile.TemporaryDirectory() as folder:
        order = np.arange(A.shape[0]) if sources is None else np.asarray(sources)
        if sort:
            degree = np.diff(A.indptr)[order]
            order = order[np.argsort(-degree, kind="stable")]
            # A source without arcs adds nothing, and may be no vertex of cuGraph's graph.
            order = order[: np.count_nonzero(degree)]
        np.savez(
            Path(folder, "graph.npz"),
            indptr=A.indptr.astype(np.int32),
            indices=A.indices.astype(np.int32),
            sources=order.astype(np.int32),
            flags=[sources is None, directed, edges, repeats],
        )
        words = [sys.executable, "-m", "benchmarks.cugraph", folder]
        return answers(words, Path(folder), limit)


def serve(folder):
    """Run one case, and print its parts as they come."""
    sys.setdlopenflags(os.RTLD_LAZY | os.RTLD_LOCAL)
    import cupy
    import pylibcugraph
    from cupyx.scipy.sparse import csr_matrix

    with np.load(folder / "graph.npz") as file:
        indptr, indices, sources, flags = (file[name] for name in file)
    every, directed, edges, repeats = map(int, flags)
    n = indptr.size - 1
    handle = pylibcugraph.ResourceHandle()
    properties = pylibcugraph.GraphProperties(is_symmetric=not directed, is_multigraph=False)
    matrix = csr_matrix(
        (cupy.ones(indices.size), cupy.asarray(indices), cupy.asarray(indptr)), shape=(n, n)
    )
    chosen = None if every else cupy.asarray(sources)

    def build(tails, heads):
        return pylibcugraph.SGGraph(
            handle,
            properties,
            tails,
            heads,
            store_transposed=False,
            renumber=True,
            do_expensive_check=False,
        )

    def scores(graph, chosen):
        if edges:
            return pylibcugraph.edge_betweenness_centrality(
                handle, graph, chosen, None, False, False
            )[:3]
        return pylibcugraph.betweenness_centrality(handle, graph, chosen, None, False, False, False)

    def from_host():
        tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
        graph = build(cupy.asarray(tails), cupy.asarray(indices))
        return [cupy.asnumpy(part) for part in scores(graph, chosen)]

    def from_device():
        coo = matrix.tocoo(copy=False)
        return scores(build(coo.row, coo.col), chosen)

    def timed(call):
        begun = time.perf_counter()
        found = call()
        cupy.cuda.Device().synchronize()
        return found, time.perf_counter() - begun

    coo = matrix.tocoo(copy=False)
    graph = build(coo.row, coo.col)
    told(version=pylibcugraph.__version__)
    timed(lambda: scores(graph, cupy.asarray(sources[:FEW])))
    found, first = timed(lambda: scores(graph, chosen))
    *ends, values = (cupy.asnumpy(part) for part in found)
    raw = np.zeros(indices.size if edges else n)
    if edges:
        tails = np.repeat(np.arange(n), np.diff(indptr)).astype(np.int64)
        place = np.searchsorted(tails * n + indices, ends[0].astype(np.int64) * n + ends[1])
    else:
        place = ends[0]
    raw[place] = values
    np.save(folder / "scores.npy", raw)
    told(dtype=str(values.dtype), missing=int(raw.size - values.size))
    ways = {"prebuilt": lambda: scores(graph, chosen), "host": from_host, "device": from_device}
    for way, call in ways.items():
        seconds = [first] if way == "prebuilt" and first > LONG else []
        if first <= LONG:
            timed(call)
        elif way == "device":
            break
        while len(seconds) < (repeats if first <= LONG or way == "prebuilt" else 1):
            if sum(seconds) > ENOUGH:
                break
            seconds.append(timed(call)[1])
            told(seconds={way: seconds})
        told(seconds={way: seconds})


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
