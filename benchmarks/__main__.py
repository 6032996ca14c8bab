"""Measure sparsebc beside other libraries: values first, then times; a JSON row for each case.

Cases are ba-5000x50, rmat-12x8, road-100x100, ws-5000x10, mesh-50x50, many-100x34, or a file of
--folder; with a w at the end, weighted by integer lengths, with an f by floats; from all nodes,
from 64 random ones (:64) or from a ball of 64 (:64ball). Or a suite of cases: quick, a minute; cpu,
most of an hour; weighted; distances, for sums of distances; gpu; folder, all files. All but quick
need --folder.
"""

import itertools
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
WEIGHTED = [
    "rmat-12x8w",
    "road-100x100w",
    "road-usa-nyw:256",
    "transport-chicago-regionalw",
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
SUITES = {"quick": QUICK, "cpu": CPU, "weighted": WEIGHTED, "distances": DISTANCES, "gpu": GPU}
OTHERS = {"cpu": peers.CPU, "cuda": peers.GPU}


def line(row):
    """The printed part of a row: our rates, and each library's seconds or the reason for none.

    A library that ran from fewer sources than ours has its GTEPS in brackets instead.
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
    line=line,
    repeats=5,
    cases=["quick"],
    load=None,
    measure=suite.option("betweenness", choices=peers.MEASURES),
    device=suite.option("cpu", choices=tuple(OTHERS)),
    peers=suite.option(help="all of the device", nargs="*", choices=peers.PEERS),
    dtype=suite.option(["float64"], choices=runner.TOLERANCE),
    peer_timeout=suite.option(900.0, "seconds"),
    bandwidth_gbs=suite.option(help="of the floor; a copy is measured", type=float),
)
def main(options):
    """Yield the row of each case, or the reason why sparsebc gave no answer."""
    here = device if options.device == "cuda" else runner
    bandwidth, failed = options.bandwidth_gbs or here.copy_bandwidth(), False
    yield "about", {"bandwidth_gbs": bandwidth}
    if options.peers is None:
        options.peers = list(OTHERS[options.device])
    folder = {"folder": graphs.from_folder(options.folder)} if options.folder else {}
    for name in itertools.chain(*((SUITES | folder).get(each, [each]) for each in options.cases)):
        try:
            yield from runner.measure(suite.load(name, options), options, bandwidth)
        except RuntimeError as error:
            failed = True
            yield "failed", {"reason": str(error)}
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())
