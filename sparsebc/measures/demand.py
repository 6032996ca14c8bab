"""The argument ``demand``, a weight for each pair of nodes: checked, and scaled by a unit."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputTypeError, OptionError
from ..matrix.csr import CSR, Matrix
from ..matrix.foreign import adopted
from ..matrix.matrix_arrays import csr_of
from ..matrix.network import Network, matrix_of

# Products of values in this range with weights of nodes neither overflow nor underflow.
RANGE = (1e-50, 1e50)
# Least value over the largest; the reason is in `engines.common.decay`.
SPREAD = 1e-50


class Demand(NamedTuple):
    """Weights D(s, t) of pairs s != t, a row for each source."""

    counted: Matrix  # D / unit, values above 0, the largest in [1, 2)
    unit: float  # a power of two

    @property
    def is_source(self) -> NDArray[np.bool_]:
        """Mask of the nodes with some demand as a source, shape (n,)."""
        return self.counted.pattern.degrees > 0

    def of_pairs(
        self, alpha: NDArray[np.float64], omega: NDArray[np.float64], *, endpoints: bool
    ) -> NDArray[np.float64]:
        """Sum of alpha(s) omega(t) D(s, t) over the pairs that could count each node, shape (n,).

        Pairs that begin or end at a node count it only with ``endpoints``.
        """
        pattern, values = self.counted
        weights, others = pattern.matrix(values), np.ones(alpha.size)
        begun = alpha * (weights @ omega) * self.unit
        total = float(begun.sum())
        if endpoints:
            return np.full(alpha.size, total)
        touching = begun + omega * (weights.T @ alpha) * self.unit
        pairs: NDArray[np.float64] = total - touching
        # At most four nodes have half of the total or more; there a difference would lose digits.
        for v in np.flatnonzero(touching >= total / 2) if total else ():
            others[v] = 0
            pairs[v] = (others * alpha) @ (weights @ (others * omega)) * self.unit
            others[v] = 1
        return pairs


def read(demand: Any, n: int, names: Sequence[str] | None = None) -> Demand | None:
    """The demand of an argument for a graph of n nodes; None for None.

    ``names``, those of the nodes of the graph, order the rows and columns of a `Network`.
    """
    if demand is None:
        return None
    if isinstance(demand, Network):
        demand = _by_name(demand, names or ())
    if hasattr(demand, "columns"):  # its rows may be trips, and names in any order
        raise InputTypeError(
            "demand must be a sparse matrix, got a data frame: use frames.read(...) of the table "
            "of trips if A is a Network, else scipy.sparse.coo_array((trips, (rows, columns)), "
            "shape=A.shape), with the row of A of each origin and destination"
        )
    matrix = csr_of(adopted(demand), "demand")
    if matrix.shape != (n, n):
        raise OptionError(
            f"demand must have the shape of A, ({n}, {n}), got {matrix.shape}: leave rows of nodes "
            "without trips empty",
            "demand",
        )
    matrix = matrix.astype(np.float64, copy=False)
    if not (matrix.data.min(initial=0) >= 0 and matrix.data.max(initial=0) < np.inf):
        place = np.flatnonzero(~((matrix.data >= 0) & (matrix.data < np.inf)))[0]
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise OptionError(
            f"demand must be finite and not negative, got {matrix.data[place]} at "
            f"[{row}, {matrix.indices[place]}]",
            "demand",
        )
    if matrix.diagonal().any():
        matrix.data[np.repeat(np.arange(n), np.diff(matrix.indptr)) == matrix.indices] = 0
    matrix.eliminate_zeros()
    if n and not matrix.nnz:
        raise OptionError(
            "demand is zero for all pairs of different nodes, so that no pair counts: leave it out",
            "demand",
        )
    least, most = matrix.data.min(initial=np.inf), matrix.data.max(initial=0.0)
    if n and (least < RANGE[0] or most > RANGE[1]):
        raise OptionError(
            f"demand must lie in {RANGE[0]:g}..{RANGE[1]:g} or be 0, got {least:g} and {most:g}: "
            "divide all by a common factor, or set the least to 0",
            "demand",
        )
    if n and least < SPREAD * most:
        raise OptionError(
            f"demand must not differ by more than a factor of {1 / SPREAD:g}, got {least:g} and "
            f"{most:g}: set the smallest to 0",
            "demand",
        )
    unit = float(2.0 ** np.floor(np.log2(most))) if n else 1.0
    matrix.data /= unit
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    return Demand(Matrix(CSR(indptr, indices), matrix.data), unit)


def _by_name(demand: Network, names: Sequence[str]) -> Any:
    """Matrix of a demand with names, in the order of the graph's ``names``."""
    number = {name: v for v, name in enumerate(names)}
    unknown = [name for name in demand.names if name not in number]
    if unknown:
        raise OptionError(
            f"demand has names that are not nodes of A, as {unknown[0]!r}: leave out the trips "
            "from and to these" + ", or give demand.matrix, if A has no names" * (not number),
            "demand",
        )
    trips = csr_of(matrix_of(demand), "demand").tocoo()
    row = np.array([number[name] for name in demand.names], dtype=np.int64)
    shape = (len(names), len(names))
    return scipy.sparse.coo_array((trips.data, (row[trips.row], row[trips.col])), shape=shape)
