"""Measure every number that README and the page of performance quote, ours and peers, in one run.

Values come first: how a peer's scores deviate from ours is told beside its time. The file has a row
for each case, in order of importance, and is written after each; a run ends after ``--seconds``,
and one with ``--output`` of an earlier run goes on with the cases that are left.
"""

import argparse
import importlib.metadata
import re
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import cugraph, device, record, suite

REPEATS = 3
LIMIT = 100.0  # seconds of a peer in one case
TOLERANCES = (1e-9, 1e-6, 1e-3)  # of the largest score
# Measure and case, and whether peers run it; where cuGraph needs more than 60 s for all sources,
# both take the same few.
GPU = {
    "betweenness karate": True,
    "betweenness bio-human-ppi-snap-pathways": True,
    "betweenness email-enron-snap": True,
    "betweenness road-usa-ny:64": True,
    "betweenness rmat-18x16:1024": True,
    "betweenness soc-slashdot0902:1024": True,
    "betweenness web-cnr-2000:256": True,
    "edge_betweenness bio-human-ppi-snap-pathways:256": True,
    "edge_betweenness karate": True,
    "betweenness bio-breast-coexpress": True,
    "betweenness road-usa-ny": False,
    "betweenness road-usa-ny:1024ball": False,
    "betweenness road-usa-ny:1024": False,
    "betweenness web-cnr-2000:4096": False,
    "betweenness rmat-14x8": True,
    "betweenness ba-30000x50": True,
    "betweenness rmat-20x16:256": True,
    "betweenness road-100x100": True,
    "edge_betweenness web-cnr-2000:256": True,
    "betweenness soc-slashdot0902": True,
}


def calls(task, case):
    """Calls of sparsebc by where the matrix lies: on the host, or on the GPU as the scores do."""
    from cupyx.scipy.sparse import csr_matrix

    options = case.options("cuda") | {"sources": case.sources, "normalized": False}
    run, there = getattr(sparsebc, task), csr_matrix(sparse.csr_matrix(case.A))
    return {
        "host": lambda: run(case.A, **options),
        "device": lambda: run(there, **options),
    }


def ours(ways):
    """Result and scores of sparsebc; the first call of each way compiles and is not timed."""
    found = {way: call() for way, call in ways.items()}
    seconds = {way: suite.seconds_of(call, REPEATS) for way, call in ways.items()}
    values = found["host"]
    result = {"all_seconds": seconds, **medians(seconds)}
    return result, values.data if sparse.issparse(values) else np.asarray(values)


def medians(seconds):
    """Fields of the median of each way."""
    return {"median_seconds": {way: statistics.median(all_) for way, all_ in seconds.items()}}


def compared(theirs, expected, groups):
    """How scores deviate: the scale of most in each group, and how many differ once scaled.

    A group is a mask, such as that of the sources, whose scores a peer may scale in its own way.
    """
    largest = expected.max(initial=0.0) or 1.0
    scales, off = [], np.abs(theirs - expected) / largest
    for group in groups:
        known = group & (expected > 1e-6 * largest) & (theirs != 0)
        if known.any():
            ratio = theirs[known] / expected[known]
            rounded, count = np.unique(np.round(np.log(ratio), 7), return_counts=True)
            common = np.abs(np.log(ratio) - rounded[count.argmax()]) < 1e-7
            scales.append(float(np.median(ratio[common])))
            off[group] = np.abs(theirs[group] / scales[-1] - expected[group]) / largest
    worst = int(off.argmax())
    return {
        "scales": scales,
        "deviation": float(off.max()),
        "scores": int(expected.size),
        "beyond": {f"{limit:g}": int((off > limit).sum()) for limit in TOLERANCES},
        "worst": {"at": worst, "sparsebc": float(expected[worst]), "peer": float(theirs[worst])},
    }


