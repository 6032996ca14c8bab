"""Results of searches, where they are wanted: on the device, or in the memory of the host."""

from typing import Any

import cupy

from ..runtime.copies import download
from ..runtime.source import Constants

NO_PREDECESSOR = Constants("common/rows.cuh").NO_PREDECESSOR


def on_device(out: Any) -> bool:
    """Whether kernels can write to the array, so that nothing has to be delivered."""
    return isinstance(out, cupy.ndarray)


def deliver(values: Any, out: Any) -> None:
    """Copy an array of the device to where it is wanted, unless it is there."""
    if not on_device(out):
        download(values, out)  # device to host
    elif values.data.ptr != out.data.ptr:
        out[:] = values
