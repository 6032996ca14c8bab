"""Element-wise updates of ``common/updates.cuh`` on NumPy arrays, and the interface of a backend.

Counts are floats or `Extended`, a template parameter in C++.

`Extended` numbers are path counts beyond the range of floats: mantissa and exponent, as in
``common/extended.cuh``. Scaling by powers of two is exact, and terms 2**512 below the largest of a
sum are far below its last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from ...process import free_memory

STEP = 512


class Extended:
    """An array of numbers ``mantissa 2**exponent``, with the operators that the updates need.

    A product or quotient of two such arrays is a float array: sigma g and met / sigma are in range.
    """

    __array_ufunc__ = None  # NumPy arrays on the left defer to this class

    def __init__(self, xp: Any, mantissa: Any, exponent: Any) -> None:
        self.xp, self.mantissa, self.exponent = xp, mantissa, exponent

    @classmethod
    def of(cls, xp: Any, floats: Any) -> Extended:
        """Floats as numbers with mantissa in [1/2, 1), or 0."""
        return cls(xp, *xp.frexp(floats))

    def __getitem__(self, where: Any) -> Extended:
        return Extended(self.xp, self.mantissa[where], self.exponent[where])

    def __setitem__(self, where: Any, other: Extended) -> None:
        self.mantissa[where], self.exponent[where] = other.mantissa, other.exponent

    def __mul__(self, other: Extended) -> Any:
        return self.xp.ldexp(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def __truediv__(self, other: Extended) -> Any:
        return self.xp.ldexp(self.mantissa / other.mantissa, self.exponent - other.exponent)

    def __radd__(self, floats: Any) -> Extended:
        own = self.xp.where(self.mantissa > 0, self.exponent, 0)
        top = self.xp.where(floats > 0, self.xp.maximum(own, 0), own)
        total = self.xp.ldexp(floats, -top) + self.xp.ldexp(self.mantissa, self.exponent - top)
        mantissa, shift = self.xp.frexp(total)
        return Extended(self.xp, mantissa, top + shift)

    def __rtruediv__(self, floats: Any) -> Extended:
        mantissa, shift = self.xp.frexp(floats / self.mantissa)
        return Extended(self.xp, mantissa, shift - self.exponent)

    def floats(self) -> Any:
        """The nearest floats; infinite if out of range."""
        return self.xp.ldexp(self.mantissa, self.exponent)

    def copy(self) -> Extended:
        """A copy."""
        return Extended(self.xp, self.mantissa.copy(), self.exponent.copy())

    def masked(self, mask: Any) -> Extended:
        """Numbers of the mask, zero elsewhere."""
        return Extended(self.xp, self.xp.where(mask, self.mantissa, 0), self.exponent)

    def pulled(self, matrix: Any) -> Extended:
        """``matrix @ self``: a product of floats for each occurring exponent // 512."""
        xp, positive, step = self.xp, self.mantissa > 0, self.exponent // STEP
        total, top = xp.zeros(self.mantissa.shape), xp.zeros_like(step)
        for scale in xp.unique(step[positive]).tolist():  # ascending
            terms = xp.where(positive & (step == scale), self.mantissa, 0)
            part = matrix @ xp.ldexp(terms, self.exponent - STEP * scale)
            smaller = xp.ldexp(total, STEP * (xp.minimum(top, scale) - scale))
            total, top = xp.where(part > 0, smaller + part, total), xp.where(part > 0, scale, top)
        mantissa, shift = xp.frexp(total)
        return Extended(xp, mantissa, STEP * top + shift)


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
