"""Arguments that lie in the memory of a GPU are taken wherever those of the host are."""

from contextlib import contextmanager
from io import StringIO
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, with_lengths
from numpy.testing import assert_array_equal
from pages import Page

import sparsebc
from sparsebc import frames, io
from sparsebc import networkx as backend
from sparsebc.engines import devices
from sparsebc.host import on_host

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


@pytest.fixture(
    params=[
        "alike",
        pytest.param(
            "CuPy",
            marks=[pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")],
        ),
    ]
)
def there(request):
    """What makes arrays and sparse matrices there."""
    if request.param == "CuPy":
        return on_gpu()
    return SimpleNamespace(array=There, sparse=SparseThere)


OPTIONS = {"device": "cpu", "directed": False}
CALLS = {
    "sources": lambda put: sparsebc.betweenness(A, sources=put(NODES), **OPTIONS),
    "targets": lambda put: sparsebc.betweenness(A, targets=put(NODES), **OPTIONS),
    "weights of sources": lambda put: sparsebc.betweenness(
        A, source_weights=put(WEIGHTS), **OPTIONS
    ),
    "weights of targets": lambda put: sparsebc.stress(
        A, target_weights=put(WEIGHTS * 1.0), **OPTIONS
    ),
    "cutoff": lambda put: sparsebc.betweenness(A, cutoff=put(3), **OPTIONS),
    "cutoffs": lambda put: sparsebc.harmonic(A, cutoff=put([2, 9.5]), weighted=True, **OPTIONS),
    "rows": lambda put: sparsebc.bfs(A, put(NODES), **OPTIONS),
    "groups": lambda put: sparsebc.group_betweenness(A, [put(NODES), [1]], **OPTIONS),
    "candidates": lambda put: (
        sparsebc.prominent_group(A, 2, candidates=put(NODES), **OPTIONS).scores
    ),
    "nodes": lambda put: sparsebc.adaptive_betweenness(A, put(NODES), rng=1, **OPTIONS).scores,
    "states": lambda put: sparsebc.percolation(A, put(WEIGHTS / 4), **OPTIONS),
    "columns": lambda put: (
        frames.read(
            {"source": ["a", "b"], "target": ["b", "c"], "weight": put([1.5, 2])}
        ).matrix.data
    ),
    "ends": lambda put: io.from_edge_index(put([[0, 1], [1, 2]]), n=3).matrix.indices,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_arguments(call, there):
    """The same results."""
    assert_array_equal(call(there.array), call(np.asarray))


@pytest.mark.parametrize("suffix", [".csv", ".graphml", ".gexf"])
def test_files(suffix, there, tmp_path):
    """Scores as they come from a matrix there are written as those of the host."""
    scores = sparsebc.betweenness(A, **OPTIONS)
    ties = sparsebc.edge_betweenness(A, **OPTIONS)
    written = []
    for put in (there, SimpleNamespace(array=np.asarray, sparse=sp.csr_array)):
        path = tmp_path / f"scores{suffix}"
        if suffix == ".csv":
            io.write_scores(path, {"b": put.array(scores)}, NAMES)
        else:
            given = put.sparse(A.astype(float)), NAMES, {"b": put.array(scores)}
            io.write_network(path, *given, {"t": put.sparse(ties)}, directed=False)
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_rows_of_a_search(there, tmp_path):
    """As a table of rows, and as one of pairs."""
    hops = sparsebc.bfs(A, NODES, **OPTIONS)
    names = [NAMES[v] for v in NODES]
    written = []
    for put in (there.array, np.asarray):
        io.write_matrix(tmp_path / "rows.csv", put(hops), names, NAMES)
        io.write_pairs(tmp_path / "pairs.csv", {"hops": put(hops)}, names, NAMES)
        written.append([(tmp_path / f"{name}.csv").read_text() for name in ("rows", "pairs")])
    assert written[0] == written[1]


def test_reports(there):
    """Matrix, scores of nodes and of edges, half-widths and positions."""
    pytest.importorskip("bokeh")
    scores = sparsebc.betweenness(A, **OPTIONS)
    ties = sparsebc.edge_betweenness(A, **OPTIONS)
    shown = []
    for put in (there, SimpleNamespace(array=np.asarray, sparse=sp.csr_array)):
        file = StringIO()
        sparsebc.report(
            file,
            put.sparse(A.astype(float)),
            NAMES,
            {"b": put.array(scores)},
            {"t": put.sparse(ties)},
            half_widths={"b": put.array(scores / 9)},
            positions=put.array(np.stack((scores, WEIGHTS), axis=1)),
            directed=False,
        )
        shown.append(Page(file.getvalue()))
    for things in ("nodes", "edges"):
        tables = [page.columns(things) for page in shown]
        assert tables[0].keys() == tables[1].keys()
        for title, column in tables[0].items():
            assert_array_equal(column, tables[1][title])


def test_streets(there):
    """Scores of junctions and of streets."""
    pytest.importorskip("pandas")
    graph = nx.grid_2d_graph(4, 5)
    nx.set_edge_attributes(graph, 2.5, "length")
    given = sparsebc.streets.from_networkx(graph)
    scores = sparsebc.betweenness(given.matrix, weighted=True, **OPTIONS)
    ties = sparsebc.edge_betweenness(given.matrix, weighted=True, **OPTIONS)
    assert given.on_nodes(there.array(scores)).equals(given.on_nodes(scores))
    assert given.on_edges(there.sparse(ties)).equals(given.on_edges(ties))


def test_graphs(there):
    """Of NetworkX, and a part of one."""
    graphs = [backend.from_matrix(given, NAMES, directed=False) for given in (there.sparse(A), A)]
    assert (graphs[0].matrix("weight") != graphs[1].matrix("weight")).nnz == 0
    part, nodes = sparsebc.part_of(there.sparse(A), threshold=3)
    want, same = sparsebc.part_of(A, threshold=3)
    assert (part != want).nnz == 0
    assert_array_equal(nodes, same)


def test_a_get_of_another_kind():
    """Mappings and a dictionary of keys, which SciPy has among its formats, stay as they are."""
    keys = sp.dok_array(LARGE["cycle"])
    scores = {"device": [1.0], "data": [2.0]}
    assert on_host(keys) is keys
    assert on_host(scores) is scores
    part, _ = sparsebc.part_of(keys, largest_component=True)
    assert (part != LARGE["cycle"]).nnz == 0
