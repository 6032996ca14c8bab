"""The one door for input: what comes in, and what is turned away with which words."""

import subprocess
import sys

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp

from sparsebc import betweenness
from sparsebc.graph import graph
from sparsebc.testing import CLASSES

# 0 -> 1 -> 2 -> 0 with a chord and a tail; two shortest paths 0 -> 3.
ROWS, COLUMNS, N = [0, 1, 2, 0, 1, 4, 3], [1, 2, 0, 4, 3, 3, 5], 6
A = sp.csr_array((np.ones(7), (ROWS, COLUMNS)), shape=(N, N))
WANT = np.array(oracle.scaled(oracle.raw(N, zip(ROWS, COLUMNS, strict=True))), dtype=np.float64)

BOOL_TO_FLOAT = [np.bool_, *np.typecodes["AllInteger"], np.float32, np.float64, np.longdouble]


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("cls", CLASSES)
def test_formats_classes_and_index_widths(device, cls, index_dtype):
    """Six SciPy classes, indices of 32 and 64 bits."""
    B = cls(A)
    if B.format == "coo":
        B.coords = tuple(axis.astype(index_dtype) for axis in B.coords)
    else:
        B.indices, B.indptr = B.indices.astype(index_dtype), B.indptr.astype(index_dtype)
    np.testing.assert_allclose(betweenness(B, device=device), WANT, rtol=1e-14)


@pytest.mark.parametrize("dtype", BOOL_TO_FLOAT, ids=lambda dtype: np.dtype(dtype).name)
def test_value_types(device, dtype):
    """Every real type that SciPy stores."""
    np.testing.assert_allclose(betweenness(A.astype(dtype), device=device), WANT, rtol=1e-14)


@pytest.mark.parametrize("kind", [list, tuple, np.int32, np.int64, np.uint8, np.intp])
def test_bare_csr_arrays(device, kind):
    """(indptr, indices, n) without any matrix: no values, so nothing to check in them."""
    indptr, indices = (
        kind(array.tolist()) if kind in (list, tuple) else array.astype(kind)
        for array in (A.indptr, A.indices)
    )
    for n in (N, np.int64(N)):
        np.testing.assert_allclose(
            betweenness((indptr, indices, n), device=device), WANT, rtol=1e-14
        )


def test_bare_csr_arrays_may_be_untidy(device):
    """Unsorted and repeated column indices are merged as in a matrix."""
    want = betweenness(([0, 2, 3, 4], [1, 2, 2, 0], 3), device=device)
    got = betweenness(([0, 4, 5, 6], [2, 1, 2, 1, 2, 0], 3), device=device)
    np.testing.assert_array_equal(got, want)


def test_explicit_zeros_are_edges(device):
    """The pattern is the graph."""
    zeros = sp.csr_array((np.zeros(7), (ROWS, COLUMNS)), shape=(N, N))
    assert zeros.nnz == 7
    np.testing.assert_allclose(betweenness(zeros, device=device), WANT, rtol=1e-14)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_no_edges(device, n, cls):
    """No edges, no paths; no nodes, an empty vector of the usual type."""
    for endpoints in (True, False):
        got = betweenness(cls((n, n)), endpoints=endpoints, device=device)
        assert got.dtype == np.float64
        np.testing.assert_array_equal(got, np.zeros(n))
    np.testing.assert_array_equal(betweenness(([0] * (n + 1), [], n), device=device), np.zeros(n))


@pytest.mark.parametrize("kind", [list, tuple, np.array, np.uint8, range])
def test_sources_and_targets_come_in_any_container(device, kind):
    """Whatever NumPy or Python holds integers in."""
    make = {range: lambda nodes: range(nodes[0], nodes[-1] + 1)}.get(kind, kind)
    want = betweenness(A, sources=[1, 2], targets=[3, 4, 5], device=device)
    got = betweenness(A, sources=make([1, 2]), targets=make([3, 4, 5]), device=device)
    np.testing.assert_array_equal(got, want)


def stored(value, dtype=None):
    """A square matrix with one awkward value, at [1, 0]."""
    return sp.csr_array((np.array([1, value], dtype=dtype), ([0, 1], [1, 0])), shape=(2, 2))


def objects():
    """A matrix of Python objects, which SciPy does not construct but lets happen."""
    B = A.copy()
    B.data = B.data.astype(object)
    return B


