"""What changes no bit on a GPU: memory, launches, where state is, and how a level is found.

That the numbers are right is asked by the conformance suite, which turns the same knobs.
"""

from contextlib import contextmanager

import networkx as nx
import numpy as np
import pytest
from changed_kernels import changed_sources, short_of_memory
from conftest import NEEDS_GPU
from graphs import LARGE, LARGEST, matrix, with_lengths, with_trees
from test_chains import eager

from sparsebc import bfs, centralities, edge_betweenness, shortest_paths
from sparsebc.engines import devices
from sparsebc.engines.common import batching
from sparsebc.engines.cuda import kernel_table as table

pytestmark = list(NEEDS_GPU)

PATHS = ["betweenness", "edge_betweenness", "stress"]
DISTANCES = ["closeness", "harmonic", "eccentricity"]
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)
# On the chip, in buckets and in waves, in 32 and in 64 bits.
LENGTHS = {
    "whole": np.arange(1, 11),
    "longest": np.array([1, 30, 31]),
    "tenths": np.arange(1, 11) / 10,
    "unequal": UNEQUAL,
    "uneven": UNEQUAL / 10,
}
GRAPHS = {
    **{name: LARGE[name] for name in ("large hubs", "grid", "dense", "streets", "large digraph")},
    "trees on hubs": with_trees(nx.barabasi_albert_graph(150, 3, seed=51), seed=52),
}
STREETS = matrix(nx.grid_2d_graph(9, 50))
BATCH, SOURCE = "brandes_batch.brandes_batch", "brandes_source.brandes_source"
SEARCH, NEAR = "sssp.sssp", "high_diameter.shared_order"


def constant(*changes):
    """A change of constants: module below engines/cuda, name and value of each."""

    @contextmanager
    def changed(patch):
        for module, name, value in changes:
            patch.setattr(f"sparsebc.engines.cuda.{module}.{name}", value)
        yield {}

    return changed


def source(file, text, other):
    """A change of a constant in the source of a kernel."""

    @contextmanager
    def changed(patch):
        with changed_sources(patch, f"{file}.cu", text, other):
            yield {}

    return changed


@contextmanager
def one_at_once(patch):
    """Memory runs out with more than one slot in flight."""
    short_of_memory(patch, "one", most=1)
    yield {}


@contextmanager
def in_a_budget(patch):
    """Fewer in flight, by the plan."""
    yield {"memory_budget": 1 << 26}


@contextmanager
def on_all_devices(patch):
    """Who shares the blocks."""
    yield {"device": [f"cuda:{number}" for number in range(len(devices.gpus()))]}


def long_pointers(arcs):
    """In place of `pointer_type`: as of 2**31 arcs."""
    return np.dtype(np.int64)


ANY = {"one at once": one_at_once, "budget": in_a_budget, "devices": on_all_devices}
POINTERS = {
    "pointers": constant(
        *((module, "pointer_type", long_pointers) for module in (BATCH, SOURCE)),
        ("common.per_source", "pointer_type", long_pointers),
    )
}
LENGTH_CHANGES = {
    "launches": constant((SEARCH, "LAUNCH_ARCS", 1)),
    "two blocks": constant((SEARCH, "STATIC_BYTES", 200_000)),
    "no clock": constant((SEARCH, "TICKS", 0)),
    **{
        f"waves of {near}": constant((SEARCH, "RING", 0), (SEARCH, "NEAR", near))
        for near in (0.01, 1, 1e9)
    },
    "64 bits": constant((SEARCH, "RING", 0), (SEARCH, "UNREACHED", 0)),
}
NEAR_CHANGES = {"launches": constant((NEAR, "LAUNCH_NODES", 1))}
CHANGES = {
    "in step": {
        "lists alone": source("brandes_batch/brandes_batch", "DENSE = 4;", "DENSE = 0;"),
        "all rows": source("brandes_batch/brandes_batch", "DENSE = 4;", "DENSE = (1ull << 40);"),
        "short lists": constant((BATCH, "SPREAD", 1)),
        "bit slices": constant((BATCH, "SLICED_DEGREE", 0)),
        "no bit slices": constant((BATCH, "SLICED_DEGREE", 1 << 30)),
        **POINTERS,
    },
    "alone": {
        "queue": source("brandes_source/brandes_source", "QUEUE = 1024;", "QUEUE = 4;"),
        **{
            str(threads): constant((SOURCE, "SHARING", ((threads, 72 << 10),)))
            for threads in (128, 512)
        },
        "bytes": constant((SOURCE, "SHARING", ((512, 0),))),
        "global": constant((SOURCE, "STATIC_BYTES", 1 << 30)),
        "no small balls": constant(("common.layout", "BALL", 0)),
        **POINTERS,
    },
    "levels again": {
        "three": source("brandes_source/brandes_source", "LEVELS = 255;", "LEVELS = 3;")
    },
    "chains": {
        "table": source("chains/brandes_chains", "TABLE = 128;", "TABLE = 5;"),
        "queue": source("chains/brandes_chains", "QUEUE = 1024;", "QUEUE = 1;"),
    },
    "by length": {**LENGTH_CHANGES, **POINTERS},
    "distances by length": LENGTH_CHANGES,
    "distances": {
        "marks alone": source("msbfs/msbfs", "DENSE = 1;", "DENSE = 0;"),
        "all rows": source("msbfs/msbfs", "DENSE = 1;", "DENSE = (1ull << 40);"),
        **{f"hubs of {most}": constant(("msbfs.msbfs", "HUB", most)) for most in (0, 5, 1 << 20)},
    },
    "near": NEAR_CHANGES,
    "near by edges": NEAR_CHANGES,
    "near distances": NEAR_CHANGES,
}


