"""Scores beside random graphs on devices of other kinds: the same graphs, the same p and q."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc import null_model
from sparsebc.engines import devices
from sparsebc.testing import matrices, patterns

NAMES = ["betweenness", "stress", "closeness", "harmonic", "eccentricity"]
GPU = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]
TWO = [pytest.mark.gpu, pytest.mark.skipif(len(devices.gpus()) < 2, reason="no two GPUs")]
OTHERS = [
    "reference",
    pytest.param("cuda", marks=GPU),
    pytest.param(["cuda:0", "cuda:1"], marks=TWO, id="two GPUs"),
]
ROUNDING = {"float64": 1e-13, "float32": 1e-6}


def models(A, names=NAMES, **how):
    return null_model(A, names, **{"samples": 9, "rng": 2, "keep": True, "device": "cpu"} | how)


def assert_alike(got, want, rounding):
    """p and q to the bit; of scores what a rounding makes, of z what it makes of the deviation."""
    np.testing.assert_array_equal([got.p, got.q], [want.p, want.q])
    size = np.maximum(np.abs(want.kept).max(axis=0, initial=0), np.abs(want.score))
    error = rounding * size
    for field in ("score", "mean", "std", "low", "high", "kept"):
        assert (np.abs(getattr(got, field) - getattr(want, field)) <= 4 * error).all(), field
    constant = want.std <= 1e3 * error
    with np.errstate(divide="ignore", invalid="ignore"):
        slack = 8 * error / want.std * (1 + np.abs(want.z))
    varied = ~constant  # elsewhere z may be infinite
    assert (np.abs(got.z[varied] - want.z[varied]) <= slack[varied]).all()
    np.testing.assert_array_equal(got.z[constant], want.z[constant])


@pytest.mark.parametrize("other", OTHERS)
@settings(max_examples=40)  # of 90 ms each
@given(matrices(max_nodes=12, max_edges=40), st.booleans(), st.sampled_from([*ROUNDING]))
def test_p_and_q_are_the_same(other, A, directed, dtype):
    """In float32 too: scores that are equal count as equal, whatever their last digits."""
    want = models(A, directed=directed)
    got = models(A, device=other, directed=directed, dtype=dtype)
    for name in NAMES:
        if np.isfinite(want[name].kept).all():
            assert_alike(got[name], want[name], ROUNDING[dtype])
        else:  # eccentricity of what nothing reaches
            np.testing.assert_array_equal(got[name].p, want[name].p)


@pytest.mark.parametrize("other", OTHERS)
@settings(max_examples=40)
@given(patterns(max_nodes=9, self_loops=False, duplicates=False), st.booleans())
def test_graphs_of_uncertain_edges_are_the_same(other, pattern, directed):
    n, ends = pattern
    chance = 0.5 + (np.arange(len(ends)) % 3) / 4
    P = sp.coo_array((chance, np.array(ends, dtype=int).reshape(-1, 2).T), shape=(n, n))
    how = {"directed": directed, "model": "edge-probability"}
    got, want = models(P, device=other, **how), models(P, **how)
    for name in ("stress", "eccentricity"):  # exact
        np.testing.assert_array_equal(got[name].kept, want[name].kept)
    for name in ("betweenness", "harmonic"):
        np.testing.assert_allclose(got[name].kept, want[name].kept, rtol=1e-12)


@pytest.mark.parametrize("devices", [pytest.param(["cuda:0", "cuda:1"], marks=TWO)])
def test_two_gpus_have_the_bits_of_one(devices):
    A = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(400, 3, seed=1))
    one, both = (models(A, directed=False, device=each) for each in (devices[1], devices))
    for name in NAMES:
        for field, values in vars(one[name]).items():
            np.testing.assert_array_equal(getattr(both[name], field), values, err_msg=field)
