"""Executors of several processes and hosts: Dask, MPI, the command, and the scripts of the docs."""

import _thread
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CALLS, assert_same
from test_executors import (
    CASES,
    SEARCHES,
    A,
    assert_same_bits,
    assert_same_rows,
    blind,
    brought,
    sighted,
)
from test_executors_calls import NAMES, Fragile

from sparsebc import approximate_betweenness, betweenness, bfs, centralities
from sparsebc.run import state_file
from sparsebc.run.executors import CallExecutor

SCRIPTS = Path(__file__).parents[1] / "docs" / "scaling"


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.mark.filterwarnings("default")
class TestDask:
    @pytest.mark.parametrize("case", CASES)
    def test_bits_of_threads(self, client, case):
        matrix, names, options = CASES[case]
        want = centralities(matrix, names, device="cpu", **options)
        got = centralities(matrix, names, device="cpu", executor=client, **options)
        assert_same_bits(got, want)
        assert client.submit(abs, -3).result() == 3

    @pytest.mark.parametrize(("_", "call"), CALLS, ids=NAMES)
    def test_every_call(self, client, _, call):
        assert_same(call(executor=client), call())

    @pytest.mark.parametrize("search", SEARCHES)
    def test_rows_of_searches(self, client, search):
        assert_same_rows(search, client)

    def test_rows_from_hosts_without_the_files(self, client):
        """A matrix of lengths is sent along as a graph is."""
        client.run(blind)
        try:
            assert_same_rows("levels", client)
            assert_same_rows("by length", client)
        finally:
            client.run(sighted)

    @pytest.mark.parametrize("rows", [False, True])
    def test_a_killed_worker(self, client, rows):
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
        begun = time.monotonic()
        while len(now := set(client.run(os.getpid).values())) < 2 or now == before:
            assert time.monotonic() - begun < 60
            time.sleep(0.1)

    def test_hosts_without_the_files(self, client):
        """The graph is sent to each process once, from worker to worker, and so is each job."""
        client.run(blind)
        try:
            names, options = ("betweenness", "edge_betweenness"), {"directed": False}
            want = centralities(A, names, device="cpu", **options)
            got = centralities(A, names, device="cpu", executor=client, **options)
            assert_same_bits(got, want)
            options = {"epsilon": 0.05, "rng": 3, "directed": False, "device": "cpu"}
            want = approximate_betweenness(A, **options)
            got = approximate_betweenness(A, executor=client, **options)
            np.testing.assert_array_equal(got.half_widths, want.half_widths)
            graphs = client.run(brought).values()
            assert max(graphs) == 2, graphs  # of two calls
        finally:
            client.run(sighted)

    def test_an_executor_of_the_client(self, client):
        """With its own options, but for purity: what is lost would not be computed again."""
        executor = client.get_executor(retries=1)
        want = betweenness(A, device="cpu")
        np.testing.assert_array_equal(betweenness(A, device="cpu", executor=executor), want)
        assert CallExecutor(executor)._ready()._kwargs == {"retries": 1, "pure": False}
        assert CallExecutor(executor).workers == 2
        on_gpus = client.get_executor(resources={"GPU": 1})
        assert CallExecutor(on_gpus).workers == 1  # none has one yet

    def test_a_call_that_is_over(self, client):
        """Dask cannot stop its tasks: they look for themselves, and leave."""
        n, hops = 300_000, (1, 17, 289, 4913, 83521)
        large = sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))
        # A job in the background ignores it, and would wait for all of the betweenness.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        client.run(blind)
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
            client.run(sighted)
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


@pytest.mark.slow
def test_the_page_on_processes():
    """The script does what it says."""
    assert script(sys.executable, SCRIPTS / "processes.py") == "True\n"


