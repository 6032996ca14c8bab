"""The ordered sum: one tree, whoever adds up which part of it."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.engines.common.sums import PairwiseSum, spans


def added(left, right):
    """How a sum was made, spelt out."""
    return f"({left}+{right})"


def node(leaves):
    """A whole node, by its definition: both halves, the left one first."""
    half = len(leaves) // 2
    return added(node(leaves[:half]), node(leaves[half:])) if half else str(leaves[0])


@given(leaves=st.integers(1, 200), data=st.data())
def test_any_cut_gives_the_same_sum(leaves, data):
    """Runs of leaves may be cut anywhere; which additions are made does not change."""
    cuts = sorted({0, leaves, *data.draw(st.lists(st.integers(0, leaves), max_size=8))})
    by_leaf, by_run = PairwiseSum(added), PairwiseSum(added)
    for leaf in range(leaves):
        by_leaf.take(range(leaf, leaf + 1), str(leaf))
    for first, end in itertools.pairwise(cuts):
        run = PairwiseSum(added)
        for leaf in range(first, end):
            run.take(range(leaf, leaf + 1), str(leaf))
        assert run.nodes == [(span, node(span)) for span in spans(first, end)]
        for span, value in run.nodes:
            by_run.take(span, value)
    assert by_run.total() == by_leaf.total()


@given(first=st.integers(0, 1000), count=st.integers(0, 1000))
def test_spans_are_few_whole_nodes(first, count):
    """They cover the leaves in order; each begins at a multiple of its size."""
    found = list(spans(first, first + count))
    assert [leaf for span in found for leaf in span] == list(range(first, first + count))
    assert all(span.start % len(span) == 0 and len(span).bit_count() == 1 for span in found)
    assert len(found) <= 2 * max(count, 1).bit_length()


@given(leaves=st.integers(0, 300))
def test_what_waits_grows_with_the_logarithm(leaves):
    """A sum of many leaves keeps few of them."""
    tree = PairwiseSum(added)
    for leaf in range(leaves):
        tree.take(range(leaf, leaf + 1), "")
        assert len(tree.nodes) <= (leaf + 1).bit_length()


def test_nothing_is_left_out():
    """A gap between nodes is refused."""
    tree = PairwiseSum(added)
    tree.take(range(2), "a")
    with pytest.raises(ValueError, match="does not follow"):
        tree.take(range(4, 6), "b")
    assert PairwiseSum(added).total() is None
