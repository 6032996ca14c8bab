"""Interface to Numba: how kernels are compiled, cached on disk, announced and stopped.

Numba's cache compares the time stamp of the file of a kernel's entry point, not those of the files
that it calls into. Here cached code is valid as long as none of `SOURCES` has changed. Where no
folder is writable, kernels are compiled in memory.
"""

import errno
import functools
import gc
import hashlib
import inspect
import itertools
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof
from numba.core import event
from numba.core.caching import FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.extending import register_jitable
from numpy.typing import NDArray

from .private_files import is_private, take_if_empty
from .threads import Threads

logger = logging.getLogger("sparsebc")

# Files and folders of all kernels, of the functions that they call and of their constants.
SOURCES = (
    "jit.py",
    "matrix",
    "engines/common",
    "reduce/chains.py",
    *(f"engines/cpu/{name}" for name in ("brandes", "brandes_weighted", "chains", "common")),
    *(f"engines/cpu/{name}" for name in ("double_edge_swaps", "msbfs", "node_sets")),
    *(f"engines/cpu/{name}" for name in ("path_samples", "sssp", "temporal_walks")),
)
# Seconds without compilation after which the next one is announced anew.
LULL = 10.0
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
            _tell(
                "neither the folder of the package nor that of the user's caches can be written; "
                "set NUMBA_CACHE_DIR to one that can"
            )
        except OSError as error:
            _tell(
                f"others may have put code into {error.filename}; set NUMBA_CACHE_DIR to a folder "
                "of your own, or remove this one"
            )
        return NullCache()

    def compile_for(self, *arguments: Any) -> None:
        """Compile or load the kernel for arguments of these types, without a call."""
        self.compile(tuple(map(typeof, arguments)))


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


@functools.cache
def source_stamp() -> str:
    """Hash of all kernel sources."""
    stamp, package = hashlib.sha256(), Path(__file__).parent
    for place in (package / source for source in SOURCES):
        for file in sorted(place.glob("*.py")) if place.is_dir() else [place]:
            text = file.read_bytes()
            stamp.update(b"%s %d " % (file.name.encode(), len(text)) + text)
    return stamp.hexdigest()


class _Implementation(FunctionCache._impl_class):  # type: ignore[misc]
    """Cache files in the folder that Numba chooses, valid for one stamp of all sources.

    Cached code is a pickle. Beside the sources it is as safe as these; any other folder must be
    writable by this user alone.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self.locator.get_source_stamp = source_stamp
        folder = Path(self.locator.get_cache_path())
        if folder.parent == Path(inspect.getfile(function)).parent:
            return
        take_if_empty(folder)
        if not is_private(folder):
            raise PermissionError(errno.EPERM, "others may write to it", str(folder))


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of one kernel."""

    _impl_class = _Implementation

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Cached code for a signature, or None."""
        try:
            with compilation.timed():
                if compilation.ahead is not None:
                    compilation.ahead.wait(self._py_func)
                return super().load_overload(signature, context)
        except Exception:  # unreadable, or of types that this version no longer has
            with _telling():
                self.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write compiled code, if the file can be written."""
        with _telling(), compilation.timed():
            super().save_overload(signature, compiled)


_told: list[str] = []  # the reason why compiled code is not kept, once it is logged


def _tell(reason: str) -> None:
    """Warn, once per process, that compiled code is not kept, and why."""
    if not _told:
        _told.append(reason)
        logger.warning(
            "compiled kernels are not kept, and every process compiles its own: %s", reason
        )


@contextmanager
def _telling() -> Iterator[None]:
    """Context that turns a failure to write a file into a warning."""
    try:
        yield
    except OSError as error:
        _tell(error.strerror or str(error))


class _Compilation(event.Listener):  # type: ignore[misc]
    """Announces compilation, and measures the seconds of compiling and loading kernels.

    Meanwhile garbage collection is off: Numba keeps most of its objects, and scanning them takes a
    tenth of the time.
    """

    def __init__(self) -> None:
        self._last_end = -LULL  # end of the last compilation, on the monotonic clock
        self._depth = 0  # nested compilations and loads; Numba's lock admits one thread at a time
        self._begun = self._before = 0.0
        self._collects = False  # whether garbage collection was on
        # Compiler in another process, if any: `begin` is called with each kernel that is compiled
        # here, `wait` before one is loaded.
        self.ahead: Any = None

    @property
    def running(self) -> bool:
        """Whether a kernel is being compiled or loaded."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Seconds that this process has spent on compiling and loading kernels."""
        return self._before + (time.monotonic() - self._begun if self._depth else 0.0)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Context whose seconds count as compilation, once if nested."""
        try:
            self._enter()
            yield
        finally:
            self._leave()

    def on_start(self, started: Any) -> None:
        """Announce the first kernel of a series, and start the clock."""
        if not _is_ours(started):
            return
        if self._depth == 0 and self.ahead is not None:
            self.ahead.begin(started.data["dispatcher"])
        if self._depth == 0 and time.monotonic() - self._last_end >= LULL:
            kept = started.data["dispatcher"].stats.cache_path is not None
            often = "once on this machine" if kept else "for this process alone"
            logger.warning("compiling the kernels of this kind of call, %s: some seconds", often)
        self._enter()

    def on_end(self, ended: Any) -> None:
        """Stop the clock, also for a kernel that could not be compiled."""
        if _is_ours(ended):
            self._leave()
            self._last_end = time.monotonic()

    def _enter(self) -> None:
        if self._depth == 0:
            self._begun = time.monotonic()
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1

    def _leave(self) -> None:
        if self._depth == 1:
            self._before = self.seconds
        if self._depth <= 1 and self._collects:
            gc.enable()
        self._depth = max(self._depth - 1, 0)  # Ctrl-C may come before `_enter` counts


def _is_ours(numba_event: Any) -> bool:
    """Whether an event concerns a kernel of this package."""
    module: str = numba_event.data["dispatcher"].__module__
    return module.partition(".")[0] == __package__


def working_time() -> float:
    """Monotonic seconds without those of compiling or loading kernels."""
    return time.monotonic() - compilation.seconds


compilation = _Compilation()
event.register("numba:compile", compilation)
