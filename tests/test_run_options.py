"""How a computation runs: progress, interruption, memory, logging, imports."""

import functools
import logging
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from children import python
from conftest import DEVICES
from graphs import LARGE, MEDIUM
from kept import LAYERS, PATHS

from sparsebc import (
    accessibility,
    betweenness,
    centralities,
    closeness,
    dismantle,
    eccentricity,
    harmonic,
    nearest,
    prominent_group,
)
from sparsebc.engines import devices
from sparsebc.sweep import progress

A = LARGE["large hubs"]


class Calls(list):
    """A callable that is falsy until it is called."""

    def __call__(self, *call):
        self.append(call)


@pytest.mark.parametrize("measure", [betweenness, closeness, harmonic, eccentricity])
@pytest.mark.parametrize("options", [{}, {"sources": range(100)}, {"k": 70, "rng": 3}], ids=str)
def test_progress_counts_up_to_the_total(device, options, measure):
    """Calls go (done, total), done never falls, and the last call says that what was asked is."""
    calls = Calls()
    got = measure(A, progress=calls, device=device, **options)
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert len(set(totals)) == 1
    assert done[-1] == totals[0] > 0
    np.testing.assert_array_equal(got, measure(A, device=device, **options))


def test_a_bar_is_drawn_on_a_terminal_where_it_is_asked_for(device, capfd, monkeypatch):
    """True draws a tqdm bar on a terminal, and nothing on standard output; unasked, nothing."""
    betweenness(A, device=device)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    betweenness(A, progress=True, device=device)
    printed = capfd.readouterr()
    assert "100%" in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_error_in_progress_stops_the_run(device, error, workers):
    """Whatever the callable raises comes out at once, and the next call is none the worse."""
    calls = []

    def stop(done, total):
        calls.append(done)
        raise error("enough")

    with pytest.raises(error, match="enough"):
        betweenness(A, progress=stop, workers=workers, device=device)
    assert len(calls) == 1
    assert np.isfinite(betweenness(A, workers=workers, device=device)).all()


