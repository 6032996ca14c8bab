"""Processes of the command: what they import, what they hear, and what their errors are."""

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from children import python

import sparsebc
from sparsebc.cli import processes
from sparsebc.sweep.options import parse

ROOT = str(Path(sparsebc.__file__).parents[1])
posix = pytest.mark.skipif(os.name == "nt", reason="no signals and groups as here")


def line(*arguments):
    """Words to Python of the command as an installed script: no current folder on its path."""
    script = (
        "import sys; sys.path[:] = [sys.argv.pop(1), *filter(None, sys.path)]\n"
        "from sparsebc.cli.main import main\n"
        "if __name__ == '__main__':\n"
        "    sys.exit(main())"
    )
    return ["-c", script, ROOT, *arguments]


@pytest.mark.long
def test_modules_in_the_current_folder_are_not_imported(tmp_path):
    """None is imported, by the processes or by what looks after their semaphores."""
    for name in ("signal", "pickle", "threading", "sparsebc", "numpy"):
        (tmp_path / f"{name}.py").write_text("open(f'{__name__} ran', 'w')")
    words = line("betweenness", "karate", "--workers", "processes:1", "--device", "cpu")
    python(*words, cwd=tmp_path)
    assert not list(tmp_path.glob("* ran"))
    assert "PYTHONSAFEPATH" not in os.environ


def sigint_of_a_process():
    """Whether SIGINT reaches it."""
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return blocked, signal.getsignal(signal.SIGINT)


@posix
def test_processes_hear_no_interrupts_and_leave_no_thread_to_pythons_exit():
    """Interrupts are blocked in the process from the beginning, and nowhere else."""
    before = set(threading.enumerate())
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job may ignore it
    try:
        pool = processes.pool(1)
        assert pool.submit(sigint_of_a_process).result() == (True, signal.SIG_IGN)
        assert sigint_of_a_process() == (False, signal.default_int_handler)
        pool.submit(time.sleep, 0.2)
        pool.shutdown(wait=False)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert set(threading.enumerate()) <= before


@posix
def test_a_process_that_dies_after_its_tasks_were_cancelled_leaves_no_traceback(monkeypatch):
    lost = []
    monkeypatch.setattr(threading, "excepthook", lost.append)
    with processes.pool(1) as pool:
        tasks = [pool.submit(time.sleep, 60) for _ in range(4)]
        while not tasks[0].running():
            time.sleep(0.01)
        assert [task.cancel() for task in tasks][-1]
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
    assert not lost


@pytest.mark.long
@posix
@pytest.mark.parametrize(("name", "seconds"), [("SIGINT", 0.0), ("SIGTERM", 0.3)])
def test_signals_of_a_terminal_end_all_processes_in_one_line(tmp_path, name, seconds):
    """Signals of a terminal go to all processes: the command says one line, they nothing.

    No file stays.
    """
    edges = "".join(f"{u},{u + k}\n" for u in range(40_000) for k in (1, 17, 289))
    (tmp_path / "edges.csv").write_text("source,target\n" + edges)
    words = line("betweenness", "edges.csv", "--workers", "processes:2", "--device", "cpu")
    with subprocess.Popen(
        [sys.executable, *words, "--quiet"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        while process.poll() is None and not list(tmp_path.glob("sparsebc-*/*.job")):
            time.sleep(0.02)
        time.sleep(seconds)
        os.killpg(process.pid, getattr(signal, name))
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (
        (130, "sparsebc: stopped\n") if name == "SIGINT" else (75, f"sparsebc: stopped by {name}\n")
    )
    assert not list(tmp_path.glob("sparsebc-*"))


def stumbles(state, launch, limit):
    """A fault of the package."""
    return 1 / 0


def refuses(state, launch, limit):
    """What the package foresaw."""
    return parse({"worker": 1})


@pytest.mark.long
def test_faults_of_workers_are_internal_errors(run, monkeypatch):
    """An internal error is one wherever it happens; what was foreseen is one line."""
    spawn = multiprocessing.get_context("spawn")
    make = functools.partial(ProcessPoolExecutor, 1, mp_context=spawn)
    monkeypatch.setattr("sparsebc.cli.processes.executor_of", lambda text, quiet: make)
    command = ["stress", "karate", "--device", "cpu", "--workers", "processes:1", "--quiet"]
    monkeypatch.setattr("operator.call", stumbles)
    status, _, err = run(*command)
    assert (status, "internal error" in err) == (70, True)
    assert "ZeroDivisionError" in err
    monkeypatch.setattr("operator.call", refuses)
    status, _, err = run(*command)
    assert status == 1
    assert err.startswith("sparsebc: error: unknown option 'worker' (did you mean ")
    assert err.count("\n") == 1
