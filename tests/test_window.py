"""Tasks of a call that are handed in, lost, repeated and taken, on an executor of the tests."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from test_executors import A

from sparsebc import betweenness
from sparsebc.errors import is_foreseen
from sparsebc.run import window


class KilledWorker(Exception):
    """As Dask calls it."""


class Scripted(Executor):
    """Runs each task at once, unless it has a ``fate``, by its number and that of the copy.

    An exception is raised, `HELD` never ends, and a list has the result.
    """

    def __init__(self, fate=lambda number, copy: None, workers=2):
        self.fate, self._max_workers = fate, workers
        self.copies, self.order, self.held = {}, {}, []
        self.times_shut_down = 0

    def make(self):
        return self

    def submit(self, work, task, *payload):
        number = self.order.setdefault(task.blocks[0].first, len(self.order))
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        future, fate = Future(), self.fate(number, copy)
        if fate is HELD:
            self.held.append(future)
        elif isinstance(fate, BaseException):
            future.set_exception(fate)
        else:
            future.set_result(work(task, *payload) if fate is None else fate[0])
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.times_shut_down += 1


HELD = "held"


def at(number, fate, times=1 << 30):
    """That fate of one task, so many times."""
    return lambda which, copy: fate if which == number and copy < times else None


def run(executor, **options):
    """The scores, which have the bits of threads."""
    got = betweenness(A, device="cpu", executor=executor, **options)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))


def test_only_what_was_out_is_handed_in_again():
    """To the pool that is made in place of one that broke."""
    pool = Scripted(at(5, BrokenProcessPool("x"), times=1))
    run(pool.make)
    assert pool.times_shut_down == 2  # and at the end of the call
    again = [number for number, times in pool.copies.items() if times]
    assert 5 in again
    assert len(again) <= window.OUT * 2 < len(pool.copies)


@pytest.mark.parametrize("error", [KilledWorker("k"), BrokenProcessPool("b"), CancelledError()])
def test_losses_end_with_retries(error):
    """Of one task; others may be lost too."""
    run(Scripted(at(7, error, times=2)).make, retries=2)
    with pytest.raises(type(error)) as caught:
        run(Scripted(at(7, error)).make, retries=2)
    assert caught.value.__notes__[-1] == "The same blocks were lost 3 times, with retries=2."
    assert is_foreseen(caught.value)


def test_a_pool_that_is_not_ours():
    """It is neither made again nor shut down."""
    pool = Scripted(at(3, BrokenProcessPool("dead")))
    with pytest.raises(BrokenExecutor) as caught:
        run(pool)
    assert "give a function that makes it" in caught.value.__notes__[0]
    assert pool.times_shut_down == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), ValueError("x")])
def test_an_error_of_a_task(error):
    """It comes out as it is, what is out is cancelled, and it is a fault of ours unless told."""
    fates = {2: HELD, 3: error}
    pool = Scripted(lambda number, copy: fates.get(number))
    with pytest.raises(type(error), match="x") as caught:
        run(pool)
    assert pool.held[0].cancelled()
    assert not is_foreseen(caught.value)


@pytest.mark.parametrize("answer", [None, 0, "rows", [], [1, 2], {}])
def test_an_executor_that_answers_something_else(answer):
    """It is named, in place of a wait without an end."""
    with pytest.raises(TypeError, match=r"executor gave .* as the result of a task"):
        run(Scripted(at(3, [answer])))


def test_workers_that_come(monkeypatch):
    """More tasks are out once they are there."""
    monkeypatch.setattr(window, "LOOK_SECONDS", 0)
    pool, ahead = Scripted(workers=1), []

    def look(done, total):
        ahead.append(len(pool.copies) - len(ahead))
        pool._max_workers = 4 if len(ahead) > 10 else 1

    run(pool, progress=look)
    assert max(ahead[:10]) <= window.OUT + 1
    assert window.OUT * 3 < max(ahead) <= window.OUT * 4 + 1
