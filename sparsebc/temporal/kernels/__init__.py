"""Kernels of optimal temporal walks, one for each engine, which `base.kernels_of` asks for."""

from typing import Any

from ...engines.common.base import FURTHER, Engine, Kernel
from .cpu import ON_CPU
from .reference import ON_REFERENCE


def walks_on(engine: Engine) -> Kernel | Any:
    """The kernel of an engine."""
    if engine.devices:
        from .cuda_layout import OnCUDA

        return OnCUDA()
    return ON_REFERENCE if engine.profile.literal else ON_CPU


FURTHER["temporal walks"] = walks_on
