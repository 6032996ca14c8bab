"""How a GPU shares its memory out among searches: arithmetic, which needs no GPU."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.engines.cuda.msbfs import plan
from sparsebc.engines.cuda.msbfs.layout import COLUMNS
from sparsebc.engines.cuda.sssp import plan as sssp_plan

NODES = st.integers(1, 2**31 - 1)
RESULTS = {"bfs": ["level"], "shortest paths": ["level", "before", "distance"]}


def bytes_of_rows(n, rows, results):
    """What is allocated for so many sources that are searched at once."""
    each = {"level": 4, "before": 4, "distance": 8}
    masks = 2 * 128 * n + 4 * 4 * -(-n // 32)
    return plan.fixed_bytes(n) + masks + rows * n * sum(each[name] for name in results)


@given(n=NODES, more=st.integers(0, 2**44), results=st.sampled_from([*RESULTS.values()]))
def test_rows_of_results_fit(n, more, results):
    """Some in the least memory that is asked for, all of a batch at most, and no more than fit."""
    memory = plan.least_bytes(n) + more
    rows = plan.rows_at_once(n, memory, results)
    assert 1 <= rows <= COLUMNS
    assert bytes_of_rows(n, rows, results) <= memory
    if rows < COLUMNS:  # none is left out that would fit, but for what is rounded
        assert bytes_of_rows(n, rows + 1, results) > memory - 2 * n - 32 * 289 - (1 << 13)


def test_results_that_stay_on_the_device_need_no_room():
    """Kernels write them where they are wanted."""
    assert plan.rows_at_once(1000, plan.least_bytes(1000), []) == COLUMNS


@pytest.mark.parametrize(("results", "each"), [(["level"], 4), (RESULTS["shortest paths"], 16)])
def test_a_group_with_its_results_takes_kibibytes_a_node(results, each):
    """1024 sources take 4 KiB a node for levels, 16 for paths, beside 257 bytes of state."""
    n = 10**6
    whole = plan.fixed_bytes(n) + plan.batch_bytes(n, 0) + 1024 * each * n
    assert plan.rows_at_once(n, whole, results) == 1024
    assert plan.rows_at_once(n, whole - 1, results) == 1023
    assert plan.rows_at_once(n, 300 * n, results) <= 8


@given(n=NODES, memory=st.integers(0, 2**44))
def test_groups_that_are_summed_fit(n, memory):
    """One in the least memory, and as many as there is room for."""
    batches = plan.batches_at_once(n, memory)
    assert plan.batches_at_once(n, plan.least_bytes(n)) == 1
    if memory >= plan.least_bytes(n):
        assert plan.fixed_bytes(n) + batches * plan.batch_bytes(n) <= memory
        assert plan.fixed_bytes(n) + (batches + 1) * plan.batch_bytes(n) > memory


@given(n=NODES, arcs=st.integers(0, 2**40), more=st.integers(0, 2**44))
def test_words_of_sources_fit_beside_the_edges(n, arcs, more):
    """The edges come first; what is left is shared out by words of 32 sources."""
    memory = sssp_plan.least_sssp_bytes(n, arcs) + more
    for edges in (arcs, 2 * arcs):
        words = sssp_plan.words_at_once(n, edges, memory)
        assert 1 <= words <= sssp_plan.MOST_WORDS
        assert sssp_plan.edge_bytes(n, edges) + words * n * sssp_plan.WORD_BYTES <= memory
    assert sssp_plan.words_at_once(n, 2 * arcs, sssp_plan.least_sssp_bytes(n, arcs)) >= 1
