"""Approximate betweenness: bounds that hold, as few samples as prove them, exact at the worst."""

from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from estimates import (
    ALLOWED,
    DELTA,
    GRAPHS,
    KINDS,
    OF_PATHS,
    RUNS,
    Clock,
    able,
    is_directed,
    weighed,
)
from graphs import matrix, with_lengths
from hypothesis import example, given
from hypothesis import strategies as st
from kept import stop_and_go

from sparsebc import (
    Adaptive,
    Approximation,
    adaptive_betweenness,
    approximate_betweenness,
    betweenness,
)
from sparsebc.testing import matrices


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "in a given time"])
@pytest.mark.parametrize("asked", ["all", "whole", "heavy", "chosen"])
@pytest.mark.parametrize("name", GRAPHS)
def test_half_widths_hold_the_scores_in_all_but_a_share_of_runs(name, asked, kind, monkeypatch):
    """Every score is within its half-width of the exact one, in all but a share delta of runs."""
    A, how = GRAPHS[name], {"directed": is_directed(name), "device": "cpu", **weighed(name, asked)}
    exact, misses, stopped_early = betweenness(A, **how), 0, 0
    epsilon = 0.15 if (asked, kind) == ("all", "sources") else 0.05
    ends = {"epsilon": epsilon, "samples": kind}
    if kind == "in a given time":  # after some 250 sources
        Clock(monkeypatch, each=0.004)
        epsilon, ends = np.inf, {"seconds": 1, "samples": "sources"}
    for seed in range(RUNS):
        near = approximate_betweenness(A, delta=DELTA, rng=seed, **ends, **how)
        assert near.half_widths.max() <= epsilon
        assert near.exact == (near.samples == near.population)
        misses += (abs(near.scores - exact) > near.half_widths + 1e-12).any()
        stopped_early += not near.exact
    assert misses <= ALLOWED
    assert stopped_early > RUNS // 2 or kind != "sources" or asked != "all"
    assert kind != "in a given time" or near.samples <= 250