def test_the_page_on_job_arrays(tmp_path, monkeypatch):
    """The script does what it says."""
    monkeypatch.chdir(tmp_path)
    assert script(sys.executable, SCRIPTS / "job_array.py", 1, 1) == ""
    assert script(sys.executable, SCRIPTS / "job_array.py") == "True\n"


def test_the_page_on_dask():
    """The script does what it says."""
    pytest.importorskip("distributed")
    assert script(sys.executable, SCRIPTS / "with_dask.py").endswith("True\n")


def test_the_page_on_mpi():
    """The script does what it says, on three ranks."""
    assert script(*mpiexec(), SCRIPTS / "with_mpi.py") == "2 ranks that compute\nTrue\n"


MPI = """
    import time
    from calls import CALLS, assert_same
    from mpi4py.futures import MPIPoolExecutor
    from test_executors import (
        CASES, SEARCHES, A, assert_same_bits, assert_same_rows, blind, brought, centralities
    )

    def on_both(ranks, work):
        return [each.result() for each in [ranks.submit(slowly, work) for _ in range(2)]]

    def slowly(work):
        time.sleep(0.5)
        return work()

    if __name__ == "__main__":
        with MPIPoolExecutor(use_pkl5=True) as ranks:
            for matrix, names, options in CASES.values():
                want = centralities(matrix, names, device="cpu", **options)
                got = centralities(matrix, names, device="cpu", executor=ranks, **options)
                assert_same_bits(got, want)
            for search in SEARCHES:
                assert_same_rows(search, ranks)
            for _, call in CALLS:
                assert_same(call(executor=ranks), call())
            assert ranks.submit(abs, -3).result() == 3
            on_both(ranks, blind)
            want = centralities(A, ["stress"], device="cpu")
            assert_same_bits(centralities(A, ["stress"], device="cpu", executor=ranks), want)
            assert_same_rows("by length", ranks)
            # Of 31 tasks, with the four that are out when a rank turns out to lack it.
            assert 1 <= sum(on_both(ranks, brought)) <= 8
        print("equal")
"""

MPI_KILLED = """
    import os, signal, sys
    import numpy as np
    from mpi4py.futures import MPIPoolExecutor
    from test_executors import A, betweenness

    if __name__ == "__main__":
        with MPIPoolExecutor(use_pkl5=True) as ranks:
            victim, calls = ranks.submit(os.getpid).result(), []

            def progress(done, total):
                calls.append(done)
                if sys.argv[2] == "die" and len(calls) == 3:
                    os.kill(victim, signal.SIGKILL)

            options = {"device": "cpu", "checkpoint": sys.argv[1], "checkpoint_every": 0}
            got = betweenness(A, executor=ranks, progress=progress, **options)
        np.testing.assert_array_equal(got, betweenness(A, device="cpu"))
        print("from", calls[0])
"""


@pytest.fixture
def ranks(tmp_path, monkeypatch):
    """Command that runs a script of this file on three ranks."""
    command = mpiexec()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)

    def of(text):
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(text))
        return [*command, file]

    return of


def test_mpi(ranks):
    """All the cases, on three ranks; and ranks of a host that does not see the files."""
    assert script(*ranks(MPI)) == "equal\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")
def test_a_killed_rank(ranks, tmp_path):
    """The whole job dies; started again, it goes on to the same bits."""
    kept = tmp_path / "kept"
    command = [*map(str, [*ranks(MPI_KILLED), kept])]
    died = subprocess.run([*command, "die"], capture_output=True, timeout=120, check=False)
    assert died.returncode != 0
    done = state_file.header(kept)
    assert 0 < done["sources"] < done["of_sources"]
    assert script(*command, "live") == f"from {done['sources']}\n"


