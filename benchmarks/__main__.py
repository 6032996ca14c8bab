"""Measure sparsebc beside other libraries: values first, then times; a table and a JSON file."""

import argparse
import sys
from pathlib import Path

from . import device, graphs, interpreters, peers, runner
from .record import Record
from .suite import case, positive

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
}
ON_GPU = ("gpu", "sampled", "weighted-gpu")
OTHERS = {"cpu": peers.CPU, "cuda": peers.GPU}


def parse(arguments):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--cases",
        nargs="+",
        type=case,
        metavar="NAME[:SOURCES[ball]]",
        help="ba-5000x50, rmat-12x8, road-100x100, ws-5000x10, mesh-50x50, many-100x34, or a file"
        " of --folder; with a w at the end, weighted by whole lengths, with an f by others;"
        " from all nodes, from 64 random ones (:64) or from 64 close together (:64ball)",
    )
    choice.add_argument(
        "--suite",
        choices=(*SUITES, "folder"),
        default="quick",
        help="quick (default): a minute; cpu: most of an hour; weighted: by length; distances: "
        "sums of distances; many: small graphs in one matrix; gpu, sampled, weighted-gpu: minutes; "
        "folder: every file; all but quick, many and sampled need --folder",
    )
    parser.add_argument(
        "--measure",
        choices=peers.MEASURES,
        help="default: harmonic for distances, else betweenness",
    )
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument(
        "--device",
        choices=tuple(OTHERS),
        help="where ours runs (default: cuda for suites of a GPU, else cpu)",
    )
    parser.add_argument(
        "--peers",
        nargs="*",
        choices=[name for name in peers.PEERS if name != peers.OURS],
        help="default: all of the device",
    )
    parser.add_argument(
        "--python",
        nargs="+",
        action="extend",
        type=_python,
        default=[],
        metavar="PEER=PATH",
        help="Python of a peer installed elsewhere, as graph-tool=/usr/bin/python3 (default: that"
        f" of an environment variable, as {interpreters.variable('graph-tool')}, else this one)",
    )
    parser.add_argument("--sources", type=positive, help="random sample (default: all nodes)")
    parser.add_argument("--repeats", type=positive, default=5)
    parser.add_argument(
        "--dtype",
        nargs="+",
        choices=tuple(runner.TOLERANCE),
        help="default: float64, and for the suite gpu both",
    )
    parser.add_argument("--peer-timeout", type=float, metavar="SECONDS")
    parser.add_argument(
        "--bandwidth-gbs", type=float, help="of the floor (default: a copy is measured)"
    )
    parser.add_argument(
        "--output", type=Path, help="JSON file (default: benchmarks/results/SUITE-DATE.json)"
    )
    options = parser.parse_args(arguments)
    if options.suite == "folder" and not options.cases and options.folder is None:
        parser.error("--suite folder needs --folder")
    suite = None if options.cases else options.suite
    on_gpu = suite in ON_GPU
    options.measure = options.measure or peers.MEASURES[suite == "distances"]
    options.device = options.device or ("cuda" if on_gpu else "cpu")
    options.peer_timeout = options.peer_timeout or (120.0 if options.device == "cuda" else 900.0)
    options.dtype = options.dtype or (list(runner.TOLERANCE) if on_gpu else ["float64"])
    if options.peers is None:
        options.peers = list(OTHERS[options.device])
    if options.cases:
        options.suite = "cases"
    else:
        names = SUITES.get(options.suite) or graphs.from_folder(options.folder)
        options.cases = [case(name) for name in names]
    for one in options.cases:
        try:
            graphs.find(one.graph, options.folder)
        except ValueError as error:
            parser.error(str(error))
    if options.device == "cuda" and device.missing():
        parser.error(device.missing())
    return options


def main(arguments=None):
    """Measure every case, print its rows, keep the JSON file up to date; 1 when ours failed."""
    options = parse(arguments)
    here = device if options.device == "cuda" else runner
    record = Record(
        *(options.suite, arguments, options.output),
        module="benchmarks",
        device=device.describe() if options.device == "cuda" else None,
        bandwidth_gbs=options.bandwidth_gbs or here.copy_bandwidth(),
        cases=[],
        failed=[],
    )
    print(
        "{name}, {cpu}, {cores} cores, {bandwidth:.1f} GB/s copy".format(
            **{"name": "no GPU", **(record["device"] or {})},
            **record["machine"],
            bandwidth=record["bandwidth_gbs"],
        )
    )
    print(header(options.peers))
    for one in options.cases:
        rows = runner.measure(
            one._replace(sources=one.sources or options.sources),
            names=options.peers,
            folder=options.folder,
            device=options.device,
            dtypes=options.dtype,
            repeats=options.repeats,
            timeout=options.peer_timeout,
            bandwidth_gbs=record["bandwidth_gbs"],
            measure=options.measure,
            pythons=dict(options.python),
        )
        try:
            for row in rows:
                record.add(row)
                print(line(row), flush=True)
        except RuntimeError as error:
            record.add(str(error), "failed")
    for remark in [*remarks(record["cases"]), *record["failed"], f"written: {record.path}"]:
        print(remark)
    return 1 if record["failed"] else 0


def header(names):
    """Head of the table: one column of seconds per library."""
    seconds = "".join(f"{name:>19}" for name in (peers.OURS, *names))
    titles = f"{'graph':<28}{'dtype':>8}{'n':>9}{'arcs':>10}{'sources':>9}{seconds}"
    return f"{titles}{'GTEPS':>9}{'ratio':>7}{'floor':>7}{'MiB':>8}"


def line(row):
    """One case of the table: median seconds, GTEPS, ours / fastest right peer's, floor / ours."""
    cells = "".join(f"{_cell(result, row):>19}" for result in row["results"].values())
    graph = f"{row['graph']:<28}{row['dtype']:>8}"
    size = f"{row['nodes']:>9}{row['arcs']:>10}{row['sources']:>9}"
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
    peak = row["results"][peers.OURS]["peak_bytes"]
    memory = "-" if peak is None else f"{peak / 2**20:.1f}"
    share = f"{row['floor_share']:>7.1%}"
    return f"{graph}{size}{cells}{row['gteps']:>9.3f}{ratio:>7}{share}{memory:>8}"


def remarks(rows):
    """One line for every library measured, and one for every reason to have no time."""
    versions, reasons = {}, {}
    for row in rows:
        for name, result in row["results"].items():
            if "version" in result:
                versions[name] = f"{name} {result['version']}, threads: {result['threads']}"
            if result["median_seconds"] is None:
                reason = f"{name} {result['state']}: {result['note']}"
                reasons.setdefault(reason, {})[row["graph"]] = None
    yield from versions.values()
    yield from (f"{reason} ({', '.join(names)})" for reason, names in reasons.items())


def _cell(result, row):
    """Median seconds, GTEPS (in brackets) of fewer sources than ours, or why there are none."""
    seconds = result["median_seconds"]
    if seconds is None:
        return result["state"]
    return f"{seconds:.4g}" if result["sources"] == row["sources"] else f"[{result['gteps']:.3g}]"


def _python(text):
    """Read ``PEER=PATH``."""
    name, _, path = text.partition("=")
    if name not in interpreters.MODULES or not path:
        known = ", ".join(interpreters.MODULES)
        raise argparse.ArgumentTypeError(f"expected PEER=PATH, PEER one of {known}, got {text!r}")
    return name, path


if __name__ == "__main__":
    sys.exit(main())
