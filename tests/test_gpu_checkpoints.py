"""On GPUs: checkpoints of sums and of estimates, rows from workers, a process for each GPU."""

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CASES, assert_same
from calls import LARGE as A
from graphs import square, with_lengths
from kept import header, stop_and_go

from sparsebc import bfs, centralities, shortest_paths
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

NAMES = ("betweenness", "edge_betweenness", "stress")
pytestmark = pytest.mark.gpu

GRAPHS = {
    "wide": (A, {"directed": False}),
    "deep": (square(200), {}),
    "by length": (with_lengths(square(140), [1.0, 2.0, 3.0]), {"weighted": True}),
    "by floats": (with_lengths(square(140), [1.1, 2.5, 3.25]), {"weighted": True}),
}


@pytest.fixture(autouse=True)
def no_graph_is_done_at_once(monkeypatch):
    """Or its sources would be one block."""

    monkeypatch.setattr(table, "AT_ONCE", 0)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_run_that_is_stopped_at_every_launch_has_the_same_bits(tmp_path, name):
    matrix, options = GRAPHS[name]
    options = {"device": "cuda", **options}
    want = centralities(matrix, NAMES, **options)
    got, _ = stop_and_go(
        lambda A, **keeps: centralities(A, NAMES, **keeps), matrix, tmp_path, **options
    )
    assert_same(got, want)


def test_a_checkpoint_of_another_device_is_refused_by_name(tmp_path, monkeypatch):
    call = functools.partial(centralities, A, ["betweenness"], checkpoint=tmp_path)
    call(device="cuda")
    assert header(tmp_path)["fingerprint"]["device"] == devices.model("cuda:0")
    with pytest.raises(ValueError, match="device was NVIDIA"):
        call(device="cpu")
    monkeypatch.setattr(devices, "gpus", lambda: ("cuda:0 NVIDIA Other, 80 GiB, CuPy 1",))
    with pytest.raises(ValueError, match=r"device was NVIDIA .*, is NVIDIA Other"):
        call(device="cuda")


@pytest.mark.parametrize("processes", [False, True])
def test_rows_from_workers_have_the_bits_of_this_process(processes):
    """Of a worker with the GPU, to the host, and to the GPU where A lives."""
    import cupyx.scipy.sparse

    context = multiprocessing.get_context("spawn")
    make = ProcessPoolExecutor(1, context) if processes else ThreadPoolExecutor(1)
    matrix, sources = CASES["by length"][0], np.arange(0, 2494, 2)
    there = cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(matrix, dtype=float))
    with make as pool:
        ways = {"device": "cuda", "executor": pool}
        want = bfs(matrix, sources, device="cuda")
        assert_same(bfs(matrix, sources, **ways), want)
        found = bfs(there, sources, executor=pool)
        assert type(found).__module__.startswith("cupy")
        assert_same(found.get(), want)
        for weighted in (False, True):
            want = shortest_paths(matrix, sources, weighted=weighted, device="cuda")
            assert_same(shortest_paths(matrix, sources, weighted=weighted, **ways), want)
