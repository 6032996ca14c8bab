"""Executors of several processes and hosts: Dask, MPI, the command, and the scripts of the docs."""

import _thread
import functools
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from calls import EVERY, SOME, assert_same, on_threads
from calls import LARGE as A

from sparsebc import betweenness, bfs

SCRIPTS = Path(__file__).parents[1] / "docs" / "scaling"


@pytest.fixture(scope="module")
def client():
    """Two workers that keep what they were sent: Dask drops idle copies every two seconds else."""
    distributed = pytest.importorskip("distributed")
    keep = {"distributed.scheduler.active-memory-manager.start": False}
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        pytest.importorskip("dask").config.set(keep),
        distributed.LocalCluster(**local) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.mark.filterwarnings("default")
class TestDask:
    @pytest.mark.parametrize("name", SOME)
    def test_dask_has_the_bits_of_threads(self, client, name):
        assert_same(EVERY[name](executor=client), on_threads(name))
        assert client.submit(abs, -3).result() == 3

    @pytest.mark.parametrize("rows", [False, True])
    def test_the_tasks_of_a_killed_worker_are_computed_again(self, client, rows):
        """Dask starts another and computes what was lost, of sums and of rows."""
        before = set(client.run(os.getpid).values())
        left = [min(before)]

        def kill(done, total):
            if left:
                os.kill(left.pop(), signal.SIGKILL)

        find = functools.partial(bfs, sources=range(1000)) if rows else betweenness
        want = find(A, device="cpu")
        got = find(A, device="cpu", executor=client, progress=kill)
        np.testing.assert_array_equal(got, want)
        assert not left
        begun, pids = time.monotonic(), functools.partial(client.run, os.getpid, on_error="ignore")
        while len(now := set(pids().values())) < 2 or now == before:  # it may be dying yet
            assert time.monotonic() - begun < 60
            time.sleep(0.1)

    def test_a_call_waits_for_the_first_worker(self):
        distributed = pytest.importorskip("distributed")
        local = {"n_workers": 0, "threads_per_worker": 1, "dashboard_address": None}
        with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as none_yet:
            later = threading.Timer(1, cluster.scale, [1])
            later.start()
            got = betweenness(A, device="cpu", executor=none_yet)
            later.join()
        assert_same(got, betweenness(A, device="cpu"))

    def test_tasks_of_a_call_that_is_over_leave(self, client):
        """Dask cannot stop its tasks: they look for themselves, and leave."""
        n, hops = 300_000, (1, 17, 289, 4913, 83521)
        large = sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))
        # A job in the background ignores it, and would wait for all of the betweenness.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            betweenness(large, sources=range(64), device="cpu", executor=client)  # compiles
            with interrupting(3), pytest.raises(KeyboardInterrupt):
                betweenness(large, device="cpu", executor=client)
            begun = time.monotonic()
            while any(client.processing().values()):
                assert time.monotonic() - begun < 20
                time.sleep(0.1)
            assert client.submit(abs, -3).result(timeout=20) == 3
            while any(client.run(executing).values()):
                assert time.monotonic() - begun < 20
                time.sleep(0.1)
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def interrupting(seconds):
    """Ctrl-C until it is heard: Python drops one that falls into a `__del__`, as Dask has."""
    over = threading.Event()

    def interrupt():
        while not over.wait(seconds):
            _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def executing(dask_worker):
    """Tasks that run in a worker, wanted or not."""
    return dask_worker.state.executing_count


def script(*command):
    """Standard output of a Python script, or of the ranks that mpiexec starts."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def mpiexec():
    """Command that starts three ranks, of which two compute."""
    pytest.importorskip("mpi4py")
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("no mpiexec")
    return [found, "-n", 3, sys.executable, "-m", "mpi4py.futures"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "out"),
    [
        pytest.param("processes", "True\n", marks=pytest.mark.slow),
        ("job_array", "True\n"),
        ("with_dask", "True\n"),
        ("with_mpi", "2 ranks that compute\nTrue\n"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_each_script_of_the_page_does_what_it_says(name, out):
    if name == "with_dask":
        pytest.importorskip("distributed")
    python = mpiexec() if name == "with_mpi" else [sys.executable]
    if name == "job_array":
        for job in (1, 2):
            assert script(*python, SCRIPTS / "job_array.py", job, 2) == ""
    assert script(*python, SCRIPTS / f"{name}.py").endswith(out)


MPI = """
    import time
    from calls import EVERY, SOME, assert_same
    from mpi4py.futures import MPIPoolExecutor
    from pools import blind

    def on_both(ranks, work):
        return [each.result() for each in [ranks.submit(slowly, work) for _ in range(2)]]

    def slowly(work):
        time.sleep(0.5)
        return work()

    if __name__ == "__main__":
        with MPIPoolExecutor(use_pkl5=True) as ranks:
            for name in SOME:
                assert_same(EVERY[name](executor=ranks), EVERY[name]())
            assert ranks.submit(abs, -3).result() == 3
            on_both(ranks, blind)
            try:
                EVERY["float32"](executor=ranks)
            except ValueError as error:
                assert "TMPDIR" in str(error)
            else:
                raise AssertionError("no error")
        print("equal")
"""


def test_ranks_of_mpi_have_the_bits_of_threads(tmp_path, monkeypatch):
    """Each kind of task, on three ranks; and an error of ranks that do not see the files."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    (tmp_path / "script.py").write_text(textwrap.dedent(MPI))
    assert script(*mpiexec(), tmp_path / "script.py") == "equal\n"


class TestCommand:
    def test_an_error_of_the_executor_is_told_by_its_option(self, run, monkeypatch):
        make = functools.partial(ThreadPoolExecutor, 1)
        monkeypatch.setattr("sparsebc.cli.processes.executor_of", lambda text, quiet: make)
        monkeypatch.setattr("sparsebc.sweep.executor_worker.sees", lambda path: False)
        status, _, told = run("betweenness", "karate", "--device", "cpu", "--workers", "mpi")
        assert (status, "--workers" in told, "executor" in told) == (1, True, False)

    @pytest.mark.parametrize(
        ("text", "module", "package"),
        [
            ("dask:host:8786", "distributed", "sparsebc[dask]"),
            ("mpi", "mpi4py.futures", "mpi4py"),
        ],
    )
    def test_what_is_not_installed_is_told_by_name(self, run, monkeypatch, text, module, package):
        monkeypatch.setitem(sys.modules, module, None)
        status, _, told = run("betweenness", "karate", "--workers", text)
        assert status == 1
        assert f'--workers {text} needs {module}: python -m pip install "{package}"' in told

    @pytest.mark.filterwarnings("default")
    def test_a_scheduler_by_its_address_has_the_same_output(self, run, client):
        address = client.scheduler.address.removeprefix("tcp://")
        command = ["betweenness", "karate", "--device", "cpu"]
        status, want, _ = run(*command)
        status, got, _ = run(*command, "--workers", f"dask:{address}")
        assert status == 0
        assert got == want
        assert client.submit(abs, -3).result() == 3
