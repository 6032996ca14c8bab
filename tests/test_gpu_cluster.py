"""One process a GPU: workers of Dask, each with a GPU of its own, and the bits of one GPU."""

import os
import subprocess
import sys

import numpy as np
import pytest
from calls import assert_same
from graphs import LARGE

from sparsebc import betweenness, centralities
from sparsebc.engines import devices
from sparsebc.sweep import tasks
from sparsebc.sweep.executors import CallExecutor

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(len(devices.gpus()) < 2, reason="fewer than two GPUs"),
    pytest.mark.filterwarnings("default"),
]
A = LARGE["large hubs"]


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
    return tasks._read.cache_info().misses


def test_two_processes_on_two_gpus(client):
    """Nodes and edges, and each process has read the graph."""
    executor = client.get_executor(pure=False, resources={"GPU": 1})
    assert CallExecutor(executor).workers == 2
    for name in ("betweenness", "edge_betweenness", "harmonic"):
        want = centralities(A, [name], device="cuda:0")
        got = centralities(A, [name], device="cuda", executor=executor)
        assert_same(got, want)
    assert all(client.run(graphs_read).values())


def pretend(name):
    devices.model, devices.real_model = (lambda _: name), devices.model


def confess():
    devices.model = devices.real_model


def test_mixed_models_are_refused(client):
    """By name: the last digits would depend on who computes what."""
    client.run(pretend, "NVIDIA Other")
    try:
        with pytest.raises(RuntimeError, match="has NVIDIA Other and the calling process NVIDIA"):
            betweenness(A, device="cuda", executor=client)
    finally:
        client.run(confess)
    np.testing.assert_array_equal(
        betweenness(A, device="cuda", executor=client), betweenness(A, device="cuda:0")
    )
