"""One case: start every library in its own process, check the values, then time them in turn."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from . import graphs, peers

TOLERANCE = {"float64": 1e-9, "float32": 1e-5}  # largest deviation over the largest score
SLOW = {"cpu": 20.0, "cuda": 4.0}  # seconds; a library that takes longer is timed once
PROBE = 16  # sources of a run on the GPU machine from which the number of a peer's is computed
PATIENCE = 5.0  # seconds of a peer's run there, which set its number of sources
LEVEL_SAMPLES = 8  # sources from which the number of shortest-path arcs is estimated


class Library:
    """One library in a child process that holds the converted graph and runs on request.

    `state` is "ready", or the reason for no times: "skipped", "failed", "timeout", "WRONG"; `note`
    has the details. `seconds` and `peaks` are those of its runs so far, `count` its number of
    sources, None for all of the case.
    """

    def __init__(self, name, folder, timeout=None):
        self.name, self.folder, self.timeout = name, folder, timeout
        self.deviation = np.nan
        self.count = None
        self.seconds, self.peaks = [], []
        self.state, self.note = "ready", ""
        python = os.environ.get(f"SPARSEBC_{name.upper().replace('-', '_')}_PYTHON", sys.executable)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        command = [python, "-m", "benchmarks.peers", name, str(folder)]
        self._child = subprocess.Popen(command, cwd=peers.ROOT, **pipes)
        self.about = self._answer()

    def run(self, dtype, count=None):
        """Run once, from `count` sources; False without a result, for the reason in `state`."""
        if self.state != "ready":
            return False
        usage = self._ask([count or self.count, dtype])
        if self.state != "ready":
            return False
        self.seconds.append(usage["seconds"])
        self.peaks.append(usage["peak_bytes"])
        return True

    def rest(self):
        """Free idle memory of the GPU for the other libraries, which plan by free memory."""
        if self.state == "ready":
            self._ask(None)

    def forget(self):
        """Drop the times so far."""
        self.seconds.clear()
        self.peaks.clear()

    def scores(self):
        """Return the scores of the last run."""
        return np.load(self.folder / f"{self.name}.npy")

    def check(self, expected, tolerance):
        """Compare the last run's scores with ``expected``; a larger deviation is "WRONG"."""
        scores = self.scores()
        largest = np.max(np.abs(expected), initial=0.0)
        self.deviation = float(np.max(np.abs(scores - expected), initial=0.0) / (largest or 1.0))
        if not self.deviation < tolerance:  # also when it is NaN
            self.state, self.note = "WRONG", f"deviates by {self.deviation:.1e}"

    def close(self):
        """Kill the child."""
        self._child.kill()
        self._child.communicate()

    def report(self):
        """Return the JSON fields of this library on this case."""
        right = self.state == "ready" and self.seconds
        return {
            "state": self.state,
            "note": self.note,
            "median_seconds": statistics.median(self.seconds) if right else None,
            "all_seconds": self.seconds[:],
            "sources": self.count,
            "peak_bytes": max((peak for peak in self.peaks if peak is not None), default=None),
            "deviation": self.deviation if np.isfinite(self.deviation) else None,
            **self.about,
        }

    def _ask(self, request):
        """Return the answer to a request, as `_answer` does."""
        self._child.stdin.write(json.dumps(request) + "\n")
        self._child.stdin.flush()
        return self._answer()

    def _answer(self):
        """Return the child's next answer; {} without one, for the reason in `state`."""
        if self.state != "ready":
            return {}
        timer = threading.Timer(self.timeout or threading.TIMEOUT_MAX, self._child.kill)
        timer.start()
        line = self._child.stdout.readline()
        is_late = timer.finished.is_set() and not line
        timer.cancel()
        answer = json.loads(line) if line else {}
        if is_late:
            self.state, self.note = "timeout", f"no answer within {self.timeout:g} s"
        elif not line:
            self.state, self.note = "failed", f"the process ended with code {self._child.wait()}"
        for state in ("skipped", "failed"):
            if state in answer:
                self.state, self.note = state, answer[state]
        return answer if self.state == "ready" else {}