def numbers(found):
    """All scores, one after the other, of one cutoff or several."""
    lists = (scores if isinstance(scores, list) else [scores] for scores in found.values())
    return np.concatenate([np.ravel(getattr(x, "data", x)) for scores in lists for x in scores])


def summed(way, cutoff, **run):
    """Scores of every graph and type of state, by the kernel of a way."""
    names = DISTANCES if "distances" in way else PATHS[:2] if "near" in way else PATHS
    weighted = "length" in way or way in ("near", "near distances")
    given = {"weighted": weighted, "device": "cuda", **run}
    if "near" in way:
        given |= {"directed": False, "reduce": "none"}
    found = {}
    for name, A in ({"streets": STREETS} if "near" in way else GRAPHS).items():
        for kind in LENGTHS if weighted else [""]:
            B = with_lengths(A, LENGTHS[kind], seed=3) if weighted else A
            unit = np.mean(LENGTHS[kind]) if weighted else 1
            reach = None if cutoff is None else np.multiply(cutoff, unit)
            for dtype in ("float32", "float64") if names != DISTANCES else [None]:
                ways = given if dtype is None else {"dtype": dtype, **given}
                scores = centralities(B, names, cutoff=reach, **ways)
                found[name, kind, dtype] = numbers(scores)
    return found


def chained(cutoff, **run):
    """Scores of edges, of chains swept from their ends."""
    with eager(64):
        ways = {"directed": False, "device": "cuda", **run}
        return {"grid": edge_betweenness(with_trees(nx.cycle_graph(101), 3), **ways).data}


def call(way, patch):
    """A function of a cutoff and of run options that has one kernel sum."""
    patch.setattr(table, "goes_alone", lambda *_: way != "in step")
    # Their sums are in the order of the workers, which must not depend on the shape of a block.
    patch.setattr("sparsebc.engines.cuda.common.per_source.MOST_WORKERS", 60)
    if "near" in way:
        for name in ("ORDERS", "ORDERS_BY_EDGES", "ORDERS_OF_DISTANCES"):
            patch.setattr(batching, name, 0)
    if way == "chains":
        return chained
    if way == "levels again":  # marks as bytes, which begin again after three levels
        patch.setattr("sparsebc.engines.cuda.brandes_source.brandes_source.SHARING", ((512, 0),))
    return lambda cutoff, **run: summed(way, cutoff, **run)


@pytest.mark.parametrize(
    ("way", "change"), [(way, name) for way, names in CHANGES.items() for name in {**ANY, **names}]
)
def test_no_bit_changes(way, change, monkeypatch):
    """Without cutoffs and, where the kernel takes them, within one or several."""
    several = {"chains": [None], "near by edges": [None], "near distances": [None, 3]}
    cutoffs = several.get(way, [None, 7.25 if way == "near" else [1, 3, 9]])
    sums = call(way, monkeypatch)
    want = [sums(cutoff) for cutoff in cutoffs]
    with {**ANY, **CHANGES[way]}[change](monkeypatch) as run:
        for cutoff, expected in zip(cutoffs, want, strict=True):
            for case, got in sums(cutoff, **run).items():
                np.testing.assert_array_equal(got, expected[case], err_msg=str((cutoff, case)))


@pytest.mark.parametrize("change", ["one at once", "budget", "hubs of 5"])
def test_rows(change, monkeypatch, caplog):
    """Levels, distances and predecessors of more sources than a search has."""
    A = LARGEST["streets"]
    sources = np.arange(1500) % A.shape[0]

    def rows(**run):
        given = {"device": "cuda", **run}
        return bfs(A, sources, **given), *shortest_paths(A, sources, **given)

    want = rows()
    with {**ANY, **CHANGES["distances"]}[change](monkeypatch) as run:
        for pair in zip(rows(**run), want, strict=True):
            np.testing.assert_array_equal(*pair)
    warned = any("out of device memory" in record.getMessage() for record in caplog.records)
    assert warned == (change == "one at once")


@pytest.mark.parametrize("directed", [True, False])
def test_rows_by_length(directed, monkeypatch):
    """Fewer sources where there is less memory, half of them where it runs out."""
    A, sources = with_lengths(LARGE["streets"], LENGTHS["tenths"], seed=5), np.arange(200)
    ways = {"weighted": True, "directed": directed, "device": "cuda"}
    want = shortest_paths(A, sources, **ways)
    for pair in zip(shortest_paths(A, sources, memory_budget=1 << 22, **ways), want, strict=True):
        np.testing.assert_array_equal(*pair)
    short_of_memory(monkeypatch, "32 sources", most=1)
    for pair in zip(shortest_paths(A, sources, **ways), want, strict=True):
        np.testing.assert_array_equal(*pair)
    short_of_memory(monkeypatch, "", most=0)
    with pytest.raises(MemoryError, match="for 32 sources on 225 nodes"):
        shortest_paths(A, sources, **ways)
    with pytest.raises(MemoryError, match="for the search from one source on 225 nodes"):
        bfs(A, sources, device="cuda")
