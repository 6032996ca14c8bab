"""Scores beside random graphs: statistics equal to NumPy's, the same bits however computed."""

import _thread
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from conftest import GPU
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from kept import Stop, stop_and_go, stopping
from scipy import stats

import sparsebc
from sparsebc import NullModel, datasets, null_model
from sparsebc.io import Network
from sparsebc.null_models import null_graphs
from sparsebc.null_models import null_model as null_models
from sparsebc.null_models.null_statistics import NullStatistics
from sparsebc.testing import matrices

HOW = {"samples": 40, "rng": 3, "directed": False, "device": "cpu"}


@pytest.fixture(scope="module")
def karate():
    return datasets.load("karate").matrix


@pytest.fixture(scope="module")
def found(karate):
    """By one thread."""
    return null_model(karate, keep=True, interval=0.8, workers=1, **HOW)


def test_statistics_are_those_of_the_samples(karate, found):
    """By plain NumPy, of the samples that are kept."""
    assert isinstance(found, NullModel)
    kept, score = found.kept, found.score
    assert kept.shape == (40, 34)
    np.testing.assert_array_equal(score, sparsebc.betweenness(karate, directed=False, device="cpu"))
    np.testing.assert_allclose(found.mean, kept.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.std, kept.std(axis=0, ddof=1), rtol=1e-9, atol=1e-15)
    spread = kept.max(axis=0) > kept.min(axis=0)
    assert spread.sum() == 33  # one node has a single neighbour
    z = (score - kept.mean(axis=0))[spread] / kept.std(axis=0, ddof=1)[spread]
    np.testing.assert_allclose(found.z[spread], z, rtol=1e-9)
    np.testing.assert_array_equal(found.z[~spread], 0)
    p = (1 + (kept >= score * (1 - 1e-9) - 1e-12 * score.max()).sum(axis=0)) / 41
    np.testing.assert_array_equal(found.p, p)
    np.testing.assert_array_equal(found.q, stats.false_discovery_control(p))
    less = (1 + (kept <= score * (1 + 1e-9) + 1e-12 * score.max()).sum(axis=0)) / 41
    both = null_model(karate, tail="two-sided", **HOW).p
    np.testing.assert_array_equal(both, np.minimum(1, 2 * np.minimum(p, less)))
    ordered = np.sort(kept, axis=0)
    np.testing.assert_array_equal(found.low, ordered[3])
    np.testing.assert_array_equal(found.high, ordered[-4])


def test_a_node_whose_score_is_undefined_is_not_significant():
    """No pair could count node 3, the only target."""
    A = sp.csr_array(np.eye(6, k=1) + np.eye(6, k=3))
    pairs = {"source_weights": [3, 1, 0, 0, 0, 0], "target_weights": [0, 0, 0, 1, 0, 0]}
    for tail in ("greater", "two-sided"):
        found = null_model(A, samples=199, rng=1, tail=tail, device="cpu", **pairs)
        fields = np.array([getattr(found, name) for name in NullModel.by_node])
        assert np.isnan(fields[:, 3]).all()
        others = np.arange(6) != 3
        assert np.isfinite(fields[:, others]).all()
        np.testing.assert_array_equal(
            found.q[others], stats.false_discovery_control(found.p[others])
        )


