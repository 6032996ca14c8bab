"""Kernels of optimal temporal walks, one for each engine, which `base.kernels_of` asks for."""

from ...engines.common.base import FURTHER, Engine, Kernel
from .cpu import ON_CPU
from .reference import ON_REFERENCE


def walks_on(engine: Engine) -> Kernel:
    """The kernel of an engine."""
    if engine.devices:
        from .cuda_layout import ON_CUDA

        return ON_CUDA
    return ON_REFERENCE if engine.profile.literal else ON_CPU


FURTHER["temporal walks"] = walks_on
