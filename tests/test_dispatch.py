"""The rules by which tasks are handed in, lost, repeated and taken, on an executor of the tests."""

import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures.process import BrokenProcessPool

import pytest

from sparsebc.errors import is_foreseen
from sparsebc.run import dispatch, tasks


class KilledWorker(Exception):
    """As Dask calls it."""


class Workers:
    """Workers whose tasks come to what ``fate`` says of a number and how often it came before.

    An exception is raised, `HELD` stays out until nothing else is, and all else is the result.
    """

    is_factory = True

    def __init__(self, workers, fate=lambda number, copy: None):
        self.workers, self.fate = workers, fate
        self.copies, self.submitted, self.shared = {}, [], []
        self.times_shut_down = self.most_out = 0
        self.out = []

    def submit(self, work, task, files, *sent):
        number = task.blocks[0]
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        self.submitted.append((number, dict(zip(files, sent, strict=True))))
        future = Future()
        self.out.append((future, number, self.fate(number, copy)))
        self.most_out = max(self.most_out, len(self.out))
        return future

    def end(self, ended):
        """Let the task of the latest submission end that is not held; then those that are."""
        free = [one for one in self.out if one[2] is not HELD] or self.out
        if free and not ended.qsize():
            future, number, fate = last = free[-1]
            self.out.remove(last)
            if isinstance(fate, BaseException):
                future.set_exception(fate)
            else:
                future.set_result([number] if fate in (None, HELD) else fate)

    def share(self, file, content):
        self.shared.append(file)
        return content()

    def unshare(self):
        self.shared.clear()

    def break_if_a_process_died(self):
        pass

    def shut_down(self):
        self.times_shut_down += 1
        self.out.clear()


HELD = "held"
PAYLOAD = {"/nowhere/a.job": lambda: "the job", "/nowhere/graph": lambda: "the graph"}


def run(workers, count=40, *, memory=1 << 30, retries=2):
    """Take the results, which are the numbers of their tasks; the most tasks in the window."""
    window = dispatch._Window(workers, PAYLOAD, memory, retries)
    wait, most = window._await_one, 0

    def waits():
        nonlocal most
        most = max(most, len(window._entries))
        workers.end(window._ended)
        wait()

    window._await_one = waits
    todo = (tasks.Task(*PAYLOAD, (number,)) for number in range(count))
    assert [number for (number,) in window.results(todo)] == list(range(count))
    return most


def test_results_are_taken_in_order():
    """Whoever is done first, here the last."""
    workers = Workers(3)
    run(workers)
    assert workers.most_out == dispatch.OUT * 3
    assert set(workers.copies.values()) == {0}


def test_how_far_ahead_results_are():
    """The first task holds back all but those of its window; none is handed in twice."""
    workers = Workers(2, lambda number, copy: HELD if number == 0 else None)
    assert run(workers, 100) == dispatch.WINDOW * 2
    assert set(workers.copies.values()) == {0}


@pytest.mark.parametrize("memory", [1, 2, 3, 5])
def test_results_in_memory_are_bounded(memory):
    """Those that are out and those that wait for their turn."""
    workers = Workers(4, lambda number, copy: HELD if number % 9 == 0 else None)
    assert run(workers, memory=memory) == memory


def test_a_broken_pool():
    """Made again, and only what was out is handed in again."""
    workers = Workers(
        2, lambda number, copy: BrokenProcessPool("x") if (number, copy) == (5, 0) else None
    )
    run(workers)
    assert workers.times_shut_down == 1
    again = [number for number, copy in workers.copies.items() if copy]
    assert 5 in again
    assert len(again) <= dispatch.OUT * 2


@pytest.mark.parametrize("error", [KilledWorker("k"), BrokenProcessPool("b"), CancelledError()])
def test_losses_end_with_retries(error):
    """Of one task; others may be lost too."""
    workers = Workers(2, lambda number, copy: error if number == 7 and copy < 2 else None)
    run(workers, retries=2)
    workers = Workers(2, lambda number, copy: error if number == 7 else None)
    with pytest.raises(type(error)) as caught:
        run(workers, retries=2)
    assert caught.value.__notes__[-1] == "The same blocks were lost 3 times, with retries=2."
    assert is_foreseen(caught.value)
    assert all(future.cancelled() for future, *_ in workers.out)


def test_a_pool_that_is_not_ours():
    """It is not made again."""
    workers = Workers(2, lambda number, copy: BrokenProcessPool("dead") if number == 3 else None)
    workers.is_factory = False
    with pytest.raises(BrokenExecutor) as caught:
        run(workers)
    assert "give a function that makes it" in caught.value.__notes__[0]
    assert workers.times_shut_down == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), ValueError("x")])
def test_an_error_of_a_task(error):
    """It comes out as it is, what is out is cancelled, and it is a fault of ours unless told."""
    workers = Workers(2, lambda number, copy: error if number == 9 else None)
    with pytest.raises(type(error), match="x") as caught:
        run(workers)
    assert all(future.cancelled() for future, *_ in workers.out)
    assert not is_foreseen(caught.value)


def test_a_process_without_the_files():
    """It is sent what it misses with the task; a process that misses more is sent that, too."""
    job, graph = PAYLOAD
    fate = {
        (3, 0): tasks.Missing((job, graph)),
        (4, 0): tasks.Missing((job,)),
        (4, 1): tasks.Missing((graph,)),
    }
    workers = Workers(2, lambda number, copy: fate.get((number, copy)))
    run(workers)
    sent = [one for one in workers.submitted if one[1]]
    assert sorted(sent, key=lambda one: one[0]) == [
        (3, {job: "the job", graph: "the graph"}),
        (4, {job: "the job"}),
        (4, {job: "the job", graph: "the graph"}),
    ]
    assert set(workers.shared) == {job, graph}


@pytest.mark.parametrize("answer", [0, "rows", [], [1, 2], {}])
def test_an_executor_that_answers_something_else(answer):
    """It is named, in place of a wait without an end."""
    workers = Workers(2, lambda number, copy: answer if number == 3 else None)
    with pytest.raises(TypeError, match=r"executor gave .* as the result of a task"):
        run(workers)


def test_an_executor_that_answers_nothing():
    """None is not for a result that is still out."""
    workers = Workers(2)
    workers.end = lambda ended: ended.qsize() or workers.out.pop()[0].set_result(None)
    over = threading.Timer(20, workers.out.clear)
    over.start()
    with pytest.raises(TypeError, match="executor gave None as the result of a task"):
        run(workers)
    over.cancel()


def test_workers_that_come(monkeypatch):
    """The window grows with them."""
    monkeypatch.setattr(dispatch, "LOOK_SECONDS", 0)
    workers = Workers(1)
    submit = workers.submit

    def joined(*args):
        workers.workers = 4 if len(workers.submitted) > 10 else 1
        return submit(*args)

    workers.submit = joined
    run(workers, 80)
    assert workers.most_out == dispatch.OUT * 4