@given(arrays(float, (6, 5), elements=st.sampled_from([0.0, 1.0, 2.5, np.nan])))
@example(np.full((6, 5), np.nan))
def test_a_sample_whose_score_is_undefined_counts_for_nothing(drawn):
    """Row 0 the scores, the others samples, of which the fewer are left the fewer are defined."""
    score, samples = drawn[0], drawn[1:]
    statistics = NullStatistics(score[None], len(samples), 0.5, keep=False)
    for sample in samples:
        statistics.take(sample[None])
    found = statistics.summary(two_sided=False)
    means, deviations, p, low, high = (found[name] for name in ("mean", "std", "p", "low", "high"))
    for v, x in enumerate(score):
        left = samples[~np.isnan(samples[:, v]), v]
        mean, std = (left.mean() if left.size else np.nan), deviations[0, v]
        np.testing.assert_allclose(means[0, v], mean, rtol=1e-12)
        np.testing.assert_allclose(std, left.std(ddof=1) if left.size > 1 else np.nan, rtol=1e-12)
        order = np.full(2, np.nan) if left.size < 2 else np.sort(left)[[1, -2]]
        want = [(1 + (left >= x).sum()) / (1 + left.size), *order]
        got = [p[0, v], low[0, v], high[0, v]]
        np.testing.assert_array_equal(got, np.full(3, np.nan) if np.isnan(x) else want)


def test_samples_are_scores_of_graphs_of_the_same_degrees(karate, found):
    """Which sum to their distances, so that no score is of another node's graph."""
    both = null_model(karate, ["closeness", "betweenness"], keep=True, **HOW)
    assert [*both] == ["closeness", "betweenness"]
    np.testing.assert_array_equal(both["betweenness"].kept, found.kept)
    n = len(found.score)
    for passed, close in zip(both["betweenness"].kept, both["closeness"].kept, strict=True):
        if (close > 0).all():  # pairs through nodes = distances - 1, over all pairs
            steps = ((n - 1) / close).sum() / (n * (n - 1)) - 1
            assert passed.sum() * (n - 1) * (n - 2) / (n * (n - 1)) == pytest.approx(steps)


WAYS = {
    "threads": {"workers": 3},
    "threads that share a graph": {"workers": 2},
    "fewer samples": {"samples": 9},
    "executor": {"executor": ThreadPoolExecutor(2), "workers": 2},
    "memory": {"memory_budget": 1 << 22},
}


@pytest.mark.parametrize("way", WAYS)
def test_results_have_the_same_bits_however_they_are_computed(karate, found, way, monkeypatch):
    """However computed, as progress counts them; fewer samples are the first."""
    monkeypatch.setattr(
        null_graphs, "SHARED_WORK", 0 if "share" in way else null_graphs.SHARED_WORK
    )
    options, seen = {"keep": True, "interval": 0.8, **HOW, **WAYS[way]}, []
    got = null_model(karate, progress=lambda *each: seen.append(each), **options)
    if way == "fewer samples":
        np.testing.assert_array_equal(got.kept, found.kept[:9])
    else:
        assert_same(got, found)
    assert seen == [(done, got.samples) for done in range(1, got.samples + 1)]


def test_a_run_takes_no_more_memory_than_a_refusal_names(karate, found):
    """Will do, for as many threads as fit: sample after sample, the bytes rise at most."""
    budget, words = 1, []
    while len(words) < 9:
        try:
            got = null_model(
                karate, memory_budget=budget, workers=3, keep=True, interval=0.8, **HOW
            )
            break
        except MemoryError as error:
            words.append(str(error))
            told = f"and memory_budget is {budget}: raise memory_budget"
            assert told in words[-1]
            named = int(words[-1].split(" needs ")[1].split()[0])
            assert named > budget, words
            budget = named
    assert_same(got, found)


@pytest.mark.parametrize("keep", [False, True])
def test_a_stopped_run_goes_on_to_the_same_bits(karate, found, keep, tmp_path):
    got, stops = stop_and_go(null_model, karate, tmp_path, 7, keep=keep, interval=0.8, **HOW)
    assert stops > 3
    if keep:
        assert_same(got, found)
    np.testing.assert_array_equal(got.high, found.high)
    np.testing.assert_array_equal(got.z, found.z)


@pytest.mark.parametrize("large", [0, 1 << 60])
def test_an_error_ends_the_threads(karate, monkeypatch, large):
    """As Ctrl-C does: those that sweep end with the block in hand."""
    monkeypatch.setattr(null_graphs, "SHARED_WORK", large)
    before = _thread._count()
    with pytest.raises(Stop):
        null_model(karate, progress=stopping(2), workers=3, **HOW)
    assert _thread._count() == before


