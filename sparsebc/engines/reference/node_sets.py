"""Group betweenness: paths that meet a set of nodes, and those that each further node would add.

Levels and sigma are those of `columns`. A second forward pass on these levels counts the paths that
meet set C:

    meet     met<F_{d+1} not in C> = A' (met<F_d>),    met<F_{d+1} in C> = sigma
    pairs    c(C) = sum of alpha met ./ sigma

Of a single set, the pairs whose paths meet a node and not C, endpoints included, for every node, by
Brandes' backward product on the heads that are not in C:

    gain     delta<F_d> = sigma .* (A g<F_{d+1} not in C>),    g = (1 + delta) / sigma
             c = sum of alpha (avoid ./ sigma) .* (1 + delta);    at the sources, of alpha delta

with the paths that avoid C counted as those that meet it are, with avoid<F_{d+1} in C> = 0.
"""

from typing import Any

from ..common.batch import Batch, NodeSets
from .columns import Columns


class NodeSetColumns(Columns):
    """Columns whose "dependency" sums over the paths that meet a set of nodes."""

    def __init__(self, workspace: Any, batch: Batch, node_sets: NodeSets) -> None:
        super().__init__(workspace, batch)
        self.node_sets = node_sets
        self.outside = self.xp.asarray(node_sets.member.reshape(len(node_sets.member), -1) == 0)
        self.avoiding = self.sigma

    def backward(self, depth: int, column: int) -> None:
        """Add level d to the gains of a single set; of several, add all pairs on the last level."""
        is_last, is_one = self.level.max() == depth, self.node_sets.member.ndim == 1
        if self.stop[0]:
            return
        if is_one:
            if is_last:
                self.avoiding = self.counted(self.outside, depth, meet=False)
            self.gain(depth)
        elif is_last:
            for k in range(self.node_sets.size):
                self.share_pairs(k, depth)

    def counted(self, outside: Any, last: int, *, meet: bool) -> Any:
        """Paths that meet, or avoid, the set whose complement is ``outside``, shape (n, 1)."""
        at_source = (self.level == 0) & (outside != meet)
        found = self.numbers(at_source.astype(self.omega.dtype))
        for depth in range(last):
            tails, heads = self.steps.tails(self.level, depth), self.level == depth + 1
            paths = self.product(self.steps.incoming, self.masked(found, tails))
            self.backend.sigma_update(heads & outside, paths, found)
            if meet:
                self.backend.sigma_update(heads & ~outside, self.sigma, found)
        return found

    def share_pairs(self, k: int, last: int) -> None:
        """c(C_k) += alpha met ./ sigma, of the pairs that count."""
        outside, counted = self.outside[:, k : k + 1], self.level > 0
        if not self.node_sets.endpoints:
            counted &= outside & outside[self.sources].T
        share = self.xp.where(counted, self.counted(outside, last, meet=True) / self.sigma, 0)
        self.sums["dependency"][0, k] += (self.alpha * share).sum()

    def gain(self, depth: int) -> None:
        """c<F_d> += alpha (avoid ./ sigma) .* (1 + delta);  g<F_d> = (1 + delta) / sigma."""
        here, heads = self.level == depth, self.steps.heads(self.level, depth) & self.outside
        sum_g = self.product(self.steps.outgoing, self.masked(self.sigma, heads))
        share = self.avoiding / self.sigma
        delta = self.backend.delta_update(here, sum_g, self.xp.ones_like(self.omega), self.sigma)
        gained = share * (1 + delta) if depth else delta
        self.add("dependency", self.alpha * self.xp.where(here, gained, 0))
