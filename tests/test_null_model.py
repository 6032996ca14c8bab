"""Scores beside random graphs: statistics equal to NumPy's, the same bits however computed."""

import numpy as np
import pytest
from scipy import stats

import sparsebc
from sparsebc import NullModel, datasets, null_model

SMALL = {"samples": 40, "rng": 3, "directed": False, "device": "cpu"}


@pytest.fixture(scope="module")
def karate():
    return datasets.load("karate").matrix


def test_statistics_are_those_of_the_samples(karate):
    found = null_model(karate, ["betweenness", "closeness"], keep=True, interval=0.8, **SMALL)
    for name, one in found.items():
        assert isinstance(one, NullModel)
        kept, score = one.kept, getattr(sparsebc, name)(karate, directed=False, device="cpu")
        np.testing.assert_array_equal(one.score, score)
        np.testing.assert_allclose(one.mean, kept.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(one.std, kept.std(axis=0, ddof=1), rtol=1e-9, atol=1e-15)
        p = (1 + (kept >= score * (1 - 1e-9) - 1e-12 * score.max()).sum(axis=0)) / 41
        np.testing.assert_array_equal(one.p, p)
        np.testing.assert_array_equal(one.q, stats.false_discovery_control(p))
        ordered = np.sort(kept, axis=0)
        np.testing.assert_array_equal(one.low, ordered[3])
        np.testing.assert_array_equal(one.high, ordered[-4])
