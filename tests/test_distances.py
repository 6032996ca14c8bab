"""Closeness, harmonic centrality and eccentricity of many batches of sources, by SciPy."""

import numpy as np
import pytest
from graphs import LARGE, LARGEST, MEDIUM
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import centralities, closeness, eccentricity, harmonic
from sparsebc.measures import distances

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
    accumulate = distances.accumulate
    monkeypatch.setattr(
        distances, "accumulate", lambda *args: searches.append(1) or accumulate(*args)
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
