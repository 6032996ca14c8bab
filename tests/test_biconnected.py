"""Blocks as NetworkX has them, where a graph lives."""

import networkx as nx
import numpy as np
import pytest
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM
from test_reductions import LARGE as ASSEMBLED

from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import canonical

GRAPHS = {**MEDIUM, **LARGE, **ASSEMBLED}


@pytest.fixture(
    params=["host", pytest.param("gpu", marks=NEEDS_GPU), pytest.param("deep", marks=NEEDS_GPU)]
)
def ops_for(request, monkeypatch):
    """The host; a GPU; and one where every tree is too deep for it."""
    if request.param == "host":
        return lambda _: GraphOps()
    from sparsebc.engines.cuda.prepare import biconnected
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    if request.param == "deep":
        monkeypatch.setattr(biconnected, "DEEPEST", 0)
    return lambda _: CUDAOps()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_blocks_are_those_of_networkx(name, directed, ops_for):
    """Whatever the directions; a top is in a block before its own; an arc in the larger of two."""
    graph = canonical(GRAPHS[name], directed=directed, ops_for=ops_for)
    left = graph.degrees > 0
    block, tops, roots, others = graph.blocks(left)
    block, tops = map(graph.ops.on_host, (block, tops))
    assert block.dtype == tops.dtype == np.int32
    assert (block[tops] < np.arange(tops.size)).all()
    assert roots == np.count_nonzero(graph.ops.on_host(left) & (block < 0))
    sizes = np.bincount(block[block >= 0], minlength=1)
    assert others == sizes.sum() - sizes.max()
    peer = nx.from_scipy_sparse_array(GRAPHS[name], create_using=nx.Graph)
    peer.remove_edges_from(list(nx.selfloop_edges(peer)))
    want = sorted(sorted(one) for one in nx.biconnected_components(peer))
    got = [[top, *np.flatnonzero(block == b)] for b, top in enumerate(tops)]
    assert sorted(sorted(map(int, one)) for one in got) == want
    for one in nx.biconnected_component_edges(peer):
        assert len({max(block[u], block[v]) for u, v in one}) == 1
