"""The updates of ``common/updates.cuh`` as CuPy's ElementwiseKernels.

The same device functions are inlined by the fused products of the CUDA engine.
"""

import functools
from pathlib import Path
from typing import Any

import cupy
import cupyx.scipy.sparse

from ..cuda.runtime.source import complete
from .updates import Backend, Extended

COMMON = Path(__file__).parents[1] / "cuda" / "common"
HEADERS = complete(COMMON / "extended.cuh") + complete(COMMON / "updates.cuh")


def _kernel(name: str, read: str, written: str, operation: str) -> Any:
    """ElementwiseKernel of an operation of ``updates.cuh``."""
    return cupy.ElementwiseKernel(read, written, operation, f"sparsebc_{name}", preamble=HEADERS)


SIGMA = _kernel(
    "sigma_update",
    "bool fresh, T paths",
    "T sigma",
    "sigma_update(fresh, paths, sigma);",
)
DELTA = _kernel(
    "delta_update",
    "bool here, T sum_g, T omega",
    "T sigma, T delta",
    "delta_update(here, sum_g, omega, sigma, delta);",
)
STRESS = _kernel(
    "stress_update",
    "bool here, T sum_h, T omega, T sigma",
    "T h, T passing",
    "stress_update(here, sum_h, omega, sigma, h, passing);",
)
# Of `Extended` counts, with mantissa m and exponent e.
SIGMA_EXTENDED = _kernel(
    "sigma_update_extended",
    "bool fresh, float64 paths_m, int32 paths_e",
    "float64 sigma_m, int32 sigma_e",
    """
    Extended sigma{sigma_m, sigma_e};
    sigma_update(fresh, Extended{paths_m, paths_e}, sigma);
    sigma_m = sigma.mantissa, sigma_e = sigma.exponent;
    """,
)
DELTA_EXTENDED = _kernel(
    "delta_update_extended",
    "bool here, float64 sum_g_m, int32 sum_g_e, float64 omega",
    "float64 sigma_m, int32 sigma_e, float64 delta",
    """
    Extended sigma{sigma_m, sigma_e};
    delta_update(here, Extended{sum_g_m, sum_g_e}, omega, sigma, delta);
    sigma_m = sigma.mantissa, sigma_e = sigma.exponent;
    """,
)
STRESS_EXTENDED = _kernel(
    "stress_update_extended",
    "bool here, float64 sum_h_m, int32 sum_h_e, float64 omega, float64 sigma_m, int32 sigma_e",
    "float64 h_m, int32 h_e, float64 passing",
    """
    Extended h{h_m, h_e};
    const Extended sigma{sigma_m, sigma_e};
    stress_update(here, Extended{sum_h_m, sum_h_e}, omega, sigma, h, passing);
    h_m = h.mantissa, h_e = h.exponent;
    """,
)


def sigma_update(fresh: Any, paths: Any, sigma: Any) -> None:
    """sigma<fresh> = paths."""
    kernel = SIGMA_EXTENDED if isinstance(sigma, Extended) else SIGMA
    kernel(fresh, *_arrays(paths), *_arrays(sigma))


def delta_update(here: Any, sum_g: Any, omega: Any, sigma: Any) -> Any:
    """delta<here> = sigma .* sum_g;  g<here> = (omega + delta) ./ sigma, which overwrites sigma."""
    delta = cupy.empty(here.shape, dtype=omega.dtype)
    kernel = DELTA_EXTENDED if isinstance(sigma, Extended) else DELTA
    kernel(here, *_arrays(sum_g), omega, *_arrays(sigma), delta)
    return delta


def stress_update(here: Any, sum_h: Any, omega: Any, sigma: Any, h: Any) -> Any:
    """passing<here> = sigma .* sum_h;  h<here> = omega + sum_h."""
    passing = cupy.empty(here.shape, dtype=omega.dtype)
    kernel = STRESS_EXTENDED if isinstance(h, Extended) else STRESS
    kernel(here, *_arrays(sum_h), omega, *_arrays(sigma), *_arrays(h), passing)
    return passing


def _arrays(counts: Any) -> tuple[Any, ...]:
    """Kernel arguments of counts: one array, or mantissa and exponent."""
    return (counts.mantissa, counts.exponent) if isinstance(counts, Extended) else (counts,)


def _free_memory() -> int:
    """Free bytes of the current device, those in CuPy's pool included."""
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
