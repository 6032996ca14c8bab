"""Several GPUs share the blocks, and the bits are those of one."""

import json
import logging
import operator
import threading

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from changed_kernels import with_width
from graphs import LARGE, matrix, with_lengths

from sparsebc import (
    adaptive_betweenness,
    approximate_betweenness,
    betweenness,
    bfs,
    centralities,
    closeness,
    edge_betweenness,
    harmonic,
)
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

BOTH = ["cuda:0", "cuda:1"]
GRAPHS = {
    "wide": matrix(nx.barabasi_albert_graph(700, 2, seed=851)),
    "digraph": LARGE["large digraph"],
}
MEASURES = ["betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity"]


def numbers(scores):
    """On the host, of a vector or of a matrix."""
    values = scores if isinstance(scores, np.ndarray) or not hasattr(scores, "nnz") else scores.data
    return values.get() if hasattr(values, "get") else values


@pytest.mark.gpu(2)
class TestOnTwoDevices:
    """Blocks of one batch, so that there are many."""

    @pytest.fixture(autouse=True)
    def small_blocks(self, monkeypatch):
        monkeypatch.setattr(table, "BLOCK_ELEMENTS", 1)
        monkeypatch.setattr(table, "BLOCK_SLOTS", 1)
        monkeypatch.setattr(table, "AT_ONCE", 0)
        narrow = with_width(128, "MS-BFS", "distances by length")
        monkeypatch.setattr("sparsebc.engines.cuda.engine.CUDA.kernels", narrow)

    def test_two_gpus_draw_the_samples_of_one(self):
        """Rounds of samples are blocks as well."""
        A = GRAPHS["wide"]
        one, two = (
            approximate_betweenness(A, epsilon=0.1, rng=5, directed=False, device=device)
            for device in ("cuda", BOTH)
        )
        assert_same(two, one)
        assert_same(*(adaptive_betweenness(A, [0, 9], rng=5, device=x) for x in ("cuda", BOTH)))

    @pytest.mark.parametrize("measure", [betweenness, edge_betweenness, harmonic])
    def test_both_work_at_once(self, measure, monkeypatch, caplog):
        """Neither ends its first block before the other has begun one; the log names them."""
        import cupy

        from sparsebc.engines.cuda.msbfs import msbfs

        met, begun = threading.Barrier(2), []

        def meeting(work):
            def working(*args, **options):
                device = cupy.cuda.Device().id
                begun.append(device)
                if begun.count(device) == 1:
                    met.wait(timeout=60)
                return work(*args, **options)

            return working

        want = measure(GRAPHS["wide"], device="cuda")
        monkeypatch.setattr("operator.call", meeting(operator.call))
        search = msbfs.MSBFSSearch
        monkeypatch.setattr(search, "accumulate", meeting(search.accumulate))
        with caplog.at_level(logging.INFO, logger="sparsebc"):
            got = measure(GRAPHS["wide"], device=BOTH)
        np.testing.assert_array_equal(numbers(got), numbers(want))
        assert set(begun) == {0, 1}
        assert len(begun) > 4
        messages = [record.getMessage() for record in caplog.records]
        runs = [message for message in messages if message.startswith("device ")]
        assert runs
        assert all("device cuda:0, cuda:1, " in run and "2 workers" in run for run in runs)

    @pytest.mark.parametrize(("index", "device"), [(0, BOTH), (1, BOTH), (1, "cuda:0")])
    @pytest.mark.parametrize("weighted", [False, True], ids=["by edges", "by length"])
    def test_scores_come_back_to_the_device_of_the_matrix(self, weighted, index, device):
        """First in the list or not, or not in it."""
        import cupy
        import cupyx.scipy.sparse as cs

        A = with_lengths(GRAPHS["digraph"], np.arange(1, 11) / 10)
        want = centralities(A, MEASURES, weighted=weighted, device="cuda")
        with cupy.cuda.Device(index):
            B = cs.csr_matrix(sp.csr_matrix(A))
        got = centralities(B, MEASURES, weighted=weighted, device=device)
        rows = bfs(B, range(100), device=device)
        assert rows.device.id == index
        np.testing.assert_array_equal(rows.get(), bfs(A, range(100), device="cuda"))
        for measure in MEASURES:
            assert getattr(got[measure], "indices", got[measure]).device.id == index
            np.testing.assert_array_equal(numbers(got[measure]), numbers(want[measure]))

    def test_an_error_of_one_device_comes_out(self, monkeypatch):
        """What it raises comes out, and nobody waits for the rest."""
        import cupy

        from sparsebc.engines.cuda.brandes_batch import brandes_batch as batch

        sweep = batch.BatchWorkspace.__call__

        def failing(self, launch, limit):
            if cupy.cuda.Device().id == 1:
                raise MemoryError("cuda:1 is full")
            return sweep(self, launch, limit)

        monkeypatch.setattr(batch.BatchWorkspace, "__call__", failing)
        with pytest.raises(MemoryError, match="cuda:1 is full"):
            betweenness(GRAPHS["wide"], device=["cuda:1", "cuda:0"])

    @pytest.mark.parametrize("measure", [betweenness, closeness])
    def test_what_progress_raises_ends_both_devices(self, measure):
        """And the next call is none the worse."""
        counts = []

        def stop(*count):
            counts.append(count)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            measure(GRAPHS["wide"], device=BOTH, progress=stop)
        assert len(counts) == 1
        measure(GRAPHS["wide"], device=BOTH, progress=lambda *count: counts.append(count))
        assert counts[1:] == sorted(counts[1:])
        assert counts[-1][0] == counts[-1][1]

    def test_the_command_takes_devices_between_commas(self, run):
        """The names between commas."""
        status, out, _ = run("betweenness", "karate", "--device", "cuda:0,cuda:1", "--json")
        assert status == 0
        assert json.loads(out)["provenance"]["device"] == "cuda:0, cuda:1"


@pytest.mark.parametrize(
    ("device", "error"),
    [
        (["cuda:1", "cuda:0"], ValueError),  # of different kinds
        ([], ValueError),
        (["cuda:0", "cpu"], ValueError),
        (["cuda:0", "cuda:"], ValueError),
        (["cuda:0", "cuda:1", "cuda"], ValueError),  # one twice
        (["cuda:0", 1], TypeError),
        ({"cuda:0"}, TypeError),
        (["cuda:0", "cuda:2"], RuntimeError),  # one that is not there
    ],
)
def test_a_wrong_list_of_devices_is_refused(device, error, monkeypatch):
    monkeypatch.setattr(devices, "gpus", lambda: ("cuda:0 one of a kind", "cuda:1 another"))
    for measure in (betweenness, closeness):
        with pytest.raises(error, match=r"device|GPUs"):
            measure(GRAPHS["wide"], device=device)
