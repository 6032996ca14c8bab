"""Calls of every function that takes a matrix with malformed matrices, in a separate process.

    python tests/broken.py KIND ...

prints two lines of JSON for each matrix and function, before the call and after it, so that the
output of a process that dies names the call.
"""

import functools
import importlib.util
import io as streams
import json
import sys
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp

import sparsebc
from sparsebc import communities, io, streets

N = 4
PATH = sp.csr_array(np.eye(N, k=1) + np.eye(N, k=-1))  # six entries


def changed(form, **arrays):
    """The path in a format, with functions applied to some of its arrays."""
    A = PATH.asformat(form, copy=True)
    for name, change in arrays.items():
        setattr(A, name, change(getattr(A, name)))
    return A


def at(place, value, dtype=None):
    """Function that replaces one item of an array, cast to ``dtype``."""

    def change(array):
        array = array.astype(dtype or array.dtype)
        array[place] = value
        return array

    return change


def compressed():
    """Yield (part of the message, matrix) in csr and csc."""
    for form in ("csr", "csc"):
        for value, dtype in (
            (N, np.int32),
            (10**9, np.int32),
            (-7, np.int32),
            (10**9, np.uint32),
            (2**31 + 5, np.uint32),
            (2**40, np.int64),
            (-(2**40), np.int64),
            (2**63 + 1, np.uint64),
        ):
            where = f"indices[5] must lie in 0..3, got {value}"
            yield where, changed(form, indices=at(5, value, dtype))
        yield "indptr[2] is 2 after 5", changed(form, indptr=at([1, 2], [5, 2]))
        yield "indptr[0] is 1", changed(form, indptr=at(0, 1))
        yield "indptr[0] is -3", changed(form, indptr=at(0, -3))
        yield "indptr[4] is 99", changed(form, indptr=at(4, 99))
        yield "indptr[4] is 5", changed(form, indptr=at(4, 5))
        yield "indptr must have n + 1 = 5 items, got 3", changed(form, indptr=lambda a: a[:3])
        yield (
            "indptr must have n + 1 = 5 items, got 9",
            changed(form, indptr=lambda a: np.arange(9)),
        )
        yield "data must have shape (6,)", changed(form, data=lambda a: a[:2])
        yield "data must have shape (6,)", changed(form, data=lambda a: np.ones(9))
        yield "data must have shape (6,)", changed(form, data=lambda a: a[:0])
        yield "data must have shape (6,)", changed(form, data=lambda a: np.ones((6, 1)))
        yield "data must have shape (3,)", changed(form, indices=lambda a: a[:3])


def coordinates():
    """Matrices in coo, whose coordinates are a tuple."""
    for axis, name in enumerate(("row", "col")):
        for value in (N, 10**9, -7):
            A = PATH.tocoo(copy=True)
            A.coords[axis][2] = value
            yield f"{name}[2] must lie in 0..3, got {value}", A
    A = PATH.tocoo(copy=True)
    A.coords = (A.coords[0][:2], A.coords[1])
    yield "row must have len(", A
    A = PATH.tocoo(copy=True)
    A.data = A.data[:1]
    yield "data must have shape (6,)", A


def others():
    """Matrices in the formats that are converted."""

    def blocks():
        return sp.bsr_array(PATH, blocksize=(2, 2))

    for name, change in (
        ("indices", at(1, 10**9)),
        ("indices", at(1, -1)),
        ("indptr", at(1, 9)),
        ("indptr", at(2, 99)),
        ("indptr", lambda a: a[:2]),
        ("data", lambda a: a[:1]),
        ("data", lambda a: a[0]),
        ("data", lambda a: np.ones((4, 3, 3))),
    ):
        A = blocks()
        setattr(A, name, change(getattr(A, name)))
        yield "no valid bsr matrix", A
    A = PATH.tolil()
    A.rows[1].append(3)
    yield "no valid lil matrix (rows and data must be 4 lists each", A
    A = PATH.tolil()
    A.data[2].append(3.0)
    yield "of the same lengths)", A
    for column in (10**9, 2**40, 2**70, -1):
        A = PATH.tolil()
        A.rows[2][0] = column
        yield "no valid lil matrix", A
    A = PATH.tolil()
    A.rows, A.data = A.rows[:2], A.data[:2]
    yield "must be 4 lists each", A
    for key in ((1, -7), (10**9, 1), (2**40, 1)):
        A = PATH.todok()
        A._dict[key] = 1.0
        yield "no valid dok matrix", A
    A = PATH.todia()
    A.data = A.data[:1]
    yield "no valid dia matrix", A


