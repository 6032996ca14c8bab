"""Measure sparsebc beside other libraries: values first, then times; a row a case, a JSON file.

Cases are ba-5000x50, rmat-12x8, road-100x100, ws-5000x10, mesh-50x50, many-100x34, or a file of
--folder; with a w at the end, weighted by whole lengths, with an f by others; from all nodes, from
64 random ones (:64) or from 64 close together (:64ball). Suites: quick takes a minute; cpu most of
an hour; weighted is by length; distances has sums of distances; many small graphs in one matrix;
gpu, sampled and weighted-gpu run on a GPU; folder is every file. All but quick, many and sampled
need --folder.
"""

import sys

from . import device, graphs, peers, runner, suite

QUICK = ["rmat-12x8", "ba-5000x50:256", "road-100x100", "ws-5000x10"]
CPU = [
    "rmat-12x8",
    "rmat-14x8",
    "ba-5000x50",
    "ba-30000x50:256",
    "road-100x100",
    "road-300x300:1024",
    "road-luxembourg-osm:256",
    "bio-breast-coexpress",
    "bio-human-ppi-snap-pathways",
]
SAMPLED = [f"rmat-{scale}x8:4096" for scale in range(12, 20)]  # Sriram et al., 1.74 s to 402 s
WEIGHTED = [
    "rmat-12x8w",
    "road-100x100w",
    "road-usa-nyw:256",
    "transport-chicago-regionalw",
]
# The sizes of Fan et al. (Erdos-Renyi 413 s, Kronecker 115 s, bio-human-gene2 159.7 s), and ours.
WEIGHTED_GPU = [
    "er-131072x4w",
    "rmat-17x2w",
    "ba-14340x630f",
    "rmat-18x8w:1024",
    "road-usa-nyw",
]
DISTANCES = [
    "rmat-12x8",
    "ba-5000x50",
    "road-100x100",
    "rmat-12x8w",
    "road-100x100w",
    "transport-chicago-regionalw",
    "power-case13659pegasew",
]
GPU = [
    "ba-30000x50",
    "rmat-18x8:4096",
    "rmat-20x16:2048",
    "road-1000x1000:8192ball",
    "road-1000x1000:1024ball",
    "road-1000x1000:1024",
    "road-usa-ny",
    "bio-breast-coexpress",
    "bio-human-ppi-snap-pathways",
    "email-enron-snap",
    "web-cnr-2000:4096",
    "gt-karate",
]
MANY = ["many-10000x34", "many-1000x250"]  # small graphs, all in one matrix
SUITES = {
    "quick": QUICK,
    "cpu": CPU,
    "weighted": WEIGHTED,
    "distances": DISTANCES,
    "gpu": GPU,
    "sampled": SAMPLED,
    "many": MANY,
    "weighted-gpu": WEIGHTED_GPU,
    "folder": None,
}
ON_GPU = ("gpu", "sampled", "weighted-gpu")
OTHERS = {"cpu": peers.CPU, "cuda": peers.GPU}


def prepare(options):
    """Fill in what depends on the suite and on the device."""
    is_gpu_suite = not options.cases and options.suite in ON_GPU
    is_of_distances = not options.cases and options.suite == "distances"
    options.measure = options.measure or peers.MEASURES[is_of_distances]
    options.device = options.device or ("cuda" if is_gpu_suite else "cpu")
    options.dtype = options.dtype or (list(runner.TOLERANCE) if is_gpu_suite else ["float64"])
    options.peer_timeout = options.peer_timeout or (120.0 if options.device == "cuda" else 900.0)
    if options.peers is None:
        options.peers = list(OTHERS[options.device])
    if options.cases:
        options.suite = "cases"
    else:
        options.cases = SUITES[options.suite] or graphs.from_folder(options.folder)


def line(row):
    """What is printed of a row: seconds of each library or why there are none, and our rates.

    Where a library ran from fewer sources than ours its GTEPS stand in brackets.
    """
    keys = ("graph", "dtype", "nodes", "arcs", "sources", "gteps", "ratio", "floor_share")
    shown = {key: row[key] for key in keys}
    for name, result in row["results"].items():
        seconds = result["median_seconds"]
        if seconds is None:
            seconds = f"{result['state']} ({result['note']})"
        elif result["sources"] != row["sources"]:
            seconds = f"[{result['gteps']:.3g}]"
        shown[name] = seconds
    return shown | {"peak_bytes": row["results"][peers.OURS]["peak_bytes"]}


@suite.benchmark(
    prepare=prepare,
    line=line,
    repeats=5,
    cases=[],
    load=None,
    suite=suite.option("quick", choices=SUITES),
    measure=suite.option(help="harmonic for distances, else betweenness", choices=peers.MEASURES),
    device=suite.option(help="cuda for suites of a GPU, else cpu", choices=tuple(OTHERS)),
    peers=suite.option(help="all of the device", nargs="*", choices=peers.PEERS),
    sources=suite.option(help="random sample of cases without one", type=int),
    dtype=suite.option(help="float64, of GPU suites both", nargs="+", choices=runner.TOLERANCE),
    peer_timeout=suite.option(help="seconds", type=float),
    bandwidth_gbs=suite.option(help="of the floor; a copy is measured", type=float),
)
def main(options):
    """Yield the row of each case, and of a case that ours has no answer to the reason."""
    here = device if options.device == "cuda" else runner
    bandwidth, failed = options.bandwidth_gbs or here.copy_bandwidth(), False
    yield "about", {"bandwidth_gbs": bandwidth}
    for case in map(suite.case, options.cases):
        case = case._replace(sources=case.sources or options.sources)
        try:
            yield from runner.measure(case, options, bandwidth)
        except RuntimeError as error:
            failed = True
            yield "failed", {"reason": str(error)}
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())