def measure(case, options, bandwidth_gbs):
    """Measure a case in each dtype of the options; yield a JSON row for each.

    Raises
    ------
    RuntimeError
        If sparsebc itself gave no answer, or its scores in two dtypes differ.
    """
    name, _, kind = case.name.partition(":")
    matrix, sources = case.pattern, case.every_source
    count = sources.size
    sample = np.random.default_rng(7).choice(sources, min(count, LEVEL_SAMPLES), replace=False)
    about = {
        **case.row(),
        "graph": name + ":ball" * kind.endswith("ball"),
        "measure": options.measure,
        "directed": case.directed,
        "weighted": case.weighted,
        "sources": count,
        "tight_arcs_per_source": graphs.tight_arcs(matrix, sample),
    }
    with tempfile.TemporaryDirectory() as scratch:
        lengths = matrix.data if case.weighted else None
        where = case.directed, case.sources, options.device, lengths, options.measure
        graph = peers.Graph(matrix.indptr, matrix.indices, *where)
        graph.save(Path(scratch) / "graph.npz")
        del matrix, graph, case
        libraries = [Library(peers.OURS, Path(scratch))]
        try:
            for name in options.peers:
                libraries.append(Library(name, Path(scratch), options.peer_timeout))
            first = None
            for dtype in options.dtype:
                scores = compare(libraries, dtype, options.repeats, count, first, options.device)
                first = scores if first is None else first
                yield _row(about, dtype, libraries, bandwidth_gbs)
        finally:
            for library in libraries:
                library.close()


def compare(libraries, dtype, repeats, sources, first, device):
    """Run the libraries, sparsebc first: values, then times, in turn.

    Our first run compiles and is never timed. A peer's first run gives the values to check and is
    not timed either, unless it is slow: then it is the only one. On the GPU machine a peer runs
    from as many sources as fit its time, and one library does all its runs before the next, so that
    each finds the device memory free. `first` are our scores in another dtype, which must agree.
    Returns our scores.
    """
    ours, *others = libraries
    slow = SLOW[device]
    ours.forget()
    if not ours.run(dtype):
        return None
    expected, tolerance = ours.scores(), TOLERANCE[dtype]
    if first is not None:
        ours.check(first, TOLERANCE["float32"])
    ours.forget()
    for peer in others:
        if peer.seconds and peer.name not in peers.TYPED:
            untyped = True  # its values and times hold for any dtype
        else:
            untyped = False
            peer.forget()
            ours.rest()
            if device != "cpu" and peer.name not in peers.WHOLE and not peer.count:
                _fit(peer, dtype, sources)
            peer.run(dtype)
            peer.rest()
        compared = peer.state == "ready" and peer.name not in peers.SAMPLERS
        if compared and (peer.count is None or ours.run(dtype, peer.count)):
            peer.check(expected if peer.count is None else ours.scores(), tolerance)
        if not untyped and peer.seconds and peer.seconds[0] <= slow:
            peer.forget()
    ours.forget()
    ours.rest()
    for together in [libraries] if device == "cpu" else [[library] for library in libraries]:
        for turn in range(repeats):
            for library in together:
                times = library.seconds
                if not times or (times[0] <= slow and len(times) <= turn):
                    library.run(dtype)
        for library in together:
            library.rest()
    return expected


def _fit(peer, dtype, sources):
    """Set the number of sources from which a peer runs for `PATIENCE` seconds."""
    probe = min(PROBE, sources)
    if peer.run(dtype, probe) and peer.seconds[-1] < PATIENCE:  # may have compiled
        peer.run(dtype, probe)
    if peer.state == "ready":
        fitting = max(probe, int(probe * PATIENCE / peer.seconds[-1]))
        peer.count = fitting if fitting < sources else None
    peer.forget()


def _row(about, dtype, libraries, bandwidth_gbs):
    """JSON row of a case in one dtype."""
    results = {library.name: library.report() for library in libraries}
    count, arcs = about["sources"], about["arcs"]
    for result in results.values():
        result["sources"] = result["sources"] or count
        seconds = result["median_seconds"]
        result["gteps"] = result["sources"] * arcs / seconds / 1e9 if seconds else None
    ours = results[peers.OURS]
    if ours["median_seconds"] is None:
        name, note = about["graph"], ours["note"]
        raise RuntimeError(f"no answer from sparsebc on {name} in {dtype}: {note}")
    others = {
        peer: result["gteps"]
        for peer, result in results.items()
        if peer not in peers.FAMILY and result["gteps"]
    }
    fastest = max(others, key=others.get, default=None)
    # reads of sigma forward and of g backward, over shortest-path arcs only; none for distances
    reads = 2 if about["measure"] == "betweenness" else 0
    tight = about["tight_arcs_per_source"]
    floor = reads * np.dtype(dtype).itemsize * tight * count / (bandwidth_gbs * 1e9)
    return {
        **about,
        "dtype": dtype,
        "gteps": ours["gteps"],
        "fastest_peer": fastest,
        "ratio": ours["gteps"] / others[fastest] if fastest else None,
        "floor_seconds": floor,
        "floor_share": floor / ours["median_seconds"],
        "results": results,
    }


def copy_bandwidth():
    """Measure a large copy on all cores, reads and writes both counted, in GB/s."""
    source, target = np.ones((2, 1 << 25))
    parts = [np.array_split(array, peers.cores()) for array in (target, source)]
    seconds = []
    with ThreadPoolExecutor(peers.cores()) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(np.copyto, *parts))
            seconds.append(time.perf_counter() - start)
    return 2 * source.nbytes / min(seconds) / 1e9
