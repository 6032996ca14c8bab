"""Groups of nodes: the shortest paths that avoid one, and those that a further node would add.

The search and its path counts are those of `batch`. Then the paths that avoid group C, in one
forward product more on the same levels,

    avoid    alpha<F_{d+1} not in C> = A' (alpha<F_d>),    alpha<F_0 not in C> = 1
    met      the pairs (s, t) of which 1 - alpha(t) / sigma(t) is summed

and of one group, for every node v, the pairs that end at v or pass it and avoid C, by Brandes'
backward product on the heads that are not in C:

    gain     delta<F_d> = sigma .* (A g<F_{d+1} not in C>),    g = (1 + delta) / sigma
             gain = alpha .* g,    and delta at the source
"""

from __future__ import annotations

from typing import Any

from ..contract import Group, NodeGroups
from .batch import Batch


class GroupBatch(Batch):
    """The same columns; the sum of dependencies is of groups of nodes."""

    def __init__(self, workspace: Any, group: Group, asked: NodeGroups) -> None:
        super().__init__(workspace, group)
        self.asked = asked
        self.outside = self.xp.asarray(asked.member.reshape(len(asked.member), -1) == 0)
        self.around = self.sigma

    def backward(self, depth: int, column: int) -> None:
        """Of one group the gains, level by level; of many all pairs at once, on the last level."""
        is_last, is_one = self.level.max() == depth, self.asked.member.ndim == 1
        if self.stop[0]:
            return
        if is_one:
            if is_last:
                self.around = self.avoiding(self.outside, depth)
            self.gain(depth)
        elif is_last:
            for k in range(self.asked.size):
                self.meet(k, depth)

    def avoiding(self, outside: Any, last: int) -> Any:
        """Paths from the sources that meet no node of a group; ``outside`` of shape (n, 1)."""
        at_source = ((self.level == 0) & outside).astype(self.omega.dtype)
        around = self.numbers(at_source)
        for depth in range(last):
            tails, heads = self.steps.tails(self.level, depth), self.level == depth + 1
            paths = self.product(self.steps.incoming, self.masked(around, tails))
            self.backend.sigma_update(heads & outside, paths, around)
        return around

    def meet(self, k: int, last: int) -> None:
        """pairs(C) += alpha (1 - around ./ sigma), of the pairs that count."""
        outside = self.outside[:, k : k + 1]
        counted = self.level > 0
        if not self.asked.endpoints:
            counted &= outside & outside[self.sources].T
        share = self.avoiding(outside, last) / self.sigma
        met = self.alpha * self.xp.where(counted, 1 - share, 0)
        self.sums["dependency"][0, k] += met.sum()

    def gain(self, depth: int) -> None:
        """gain<F_d> += alpha around .* g;  g<F_d> = (1 + delta) / sigma, heads in C left out."""
        here, heads = self.level == depth, self.steps.heads(self.level, depth) & self.outside
        sum_g = self.product(self.steps.outgoing, self.masked(self.sigma, heads))
        delta = self.backend.delta_update(here, sum_g, self.xp.ones_like(self.omega), self.sigma)
        gained = self.masked(self.around, here) * self.sigma if depth else delta
        self.add("dependency", self.alpha * gained)
