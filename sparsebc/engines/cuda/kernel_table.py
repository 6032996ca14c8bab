"""Which kernel runs when on a GPU: the engine looks it up here, and the docs print it."""

from __future__ import annotations

from ..contract import Kernel

KERNELS = (
    Kernel("betweenness", "wide levels", "floats", "cuda/brandes_batch/brandes.cu"),
    Kernel("betweenness", "thin levels", "floats", "cuda/per_source/brandes.cu"),
    Kernel("betweenness", "wide levels", "beyond floats", "cuda/per_source/brandes.cu"),
    Kernel("betweenness", "thin levels", "beyond floats", "cuda/per_source/brandes.cu"),
    Kernel("betweenness", "by length", "floats", "cuda/per_source/weighted.cu"),
    Kernel("betweenness", "near sources", "floats", "cuda/per_source/near.cu"),
    Kernel("betweenness", "by length", "beyond floats", "cpu/kernels/brandes_weighted.py"),
    Kernel("chains", "by edges", "floats", "cuda/per_source/chains.cu"),
    Kernel("chains", "by edges", "beyond floats", "cpu/kernels/brandes_chains.py"),
    Kernel("groups", "wide levels", "floats", "cuda/brandes_batch/groups.cu"),
    Kernel("groups", "thin levels", "floats", "cuda/per_source/groups.cu"),
    Kernel("groups", "by length", "floats", "cuda/per_source/groups.cu"),
    Kernel("groups", "wide levels", "beyond floats", "cpu/kernels/groups.py"),
    Kernel("groups", "by length", "beyond floats", "cpu/kernels/groups.py"),
    Kernel("distance sums", "by edges", "none", "cuda/search/msbfs.cu"),
    Kernel("distance sums", "by length", "none", "cuda/per_source/distance_sums.cu"),
    Kernel("distance sums", "near sources", "none", "cuda/per_source/near_sums.cu"),
    Kernel("bfs", "by edges", "none", "cuda/search/msbfs.cu"),
    Kernel("shortest paths", "by edges", "none", "cuda/search/msbfs.cu"),
    Kernel("shortest paths", "by length", "none", "cuda/search/shortest_paths.cu"),
    Kernel("components", "weak", "none", "cuda/graph_ops.cu"),
    Kernel("components", "strong", "none", "cuda/scc.cu"),
)
FILES = {(row.task, row.graph, row.counts): row.file for row in KERNELS}
