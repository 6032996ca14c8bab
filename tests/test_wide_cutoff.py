"""Cutoffs by length that hold most nodes: near sources search together, far nodes are left out."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, one_way, with_lengths
from numpy.testing import assert_allclose
from scipy.sparse import csgraph

from sparsebc import accessibility, centralities
from sparsebc.engines.common import batching
from sparsebc.engines.cpu.brandes_weighted import brandes_weighted, brandes_weighted_high_diameter
from sparsebc.engines.cpu.sssp import distance_sums

MEASURES = ["betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity"]
LENGTHS = np.geomspace(1, 40, 60)
STREETS = with_lengths(matrix(nx.grid_2d_graph(24, 25)), LENGTHS)
WIDE = with_lengths(matrix(nx.barabasi_albert_graph(600, 4, seed=3)), LENGTHS)
GRAPHS = {
    "deep": STREETS,
    "deep, one way": with_lengths(matrix(one_way(nx.grid_2d_graph(24, 25), 0.1, 3)), [1, 2, 5]),
    "shallow": WIDE,
    "shallow, one way": sp.csr_array(WIDE + sp.triu(WIDE, k=1)),
    "two parts": with_lengths(sp.block_diag([STREETS, matrix(nx.cycle_graph(9))], "csr"), LENGTHS),
}
KERNELS = {
    brandes_weighted_high_diameter: "run",
    brandes_weighted: "run_batch",
    distance_sums: ("accumulate_batch", "accumulate_clustered"),
}


@pytest.fixture
def together(monkeypatch):
    """Names of the kernels that swept or searched from several sources."""
    ran = []

    def spied(name, kernel):
        def noted(*arguments):
            ran.append(name)
            return kernel(*arguments)

        return noted

    for module, names in KERNELS.items():
        for name in (names,) if isinstance(names, str) else names:
            monkeypatch.setattr(module, name, spied(name, getattr(module, name)))
    return ran


def values(scores):
    return scores.data if sp.issparse(scores) else scores


@pytest.mark.parametrize("share", [0.85, 0.95, 0.999])
@pytest.mark.parametrize("name", GRAPHS)
def test_scores_are_those_of_sources_alone(name, share, together, monkeypatch):
    A = GRAPHS[name]
    D = csgraph.dijkstra(A)
    cutoff = float(np.quantile(D[np.isfinite(D)], share))
    some = {"weighted": True, "normalized": False, "endpoints": True, "cutoff": cutoff}
    some |= {"source_weights": 1 + np.arange(A.shape[0]) % 3 / 2, "device": "cpu"}
    paths = centralities(A, MEASURES[:3], **some)
    assert {"run", "run_batch"} & {*together}
    plain = {"weighted": True, "cutoff": cutoff, "device": "cpu"}
    distances = centralities(A, MEASURES[3:], **plain)
    places = accessibility(A, 1 + np.arange(A.shape[0]) % 5, **plain)
    assert {"accumulate_batch", "accumulate_clustered"} & {*together}
    together.clear()
    monkeypatch.setattr(batching, "MOST", 2)
    monkeypatch.setattr(batching, "WITHIN", 0)
    alone = centralities(A, MEASURES[:3], **some) | centralities(A, MEASURES[3:], **plain)
    alone_places = accessibility(A, 1 + np.arange(A.shape[0]) % 5, **plain)
    assert not together
    for measure, got in (paths | distances).items():
        want = values(alone[measure])
        size = np.abs(want[np.isfinite(want)]).max(initial=0)  # eccentricities may be infinite
        assert_allclose(values(got), want, rtol=1e-11, atol=1e-11 * size, err_msg=measure)
    assert_allclose(places, alone_places, rtol=1e-12)
    inside = (D <= cutoff * (1 + 1e-10)) & (D > 0)
    harmonic = np.divide(1, D, where=inside, out=np.zeros_like(D)).sum(axis=0)
    assert_allclose(distances["harmonic"], harmonic, rtol=1e-12)


def test_near_cutoffs_and_few_sources_search_alone(together):
    A, ways = WIDE, {"weighted": True, "device": "cpu"}
    D = csgraph.dijkstra(A)
    for cutoff, sources in ((np.quantile(D, 0.4), None), (np.quantile(D, 0.9), np.arange(500))):
        centralities(A, MEASURES[:3], cutoff=cutoff, sources=sources, **ways)
        assert not together
    centralities(A, MEASURES[:3], cutoff=np.quantile(D, 0.9), **ways)
    assert "run_batch" in together


@pytest.mark.parametrize("name", ["deep", "shallow"])
def test_several_cutoffs_have_the_columns_of_each(name):
    A = GRAPHS[name]
    D = csgraph.dijkstra(A)
    cutoffs = [float(np.quantile(D, share)) for share in (0.3, 0.8, 0.95)]
    ways = {"weighted": True, "normalized": False, "device": "cpu"}
    several = centralities(A, ["betweenness", "closeness"], cutoff=cutoffs, **ways)
    for column, cutoff in enumerate(cutoffs):
        one = centralities(A, ["betweenness", "closeness"], cutoff=cutoff, **ways)
        for measure, scores in one.items():
            assert_allclose(several[measure][:, column], scores, rtol=1e-11, atol=1e-9)
