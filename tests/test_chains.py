"""Chains of nodes of degree 2: which they are, when they are left to their ends, and memory."""

import contextlib
import re

import networkx as nx
import pytest
from graphs import matrix, stretched, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, centralities
from sparsebc.reduce import blocks, chains, reduce
from sparsebc.testing import brandes


@contextlib.contextmanager
def eager(ends=64):
    """Leave chains to their ends, and graphs apart, whether that saves work or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "MOST", 1e9)
        patch.setattr(chains, "ENDS", ends)
        for enough in ("CHAINS", "BLOCKS", "BLOCKS_ON_GPU", "BLOCKS_OF_HIGH_DIAMETER"):
            patch.setattr(reduce, f"LEAST_{enough}", 0)
        patch.setattr(blocks, "LEAST_SAVED", -1)
        yield


LARGE = {
    "streets": stretched(nx.grid_2d_graph(9, 10), 71),
    "ladder": stretched(nx.ladder_graph(30), 74, most=12),
}


def test_a_cycle_is_cut_twice():
    """And the scores of its nodes are known in closed form: (k - 1) (k - 3) / 8 for k odd."""
    A, totals = matrix(nx.cycle_graph(101)), []
    progress = lambda done, total: totals.append(total)  # noqa: E731
    with eager():
        ways = {"directed": False, "normalized": False, "device": "cpu", "reduce": {"chains"}}
        got = betweenness(A, progress=progress, **ways)
    assert totals[-1] == 2
    assert_allclose(got, 100 * 98 / 8, rtol=1e-13)


def test_chains_between_two_ends_are_not_cut():
    """Three of them: searches from both ends serve all nodes."""
    G, totals = nx.Graph(), []
    for first in (2, 12, 22):
        nx.add_path(G, [0, *range(first, first + 10), 1])
    A = matrix(nx.convert_node_labels_to_integers(G))
    ways = {"directed": False, "device": "cpu"}
    with eager():
        progress = lambda done, total: totals.append(total)  # noqa: E731
        got = betweenness(A, progress=progress, reduce={"chains"}, **ways)
    assert totals[-1] == 2
    assert_allclose(got, brandes(A, directed=False), rtol=1e-12)


@pytest.mark.parametrize("n", [9, 101])
@pytest.mark.parametrize("cutoff", [2, 4])
def test_pairs_of_a_chain_as_far_as_the_cutoff_count(fast_device, n, cutoff):
    """A node of a cycle is within the paths of d - 1 pairs at distance d, and an end of two."""
    A = matrix(nx.cycle_graph(n))
    ways = {"directed": False, "normalized": False, "cutoff": cutoff, "device": fast_device}
    with eager():
        assert_allclose(betweenness(A, **ways), cutoff * (cutoff - 1) / 2, rtol=1e-12)
        with_ends = betweenness(A, endpoints=True, **ways)
    assert_allclose(with_ends, cutoff * (cutoff + 3) / 2, rtol=1e-12)


def test_pairs_and_paths_weigh_apart(fast_device):
    """Betweenness and stress of one call, with many paths between the ends of chains."""
    G = nx.complete_bipartite_graph(4, 4)
    for u in range(4):
        nx.add_path(G, [u, *((u, i) for i in range(5)), (u + 1) % 4])
    A, ways = with_lengths(matrix(G), [1.0, 2.0]), {"directed": False, "weighted": True}
    with eager():
        got = centralities(A, ["betweenness", "stress"], device=fast_device, **ways)
    for measure, scores in got.items():
        assert_allclose(scores, brandes(A, measure, **ways), rtol=1e-12)


SHORT = {"directed": False, "device": "cpu", "memory_budget": 660_000}


def test_where_memory_is_short_they_are_left_out(caplog):
    """And a warning says so: scores have the bits of a call without them."""
    A = LARGE["streets"]

    def warnings():
        return [one.message for one in caplog.records if "left out" in one.message]

    got = betweenness(A, **SHORT)
    (warning,) = warnings()
    assert re.search(
        r"chains are left out: .* needs \d+ bytes( \(\d MiB\))?, and memory_budget is 660000: "
        r"raise memory_budget.*\. Scores are those of a run without chains, to the last bit",
        warning,
    )
    assert_array_equal(got, betweenness(A, **SHORT, reduce="all,-chains"))
    assert_array_equal(
        betweenness(A, **SHORT, reduce={"chains", "twins"}),
        betweenness(A, **SHORT, reduce={"twins"}),
    )
    assert len(warnings()) == 2
    with_chains = betweenness(A, directed=False, device="cpu")
    assert_allclose(got, with_chains, rtol=1e-12, atol=1e-15)


def test_a_checkpoint_knows_whether_they_were_left_out(tmp_path):
    """Sums that are kept are of one arrangement of the sources: more memory changes nothing."""
    A, kept = LARGE["streets"], {"checkpoint": tmp_path}
    want = betweenness(A, **SHORT, **kept)
    more = SHORT | {"memory_budget": 10**9}
    with pytest.raises(ValueError, match=r"differs in reduce \(.* is blocks, chains"):
        betweenness(A, **more, **kept)
    assert_array_equal(betweenness(A, **more, reduce="all,-chains", **kept), want)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_the_ends_of_an_earlier_batch_reached_is_forgotten(weighted):
    """Within a cutoff, where one worker sweeps batches of a few ends."""
    A, ways = with_lengths(LARGE["streets"], [1.0, 2.0, 3.0]), {"weighted": weighted, "cutoff": 10}
    ways |= {"directed": False, "device": "cpu", "workers": 1}
    with eager(8):
        got = betweenness(A, reduce={"chains"}, **ways)
    assert_allclose(got, betweenness(A, reduce="none", **ways), rtol=1e-12, atol=1e-15)
