"""Closeness, harmonic centrality and eccentricity of many batches of sources, by SciPy."""

import numpy as np
import pytest
from graphs import LARGEST
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import closeness, eccentricity, harmonic


@pytest.mark.parametrize("name", LARGEST)
@pytest.mark.parametrize("count", [1, 64, 65, 512, 513, None])
def test_batches_of_any_width_have_the_distances_of_scipy(fast_device, name, count):
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
