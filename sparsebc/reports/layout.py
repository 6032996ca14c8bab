"""Layout of nodes: by their distances, or on a map.

A component is laid out by majorizing the stress

    sum over pairs of d(u, v)^-2 (|x(u) - x(v)| - d(u, v))^2

of the unweighted distances d (Gansner, Koren and North, "Graph drawing by stress majorization",
2004, doi:10.1007/978-3-540-31843-9_25). Each step solves a linear system with one matrix, which is
factorized once. Time is O(n^2) a step, memory O(n^2).
"""

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

STEPS = 200
RADIUS = 6378137.0  # of the Web Mercator sphere, in metres
NORTH = 85.0  # largest latitude of the projection, north and south, in degrees

Floats = NDArray[np.float64]


def draw(n: int, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> Floats:
    """Coordinates of the nodes of a small graph, shape (n, 2), its components side by side."""
    pattern = scipy.sparse.coo_array((np.ones(len(tails)), (tails, heads)), shape=(n, n)).tocsr()
    distances = csgraph.shortest_path(pattern, directed=False, unweighted=True)
    _, labels = csgraph.connected_components(pattern, directed=False)
    members = [np.flatnonzero(labels == label) for label in range(labels.max(initial=-1) + 1)]
    members.sort(key=lambda nodes: -len(nodes))
    coordinates = np.zeros((n, 2))
    for nodes in members:
        coordinates[nodes] = _component(distances[np.ix_(nodes, nodes)])
    _shelve(coordinates, members)
    return coordinates


def project(degrees: Floats) -> Floats:
    """Longitude and latitude in degrees, shape (n, 2), as metres of the Web Mercator projection."""
    longitude, latitude = np.radians(degrees).T
    latitude = np.clip(latitude, -np.radians(NORTH), np.radians(NORTH))
    return RADIUS * np.column_stack((longitude, np.log(np.tan(np.pi / 4 + latitude / 2))))


def _component(distances: Floats) -> Floats:
    """Coordinates of a component at a (near) minimum of the stress, the longer axis across."""
    n = len(distances)
    if n == 1:
        return np.zeros((1, 2))
    positive = distances + np.eye(n)
    weights = positive**-2.0 - np.eye(n)
    # Laplacian of the weights; 1 / n in all entries makes it regular, with the centred solution.
    factor = scipy.linalg.cho_factor(np.diag(weights.sum(axis=0)) - weights + 1 / n)
    coordinates = _scaling(distances)
    for _ in range(STEPS):
        drawn = np.maximum(cdist(coordinates, coordinates), 1e-9) + np.eye(n)
        pull = weights * distances / drawn
        before, laplacian = coordinates, np.diag(pull.sum(axis=0)) - pull
        coordinates = scipy.linalg.cho_solve(factor, laplacian @ coordinates)
        if abs(coordinates - before).max() < 1e-3:
            break
    axes = scipy.linalg.eigh(coordinates.T @ coordinates)[1]
    rotated: Floats = coordinates @ axes[:, ::-1]
    return rotated


def _scaling(distances: Floats) -> Floats:
    """Initial coordinates by classical scaling, with noise that separates coincident nodes."""
    n = len(distances)
    squares = distances**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, None] + means.mean())
    top = (max(n - 2, 0), n - 1)
    values, vectors = scipy.linalg.eigh(inner, subset_by_index=top)
    coordinates = np.zeros((n, 2))
    coordinates[:, : len(values)] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    return coordinates + np.random.default_rng(0).normal(scale=0.1, size=(n, 2))


def _shelve(coordinates: Floats, members: list[NDArray[np.int64]]) -> None:
    """Shelf packing of the components, in place: left to right, then in a row below."""
    gap, left, top, row = 1.0, 0.0, 0.0, 0.0
    wide = 0.0
    for nodes in members:
        low = coordinates[nodes].min(axis=0)
        width, height = coordinates[nodes].max(axis=0) - low
        wide = max(wide, width, np.sqrt(len(coordinates)))
        if left and left + width > wide:
            left, top, row = 0.0, top - row - gap, 0.0
        coordinates[nodes] += (left - low[0], top - height - low[1])
        left, row = left + width + gap, max(row, height)
