"""Measure sparsebc beside other libraries: values first, then times; a table and a JSON file."""

import argparse
import datetime
import json
import sys
from pathlib import Path

from . import graphs, peers, runner

RESULTS = Path(__file__).resolve().parent / "results"
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
OTHERS = [name for name in peers.PEERS if name != peers.OURS]


def parse(arguments):
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--cases",
        nargs="+",
        type=_case,
        metavar="NAME[:SOURCES]",
        help="ba-5000x50, rmat-12x8, road-100x100, ws-5000x10, mesh-50x50, or a file of "
        "--folder; with a w at the end, weighted",
    )
    choice.add_argument(
        "--suite",
        choices=("quick", "cpu", "weighted", "folder"),
        default="quick",
        help="quick (default): a minute; cpu: most of an hour, needs --folder; "
        "weighted: by length, needs --folder; folder: every file",
    )
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--peers", nargs="*", choices=OTHERS, default=OTHERS, help="default: all")
    parser.add_argument("--sources", type=_positive, help="random sample (default: all nodes)")
    parser.add_argument("--repeats", type=_positive, default=5)
    parser.add_argument("--dtype", choices=tuple(runner.TOLERANCE), default="float64")
    parser.add_argument("--peer-timeout", type=float, default=900.0, metavar="SECONDS")
    parser.add_argument(
        "--bandwidth-gbs", type=float, help="of the floor (default: a copy is measured)"
    )
    parser.add_argument(
        "--output", type=Path, help="JSON file (default: benchmarks/results/SUITE-DATE.json)"
    )
    options = parser.parse_args(arguments)
    if options.suite == "folder" and not options.cases and options.folder is None:
        parser.error("--suite folder needs --folder")
    if options.cases:
        options.suite = "cases"
    else:
        names = {"quick": QUICK, "cpu": CPU, "weighted": WEIGHTED}.get(options.suite)
        options.cases = [_case(name) for name in names or graphs.from_folder(options.folder)]
    for name, _ in options.cases:
        try:
            graphs.find(name, options.folder)
        except ValueError as error:
            parser.error(str(error))
    return options


def main(arguments=None):
    """Measure every case, print its row, keep the JSON file up to date; 1 when ours failed."""
    options = parse(arguments)
    today = datetime.datetime.now(datetime.UTC)
    output = options.output or RESULTS / f"{options.suite}-{today:%Y-%m-%d}.json"
    words = sys.argv[1:] if arguments is None else arguments
    command = ["python -m benchmarks", *(Path(word).name for word in words)]  # no one's own folders
    record = {
        "date": today.isoformat(timespec="seconds"),
        "command": " ".join(command),
        "machine": runner.machine(),
        "bandwidth_gbs": options.bandwidth_gbs or runner.copy_bandwidth(),
        "dtype": options.dtype,
        "cases": [],
        "failed": [],
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    print(
        "{cpu}, {cores} cores, {bandwidth:.1f} GB/s copy, {dtype}".format(
            **record["machine"], bandwidth=record["bandwidth_gbs"], dtype=options.dtype
        )
    )
    print(header(options.peers))
    for name, sources in options.cases:
        try:
            row = runner.measure(
                name,
                sources or options.sources,
                names=options.peers,
                folder=options.folder,
                repeats=options.repeats,
                dtype=options.dtype,
                timeout=options.peer_timeout,
                bandwidth_gbs=record["bandwidth_gbs"],
            )
        except RuntimeError as error:
            record["failed"].append(str(error))
        else:
            record["cases"].append(row)
            print(line(row), flush=True)
        output.write_text(json.dumps(record, indent=1) + "\n")
    for remark in [*remarks(record["cases"]), *record["failed"], f"written: {output}"]:
        print(remark)
    return 1 if record["failed"] else 0


def header(names):
    """Head of the table: one column of seconds per library."""
    seconds = "".join(f"{name:>12}" for name in (peers.OURS, *names))
    titles = f"{'graph':<28}{'n':>9}{'arcs':>10}{'sources':>9}{seconds}"
    return f"{titles}{'GTEPS':>8}{'ratio':>7}{'floor':>7}{'MiB':>8}"


def line(row):
    """One case of the table: median seconds, GTEPS, fastest right peer / ours, floor / ours."""
    cells = "".join(f"{_cell(result):>12}" for result in row["results"].values())
    size = f"{row['graph']:<28}{row['nodes']:>9}{row['arcs']:>10}{row['sources']:>9}"
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
    peak = row["results"][peers.OURS]["peak_bytes"]
    memory = "-" if peak is None else f"{peak / 2**20:.1f}"
    return f"{size}{cells}{row['gteps']:>8.3f}{ratio:>7}{row['floor_share']:>7.1%}{memory:>8}"


def remarks(rows):
    """One line for every library measured, and one for every reason to have no time."""
    versions, reasons = {}, {}
    for row in rows:
        for name, result in row["results"].items():
            if "version" in result:
                versions[name] = f"{name} {result['version']}, threads: {result['threads']}"
            if result["median_seconds"] is None:
                reason = f"{name} {result['state']}: {result['note']}"
                reasons.setdefault(reason, []).append(row["graph"])
    yield from versions.values()
    yield from (f"{reason} ({', '.join(names)})" for reason, names in reasons.items())


def _cell(result):
    """Median seconds, or the state of a library without any."""
    seconds = result["median_seconds"]
    return result["state"] if seconds is None else f"{seconds:.4g}"


def _case(text):
    """Read ``NAME`` or ``NAME:SOURCES``; None without a number of sources."""
    name, colon, count = text.partition(":")
    return name, _positive(count) if colon else None


def _positive(text):
    """Read a whole number of at least one."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


if __name__ == "__main__":
    sys.exit(main())
