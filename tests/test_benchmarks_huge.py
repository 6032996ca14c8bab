"""The graph of the benchmark of huge graphs, and its search by levels, beside SciPy."""

import json

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from benchmarks import huge

N = 500


def drawn(parts):
    return huge.draw_graph(huge.power_law, N, 700, np, parts=parts)


def test_the_graph_is_that_of_its_edges():
    """Both ways, in order, none twice and none on the diagonal, in however many parts."""
    indptr, indices = drawn(3)
    assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)
    A = sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(N, N))
    assert A.has_canonical_format
    assert (A != A.T).nnz == 0
    assert not A.diagonal().any()
    for whole, part in zip(drawn(1), (indptr, indices), strict=True):
        np.testing.assert_array_equal(whole, part)


def test_levels(monkeypatch):
    """Of all nodes, some rows at a time; those out of reach have none."""
    monkeypatch.setattr(huge, "LOOKED_AT", 64)
    indptr, indices = drawn(1)
    A = sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(N, N))
    source = int(indices[0])
    far = csgraph.shortest_path(A, indices=source, unweighted=True)
    level = huge.levels_from(source, indptr, indices, np)
    np.testing.assert_array_equal(level, np.where(np.isinf(far), -1, far))
    assert level.max() > 3
    assert level.min() == -1


def test_a_run(tmp_path):
    """Results agree with the search by levels before they are timed."""
    output = tmp_path / "huge.json"
    sizes = ["--nodes", "500", "--edges", "700", "--distances", "20", "--paths", "20"]
    huge.main(["--device", "cpu", *sizes, "--output", str(output)])
    kept = json.loads(output.read_text())
    assert kept["deviation"]["harmonic"] < 1e-12
    assert kept["deviation"]["betweenness"] < 1e-5
    assert [row["measure"] for row in kept["cases"]] == ["harmonic", "closeness", "betweenness"]


def test_an_rmat(tmp_path):
    """Drawn by quadrants: the first node has most neighbours, and the last ones few or none."""
    output = tmp_path / "huge.json"
    words = ["--device", "cpu", "--rmat", "8x4", "--distances", "20", "--paths", "20"]
    huge.main([*words, "--dtypes", "float64", "float32", "--output", str(output)])
    kept = json.loads(output.read_text())
    assert kept["n"] == 256
    assert kept["deviation"]["harmonic"] < 1e-12
    assert [row.get("dtype") for row in kept["cases"]] == [None, None, "float64", "float32"]
    indptr, _ = huge.draw_graph(huge.rmat, 256, 1024, np)
    assert np.diff(indptr)[0] == np.diff(indptr).max() == kept["largest_degree"]
    assert np.diff(indptr)[-64:].mean() < np.diff(indptr)[:64].mean()
