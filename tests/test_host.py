"""Arguments that lie in the memory of a GPU are taken wherever those of the host are."""

import functools
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, with_lengths
from numpy.testing import assert_equal
from pages import reported

import sparsebc
from sparsebc import frames, io
from sparsebc import networkx as backend
from sparsebc.foreign import on_host

A = with_lengths(LARGE["grid"], np.arange(1, 5), seed=3)
N = A.shape[0]
NODES = np.array([3, 5, 8])
WEIGHTS = np.arange(N) % 4
NAMES = [f"node {v}" for v in range(N)]


class There:
    """An array of CuPy: only `get` brings it to the host, while its device is the current one."""

    __cuda_array_interface__ = ()
    current = 0

    def __init__(self, values):
        self._values = values = np.asarray(values)
        self.size, self.shape, self.ndim = values.size, values.shape, values.ndim
        self.dtype = values.dtype

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    @property
    def device(self):
        @contextmanager
        def current():
            There.current += 1
            yield
            There.current -= 1

        return current()

    def get(self):
        assert There.current == 1
        return self._values.copy()


class SparseThere:
    """A sparse matrix of CuPy, which tells no device; its values do."""

    __module__ = "cupyx.scipy.sparse"
    format, ndim = "csr", 2

    def __init__(self, values):
        self._matrix = matrix = sp.csr_array(values)
        self.shape = matrix.shape
        self.data, self.indices, self.indptr = map(
            There, (matrix.data, matrix.indices, matrix.indptr)
        )

    @property
    def device(self):
        raise NotImplementedError

    def tocsr(self):
        return self

    def get(self):
        assert There.current == 1
        return self._matrix.copy()


def on_gpu():
    """The types of CuPy itself."""
    import cupy
    import cupyx.scipy.sparse

    def put(values):
        return cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(values, dtype=float))

    return SimpleNamespace(array=cupy.asarray, sparse=put)


HERE = SimpleNamespace(array=np.asarray, sparse=sp.csr_array)


@pytest.fixture(params=["alike", pytest.param("CuPy", marks=pytest.mark.gpu)])
def there(request):
    """What makes arrays and sparse matrices there."""
    if request.param == "CuPy":
        return on_gpu()
    return SimpleNamespace(array=There, sparse=SparseThere)


OPTIONS = {"device": "cpu", "directed": False}
ROWS = [NAMES[v] for v in NODES]


@functools.cache
def scores():
    return sparsebc.betweenness(A, **OPTIONS)


@functools.cache
def ties():
    return sparsebc.edge_betweenness(A, **OPTIONS)


def written(write, *given, suffix=".csv", **options):
    """The bytes of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        write(path, *given, **options)
        return path.read_bytes()


def network(put, suffix):
    """The file of a graph with scores of nodes and edges."""
    given = put.sparse(A.astype(float)), NAMES, {"b": put.array(scores())}
    return written(
        io.write_network, *given, {"t": put.sparse(ties())}, directed=False, suffix=suffix
    )


def page(put):
    """Columns of a report: matrix, scores of nodes and of edges, half-widths and positions."""
    pytest.importorskip("bokeh")
    shown = reported(
        *(put.sparse(A.astype(float)), NAMES),
        *({"b": put.array(scores())}, {"t": put.sparse(ties())}),
        half_widths={"b": put.array(scores() / 9)},
        positions=put.array(np.stack((scores(), WEIGHTS), axis=1)),
        directed=False,
    )
    return [shown.columns(things) for things in ("nodes", "edges")]


def streets(put):
    """Scores of junctions and of streets."""
    pytest.importorskip("pandas")
    graph = nx.grid_2d_graph(4, 5)
    nx.set_edge_attributes(graph, 2.5, "length")
    given = sparsebc.streets.from_networkx(graph)
    ways = {"weighted": True, **OPTIONS}
    on_nodes = given.on_nodes(put.array(sparsebc.betweenness(given.matrix, **ways)))
    on_edges = given.on_edges(put.sparse(sparsebc.edge_betweenness(given.matrix, **ways)))
    return on_nodes.to_dict(), on_edges.to_dict()


def part(put):
    """The part of a graph."""
    matrix, nodes = sparsebc.part_of(put.sparse(A), threshold=3)
    return matrix.toarray(), nodes


def columns(put):
    """The matrix of a table."""
    given = {"source": ["a", "b"], "target": ["b", "c"], "weight": put.array([1.5, 2])}
    return frames.read(given).matrix.data


of_nodes = functools.partial(sparsebc.betweenness, A, **OPTIONS)
CALLS = {
    "sources": lambda put: of_nodes(sources=put.array(NODES)),
    "weights of sources": lambda put: of_nodes(source_weights=put.array(WEIGHTS)),
    "cutoffs": lambda put: of_nodes(cutoff=put.array([2, 9.5]), weighted=True),
    "groups": lambda put: sparsebc.group_betweenness(A, [put.array(NODES), [1]], **OPTIONS),
    "candidates": lambda put: (
        sparsebc.prominent_group(A, 2, candidates=put.array(NODES), **OPTIONS).scores
    ),
    "states": lambda put: sparsebc.percolation(A, put.array(WEIGHTS / 4), **OPTIONS),
    "columns": columns,
    "file of scores": lambda put: written(io.write_scores, {"b": put.array(scores())}, NAMES),
    "GraphML": lambda put: network(put, ".graphml"),
    "file of pairs": lambda put: written(
        io.write_pairs, {"hops": put.array(sparsebc.bfs(A, NODES, **OPTIONS))}, ROWS, NAMES
    ),
    "report": page,
    "streets": streets,
    "graph": lambda put: (
        backend.from_matrix(put.sparse(A), NAMES, directed=False).matrix("weight").toarray()
    ),
    "part": part,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_lies_there_is_taken(call, there):
    """The same results, files and pages."""
    assert_equal(call(there), call(HERE))


def test_a_get_of_another_kind_is_not_called():
    """Mappings and a dictionary of keys, which SciPy has among its formats, stay as they are."""
    keys = sp.dok_array(LARGE["cycle"])
    given = {"device": [1.0], "data": [2.0]}
    assert on_host(keys) is keys
    assert on_host(given) is given
    found, _ = sparsebc.part_of(keys, largest_component=True)
    assert (found != LARGE["cycle"]).nnz == 0
