"""CSR patterns and matrices, and properties of graphs in this form."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import OptionError

# Most entries that `scipy.sparse.csgraph` can take: it indexes them by 32 bits.
CSGRAPH_ENTRIES = 2**31 - 1


class CSR(NamedTuple):
    """Compressed rows of a pattern: row v holds ``indices[indptr[v]:indptr[v + 1]]``, sorted."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Stored entries of each row, shape (n,)."""
        return self.indptr[1:] - self.indptr[:-1]

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row of each stored entry, shape (nnz,), on the host."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=np.int32), self.degrees)

    @property
    def pairs(self) -> int:
        """Number of paths u -> x -> v, including v = u."""
        return int(self.degrees[self.indices].sum())

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.indptr.nbytes + self.indices.nbytes

    @property
    def of_one_type(self) -> tuple[Any, Any]:
        """Indices and row pointers in one type, 32 bits if these suffice.

        SciPy would copy the smaller ones to the type of the larger.
        """
        if self.indices.size <= np.iinfo(np.int32).max:
            return self.indices, self.indptr.astype(np.int32)
        return self.indices.astype(np.int64), self.indptr

    def matrix(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix of this pattern, with the values or with ones."""
        n = self.indptr.size - 1
        indices, indptr = self.of_one_type
        data = np.ones(self.indices.size, dtype=np.int8) if values is None else values
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))

    def for_csgraph(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix for `scipy.sparse.csgraph`; ValueError if that cannot index the entries."""
        if self.indices.size > CSGRAPH_ENTRIES:
            raise OptionError(
                f"A has {self.indices.size} edges, each direction counted, and "
                "scipy.sparse.csgraph, which computes this on the CPU, takes at most "
                f"{CSGRAPH_ENTRIES}: use device='cuda', or leave out edges",
                "device='cuda'",
            )
        return self.matrix(values)


class Matrix(NamedTuple):
    """A pattern and the values of its entries, on the host or on a GPU."""

    pattern: CSR
    values: Any


class Inspection(NamedTuple):
    """Properties of the index arrays of a matrix as they were given; False or None if unknown."""

    inside: bool  # row pointers increase from 0 to the number of indices, all of them in 0..n - 1
    pattern: CSR | None  # the pattern of A, if the given arrays are canonical
    symmetric: bool  # it is also that of A'


UNKNOWN = Inspection(False, None, False)


class Traits(NamedTuple):
    """Properties of a graph that decide how it is reduced and swept."""

    leaves: int  # nodes with one entry in their row
    high_diameter: bool  # a search takes more levels than were asked for
    whole: Any = None  # mask (on a GPU levels) of the nodes reached; None if high_diameter


class Condensed(NamedTuple):
    """Condensation of a digraph: its strong components, and the arcs between them.

    The digraph is a disjoint union of blocks. Components are numbered block by block, on the host
    in reverse topological order: arcs between them lead to smaller numbers.
    """

    number: NDArray[np.int32]  # (rows,) component of each row
    first: NDArray[np.int64]  # (blocks + 1,) first component of each block
    between: CSR  # arcs between components

    def steps(self, chosen: Any, xp: Any = np) -> int:
        """Arcs and bits visited for the reach of ``chosen`` components, ascending, 64 at once."""
        bits = xp.diff(xp.searchsorted(chosen, self.first))
        arcs = xp.diff(self.between.indptr[self.first])
        return int((bits * xp.diff(self.first) + -(-bits // 64) * arcs).sum())


class Blocks(NamedTuple):
    """Biconnected components (blocks); the top of a block is the node that the search enters first.

    A block comes before those whose tops it contains, so that an arc (u, v) is in block
    max(block[u], block[v]).
    """

    block: NDArray[np.int32]  # (n,) block where the node is not the top; -1 of roots and outside
    tops: NDArray[np.int32]  # (blocks,)
    roots: int  # of searches, one for each component
    others: int  # nodes of all blocks but the largest, tops left out


def filtered(csr: CSR, keep: NDArray[np.bool_], xp: Any = np) -> CSR:
    """Pattern of the entries of the mask ``keep``."""
    kept = xp.zeros(keep.size + 1, dtype=np.int64)
    xp.cumsum(keep, out=kept[1:])
    return CSR(kept[csr.indptr], csr.indices[keep])


def busiest(degrees: Any, label: Any) -> Any:
    """Nodes of the largest degree of each label, the first of several; ascending."""
    nodes = np.arange(label.size, dtype=np.uint64)
    keys = degrees.astype(np.uint64) << np.uint64(32) | np.uint64(2**32 - 1) - nodes
    best = np.zeros(label.size, dtype=np.uint64)
    np.maximum.at(best, label, keys)
    return np.flatnonzero(best[label] == keys)


def ranges(first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenation over i of the integers first[i] .. first[i] + size[i] - 1."""
    end = np.cumsum(size)
    numbers: NDArray[np.int64] = np.repeat(first - (end - size), size)
    numbers += np.arange(numbers.size)
    return numbers
