"""The rules by which tasks are handed in, lost, repeated and taken: an executor of virtual time."""

import errno
import os
from concurrent.futures import BrokenExecutor, CancelledError
from concurrent.futures.process import BrokenProcessPool

import pytest

from benchmarks.schedule import CASES, KilledWorker, Workers, line, simulate
from sparsebc.run import remote, schedule
from sparsebc.run.schedule import Limits, Schedule


def crew_of(workers, fate):
    """Workers whose tasks take the seconds that ``fate`` says, or those and what comes of it."""

    def told(number, copy):
        found = fate(number, copy)
        return found if isinstance(found, tuple) else (found, None)

    return Workers(workers, told)


def run(crew, count=40, *, memory=1 << 30, retries=2, folder="/nowhere", ordered=True):
    """The results, which are the numbers of their tasks, as they were taken."""
    tasks = [remote.Task(str(folder), f"{folder}/a.job", (number,)) for number in range(count)]
    goods = remote.Goods("the job", "the graph")
    made = Schedule(crew, tasks, Limits(memory, retries), lambda: goods, crew, ordered=ordered)
    got = [(task.blocks[0], number) for task, number in made.results()]
    assert all(block == number for block, number in got)
    order = [number for _, number in got]
    assert not ordered or order == list(range(count))
    return order


def test_results_are_taken_in_order():
    """Whoever is done first; and workers are never idle where there is work."""
    crew = crew_of(3, lambda number, copy: 1.0 + number * 7 % 5)
    run(crew)
    assert crew.most_out == 6
    assert crew.now() < 1.2 * sum(1.0 + number * 7 % 5 for number in range(40)) / 3


def test_results_are_taken_as_they_end():
    """Where no order is asked for: none is early, and a late one holds nobody back."""
    crew = crew_of(3, lambda number, copy: 300.0 if number == 0 else 1.0)
    order = run(crew, 100, memory=4, retries=0, ordered=False)
    assert order[-1] == 0
    assert sorted(order) == list(range(100))
    assert crew.now() < 301
    assert crew.most_out == 4


def test_losses_without_an_order():
    """Each is made good, and each result is taken once."""
    fate = {(5, 0): BrokenProcessPool("dead"), (9, 0): KilledWorker("k")}
    crew = crew_of(2, lambda number, copy: (1.0 + number % 3, fate.get((number, copy))))
    assert sorted(run(crew, ordered=False)) == list(range(40))
    assert crew.closed == 1


def test_a_late_head_is_handed_in_again():
    """The first answer wins; no more than the window are out, and the others go ahead."""
    crew = crew_of(4, lambda number, copy: 1e6 if (number, copy) == (0, 0) else 2.0)
    run(crew)
    assert crew.copies[0] == 1
    assert all(crew.copies[number] == 0 for number in range(1, 40))
    assert crew.most_out <= 2 * 4 + 1
    assert 6.0 < crew.now() < 45.0


def test_copies_end_with_retries():
    """However late it is."""
    crew = crew_of(4, lambda number, copy: 300.0 if number == 0 else 2.0)
    run(crew, retries=2)
    assert crew.copies[0] == 2
    crew = crew_of(4, lambda number, copy: 300.0 if number == 0 else 2.0)
    run(crew, retries=0)
    assert crew.copies[0] == 0


def test_how_far_ahead_results_are():
    """A head that nobody can hurry holds back all but so many tasks."""
    crew = crew_of(2, lambda number, copy: 1e4 if number == 0 else 0.01)
    seen = []
    one = crew.fate
    crew.fate = lambda number, copy: seen.append((crew.now(), number)) or one(number, copy)
    run(crew, 100, retries=0)
    before = [number for time, number in seen if time < 1e4]
    assert max(before) == 2 * 2 + schedule.AHEAD * 2 - 1


@pytest.mark.parametrize("memory", [1, 2, 3, 5])
def test_results_in_memory_are_bounded(tmp_path, memory, monkeypatch):
    """Those that are out and those that are early; the others wait on the disk, and leave it."""
    crew = crew_of(4, lambda number, copy: 30.0 if number % 9 == 0 else 1.0)
    held, files = [], []
    submit = crew.submit

    def watched(*args):
        future = submit(*args)
        held.append(crew.out + len(made[0]._held))
        files.append(len(os.listdir(tmp_path)))
        return future

    made = []
    plain = Schedule.__init__
    monkeypatch.setattr(
        Schedule,
        "__init__",
        lambda self, *args, **ways: (made.append(self), plain(self, *args, **ways))[1],
    )
    crew.submit = watched
    run(crew, memory=memory, folder=tmp_path, retries=0)
    assert max(held) <= memory
    assert (max(files) > 0) == (memory > 1)
    assert not os.listdir(tmp_path)


