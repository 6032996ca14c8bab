"""Graphs to measure on: fixed seeded generators and folders of ``.npz`` files.

Every generator returns a boolean ``scipy.sparse.csr_array`` pattern with int32 indices, symmetric
but for `one_way`, without self loops and without duplicates. Equal arguments give equal graphs. A
name that ends in w has lengths: integers from 1 to 10, or those in the file; the name of a
generator that ends in f, floats from 0.1 to 1.1.
"""

import re
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sparsebc import datasets


def ba(n, b, seed=1):
    """Barabasi-Albert graph: each new node joins b distinct older ones, by degree.

    Node b starts as the centre of a star on the nodes before it, so there are ``2 b (n - b)`` arcs.
    """
    if not 1 <= b < n:
        raise ValueError(f"ba needs 1 <= b < n, got n={n}, b={b}")
    rng = np.random.default_rng(seed)
    ends = np.empty(2 * b * (n - b), np.int32)  # node v appears degree(v) times
    chosen = np.empty((n - b, b), np.int32)
    targets = np.arange(b, dtype=np.int32)
    for step, node in enumerate(range(b, n)):
        filled = 2 * b * step
        if step:
            targets = np.unique(ends[rng.integers(0, filled, b)])
        while targets.size < b:
            more = ends[rng.integers(0, filled, b - targets.size)]
            targets = np.unique(np.concatenate((targets, more)))
        chosen[step] = targets
        ends[filled : filled + b] = targets
        ends[filled + b : filled + 2 * b] = node
    return _symmetric(n, np.repeat(np.arange(b, n), b), chosen.ravel())


def leafy(n, b, seed=1):
    """Half of the nodes join one older node, the others up to b, by degree, as on the web."""
    rng = np.random.default_rng(seed)
    joins = np.where(rng.random(n) < 0.5, 1, b)
    ends = np.zeros(2 * joins.sum() + 1, np.int32)  # node v appears degree(v) times
    tails, heads, filled = [], [], 1
    for node in range(1, n):
        older = np.unique(ends[rng.integers(0, filled, joins[node])])
        tails.append(np.full(older.size, node))
        heads.append(older)
        ends[filled : filled + older.size] = older
        ends[filled + older.size : filled + 2 * older.size] = node
        filled += 2 * older.size
    return _symmetric(n, np.concatenate(tails), np.concatenate(heads))


