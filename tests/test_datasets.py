"""The shipped networks are what their table says."""

from importlib import resources

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph

from sparsebc import betweenness, datasets

# nodes, stored entries, connected components, largest degree, extremes of the weights
EXPECTED = {
    "karate": (34, 156, 1, 17, 1, 1),
    "les-miserables": (77, 508, 1, 36, 1, 31),
    "human-proteins": (5956, 25516, 157, 413, 1, 1),
    "us-flights": (305, 5366, 1, 173, 1, 13788),
    "roxel-streets": (675, 1662, 1, 4, 2, 513),
}
FOLDER = resources.files("sparsebc") / "datasets" / "data"


@pytest.mark.parametrize("name", datasets.names())
def test_a_network_is_what_its_table_says(name):
    """Shape, symmetry and weights; a section in LICENSES.md; every entry is filled in."""
    matrix, names = datasets.load(name)
    nodes, entries, components, degree, low, high = EXPECTED[name]
    entry, text = datasets.DATASETS[name], (FOLDER / "LICENSES.md").read_text(encoding="utf-8")
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert (matrix.shape, matrix.nnz, matrix.dtype) == ((nodes, nodes), entries, np.float64)
    assert matrix.has_canonical_format
    assert ((matrix != matrix.T).nnz > 0) == entry.directed
    assert not matrix.diagonal().any()
    assert csgraph.connected_components(matrix, directed=False)[0] == components
    assert np.diff(matrix.indptr).max() == degree
    assert (matrix.data.min(), matrix.data.max()) == (low, high)
    assert len(names) == len(set(names)) == nodes
    assert f"\n## {name}\n" in text
    assert f"`{name}.csv.gz`" in text
    assert entry.licence.split("-")[0] in text
    assert entry.attribution in text
    assert entry.description
    assert entry.origin


@pytest.mark.parametrize("name", EXPECTED)
def test_columns_are_in_the_order_of_the_nodes(name):
    """A row for each node and edge, in the order of the nodes; positions are on Earth."""
    matrix, names = datasets.load(name)
    nodes, edges = datasets.nodes(name), datasets.edges(name)
    assert nodes["node"] == names
    assert {len(column) for column in nodes.values()} == {len(names)}
    assert {*edges["source"], *edges["target"]} == {*names}
    assert len({len(column) for column in edges.values()}) == 1
    if weight := datasets.DATASETS[name].weight:
        ends = [[names.index(v) for v in edges[end]] for end in ("source", "target")]
        assert (matrix[ends[0], ends[1]] <= edges[weight]).all()
    for title, limit in (("longitude", 180), ("latitude", 90)):
        assert (abs(nodes.get(title, np.zeros(1))) < limit).all()


def test_karate_is_zacharys():
    networkx = pytest.importorskip("networkx")
    matrix, names = datasets.load("karate")
    graph = networkx.karate_club_graph()
    expected = networkx.to_scipy_sparse_array(graph, nodelist=range(34), weight=None)
    np.testing.assert_array_equal(matrix.toarray(), expected.toarray())
    assert names == tuple(str(i) for i in range(1, 35))
    assert datasets.nodes("karate")["club"].count("Officer") == 17


def test_proteins_have_names_that_people_know():
    matrix, names = datasets.load("human-proteins")
    top = np.argsort(-betweenness(matrix, directed=False))[:10]
    assert {"EGFR", "TP53", "GRB2", "BRCA1"} <= {names[v] for v in top}