def test_a_checkpoint_of_another_run_is_refused(karate, tmp_path):
    with pytest.raises(Stop):
        null_model(karate, checkpoint=tmp_path, progress=stopping(2), **HOW)
    for other in ({"rng": 4}, {"samples": 41}, {"swaps": 5}, {"tail": "two-sided", "keep": True}):
        with pytest.raises(ValueError, match="holds another run"):
            null_model(karate, checkpoint=tmp_path, **HOW | other)


def test_a_seed_is_drawn_and_told(karate):
    drawn = null_model(karate, **HOW | {"rng": None, "samples": 3})
    again = null_model(karate, **HOW | {"rng": drawn.seed, "samples": 3})
    assert_same(again, drawn)
    of_generator = null_model(karate, **HOW | {"rng": np.random.default_rng(1), "samples": 3})
    assert of_generator.seed == np.random.default_rng(1).integers(2**63)


def test_uncertain_edges_give_the_moments_over_all_graphs():
    """Mean and deviation beside those over all sets of edges, by NetworkX."""
    ends = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (2, 4)])
    chance = np.array([0.9, 0.5, 0.7, 1.0, 0.3, 0.8])
    P = sp.csr_array((np.tile(chance, 2), np.concatenate((ends, ends[:, ::-1])).T), shape=(5, 5))
    first, second = np.zeros(5), np.zeros(5)
    for kept in itertools.product((False, True), repeat=6):
        G = nx.Graph(ends[np.array(kept)].tolist())
        G.add_nodes_from(range(5))
        score = np.array([nx.betweenness_centrality(G)[v] for v in range(5)])
        share = np.where(kept, chance, 1 - chance).prod()
        first, second = first + share * score, second + share * score**2
    std = np.sqrt(second - first**2)
    how = {"model": "edge-probability", **HOW, "samples": 200}
    by_values = null_model(P, **how)
    np.testing.assert_array_less(np.abs(by_values.mean - first), 4 * std / np.sqrt(200) + 1e-12)
    np.testing.assert_allclose(by_values.std, std, rtol=0.3, atol=1e-12)
    assert np.isnan([by_values.z, by_values.p, by_values.q]).all()
    apart = null_model(sp.triu(P) * 7, probability=P, **how)
    np.testing.assert_array_equal(apart.mean, by_values.mean)


def test_z_of_equal_samples_is_zero_or_infinite():
    """z is infinite where all samples are another number, and 0 where it is the score."""
    statistics = NullStatistics(np.array([[1.0, 2.0, 3.0, np.inf]]), 3, 0.95, keep=False)
    for _ in range(3):
        statistics.take(np.array([[2.0, 2.0, 2.0 + 1e-15, np.inf]]))
    found = statistics.summary(two_sided=False)
    np.testing.assert_array_equal(found["z"], [[-np.inf, 0, np.inf, np.nan]])
    np.testing.assert_array_equal(found["p"], [[1, 1, 1 / 4, 1]])


def test_a_sample_that_differs_by_rounding_is_equal():
    """It is at the score, whichever of the two is larger; one sample has no deviation."""
    statistics = NullStatistics(np.array([[0.1 + 0.2, 0.3, 0.3]]), 1, 0.95, keep=False)
    statistics.take(np.array([[0.3, 0.1 + 0.2, 0.3 * (1 - 1e-6)]]))
    for two_sided, want in ((False, [[1, 1, 0.5]]), (True, [[1, 1, 1]])):
        np.testing.assert_array_equal(statistics.summary(two_sided=two_sided)["p"], want)
    with np.errstate(all="raise"):
        assert np.isnan(statistics.summary(two_sided=False)["std"]).all()