@pytest.mark.parametrize("name", GRAPHS)
def test_more_precision_takes_no_fewer_samples(name, fast_device):
    """Down to an exact run, and never beyond it; an error below all roundings is such a run."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed)
    runs = [
        approximate_betweenness(A, epsilon=epsilon, rng=3, directed=directed, device=fast_device)
        for epsilon in (0.3, 0.15, 0.08, 0.04, 1e-6, 5e-324)
    ]
    samples = [run.samples for run in runs]
    assert samples == sorted(samples)
    assert samples[0] < samples[-1] == samples[-2] == runs[-1].population
    assert [run.exact for run in runs] == [run.samples == run.population for run in runs]
    assert not runs[-1].half_widths.any()
    np.testing.assert_allclose(runs[-1].scores, exact, rtol=1e-12, atol=1e-15)


@given(
    matrices(),
    st.fixed_dictionaries(
        {
            "directed": st.booleans(),
            "weighted": st.booleans(),
            "samples": st.sampled_from(KINDS),
            "epsilon": st.floats(0.1, 0.999) | st.just(1e-3),
            "delta": st.floats(1e-6, 0.999),
            "rng": st.integers(0, 2**32),
        }
    ),
)
def test_any_matrix_is_estimated_alike_on_any_engine(device, A, asked):
    """No more samples than nodes, exact scores if all were taken, and the same on any engine."""
    if asked["samples"] == "paths":
        asked |= {"delta": 1e-9, "epsilon": max(asked["epsilon"], 0.2)}
    if asked["weighted"]:
        A.data[:] = 1 + asked["rng"] % 3
    before, n = A.copy(), A.shape[0]
    device = able(device, asked["samples"], weighted=asked["weighted"])
    near, same = (approximate_betweenness(A, device=name, **asked) for name in (device, "cpu"))
    exact = betweenness(A, directed=asked["directed"], weighted=asked["weighted"])
    assert isinstance(near, Approximation)
    assert near.scores.shape == near.half_widths.shape == (n,)
    assert (near.half_widths <= asked["epsilon"]).all()
    assert not near.scores[exact == 0].any()
    assert (near.samples, near.population) == (same.samples, same.population)
    np.testing.assert_allclose(near.scores, same.scores, rtol=1e-11, atol=1e-15)
    if asked["samples"] == "sources":
        assert 0 <= near.samples <= near.population <= n
        assert near.exact == (near.samples == near.population)
    if near.exact:
        np.testing.assert_allclose(near.scores, exact, rtol=1e-12, atol=1e-15)
    assert (A.tocsr() != before.tocsr()).nnz == 0


def _stars_of_arcs():
    """Arcs into node 0 and out of it: all paths between other nodes pass it."""
    arcs = [*((v, 0) for v in range(1, 250)), *((0, v) for v in range(250, 500))]
    return sp.csr_array((np.ones(499), np.transpose(arcs)), shape=(500, 500))


HUBS = nx.barabasi_albert_graph(300, 3, seed=845)
BOUNDED = {
    # graph, whether it is directed, epsilon, most samples as a share of the population
    "half of all pairs": (sp.csr_array(np.eye(600, k=1)), True, 0.1, 0.99),
    "one node": (_stars_of_arcs(), True, 0.1, 1.0),
    "all zero": (matrix(nx.complete_graph(400)), False, 0.1, 0.99),
    "small components": (matrix(nx.disjoint_union_all([HUBS] * 10)), False, 0.01, 0.5),
    "by length": (with_lengths(GRAPHS["hubs"], [1, 2, 3, 4], 16), False, 0.1, 0.99),
    "star": (matrix(nx.star_graph(400)), False, 0.1, 0),  # pairs of trees are known
    "path": (matrix(nx.path_graph(400)), False, 0.1, 0),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_hold_with_few_samples(name, device):
    """Scores that are large, at one node alone, zero, or bounded by the size of a component."""
    A, directed, epsilon, share = BOUNDED[name]
    how = {"directed": directed, "weighted": name == "by length"}
    near = approximate_betweenness(A, epsilon=epsilon, rng=5, device=device, **how)
    exact = betweenness(A, device="cpu", **how)
    assert near.samples <= share * near.population
    assert (abs(near.scores - exact) <= near.half_widths + 1e-12).all()
    assert near.half_widths.max() <= epsilon
    assert near.half_widths.any() != near.exact
    assert not near.scores[exact == 0].any()


TENTHS = [0.1, 0.2, 0.3, 0.4]
TREES, _ = OF_PATHS["trees"]
SEEDED = {
    "sources": (GRAPHS["hubs"], 0.1, {"directed": False}),
    "sources of a digraph": (GRAPHS["digraph"], 0.1, {}),
    "heavy sources": (GRAPHS["digraph"], 0.02, weighed("digraph", "heavy")),
    "paths": (GRAPHS["hubs"], 0.03, {"directed": False}),
    "paths by length": (with_lengths(GRAPHS["hubs"], TENTHS, 8), 0.03, {"weighted": True}),
    "paths of weighted trees": (TREES, 0.02, {"directed": False, **weighed(TREES, "whole")}),
    "paths of heavy pairs": (GRAPHS["digraph"], 0.03, weighed("digraph", "heavy")),
}


@pytest.mark.parametrize("name", SEEDED)
def test_an_estimate_has_the_same_bits_however_it_is_run(name, device, tmp_path):
    """Workers, executor, memory, device of the paths, and a stop on the way change nothing."""
    A, epsilon, asked = SEEDED[name]
    kind = "paths" if name.startswith("paths") else "sources"
    device = able(device, kind, weighted="weighted" in asked)

    def call(A, **run):
        options = {"epsilon": epsilon, "rng": 9, "samples": kind, "device": device}
        return approximate_betweenness(A, **options | asked | run)

    first = call(A)
    with ThreadPoolExecutor(2) as pool:
        runs = [{"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 26}, {"executor": pool}]
        runs += [{"device": "cpu"}] * (kind == "paths")
        found = [call(A, **run) for run in runs]
    if device == "cpu":
        again, stops = stop_and_go(call, A, tmp_path)
        assert stops > 1
        found.append(again)
    for again in found:
        assert_same(again, first)
    assert (call(A, rng=10).scores != first.scores).any()


def test_the_hub_of_a_wheel_is_certainly_first():
    """The hub is certainly first; of the rim, alike by symmetry, no position is."""
    A = matrix(nx.wheel_graph(500))
    near = approximate_betweenness(A, epsilon=0.02, top=3, rng=12, directed=False)
    assert near.ranking[0] == 0
    assert near.certain.tolist() == [True, False, False]
    first = approximate_betweenness(A, epsilon=0.02, top=1, rng=12, directed=False)
    assert first.samples < near.samples
    assert first.certain.tolist() == [True]
    last = approximate_betweenness(A, top=3, rng=12, directed=False)
    assert last.certain.tolist() == [True, False, False]
    assert last.half_widths.max() <= 0.001  # the default
    ties = approximate_betweenness(matrix(nx.cycle_graph(31)), epsilon=0.01, top=31, directed=False)
    assert (ties.exact, ties.certain.any()) == (True, False)
    assert sorted(ties.ranking) == list(range(31))


@pytest.mark.parametrize("name", GRAPHS)
def test_positions_called_certain_are_right(name, fast_device):
    """What is called certain is so, in each of twenty runs (fixed seeds; delta is 1 in 1000)."""
    A, directed = GRAPHS[name], is_directed(name)
    ranks = np.argsort(-betweenness(A, directed=directed), kind="stable")
    for seed in range(20):
        near = approximate_betweenness(
            A, epsilon=0.05, delta=1e-3, top=5, rng=seed, directed=directed, device=fast_device
        )
        assert (near.ranking[near.certain] == ranks[:5][near.certain]).all()
        assert near.certain.all() or near.half_widths.max() <= 0.05


def test_adaptive_takes_fewer_samples_for_central_nodes(device):
    """The hub of a wheel is done after the first rounds; a node that is passed by none is exact."""
    A = matrix(nx.compose(nx.wheel_graph(600), nx.complete_graph([0, 1, 2, 3])))
    exact = betweenness(A, directed=False)
    quiet = int(exact.argmin())
    found = adaptive_betweenness(A, [0, quiet, 0], rng=14, directed=False, device=device)
    assert isinstance(found, Adaptive)
    assert found.samples.tolist() == [found.samples[0], 600, found.samples[0]]
    assert found.samples[0] < 300
    assert abs(found.scores[0] / exact[0] - 1) < 0.1
    np.testing.assert_allclose(found.scores[1], exact[quiet], rtol=1e-12, atol=1e-15)


@example(GRAPHS["hubs"], False, 5.0, 6)  # of more sources than a first round
@given(matrices(), st.booleans(), st.floats(0.1, 9), st.integers(0, 2**32))
def test_an_adaptive_score_has_gathered_enough_or_is_exact(A, directed, c, seed):
    """A node stops with enough gathered, c n, or with all sources, and then it is exact."""
    n = A.shape[0]
    if n == 0:
        return
    found = adaptive_betweenness(A, range(n), c=c, rng=seed, directed=directed)
    exact = betweenness(A, directed=directed)
    population = approximate_betweenness(A, epsilon=0.5, directed=directed).population
    assert (found.samples <= population).all()
    done = found.samples == population
    np.testing.assert_allclose(found.scores[done], exact[done], rtol=1e-12, atol=1e-15)
    gathered = found.scores * (n - 1) * (n - 2) * found.samples / max(population, 1)
    assert (gathered[~done] >= c * n * (1 - 1e-12)).all()


def test_more_time_narrows_the_half_widths(monkeypatch):
    """In time that is ample, exact; the warm-up and reading are counted."""
    A = GRAPHS["hubs"]
    options = {"rng": 3, "directed": False, "device": "cpu"}
    clock = Clock(monkeypatch, each=0.01)
    runs = []
    for seconds in (1, 2, 4, 100):
        clock.now = 0.0
        runs.append(approximate_betweenness(A, seconds=seconds, **options))
        assert clock.now <= seconds
    widths = [run.half_widths.max() for run in runs]
    assert widths == sorted(widths, reverse=True)
    assert runs[-1].exact
    assert widths[-1] == 0 < widths[-2]
    late = approximate_betweenness(A, seconds=2, **options)
    Clock(monkeypatch, each=0.01, start=1.0)
    later = approximate_betweenness(A, seconds=2, **options)
    assert 0 < later.samples < late.samples


def test_epsilon_ends_a_search_before_its_time(monkeypatch):
    """The sources of a seed come in one order, whatever ends the search, and `top` ends it too."""
    Clock(monkeypatch, each=0.001)
    A = matrix(nx.wheel_graph(3000))
    options = {"rng": 3, "directed": False, "device": "cpu"}
    both = approximate_betweenness(A, epsilon=0.1, seconds=100, **options)
    assert not both.exact
    assert both.half_widths.max() <= 0.1
    first = approximate_betweenness(A, seconds=100, top=1, **options)
    assert first.certain.tolist() == [True]
    assert first.samples < both.population
    short = approximate_betweenness(A, epsilon=1e-4, seconds=0.5, **options)
    assert both.half_widths.max() != short.half_widths.max() > 1e-4
    assert 64 < short.samples <= 500
    n = A.shape[0]
    for near in (both, first, short):
        drawn = np.random.default_rng(3).permutation(n)[: near.samples]
        raw = betweenness(A, sources=drawn, directed=False, normalized=False, device="cpu")
        want = 2 * raw * n / near.samples / ((n - 1) * (n - 2))
        np.testing.assert_allclose(near.scores, want, rtol=1e-11, atol=1e-15)


def test_without_time_the_half_widths_hold_all_that_is_possible(monkeypatch, device):
    """Nothing swept: half-widths reach from what trees alone say to all that is possible."""
    Clock(monkeypatch, each=0.0, start=2.0)
    A = GRAPHS["hubs"]
    near = approximate_betweenness(A, seconds=1, directed=False, device=device)
    assert near.samples == 0
    assert not near.exact
    exact = betweenness(A, directed=False)
    assert (abs(near.scores - exact) <= near.half_widths).all()
    assert near.half_widths.max() > exact.max()
    n = A.shape[0]  # sources, each of whose paths to n - 2 targets may pass a node
    assert near.half_widths.max() <= n * (n - 2) / ((n - 1) * (n - 2)) * (1 + 1e-12)


def test_a_round_that_is_late_is_dropped(monkeypatch):
    """Sources become slower: what was under way is stopped between blocks, and not counted."""
    clock = Clock(monkeypatch, each=0.001)
    seen = []

    def slower(done, total):
        seen.append(done)
        if done > 64:
            clock.now += 100.0

    A = GRAPHS["hubs"]
    near = approximate_betweenness(
        A, seconds=10, rng=4, directed=False, device="cpu", workers=1, progress=slower
    )
    assert near.samples == 64 < max(seen) < 500
    exact = betweenness(A, directed=False)
    assert (abs(near.scores - exact) <= near.half_widths).all()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("top", [None, 3])
@pytest.mark.parametrize("after", [0, 300])
def test_a_search_that_is_stopped_tells_its_last_estimate(error, top, after):
    """Before the first round, all that can be; then that of the last round, whose bounds hold."""
    A = GRAPHS["hubs"]
    options = {"epsilon": 0.02, "rng": 3, "directed": False, "device": "cpu", "top": top}

    def stop(done, total):
        if done >= after:
            raise error("enough")

    with pytest.raises(error, match="enough") as caught:
        approximate_betweenness(A, progress=stop, **options)
    near = caught.value.approximation
    assert not near.exact
    assert (near.samples > 100) == (after > 0)
    exact = betweenness(A, directed=False, device="cpu")
    assert (abs(near.scores - exact) <= near.half_widths + 1e-12).all()
    assert 0.02 < near.half_widths.max()
    assert near.half_widths.max() < 0.5 or not after
    assert (near.ranking is None) == (top is None)