def beside_cugraph(task, case, expected, limit):
    """Result of cuGraph, and how its scores deviate from ours."""
    edges, n = task == "edge_betweenness", case.A.shape[0]
    result, scores = cugraph.measure(
        case.A,
        case.sources,
        directed=case.directed,
        edges=edges,
        repeats=REPEATS,
        limit=limit,
    )
    result |= medians(result["all_seconds"])
    if scores is not None:
        groups = [np.ones(expected.size, bool)]
        if edges and not case.directed:  # an arc has the paths along it alone
            arcs = sparse.csr_array((scores, case.A.indices, case.A.indptr), (n, n))
            scores = (arcs + arcs.T.tocsr())[
                np.repeat(np.arange(n), np.diff(arcs.indptr)), arcs.indices
            ]
        elif not edges and case.sources is not None:
            is_source = np.isin(np.arange(n), case.sources)
            groups = [is_source, ~is_source]
        result |= compared(scores, expected, groups)
    return result


def unsorted_sources(limit):
    """What cuGraph makes of sources in no order: scores of a path of five nodes, beside ours."""
    path, sources = sparse.csr_array(np.eye(5, k=1)), [3, 4, 0]
    how = {"directed": True, "edges": False, "repeats": 0, "limit": limit}
    given, raw = cugraph.measure(path, sources, sort=False, **how)
    _, in_order = cugraph.measure(path, sources, **how)
    run = {"normalized": False, "device": "cpu"}
    right = sparsebc.betweenness(path, sources=sources, **run)
    told = {"unsorted": raw, "by falling out-degree": in_order, "sparsebc": right}
    return given | {
        "path of 5, sources 3, 4, 0": {
            name: None if scores is None else scores.tolist() for name, scores in told.items()
        }
    }


def on_gpu(task, case, peers, left):
    """JSON row of a case: sparsebc, and cuGraph if asked for."""
    import cupy

    row = {"measure": task, **case.row(), "directed": case.directed}
    row |= {"sources": case.every_source.size, "results": {}}
    row["results"]["sparsebc"], expected = ours(calls(task, case))
    cupy.get_default_memory_pool().free_all_blocks()  # for the other process
    if peers:
        row["results"]["cugraph"] = beside_cugraph(task, case, expected, min(LIMIT, left()))
    return row


def main(arguments=None):
    """Measure the cases that the file does not have yet, as long as there is time."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.headline",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--seconds", type=float, default=600, help="of the whole run")
    parser.add_argument("--commit", help="of this tree; that of git")
    parser.add_argument("--cases", nargs="+", help="measure and graph, such as those of the file")
    parser.add_argument("--output", type=Path, help="JSON file, continued if it exists")
    options = parser.parse_args(arguments)
    if options.device == "cuda" and device.missing():
        parser.error(device.missing())
    begun = time.perf_counter()

    def left():
        return options.seconds - (time.perf_counter() - begun)

    about = device.describe() if options.device == "cuda" else record.machine()
    name = re.sub(r"\W+", "-", (about.get("name") or about["cpu"]).lower()).strip("-")
    kept = record.Record(f"headline-{name}", arguments, options.output, module=parser.prog[10:])
    kept["commit"] = options.commit or record.commit()
    kept["device" if options.device == "cuda" else "machine"] = about
    kept["packages"] = {
        package.metadata["Name"]: package.version
        for package in importlib.metadata.distributions()
        if re.match(r"cupy|graph.tool|igraph|(py)?libcugraph|networ|rustworkx", package.name)
    }
    kept.resume()
    for text in options.cases or GPU:
        if any(row["case"] == text for row in kept.get("cases", [])):
            continue
        if left() < 5:
            print(f"no time for {text}", flush=True)
            continue
        task, case = suite.load_task(text, options)
        row = {"case": text} | on_gpu(task, case, GPU.get(text, True), left)
        if left() < 0:  # a peer was stopped early
            break
        kept.add(row)
        print(f"{time.perf_counter() - begun:.0f} s  {suite.told(row)}", flush=True)
    if "faults" not in kept and left() > 5:
        kept["faults"] = unsorted_sources(min(LIMIT, left()))
        kept.write()
    print(f"written: {kept.path}")


if __name__ == "__main__":
    sys.exit(main())
