"""How kernels are compiled: once for float64, once for float32, whatever sums are wanted.

An array that nobody wants is empty, and a kernel asks for its size where it would fill it. Those
branches always go the same way, so they cost little when the kernel runs; compiling each
combination without them costs seconds a combination.
"""

from __future__ import annotations

from functools import partial

from numba import njit
from numba.extending import register_jitable

# Kernels allocate nothing, so they need no reference counts. With them, a sixth more time to
# compile, and arrays handed to a function are counted in and out, atomically. Numba uses the option
# for its own and does not document it.
kernel = partial(njit, cache=True, nogil=True, error_model="numpy", _nrt=False)

# For what a kernel does once a row with all of its state: as a call, that state is some 200
# arguments, and LLVM does not always see to it by itself.
inlined = register_jitable(forceinline=True)