def tuples():
    """Bare index arrays."""
    indptr, indices = PATH.indptr, PATH.indices
    for change, told in (
        ((indptr, at(5, 10**9)(indices), N), "indices[5] must lie in 0..3, got 1000000000"),
        ((at(1, 5)(indptr), indices, N), "indptr[2] is 3 after 5"),
        ((indptr, indices, 2**31 - 1), "indptr must have n + 1 = 2147483648 items, got 5"),
        ((indptr, indices, 2**31), "A has 2147483648 rows: at most 2**31 - 1 nodes"),
        ((indptr, indices, 2**62), "A has 4611686018427387904 rows"),
        ((indptr, indices, 10**30), "A has 1000000000000000000000000000000 rows"),
        ((indptr, indices, 10**5000), "A has 2**16609 or more rows"),
        ((indptr, indices, -(10**5000)), "must not be negative, got -2**16609 or more"),
        ((indptr, at(5, 2**63 + 1, np.uint64)(indices), N), "indices[5] must lie in 0..3, got 92"),
        ((at(4, 2**63 + 1, np.uint64)(indptr), indices, N), "indptr[4] must lie in 0..6, got 92"),
    ):
        yield told, change


MATRICES = {"csr, csc": compressed, "coo": coordinates, "others": others, "tuples": tuples}
ONES = np.ones(N)
ONES.flags.writeable = False


def to_file(suffix, **change):
    """Function that writes a network with scores."""

    def write(A):
        with tempfile.TemporaryDirectory() as folder:
            given = {"matrix": A, "names": [*"abcd"], "nodes": {"x": ONES}, **change}
            io.write_network(Path(folder, f"network{suffix}"), **given)

    return write


def on_streets(A):
    """Scores of streets."""
    city = streets.from_networkx(nx.path_graph(N), weight=None)
    city.on_edges(A)


def report(A, **scores):
    """Write a report."""
    given = {"matrix": A, "nodes": {"x": ONES}, **scores}
    sparsebc.report(streams.StringIO(), given.pop("matrix"), [*"abcd"], **given)


def by(function, *arguments, **options):
    """Function of the matrix with all other arguments fixed, on the CPU."""
    return lambda A: function(A, *arguments, device="cpu", **options)


def measures(**options):
    """All measures and searches, by name."""
    s = sparsebc
    return {
        "betweenness": by(s.betweenness, **options),
        "betweenness, undirected": by(s.betweenness, **options, directed=False),
        "edge_betweenness": by(s.edge_betweenness, **options),
        "stress": by(s.stress, **options),
        "centralities": by(s.centralities, ["stress", "harmonic"], **options),
        "closeness": by(s.closeness, **options),
        "harmonic": by(s.harmonic, **options, directed=False),
        "eccentricity": by(s.eccentricity, **options),
        "closeness of weights": by(s.closeness, **options, target_weights=ONES),
        "accessibility": by(s.accessibility, ONES, **options, decay=("linear", 2)),
        "nearest": by(s.nearest, ONES, **options),
        "percolation": by(s.percolation, ONES, **options),
        "group_betweenness": by(s.group_betweenness, [[1]], **options),
        "prominent_group": by(s.prominent_group, 1, **options),
        "null_model": by(s.null_model, samples=2, rng=1, **options),
        "dismantle": by(s.dismantle, **options),
        "girvan_newman": lambda A: next(communities.girvan_newman(A, device="cpu", **options)),
        "partition": by(communities.partition, 1, **options),
        "approximate": by(s.approximate_betweenness, epsilon=0.1, **options),
        "adaptive": by(s.adaptive_betweenness, [1], **options),
        "explain": by(s.explain, **options),
        "shortest_paths": by(s.shortest_paths, [0], **options),
        "reference": lambda A: s.betweenness(A, device="reference", **options),
    }


TAKE_TUPLES = {
    **measures(),
    "bfs": by(sparsebc.bfs, [0]),
    "connected_components": by(sparsebc.connected_components),
}
FUNCTIONS = {
    **TAKE_TUPLES,
    **{f"{name}, by length": function for name, function in measures(weighted=True).items()},
    "a Network": lambda A: sparsebc.betweenness(io.Network(A, tuple("abcd")), device="cpu"),
    "strength_to_distance": sparsebc.strength_to_distance,
    "part_of, threshold": functools.partial(sparsebc.part_of, threshold=0.5),
    "part_of, component": functools.partial(sparsebc.part_of, largest_component=True),
    "part_of, isolated": functools.partial(sparsebc.part_of, isolated=False),
    "from_matrix": sparsebc.networkx.from_matrix,
    "from_matrix, undirected": functools.partial(sparsebc.networkx.from_matrix, directed=False),
    **{f"write_network {suffix}": to_file(suffix) for suffix in (".graphml", ".gexf", ".cx2")},
    "write_network, scores": lambda A: to_file(".gexf", edges={"x": A})(PATH),
    "write_network, undirected": lambda A: to_file(".gexf", directed=False)(A),
    "report": report,
    "report, scores": lambda A: report(PATH, edges={"x": A}),
    **({"on_edges": on_streets} if importlib.util.find_spec("pandas") else {}),
}


def call_all(kind):
    """Call all functions that take matrices of a kind with all of these."""
    functions = TAKE_TUPLES if kind == "tuples" else FUNCTIONS
    for told, A in MATRICES[kind]():
        form = getattr(A, "format", "tuple")
        for name, function in functions.items():
            print(json.dumps([name, form, told]), flush=True)
            try:
                function(A)
                said = "no error"
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        call_all(chosen)
