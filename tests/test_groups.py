"""Groups of nodes: what their betweenness is by definition, and how good the greedy group is."""

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import MEDIUM, matrix
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc import ProminentGroup, group_betweenness, prominent_group
from sparsebc.testing import all_shortest_paths, matrices

SMALL = matrices(max_nodes=6, explicit_zeros=False)


@given(SMALL, st.booleans(), st.booleans(), st.data())
@settings(max_examples=50)
def test_every_greedy_step_adds_the_most(device, A, directed, weighted, data):
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
    paths = all_shortest_paths(A, directed=directed, weighted=weighted).values()
    met = {
        group: sum(
            Fraction(sum(not {*group}.isdisjoint(path) for path in ways), len(ways))
            for ways in paths
        )
        / (1 if directed else 2)
        for count in range(size + 1)
        for group in itertools.combinations(sorted(allowed), count)
    }
    chosen, bounds = (), []
    for node, score in zip(found.nodes.tolist(), found.scores, strict=True):
        steps = {v: met[tuple(sorted((*chosen, v)))] for v in sorted(allowed - set(chosen))}
        most = max(steps.values())
        before = met[tuple(sorted(chosen))]
        gains = sorted((reached - before for reached in steps.values()), reverse=True)
        bounds.append(before + sum(gains[:size]))
        assert node == next(v for v, reached in steps.items() if reached == most)
        assert score == pytest.approx(float(most), rel=1e-12)
        chosen = (*chosen, node)
    best = max(score for group, score in met.items() if len(group) == size)
    assert found.bound == pytest.approx(float(min(bounds)), rel=1e-12)
    assert found.bound >= float(best) * (1 - 1e-12)
    assert found.scores[-1] >= (1 - 1 / math.e) * float(best) * (1 - 1e-12)
    assert found.scores[-1] >= (1 - 1 / math.e) * found.bound * (1 - 1e-12)


def test_the_bound_is_the_least_over_the_steps():
    """Of two edges apart, one step bounds two nodes by 1 + 1 pairs, the next by 1 + 1 + 1."""
    A = sp.csr_array(([1, 1], ([0, 1], [3, 2])), shape=(4, 4))
    found = prominent_group(A, 2, directed=False, normalized=False)
    assert found.scores.tolist() == [1, 2]
    assert found.bound == 2


def test_progress_counts_sources_and_no_edges_score_nothing():
    """Sources are counted; a graph without edges has no pairs."""
    seen = []
    group_betweenness(
        MEDIUM["hubs"], [[0]], progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (70, 70)
    nothing = sp.csr_array((4, 4))
    np.testing.assert_array_equal(group_betweenness(nothing, [[0], [1, 2]]), [0, 0])
    some = [{1}, frozenset([0, 2]), np.array([3])]
    scores = group_betweenness(sp.csr_array(np.eye(4, k=1)), some, normalized=False)
    assert scores.tolist() == [2, 1, 0]
    found = prominent_group(nothing, 2)
    assert isinstance(found, ProminentGroup)
    assert found.nodes.tolist() == [0, 1]
    assert found.scores.tolist() == [0, 0]
    assert found.bound == 0


def test_gains_that_tie_choose_the_least_number():
    """Gains that differ by rounding tie, and the node of the least number is chosen."""
    star = matrix(nx.disjoint_union(nx.path_graph(3), nx.path_graph(3)))
    assert prominent_group(star, 2, normalized=False).nodes.tolist() == [1, 4]


@pytest.mark.parametrize(("n", "steps"), [(13, [1, 2]), (20, [2, 3]), (25, [1, 4])])
def test_nodes_of_a_circulant_graph_tie(device, n, steps):
    """All are alike, whatever rounding makes of thirds: the first is chosen."""
    A = matrix(nx.circulant_graph(n, steps))
    assert prominent_group(A, 1, device=device).nodes.tolist() == [0]
