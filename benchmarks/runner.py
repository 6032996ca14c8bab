"""One case: start every library in its own process, check the values, then time them in turn."""

import json
import platform
import statistics
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np

from . import graphs, peers

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = {"float64": 1e-8, "float32": 1e-4}  # largest deviation over the largest score
SLOW = 20.0  # seconds; a peer's first run that takes longer is its only one
LEVEL_SAMPLES = 8  # sources from which the number of shortest-path arcs is estimated


class Library:
    """One library in a child process that holds the converted graph and runs when told to.

    `state` is "ready", or why there are no times: "skipped", "failed", "timeout", "WRONG";
    `note` says more. `seconds` and `peaks` hold what its runs so far took.
    """

    def __init__(self, name, folder, timeout=None):
        self.name, self.folder, self.timeout = name, folder, timeout
        self.state, self.note = "ready", ""
        self.deviation = np.nan
        self.seconds, self.peaks = [], []
        command = [peers.interpreter(name), "-m", "benchmarks.peers", name, str(folder)]
        pipe = subprocess.PIPE
        try:
            self._child = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        except FileNotFoundError as error:
            self._child = None
            self.state, self.note = "skipped", str(error)
        self.about = self._answer()

    def run(self):
        """Run once; False when it did not come to an end, as `state` then says."""
        if self.state != "ready":
            return False
        self._child.stdin.write("run\n")
        self._child.stdin.flush()
        usage = self._answer()
        if self.state != "ready":
            return False
        self.seconds.append(usage["seconds"])
        self.peaks.append(usage["peak_bytes"])
        return True

    def check(self, expected, tolerance):
        """Compare the last run's scores with ours: one that deviates is WRONG."""
        scores = np.load(self.folder / f"{self.name}.npy")
        largest = np.max(np.abs(expected), initial=0.0)
        self.deviation = float(np.max(np.abs(scores - expected), initial=0.0) / (largest or 1.0))
        if not self.deviation < tolerance:  # also when it is NaN
            self.state, self.note = "WRONG", f"deviates from ours by {self.deviation:.1e}"

    def close(self):
        """End the child, whatever it is doing."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()

    def report(self):
        """Return what the JSON file keeps of this library on this case."""
        right = self.state == "ready" and self.seconds
        return {
            "state": self.state,
            "note": self.note,
            "median_seconds": statistics.median(self.seconds) if right else None,
            "all_seconds": self.seconds,
            "peak_bytes": max((peak for peak in self.peaks if peak is not None), default=None),
            "deviation": self.deviation if np.isfinite(self.deviation) else None,
            **self.about,
        }

    def _answer(self):
        """Return the child's next answer, {} when there is none: `state` says why."""
        if self.state != "ready":
            return {}
        late = threading.Event()

        def give_up():
            late.set()
            self._child.kill()

        timer = threading.Timer(self.timeout or threading.TIMEOUT_MAX, give_up)
        timer.start()
        try:
            line = self._child.stdout.readline()
        finally:
            timer.cancel()
        answer = json.loads(line) if line else {}
        if late.is_set():
            self.state, self.note = "timeout", f"no answer within {self.timeout:g} s"
        elif not line:
            self.state, self.note = "failed", f"the process ended with code {self._child.wait()}"
        for state in ("skipped", "failed"):
            if state in answer:
                self.state, self.note = state, answer[state]
        return answer if self.state == "ready" else {}


def measure(name, sources, *, names, folder, repeats, dtype, timeout, bandwidth_gbs):
    """Measure a graph from a number of random sources, None for all; return its JSON row.

    Raises
    ------
    RuntimeError
        If sparsebc itself gave no answer.
    """
    matrix, directed = graphs.find(name, folder)()
    n = matrix.shape[0]
    count = min(sources or n, n)
    chosen = np.sort(np.random.default_rng(7).choice(n, count, replace=False))
    with tempfile.TemporaryDirectory() as scratch:
        subset = chosen if count < n else None
        lengths = None if matrix.dtype == bool else matrix.data
        graph = peers.Graph(matrix.indptr, matrix.indices, directed, subset, dtype, lengths)
        graph.save(Path(scratch) / "graph.npz")
        libraries = compare(names, Path(scratch), repeats, timeout, TOLERANCE[dtype])
    results = {library.name: library.report() for library in libraries}
    ours = results[peers.OURS]["median_seconds"]
    if ours is None:
        raise RuntimeError(f"no answer from sparsebc on {name}: {results[peers.OURS]['note']}")
    others = {
        peer: result["median_seconds"]
        for peer, result in results.items()
        if peer != peers.OURS and result["median_seconds"]
    }
    fastest = min(others, key=others.get, default=None)
    sample = np.random.default_rng(7).choice(chosen, min(count, LEVEL_SAMPLES), replace=False)
    tight = graphs.tight_arcs(matrix, sample)
    # sigma read once forward and g once backward, over shortest-path arcs only
    floor = 2 * np.dtype(dtype).itemsize * tight * count / (bandwidth_gbs * 1e9)
    return {
        "graph": name,
        "nodes": n,
        "arcs": matrix.nnz,
        "directed": directed,
        "weighted": lengths is not None,
        "sources": count,
        "gteps": count * matrix.nnz / ours / 1e9,
        "fastest_peer": fastest,
        "ratio": others[fastest] / ours if fastest else None,
        "tight_arcs_per_source": tight,
        "floor_seconds": floor,
        "floor_share": floor / ours,
        "results": results,
    }


def compare(names, folder, repeats, timeout, tolerance):
    """Run the libraries on the graph in `folder`: values first, then times, in turn.

    Our first run compiles and is never timed. A peer's first run gives the values to check and is
    not timed either, unless it was slow: then it is the only one.
    """
    libraries = []
    try:
        ours = Library(peers.OURS, folder)
        libraries.append(ours)
        if not ours.run():
            return libraries
        expected = np.load(folder / f"{peers.OURS}.npy")
        for name in names:
            peer = Library(name, folder, timeout)
            libraries.append(peer)
            if peer.run():
                peer.check(expected, tolerance)
        right = [library for library in libraries if library.state == "ready"]
        slow = {library.name for library in right if library.seconds[0] > SLOW}
        for library in right:
            if library is ours or library.name not in slow:
                library.seconds.clear()
                library.peaks.clear()
        for _ in range(repeats):
            for library in right:
                if library.name not in slow or not library.seconds:
                    library.run()
        return libraries
    finally:
        for library in libraries:
            library.close()


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


def machine():
    """Describe CPU model, usable cores, operating system and the versions of what we run on."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": peers.cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "scipy", "numba")},
    }
