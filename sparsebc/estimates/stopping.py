"""Stopping rule: the error, or the ranking, that sampling goes on for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..measures.arguments import is_int


class Goal(NamedTuple):
    """Error, probability of a larger one, and ranking that an estimate is to reach."""

    epsilon: float | None
    delta: float
    top: int | None

    def is_met(self, half_width: float, certain: NDArray[np.bool_] | None) -> bool:
        """Whether ``half_width`` reaches epsilon, or all ranks are certain."""
        close = self.epsilon is not None and half_width <= self.epsilon
        return close or (certain is not None and bool(certain.all()))

    def named(self) -> dict[str, str]:
        """Numbers of the goal as text, for a fingerprint."""
        return {
            name: str(value if value is None or is_int(value) else float(value))
            for name, value in self._asdict().items()
        }
