"""A graph that loses its node or edge of highest betweenness, again and again.

Scores are sums over sources, kept as they are between two removals. What changes them:

    edge u - v    the sources from which it is on shortest paths: d(s, u) + w(u, v) = d(s, v)
    node v        the sources that reach it

and, in an undirected graph, pairs (s, t) and (t, s) change alike, so that of those on the two sides
of an edge the fewer are swept. They are swept on the graph before and after, where that is less
than to sweep all of their component afterwards. Differences of sums leave roundings behind, which
are bounded as they come; once ties could hang on them, all is summed anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..brandes import count_limit
from ..engines import devices
from ..engines.contract import Engine, SearchEngine
from ..engines.cpu.betweenness import CPUWorkspace
from ..engines.cpu.engine import CPU
from ..engines.cpu.kernels.simd import WIDTH
from ..engines.cpu.searches import CPUSearch
from ..graph.csr import Matrix
from ..graph.graph import Graph
from ..graph.kernels import numbered
from ..graph.ops import HostOps
from ..preprocess import batching
from ..run.fingerprint import Question
from ..run.options import Run
from ..run.sweep import expanded, prepared, sum_blocks
from .arcs_left import ArcsLeft
from .problem_left import ProblemLeft

By = Literal["betweenness", "edge_betweenness"]
# Scores that agree to this share of the highest tie.
TIED = 1e-9
# Rounding of a difference of two sums, as a share of the largest score, in units of the type's eps.
ROUNDING = 50.0
# Sources times arcs up to which one thread sweeps sooner than a plan is made.
BRIEF = 4_000_000


class Removal(NamedTuple):
    """A step: what was removed, and what was left."""

    item: int  # node, or edge in the order of `Attack.ends`
    raw: float  # its score when it was removed, over ordered pairs
    parts: int  # components of what is left, removed nodes not among them
    labels: NDArray[np.int32]  # (n,) component of each node; a removed one has one of its own
    largest: int  # nodes of the largest


class Attack:
    """What is left of a graph, and the score of each node or edge, over ordered pairs."""

    def __init__(self, graph: Graph, by: By, engine: Engine, run: Run, *, directed: bool) -> None:
        self._by, self._engine, self._run, self._directed = by, engine, run, directed
        self._n = graph.n
        self._paired = graph.symmetric and not directed  # two arcs are an edge
        shared = graph.symmetric and (self._paired or by == "betweenness")
        lengths, self._ops = graph.lengths, graph.ops
        self._out = ArcsLeft(graph.outgoing, lengths.outgoing if lengths else None, graph.ops)
        self._in = self._out
        if not shared:
            self._in = ArcsLeft(graph.incoming, lengths.incoming if lengths else None, graph.ops)
        self._lengths, self._deep = lengths, graph.traits.deep
        self.ends = np.empty((0, 2), dtype=np.int32)  # of the edges, where those are removed
        if by == "edge_betweenness":
            pattern = graph.outgoing
            rows, columns = map(graph.ops.on_host, (graph.ops.rows(pattern), pattern.indices))
            first = rows < columns if self._paired else np.ones(graph.arcs, dtype=bool)
            self.ends = np.column_stack([rows[first], columns[first]])
            self._out.number(self.ends, paired=self._paired, transposed=False)
            if not shared:
                self._in.number(self.ends, paired=self._paired, transposed=True)
        self._left = np.ones(self._n if by == "betweenness" else len(self.ends), dtype=bool)
        self._nodes_left = np.ones(self._n, dtype=bool)
        self._raw = np.zeros(self._left.size)
        self._drift, self._rounding = 0.0, ROUNDING * float(np.finfo(run.real).eps)
        self.rank = np.arange(self._left.size)  # of those that tie, the least goes first
        self._stop = np.zeros(1, dtype=np.uint8)
        self._kept: ProblemLeft | None = None
        # What sees the arcs where they are, on the host: these close up as arcs go.
        self._brief: CPUWorkspace | None = None
        self._search: CPUSearch | None = None
        self.parts, self.labels, _ = self._components()

    @property
    def n(self) -> int:
        """Nodes of the whole graph."""
        return self._n

    def __len__(self) -> int:
        return self._left.size

    def removals(self, *, recompute: bool) -> Iterator[Removal]:
        """Take away the highest, by scores that are kept up to date or those of the whole graph."""
        with self._engine.here():
            self._sum_all()
        while self._left.any():
            with self._engine.here():
                removal = self._remove(recompute=recompute)
            yield removal

    def _remove(self, *, recompute: bool) -> Removal:
        """Take away the highest."""
        item = self._highest(recompute=recompute)
        raw = float(self._raw[item])
        if recompute:
            self._update(item)
        else:
            self._take(item)
        self.parts, self.labels, largest = self._components()
        removed = self._n - int(np.count_nonzero(self._nodes_left))
        return Removal(item, raw, self.parts - removed, self.labels, largest)

    def _highest(self, *, recompute: bool) -> int:
        """The one of least rank among those that score highest."""
        if recompute and self._drift > TIED / 10 * self._raw.max():
            self._sum_all()
        highest = np.flatnonzero(self._raw >= (1 - TIED) * self._raw.max())
        highest = highest[self._left[highest]]
        return int(highest[self.rank[highest].argmin()])

    def _update(self, item: int) -> None:
        """Take away an item, and bring the scores up to date."""
        here = self.labels == self.labels[item if self._by == "betweenness" else self.ends[item, 0]]
        inside = here if self._by == "betweenness" else here[self.ends[:, 0]]
        times, changed = self._changed(item, here)
        if 2 * np.count_nonzero(changed) < np.count_nonzero(here):
            self._drift += self._rounding * self._raw[inside].max() if changed.any() else 0
            before = self._sums(changed)
            self._take(item)
            self._raw += times * (self._sums(changed) - before)
            self._raw[~self._left] = 0
            np.maximum(self._raw, 0, out=self._raw)
        else:
            self._take(item)
            np.copyto(self._raw, self._sums(here), where=inside & self._left)

    def _changed(self, item: int, here: NDArray[np.bool_]) -> tuple[int, NDArray[np.bool_]]:
        """Sources to sweep again, of the component ``here``, and how often their change counts."""
        if self._by == "betweenness":
            if self._out is self._in:  # all of it reaches the node
                return 1, here
            (away,) = self._distances_to([item])
            return 1, np.isfinite(away)
        u, v = self.ends[item].tolist()
        length = self._out.length(u, v)
        to_u, to_v = self._distances_to([u, v])
        slack = 4 * self._n * np.finfo(float).eps + 2 * (self._lengths.rtol if self._lengths else 0)
        with np.errstate(invalid="ignore"):
            near = np.isfinite(to_u) & (to_u + length <= to_v * (1 + slack))
            if not self._paired:
                return 1, near
            other = np.isfinite(to_v) & (to_v + length <= to_u * (1 + slack))
        return 2, min(near, other, key=np.count_nonzero)

    def _take(self, item: int) -> None:
        """Take a node or an edge out of the graph: it scores no more."""
        self._left[item], self._raw[item] = False, 0
        vars(self).pop("_graph", None)
        vars(self).pop("_first", None)
        if self._by == "betweenness":
            self._nodes_left[item] = False
        if self._kept and (self._by != "betweenness" or not self._kept.remove(item)):
            self._kept = None
        ways = [(self._out, self._in), (self._in, self._out)][: 1 if self._out is self._in else 2]
        left = [
            arcs.without_node(item, other) if self._by == "betweenness" else arcs.without_edge(item)
            for arcs, other in ways
        ]
        for (arcs, _), kept in zip(ways, left, strict=True):
            arcs.keep(*kept)

    def _sum_all(self) -> None:
        """Scores of what is left, from scratch."""
        self._raw = self._sums(self._nodes_left)
        self._drift = 0.0

    def _sums(self, sources: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Sums over ordered pairs from some sources, of each node or edge."""
        if not sources.any() or not self._out.size:
            return np.zeros(self._left.size)
        found = self._of_few(sources)
        if found is None:
            found = self._of_many(sources)
        if self._by == "betweenness":
            return found
        scores = self._ops.xp.bincount(self._out.items, weights=found, minlength=self._left.size)
        return self._ops.on_host(scores)

    def _of_few(self, sources: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        """By one workspace, which sees the arcs where they are; None where that does not serve.

        Whoever computes the rest, this is done here: sums in another order have other bits.
        """
        if (
            not isinstance(self._engine, CPU)
            or np.count_nonzero(sources) * self._out.size > BRIEF
            or self._lengths is not None
        ):
            return None
        name = "dependency" if self._by == "betweenness" else "arcs"
        if self._brief is None:
            sums = frozenset({"dependency", name})
            self._brief = CPUWorkspace(
                self._seen, np.ones(self._n), self._run.real, sums, self._stop
            )
        dependency, found = (getattr(self._brief, one) for one in ("dependency", name))
        dependency[:] = found[:] = 0
        self._brief.look_again()
        numbers = np.flatnonzero(sources).astype(np.int32)
        ones = np.ones(numbers.size)
        self._brief.run(batching.cut(numbers, ones, WIDTH, compact=not self._deep))
        if self._brief.max_sigma() > count_limit(self._run.real):
            return None
        return np.array(found if self._by == "betweenness" else found[: self._out.size])

    def _of_many(self, sources: NDArray[np.bool_]) -> Any:
        """By the engine, with its plan of workers and memory, and reductions."""
        every, engine, run = np.ones(self._n, dtype=bool), self._engine, self._run
        question = Question(self._graph, sources, every, [self._by], endpoints=False)
        if self._kept and self._kept.serves(sources):
            problem, wanted = self._kept.among(self._first), frozenset({"dependency"})
        else:
            problem, wanted, _ = prepared(engine, question, run)
            if self._by == "betweenness" and self._out is self._in:  # sources are components
                self._kept = ProblemLeft(problem, sources)
        return expanded(sum_blocks(engine, problem, wanted, run), problem, question)[self._by]

    @cached_property
    def _graph(self) -> Graph:
        """What is left, where the engine keeps it; with its components, until arcs are dropped."""
        lengths = self._lengths
        if self._out.lengths is not None and self._in.lengths is not None and lengths is not None:
            lengths = replace(lengths, outgoing=self._out.lengths, incoming=self._in.lengths)
        outgoing = self._out.pattern
        incoming = outgoing if self._in is self._out else self._in.pattern
        return Graph(self._n, outgoing, incoming, self._ops, lengths)

    @cached_property
    def _first(self) -> Any:
        """The smallest node of each node's component; by a search too, if the graph had one."""
        graph = self._graph
        if "traits" in vars(graph):
            return graph.components
        return graph.ops.components(graph.outgoing, graph.incoming, None)

    @property
    def _seen(self) -> Graph:
        """Arcs on the host, where they are."""
        return Graph(self._n, self._out.whole, self._in.whole, self._ops)

    def _distances_to(self, nodes: list[int]) -> NDArray[np.float64]:
        """Distance of every node to each of some, inf where there is no way."""
        asked, pattern = np.array(nodes, dtype=np.int32), self._in.pattern
        if self._lengths is not None:
            lengths = self._in.lengths
            if isinstance(self._ops, HostOps):
                return np.asarray(csgraph.dijkstra(pattern.matrix(lengths), indices=nodes))
            matrix = devices.deliver(Matrix(pattern, lengths), devices.home(lengths))
            distances = np.empty((asked.size, self._n))
            before = np.empty(distances.shape, dtype=np.int32)
            search = self._searcher.shortest_paths(matrix, True, self._memory, self._stop)
            search.paths(asked, distances, before)
            return distances
        levels = np.empty((asked.size, self._n), dtype=np.int32)
        if not isinstance(self._ops, HostOps):
            back = self._graph.reverse()
            search = self._searcher.search(back, self._deep, self._memory, self._stop)
            search.levels(asked, levels)
        else:
            if self._search is None:
                self._search = CPUSearch(self._seen.reverse(), self._deep, self._stop)
            else:
                self._search.look_again()
            self._search.levels(asked, levels)
        return np.where(levels < 0, np.inf, levels)

    @property
    def _searcher(self) -> SearchEngine:
        """The engine that keeps the graph, which searches it as well."""
        return cast(SearchEngine, self._engine)

    @property
    def _memory(self) -> int:
        """Bytes that a search of a few sources may take."""
        return self._run.budget or self._engine.free_memory() // 2

    def _components(self) -> tuple[int, NDArray[np.int32], int]:
        """Weak components by their first nodes: how many, their labels, nodes of the largest."""
        first = self._ops.on_host(self._first)
        parts, labels, largest = numbered(first, self._nodes_left)
        return parts, labels, largest
