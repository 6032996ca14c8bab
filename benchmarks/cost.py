"""What large runs would take: a cost model, fitted to recorded measurements and to one made here.

A run of s sources on a graph of m arcs and n nodes is cut into tasks, and takes

    p m + ceil(tasks / G) s m / (tasks R)    on G GPUs that sweep R arcs a second, or
    tasks 8 n / B                            of the driver, if that is longer:

preparing, the rounds of tasks, and receiving and adding up a sum of 8 n bytes for each task at B
bytes a second. R and p are read from ``results/scaling-4gpu-2026-11-22.json`` and
``results/gpu-2026-11-21.json`` (one H200), B is measured between two processes of this machine.
"""

import json
import math
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from sparsebc.run.window import LAUNCHES_A_THREAD

from . import suite
from .record import FOLDER

GROUP, MOST_TASKS = 128, 4096  # sources swept together on wide graphs; blocks of a run


class Network(NamedTuple):
    """A graph of the literature, as its collection describes it."""

    nodes: int
    arcs: int
    kind: str  # whose rate it has


NETWORKS = {
    "road-usa": Network(23_947_347, 57_708_624, "deep"),
    "com-Orkut": Network(3_072_441, 234_370_166, "wide"),
    "Twitter-2010": Network(41_652_230, 1_468_365_182, "wide"),
    "uk-2007-05": Network(105_896_555, 3_738_733_648, "web"),
}
GPUS = (1, 8, 64, 512)
SAMPLE = 16_384


def rates():
    """Arcs a second of one GPU by the kind of graph, and seconds to prepare an arc."""
    scaling = json.loads((FOLDER / "scaling-4gpu-2026-11-22.json").read_text())["cases"]
    rows = {row["case"]: row for row in scaling}

    def seconds(name):
        return rows[name]["gpus"]["1"]["median_seconds"]

    few, many = "R-MAT 20x16, 16384 sources", "R-MAT 20x16, 65536 sources"
    arcs, more = rows[many]["arcs"], rows[many]["sources"] - rows[few]["sources"]
    wide = more * arcs / (seconds(many) - seconds(few))
    prepare = (seconds(few) - rows[few]["sources"] * arcs / wide) / arcs
    gpu = json.loads((FOLDER / "gpu-2026-11-21.json").read_text())["cases"]
    ball = next(
        row
        for row in gpu
        if row["graph"] == "road-1000x1000:ball"
        and (row["sources"], row["dtype"]) == (8192, "float64")
    )
    web = rows["web-cnr-2000, exact"]
    return {
        "wide": wide,
        "deep": ball["gteps"] * 1e9,
        "web": web["n"] * web["arcs"] / seconds("web-cnr-2000, exact"),
    }, prepare


def driver_bandwidth(nodes=1 << 20, count=40):
    """Bytes a second of sums that come from another process and are added up."""
    total = np.zeros(nodes)
    with ProcessPoolExecutor(1) as pool:
        pool.submit(np.ones, nodes).result()
        begun = time.perf_counter()
        for future in [pool.submit(np.ones, nodes) for _ in range(count)]:
            total += future.result()
        return count * total.nbytes / (time.perf_counter() - begun)


def estimate(network, sources, gpus, rate, prepare, bandwidth):
    """Seconds of a run, and what bounds it."""
    sources = sources or network.nodes
    most = min(MOST_TASKS, math.ceil(sources / GROUP))
    tasks = min(most, max(LAUNCHES_A_THREAD * gpus, 1))
    sweeps = math.ceil(tasks / gpus) * sources * network.arcs / (tasks * rate)
    traffic = tasks * 8 * network.nodes / bandwidth if gpus > 1 else 0.0
    bound = "driver" if traffic > sweeps else "tasks" if tasks < gpus else "GPUs"
    return prepare * network.arcs + max(sweeps, traffic), bound


def told(seconds):
    """A time as a table has it."""
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def main(arguments=None):
    """Fit, print the table, write the JSON file."""
    options = suite.parse(suite.parser("cost", __doc__), arguments)
    rate, prepare = rates()
    bandwidth = driver_bandwidth()
    record = suite.record(
        *(options, arguments),
        arcs_a_second=rate,
        prepare_seconds_an_arc=prepare,
        driver_bytes_a_second=bandwidth,
    )
    print(f"arcs a second: {', '.join(f'{kind} {each:.3g}' for kind, each in rate.items())}")
    print(f"prepare: {prepare * 1e9:.2f} ns an arc; driver: {bandwidth / 1e9:.2f} GB/s")
    for name, network in NETWORKS.items():
        for sources in (SAMPLE, None):
            cells = []
            for gpus in GPUS:
                seconds, bound = estimate(
                    network, sources, gpus, rate[network.kind], prepare, bandwidth
                )
                cells.append(f"{told(seconds):>9} {bound:<6}")
                asked = {"network": name, "sources": sources, "gpus": gpus}
                record.add(asked | {"seconds": seconds, "bound": bound}, "estimates")
            print(f"{name:<14}{sources or 'exact':<8}{' '.join(cells)}")
    print(f"written: {record.path}")


if __name__ == "__main__":
    main()
