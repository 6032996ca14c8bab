"""Targets of a source, of which the last ends its search: what is farther has no part in a sum.

Shortest paths to a node run through nearer nodes alone, which are complete before it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....graph.indices import row_of
from ....jit import inlined, subroutine
from ...common.base import Sweep
from .state import allocated, array

# Targets that are the same for all sources are looked for where they are at most one node in so
# many: among more, the last is as far as nearly all nodes.
ONE_IN = 16


class Sought(NamedTuple):
    """Nodes of a weight above 0, none of which is known yet."""

    weight: NDArray[np.float64]  # (n,), or (0,) where a search has to reach all nodes
    total: int  # of these nodes; 0 where each source has its own, -1 without any
    left: Any = array(np.int64, 1, fill=-1)  # how many are to be met; below 0 in between


def sought(sweep: Sweep | None = None, targets: Any = None) -> Any:
    """The targets of a sweep, none met yet; without one all nodes."""
    weight, count = np.empty(0), -1
    if targets is not None and targets.of_source.size:
        weight, count = targets.of_source, 0
    elif sweep is not None:
        few = np.count_nonzero(sweep.omega)
        if 0 < ONE_IN * few <= sweep.omega.size:
            weight, count = sweep.omega.astype(np.float64, copy=False), int(few)
    return allocated(Sought, {}, weight=weight, total=count)


@subroutine
def begin(sought, targets, source):
    """Look for the targets of a source, whose demand is laid out by node."""
    sought.left[0] = sought.total
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            t = targets.indices[p]
            if targets.omega[t] > 0:
                targets.of_source[t] = targets.values[p]
                sought.left[0] += 1


@subroutine
def end(sought, targets, source):
    """Look for none, and clear the demand of a source."""
    sought.left[0] = -1
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            targets.of_source[targets.indices[p]] = 0


@inlined
def meet(sought, v):
    """Node v is complete."""
    if sought.weight.size:
        sought.left[0] -= sought.weight[v] > 0


@inlined
def all_met(sought):
    """Whether no target is left."""
    return sought.left[0] == 0
