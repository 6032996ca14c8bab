"""Rows that executors send back: in bounded memory, each to its place, whoever dies on the way."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from late import Counted
from test_executors import SEARCHES, A, Factory, assert_same_rows, posix

from sparsebc import bfs, shortest_paths
from sparsebc.measures import rows

SOURCES = range(1000)


@pytest.mark.parametrize(("results", "window"), [(1 << 20, 4), (3, 3)])
def test_as_many_are_out_as_there_is_room_for(late, results, window):
    """In the memory budget of the caller, whose result is not counted."""
    want = bfs(A, SOURCES, device="cpu")  # compiles, for which nobody is to wait below
    budget = 64 * 4 * A.shape[0] * results
    got = bfs(A, SOURCES, device="cpu", executor=late, memory_budget=budget, retries=0)
    np.testing.assert_array_equal(got, want)
    assert late.most == window


def test_tasks_are_as_large_as_leaves_enough(monkeypatch):
    """Of many groups where rows are short; of one where they are long, or the budget is small."""
    whole = sp.csr_array(np.ones((40, 40)))
    few, many = Counted(), Counted()
    sources = np.arange(40 * 500) % 40
    want = bfs(whole, sources, device="cpu")
    np.testing.assert_array_equal(bfs(whole, sources, device="cpu", executor=few), want)
    assert 16 * 2 <= few.submitted <= 2 * 16 * 2
    monkeypatch.setattr(rows, "TASK_BYTES", 1)
    np.testing.assert_array_equal(bfs(whole, sources, device="cpu", executor=many), want)
    assert many.submitted == -(-sources.size // 64)


def test_a_worker_without_room_says_so():
    """In bytes, with its traceback."""
    with pytest.raises(MemoryError, match="memory_budget is 1000: raise memory_budget"):
        shortest_paths(A, [0], device="cpu", executor=Counted(), memory_budget=1000)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("search", ["levels", "by length"])
def test_a_killed_worker(search):
    """The factory makes the pool again, rows are the same, and the pool is shut down."""
    factory = Factory()
    kill = factory.kill()
    find, matrix, asked = SEARCHES[search]
    sources = np.tile(SOURCES, 16)  # more than end before the pool hears of the death
    want = find(matrix, sources, device="cpu", **asked)
    got = find(matrix, sources, device="cpu", executor=factory, progress=kill, **asked)
    np.testing.assert_array_equal(got, want)
    assert len(factory.made) == 2
    with pytest.raises(RuntimeError, match="shutdown"):
        factory.made[-1].submit(os.getpid)


def test_assert_same_rows_can_fail():
    """A worker that sends the rows of others is found out."""

    class Swapped(Counted):
        def submit(self, work, task, *files):
            block = task.blocks[0]
            other = block._replace(sources=block.sources[::-1])
            return super().submit(work, task._replace(blocks=(other, *task.blocks[1:])), *files)

    with pytest.raises(AssertionError):
        assert_same_rows("levels", Swapped())
