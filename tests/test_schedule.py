"""The rules by which tasks are handed in, lost, repeated and taken, on an executor of the tests."""

import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures.process import BrokenProcessPool

import pytest

from sparsebc.run import remote, schedule
from sparsebc.run.foreseen import is_foreseen
from sparsebc.run.schedule import Limits, Schedule


class KilledWorker(Exception):
    """As Dask calls it."""


class Crew:
    """Workers whose tasks come to what ``fate`` says of a number and how often it came before.

    An exception is raised, `HELD` stays out until nothing else is, and all else is the result.
    """

    is_factory = True

    def __init__(self, workers, fate=lambda number, copy: None):
        self.workers, self.fate = workers, fate
        self.copies, self.submitted, self.shared = {}, [], []
        self.closed = self.most_out = 0
        self.out = []

    def submit(self, work, task, *goods):
        number = task.blocks[0]
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        self.submitted.append((number, goods))
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

    def share(self, file, thing):
        self.shared.append(file)
        return thing

    def unshare(self):
        self.shared.clear()

    def bury(self):
        pass

    def close(self):
        self.closed += 1
        self.out.clear()


HELD = "held"


def run(crew, count=40, *, memory=1 << 30, retries=2, ordered=True):
    """The results, which are the numbers of their tasks, as they were taken."""
    tasks = [remote.Task("/nowhere", "/nowhere/a.job", (number,)) for number in range(count)]
    goods = remote.Goods("the job", "the graph")
    made = Schedule(crew, tasks, Limits(memory, retries), lambda: goods, ordered=ordered)
    hear = made._hear

    def heard():
        crew.end(made._ended)
        crew.most_early = max(
            getattr(crew, "most_early", 0), sum(one.results is not None for one in made._flight)
        )
        crew.most_flight = max(getattr(crew, "most_flight", 0), len(made._flight))
        hear()

    made._hear = heard
    got = [(task.blocks[0], results[0]) for task, results in made.results()]
    assert all(block == number for block, number in got)
    order = [number for number, _ in got]
    assert not ordered or order == list(range(count))
    return order


def test_results_are_taken_in_order():
    """Whoever is done first, here the last; no more than two tasks a worker are out."""
    crew = Crew(3)
    run(crew)
    assert crew.most_out == 6
    assert set(crew.copies.values()) == {0}


def test_results_are_taken_as_they_end():
    """Where no order is asked for, one that is held holds nobody back."""
    crew = Crew(3, lambda number, copy: HELD if number == 0 else None)
    order = run(crew, 100, memory=4, ordered=False)
    assert order[-1] == 0
    assert sorted(order) == list(range(100))
    assert crew.most_out == 4
    assert crew.most_early == 0


def test_losses_without_an_order():
    """Each is made good, and each result is taken once."""
    fate = {(5, 0): BrokenProcessPool("dead"), (9, 0): KilledWorker("k")}
    crew = Crew(2, lambda number, copy: fate.get((number, copy)))
    assert sorted(run(crew, ordered=False)) == list(range(40))
    assert crew.closed == 1


def test_how_far_ahead_results_are():
    """A head that is not done holds back all but so many tasks; none is handed in twice."""
    crew = Crew(2, lambda number, copy: HELD if number == 0 else None)
    run(crew, 100)
    assert crew.most_flight == schedule.FLIGHT * 2
    assert set(crew.copies.values()) == {0}


@pytest.mark.parametrize("memory", [1, 2, 3, 5])
def test_results_in_memory_are_bounded(memory):
    """Those that are out and those that are early."""
    crew = Crew(4, lambda number, copy: HELD if number % 9 == 0 else None)
    run(crew, memory=memory)
    assert crew.most_flight == memory


def test_a_broken_pool():
    """Made again, and only what was out is handed in again."""
    crew = Crew(
        2, lambda number, copy: BrokenProcessPool("x") if (number, copy) == (5, 0) else None
    )
    run(crew)
    assert crew.closed == 1
    again = [number for number, copy in crew.copies.items() if copy]
    assert 5 in again
    assert len(again) <= 2 * 2


@pytest.mark.parametrize("error", [KilledWorker("k"), BrokenProcessPool("b"), CancelledError()])
def test_losses_end_with_retries(error):
    """Of one task; others may be lost too."""
    crew = Crew(2, lambda number, copy: error if number == 7 and copy < 2 else None)
    run(crew, retries=2)
    crew = Crew(2, lambda number, copy: error if number == 7 else None)
    with pytest.raises(type(error)) as caught:
        run(crew, retries=2)
    assert caught.value.__notes__[-1] == "The same blocks were lost 3 times, with retries=2."
    assert is_foreseen(caught.value)
    assert all(future.cancelled() for future, *_ in crew.out)


def test_a_pool_that_is_not_ours():
    """It is not made again."""
    crew = Crew(2, lambda number, copy: BrokenProcessPool("dead") if number == 3 else None)
    crew.is_factory = False
    with pytest.raises(BrokenExecutor) as caught:
        run(crew)
    assert "give a function that makes it" in caught.value.__notes__[0]
    assert crew.closed == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), ValueError("x")])
def test_an_error_of_a_task(error):
    """It comes out as it is, what is out is cancelled, and it is a fault of ours unless told."""
    crew = Crew(2, lambda number, copy: error if number == 9 else None)
    with pytest.raises(type(error), match="x") as caught:
        run(crew)
    assert all(future.cancelled() for future, *_ in crew.out)
    assert not is_foreseen(caught.value)


def test_a_process_without_the_files():
    """It gets what it lacks with the task; a process that lacks more gets that, too."""
    fate = {
        (3, 0): remote.Absent(job=True, graph=True),
        (4, 0): remote.Absent(job=True, graph=False),
        (4, 1): remote.Absent(job=False, graph=True),
    }
    crew = Crew(2, lambda number, copy: fate.get((number, copy)))
    run(crew)
    brought = [one for one in crew.submitted if one[1]]
    assert sorted(brought, key=lambda one: one[0]) == [
        (3, ("the job", "the graph")),
        (4, ("the job", None)),
        (4, ("the job", "the graph")),
    ]
    assert set(crew.shared) == {"/nowhere/a.job", "/nowhere"}


@pytest.mark.parametrize("answer", [0, "rows", [], [1, 2], {}])
def test_an_executor_that_answers_something_else(answer):
    """It is named, in place of a wait without an end."""
    crew = Crew(2, lambda number, copy: answer if number == 3 else None)
    with pytest.raises(TypeError, match=r"executor gave .* as the result of a task"):
        run(crew)


def test_an_executor_that_answers_nothing():
    """None is not for a result that is still out."""
    crew = Crew(2)
    crew.end = lambda ended: ended.qsize() or crew.out.pop()[0].set_result(None)
    over = threading.Timer(20, crew.out.clear)
    over.start()
    with pytest.raises(TypeError, match="executor gave None as the result of a task"):
        run(crew)
    over.cancel()


def test_workers_that_come(monkeypatch):
    """The window grows with them."""
    monkeypatch.setattr(schedule, "LOOK_SECONDS", 0)
    crew = Crew(1)
    submit = crew.submit

    def joined(*args):
        crew.workers = 8 if len(crew.submitted) > 10 else 1
        return submit(*args)

    crew.submit = joined
    run(crew, 80)
    assert crew.most_out == 16
