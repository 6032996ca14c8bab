"""Decorators of kernels, and calls of kernels that Ctrl-C stops."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.extending import register_jitable
from numpy.typing import NDArray

from .kernel_cache import KernelCache, tell_not_kept
from .process import Threads

# Entries of a graph up to which a kernel runs on the calling thread, and Ctrl-C waits for its end.
BRIEF = 1 << 22


class _Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """LLVM IR of a subroutine, to be linked into kernels; it has no machine code of its own."""

    @property
    def codegen(self) -> Any:
        """Object whose `set_env` Numba calls with the address of an environment."""
        return self

    def set_env(self, *_: Any) -> None:
        """Store no address."""

    def _optimize_final_module(self) -> None:
        """Do nothing: the kernel is optimized with all subroutines linked in."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _SubroutineCompiler(Compiler):  # type: ignore[misc]
    """Compiles into `_Unlinked` libraries, which takes a fifth less time per kernel."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a Python function."""
        made = _Unlinked(self.state.targetctx.codegen(), func.__qualname__)
        self.state.update(library=made)
        return super().compile_extra(func)


# Decorator of functions that only kernels call. C entry points would take a tenth of the time to
# compile.
SUBROUTINE: dict[str, Any] = {"no_cfunc_wrapper": True, "pipeline_class": _SubroutineCompiler}
subroutine: Any = register_jitable(**SUBROUTINE)
# For functions that a kernel calls once a row with all of its state: a call would pass some 200
# arguments, and LLVM does not always inline it by itself.
inlined: Any = register_jitable(forceinline=True, **SUBROUTINE)
# Likewise, but optimized before linking, Numba's default: a sweep of single sources is a tenth
# faster, and takes half a second longer to compile.
OPTIMIZED: dict[str, Any] = {"no_cfunc_wrapper": True}
optimized: Any = register_jitable(**OPTIMIZED)
optimized_inlined: Any = register_jitable(forceinline=True, **OPTIMIZED)


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled on its first call and runs without the GIL."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel; an exception of a signal handler is raised as it is, not wrapped."""
        try:
            return super().__call__(*arguments)
        except SystemError as error:  # "returned a result with an exception set", once per frame
            cause: BaseException = error
            while isinstance(cause, SystemError) and cause.__cause__:
                cause = cause.__cause__
            raise cause from None

    @functools.cached_property
    def _cache(self) -> Any:
        """Cache on disk, located on the kernel's first call, so that an import needs no folder."""
        try:
            return KernelCache(self.py_func)
        except RuntimeError:
            tell_not_kept(
                "neither the folder of the package nor that of the user's caches can be written; "
                "set NUMBA_CACHE_DIR to one that can"
            )
        except OSError as error:
            tell_not_kept(
                f"others may have put code into {error.filename}; set NUMBA_CACHE_DIR to a folder "
                "of your own, or remove this one"
            )
        return NullCache()


def kernel(function: Callable[..., Any]) -> Any:
    """Decorator of a kernel, cached on disk if a folder is writable. It can allocate no array.

    With reference counts compilation takes a sixth more time, and each call counts its arrays in
    and out, atomically. The option ``_nrt`` is internal to Numba and not documented.
    """
    options = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
    made = _Kernel(function, targetoptions={**options, "_nrt": False})
    del made._cache  # set by `CPUDispatcher`; the property takes over
    return made


@inlined
def stopped(stop):  # type: ignore[no-untyped-def]
    """Whether a kernel must return at once, without reading what it has not yet written.

    ``stop[0]`` is 0 to run and 1 to stop; larger values are decremented by each call.
    """
    left = stop[0]
    if left > 1:
        stop[0] = left - 1
    return left == 1


def interruptible(work: int, function: Any, *arguments: Any) -> Any:
    """``function(*arguments, stop)``, on another thread if ``work``, in entries, exceeds `BRIEF`.

    Meanwhile the calling thread handles signals: on Ctrl-C it stops the function (`stopped`).
    """
    stop = np.zeros(1, dtype=np.uint8)
    if work <= BRIEF:
        return function(*arguments, stop)
    with Threads(1) as threads:
        try:
            return threads.submit(function, *arguments, stop).result()
        except BaseException:
            stop[0] = 1
            raise


def in_parts(
    work: int,
    bounds: NDArray[Any],
    function: Any,
    *arguments: Any,
    threads: int | None = None,
    stop: NDArray[np.uint8] | None = None,
) -> list[Any]:
    """Results of ``function(first, last, *arguments, stop)`` for consecutive bounds, by threads.

    No two parts write the same element. Ctrl-C stops them as in `interruptible`. The last part is
    submitted first: if parts read what lies before them, it has the most work.
    """
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    parts = list(itertools.pairwise(bounds.tolist()))
    if work <= BRIEF and len(parts) == 1:
        return [function(*parts[0], *arguments, stop)]
    with Threads(min(threads or len(parts), len(parts))) as pool:
        try:
            tasks = [pool.submit(function, *part, *arguments, stop) for part in parts[::-1]]
            return [task.result() for task in tasks[::-1]]
        except BaseException:
            stop[0] = 1
            raise
