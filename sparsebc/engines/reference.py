"""The algebra as it is written: SciPy sparse products and element-wise updates.

Short and slow: read it as the documentation of the algorithm, run it as the yardstick of the other
engines (``device="reference"``). Every array has a row per node and a column per source.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..graph import CSR, Graph
from ..sweep import sweep
from . import Group

UNVISITED = -1


class Reference:
    """Literal engine on whatever array module the sparse products come from."""

    name = "reference"
    literal = True

    def workspace_bytes(self, graph: Graph, dtype: np.dtype[Any]) -> int:
        """Level, sigma and four temporaries of 64 columns, and both matrices with their values."""
        return graph.n * 64 * (4 + 5 * dtype.itemsize) + 2 * graph.arcs * (8 + dtype.itemsize)

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> ReferenceWorkspace:
        """Allocate the matrices A and A' with values one."""
        return ReferenceWorkspace(graph, omega, dtype, ends, stop)


class ReferenceWorkspace:
    """Sums over the groups run so far."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> None:
        self.outgoing = _matrix(graph.outgoing, dtype)
        self.incoming = _matrix(graph.incoming, dtype)
        self.omega = omega.astype(dtype)[:, np.newaxis]
        self.dependency = np.zeros(graph.n)
        self.ends = np.zeros(graph.n if ends else 0)
        self.stop = stop
        self._worst = 0.0

    def run(self, group: Group) -> None:
        """Sweep one group."""
        batch = ReferenceBatch(self, group)
        with np.errstate(over="ignore", invalid="ignore"):
            sweep(batch)
        self._worst = max(self._worst, batch.worst)
        if self.ends.size:
            reached = (batch.level > 0) * self.omega
            np.add.at(self.ends, group.sources, reached.sum(axis=0))
            self.ends += reached.sum(axis=1)

    def worst(self) -> float:
        """Largest path count met so far."""
        return self._worst


class ReferenceBatch:
    """One column per source of a group."""

    def __init__(self, workspace: ReferenceWorkspace, group: Group) -> None:
        self.workspace = workspace
        self.alpha = group.alpha
        n, width = workspace.omega.size, group.sources.size
        column = np.arange(width)
        self.level = np.full((n, width), UNVISITED, dtype=np.int32)
        self.level[group.sources, column] = 0
        self.sigma = np.zeros((n, width), dtype=workspace.omega.dtype)
        self.sigma[group.sources, column] = 1
        self.worst = 1.0

    def forward(self, depth: int) -> bool:
        """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
        if self.workspace.stop[0]:
            return False
        paths = self.workspace.incoming @ np.where(self.level == depth, self.sigma, 0)
        found = (paths > 0) & (self.level == UNVISITED)
        self.level[found] = depth + 1
        self.sigma[found] = paths[found]
        self.worst = max(self.worst, float(paths[found].max(initial=0)))
        return bool(found.any())

    def backward(self, depth: int) -> None:
        """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma."""
        if self.workspace.stop[0]:
            return
        here = self.level == depth
        below = self.workspace.outgoing @ np.where(self.level == depth + 1, self.sigma, 0)
        delta = np.where(here, self.sigma * below, 0)
        self.workspace.dependency += (delta * self.alpha).sum(axis=1)
        g = np.divide(self.workspace.omega + delta, self.sigma, where=here, out=self.sigma.copy())
        self.sigma = g


def _matrix(pattern: CSR, dtype: np.dtype[Any]) -> scipy.sparse.csr_array:
    n = pattern.indptr.size - 1
    ones = np.ones(pattern.indices.size, dtype=dtype)
    return scipy.sparse.csr_array((ones, pattern.indices, pattern.indptr), shape=(n, n))
