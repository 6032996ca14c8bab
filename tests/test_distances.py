"""Closeness, harmonic centrality and eccentricity, from their definitions and beside NetworkX."""

import re
from functools import partial

import networkx as nx
import numpy as np
import pytest
from graphs import LARGE, LARGEST, MEDIUM, matrix
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import centralities, closeness, eccentricity, harmonic
from sparsebc.engines.common.base import Task
from sparsebc.engines.cpu import kernel_table as table
from sparsebc.engines.cuda import kernel_table as gpu_table
from sparsebc.graph.csr import CSR
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import GraphOps
from sparsebc.measures import distance_measures

MEASURES = {"closeness": closeness, "harmonic": harmonic, "eccentricity": eccentricity}


GRAPHS = {**MEDIUM, **LARGE}


@pytest.mark.parametrize("name", LARGEST)
@pytest.mark.parametrize("count", [1, 64, 65, 512, 513, None])
def test_groups_of_any_width(fast_device, name, count):
    """Parts of groups of 64 sources and of 512, whole ones and more than two, by SciPy."""
    A = LARGEST[name]
    n = A.shape[0]
    sources = np.random.default_rng(6).permutation(n)[:count]
    D = csgraph.shortest_path(A, unweighted=True, indices=sources)
    D[np.arange(sources.size), sources] = np.nan
    hops = np.where(np.isfinite(D), D, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.nansum(1 / D, axis=0)
        close = np.nan_to_num(np.isfinite(D).sum(axis=0) / hops.sum(axis=0))
    run = {"sources": sources, "device": fast_device}
    assert_allclose(harmonic(A, **run), near, rtol=1e-12)
    assert_allclose(closeness(A, wf_improved=False, **run), close, rtol=1e-12)
    far = eccentricity(A, direction="in", reachable_only=True, **run)
    assert_array_equal(far, hops.max(axis=0))


@pytest.mark.parametrize("name", ["large digraph", "disconnected", "large hubs"])
def test_all_at_once(fast_device, name, monkeypatch):
    """The same bits from one search as one by one, from two in a digraph; sampled as well."""
    A, searches = GRAPHS[name], []
    accumulate = distance_measures.accumulate
    monkeypatch.setattr(
        distance_measures, "accumulate", lambda *args: searches.append(1) or accumulate(*args)
    )
    for sources in (None, range(0, 80, 3)):
        want = {
            name: measure(A, sources=sources, device=fast_device)
            for name, measure in MEASURES.items()
        }
        searches.clear()
        got = centralities(A, ["betweenness", *MEASURES], sources=sources, device=fast_device)
        assert len(searches) == (1 if name in ("disconnected", "large hubs") else 2)
        assert list(got) == ["betweenness", *MEASURES]
        for measure in MEASURES:
            assert_array_equal(got[measure], want[measure])


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_workers_change_no_bit(fast_device, measure):
    """And the progress ends at the number of sources."""
    A, calls = LARGEST["hubs"], []
    want = measure(A, workers=1, device=fast_device)
    progress = lambda *call: calls.append(call)  # noqa: E731
    got = measure(A, workers=3, progress=progress, device=fast_device)
    assert_array_equal(got, want)
    assert calls[-1] == (A.shape[0], A.shape[0])


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_a_budget_that_fits_nothing_says_what_would(fast_device, measure):
    """Less runs fewer searches at once; less than one is refused."""
    score = partial(measure, LARGEST["hubs"], device=fast_device)
    with pytest.raises(MemoryError, match=r"sources on 1200 nodes needs .* is 1000: ") as caught:
        score(memory_budget=1000)
    needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
    with pytest.raises(MemoryError, match="raise memory_budget"):
        score(memory_budget=needed - 1)
    for budget in (needed, 2 * needed):
        assert_array_equal(score(memory_budget=budget), score())
    with pytest.raises(TypeError, match="memory_budget must be a positive int, got '1G'"):
        score(memory_budget="1G")


def test_workers_that_a_budget_holds(monkeypatch):
    """As many searches at once as fit, and no more."""
    A, made = LARGEST["hubs"], []
    start = table.MSBFS.start

    def counted(*args):
        made.append(1)
        return start(*args)

    monkeypatch.setattr(table.MSBFS, "start", counted)
    with pytest.raises(MemoryError) as caught:
        closeness(A, memory_budget=1, device="cpu")
    needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
    closeness(A, memory_budget=needed, workers=4, device="cpu")
    assert len(made) == 1


def test_scattered_sources_on_a_gpu_are_searched_one_by_one():
    """On a deep graph, where few of their searches meet a row together: a rule on the problem."""
    path, star = nx.path_graph(4000), nx.star_graph(3999)
    kernel = gpu_table.DistancesBySource()

    def applies(network, *sources):
        A = matrix(network)
        pattern = CSR(A.indptr.astype(np.int64), A.indices.astype(np.int32))
        graph = Graph(4000, pattern, pattern, GraphOps())
        nodes = np.arange(*sources, dtype=np.int32)
        return kernel.applies(
            Task("distances", graph, graph.traits.high_diameter, nodes, np.ones(nodes.size))
        )

    assert applies(path, 0, 4000, 100)
    assert applies(path, 7, 8)
    assert not applies(path, 500)
    assert not applies(star, 0, 4000, 100)
    nothing = CSR(np.zeros(1, np.int64), np.zeros(0, np.int32))  # what is left of a tree
    assert gpu_table.has_small_frontiers(Graph(0, nothing, nothing, GraphOps()), True)