BAD_MATRICES = [
    # matrix, error, words of the message: argument, value, remedy
    ("karate", TypeError, ["A ", "str", "sparse"]),
    ([[0, 1], [1, 0]], TypeError, ["A ", "list", "sparse"]),
    (None, TypeError, ["A ", "None", "sparse"]),
    (np.eye(3), TypeError, ["A ", "ndarray", "scipy.sparse.csr_array(A)"]),
    (np.ones(3), TypeError, ["A ", "ndarray", "csr_array(A)"]),
    (nx.path_graph(3), TypeError, ["A ", "Graph", "sparse"]),
    (A.astype(np.complex128), TypeError, ["A ", "complex128", "abs(A)"]),
    (objects(), TypeError, ["A ", "object", "real"]),
    (sp.csr_array((2, 3)), ValueError, ["A ", "(2, 3)", "square"]),
    (sp.coo_array((3,)), ValueError, ["A ", "(3,)", "square"]),
    (sp.coo_array((2, 2, 2)), ValueError, ["A ", "(2, 2, 2)", "square"]),
    (sp.lil_array((2, 2)), TypeError, ["A ", "lil", "A.tocsr()"]),
    (sp.dia_matrix((2, 2)), TypeError, ["A ", "dia", "A.tocsr()"]),
    (stored(np.nan), ValueError, ["A ", "nan", "entry 1", "finite"]),
    (stored(np.inf), ValueError, ["A ", "inf", "entry 1", "finite"]),
    (stored(-np.inf), ValueError, ["A ", "-inf", "entry 1", "finite"]),
    (stored(-2.5), ValueError, ["A ", "-2.5", "entry 1", "abs(A)"]),
    (stored(-1, np.int8), ValueError, ["A ", "-1", "entry 1", "abs(A)"]),
    (([0, 1], [0]), ValueError, ["A ", "2 items", "(indptr, indices, n)"]),
    (([0, 1, 1], [0], 3), ValueError, ["indptr", "3", "n + 1 = 4"]),
    (([0, 2, 1], [0], 2), ValueError, ["indptr", "rise from 0 to"]),
    (([1, 1, 1], [0], 2), ValueError, ["indptr", "1 to 1", "rise from 0 to"]),
    (([0, 1, 2], [0], 2), ValueError, ["indptr", "0 to 2", "len(indices) = 1"]),
    (([0, 1, 1], [2], 2), ValueError, ["indices", "got 2", "0..1"]),
    (([0, 1, 1], [-1], 2), ValueError, ["indices", "got -1", "0..1"]),
    (([0, 1, 1], [0.5], 2), TypeError, ["indices", "float64", "integers"]),
    (([0, 1.5, 1], [0], 2), TypeError, ["indptr", "float64", "integers"]),
    (([0, 1, 1], [[0]], 2), TypeError, ["indices", "2 dimensions", "one-dimensional"]),
    (([0, 1, 1], [0], 2.0), TypeError, ["n in", "float", "int"]),
    (([0, 1, 1], [0], True), TypeError, ["n in", "bool", "int"]),
    (([0], [], -1), ValueError, ["n in", "-1", "negative"]),
]


@pytest.mark.parametrize(("matrix", "error", "words"), BAD_MATRICES)
def test_bad_matrices(matrix, error, words):
    """The message names the argument, the value and the remedy."""
    with pytest.raises(error) as caught:
        betweenness(matrix)
    for word in words:
        assert word in str(caught.value)


