"""Kernels of optimal temporal walks, one for each engine, which `base.kernels_of` asks for."""

from ...engines.common.base import FURTHER, Engine, Kernel
from .cpu import OnCPU
from .reference import OnReference


def walks_on(engine: Engine) -> Kernel:
    """The kernel of an engine."""
    if engine.devices:
        from .cuda_layout import OnCUDA

        return OnCUDA()
    return OnReference() if engine.profile.literal else OnCPU()


FURTHER["temporal walks"] = walks_on
