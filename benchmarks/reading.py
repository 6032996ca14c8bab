"""Measure reading of edges: text, beside the CSV readers of other libraries, and data frames.

CSV readers alone stop at columns of text; "numbered" are those of `csv_peers`, which go on to a
matrix and names, as `sparsebc.io.read` returns. Frames of names are measured for each type that a
library has for text. Each measurement is a process of its own, repeated: the result is the least
processor time, and the largest peak of memory beyond the frame and the loaded code. On Linux.
"""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from . import suite
from .peers import ROOT

EDGES = 24  # bytes an edge takes as two int64 and a float64
SORTED, STRING, SHUFFLED, NAMES = "integers, sorted", "STRING", "integers", "names"
NAMED = STRING, NAMES
TEXTS = {SORTED: ",", SHUFFLED: ",", STRING: " ", NAMES: " "}
READERS = {
    "pyarrow": "pyarrow.csv.read_csv(path, pyarrow.csv.ReadOptions(use_threads=False), "
    "pyarrow.csv.ParseOptions(delimiter=separator))",
    "pandas": "pandas.read_csv(path, sep=separator)",
    "polars": "polars.read_csv(path, separator=separator)",
    "sparsebc.io.read": "sparsebc.io.read(path)",
    "sparsebc.io.read, without PyArrow": "sparsebc.io.read(path)",
}
WITHOUT = "sparsebc.io.table.LEAST = 1 << 62"  # every file is too small for PyArrow
# Functions of `csv_peers`, for files of names.
NUMBERED = {
    "pyarrow": "pyarrow(path, separator)",
    "pyarrow, dictionaries": "pyarrow(path, separator, coded=True)",
    "pandas": "pandas(path, separator)",
    "polars": "polars(path, separator)",
    "polars, categories": "polars(path, separator, coded=True)",
}
FRAMES = {
    "pyarrow": "frame = table",
    "pandas": "frame = table.to_pandas()",
    "polars": "frame = polars.from_arrow(table)",
}
# Other types of text in a library.
TYPES = {
    "pyarrow, dictionary": "frame = pyarrow.table([*(column.dictionary_encode() for column in "
    "table.columns[:2]), table[2]], table.column_names)",
    "pandas, object": "frame = table.to_pandas().astype(dict.fromkeys(ends, object))",
    "pandas, category": "frame = table.to_pandas().astype(dict.fromkeys(ends, 'category'))",
    "polars, Categorical": "frame = polars.from_arrow(table).cast("
    "dict.fromkeys(ends, polars.Categorical))",
}
# Code of a process: all steps on the first lines, which loads what libraries load lazily, then on
# all lines; it prints the costs of the latter.
PROCESS = """
import ctypes, json, pathlib, sys, time
import pyarrow.csv, scipy.sparse, sparsebc.io
{imports}
*paths, separator = sys.argv[1:]
def memory(kind):
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition(kind + ":")[2].split()[0]) * 1024
for path in paths:
    result = None
    {before}
    pyarrow.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before, start, wall = memory("VmRSS"), time.process_time(), time.perf_counter()
    result = {measured}
seconds = time.process_time() - start, time.perf_counter() - wall
print(json.dumps([*seconds, memory("VmHWM") - before]))
"""
TABLE = """ends = "protein1", "protein2"
    table = pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter=separator))
    """
FIRST = 300_000  # lines read first: enough for every choice that depends on the number of lines


def edges(kind, count):
    """PyArrow table of distinct edges of a kind."""
    import pyarrow

    rng = np.random.default_rng(7)
    n = 20_000 if kind == STRING else max(count // 10, 2)
    keys = np.unique(rng.integers(0, n * n, count))  # by source, then target
    keys = keys if kind in (SORTED, STRING) else rng.permutation(keys)
    ends = keys // n, keys % n
    if kind in NAMED:
        names = pyarrow.array([f"9606.ENSP{k:011d}" for k in rng.permutation(n)])
        ends = [names.take(pyarrow.array(end)) for end in ends]
    titles = ("protein1", "protein2", "combined_score")
    return pyarrow.table([*ends, rng.integers(150, 1000, len(keys))], names=titles)


def write(table, path, separator):
    """Write the table in the form of published files: a header without quotes, a line an edge."""
    from pyarrow import csv

    with open(path, "wb") as file:
        file.write(f"{separator.join(table.column_names)}\n".encode())
        style = csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none")
        csv.write_csv(table, file, style)


def spent(library, before, measured, paths, separator, repeats):
    """Least processor time with its wall time, and largest memory, of repeated processes."""
    text = PROCESS.format(imports=f"import {library}", before=before, measured=measured)
    found = []
    for _ in range(repeats):
        words = [sys.executable, "-c", text, *map(str, paths), separator]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise RuntimeError(": ".join([f"{measured.strip()} of {paths[-1].name}", *last]))
        found.append(json.loads(done.stdout))
    (seconds, wall, _), memory = min(found), max(peak for *_, peak in found)
    return seconds, wall, memory


@suite.benchmark(
    repeats=3,
    edges=suite.option(1e7, "edges in a file"),
    kinds=suite.option(list(TEXTS), choices=TEXTS),
)
def main(options):
    """Yield a JSON row for each reader and file, and for each type of frames."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds:
            table, separator = edges(kind, int(options.edges)), TEXTS[kind]
            paths = [Path(folder, name) for name in ("first.csv", "edges.csv")]
            for path, part in zip(paths, (table[:FIRST], table), strict=True):
                write(part, path, separator)
            about, m = (paths, separator, options.repeats), len(table)
            del table
            for reader, measured in READERS.items():
                before = WITHOUT if "without" in reader else ""
                cost = spent(measured.partition(".")[0], before, measured, *about)
                yield row("text", kind, reader, m, *cost)
            for peer, call in (NUMBERED if kind in NAMED else {}).items():
                library = peer.partition(",")[0]
                if find_spec(library):
                    imports = f"{library}, benchmarks.csv_peers"
                    cost = spent(imports, "", f"benchmarks.csv_peers.{call}", *about)
                    yield row("text", kind, f"{peer}, numbered", m, *cost)
            for frame, before in (FRAMES | TYPES if kind in NAMED else FRAMES).items():
                cost = spent(
                    frame.partition(",")[0],
                    f"{TABLE}{before}",
                    "sparsebc.frames.read(frame, source='protein1', target='protein2')",
                    *about,
                )
                yield row("frame", kind, frame, m, *cost)


def row(form, kind, reader, count, seconds, wall, memory):
    """JSON row of a measurement."""
    return {
        "form": form,
        "kind": kind,
        "reader": reader,
        "edges": count,
        "processor_seconds": seconds,
        "wall_seconds": wall,
        "edges_per_second": count / seconds,
        "bytes_per_edge": memory / count,
        "times_the_arrays": memory / count / EDGES,
    }


if __name__ == "__main__":
    main()
