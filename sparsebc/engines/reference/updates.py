"""Element-wise updates of ``common/updates.cuh`` on NumPy arrays, and the interface of a backend.

Counts are floats or `Extended`, a template parameter in C++.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from ...limits import free_memory


def sigma_update(fresh: Any, paths: Any, sigma: Any) -> None:
    """sigma<fresh> = paths."""
    sigma[fresh] = paths[fresh]


def delta_update(here: Any, sum_g: Any, omega: Any, sigma: Any) -> Any:
    """delta<here> = sigma .* sum_g;  g<here> = (omega + delta) ./ sigma, which overwrites sigma."""
    delta = np.where(here, sigma * sum_g, 0)
    sigma[here] = (omega + delta)[here] / sigma[here]
    return delta


def stress_update(here: Any, sum_h: Any, omega: Any, sigma: Any, h: Any) -> Any:
    """passing<here> = sigma .* sum_h;  h<here> = omega + sum_h."""
    h[here] = (omega + sum_h)[here]
    return np.where(here, sigma * sum_h, 0)


class Backend(NamedTuple):
    """Arrays, sparse matrices and updates of one library, and their device."""

    name: str
    xp: Any
    csr: Any
    sigma_update: Callable[..., None]
    delta_update: Callable[..., Any]
    stress_update: Callable[..., Any]
    here: Callable[[], AbstractContextManager[Any]]
    free_memory: Callable[[], int]


HOST = Backend(
    "reference",
    np,
    scipy.sparse.csr_array,
    sigma_update,
    delta_update,
    stress_update,
    nullcontext,
    free_memory,
)