DAMAGED = """
import numpy, scipy.sparse, sparsebc
A = scipy.sparse.{cls}(numpy.eye(4, k=1))
{damage}
try:
    sparsebc.betweenness(A)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("cls", ["csr_array", "csc_array", "coo_array"])
def test_damaged_matrices(cls):
    """Indices that point outside are found, not followed: in another process, lest they are."""
    damages = ["A.coords[0][0] = 99", "A.coords[1][0] = -1"]
    if cls != "coo_array":
        damages = ["A.indices[0] = 99", "A.indices[0] = -1", "A.indptr[1] = 7"]
    for damage in damages:
        script = DAMAGED.format(cls=cls, damage=damage)
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert run.returncode == 0, f"{damage}: {run.stderr}"
        assert run.stdout.startswith("A."), damage
        assert "must" in run.stdout, damage


def bad_nodes(name):
    """The same mistakes for sources and for targets."""
    return [
        ({name: 1.5}, TypeError, [name, "got 1.5", "ints"]),
        ({name: [0, 1.0]}, TypeError, [name, "got [0, 1.0]", "ints"]),
        ({name: [True, False]}, TypeError, [name, "booleans", "numpy.flatnonzero"]),
        ({name: "01"}, TypeError, [name, "got '01'", "ints"]),
        ({name: ["a"]}, TypeError, [name, "got ['a']", "ints"]),
        ({name: 3}, ValueError, [name, "0 dimensions", "in a list"]),
        ({name: [[0, 1]]}, ValueError, [name, "2 dimensions", "one-dimensional"]),
        ({name: []}, ValueError, [name, "is empty", "leave it out"]),
        ({name: np.array([], dtype=np.int64)}, ValueError, [name, "is empty", "leave it out"]),
        ({name: [0, N]}, ValueError, [name, "got 6", "0..5"]),
        ({name: [-1]}, ValueError, [name, "got -1", "0..5"]),
        ({name: [2, 0, 2]}, ValueError, [name, "node 2 more than once", "numpy.unique"]),
    ]


BAD_OPTIONS = [
    # options, error, words of the message: argument, value, remedy
    *bad_nodes("sources"),
    *bad_nodes("targets"),
    ({"k": 2.0}, TypeError, ["k ", "2.0", "int"]),
    ({"k": True}, TypeError, ["k ", "True", "int"]),
    ({"k": "3"}, TypeError, ["k ", "'3'", "int"]),
    ({"k": 0}, ValueError, ["k ", "got 0", "1..n = 6"]),
    ({"k": -2}, ValueError, ["k ", "got -2", "1..n = 6"]),
    ({"k": N + 1}, ValueError, ["k ", "got 7", "1..n = 6"]),
    ({"k": 2, "sources": [0]}, ValueError, ["k=2", "sources", "leave out"]),
    ({"k": 2, "targets": [0]}, ValueError, ["k=2", "targets", "leave out"]),
    ({"rng": 5}, ValueError, ["rng=5", "leave it out", "give k"]),
    ({"k": 2, "rng": -1}, ValueError, ["rng ", "got -1", "seed"]),
    ({"k": 2, "rng": 1.5}, TypeError, ["rng ", "got 1.5", "seed"]),
    ({"sources": [[0], [1, 2]]}, ValueError, ["sources ", "one-dimensional", "unequal"]),
    ({"directed": 1}, TypeError, ["directed", "got 1", "True or False"]),
    ({"normalized": "no"}, TypeError, ["normalized", "got 'no'", "True or False"]),
    ({"endpoints": None}, TypeError, ["endpoints", "got None", "True or False"]),
    ({"batch_size": 64}, TypeError, ["'batch_size'", "memory_budget, progress"]),
    ({"worker": 2}, TypeError, ["'worker'", "did you mean 'workers'?"]),
    ({"device": "gpu"}, ValueError, ["device", "got 'gpu'", "'cpu'"]),
    ({"device": 0}, TypeError, ["device", "got 0", "'cpu'"]),
    ({"device": "cuda:99"}, RuntimeError, ["device 'cuda:99' is not there"]),
    ({"device": "cuda:"}, ValueError, ["'cuda:'", "'cpu'", "'cuda:0'"]),
    ({"dtype": np.int64}, ValueError, ["dtype", "int64", "numpy.float64 or numpy.float32"]),
    ({"dtype": "half"}, ValueError, ["dtype", "'half'", "numpy.float64 or numpy.float32"]),
    ({"dtype": "real"}, ValueError, ["dtype", "'real'", "numpy.float64 or numpy.float32"]),
    ({"dtype": None}, ValueError, ["dtype", "None", "numpy.float64 or numpy.float32"]),
    ({"workers": 0}, ValueError, ["workers", "got 0", "at least 1"]),
    ({"workers": -1}, ValueError, ["workers", "got -1", "at least 1"]),
    ({"workers": 1.5}, TypeError, ["workers", "got 1.5", "int"]),
    ({"workers": True}, TypeError, ["workers", "got True", "int"]),
    ({"memory_budget": 0}, ValueError, ["memory_budget", "got 0", "at least 1"]),
    ({"memory_budget": -8}, ValueError, ["memory_budget", "got -8", "at least 1"]),
    ({"memory_budget": 1e9}, TypeError, ["memory_budget", "got 1000000000.0", "int"]),
    ({"memory_budget": "2GiB"}, TypeError, ["memory_budget", "got '2GiB'", "int"]),
    ({"progress": "yes"}, TypeError, ["progress", "got 'yes'", "callable"]),
    ({"progress": 1}, TypeError, ["progress", "got 1", "callable"]),
]


@pytest.mark.parametrize(
    ("options", "error", "words"), BAD_OPTIONS, ids=[str(row[0]) for row in BAD_OPTIONS]
)
def test_bad_options(options, error, words):
    """The message names the argument, the value and the remedy."""
    with pytest.raises(error) as caught:
        betweenness(A, **options)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("options", [{"k": 1}, {"sources": [0]}, {"targets": [0]}], ids=str)
def test_nothing_to_choose_from(options):
    """A graph without nodes says so, not that 0 lies outside 0..-1."""
    with pytest.raises(ValueError, match=r"A has no nodes.*leave \w+ out"):
        betweenness(sp.csr_array((0, 0)), **options)


def test_options_are_keywords():
    """A second positional argument has no meaning of its own."""
    with pytest.raises(TypeError, match="positional"):
        betweenness(A, False)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0])
def test_many_values_are_checked_as_well(bad, monkeypatch):
    """By threads, beside what is done with the indices."""
    monkeypatch.setattr(graph, "SLICE", 8)
    A = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(4), format="csr")
    assert betweenness(A).shape == (30,)
    A.data[-2] = bad
    with pytest.raises(ValueError, match=r"A stores .*\(entry 178 of A.data\)"):
        betweenness(A)
