"""Targets of a source, whose search may end at the last: farther nodes add to no sum.

All nodes on shortest paths to a target are nearer to the source, and complete before it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, subroutine
from ....matrix.csr import row_of
from ...common.base import Sweep
from .state import allocated, array

# Targets common to all sources end searches if at most one node in ONE_IN is one: the last of more
# targets is as far as nearly all nodes.
ONE_IN = 16


class Sought(NamedTuple):
    """Targets, the nodes of weight above 0, and how many of them the search has still to reach."""

    weight: NDArray[np.float64]  # (n,), or (0,) where a search must reach all nodes
    total: int  # number of targets; 0 if each source has its own, -1 if all nodes are
    left: Any = array(np.int64, 1, fill=-1)  # targets not yet reached; below 0 between two searches


def sought(sweep: Sweep | None = None, targets: Any = None) -> Any:
    """The targets of a sweep that may end its searches; without a sweep, none."""
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
    """Count the targets of a source, and scatter its row of the origin-destination matrix."""
    sought.left[0] = sought.total
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            t = targets.indices[p]
            if targets.omega[t] > 0:
                targets.of_source[t] = targets.values[p]
                sought.left[0] += 1


@subroutine
def end(sought, targets, source):
    """Stop counting, and clear the row of the origin-destination matrix."""
    sought.left[0] = -1
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            targets.of_source[targets.indices[p]] = 0


@inlined
def meet(sought, v):
    """Count node v, which is complete, if it is a target."""
    if sought.weight.size:
        sought.left[0] -= sought.weight[v] > 0


@inlined
def all_met(sought):
    """Whether all targets are complete."""
    return sought.left[0] == 0
