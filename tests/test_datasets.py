"""The shipped networks are what their table says."""

import re
from importlib import resources

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph

from sparsebc import datasets

# nodes, stored entries, connected components, largest degree, extremes of the weights: ones where
# there are none, |x| in the case file of the grid
EXPECTED = {
    "karate": (34, 156, 1, 17, 1, 1),
    "human-protein-hein2015": (5380, 54694, 2, 281, 1, 1),
    "power-grid-europe": (9241, 28414, 1, 41, 0.000171, 69.597102),
}
FOLDER = resources.files("sparsebc") / "datasets" / "data"


def test_every_dataset_has_expectations():
    assert datasets.names() == tuple(EXPECTED) == tuple(datasets.DATASETS)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_the_table_says(name):
    """Shape, symmetry and weights; a section in LICENSES.md; every entry is filled in."""
    matrix, names = datasets.load(name)
    nodes, entries, components, degree, low, high = EXPECTED[name]
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert (matrix.shape, matrix.nnz, matrix.dtype) == ((nodes, nodes), entries, np.float64)
    assert matrix.has_canonical_format
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()
    assert csgraph.connected_components(matrix, directed=False)[0] == components
    assert np.diff(matrix.indptr).max() == degree
    assert (matrix.data.min(), matrix.data.max()) == (low, high)
    assert len(names) == len(set(names)) == nodes
    assert (names[0], names[-1]) == ("1", str(nodes)) or "protein" in name
    entry, text = datasets.DATASETS[name], (FOLDER / "LICENSES.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in text
    assert f"`{name}.mtx.gz`" in text
    assert entry.licence.replace("CC-BY-4.0", "CC BY 4.0") in text
    assert entry.description
    assert entry.origin
    assert not entry.directed


def test_karate_is_zacharys():
    networkx = pytest.importorskip("networkx")
    matrix, names = datasets.load("karate")
    graph = networkx.karate_club_graph()
    expected = networkx.to_scipy_sparse_array(graph, nodelist=range(34), weight=None)
    np.testing.assert_array_equal(matrix.toarray(), expected.toarray())
    assert names == tuple(str(i) for i in range(1, 35))


@pytest.mark.parametrize("name", ["zebra", "", "Karate", None])
def test_unknown_name(name):
    message = f"unknown dataset {name!r}; there are karate, human-protein-hein2015, power-grid-eur"
    with pytest.raises(ValueError, match=re.escape(message)):
        datasets.load(name)


def test_the_folder_is_small_and_holds_nothing_else():
    files = list(FOLDER.iterdir())
    assert {file.name for file in files} == {f"{n}.mtx.gz" for n in EXPECTED} | {"LICENSES.md"}
    assert sum(len(file.read_bytes()) for file in files) < 500_000
