"""What changes no bit on a GPU: memory that runs out, lists of another length, marks used again.

Questions are those of the conformance suite, which also asks whether the numbers are right, and
have the same bits with other constants of the launchers, on all GPUs and in the least memory.
"""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from changed_kernels import changed_sources, short_of_memory
from conformance import drawing, knobs, verdict
from graphs import LARGE, LARGEST, with_lengths
from hypothesis import HealthCheck, Phase, given, settings

from sparsebc import betweenness, bfs, shortest_paths

pytestmark = pytest.mark.gpu

CUDA = "sparsebc.engines.cuda"


def source(file, text, other):
    """A change of a constant in the source of a kernel."""
    return lambda patch: changed_sources(patch, f"{file}.cu", text, other)


def constant(place, **values):
    """A change of constants of a launcher."""

    @contextmanager
    def changed(patch):
        with patch.context() as inner:
            for name, value in values.items():
                inner.setattr(f"{CUDA}.{place}.{name}", value)
            yield

    return changed


@contextmanager
def one_at_once(patch):
    """Memory runs out with more than one slot in flight."""
    with patch.context() as inner:
        short_of_memory(inner, "one", most=1)
        yield


BATCH, SOURCE, SSSP = "brandes_batch/brandes_batch", "brandes_source/brandes_source", "sssp.sssp"
ALWAYS = "(1ull << 40);"
# What is changed, and a knob with which kernels are met that this changes.
CHANGES = {
    "one at once": (one_at_once, ""),
    "lists alone": (source(BATCH, "DENSE = 4;", "DENSE = 0;"), "in step"),
    "all rows": (source(BATCH, "DENSE = 4;", f"DENSE = {ALWAYS}"), "in step"),
    "short queues": (source(SOURCE, "QUEUE = 1024;", "QUEUE = 4;"), ""),
    "marks used again": (source(SOURCE, "LEVELS = 255;", "LEVELS = 3;"), "marks of bytes"),
    "short queues of distances": (
        source("brandes_source/distance_sums", "QUEUE = 1024;", "QUEUE = 4;"),
        "searches by source",
    ),
    **{
        f"{threads} threads": (constant(SOURCE.replace("/", "."), SHARING=((threads, size),)), "")
        for threads, size in ((128, 72 << 10), (512, 72 << 10), (512, 0))
    },
    **{f"waves of {near}": (constant(SSSP, RING=0, NEAR=near), "") for near in (0.01, 1, 1e9)},
    "searches that push": (source("msbfs/msbfs", "PUSH = 8;", "PUSH = 0;"), ""),
    "searches that pull": (source("msbfs/msbfs", "PUSH = 8;", f"PUSH = {ALWAYS}"), ""),
    **{
        f"rows of {long}": (
            source("prepare/graph_ops", "LONG = 2048;", f"LONG = {long};"),
            "graphs on the GPU",
        )
        for long in (1, 3, 32)
    },
    **{
        f"{slots} slots": (
            source("prepare/triangles", "SLOTS = 8192,", f"SLOTS = {slots},"),
            "graphs on the GPU",
        )
        for slots in (1, 7, 64)
    },
}


@pytest.fixture(scope="module")
def questions():
    """The same in every run: all are asked before a change and after it, which compiles kernels."""
    drawn = []

    @settings(
        max_examples=150,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawing.questions(on_gpu=True))
    def draw(question):
        if not verdict.refusals(question, on_gpu=True):
            drawn.append(replace(question, is_on_device=False))

    draw()
    return drawn


def answers(questions, knob, patch):
    """Arrays of the answers, of few workers."""
    if knob == "marks of bytes":
        patch.setattr(f"{CUDA}.brandes_source.brandes_source.SHARING", ((512, 0),))
    for question in questions:
        names = {*question.knobs, "few workers", *({knob} & knobs.ON_GPU)}
        with knobs.turned(sorted(names), on_gpu=True):
            yield verdict.parts(verdict.ask(question, question.matrix(), "cuda"))


@pytest.mark.parametrize(("change", "knob"), CHANGES.values(), ids=CHANGES)
def test_other_lists_and_less_memory_change_no_bit(change, knob, questions, monkeypatch):
    want = list(answers(questions, knob, monkeypatch))
    with change(monkeypatch):
        got = answers(questions, knob, monkeypatch)
        for question, found, expected in zip(questions, got, want, strict=True):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=str(question))


def test_scores_of_several_sources_of_a_worker_are_rounded_alike_in_buckets_and_in_waves():
    """Weights times dependencies before they are added up: no product is fused with a sum."""
    A = with_lengths(LARGE["streets"], [1, 2, 3])
    alpha = np.random.default_rng(2).uniform(size=A.shape[0])
    ask = {"weighted": True, "source_weights": alpha, "reduce": "none", "device": "cuda"}
    with knobs.turned(["few workers"], on_gpu=True):
        want = betweenness(A, **ask)
    with knobs.turned(["few workers", "no ring"], on_gpu=True):
        np.testing.assert_array_equal(betweenness(A, **ask), want)


def test_rows_of_more_sources_than_a_search_has_keep_their_bits(monkeypatch, caplog):
    """Levels, distances and predecessors of more sources than a search has."""
    A = LARGEST["streets"]
    sources = np.arange(1500) % A.shape[0]

    def rows():
        return bfs(A, sources, device="cuda"), *shortest_paths(A, sources, device="cuda")

    want = rows()
    with one_at_once(monkeypatch):
        for pair in zip(rows(), want, strict=True):
            np.testing.assert_array_equal(*pair)
    assert any("out of device memory" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("directed", [True, False])
def test_rows_by_length_in_less_memory_keep_their_bits(directed, monkeypatch):
    """Fewer sources where there is less memory, half of them where it runs out."""
    A, sources = with_lengths(LARGE["streets"], np.arange(1, 11) / 10, seed=5), np.arange(200)
    ways = {"weighted": True, "directed": directed, "device": "cuda"}
    want = shortest_paths(A, sources, **ways)
    for pair in zip(shortest_paths(A, sources, memory_budget=1 << 22, **ways), want, strict=True):
        np.testing.assert_array_equal(*pair)
    short_of_memory(monkeypatch, "one source", most=1)
    for pair in zip(shortest_paths(A, sources, **ways), want, strict=True):
        np.testing.assert_array_equal(*pair)
    short_of_memory(monkeypatch, "", most=0)
    with pytest.raises(MemoryError, match="for one source on 225 nodes"):
        shortest_paths(A, sources, **ways)
    with pytest.raises(MemoryError, match="for the search from one source on 225 nodes"):
        bfs(A, sources, device="cuda")