@given(st.integers(1, 500), st.integers(1, 100))
def test_an_interval_leaves_out_whole_numbers_of_samples(samples, left):
    """Of 40 samples 95% are all but one on each side, though 1 - .95 is more than .05."""
    samples = max(samples, 2 * left + 1)
    statistics = NullStatistics(np.zeros((1, 1)), samples, 1 - 2 * left / samples, keep=False)
    _, arrays = statistics.state()
    assert len(arrays["low"]) == len(arrays["high"]) == 2 * left


def test_lengths_are_carried_or_shuffled_and_each_cutoff_is_a_column(karate):
    """Shuffled lengths are those of the graph; each cutoff has a column."""
    A, how = karate.astype(float), HOW | {"device": "reference", "weighted": True, "samples": 4}
    A.data = 1.0 + (np.arange(A.nnz) % 3)
    carried = null_model(A, cutoff=[2, 9], **how)
    shuffled = null_model(A, cutoff=[2, 9], weights="shuffled", **how)
    assert carried.score.shape == carried.q.shape == (34, 2)
    np.testing.assert_array_equal(carried.score, shuffled.score)
    assert (carried.mean != shuffled.mean).any()
    alike = null_model(karate * 3.0, "harmonic", **how)
    by_edges = null_model(karate, "harmonic", **how | {"weighted": False})
    np.testing.assert_allclose(3 * alike.mean, by_edges.mean)


def test_weights_by_name_are_those_of_each_samples_nodes(karate):
    """Weights by the names of a network are those of its nodes in each sample."""
    pandas = pytest.importorskip("pandas")
    names = tuple(f"node {v}" for v in range(34))
    weights = pandas.Series(np.arange(34.0), index=names)
    got = null_model(Network(karate, names), target_weights=weights[::-1], **HOW)
    assert_same(got, null_model(karate, target_weights=weights.to_numpy(), **HOW))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_without_edges_every_p_is_one(n):
    got = null_model(sp.csr_array((n, n)), **HOW)
    np.testing.assert_array_equal([got.mean, got.z, got.p], [np.zeros(n), np.zeros(n), np.ones(n)])


def test_a_symmetric_digraph_is_told(karate, caplog):
    null_model(karate, **HOW | {"directed": True, "samples": 2})
    assert "directed=False" in caplog.text


NAMES = ["betweenness", "stress", "closeness", "harmonic", "eccentricity"]
TWO = pytest.param(["cuda:0", "cuda:1"], marks=pytest.mark.gpu(2), id="two GPUs")
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


@pytest.mark.parametrize("other", ["reference", GPU, TWO])
@settings(max_examples=10)  # of 200 ms each
@given(
    matrices(max_nodes=12, max_edges=40),
    st.booleans(),
    st.sampled_from([*ROUNDING]),
    st.sampled_from(get_args(null_models.Model)),
)
def test_engines_draw_the_same_graphs_and_agree_on_p_and_q(other, A, directed, dtype, model):
    """In float32 too: scores that are equal count as equal, whatever their last digits."""
    A = sp.coo_array(A)
    A.sum_duplicates()
    A = sp.coo_array((0.5 + (np.arange(A.nnz) % 3) / 4, A.coords), A.shape)  # probabilities
    how = {"directed": directed, "model": model}
    want, got = models(A, **how), models(A, device=other, dtype=dtype, **how)
    for name in NAMES:
        if model == "degree" and np.isfinite(want[name].kept).all():
            assert_alike(got[name], want[name], ROUNDING[dtype])
        else:  # eccentricity of what nothing reaches, or no p and q
            np.testing.assert_array_equal(got[name].p, want[name].p)
            kept, rounding = want[name].kept, ROUNDING[dtype]
            error = 4 * rounding * kept.max(initial=0, where=np.isfinite(kept))
            np.testing.assert_allclose(got[name].kept, kept, rtol=rounding, atol=error)


@pytest.mark.parametrize("devices", [TWO])
def test_two_gpus_have_the_bits_of_one(devices):
    A = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(400, 3, seed=1))
    assert_same(*(models(A, directed=False, device=each) for each in (devices[1], devices)))
