"""Random graphs: of equal degrees by edge swaps, or with edges kept by their probabilities."""

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.cpu.double_edge_swaps.double_edge_swaps import rewired
from ..errors import EdgeError, OptionError
from ..matrix import read_matrix
from ..matrix.csr import CSR
from ..matrix.matrix_arrays import csr_of
from ..matrix.network import Network, matrix_of, names_of
from ..matrix.read_matrix import canonical

logger = logging.getLogger("sparsebc")


@dataclass(frozen=True, eq=False)
class NullGraphs:
    """Random graphs on the nodes of a graph, by number: one depends on its number and the seed."""

    n: int
    ends: NDArray[np.int32]  # (m, 2) endpoints of the edges; sorted by row if directed
    lengths: NDArray[np.float64] | None  # (m,), where distances are by length
    probability: NDArray[np.float64] | None  # (m,) that an edge is kept; None: edges are swapped
    directed: bool
    tries: int  # of swaps
    shuffled: bool  # lengths are permuted among the edges
    names: tuple[str, ...] | None  # of the nodes
    seed: int

    @property
    def nbytes(self) -> int:
        """Bytes of one sample, its working memory and its engine's graph."""
        return 200 * len(self.ends) + 64 * self.n

    def matrix(self, number: int, stop: NDArray[np.uint8]) -> Any:
        """Sample ``number``, with the names of the nodes if there are any."""
        ends, lengths = self.ends, self.lengths
        chain, shuffle = np.random.SeedSequence(self.seed, spawn_key=(number,)).spawn(2)
        if self.probability is not None:
            keep = np.random.default_rng(chain).random(len(ends)) < self.probability
            ends, lengths = ends[keep], None if lengths is None else lengths[keep]
        else:
            rows = np.bincount(ends[:, 0], minlength=self.n) if self.directed else ()
            indptr = np.concatenate(([0], np.cumsum(rows)))[len(rows) == 0 :].astype(np.int64)
            stream = np.asarray(chain.generate_state(1, np.uint64), dtype=np.uint64)
            ends = rewired(ends, indptr, self.tries, stream, stop)
            if self.shuffled and lengths is not None:
                lengths = np.random.default_rng(shuffle).permutation(lengths)
        matrix = self._csr(ends, lengths)
        return matrix if self.names is None else Network(matrix, self.names)

    def _csr(self, ends: NDArray[np.int32], lengths: NDArray[np.float64] | None) -> Any:
        """Csr array of edges, both directions of each unless directed, rows sorted."""
        tails, heads = ends.astype(np.int64).T
        keys = tails << 32 | heads
        if not self.directed:
            keys = np.concatenate((keys, heads << 32 | tails))
        values = None
        if lengths is None:
            keys.sort()
        else:
            order = np.argsort(keys)
            keys, values = keys[order], lengths[order % len(ends)]
        indptr = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(keys >> 32, minlength=self.n), out=indptr[1:])
        return CSR(indptr, keys.astype(np.uint32).view(np.int32)).matrix(values)


def null_graphs(
    A: Any,
    *,
    directed: bool,
    weighted: bool,
    workers: int,
    swaps: int | None,
    shuffled: bool,
    probability: Any,
    seed: int,
) -> NullGraphs:
    """Random graphs like A, by ``swaps`` tries an edge, or if None by probabilities."""
    how: Any = {"directed": directed, "workers": workers}
    graph = read_matrix.weighted(A, **how) if weighted else canonical(A, **how)
    pattern, lengths, kept = graph.outgoing, None, None
    ends = np.stack((pattern.rows, pattern.indices), axis=1)
    once = slice(None) if directed else ends[:, 0] < ends[:, 1]
    if weighted:
        lengths = graph.lengths.outgoing if graph.lengths else np.full(graph.arcs, graph.unit)
        lengths = lengths[once]
    ends = np.ascontiguousarray(ends[once])
    if swaps is None:
        kept = _read_probability(probability, A, ends, graph.n, directed=directed)
    elif directed and graph.symmetric and graph.arcs:
        logger.warning(
            "A is symmetric, and directed=True: its samples are digraphs, in which few edges have "
            "a reverse; directed=False keeps them undirected"
        )
    tries = (swaps or 0) * len(ends)
    return NullGraphs(graph.n, ends, lengths, kept, directed, tries, shuffled, names_of(A), seed)


def _read_probability(
    probability: Any, A: Any, ends: NDArray[np.int32], n: int, *, directed: bool
) -> NDArray[np.float64]:
    """Probability of each edge, from the values of a matrix of the pattern of A, or of A."""
    name = "A" if probability is None else "probability"
    P = csr_of(matrix_of(A if probability is None else probability), name).astype(np.float64)
    if P.shape != (n, n):
        raise OptionError(f"probability must have the shape of A, {(n, n)}, got {P.shape}", name)
    if not directed:
        P = P.maximum(P.T)
    tails, heads = ends.T
    values = np.asarray(P[tails, heads] if tails.size else np.empty(0)).reshape(-1)
    bad = ~((values > 0) & (values <= 1))
    if bad.any():
        at = int(bad.argmax())
        edge = int(tails[at]), int(heads[at])
        raise EdgeError(
            f"{name}[{edge[0]}, {edge[1]}] is {values[at]}, and each edge of A is kept with a "
            "probability above 0 and up to 1: divide scores by their largest, as STRING's by 1000, "
            "and leave edges of probability 0 out of A",
            edge,
        )
    rows, columns = P.nonzero()
    if np.count_nonzero(rows != columns) != len(ends) * (1 if directed else 2):
        raise OptionError(
            "probability has entries where A has no edge: give it the pattern of A", "probability"
        )
    return values
