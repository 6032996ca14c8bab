"""On GPUs: checkpoints of sums and of estimates, rows from workers, a process for each GPU."""

import functools
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import graphs
import numpy as np
import pytest
import scipy.sparse as sp
from calls import CASES, assert_same
from calls import LARGE as A
from graphs import square, with_lengths
from kept import header, stop_and_go

from sparsebc import betweenness, bfs, centralities, shortest_paths
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.sweep import workers as pool
from sparsebc.sweep.executor import CallExecutor

NAMES = ("betweenness", "edge_betweenness", "stress")
GRAPHS = {
    "wide": (A, {"directed": False}),
    "deep": (square(200), {}),
    "by length": (with_lengths(square(140), [1.0, 2.0, 3.0]), {"weighted": True}),
    "by floats": (with_lengths(square(140), [1.1, 2.5, 3.25]), {"weighted": True}),
}

HUBS = graphs.LARGE["large hubs"]

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = gpu

    @pytest.fixture(autouse=True)
    def no_graph_is_done_at_once(self, monkeypatch):
        """Or its sources would be one block."""

        monkeypatch.setattr(table, "AT_ONCE", 0)

    @pytest.mark.parametrize("name", GRAPHS)
    def test_a_run_that_is_stopped_at_every_launch_has_the_same_bits(self, tmp_path, name):
        matrix, options = GRAPHS[name]
        options = {"device": "cuda", **options}
        want = centralities(matrix, NAMES, **options)
        got, _ = stop_and_go(
            lambda A, **keeps: centralities(A, NAMES, **keeps), matrix, tmp_path, **options
        )
        for one in NAMES:
            mine, theirs = (getattr(each[one], "data", each[one]) for each in (got, want))
            np.testing.assert_array_equal(mine, theirs)

    def test_a_checkpoint_of_another_device_is_refused_by_name(self, tmp_path, monkeypatch):
        call = functools.partial(centralities, A, ["betweenness"], checkpoint=tmp_path)
        call(device="cuda")
        assert header(tmp_path)["fingerprint"]["device"] == devices.model("cuda:0")
        with pytest.raises(ValueError, match="device was NVIDIA"):
            call(device="cpu")
        monkeypatch.setattr(devices, "gpus", lambda: ("cuda:0 NVIDIA Other, 80 GiB, CuPy 1",))
        with pytest.raises(ValueError, match=r"device was NVIDIA .*, is NVIDIA Other"):
            call(device="cuda")

    @pytest.mark.parametrize("processes", [False, True])
    def test_rows(self, processes):
        """Of a worker with the GPU, to the host, and to the GPU where A lives."""
        import cupyx.scipy.sparse

        context = multiprocessing.get_context("spawn")
        make = ProcessPoolExecutor(1, context) if processes else ThreadPoolExecutor(1)
        matrix, sources = CASES["by length"][0], np.arange(0, 2494, 2)
        there = cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(matrix, dtype=float))
        with make as pool:
            ways = {"device": "cuda", "executor": pool}
            want = bfs(matrix, sources, device="cuda")
            np.testing.assert_array_equal(bfs(matrix, sources, **ways), want)
            found = bfs(there, sources, executor=pool)
            assert type(found).__module__.startswith("cupy")
            np.testing.assert_array_equal(found.get(), want)
            for weighted in (False, True):
                want = shortest_paths(matrix, sources, weighted=weighted, device="cuda")
                got = shortest_paths(matrix, sources, weighted=weighted, **ways)
                for mine, theirs in zip(got, want, strict=True):
                    np.testing.assert_array_equal(mine, theirs)


@pytest.fixture(scope="module")
def client():
    """Two workers, as dask-cuda starts them: a process, a thread and a GPU each."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 0, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as made:
        line = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        line += ["--nthreads", "1", "--no-dashboard", "--resources", "GPU=1"]
        workers = [
            subprocess.Popen(line, env={**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)})
            for gpu in range(2)
        ]
        try:
            made.wait_for_workers(2, timeout=120)
            yield made
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait(timeout=30)


def graphs_read():
    return pool._read.cache_info().misses


@pytest.mark.gpu
@pytest.mark.skipif(len(devices.gpus()) < 2, reason="fewer than two GPUs")
@pytest.mark.filterwarnings("default")
def test_two_processes_on_two_gpus(client):
    """Nodes and edges, and each process has read the graph."""
    executor = client.get_executor(pure=False, resources={"GPU": 1})
    assert CallExecutor(executor).workers == 2
    for name in ("betweenness", "edge_betweenness", "harmonic"):
        want = centralities(HUBS, [name], device="cuda:0")
        got = centralities(HUBS, [name], device="cuda", executor=executor)
        assert_same(got, want)
    assert all(client.run(graphs_read).values())


def pretend(name):
    devices.model, devices.real_model = (lambda _: name), devices.model


def confess():
    devices.model = devices.real_model


@pytest.mark.gpu
@pytest.mark.skipif(len(devices.gpus()) < 2, reason="fewer than two GPUs")
@pytest.mark.filterwarnings("default")
def test_mixed_models_are_refused(client):
    """By name: the last digits would depend on who computes what."""
    client.run(pretend, "NVIDIA Other")
    try:
        with pytest.raises(RuntimeError, match="has NVIDIA Other and the calling process NVIDIA"):
            betweenness(HUBS, device="cuda", executor=client)
    finally:
        client.run(confess)
    np.testing.assert_array_equal(
        betweenness(HUBS, device="cuda", executor=client), betweenness(HUBS, device="cuda:0")
    )
