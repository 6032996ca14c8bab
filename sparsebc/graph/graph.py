"""What a graph is: the canonical patterns of A and of A', and lengths beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .csr import CSR, Blocks, GraphOps, Traits
from .edge_weights import Lengths
from .ops import HostOps

# A graph is deep when a search from its busiest node takes more levels than this.
DEEP = 12


@dataclass(frozen=True)
class Graph:
    """The edges of a graph on nodes 0..n-1, without self loops or repeated edges.

    ``outgoing`` is the CSR pattern of A, ``incoming`` that of A'; they are one object when A is
    symmetric. They live where ``ops`` keeps them. ``lengths`` belong to their entries; None
    where every edge has the length ``unit``. ``cutoffs`` say which pairs count, those at most so
    far apart, in edges or by ``lengths``: one set of scores for each, ascending; all if empty.
    """

    n: int
    outgoing: CSR
    incoming: CSR
    ops: GraphOps
    lengths: Lengths | None = None
    unit: float = 1.0
    cutoffs: tuple[float, ...] = ()

    @property
    def symmetric(self) -> bool:
        """Whether every edge is there in both directions, at one length."""
        return self.incoming is self.outgoing

    @property
    def arcs(self) -> int:
        """Stored entries of A."""
        return int(self.outgoing.indices.size)

    @cached_property
    def either_way(self) -> CSR:
        """Pattern of the edges, whichever way they lead."""
        return self.outgoing if self.symmetric else self.ops.either_way(self.outgoing)

    @property
    def degrees(self) -> Any:
        """Arcs of each node, either way, shape (n,)."""
        outgoing = self.outgoing.degrees
        return outgoing if self.symmetric else outgoing + self.incoming.degrees

    @property
    def nbytes(self) -> int:
        """Memory of both patterns and the lengths in bytes."""
        patterns = self.outgoing.nbytes + (0 if self.symmetric else self.incoming.nbytes)
        return patterns + (self.lengths.nbytes if self.lengths else 0)

    @property
    def limits(self) -> NDArray[Any]:
        """The ``cutoffs`` as engines take them, one that no path reaches if there are none."""
        if self.lengths is None:
            return np.array(self.cutoffs or (self.n,), dtype=np.int64)
        return np.array(self.cutoffs or (np.inf,))

    @cached_property
    def traits(self) -> Traits:
        """Whether there are leaves, and whether a search takes more than `DEEP` levels."""
        return self.ops.traits(self.outgoing, DEEP)

    @cached_property
    def most_arcs(self) -> int:
        """Entries of the longest row of A; of a graph that has nodes."""
        return int(self.outgoing.degrees.max())

    @cached_property
    def components(self) -> Any:
        """A label below n for each node: equal in a weakly connected component."""
        whole = self.traits.whole if self.symmetric else None
        return self.ops.components(self.outgoing, self.incoming, whole)

    def blocks(self, left: Any) -> Blocks:
        """Blocks of the nodes that are ``left``, by a mask."""
        whole = self.traits.whole if self.symmetric else None
        return self.ops.blocks(self.outgoing, self.incoming, self.components, whole, left)

    @cached_property
    def reach(self) -> float:
        """Nodes of a component, in the mean over all nodes: no source reaches more in the mean."""
        if self.n == 0:
            return 0.0
        one = self.ops.xp.ones((1, self.n), dtype=np.int64)
        sizes = self.ops.add_up(self.components, one, self.n)
        return int((sizes**2).sum()) / self.n

    @cached_property
    def depth(self) -> int:
        """Edges from the node of the most to the farthest that it reaches."""
        if not self.arcs:
            return 0
        pattern = self.on_host().outgoing
        busiest = np.array([pattern.degrees.argmax()])
        return int(kernels.hops(pattern, busiest).max())

    def reverse(self) -> Graph:
        """The graph of A'."""
        lengths = self.lengths
        if lengths is not None:
            lengths = replace(lengths, outgoing=lengths.incoming, incoming=lengths.outgoing)
        return replace(self, outgoing=self.incoming, incoming=self.outgoing, lengths=lengths)

    def with_unit_lengths(self) -> Graph:
        """The graph with lengths, each edge 1 long where it has none: a level is a distance."""
        if self.lengths is not None:
            return self
        there = self.ops.xp.ones(self.arcs)
        back = there if self.symmetric else there.copy()
        return replace(self, lengths=Lengths(there, back, whole=True, rtol=0.0))

    def on_host(self) -> Graph:
        """The graph in the memory of the host."""
        if isinstance(self.ops, HostOps):
            return self
        return self._copied(self.ops.on_host, HostOps())

    def at(self, ops: GraphOps) -> Graph:
        """The graph where some ops keep one, on the current device if they are of devices."""
        return self._copied(ops.asarray, ops)

    def _copied(self, copy: Callable[[Any], Any], ops: GraphOps) -> Graph:
        """The graph of other arrays, which ``copy`` makes of those that there are."""
        outgoing, lengths = CSR(*map(copy, self.outgoing)), self.lengths
        incoming = outgoing if self.symmetric else CSR(*map(copy, self.incoming))
        if lengths is not None:
            there = copy(lengths.outgoing)
            back = there if self.symmetric else copy(lengths.incoming)
            lengths = replace(lengths, outgoing=there, incoming=back)
        return replace(self, outgoing=outgoing, incoming=incoming, ops=ops, lengths=lengths)
