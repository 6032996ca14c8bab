"""Groups of nodes: what their betweenness is by definition, and how good the greedy group is."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, matrix, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import stop_and_go
from pools import Factory, posix

from sparsebc import ProminentGroup, betweenness, group_betweenness, prominent_group
from sparsebc.engines import devices
from sparsebc.measures import prominent_group as measure
from sparsebc.run import payload, state_file
from sparsebc.testing import matrices

SMALL = matrices(max_nodes=6, explicit_zeros=False)


def asked(A, *, directed, weighted):
    """Edges of a matrix and their lengths, as the oracle takes them."""
    coo = A.tocoo()
    edges = list(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    entries = [(*edge, Fraction(float(value))) for edge, value in zip(edges, coo.data, strict=True)]
    length = oracle.merged(entries, directed=directed) if weighted else None
    return edges, {"directed": directed, "length": length}


@given(SMALL, st.booleans(), st.booleans(), st.data())
@settings(max_examples=50)
def test_greedy_by_the_definition(device, A, directed, weighted, data):
    """Every step adds the most, the bound holds for the best of all groups, and 1 - 1/e with it."""
    n = A.shape[0]
    if n < 3:
        return
    candidates = data.draw(st.none() | st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    allowed = set(range(n) if candidates is None else candidates)
    size = data.draw(st.integers(1, min(3, len(allowed))))
    found = prominent_group(
        A,
        size,
        directed=directed,
        weighted=weighted,
        normalized=False,
        candidates=candidates,
        device=device,
    )
    edges, options = asked(A, directed=directed, weighted=weighted)
    halves = 1 if directed else 2
    met = {
        group: oracle.raw_group(n, edges, group, endpoints=True, **options) / halves
        for count in range(size + 1)
        for group in itertools.combinations(sorted(allowed), count)
    }
    chosen = ()
    for node, score in zip(found.nodes.tolist(), found.scores, strict=True):
        steps = {v: met[tuple(sorted((*chosen, v)))] for v in sorted(allowed - set(chosen))}
        most = max(steps.values())
        assert node == next(v for v, reached in steps.items() if reached == most)
        assert score == pytest.approx(float(most), rel=1e-12)
        chosen = (*chosen, node)
    best = max(score for group, score in met.items() if len(group) == size)
    assert found.bound >= float(best) * (1 - 1e-12)
    assert found.scores[-1] >= (1 - 1 / math.e) * float(best) * (1 - 1e-12)
    assert found.scores[-1] >= (1 - 1 / math.e) * found.bound * (1 - 1e-12)


def test_finds_the_group_of_networkx():
    """Its exact search, on graphs where greedy is best; scores of both are the same pairs."""
    pytest.importorskip("pandas")
    for graph, size in ((nx.karate_club_graph(), 2), (nx.barbell_graph(4, 3), 3)):
        want, nodes = nx.prominent_group(graph, size, endpoints=True, normalized=False)
        found = prominent_group(matrix(graph), size, directed=False, normalized=False)
        assert found.scores[-1] == pytest.approx(want, abs=0.01)  # which it rounds to
        assert len(nodes) == size


@pytest.mark.parametrize("kind", [list, set, frozenset, np.array])
def test_many_groups_in_one_traversal(kind):
    """Groups of one node each, in any container, have the betweenness of their nodes."""
    A = MEDIUM["digraph"]
    got = group_betweenness(A, [kind([v]) for v in range(A.shape[0])], normalized=False)
    want = betweenness(A, normalized=False, device="cpu")
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def test_the_device_is_that_of_the_other_measures():
    """By default the first GPU; the host's number, since it is a few."""
    A = MEDIUM["graph"]
    assert type(group_betweenness(A, [[0]])) is np.ndarray
    with pytest.raises(ValueError, match="device must be one of"):
        group_betweenness(A, [[0]], device="gpu")
    if not devices.gpus():
        with pytest.raises(RuntimeError, match="device 'cuda' is not there"):
            prominent_group(A, 1, device="cuda")