class TestCommand:
    @pytest.mark.parametrize("name", ["betweenness", "harmonic"])
    def test_processes(self, run, name):
        command = [name, "karate", "--device", "cpu", "--top", 0, "--quiet"]
        status, want, _ = run(*command)
        assert status == 0
        status, got, told = run(*command, "--executor", "processes:2", "--workers", 1)
        assert (status, told) == (0, "")
        assert got.splitlines()[1:] == want.splitlines()[1:]  # the first has the seconds

    def test_estimates(self, run):
        command = ["approximate", "karate", "--epsilon", 0.2, "--seed", 1, "--device", "cpu"]
        status, want, _ = run(*command)
        assert status == 0
        assert (
            run(*command, "--executor", "processes:1")[1].splitlines()[1:]
            == (want.splitlines()[1:])
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("command", [["group", "--nodes", "1", "34"], ["dismantle"]])
    def test_groups_and_what_is_taken_apart(self, run, tmp_path, command):
        name, *asked = command
        line = [name, "power-grid-europe", *asked, "--device", "cpu", "--quiet", "-o"]
        assert run(*line, tmp_path / "want.csv")[0] == 0
        assert run(*line, tmp_path / "got.csv", "--executor", "processes:2")[0] == 0
        assert (tmp_path / "got.csv").read_bytes() == (tmp_path / "want.csv").read_bytes()

    @pytest.mark.parametrize("search", [["bfs"], ["paths", "--weighted"]])
    def test_searches(self, run, tmp_path, search):
        command = [*search, "power-grid-europe", "--sources", "1", "9", "--device", "cpu"]
        assert run(*command, "-o", tmp_path / "want.csv")[0] == 0
        hands = ["--executor", "processes:1", "--memory", "100M", "--quiet"]
        status, got, told = run(*command, *hands, "-o", tmp_path / "got.csv", "--json")
        assert (status, told) == (0, "")
        assert json.loads(got)["searches"][1]["source"] == "9"
        written = [(tmp_path / name).read_bytes() for name in ("want.csv", "got.csv")]
        assert written[0] == written[1]

    def test_workers_that_die(self, run, monkeypatch):
        """As often as --retries allows, and in one line."""
        monkeypatch.setattr("sparsebc.cli.task.executor_of", lambda text: Fragile())
        line = ["group", "karate", "--nodes", 1, "--device", "cpu", "--quiet"]
        assert run(*line, "--executor", "mpi", "--retries", 1)[0] == 0
        status, out, told = run(*line, "--executor", "mpi", "--retries", 0)
        assert (status, out) == (1, "")
        assert told.endswith(
            "A worker died. The same blocks were lost 1 times, with --retries 0.\n"
        )
        assert told.count("\n") == 1
        status, _, told = run(*line, "--retries", 3)
        assert status == 2
        assert "--retries has an effect only with --executor" in told

    @pytest.mark.parametrize("text", ["processes:0", "processes", "dask:host", "mpi:3", "slurm"])
    def test_others_are_refused(self, run, text):
        status, _, told = run("betweenness", "karate", "--executor", text)
        assert status == 2
        assert f"expected processes:4, dask:HOST:PORT or mpi, got {text!r}" in told

    @pytest.mark.parametrize(
        ("text", "module", "package"),
        [
            ("dask:host:8786", "distributed", "sparsebc[dask]"),
            ("mpi", "mpi4py.futures", "mpi4py"),
        ],
    )
    def test_what_is_not_installed(self, run, monkeypatch, text, module, package):
        monkeypatch.setitem(sys.modules, module, None)
        status, _, told = run("betweenness", "karate", "--executor", text)
        assert status == 1
        assert f'--executor {text} needs {module}: python -m pip install "{package}"' in told

    @pytest.mark.filterwarnings("default")
    def test_a_scheduler(self, run, client):
        address = client.scheduler.address.removeprefix("tcp://")
        command = ["betweenness", "karate", "--device", "cpu", "--top", 5]
        status, want, _ = run(*command)
        status, got, _ = run(*command, "--executor", f"dask:{address}")
        assert status == 0
        assert got.splitlines()[1:] == want.splitlines()[1:]
        assert client.submit(abs, -3).result() == 3
