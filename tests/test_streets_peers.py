"""Angular and metric paths beside cityseer and momepy, and what they do otherwise."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import Delaunay

from sparsebc import accessibility, betweenness, streets

METRE = 1e-6  # degrees that a metre counts in cityseer


@pytest.fixture(scope="module")
def frame():
    """A town of straight streets, with ends on the lattice of .1 to which cityseer rounds."""
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    rng = np.random.default_rng(29)
    places = np.round(rng.uniform(0, 1000, (45, 2)), 1)
    sides = Delaunay(places).simplices[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    sides = np.unique(np.sort(sides, axis=1), axis=0)
    sides = sides[rng.random(len(sides)) < 0.8]
    lines = [shapely.LineString(places[side]) for side in sides]
    return geopandas.GeoDataFrame(geometry=lines, crs="epsg:32631")


@pytest.fixture(scope="module")
def network(frame):
    """Network of cityseer, which is told not to mend the streets."""
    return pytest.importorskip("cityseer.network").CityNetwork.from_geopandas(
        frame, remove_fillers=False, remove_danglers=0, merge_parallel_dist=0
    )


@pytest.fixture(scope="module")
def peer(frame, network):
    """Scores of cityseer, street by street."""
    network.centrality_simplest(distances=[100_000])
    network.centrality_shortest(distances=[400, 100_000], cycles=False)
    return network.nodes_gdf.reindex(frame.index)


def between_streets(turns):
    """Least costs from each street to each other; infinite to itself."""
    found = dijkstra(turns.matrix, indices=turns.origins)[:, turns.destinations]
    np.fill_diagonal(found, np.inf)
    return found


def test_metric_scores_of_cityseer(frame, peer):
    """Closeness to single precision; betweenness where no lengths of paths are nearly equal."""
    turns = streets.dual(
        streets.from_geodataframe(frame), metres_weight=1.0, degrees_weight=0.0, ends="streets"
    )
    costs = between_streets(turns)
    run = {"weighted": True, "normalized": False, "cutoff": [400, 100_000], **turns.pairs}
    scores = turns.on_edges(betweenness(turns.matrix, **run)) / 2
    for column, radius in enumerate((400, 100_000)):
        near = np.where(costs <= radius, 1 / costs, 0).sum(axis=1)
        np.testing.assert_allclose(peer[f"cc_harmonic_{radius}"], near, rtol=1e-5)
        off = np.abs(scores[column] - peer[f"cc_betweenness_{radius}"])
        assert (off < 1e-9).mean() > 0.8


def test_decay_access_and_trips_of_cityseer(frame, network):
    """Pairs that count by their distance or their trips: equal to single precision."""
    turns = streets.dual(
        streets.from_geodataframe(frame), metres_weight=1.0, degrees_weight=0.0, ends="streets"
    )
    run, decay = {"weighted": True, "cutoff": 800}, ("exponential", 0.005)
    expression = {"decayed": "exp(-0.005 * c)"}
    for measure in ("closeness", "betweenness"):
        options = {"closeness": {}, "betweenness": {}, measure: expression}
        network.centrality_shortest(distances=[800], cycles=False, **options)
        theirs = network.nodes_gdf.reindex(frame.index)["cc_decayed_800"]
        if measure == "closeness":
            places = np.zeros(len(turns.street))
            places[turns.destinations] = 1
            near = accessibility(turns.matrix, places, decay=decay, **run)[turns.origins]
            ours = near - np.exp(-0.005 * turns.matrix[turns.origins, turns.destinations])
        else:
            run |= {"normalized": False, **turns.pairs}
            ours = turns.on_edges(betweenness(turns.matrix, decay=decay, **run)) / 2
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)

    pair = np.random.default_rng(30).choice(len(frame), (100, 2))
    pair = np.unique(pair[pair[:, 0] != pair[:, 1]], axis=0)
    trips = np.linspace(1, 5, len(pair))
    rust = pytest.importorskip("cityseer.rustalgos")
    number = network.nodes_gdf["ns_node_idx"].reindex(frame.index).to_numpy()
    wanted = rust.centrality.OdMatrix(*number[pair].T.tolist(), trips.tolist())
    found = network.network_structure.betweenness_od_shortest(
        wanted, distances=[100_000], betweenness_exprs=[("trips", "1")]
    )
    theirs = dict(zip(found.node_keys_py, found.metrics["trips"][100_000], strict=True))
    ends = turns.origins[pair[:, 0]], turns.destinations[pair[:, 1]]
    demand = scipy.sparse.coo_array((trips, ends), shape=turns.matrix.shape)
    scores = betweenness(turns.matrix, demand=demand, weighted=True, normalized=False)
    assert turns.on_edges(scores).to_dict() == pytest.approx(theirs, rel=1e-5, abs=1e-5)


def test_angular_scores_of_cityseer(frame, peer):
    """Closeness to single precision; not betweenness, as its costs tie in single precision."""
    city = streets.from_geodataframe(frame)
    between = streets.dual(city, ends="streets", metres_weight=METRE)
    near = (1 / (1 + between_streets(between) / 90)).sum(axis=1)
    np.testing.assert_allclose(peer["cc_harmonic_100000_ang"], near, rtol=1e-5)
    run = {"weighted": True, "normalized": False, **between.pairs}
    ours = between.on_edges(betweenness(between.matrix, **run)) / 2
    assert np.abs(ours - peer["cc_betweenness_100000_ang"]).max() > 1
