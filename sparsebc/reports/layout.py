"""Layout of nodes: by their distances, or on a map.

A component is laid out by majorizing the stress

    sum over pairs of d(u, v)^-2 (|x(u) - x(v)| - d(u, v))^2

of the distances d in edges (Gansner, Koren and North, "Graph drawing by stress majorization", 2004,
doi:10.1007/978-3-540-31843-9_25). Each step solves one linear system, that of all steps alike.
Time is O(n^2) a step, memory O(n^2).
"""

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

STEPS = 200
RADIUS = 6378137.0  # of the sphere of the Web Mercator projection, in metres
NORTH = 85.0  # the projection is cut at these degrees of latitude

Floats = NDArray[np.float64]


def draw(n: int, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> Floats:
    """Places of the nodes of a small graph, shape (n, 2), the components beside each other."""
    pattern = scipy.sparse.coo_array((np.ones(len(tails)), (tails, heads)), shape=(n, n)).tocsr()
    distances = csgraph.shortest_path(pattern, directed=False, unweighted=True)
    _, labels = csgraph.connected_components(pattern, directed=False)
    members = [np.flatnonzero(labels == label) for label in range(labels.max(initial=-1) + 1)]
    members.sort(key=lambda nodes: -len(nodes))
    places = np.zeros((n, 2))
    for nodes in members:
        places[nodes] = _component(distances[np.ix_(nodes, nodes)])
    _shelve(places, members)
    return places


def project(degrees: Floats) -> Floats:
    """Longitude and latitude in degrees, shape (n, 2), as metres of the Web Mercator projection."""
    longitude, latitude = np.radians(degrees).T
    latitude = np.clip(latitude, -np.radians(NORTH), np.radians(NORTH))
    return RADIUS * np.column_stack((longitude, np.log(np.tan(np.pi / 4 + latitude / 2))))


def _component(distances: Floats) -> Floats:
    """Places of connected nodes whose stress is (nearly) least, the longer side across."""
    n = len(distances)
    if n == 1:
        return np.zeros((1, 2))
    apart = distances + np.eye(n)
    weights = apart**-2.0 - np.eye(n)
    # The Laplacian of the weights; ones in all entries make it regular and move no solution.
    factor = scipy.linalg.cho_factor(np.diag(weights.sum(axis=0)) - weights + 1 / n)
    places = _scaling(distances)
    for _ in range(STEPS):
        between = np.maximum(cdist(places, places), 1e-9) + np.eye(n)
        pull = weights * distances / between
        before, laplacian = places, np.diag(pull.sum(axis=0)) - pull
        places = scipy.linalg.cho_solve(factor, laplacian @ places)
        if abs(places - before).max() < 1e-3:
            break
    axes = scipy.linalg.eigh(places.T @ places)[1]
    turned: Floats = places @ axes[:, ::-1]
    return turned


def _scaling(distances: Floats) -> Floats:
    """Classical scaling, where the steps begin; a little noise parts what it puts together."""
    n = len(distances)
    squares = distances**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, None] + means.mean())
    top = (max(n - 2, 0), n - 1)
    values, vectors = scipy.linalg.eigh(inner, subset_by_index=top)
    places = np.zeros((n, 2))
    places[:, : len(values)] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    return places + np.random.default_rng(0).normal(scale=0.1, size=(n, 2))


def _shelve(places: Floats, members: list[NDArray[np.int64]]) -> None:
    """Set components on shelves below the largest, none on another."""
    gap, left, top, row = 1.0, 0.0, 0.0, 0.0
    wide = 0.0
    for nodes in members:
        low = places[nodes].min(axis=0)
        width, height = places[nodes].max(axis=0) - low
        wide = max(wide, width, np.sqrt(len(places)))
        if left and left + width > wide:
            left, top, row = 0.0, top - row - gap, 0.0
        places[nodes] += (left - low[0], top - height - low[1])
        left, row = left + width + gap, max(row, height)
