"""Weak and strong components."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..errors import InputTypeError
from ..matrix.network import check_flags
from ..matrix.read_matrix import Adjacency, canonical
from .arguments import check_choice


def connected_components(
    A: Adjacency,
    *,
    directed: bool = True,
    connection: Literal["weak", "strong"] = "weak",
    device: str | None = None,
) -> tuple[int, NDArray[np.int32]]:
    """Number of weak or strong components, and the component of every node.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions; weak and strong
        components are the same then.
    connection : {"weak", "strong"}
        Nodes of a strong component reach each other along the edges; in a weak one, directions do
        not count.
    device : {None, "cpu", "cuda", "cuda:1", ...}
        Device of the search. None takes the device of a CuPy matrix, else the first GPU that CuPy
        sees, else the CPU.

    Returns
    -------
    count : int
        Number of components.
    labels : ndarray, shape (n,), dtype int32
        Component of each node, 0..count - 1, numbered as by the installed `scipy.sparse.csgraph` on
        sorted rows. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        If A is neither a matrix nor a tuple (see `betweenness`), or does not hold real numbers; if
        `directed` is not a bool, or `device` not a string.
    ValueError
        If A is not square or is malformed (see `betweenness`), `connection` is neither of the two,
        or `device` is no device.
    RuntimeError
        If `device` names a GPU that is not there.
    MemoryError
        If the graph does not fit on the device.

    See Also
    --------
    scipy.sparse.csgraph.connected_components : The same conventions.

    Notes
    -----
    Time and memory are O(n + edges) on the CPU, by breadth-first search for weak and SciPy for
    strong components. A GPU finds weak ones by union-find of the ends of every edge. For strong
    ones it peels off nodes on no cycle, intersects the descendants and the ancestors of the busiest
    node, and colors the rest [1]_: O(edges) for each step of the longest search. Unless there is
    one component, the host then numbers them as SciPy does, by a depth-first search, which takes
    longer.

    References
    ----------
    .. [1] G. M. Slota, S. Rajamanickam and K. Madduri, "BFS and coloring-based parallel algorithms
       for strongly connected components and related problems", IPDPS 2014, 550-559,
       doi:10.1109/IPDPS.2014.64

    Examples
    --------
    >>> import scipy.sparse
    >>> from sparsebc import connected_components
    >>> A = scipy.sparse.csr_array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> connected_components(A)
    (2, array([0, 0, 0, 1], dtype=int32))
    >>> connected_components(A, connection="strong")
    (3, array([1, 1, 0, 2], dtype=int32))
    """
    check_choice("connection", connection, ("weak", "strong"))
    check_flags(directed=directed)
    if isinstance(device, (list, tuple)):
        raise InputTypeError(
            f"device must be a string or None, got {device!r}: such a search runs on one device, "
            "name it by a string"
        )
    origin = devices.home(A)
    engine = devices.select(device, origin)
    with engine.here():
        graph = canonical(A, directed=bool(directed), ops_for=engine.ops_for)
        count, labels = engine.components(graph, bool(directed) and connection == "strong")
        return count, devices.deliver(labels, origin)
