"""Lengths on a GPU: the same bits however distances are found and sources are shared out."""

import logging
from functools import partialmethod

import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import short_of_memory
from graphs import LARGE, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import approximate_betweenness, betweenness, centralities
from sparsebc.engines import devices

WHOLE = np.arange(1, 11)
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)
KINDS = {
    "whole": WHOLE,
    "longest": np.array([1, 30, 31]),
    "tenths": WHOLE / 10,
    "unequal": UNEQUAL,
    "uneven": UNEQUAL / 10,
}
NAMES = ["large hubs", "streets", "grid", "dense", "directed cycle"]
MEASURES = {
    "nodes": ["betweenness"],
    "paths": ["betweenness", "edge_betweenness", "stress"],
    "distances": ["closeness", "harmonic", "eccentricity"],
}


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
@pytest.mark.parametrize("measures", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.fixture
    def scores(self, name, kind, measures):
        """Scores for options of a run, one measure after the other."""
        A = with_lengths(LARGE[name], KINDS[kind], seed=3)

        def scores(**run):
            found = centralities(A, MEASURES[measures], weighted=True, **run)
            return np.concatenate([getattr(values, "data", values) for values in found.values()])

        return scores

    def test_fewer_sources_at_once(self, scores, monkeypatch):
        """Room for a few workers or one, launches of one source a worker: the same bits."""
        from sparsebc.engines.cuda.common import per_source
        from sparsebc.engines.cuda.sssp import search as sssp

        search_all = per_source.PerSource._search_all

        def some(self, most, sources):
            self._at_once = min(self._at_once, most)
            search_all(self, sources)

        want = {dtype: scores(dtype=dtype, device="cuda") for dtype in ("float32", "float64")}
        monkeypatch.setattr(sssp, "LAUNCH_ARCS", 1)
        for most in (1 << 20, 7, 1):
            monkeypatch.setattr(per_source.PerSource, "_search_all", partialmethod(some, most))
            for dtype, expected in want.items():
                assert_array_equal(scores(dtype=dtype, device="cuda"), expected)

    def test_more_sources_a_worker(self, scores, monkeypatch, caplog):
        """A small device: sums in another order, and nothing left over from a source before."""
        from sparsebc.engines.cuda.common import per_source

        search_all = per_source.PerSource._search_all

        def on_a_small_device(self, sources):
            self._workers = 3
            search_all(self, sources)

        monkeypatch.setattr(per_source.PerSource, "_search_all", on_a_small_device)
        with caplog.at_level(logging.INFO, logger="sparsebc"):
            got = scores(device="cuda")
        assert not any("again" in record.getMessage() for record in caplog.records)
        assert_allclose(got, scores(device="cpu"), rtol=1e-11, atol=1e-11)

    @pytest.mark.parametrize("near", [0.01, 1, 1e9])
    def test_near_and_far(self, scores, near, monkeypatch):
        """Distances found in waves give the bits of buckets, 64 bits those of 32, and 32 of 8."""
        from sparsebc.engines.cuda.sssp import search as sssp

        monkeypatch.setattr(sssp.Search, "most_workers", 60)  # however many threads one has
        want = scores(device="cuda")
        monkeypatch.setattr(sssp, "STATIC_BYTES", 200_000)  # one block to a multiprocessor
        assert_array_equal(scores(device="cuda"), want)
        asked = []

        def room_for_the_first(size):
            asked.append(size)
            return sssp.RESIDENT if size == asked[0] else 0

        with monkeypatch.context() as patch:  # distances on the chip, and no path counts
            patch.setattr(sssp, "_threads_on_chip", room_for_the_first)
            assert_array_equal(scores(device="cuda"), want)
        monkeypatch.setattr(sssp, "TICKS", 0)  # no distances on the chip
        assert_array_equal(scores(device="cuda"), want)
        monkeypatch.setattr(sssp, "RING", 0)
        monkeypatch.setattr(sssp, "NEAR", near)
        assert_array_equal(scores(device="cuda"), want)
        monkeypatch.setattr(sssp, "UNREACHED", 0)
        assert_array_equal(scores(device="cuda"), want)

    def test_out_of_memory_halves_the_plan(self, scores, monkeypatch, caplog):
        """With a warning, and the same bits."""
        want = scores(device="cuda")
        short_of_memory(monkeypatch, "one source", most=1)
        assert_array_equal(scores(device="cuda"), want)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestOnce:
    """The same, of single calls."""

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("measures", MEASURES)
    def test_cupy_in_cupy_out(self, measures, form):
        """Lengths of a CuPy matrix; the scores are where it is, and it stays what it was."""
        import cupyx.scipy.sparse

        A = with_lengths(LARGE["large hubs"], WHOLE, seed=3).astype(float)
        there = cupyx.scipy.sparse.csr_matrix(A).asformat(form)
        got = centralities(there, MEASURES[measures], weighted=True)
        want = centralities(A, MEASURES[measures], weighted=True, device="cuda")
        for name, values in got.items():
            assert type(values).__module__.startswith("cupy")
            values, expected = (getattr(x, "toarray", x.copy)() for x in (values.get(), want[name]))
            assert_array_equal(values, expected)
        assert_array_equal(there.get().toarray(), A.toarray())

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("measures", MEASURES)
    def test_a_worker_takes_what_is_planned(self, measures, kind, worker_bytes):
        """To the byte."""
        planned, taken = worker_bytes
        A = with_lengths(LARGE["streets"], KINDS[kind], seed=3)
        for dtype in ("float32", "float64"):
            centralities(A, MEASURES[measures], weighted=True, device="cuda", dtype=dtype)
        assert taken == planned

    def test_counts_beyond_floats_are_shared_out(self, caplog):
        """The host's threads and memory take them, whatever is left on the device."""
        lengths = np.resize([1.0, 2.0], 329)  # all alike, they would be edges
        A = sp.csr_array(sp.kron(sp.diags_array(lengths, offsets=1), np.ones((10, 10))))
        options = {"weighted": True, "sources": range(200)}
        with caplog.at_level(logging.INFO, logger="sparsebc"):
            got = betweenness(A, device="cuda", workers=3, **options)
        assert_allclose(got, betweenness(A, device="cpu", **options), rtol=1e-11)
        messages = [record.getMessage() for record in caplog.records]
        message = next(text for text in messages if "extended range" in text)
        assert message.startswith("device cpu, extended range, ")
        assert "4 blocks, 3 workers" in message

    def test_bounds_hold(self):
        """Squares by length, beside the exact scores."""
        A = with_lengths(LARGE["dense"], WHOLE, seed=3)
        ways = {"weighted": True, "directed": False, "device": "cuda"}
        near = approximate_betweenness(A, epsilon=0.2, rng=4, **ways)
        assert near.samples < near.population
        assert (abs(near.scores - betweenness(A, **ways)) <= near.half_widths).all()
