"""On a GPU: parts of runs, checkpoints of estimates, and rows from workers, by the CPU's paths."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CASES, assert_same
from calls import LARGE as A
from graphs import square, with_lengths
from kept import stop_and_go
from test_shards import compute

from sparsebc import approximate_betweenness, bfs, centralities, shortest_paths
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.run import state_file

NAMES = ("betweenness", "edge_betweenness", "stress")
# A block has 2**14 sources where each is swept alone, which a part does not cut.
GRAPHS = {
    "wide": (A, {"directed": False}),
    "deep": (square(200), {}),
    "by length": (with_lengths(square(140), [1.0, 2.0, 3.0]), {"weighted": True}),
    "by floats": (with_lengths(square(140), [1.1, 2.5, 3.25]), {"weighted": True}),
}

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = gpu

    @pytest.fixture(autouse=True)
    def no_graph_is_done_at_once(self, monkeypatch):
        """Or its sources would be one block."""

        monkeypatch.setattr(table, "AT_ONCE", 0)

    @pytest.mark.parametrize("name", GRAPHS)
    def test_parts(self, tmp_path, name):
        """Launches end with a part, and bits are those of launches that do not."""
        matrix, options = GRAPHS[name]
        options = {"device": "cuda", **options}
        want = centralities(matrix, NAMES, **options)
        sources = compute(tmp_path, 3, matrix, NAMES, **options)
        assert sum(source > 0 for source in sources) >= 2
        got = centralities(matrix, NAMES, checkpoint=tmp_path, **options)
        for one in NAMES:
            mine, theirs = (getattr(each[one], "data", each[one]) for each in (got, want))
            np.testing.assert_array_equal(mine, theirs)

    @pytest.mark.skipif(len(devices.gpus()) < 2, reason="fewer than two GPUs")
    def test_parts_of_several_gpus(self, tmp_path):
        """Each job may have as many as it likes; the model is what counts."""
        want = centralities(A, NAMES, device="cuda")
        both = ["cuda:0", "cuda:1"]
        compute(tmp_path, 3, A, NAMES, [1, 2], device=both)
        compute(tmp_path, 3, A, NAMES, [3], device="cuda:1")
        got = centralities(A, NAMES, checkpoint=tmp_path, device=both[::-1])
        for one in NAMES:
            mine, theirs = (getattr(each[one], "data", each[one]) for each in (got, want))
            np.testing.assert_array_equal(mine, theirs)

    def test_parts_of_another_device(self, tmp_path, monkeypatch):
        """Of the CPU, or of another model: named, with the way out."""
        compute(tmp_path, 2, A, numbers=[1], device="cuda")
        compute(tmp_path, 2, A, numbers=[2], device="cpu")
        with pytest.raises(ValueError, match=r"part-2-of-2' .* in .*\bdevice\b.*run that part aga"):
            compute_all(tmp_path)
        with monkeypatch.context() as other:
            other.setattr(devices, "gpus", lambda: ("cuda:0 NVIDIA Other, 80 GiB, CuPy 1",))
            with pytest.raises(ValueError, match=r"device was NVIDIA .*, is NVIDIA Other"):
                compute(tmp_path, 2, A, numbers=[1], device="cuda")
        named = state_file.header(tmp_path / "part-1-of-2")["fingerprint"]["device"]
        assert named == devices.model("cuda:0")
        assert named in devices.gpus()[0]

    @pytest.mark.parametrize("name", ["undirected", "by length"])
    def test_estimates(self, tmp_path, name):
        """Stopped at every launch, in small memory too."""
        matrix, _, options = CASES[name]
        options = {"epsilon": 0.02, "rng": 1, "device": "cuda", **options}
        want = approximate_betweenness(matrix, **options)
        got, _ = stop_and_go(
            approximate_betweenness, matrix, tmp_path, memory_budget=1 << 25, **options
        )
        assert_same(got, want)

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

    def test_the_command(self, run, tmp_path, monkeypatch):
        """A job array on GPUs, and what merges it."""
        monkeypatch.chdir(tmp_path)
        line = ["betweenness", "power-grid-europe", "--device", "cuda", "--quiet"]
        for part in ("2/2", "1/2"):
            assert run(*line, "-o", "got.csv", "--checkpoint", "kept", "--part", part)[0] == 0
        assert run("merge", "kept")[0] == 0
        assert run(*line, "-o", "want.csv")[0] == 0
        assert (tmp_path / "got.csv").read_bytes() == (tmp_path / "want.csv").read_bytes()


def compute_all(directory):
    """The call that merges, on the GPU."""
    return centralities(A, ["betweenness"], device="cuda", checkpoint=directory)