def rmat(scale, edges_per_node, seed=1):
    """R-MAT graph on ``2**scale`` nodes, quadrants .57, .19, .19, .05; isolated nodes stay."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((1 << scale) * edges_per_node, np.int32)
    cols = np.zeros_like(rows)
    for _ in range(scale):
        draw = rng.random(rows.size)
        for ends, ones in ((rows, draw >= 0.76), (cols, draw >= 0.57)):
            ends <<= 1
            ends |= ones
        cols ^= (draw >= 0.76) & (draw < 0.95)
    return _symmetric(1 << scale, rows, cols)


def road_like(rows, cols, keep=0.72, seed=1):
    """Giant component of a grid that keeps a share of its edges, nodes in row-major order."""
    tails, heads = _grid_edges(rows, cols)
    kept = np.random.default_rng(seed).random(tails.size) < keep
    grid = _symmetric(rows * cols, tails[kept], heads[kept])
    _, labels = csgraph.connected_components(grid, directed=False)
    giant = np.flatnonzero(labels == np.bincount(labels).argmax())
    return _int32(grid[giant][:, giant])


def one_way(rows, cols, share=0.1, seed=1):
    """Largest strong component of a `road_like` grid where a share of the edges lead one way."""
    edges = sparse.triu(road_like(rows, cols, seed=seed), format="coo")
    draw = np.random.default_rng(seed).random(edges.nnz)
    forth, back = draw >= share / 2, (draw < share / 2) | (draw >= share)
    tails = np.concatenate((edges.row[forth], edges.col[back]))
    heads = np.concatenate((edges.col[forth], edges.row[back]))
    arcs = sparse.csr_array((np.ones(tails.size, bool), (tails, heads)), shape=edges.shape)
    _, labels = csgraph.connected_components(arcs, connection="strong")
    giant = np.flatnonzero(labels == np.bincount(labels).argmax())
    return _int32(arcs[giant][:, giant])


def watts_strogatz(n, degree, p=0.1, seed=1):
    """Ring of n nodes, `degree` neighbours each, every edge rewired with probability p."""
    if degree % 2 or not 2 <= degree <= n // 2:
        raise ValueError(f"watts_strogatz needs an even degree in 2..n/2, got n={n}, {degree=}")
    rng = np.random.default_rng(seed)
    tails = np.tile(np.arange(n), degree // 2)
    heads = (tails + np.repeat(np.arange(1, degree // 2 + 1), n)) % n
    redraw = rng.random(tails.size) < p
    kept_first = np.argsort(redraw, kind="stable")  # of two equal edges the later is redrawn
    tails, heads, redraw = tails[kept_first], heads[kept_first], redraw[kept_first]
    while redraw.any():
        heads[redraw] = rng.integers(0, n, np.count_nonzero(redraw))
        keys = np.minimum(tails, heads) * n + np.maximum(tails, heads)
        redraw[:] = True
        redraw[np.unique(keys, return_index=True)[1]] = False
        redraw |= tails == heads
    return _symmetric(n, tails, heads)


def erdos_renyi(n, degree, seed=1):
    """Random graph of n * degree / 2 edges drawn with replacement: repeated ones are merged."""
    tails, heads = np.random.default_rng(seed).integers(0, n, (2, n * degree // 2))
    return _symmetric(n, tails, heads)


def many(count, n, degree=4.6, seed=1):
    """Disjoint union of ``count`` random graphs of n nodes, as dense as the karate club."""
    rng = np.random.default_rng(seed)
    edges = round(degree / 2 * n)
    part = np.repeat(np.arange(count), edges) * n
    tails, heads = part + rng.integers(0, n, (2, part.size))
    return _symmetric(count * n, tails, heads)


def mesh(rows, cols):
    """Two-dimensional grid of rows x cols nodes, four neighbours each, in row-major order."""
    return _symmetric(rows * cols, *_grid_edges(rows, cols))


def with_lengths(pattern, kind, seed=3):
    """Matrix with a random length for each undirected edge: "w" from 1 to 10, "f" a float."""
    tails = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    ends = np.sort(np.stack((tails, pattern.indices)), axis=0)
    _, edge = np.unique(ends[0] * pattern.shape[0] + ends[1], return_inverse=True)
    rng, count = np.random.default_rng(seed), edge.max(initial=-1) + 1
    drawn = rng.integers(1, 11, count) if kind == "w" else 0.1 + rng.random(count)
    lengths = drawn[edge].astype(np.float64)
    return sparse.csr_array((lengths, pattern.indices, pattern.indptr), pattern.shape)


GENERATORS = {
    "ba": ba,
    "leafy": leafy,
    "rmat": rmat,
    "er": erdos_renyi,
    "road": road_like,
    "oneway": one_way,
    "ws": watts_strogatz,
    "mesh": mesh,
    "many": many,
}


def make(name, folder=None):
    """Make or read a graph.

    Parameters
    ----------
    name : str
        ``rmat-12x8``, ``ba-5000x50``, ``road-100x100``, ``ws-5000x10``, ``mesh-50x50``, ..., a
        network of `sparsebc.datasets`, or a file of `folder` without its ending; with a ``w`` or an
        ``f`` at the end, weighted.
    folder : path-like, optional
        Folder of files of `scipy.sparse.save_npz` that also hold the 0-d array ``directed``.

    Returns
    -------
    csr_array, bool
        The pattern, or the matrix of lengths, and whether its arcs have a direction.

    Raises
    ------
    ValueError
        If the name is neither a generator's nor a file's.
    """
    spec = re.fullmatch(rf"({'|'.join(GENERATORS)})-(\d+)x(\d+)([wf]?)", name)
    if spec:
        pattern = GENERATORS[spec[1]](int(spec[2]), int(spec[3]))
        return with_lengths(pattern, spec[4]) if spec[4] else pattern, spec[1] == "oneway"
    if name in datasets.names():
        return _pattern(datasets.load(name).matrix), datasets.DATASETS[name].directed
    for file, weighted in ((name, False), (name.removesuffix("w"), True)):
        path = Path(folder or ".") / f"{file}.npz"
        if folder and path.is_file():
            return _read(path, weighted)
    known = ", ".join(f"{kind}-AxB" for kind in GENERATORS)
    where = f"there is no {name}.npz in {folder}" if folder else "no folder was given"
    raise ValueError(f"unknown graph {name!r}: {where}, and it is none of {known}")


def ball(matrix, count):
    """The `count` nodes nearest to node n // 2, in breadth-first order; arcs count both ways.

    Raises
    ------
    ValueError
        If the component of that node is smaller.
    """
    centre = matrix.shape[0] // 2
    near = csgraph.breadth_first_order(matrix, centre, directed=False, return_predecessors=False)
    if near.size < count:
        raise ValueError(f"a ball of {count} nodes around node {centre}: it reaches {near.size}")
    return near[:count]


def _read(path, weighted):
    """Pattern or lengths, and direction, from an ``.npz`` file."""
    with np.load(path) as file:
        directed = bool(file["directed"])
    return _pattern(sparse.csr_array(sparse.load_npz(path)), weighted), directed


def _pattern(matrix, weighted=False):
    """Boolean pattern of a matrix, or its lengths as float64."""
    values = matrix.data.astype(np.float64) if weighted else np.ones(matrix.nnz, bool)
    return _int32(sparse.csr_array((values, matrix.indices, matrix.indptr), matrix.shape))


def _grid_edges(rows, cols):
    """Tails and heads of a grid's edges, the horizontal ones first."""
    nodes = np.arange(rows * cols).reshape(rows, cols)
    tails = np.concatenate((nodes[:, :-1].ravel(), nodes[:-1].ravel()))
    heads = np.concatenate((nodes[:, 1:].ravel(), nodes[1:].ravel()))
    return tails, heads


def _symmetric(n, tails, heads):
    """Pattern with both arcs of every edge; loops dropped, repeated edges merged."""
    proper = tails != heads
    tails, heads = tails[proper].astype(np.int64), heads[proper].astype(np.int64)
    keys = np.concatenate((tails * n + heads, heads * n + tails))
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) > 0]
    indptr = np.searchsorted(keys, n * np.arange(n + 1))
    return _int32(sparse.csr_array((np.ones(keys.size, bool), keys % n, indptr), shape=(n, n)))


def _int32(matrix):
    """Give the pattern sorted int32 indices."""
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    matrix.sort_indices()
    return matrix
