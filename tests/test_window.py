"""Tasks of a call that are handed in, lost, repeated and taken."""

import _thread
import functools
import threading
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from calls import CALLS, EVERY, LARGE, A, assert_same
from pools import HELD, Factory, Late, Scripted, fragile, loky, posix, processes, speaking

from sparsebc import betweenness, bfs
from sparsebc.errors import is_foreseen
from sparsebc.sweep import lost_tasks as window

# One of many sources, and more of them than end before a pool hears of a death.
LEVELS = functools.partial(bfs, sources=np.tile(np.arange(1000), 16), device="cpu")
BY_EDGES = functools.partial(betweenness, device="cpu")


@pytest.mark.parametrize(("_", "call"), CALLS, ids=list(EVERY)[: len(CALLS)])
def test_a_lost_task_is_handed_in_again(_, call):
    """To the bits of this process, unless the first loss ends the call."""
    factory = fragile()
    assert_same(call(executor=factory), call())
    factory.assert_over(2)
    factory = fragile()
    with pytest.raises(BrokenExecutor, match="A worker died") as caught:
        call(executor=factory, retries=0)
    assert caught.value.__notes__[0] == "The same blocks were lost 1 times, with retries=0."
    assert len(factory.made) == 1


def at(number, fate, times=1 << 30):
    """That fate of one task, so many times."""
    return lambda which, copy: fate if which == number and copy < times else None


def run(executor, **options):
    """The scores, which have the bits of threads."""
    got = betweenness(LARGE, device="cpu", executor=executor, **options)
    np.testing.assert_array_equal(got, betweenness(LARGE, device="cpu"))


def test_only_what_was_out_is_handed_in_again():
    """To the pool that is made in place of one that broke."""
    pool = Scripted(at(5, BrokenProcessPool("x"), times=1))
    run(pool.make)
    assert pool.times_shut_down == 2  # and at the end of the call
    again = [number for number, times in pool.copies.items() if times]
    assert 5 in again
    assert len(again) <= window.OUT * 2 < len(pool.copies)


class KilledWorker(Exception):
    """As Dask calls it."""


@pytest.mark.parametrize("error", [KilledWorker("k"), BrokenProcessPool("b"), CancelledError()])
def test_losses_end_with_retries(error):
    """Of one task; others may be lost too."""
    run(Scripted(at(7, error, times=2)).make, retries=2)
    with pytest.raises(type(error)) as caught:
        run(Scripted(at(7, error)).make, retries=2)
    assert caught.value.__notes__[-1] == "The same blocks were lost 3 times, with retries=2."
    assert is_foreseen(caught.value)


def test_a_pool_that_is_not_ours_is_left_alone():
    """It is neither made again nor shut down."""
    pool = Scripted(at(3, BrokenProcessPool("dead")))
    with pytest.raises(BrokenExecutor) as caught:
        run(pool)
    assert "give a function that makes it" in caught.value.__notes__[0]
    assert pool.times_shut_down == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), ValueError("x")])
def test_an_error_of_a_task_comes_out_as_it_is(error):
    """It comes out as it is, what is out is cancelled, and it is a fault of ours unless told."""
    pool = Scripted(lambda number, copy: {2: HELD, 3: error}.get(number))
    with pytest.raises(type(error), match="x") as caught:
        run(pool)
    assert pool.held[0].cancelled()
    assert not is_foreseen(caught.value)


@pytest.mark.parametrize("answer", [None, 0, "rows", [], [1, 2], {}])
def test_an_executor_that_answers_something_else_is_refused(answer):
    """It is named, in place of a wait without an end."""
    with pytest.raises(TypeError, match=r"executor gave .* as the result of a task"):
        run(Scripted(at(3, [answer])))


@pytest.mark.parametrize(
    ("memory", "out", "size"),
    [(1 << 40, 2 * window.OUT, 2 * window.WINDOW), (2, 2, 2), (1, 1, 1)],
    ids=["workers", "memory", "one"],
)
def test_the_window_is_bounded(monkeypatch, memory, out, size):
    """While the first task is late, no more than the window are handed in, and few are out."""
    room = memory * 8 * LARGE.shape[0]  # for so many sums
    monkeypatch.setattr(window, "free_memory", lambda: room * 5 // 4)
    late = Late()
    betweenness(LARGE, device="cpu")  # compiles, for which nobody is to wait below
    run(late, retries=0)
    assert late.most <= out
    assert late.before_the_first == size < late.submitted


@pytest.mark.parametrize(("results", "size"), [(1 << 20, 4), (3, 3)])
def test_as_many_rows_are_out_as_there_is_room_for(results, size):
    """In the memory budget of the caller, whose result is not counted."""
    late, sources = Late(), range(1000)
    want = bfs(LARGE, sources, device="cpu")  # compiles
    budget = {"memory_budget": 64 * 4 * LARGE.shape[0] * results}
    got = bfs(LARGE, sources, device="cpu", executor=late, retries=0, **budget)
    np.testing.assert_array_equal(got, want)
    assert late.most == size


@pytest.mark.long
@posix
@pytest.mark.parametrize("make", [processes, loky])
@pytest.mark.parametrize("find", [BY_EDGES, LEVELS], ids=["sums", "rows"])
def test_a_killed_worker_is_replaced_and_no_bit_changes(make, find, monkeypatch):
    """The factory makes the pool again, and the bits are the same; then it is shut down."""
    monkeypatch.setattr(window, "WINDOW", window.OUT)  # some tasks follow the first result
    factory, want = Factory(make), find(LARGE)
    np.testing.assert_array_equal(find(LARGE, executor=factory, progress=factory.kill()), want)
    factory.assert_over(2)


@pytest.mark.long
@posix
@pytest.mark.parametrize("make", [processes, loky])
def test_a_worker_that_dies_in_the_midst_of_a_result_is_replaced(monkeypatch, make):
    """A pool that would wait for the rest of it is broken, and made again."""
    monkeypatch.setattr(window, "LOOK_SECONDS", 0.1)
    factory = Factory(lambda: make(2, initializer=speaking), lambda: ThreadPoolExecutor(2))
    want = betweenness(A, device="cpu")  # compiles, for which the timer does not wait
    too_late = threading.Timer(60, _thread.interrupt_main)
    too_late.start()
    try:
        np.testing.assert_array_equal(betweenness(A, device="cpu", executor=factory), want)
    finally:
        too_late.cancel()
    factory.assert_over(2)
