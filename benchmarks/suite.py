"""Shared parts of the benchmarks: the command, matrix and sources of a case, times.

A benchmark is a function that yields rows. The decorator `benchmark` makes it the ``main`` of its
module, which reads the command line, keeps the rows in a JSON file, and prints them.
"""

import argparse
import functools
import re
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

import sparsebc

from . import device, graphs
from .record import Record

RUN = 500  # consecutive nodes that are all sources or none, as twins often have adjacent numbers


class Loaded(NamedTuple):
    """A case: graph and sources."""

    name: str
    pattern: sparse.csr_array  # boolean, or the lengths
    A: sparse.csr_array  # float64
    directed: bool
    weighted: bool
    sources: np.ndarray | None  # None for all nodes

    @property
    def every_source(self):
        """The sources, as an array even if they are all nodes."""
        return np.arange(self.A.shape[0]) if self.sources is None else self.sources

    def options(self, device):
        """Options of a measure for the graph and the device."""
        return {"directed": self.directed, "weighted": self.weighted, "device": device}

    def row(self):
        """First fields of the JSON row of a case."""
        return {"graph": self.name, "nodes": self.A.shape[0], "arcs": self.A.nnz}


def load(text, options):
    """Read or make a case ``NAME``, ``NAME:SOURCES``, ``NAME:SOURCESball`` or ``NAME:SOURCESruns``.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    pattern, directed = graphs.make(text.partition(":")[0], options.folder)
    A = sparse.csr_array(pattern, dtype=np.float64)
    return Loaded(text, pattern, A, directed, pattern.dtype != bool, sources_of(text, pattern))


def load_task(text, options):
    """The task and the loaded case of ``TASK NAME[:SOURCES[ball]]``."""
    task, _, name = text.partition(" ")
    return task, load(name, options)


def sources_of(text, pattern):
    """Sources of a case, None for all nodes: at random, in a ball, or in runs of node numbers."""
    found = re.fullmatch(r"[^:]+(?::([1-9]\d*)(ball|runs)?)?", text)
    if not found:
        raise ValueError(f"{text!r} is not NAME or NAME:SOURCES, with ball or runs after it")
    n, count, kind = pattern.shape[0], int(found[1] or pattern.shape[0]), found[2]
    if count >= n:
        return None
    if kind == "ball":
        return graphs.ball(pattern, count)
    if kind == "runs":  # about ``count``, spread evenly
        return np.flatnonzero(np.arange(n) // RUN % max(1, n // count) == 0)
    return np.sort(np.random.default_rng(7).choice(n, count, replace=False))


def option(default=None, help=None, **more):
    """A command-line option, of the type of its default or of the default's first element."""
    first = next(iter(default), None) if isinstance(default, list) else default
    about = {"default": default, "help": help}
    about |= {"nargs": "+"} if isinstance(default, list) else {}
    about |= {} if first in (None, False) else {"type": type(first)}
    return about | more


def benchmark(*, cases=None, load=load, line=lambda row: row, **options):
    """Decorator: make a function that yields rows the command of its module, with options.

    An option is a result of `option`, or a default. The function is called with the options, and,
    unless ``load`` is None, once for each of the ``cases`` with the result of ``load``. It yields
    rows of cases; ``(kind, row)`` for another kind of rows; or ``("about", facts)`` on the whole
    run. ``line`` selects the printed part of a row.
    """
    options = {
        name: about if isinstance(about, dict) else option(about) for name, about in options.items()
    }
    if cases is not None:
        about = "NAME[:SOURCES[ball]], of --folder or made"
        options["cases"] = {"nargs": "+", "default": cases, "metavar": "NAME", "help": about}
        options["folder"] = option(help="folder of .npz graphs", type=Path)

    def decorate(measure):
        module = f"benchmarks.{Path(measure.__code__.co_filename).stem}".removesuffix(".__main__")

        @functools.wraps(measure)
        def main(arguments=None):
            parser = argparse.ArgumentParser(
                prog=f"python -m {module}",
                description=sys.modules[measure.__module__].__doc__,
                formatter_class=argparse.ArgumentDefaultsHelpFormatter,
            )
            to_file = option(help="JSON file: of this name and date, in results", type=Path)
            for title, about in (options | {"output": to_file}).items():
                parser.add_argument(f"--{title.replace('_', '-')}", **about)
            asked = parser.parse_args(arguments)
            kept = _record(module, parser, asked, arguments)
            if cases is None or load is None:
                _keep(kept, measure(asked), line)
            else:
                for each in asked.cases:
                    _keep(kept, measure(asked, load(each, asked)), line)
            print(f"written: {kept.path}")

        return main

    return decorate


def on_gpu(options):
    """Whether a benchmark runs on a GPU."""
    return getattr(options, "device", "").startswith("cuda")


def _record(module, parser, options, arguments):
    """The JSON file of a run, with the GPU if it runs on one; exits if that is missing."""
    name, about = module.rpartition(".")[2], {"module": module}
    if on_gpu(options):
        if device.missing():
            parser.error(device.missing())
        name, about["device"] = f"{name}-cuda", device.describe()
    return Record(name, arguments, options.output, **about)


def _keep(record, rows, line):
    """Add each row to the record once it is measured, and print it."""
    for found in rows:
        kind, row = found if isinstance(found, tuple) else ("cases", found)
        if kind == "about":
            record.update(row)
        else:
            record.add(row, kind)
        print(told(line(row) if kind == "cases" else row), flush=True)


def told(row):
    """A row as text, without its lists."""
    return "  ".join(filter(None, map(_told, row, row.values())))


def _told(name, value):
    if isinstance(value, dict):
        value = told(value)
        return value and f"{name} ({value})"
    if np.ndim(value):
        return ""
    return f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"


def seconds_of(call, repeats=1):
    """Wall seconds of each of ``repeats`` calls."""
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        if "cupy" in sys.modules:
            sys.modules["cupy"].cuda.Device().synchronize()
        seconds.append(time.perf_counter() - begun)
    return seconds


def timed(call):
    """Result of a call, its wall seconds, and its processor seconds in all threads."""
    begun, begun_cpu = time.perf_counter(), time.process_time()
    found = call()
    return found, time.perf_counter() - begun, time.process_time() - begun_cpu


def scores(measure, case, device, **run):
    """Scores of a case by a measure, on a device or a list of devices."""
    question = {**case.options(device), "sources": case.sources, **run}
    found = getattr(sparsebc, measure)(case.A, **question)
    return found.data if sparse.issparse(found) else found


def add_ratios(rows):
    """Add to each row its speedup over the first row; returns the median seconds of the first."""
    first, *_ = (row["median_seconds"] for row in rows)
    for row in rows:
        row["ratio"] = first / row["median_seconds"]
    return first


def medians(seconds):
    """Median of each list of a dict."""
    return {label: statistics.median(values) for label, values in seconds.items()}