LONG_RUN = """
    import functools, multiprocessing, signal, sys
    from concurrent.futures import ProcessPoolExecutor
    import scipy.sparse as sp
    import sparsebc

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    n, hops = 100_000, (1, 17, 289, 4913, 33521)
    A = sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))
    device, sources = {device!r}, {sources}
    run = {{"device": "cpu" if device == "processes" else device}}
    sparsebc.betweenness(A, sources=range(sources), **run)  # compiles, if need be
    if device == "processes":
        context = multiprocessing.get_context("spawn")
        run["executor"] = functools.partial(ProcessPoolExecutor, 2, mp_context=context)
    print("begun", flush=True)
    sparsebc.betweenness(A, **run)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
@pytest.mark.parametrize("device", [*DEVICES, "processes"])
def test_control_c_stops_a_long_run_within_seconds(device, tmp_path):
    """A run of minutes stops within seconds of Ctrl-C, with the usual exception and no remains."""
    sources = 1 if device == "reference" else 64  # which compiles nothing
    script = textwrap.dedent(LONG_RUN).format(device=device, sources=sources)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, **pipes) as process:
        try:
            assert process.stdout.readline() == "begun\n", process.stderr.read()
            while device == "processes" and not list(tmp_path.glob("sparsebc-*/*.job")):
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.1)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=1)  # well inside the second call
            process.send_signal(signal.SIGINT)
            process.wait(timeout=10 if device == "processes" else 5)
        finally:
            process.kill()
        assert "KeyboardInterrupt" in process.stderr.read()
    assert process.returncode != 0
    assert not list(tmp_path.glob("sparsebc-*"))


def test_the_plan_is_logged(device, caplog):
    """INFO of the logger "sparsebc" names the device and what goes into one batch."""
    default = "device cuda:0" if devices.gpus() else "device cpu"
    for asked, told in (({"device": device}, f"device {device}"), ({}, default)):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="sparsebc"):
            betweenness(A, **asked)
        (record,) = (r for r in caplog.records if r.name == "sparsebc" and r.levelname == "INFO")
        for words in (told, "float64", " sources", "workers"):
            assert words in record.getMessage()


ALL_OF = {
    "betweenness": betweenness,
    "closeness": closeness,
    "accessibility": functools.partial(accessibility, W=np.arange(250.0), decay=("power", 2)),
    "nearest": functools.partial(nearest, places=np.arange(250) > 200, k=3),
}


@pytest.mark.parametrize("name", ALL_OF)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_budget_that_fits_nothing_says_what_would(device, name, weighted):
    """The plan is made before anything is allocated; what it names is enough, a byte less not."""
    score = functools.partial(ALL_OF[name], A, weighted=weighted, device=device)
    with pytest.raises(MemoryError, match="memory_budget is 100: raise memory_budget") as caught:
        score(memory_budget=100)
    needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
    with pytest.raises(MemoryError):
        score(memory_budget=needed - 1)
    want = score()
    for budget in (needed, 2 * needed):
        np.testing.assert_array_equal(score(memory_budget=budget), want)


def test_free_memory_that_changes_in_a_call_is_told_as_it_was(monkeypatch):
    """Less than a worker needs, and enough for it by the time that the message is written."""
    cpu = devices.select("cpu")
    for measure in (betweenness, closeness):
        free = iter([100])
        monkeypatch.setattr(type(cpu), "free_memory", lambda self: next(free, 1 << 40))  # noqa: B023
        with pytest.raises(MemoryError, match="80% of the free memory is 80: free some memory"):
            measure(A, device="cpu", reduce="none")


def test_dtype_in_any_spelling_is_the_type_of_the_state(device):
    """Whatever np.dtype understands; it is the type of the state, not that of the result."""
    want = betweenness(A, dtype=np.float32, device=device)
    assert want.dtype == betweenness(A, dtype=np.float64, device=device).dtype == np.float64
    for dtype in ("float32", "f4", np.dtype(np.float32)):
        np.testing.assert_array_equal(betweenness(A, dtype=dtype, device=device), want)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_cpu_computes_float32_in_float64(weighted):
    """The same bits, of sums of every kind; the algebra, which takes the type, rounds."""
    graph = LAYERS[:150, :150].copy()  # up to 3**49 paths
    graph.data[:9] = 2  # so that lengths are not all equal
    ways = {"weighted": weighted, "reduce": "none"}

    def each(device, dtype):
        found = centralities(graph, PATHS, device=device, dtype=dtype, **ways)
        return found["betweenness"], found["edge_betweenness"].data, found["stress"]

    wide = each("cpu", np.float64)
    for got, want in zip(each("cpu", np.float32), wide, strict=True):
        np.testing.assert_array_equal(got, want)
    narrow = each("reference", np.float32)[0]
    assert 1e-9 < abs(narrow - wide[0]).max() / wide[0].max() < 1e-5


HEAVY = "cupy hypothesis matplotlib networkx numba pandas scipy.optimize tqdm".split()
PAGES = "bokeh matplotlib pandas scipy.optimize scipy.spatial scipy.stats".split()


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "unwanted"),
    [
        ("sparsebc.io, sparsebc.datasets, sparsebc.frames", HEAVY),
        ("sparsebc.betweenness, sparsebc.approximate_betweenness", {*HEAVY} - {"numba"}),
        ("sparsebc.testing", {*HEAVY} - {"hypothesis"}),
        ("from sparsebc.cli.main import main; main(['betweenness', 'karate'])", PAGES),
    ],
)
def test_import_is_light(line, unwanted):
    """What only some calls need is imported by those calls, whichever names are looked up."""
    out, _ = python("-c", f"import sys, sparsebc; {line}; print(*sys.modules)")
    loaded = set(out.splitlines()[-1].split())
    assert "sparsebc" in loaded
    assert loaded.isdisjoint(unwanted)


def test_progress_goes_on_from_step_to_step(monkeypatch, capsys):
    """It never starts again, and lines say which step it is."""
    seen = []
    A = MEDIUM["hubs"]
    prominent_group(A, 3, device="cpu", progress=lambda *counts: seen.append(counts))
    assert {total for _, total in seen} == {3 * 70}
    done = [done for done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == 3 * 70
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SHARE", 0.0)
    prominent_group(A, 3, device="cpu", progress=True)
    err = capsys.readouterr().err
    for step in (1, 2, 3):
        assert re.search(rf"of 210 sources \([\d.]+%\), step {step} of 3, ", err)
    dismantle(A, steps=4, device="cpu", progress=True)
    assert "4 of 4 steps (100.0%)" in capsys.readouterr().err


def test_lines_tell_the_speed_of_this_run_alone(monkeypatch, capsys):
    """Not of what an earlier one did; ever fewer of them, one in 5% of the time at last."""
    now = [0.0]
    monkeypatch.setattr(progress, "LINE_SECONDS", 10.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.counting(True, 10_000, initial=4000) as advance:
        for _ in range(2000):
            now[0] += 1.0
            advance(2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("4020 of 10000 sources (40.2%), 2 a second, 0:49:50 left")
    assert 60 < len(lines) < 72
