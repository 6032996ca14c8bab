"""The updates of ``common/updates.cuh`` as CuPy's ElementwiseKernels.

The same device functions are inlined by the fused products of the CUDA engine.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import cupy
import cupyx.scipy.sparse

from ..cuda.source import complete
from .extended import Extended
from .updates import Backend

COMMON = Path(__file__).parents[1] / "cuda" / "common"
HEADERS = complete(COMMON / "extended.cuh") + complete(COMMON / "updates.cuh")
# Parameters of each, those that are only read first.
PARAMETERS = {
    "sigma_update": ("bool fresh, Real paths", "Real sigma"),
    "delta_update": ("bool here, Real below, Share omega", "Real sigma, Share delta"),
    "stress_update": (
        "bool here, Real beyond, Share omega, Real sigma",
        "Real h, Share passing",
    ),
}


def sigma_update(fresh: Any, paths: Any, sigma: Any) -> None:
    """sigma<fresh> = paths."""
    _run("sigma_update", fresh, paths, sigma)


def delta_update(here: Any, below: Any, omega: Any, sigma: Any) -> Any:
    """delta<here> = sigma .* below;  g<here> = (omega + delta) ./ sigma, in sigma's place."""
    delta = cupy.empty(here.shape, dtype=omega.dtype)
    _run("delta_update", here, below, omega, sigma, delta)
    return delta


def stress_update(here: Any, beyond: Any, omega: Any, sigma: Any, h: Any) -> Any:
    """passing<here> = sigma .* beyond;  h<here> = omega + beyond."""
    passing = cupy.empty(here.shape, dtype=omega.dtype)
    _run("stress_update", here, beyond, omega, sigma, h, passing)
    return passing


def _run(name: str, *arrays: Any) -> None:
    """Launch the kernel of floats or of `Extended`, each of which is two arrays to it."""
    parts: list[Any] = []
    for array in arrays:
        parts += [array.mantissa, array.exponent] if isinstance(array, Extended) else [array]
    _kernel(name, len(parts) > len(arrays))(*parts)


@functools.cache
def _kernel(name: str, extended: bool) -> Any:
    """One call of a device function for each element."""
    read, written = (side.split(", ") for side in PARAMETERS[name])
    called = ", ".join(parameter.split()[1] for parameter in read + written)
    load = [x.removeprefix("Real ") for x in read + written if x.startswith("Real ")]
    store = [x.removeprefix("Real ") for x in written if x.startswith("Real ")]
    lines = [f"{name}({called});"]
    if extended:
        lines = [
            *(f"Extended {x}{{{x}_mantissa, {x}_exponent}};" for x in load),
            *lines,
            *(f"{x}_mantissa = {x}.mantissa; {x}_exponent = {x}.exponent;" for x in store),
        ]
    return cupy.ElementwiseKernel(
        _declared(read, extended),
        _declared(written, extended),
        "\n".join(lines),
        f"sparsebc_{name}" + "_extended" * extended,
        preamble=HEADERS,
    )


def _declared(parameters: list[str], extended: bool) -> str:
    """Parameters as CuPy takes them."""
    if not extended:
        return ", ".join(x.replace("Real ", "T ").replace("Share ", "T ") for x in parameters)
    pairs = (
        f"float64 {x[5:]}_mantissa, int32 {x[5:]}_exponent" if x.startswith("Real ") else x
        for x in parameters
    )
    return ", ".join(pairs).replace("Share ", "float64 ")


def _free_memory() -> int:
    """Bytes that are free on the current device, and what CuPy keeps for later."""
    return int(cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes())


DEVICE = Backend(
    "reference:cuda",
    cupy,
    cupyx.scipy.sparse.csr_matrix,
    sigma_update,
    delta_update,
    stress_update,
    functools.partial(cupy.cuda.Device, 0),
    _free_memory,
)