def test_a_full_disk(tmp_path, caplog):
    """It is told once; results wait in memory, and fewer tasks are out."""
    crew = crew_of(4, lambda number, copy: 30.0 if number % 9 == 0 else 1.0)
    run(crew, memory=3, folder=tmp_path / "gone", retries=0)
    (record,) = caplog.records
    assert os.strerror(errno.ENOENT) in record.getMessage()
    assert "results wait in memory instead" in record.getMessage()


def test_a_broken_pool():
    """Made again, and only what was out is handed in again."""
    fate = {(5, 0): (1.0, BrokenProcessPool("dead"))}
    crew = crew_of(2, lambda number, copy: fate.get((number, copy), 1.0))
    run(crew)
    assert crew.closed == 1
    again = [number for number, copy in crew.copies.items() if copy]
    assert 5 in again
    assert len(again) <= 2 * 2


@pytest.mark.parametrize("error", [KilledWorker("k"), BrokenProcessPool("b"), CancelledError()])
def test_losses_end_with_retries(error):
    """Of one task; others may be lost too."""
    crew = crew_of(2, lambda number, copy: (1.0, error) if number == 7 and copy < 2 else 1.0)
    run(crew, retries=2)
    crew = crew_of(2, lambda number, copy: (1.0, error) if number == 7 else 1.0)
    with pytest.raises(type(error)) as caught:
        run(crew, retries=2)
    assert caught.value.__notes__[-1] == "The same blocks were lost 3 times, with retries=2."
    assert all(future.cancelled() for *_, future in crew.queue)


def test_a_copy_that_is_lost():
    """The other one that is out is waited for."""
    fate = {(0, 0): 60.0, (0, 1): (1.0, KilledWorker("k"))}
    crew = crew_of(4, lambda number, copy: fate.get((number, copy), 2.0))
    run(crew, retries=1)
    assert crew.copies[0] == 1


def test_a_pool_that_is_not_ours(monkeypatch):
    """It is not made again."""
    crew = crew_of(2, lambda number, copy: (1.0, BrokenProcessPool("dead")) if number == 3 else 1.0)
    crew.is_factory = False
    with pytest.raises(BrokenExecutor) as caught:
        run(crew)
    assert "give a function that makes it" in caught.value.__notes__[0]
    assert crew.closed == 0


def test_an_error_of_a_task():
    """It comes out as it is, and what is out is cancelled."""
    crew = crew_of(2, lambda number, copy: (1.0, ZeroDivisionError("x")) if number == 9 else 1.0)
    with pytest.raises(ZeroDivisionError, match="x"):
        run(crew)
    assert all(future.cancelled() for *_, future in crew.queue)


def test_a_process_without_the_files():
    """It gets what it lacks with the task; a process that lacks more gets that, too."""
    fate = {
        (3, 0): (1.0, remote.Absent(job=True, graph=True)),
        (4, 0): (1.0, remote.Absent(job=True, graph=False)),
        (4, 1): (1.0, remote.Absent(job=False, graph=True)),
    }
    crew = crew_of(2, lambda number, copy: fate.get((number, copy), 1.0))
    run(crew)
    brought = [one for one in crew.submitted if one[1]]
    assert sorted(brought, key=lambda one: one[0]) == [
        (3, ("the job", "the graph")),
        (4, ("the job", None)),
        (4, ("the job", "the graph")),
    ]
    assert set(crew.shared) == {"/nowhere/a.job", "/nowhere"}


def test_workers_that_come():
    """The window grows with them."""
    crew = crew_of(1, lambda number, copy: 4.0)
    submit = crew.submit

    def joined(*args):
        if crew.now() > 10 and crew.workers == 1:
            crew.free += 7
            crew.workers = 8
        return submit(*args)

    crew.submit = joined
    run(crew, 80)
    assert crew.most_out == 16


def test_a_simulation():
    """The benchmark's: an ideal run, one of failures, and one that they end."""
    calm = CASES["250 workers, calm"]._replace(workers=4, tasks=40, spread=0.0)
    row = simulate(calm, 1)
    assert (row["ended"], row["copies"], row["most_out"]) == (True, 0, 8)
    assert row["efficiency"] == pytest.approx(1.0)
    rough = calm._replace(mean_life=0.2, retries=10)
    row = simulate(rough, 1)
    assert row["ended"]
    assert row["copies"] > 3
    assert 0.2 < row["efficiency"] < 0.95
    assert not simulate(rough._replace(retries=0), 1)["ended"]
    assert "1 of 1 ended" in line("rough", [row])
