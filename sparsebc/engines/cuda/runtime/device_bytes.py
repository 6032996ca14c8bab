"""Plan of device memory: arithmetic, before anything is allocated.

A slot is what runs beside others: a batch of sources, or a worker with its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Plan(NamedTuple):
    """Bytes of device memory, without those of the patterns."""

    fixed: int  # whatever the number of slots
    state: Mapping[str, int]  # arrays of one slot, by name

    @property
    def slot(self) -> int:
        """Bytes of one slot."""
        return sum(self.state.values())

    @property
    def least(self) -> int:
        """Bytes with one slot."""
        return self.fixed + self.slot

    def beside(self, fixed: int) -> Plan:
        """The same beside more that does not depend on the slots."""
        return Plan(self.fixed + fixed, self.state)

    def slots(self, memory: int, most: int) -> int:
        """Slots that fit the memory, one at least."""
        return int(np.clip((memory - self.fixed) // max(self.slot, 1), 1, most))

    def sizes(self, slots: int) -> dict[str, int]:
        """Bytes of the arrays of so many slots."""
        return {name: slots * size for name, size in self.state.items()}


def evenly(left: int, most: int) -> int:
    """Size of the next launch: the fewest launches of at most so many, none much smaller."""
    return -(-left // -(-left // most))
