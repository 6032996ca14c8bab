"""Trips within a city by radius, demand and decay, and beside dodgr: values first, then times.

The city is a grid of randomly displaced crossings, with 72 of 100 streets. ``--dodgr`` is a
program that reads a folder and a kind, "aggregate" or "si", writes the flow of each edge there and
prints its seconds; dodgr's tolerance is 0 for trips, and 1e-12 by default. The folder has
``edges.txt`` (from, to, length), ``nodes.txt`` (name, homes, jobs, k) and ``trips.txt`` (from, to,
trips); the answer is ``flow.txt``, a number for each edge.
"""

import gzip
import resource
import shlex
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from sparsebc import accessibility, betweenness, edge_betweenness, streets

from . import suite

RADII = [800, 1600, 3200]  # metres
NEAR, TRIPS = 200, 20  # nearest nodes that destinations are drawn from, and trips of a node
HELSINKI = Path(__file__).resolve().parents[1] / "docs" / "data" / "helsinki.geojson.gz"
WIDTH = 400.0  # metres, k of exp(-d / k)


def grid(side, rng):
    """Coordinates of side * side crossings about 100 m apart, and the ends of 72 % of streets."""
    number = np.arange(side * side).reshape(side, side)
    place = np.column_stack(np.divmod(number.ravel(), side)) * 100.0
    place += rng.uniform(-30, 30, place.shape)
    pairs = [number[:, :-1], number[:, 1:]], [number[:-1], number[1:]]
    ends = np.hstack([np.stack([block.ravel() for block in pair]) for pair in pairs])
    return place, ends[:, rng.random(ends.shape[1]) < 0.72]


def city(side, rng):
    """Matrix of the streets of a grid, and origin-destination matrix of trips to near crossings."""
    place, ends = grid(side, rng)
    n, lengths = side * side, np.linalg.norm(np.subtract(*place[ends]), axis=1)
    matrix = sp.coo_array((lengths, tuple(ends)), shape=(n, n)).tocsr()
    near = cKDTree(place).query(place, min(NEAR, n))[1]
    chosen = near[np.arange(n)[:, None], rng.integers(1, near.shape[1], (n, TRIPS))]
    rows, trips = np.repeat(np.arange(n), TRIPS), rng.random(n * TRIPS) + 0.1
    return matrix, sp.csr_array((trips, (rows, chosen.ravel())), shape=(n, n))


def questions(matrix, demand, sources):
    """Calls on a city by name."""
    ways = {"weighted": True, "directed": False, "cutoff": RADII, "device": "cpu"}
    decay = {"decay": ("exponential", 1 / WIDTH)}
    of_paths = ways | {"sources": sources, "normalized": False}
    return {
        "within": lambda: betweenness(matrix, **of_paths),
        "within, decay": lambda: betweenness(matrix, **of_paths, **decay),
        "within, demand, decay": lambda: betweenness(matrix, demand=demand, **of_paths, **decay),
        "accessibility": lambda: accessibility(matrix, **ways),
    }


def deviation(matrix, found, some):
    """Largest difference from SciPy's numbers of nodes within the radii of some nodes."""
    within = dijkstra(matrix, directed=False, indices=some, limit=max(RADII) * (1 + 1e-9))
    counts = [(within <= radius * (1 + 1e-9)).sum(axis=1) for radius in RADII]
    return float(np.abs(found[some] - np.column_stack(counts)).max())


def network(lines, rng):
    """Symmetric matrix of streets, with lengths at most a millionth longer, so that none tie."""
    matrix = sp.triu(streets.from_geodataframe(lines).matrix, format="csr")
    matrix.data *= rng.uniform(1, 1 + 1e-6, matrix.nnz)
    return sp.csr_array(matrix + matrix.T)


def compare(program, matrix, rng):
    """Yield a row for each kind of edge flows by dodgr and by sparsebc: trips, and interaction."""
    n, coo = matrix.shape[0], matrix.tocoo()
    trips = sp.random_array((n, n), density=0.02, rng=rng, data_sampler=rng.random).tolil()
    trips.setdiag(0)
    trips = trips.tocoo()
    homes, jobs = rng.integers(1, 50, (2, n)).astype(float)
    decay, ways = {"decay": ("exponential", 1 / WIDTH)}, {"weighted": True, "device": "cpu"}

    def interaction():
        reached = accessibility(matrix, jobs, **decay, **ways) - jobs
        spread = np.divide(homes, reached, out=np.zeros(n), where=reached > 0)
        weights = {"source_weights": spread, "target_weights": jobs}
        return edge_betweenness(matrix, normalized=False, **weights, **decay, **ways).data

    calls = {
        "aggregate": lambda: edge_betweenness(matrix, demand=trips, normalized=False, **ways).data,
        "si": interaction,
    }
    files = {
        "edges": (coo.row, coo.col, coo.data),
        "trips": (trips.row, trips.col, trips.data),
        "nodes": (np.arange(n), homes, jobs, np.full(n, WIDTH)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in files.items():
            rows = zip(*(column.tolist() for column in columns), strict=True)
            text = "".join(" ".join(map(repr, row)) + "\n" for row in rows)
            Path(folder, f"{name}.txt").write_text(text)
        for kind, call in calls.items():
            call()
            flows, seconds, processors = suite.timed(call)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            words = [*shlex.split(program), folder, kind]
            run = subprocess.run(words, capture_output=True, text=True, check=True)
            of_dodgr = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            theirs = np.loadtxt(Path(folder, "flow.txt"))
            close = np.isclose(theirs, flows, rtol=1e-9, atol=1e-9 * flows.max())
            yield {
                "kind": kind,
                "nodes": n,
                "equal_share": float(close.mean()),
                "deviation": float(np.abs(theirs - flows).max() / flows.max()),
                "total": {"sparsebc": float(flows.sum()), "dodgr": float(theirs.sum())},
                "seconds": {"sparsebc": seconds, "dodgr": float(run.stdout.split()[-1])},
                "processor_seconds": {"sparsebc": processors, "dodgr": of_dodgr},
            }


@suite.benchmark(
    side=suite.option(548, "crossings along a side of the city"),
    sources=suite.option(help="so many of them, drawn; all by default", type=int),
    dodgr=suite.option(help="program to compare with on central Helsinki"),
)
def main(options):
    """Yield the row of each question, and those of the comparison with dodgr."""
    rng = np.random.default_rng(1)
    matrix, demand = city(options.side, rng)
    n = matrix.shape[0]
    sources = np.sort(rng.choice(n, options.sources or n, replace=False))
    for call in questions(matrix, demand, sources[:1]).values():
        call()  # compiled
    for name, call in questions(matrix, demand, sources).items():
        found, seconds, processors = suite.timed(call)
        row = {"question": name, "nodes": n, "edges": matrix.nnz, "radii": RADII}
        if name == "accessibility":
            row["deviation"] = deviation(matrix, found, rng.choice(n, min(n, 20), replace=False))
        else:
            row["sources"] = sources.size
        yield row | {"seconds": seconds, "processor_seconds": processors}
    if options.dodgr:
        import geopandas

        small = city(12, rng)[0]
        with gzip.open(HELSINKI) as file:
            town = network(geopandas.read_file(file), rng)
        for graph in (sp.csr_array(small + small.T), town):
            for row in compare(options.dodgr, graph, rng):
                yield "dodgr", row


if __name__ == "__main__":
    main()