@pytest.mark.parametrize("weighted", [False, True])
def test_a_run_that_is_stopped_goes_on(device, tmp_path, weighted):
    """To the same bits; what is kept is a number for each group, whatever the graph."""
    A, groups = with_lengths(LARGE["large hubs"], [1.0, 2.5, 3.25]), [[0, 5], [1], [2, 3, 4]]
    options = {"groups": groups, "weighted": weighted, "device": device}
    want = group_betweenness(A, **options)
    got, stops = stop_and_go(group_betweenness, A, tmp_path, **options)
    np.testing.assert_array_equal(got, want)
    assert stops or device != "cpu"
    assert (tmp_path / state_file.NAME).stat().st_size < 8192


@pytest.mark.parametrize(
    ("other", "named"),
    [({"groups": [[0, 5], [2]]}, "groups"), ({"endpoints": True}, "endpoints")],
)
def test_other_groups_are_refused_by_name(tmp_path, other, named):
    """And the run that is kept stays as it is."""
    A, options = MEDIUM["hubs"], {"groups": [[0, 5], [1]], "device": "cpu", "checkpoint": tmp_path}
    want = group_betweenness(A, **options)
    with pytest.raises(ValueError, match=f"holds another run, which differs in {named} "):
        group_betweenness(A, **{**options, **other})
    np.testing.assert_array_equal(group_betweenness(A, **options), want)
    with pytest.raises(ValueError, match="measures was group_betweenness, is betweenness; group"):
        betweenness(A, device="cpu", checkpoint=tmp_path)


@pytest.mark.long
@posix
@pytest.mark.usefixtures("nothing_ahead")
def test_a_killed_worker():
    """The factory makes the pool again, the bits are the same, and the graph is sent once."""
    A, factory, groups = LARGE["streets"], Factory(), [[0, 5], [1], [2, 3, 4]]
    want = group_betweenness(A, groups, device="cpu")
    ways = {"device": "cpu", "executor": factory, "progress": factory.kill()}
    np.testing.assert_array_equal(group_betweenness(A, groups, **ways), want)
    assert len(factory.made) == 2
    factory = Factory()
    ways = {"device": "cpu", "executor": factory, "progress": factory.kill(times=2)}
    for got, alone in zip(prominent_group(A, 3, **ways), prominent_group(A, 3), strict=True):
        np.testing.assert_array_equal(got, alone)
    assert len(factory.made) == 3


def test_rounds_share_a_graph(monkeypatch):
    """A group grows on what was prepared and handed out once."""
    written = []
    write = payload.write
    monkeypatch.setattr(payload, "write", lambda *it: written.append(it[0].name) or write(*it))
    with ThreadPoolExecutor(2) as executor:
        for weighted in (False, True):
            prominent_group(MEDIUM["hubs"], 3, weighted=weighted, executor=executor, device="cpu")
    assert written.count("graph") == 2 < len(written)


def test_progress_and_nothing_to_do():
    """Sources are counted; a graph without edges has no pairs."""
    seen = []
    group_betweenness(
        MEDIUM["hubs"], [[0]], progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (70, 70)
    nothing = sp.csr_array((4, 4))
    np.testing.assert_array_equal(group_betweenness(nothing, [[0], [1, 2]]), [0, 0])
    found = prominent_group(nothing, 2)
    assert isinstance(found, ProminentGroup)
    assert found.nodes.tolist() == [0, 1]
    assert found.scores.tolist() == [0, 0]
    assert found.bound == 0


def test_ties_are_told():
    """Gains that differ by rounding tie, and the node of the least number is chosen."""
    star = matrix(nx.disjoint_union(nx.path_graph(3), nx.path_graph(3)))
    assert prominent_group(star, 2, normalized=False).nodes.tolist() == [1, 4]
    assert measure.TIED == 1e-9
