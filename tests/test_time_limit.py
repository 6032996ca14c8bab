"""Approximate betweenness in a given time: bounds that hold, rounds that fit what is left."""

import networkx as nx
import numpy as np
import pytest
from estimates import GRAPHS, Clock
from graphs import matrix

from sparsebc import approximate_betweenness, betweenness


def test_more_time_is_closer(monkeypatch):
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


def test_time_that_is_up_at_once(monkeypatch, device):
    """Nothing swept: half-widths reach from what trees alone say to all that is possible."""
    Clock(monkeypatch, each=0.0, start=2.0)
    A = GRAPHS["hubs"]
    near = approximate_betweenness(A, seconds=1, directed=False, device=device)
    assert near.samples == 0
    assert not near.exact
    exact = betweenness(A, directed=False)
    assert (abs(near.scores - exact) <= near.half_widths).all()
    assert near.half_widths.max() > exact.max()


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
def test_a_search_that_is_stopped(error, top):
    """Whatever stops it, it tells the estimate after the last round, as a search would have."""
    A = GRAPHS["hubs"]
    options = {"epsilon": 0.02, "rng": 3, "directed": False, "device": "cpu", "top": top}
    seen = []

    def stop(done, total):
        seen.append(done)
        if len(seen) > 1 and done > 300:
            raise error("enough")

    with pytest.raises(error, match="enough") as caught:
        approximate_betweenness(A, progress=stop, **options)
    near = caught.value.approximation
    assert 100 < near.samples <= seen[-1]
    exact = betweenness(A, directed=False, device="cpu")
    assert (abs(near.scores - exact) <= near.half_widths + 1e-12).all()
    assert 0.02 < near.half_widths.max() < 0.5
    assert (near.ranking is None) == (top is None)


def test_stopped_before_the_first_round():
    """All that is known then is what can be."""

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        approximate_betweenness(GRAPHS["hubs"], epsilon=0.01, progress=stop, device="cpu")
    near = caught.value.approximation
    assert (near.samples, near.exact) == (0, False)
    assert near.half_widths.max() > 0.4
