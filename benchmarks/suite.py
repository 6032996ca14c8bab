"""What the suites share: the command line, the matrix and sources of a case, times, deviations."""

import argparse
import statistics
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from . import device, graphs
from .record import Record


class Case(NamedTuple):
    """A graph, and the number of its sources: None for all, drawn at random or in a ball."""

    graph: str
    sources: int | None
    ball: bool = False

    def choose(self, pattern):
        """Sources of the case, None for all nodes."""
        n = pattern.shape[0]
        if self.sources is None or self.sources >= n:
            return None
        if self.ball:
            return graphs.ball(pattern, self.sources)
        return np.sort(np.random.default_rng(7).choice(n, self.sources, replace=False))


class Loaded(NamedTuple):
    """A case as the suites measure it."""

    pattern: sparse.csr_array  # boolean, or the lengths
    A: sparse.csr_array  # float64
    directed: bool
    weighted: bool
    sources: np.ndarray | None  # None for all nodes

    @property
    def every_source(self):
        """The sources, listed where they are all nodes too."""
        return np.arange(self.A.shape[0]) if self.sources is None else self.sources

    def options(self, device):
        """What a measure is told of the graph, and where to run."""
        return {"directed": self.directed, "weighted": self.weighted, "device": device}

    def row(self, graph):
        """How the JSON row of a case begins."""
        return {"graph": graph, "nodes": self.A.shape[0], "arcs": self.A.nnz}


def load(name, folder):
    """Read or make a case ``NAME[:SOURCES[ball]]``."""
    chosen = case(name)
    pattern, directed = graphs.find(chosen.graph, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    return Loaded(pattern, A, directed, pattern.dtype != bool, chosen.choose(pattern))


def case(text):
    """Read ``NAME``, ``NAME:SOURCES`` or ``NAME:SOURCESball``."""
    name, colon, sources = text.partition(":")
    ball = sources.endswith("ball")
    count = positive(sources.removesuffix("ball")) if colon else None
    return Case(name, count, ball)


def positive(text):
    """Read a whole number of at least one."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


def parser(name, doc, *, cases=None, repeats=None, device=None, case=str):
    """Command line of a suite, with the options that it has defaults for, and ``--output``.

    Of no default ``cases``, [], those of the folder are all measured.
    """
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=doc)
    if cases is not None:
        about = {"default": cases, "type": case, "metavar": "NAME[:SOURCES[ball]]"}
        made.add_argument("--cases", nargs="+", **about)
        made.add_argument("--folder", type=Path, help="folder of .npz graphs")
    if repeats is not None:
        made.add_argument("--repeats", type=positive, default=repeats)
    if device is not None:
        made.add_argument("--device", default=device)
    made.add_argument(
        "--output", type=Path, help=f"JSON file (default: benchmarks/results/{name}-DATE.json)"
    )
    made.set_defaults(suite=name)
    return made


def add_repeats_of_long_calls(made):
    """Add ``--repeats`` of which none times the first call."""
    made.add_argument("--repeats", type=int, default=5, help="0 times the first call, of long ones")


def parse(made, arguments):
    """Read the command line; a GPU that is asked for and not there ends the program."""
    options = made.parse_args(arguments)
    if on_gpu(options) and device.missing():
        made.error(device.missing())
    return options


def on_gpu(options):
    """Whether the suite runs on a GPU."""
    return getattr(options, "device", "").startswith("cuda")


def record(options, arguments, **about):
    """The JSON file of a run, of what the command line says, with the GPU if there is one."""
    name = options.suite
    if on_gpu(options):
        name, about = f"{name}-cuda", {"device": device.describe(), **about}
    return Record(name, arguments, options.output, module=f"benchmarks.{options.suite}", **about)


def run(made, arguments, measure, line, **about):
    """Keep the rows that ``measure(name, options)`` yields of each case in a JSON file of a suite.

    ``line`` makes of a row what is printed as soon as it is measured.
    """
    options = parse(made, arguments)
    keep(
        record(options, arguments, **about),
        (row for name in options.cases for row in measure(name, options)),
        line,
    )


def keep(kept, rows, line):
    """Keep each row of a record, and print its line, as it is measured."""
    for row in rows:
        kept.add(row)
        print(line(row), flush=True)
    print(f"written: {kept.path}")


def seconds_of(call, repeats=1, *, warm_up=False, synchronise=False):
    """Seconds of each of some calls, after one that compiles if that is asked for."""
    if synchronise:
        import cupy

        inner = call

        def call():
            inner()
            cupy.cuda.Device().synchronize()

    if warm_up:
        call()
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return seconds


def timed(call):
    """What a call returns, its seconds, and those of all threads of the process on processors."""
    begun, begun_cpu = time.perf_counter(), time.process_time()
    found = call()
    return found, time.perf_counter() - begun, time.process_time() - begun_cpu


def beside(ways, repeats):
    """What a JSON row has of two ways in turn, each a function that returns both kinds of seconds.

    The first round compiles, and counts if no other is asked for.
    """
    rounds = [{way: call() for way, call in ways.items()} for _ in range(repeats + 1)]
    times = {way: [found[way] for found in rounds[min(repeats, 1) :]] for way in ways}
    median, cpu = (
        medians({way: [each[kind] for each in found] for way, found in times.items()})
        for kind in (0, 1)
    )
    first, second = ways
    return {
        "median_seconds": median,
        "ratio": median[first] / median[second],
        "median_cpu_seconds": cpu,
        "cpu_ratio": cpu[first] / cpu[second],
        "all_seconds": times,
    }


def medians(seconds):
    """Median of each list of a dict."""
    return {label: statistics.median(values) for label, values in seconds.items()}


def told(seconds):
    """A dict of seconds in words."""
    return ", ".join(f"{label} {value:.4g} s" for label, value in seconds.items())


def deviation(got, expected):
    """Largest deviation over the largest finite value, of arrays or matrices of one pattern."""
    if sparse.issparse(got):
        got, expected = got.data, expected.data
    unlike = got != expected  # both may be infinite
    difference = np.subtract(got, expected, out=np.zeros(np.shape(got)), where=unlike)
    largest = np.max(np.abs(expected), where=np.isfinite(expected), initial=0.0)
    return float(np.max(np.abs(difference), initial=0.0) / (largest or 1.0))


def check(name, deviated, tolerance):
    """Refuse to time values that deviate; NaN does as well.

    Raises
    ------
    RuntimeError
        If the deviation is not within the tolerance.
    """
    if not deviated <= tolerance:
        raise RuntimeError(f"{name}: deviates by {deviated:.1e}")
