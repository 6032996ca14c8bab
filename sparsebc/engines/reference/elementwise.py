"""The updates of `common/updates.cuh` as element-wise kernels, for the reference engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cupy
import cupyx.scipy.sparse

from .engine import UNVISITED, Backend

UPDATES = (Path(__file__).parents[1] / "cuda" / "common" / "updates.cuh").read_text()

_sigma_update = cupy.ElementwiseKernel(
    "T paths, int32 depth, int32 unvisited",
    "int32 level, T sigma",
    """
    const bool fresh = level == unvisited && paths > 0;
    sigma_update(fresh, paths, sigma);
    if (fresh) level = depth + 1;
    """,
    "sparsebc_sigma_update",
    preamble=UPDATES.replace("#pragma once", ""),
)
_delta_update = cupy.ElementwiseKernel(
    "T below, int32 level, int32 depth, T omega",
    "T sigma, T delta",
    "delta_update(level == depth, below, omega, sigma, delta);",
    "sparsebc_delta_update",
    preamble=UPDATES.replace("#pragma once", ""),
)


def sigma_update(paths: Any, depth: int, level: Any, sigma: Any) -> None:
    """sigma<F_{d+1}> = paths, where F_{d+1} is what paths reach and no level holds."""
    _sigma_update(paths, depth, UNVISITED, level, sigma)


def delta_update(below: Any, level: Any, depth: int, omega: Any, sigma: Any) -> Any:
    """delta<F_d> = sigma .* below;  g<F_d> = (omega + delta) ./ sigma."""
    delta = cupy.empty_like(sigma)
    _delta_update(below, level, depth, omega, sigma, delta)
    return delta


def free_memory() -> int:
    """Bytes that are free on the current device."""
    return int(cupy.cuda.runtime.memGetInfo()[0])


DEVICE = Backend(
    "reference:cuda",
    cupy,
    cupyx.scipy.sparse.csr_matrix,
    sigma_update,
    delta_update,
    free_memory,
)
