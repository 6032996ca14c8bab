"""Measure every number that README and the page of performance quote, ours and peers, in one run.

Values come first: how a peer's scores deviate from ours is told beside its time. The file has a row
for each case, in order of importance, and is written after each; a run ends after ``--seconds``,
and one with ``--output`` of an earlier run goes on with the cases that are left.
"""

import argparse
import functools
import os
import re
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import approximation, cugraph, device, peers, record, suite

REPEATS = 3
PATIENCE = {"cpu": 200.0, "cuda": 100.0}  # seconds of a peer in one case
TOLERANCES = (1e-9, 1e-6, 1e-5, 1e-3)  # of the largest score
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


# Each beside all peers, from all sources.
CPU = (
    "betweenness road-100x100",
    "betweenness bio-breast-coexpress",
    "betweenness rmat-14x8",
    "betweenness karate",
    "approximate bio-human-ppi-snap-pathways",
    "approximate email-enron-snap",
    "approximate road-minnesota",
    "betweenness road-100x100w",
    "betweenness transport-chicago-regionalw",
    "harmonic road-100x100",
    "edge_betweenness road-100x100",
    "betweenness bio-human-ppi-snap-pathways",
)


def calls(task, case, device):
    """Calls of sparsebc by where the matrix lies: on the host, or on the GPU as the scores do."""
    options = case.options(device) | {"sources": case.sources}
    if task != "harmonic":
        options["normalized"] = False
    run, places = getattr(sparsebc, task), {"host": case.A}
    if device == "cuda":
        from cupyx.scipy.sparse import csr_matrix

        places["device"] = csr_matrix(sparse.csr_matrix(case.A))
    return {place: functools.partial(run, A, **options) for place, A in places.items()}


def ours(ways):
    """Result and scores of sparsebc; the first call of each way compiles and is not timed."""
    found = {way: call() for way, call in ways.items()}
    seconds = {way: suite.seconds_of(call, REPEATS) for way, call in ways.items()}
    return {"all_seconds": seconds, "median_seconds": suite.medians(seconds)}, scores_of(
        found["host"]
    )


def scores_of(found):
    """Scores of nodes, or of arcs, as an array."""
    return found.data if sparse.issparse(found) else np.asarray(found)


def compared(theirs, expected, groups):
    """How scores deviate: the scale of most in each group, and how many differ once scaled.

    A group is a mask, such as that of the sources, whose scores a peer may scale in its own way.
    """
    largest = expected.max(initial=0.0) or 1.0
    scales, off = [], np.abs(theirs - expected) / largest
    for group in groups:
        known = group & (expected > 1e-6 * largest) & (theirs > 0)
        if known.any():
            ratio = theirs[known] / expected[known]
            rounded, count = np.unique(np.round(np.log(ratio), 7), return_counts=True)
            common = np.abs(np.log(ratio) - rounded[count.argmax()]) < 1e-7
            scales.append(float(np.median(ratio[common])))
            off[group] = np.abs(theirs[group] / scales[-1] - expected[group]) / largest
    worst = int(off.argmax())
    there = theirs[worst]
    return {
        "scales": scales,
        "deviation": float(off.max()) if np.isfinite(off).all() else None,
        "scores": int(expected.size),
        "beyond": {f"{limit:g}": int((~(off <= limit)).sum()) for limit in TOLERANCES},
        "worst": {
            "at": worst,
            "sparsebc": float(expected[worst]),
            "peer": float(there) if np.isfinite(there) else str(there),
        },
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
    result["median_seconds"] = suite.medians(result["all_seconds"])
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


def beside_cpu_peers(task, case, expected, left):
    """Results of the peers by name; NetworkX runs from few sources if all take it too long."""
    lengths = case.A.data if case.weighted else None
    graph = peers.Graph(case.A.indptr, case.A.indices, case.directed, task, lengths)
    kept, n, results = graph.kept(), graph.n, {}
    few = max(1, peers.NETWORKX_WORK // case.A.nnz)
    for name in peers.PEERS:
        asked, right = graph, expected
        if name == "networkx" and few < n:
            sources = np.arange(few) * n // few
            asked = graph._replace(sources=sources)
            right = scores_of(calls(task, case._replace(sources=sources), "cpu")["host"]())
        result, scores = peers.measure(
            name, asked, repeats=REPEATS, limit=min(PATIENCE["cpu"], left())
        )
        result["median_seconds"] = suite.medians(result["all_seconds"])
        result["sources"] = n if asked.sources is None else few
        if scores is not None:
            result |= compared(scores, right[kept] if task == "edge_betweenness" else right, [])
        results[name] = result
    return results


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


def estimates(case):
    """JSON fields of estimates from samples: rows of sparsebc and of KADABRA by epsilon."""
    run = {"device": "cpu", "epsilon": [0.05, 0.01], "questions": ["all pairs"], "most": np.inf}
    run |= {"libraries": ["sparsebc", "KADABRA"], "repeats": REPEATS}
    return {"estimates": list(approximation.rows(case, argparse.Namespace(**run)))}


def measured(text, options, left):
    """JSON row of a case: sparsebc, and the peers."""
    task, case = suite.load_task(text, options)
    row = {"case": text, "measure": task, **case.row(), "directed": case.directed}
    row |= {"weighted": case.weighted, "sources": case.every_source.size}
    row |= {"load": os.getloadavg()[0], "commit": options.commit or record.commit()}
    if task == "approximate":
        return row | estimates(case)
    result, expected = ours(calls(task, case, options.device))
    if options.device == "cpu":
        results = beside_cpu_peers(task, case, expected, left)
    else:
        sys.modules["cupy"].get_default_memory_pool().free_all_blocks()  # for the other process
        results = {}
        if GPU.get(text, True):
            results["cugraph"] = beside_cugraph(task, case, expected, min(PATIENCE["cuda"], left()))
    return row | {"results": {"sparsebc": result, **results}}


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
    on_gpu = options.device == "cuda"
    if on_gpu and device.missing():
        parser.error(device.missing())
    begun = time.perf_counter()

    def left():
        return options.seconds - (time.perf_counter() - begun)

    about = device.describe() if on_gpu else record.machine()
    name = re.sub(r"\W+", "-", (about["name"] if on_gpu else about["cpu"]).lower()).strip("-")
    kept = record.Record(f"headline-{name}", arguments, options.output, module=parser.prog[10:])
    kept |= {"commit": options.commit or kept["commit"]} | ({"device": about} if on_gpu else {})
    kept.resume()
    for text in options.cases or (GPU if on_gpu else CPU):
        if left() > 5 and text not in (row["case"] for row in kept.get("cases", [])):
            row = measured(text, options, left)
            if left() > 0:  # else a peer was stopped early
                kept.add(row)
                print(f"{time.perf_counter() - begun:.0f} s  {suite.told(row)}", flush=True)
    if on_gpu and "faults" not in kept and left() > 5:
        kept["faults"] = unsorted_sources(min(PATIENCE["cuda"], left()))
        kept.write()
    print(f"written: {kept.path}")


if __name__ == "__main__":
    sys.exit(main())
