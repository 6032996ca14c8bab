"""Measure a power-law graph of the size of Friendster, or an R-MAT, generated on the device.

Both ends of an edge are drawn with probability proportional to rank**(-1/4), so that the largest
degrees are some thousands; in an R-MAT by quadrants, as in `graphs.rmat`. Row pointers have 64
bits, and no values are kept. Scores from two sources are compared first: harmonic centrality with
1 / level of a search, and the sum of all betweenness with that of d(s, t) - 1 over all pairs.
Estimates are from arrays on the device, and from arrays on the host.
"""

import functools
import itertools

import numpy as np

import sparsebc

from . import suite

NODES, EDGES = 65_608_366, 1_806_067_135  # of com-Friendster, whose largest degree is 5,214
SKEW = 4 / 3
STRIDE = 2_654_435_761  # a prime, which scatters the ranks over the nodes
DRAWN = 1 << 25  # edges drawn at a time
MET = 1 << 27  # arcs of a search visited at a time
TESTED = 2  # sources whose results are compared
DTYPES = ("float64", "float32")  # of path counts
WARM_UP = 128  # sources of a call that compiles the kernels of the next one


def draw_graph(ends_of, n, edges, xp, *, parts=8, seed=1):
    """Symmetric CSR arrays of a random graph: row pointers of 64 bits, indices of 32.

    One part of the rows is sorted at a time, and all edges are drawn again for each part: memory is
    that of the arrays and one part.
    """
    degrees = xp.zeros(n + 1, np.int64)
    rows_of, bounds = [], [n * part // parts for part in range(parts + 1)]
    for low, high in itertools.pairwise(bounds):
        keys = xp.concatenate(
            [_keys(*ends, n, low, high, xp) for ends in _draws(ends_of, n, edges, xp, seed)]
        )
        keys.sort()
        keep = xp.ones(keys.size, bool)
        keep[1:] = keys[1:] != keys[:-1]
        keys = keys[keep]
        degrees[low + 1 : high + 1] = xp.diff(xp.searchsorted(keys, xp.arange(low, high + 1) * n))
        keys %= n
        rows_of.append(keys.astype(np.int32))
        del keys, keep
    return xp.cumsum(degrees), xp.concatenate(rows_of)


def _draws(ends_of, n, edges, xp, seed):
    """Yield the ends of all edges, equal in every call."""
    for first in range(0, edges, DRAWN):
        rng = xp.random.default_rng(seed * edges + first)
        yield ends_of(n, min(DRAWN, edges - first), rng, xp)


def power_law(n, size, rng, xp):
    """Ends of ``size`` edges, drawn by rank."""
    rank = (n * rng.random((2, size)) ** SKEW).astype(np.int64)
    return rank * STRIDE % n


def rmat(n, size, rng, xp):
    """Ends of ``size`` edges, by quadrants .57, .19, .19, .05; n is a power of two."""
    ends = xp.zeros((2, size), np.int64)
    for _ in range(n.bit_length() - 1):
        draw = rng.random(size, dtype=np.float32)
        below = draw >= 0.76
        ends <<= 1
        ends[0] |= below
        ends[1] |= (draw >= 0.57) ^ (below & (draw < 0.95))
    return ends


def _keys(tails, heads, n, low, high, xp):
    """Row * n + column of the arcs, in both directions, of rows low to high - 1; no self loops."""
    both = [
        (row * n + column)[(row >= low) & (row < high) & (row != column)]
        for row, column in ((tails, heads), (heads, tails))
    ]
    return xp.concatenate(both)


def levels_from(source, indptr, indices, xp):
    """Level of each node, -1 if unreachable; a pull search, in which rows read all their arcs."""
    n = indptr.size - 1
    cuts = xp.searchsorted(indptr, xp.arange(MET, int(indptr[-1]), MET)).tolist()
    level = xp.full(n, -1, np.int8)
    level[source] = depth = 0
    while bool((before := level == depth).any()):
        depth += 1
        for low, high in itertools.pairwise([0, *cuts, n]):
            rows = indptr[low : high + 1]
            met = xp.zeros(int(rows[-1] - rows[0]) + 1, np.int32)
            xp.cumsum(before[indices[int(rows[0]) : int(rows[-1])]], out=met[1:])
            fresh = (xp.diff(met[rows - rows[0]]) > 0) & (level[low:high] < 0)
            level[low:high][fresh] = depth
    return level


def compare(graph, sources, on, xp):
    """Deviations of harmonic centrality and of the sum of betweenness, from few sources."""
    indptr, indices, n = graph
    want, pairs = xp.zeros(n), 0
    for source in sources.tolist():
        level = levels_from(source, indptr, indices, xp)
        reached = level > 0
        want[reached] += 1 / level[reached].astype(np.float64)
        pairs += int(level[reached].astype(np.int64).sum()) - int(reached.sum())
    got = xp.asarray(sparsebc.harmonic(graph, sources=sources, device=on))
    through = sparsebc.betweenness(
        graph, sources=sources, normalized=False, device=on, dtype=np.float32
    )
    return {
        "harmonic": float(abs(got - want).max()),
        "betweenness": abs(float(xp.asarray(through).sum()) / pairs - 1),
    }


def measure(name, graph, sources, on, **options):
    """JSON row of a timed call, after one from few of the sources."""
    run = functools.partial(getattr(sparsebc, name), graph, device=on, **options)
    run(sources=sources[:WARM_UP])
    (seconds,) = suite.seconds_of(lambda: run(sources=sources))
    gteps = sources.size * graph[1].size / seconds / 1e9
    return {"measure": name, "sources": sources.size, "seconds": seconds, "gteps": gteps}


def estimated(graph, epsilon, on, matrix):
    """JSON row of a timed estimate within epsilon, after an equal one."""
    how = {"epsilon": epsilon, "rng": 1, "directed": False, "device": on}
    estimates = []
    call = functools.partial(sparsebc.approximate_betweenness, graph, **how)
    *_, seconds = suite.seconds_of(lambda: estimates.append(call()), 2)
    (samples,) = {near.samples for near in estimates}
    kind = "sources" if estimates[0].population else "paths"
    about = {"measure": "approximate_betweenness", "epsilon": epsilon, "matrix": matrix}
    return {**about, "samples": samples, "kind": kind, "seconds": seconds}


def rows(graph, draw, options, on):
    """Yield a JSON row for each measure: of distances, betweenness in each dtype, estimates."""
    dtypes = map(np.dtype, options.dtypes if options.paths else [])
    paths = [("betweenness", {"dtype": dtype}) for dtype in dtypes]
    distances = [("harmonic", {}), ("closeness", {})] if options.distances else []
    for name, choices in [*distances, *paths]:
        count = options.paths if choices else options.distances
        row = measure(name, graph, np.sort(draw[:count]), on, **choices)
        yield row | {name: dtype.name for name, dtype in choices.items()}
    indptr, indices, n = graph
    matrices = {"host": graph}
    if not isinstance(indptr, np.ndarray):
        matrices = {"device": graph, "host": (indptr.get(), indices.get(), n)}
    for epsilon, (matrix, arrays) in itertools.product(options.epsilon, matrices.items()):
        yield estimated(arrays, epsilon, on, matrix)


@suite.benchmark(
    device="cuda",
    rmat=suite.option(help="SCALExEDGES, such an R-MAT"),
    dtypes=suite.option(["float32"], choices=DTYPES),
    distances=suite.option(8192, "sources of distance measures, 0 for none"),
    epsilon=suite.option([], "errors of estimates", type=float),
    paths=suite.option(2048, "sources of betweenness, 0 for none"),
)
def main(options):
    """Draw the graph, compare, and yield the row of each measure."""
    n, edges, ends_of = NODES, EDGES, power_law
    if options.rmat:
        scale, edges = map(int, options.rmat.split("x"))
        n, edges, ends_of = 1 << scale, edges << scale, rmat
    xp, on = np, "cpu"
    if suite.on_gpu(options):
        import cupy

        xp, on = cupy, "cuda:0"
    indptr, indices = draw_graph(ends_of, n, edges, xp)
    graph, degree = (indptr, indices, n), int(xp.diff(indptr).max())
    yield "about", {"n": n, "arcs": indices.size, "largest_degree": degree}
    if xp is not np:
        xp.get_default_memory_pool().free_all_blocks()
    draw = np.random.default_rng(2).permutation(n)
    yield "about", {"deviation": compare(graph, draw[:TESTED], on, xp)}
    yield from rows(graph, draw, options, on)


if __name__ == "__main__":
    main()
