"""Unweighted and weighted Brandes on a batch of sources, literally: two sparse products a level.

Every array has a row per node and a column per source. ``engines/common/brandes.py`` has the loop
over the levels, `steps` the matrices and the rows that they join, `updates` the element-wise
updates.

----
Group betweenness: paths that meet a set of nodes, and those that each further node would add.

Levels and sigma are those above. A second forward pass on these levels counts the paths that meet
set C:

    meet     met<F_{d+1} not in C> = A' (met<F_d>),    met<F_{d+1} in C> = sigma
    pairs    c(C) = sum of alpha met ./ sigma

Of a single set, the pairs whose paths meet a node and not C, endpoints included, for every node, by
Brandes' backward product on the heads that are not in C:

    gain     delta<F_d> = sigma .* (A g<F_{d+1} not in C>),    g = (1 + delta) / sigma
             c = sum of alpha (avoid ./ sigma) .* (1 + delta);    at the sources, of alpha delta

with the paths that avoid C counted as those that meet it are, with avoid<F_{d+1} in C> = 0.
"""

from typing import Any

import numpy as np

from ...foreign import on_host
from ..common.base import EXTENDED
from ..common.sums import Batch, NodeSets
from .steps import UNVISITED, ByLength
from .updates import Extended


class Columns:
    """State of a batch, a column per source, and its contribution to each sum that is wanted.

    ``workspace`` is a `ReferenceWorkspace`.
    """

    def __init__(self, workspace: Any, batch: Batch) -> None:
        self.workspace, self.backend, self.stop = workspace, workspace.backend, workspace.stop
        self.xp = xp = workspace.backend.xp
        graph, self.omega, self.alpha = workspace.graph, workspace.omega, xp.asarray(batch.alpha)
        self.steps = workspace.by_edges or ByLength(
            self.backend, graph, self.omega.dtype, batch, self.stop
        )
        if workspace.seeds is not None and workspace.seeds.demand is not None:
            pattern, values = workspace.seeds.demand  # omega .* D', shape (n, sources)
            rows = pattern.matrix(values)[batch.sources].toarray()
            self.omega = self.omega * xp.asarray(rows.T)
        self.limits = graph.limits
        self.sums = {
            name: xp.zeros((self.limits.size, values.size // self.limits.size))
            for name, values in workspace.sums.items()
        }
        shape = graph.n, batch.sources.size
        self.sources = xp.asarray(batch.sources)
        starts = self.sources, xp.arange(batch.sources.size)
        self.level = xp.full(shape, UNVISITED, dtype=np.int32)
        self.level[starts] = 0
        ones = xp.zeros(shape, dtype=self.omega.dtype)
        ones[starts] = 1
        self.sigma, self.h = self.numbers(ones), self.numbers(xp.zeros_like(ones))
        self.counts, self.column = self.sigma, -1
        self.max_sigma = 1.0

    def forward(self, depth: int) -> bool:
        """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
        if self.stop[0]:
            return False
        fresh, tails = self.steps.following(self.level, depth), self.steps.tails(self.level, depth)
        paths = self.product(self.steps.incoming, self.sigma, tails)
        self.backend.sigma_update(fresh, paths, self.sigma)
        self.level[fresh] = depth + 1
        distances = self.steps.distances(self.level)
        if self.workspace.seeds is not None:  # omega<F_{d+1}> = omega .* f(distance)
            weights = self.workspace.seeds.decay.of(on_host(distances * self.steps.unit))
            self.omega = self.xp.where(fresh, self.omega * self.xp.asarray(weights), self.omega)
        counts = self.masked(self.sigma, fresh)
        floats = counts.floats() if isinstance(counts, Extended) else counts
        self.max_sigma = max(self.max_sigma, float(floats.max()))
        if "ends" in self.sums:  # both ends of s, t in F_{d+1} += alpha omega(t)
            for ends, limit in zip(self.sums["ends"], self.limits.tolist(), strict=True):
                pairs = self.alpha * self.xp.where(fresh & (distances <= limit), self.omega, 0)
                ends += pairs.sum(axis=1)
                ends[self.sources] += pairs.sum(axis=0)
        return bool(fresh.any())

    def backward(self, depth: int, column: int) -> None:
        """Add level d to each sum that is wanted, of pairs within cutoff ``column``.

        arcs        eb(u -> v) += alpha sigma(u) g(v), on tight edges out of level d
        stress      lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
        dependency  delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma
        """
        if self.stop[0]:
            return
        if column > self.column:  # g overwrites the counts; but for the last cutoff, a copy
            is_last, self.column = column == self.limits.size - 1, column
            self.sigma = self.counts if is_last else self.counts.copy()
        within = self.steps.distances(self.level) <= self.limits[column].item()
        here = (self.level == depth) & within
        heads = self.steps.heads(self.level, depth) & within
        if "arcs" in self.sums:
            sigma, g = self.masked(self.sigma, here), self.masked(self.sigma, heads)
            shares = sigma[self.workspace.tails] * g[self.workspace.heads]
            self.add("arcs", self.alpha * self.xp.where(self.steps.tight, shares, 0))
        if "stress" in self.sums and depth > 0:
            sum_h = self.product(self.steps.outgoing, self.h, heads)
            passing = self.backend.stress_update(here, sum_h, self.omega, self.sigma, self.h)
            self.max_sigma = max(self.max_sigma, float((self.alpha * passing).max()))
            self.add("stress", self.alpha * passing)
        if "dependency" in self.sums and depth > 0:
            sum_g = self.product(self.steps.outgoing, self.sigma, heads)
            delta = self.backend.delta_update(here, sum_g, self.omega, self.sigma)
            self.add("dependency", self.alpha * delta)
            self.add("squares", self.alpha * delta * delta)

    def add(self, name: str, values: Any) -> None:
        """Add the row sums of ``values`` to a sum, if it is wanted."""
        if name in self.sums:
            self.sums[name][self.column] += values.sum(axis=1)

    # Operations that differ between floats and `Extended`.

    def numbers(self, floats: Any) -> Any:
        """Path counts of the workspace's type."""
        return Extended.of(self.xp, floats) if self.workspace.dtype == EXTENDED else floats

    def masked(self, counts: Any, mask: Any) -> Any:
        """counts<mask>, zero elsewhere."""
        if isinstance(counts, Extended):
            return counts.masked(mask)
        return self.xp.where(mask, counts, 0)

    def product(self, matrix: Any, counts: Any, rows: Any) -> Any:
        """Sparse product ``matrix @ counts<rows>``."""
        part = self.masked(counts, rows)
        return part.pulled(matrix) if isinstance(part, Extended) else matrix @ part


class NodeSetColumns(Columns):
    """Columns whose "dependency" sums over the paths that meet a set of nodes."""

    def __init__(self, workspace: Any, batch: Batch) -> None:
        super().__init__(workspace, batch)
        self.node_sets: NodeSets = workspace.node_sets
        member = self.node_sets.member
        self.outside = self.xp.asarray(member.reshape(len(member), -1) == 0)
        self.avoiding = self.sigma

    def backward(self, depth: int, column: int) -> None:
        """Add level d to the gains of a single set; of several, add all pairs on the last level."""
        is_last, outside = self.level.max() == depth, self.outside
        if self.stop[0]:
            return
        if self.node_sets.member.ndim == 1:
            # c<F_d> += alpha (avoid ./ sigma) .* (1 + delta);  g<F_d> = (1 + delta) / sigma
            if is_last:
                self.avoiding = self.counted(outside, depth, meet=False)
            here, heads = self.level == depth, self.steps.heads(self.level, depth) & outside
            sum_g = self.product(self.steps.outgoing, self.sigma, heads)
            share, ones = self.avoiding / self.sigma, self.xp.ones_like(self.omega)
            delta = self.backend.delta_update(here, sum_g, ones, self.sigma)
            gained = share * (1 + delta) if depth else delta
            self.add("dependency", self.alpha * self.xp.where(here, gained, 0))
        elif is_last:  # c(C_k) += alpha met ./ sigma, of the pairs that count
            for k in range(self.node_sets.size):
                outside, counted = self.outside[:, k : k + 1], self.level > 0
                if not self.node_sets.endpoints:
                    counted &= outside & outside[self.sources].T
                met = self.counted(outside, depth, meet=True)
                share = self.xp.where(counted, met / self.sigma, 0)
                self.sums["dependency"][0, k] += (self.alpha * share).sum()

    def counted(self, outside: Any, last: int, *, meet: bool) -> Any:
        """Paths that meet, or avoid, the set whose complement is ``outside``, shape (n, 1)."""
        at_source = (self.level == 0) & (outside != meet)
        found = self.numbers(at_source.astype(self.omega.dtype))
        for depth in range(last):
            tails, heads = self.steps.tails(self.level, depth), self.level == depth + 1
            paths = self.product(self.steps.incoming, found, tails)
            self.backend.sigma_update(heads & outside, paths, found)
            if meet:
                self.backend.sigma_update(heads & ~outside, self.sigma, found)
        return found
