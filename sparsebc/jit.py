"""The one door to Numba: how kernels are compiled, kept on disk, announced and stopped.

Numba keeps machine code beside the file of a kernel's entry point and compares that file alone with
what it compiled, not those that it calls into. Here the code is fresh as long as none of `SOURCES`
has changed. Where no folder can be written, kernels are compiled in memory.
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

# Files and folders of all kernels, of what they call and of their constants.
SOURCES = (
    "jit.py",
    "brandes.py",
    "graph",
    "engines/common",
    "reduce/chains.py",
    *(f"engines/cpu/{name}" for name in ("brandes", "brandes_weighted", "chains", "common")),
    *(f"engines/cpu/{name}" for name in ("double_edge_swaps", "msbfs", "node_sets")),
    *(f"engines/cpu/{name}" for name in ("path_samples", "sssp", "temporal_walks")),
)
# Seconds after a kernel was compiled in which the next one belongs to the same notice.
LULL = 10.0
# Entries of a graph that kernels go through without being waited for by another thread.
BRIEF = 1 << 22


class _Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """A subroutine as it was lowered, which kernels link in; it has no machine code."""

    @property
    def codegen(self) -> Any:
        """What Numba stores the address of an environment with, of which there is none."""
        return self

    def set_env(self, *_: Any) -> None:
        """Store no address."""

    def _optimize_final_module(self) -> None:
        """Left to the kernel, once for all that it calls."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _SubroutineCompiler(Compiler):  # type: ignore[misc]
    """Compiles into such libraries, which takes a fifth less time over a kernel."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function of Python."""
        made = _Unlinked(self.state.targetctx.codegen(), func.__qualname__)
        self.state.update(library=made)
        return super().compile_extra(func)


# What kernels call, and C does not: an entry point for C each takes a tenth of the time to compile.
SUBROUTINE: dict[str, Any] = {"no_cfunc_wrapper": True, "pipeline_class": _SubroutineCompiler}
subroutine: Any = register_jitable(**SUBROUTINE)
# For what a kernel does once a row with all of its state: as a call, that state is some 200
# arguments, and LLVM does not always see to it by itself.
inlined: Any = register_jitable(forceinline=True, **SUBROUTINE)
# The same, optimized before they are linked in, as Numba does by itself: a sweep of single sources
# is a tenth faster so, and takes half a second longer to compile.
OPTIMIZED: dict[str, Any] = {"no_cfunc_wrapper": True}
optimized: Any = register_jitable(**OPTIMIZED)
optimized_inlined: Any = register_jitable(forceinline=True, **OPTIMIZED)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile what allocates nothing, and so needs no reference counts.

    With them, a sixth more time to compile, and arrays passed to a function are counted in and out,
    atomically. Numba uses the option for its own and does not document it.
    """
    return _kept(function, error_model="numpy", _nrt=False)


def allocating_kernel(function: Callable[..., Any]) -> Any:
    """Compile what makes arrays of its own."""
    return _kept(function)


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled on its first call and runs without the GIL."""

    def __call__(self, *arguments: Any) -> Any:
        """What it returns; or what the handler of a signal raised while Numba took that over."""
        try:
            return super().__call__(*arguments)
        except SystemError as error:  # "returned a result with an exception set", of each function
            cause: BaseException = error
            while isinstance(cause, SystemError) and cause.__cause__:
                cause = cause.__cause__
            raise cause from None

    @functools.cached_property
    def _cache(self) -> Any:
        """Looked for when the kernel is first called, so that an import needs no folder."""
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
        """Compile it for such arguments, or load it, without a call."""
        self.compile(tuple(map(typeof, arguments)))


def _kept(function: Callable[..., Any], **options: Any) -> _Kernel:
    """The kernel of a function, kept on disk if there is a place."""
    made = _Kernel(
        function,
        targetoptions={"nopython": True, "nogil": True, "no_cfunc_wrapper": True, **options},
    )
    del made._cache  # no cache, in whose place there is one on the first call
    return made


@inlined
def stopped(stop):  # type: ignore[no-untyped-def]
    """Whether a kernel is to end at once, and return before it reads what it has not written.

    ``stop[0]`` is 0 to go on and 1 to end; from more it is counted down, a look at a time.
    """
    left = stop[0]
    if left > 1:
        stop[0] = left - 1
    return left == 1


def interruptible(work: int, function: Any, *arguments: Any) -> Any:
    """``function(*arguments, stop)``, on another thread if it goes through many entries.

    The main thread waits awake for it, so that Ctrl-C is heard, and then has it `stopped`.
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
    """``function(first, last, *arguments, stop)`` between each two bounds, by as many threads.

    No two parts write the same element. They are stopped as by `interruptible`. The last one begins
    first: where a part looks at what is before it, it has the most to do.
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
    """Fresh by the stamp of all sources, in the folder that Numba finds, if it can be trusted.

    Machine code is a pickle. Beside the kernels it is as safe as these; elsewhere the folder must
    be this user's alone.
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
    """Machine code of one kernel on disk."""

    _impl_class = _Implementation

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled for these types before, or None."""
        try:
            with compilation.timed():
                if compilation.ahead is not None:
                    compilation.ahead.wait(self._py_func)
                return super().load_overload(signature, context)
        except Exception:  # cannot be read, or names types that this version no longer has
            with _telling():
                self.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, if that can be written."""
        with _telling(), compilation.timed():
            super().save_overload(signature, compiled)


_told: list[str] = []  # why machine code is not kept


def _tell(reason: str) -> None:
    """Say, once in a process, that the next one will compile again, and why."""
    if not _told:
        _told.append(reason)
        logger.warning(
            "compiled kernels are not kept, and every process compiles its own: %s", reason
        )


@contextmanager
def _telling() -> Iterator[None]:
    """Go on where a file cannot be written."""
    try:
        yield
    except OSError as error:
        _tell(error.strerror or str(error))


class _Compilation(event.Listener):  # type: ignore[misc]
    """Says that kernels are about to be compiled, and counts the seconds until they can run.

    Meanwhile no garbage is collected: Numba keeps most of what it makes, and looking through that
    takes a tenth of the time.
    """

    def __init__(self) -> None:
        self._last_end = -LULL  # when the last kernel was compiled, on the monotonic clock
        self._depth = 0  # kernels in the making; Numba compiles and loads on one thread at a time
        self._begun = self._before = 0.0
        self._collects = False  # whether garbage is to be collected afterwards
        # Whoever has a kernel compiled elsewhere: `begin` hears which one is compiled here, and
        # `wait` is called before one is loaded.
        self.ahead: Any = None

    @property
    def running(self) -> bool:
        """Whether a kernel is being compiled or loaded."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Time that this process has compiled kernels and loaded them from disk."""
        return self._before + (time.monotonic() - self._begun if self._depth else 0.0)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the seconds of this context, once where several are open."""
        try:
            self._enter()
            yield
        finally:
            self._leave()

    def on_start(self, started: Any) -> None:
        """Announce the first kernel of several in a row."""
        if not _is_ours(started):
            return
        if self._depth == 0 and self.ahead is not None:
            self.ahead.begin(started.data["dispatcher"])
        if self._depth == 0 and time.monotonic() - self._last_end >= LULL:
            kept = started.data["dispatcher"].stats.cache_path is not None
            often = "for this machine, once" if kept else "for this process alone"
            logger.warning("compiling kernels %s: some seconds", often)
        self._enter()

    def on_end(self, ended: Any) -> None:
        """Count a kernel that could not be compiled as well."""
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
        self._depth = max(self._depth - 1, 0)  # Ctrl-C may come before it was counted


def _is_ours(happened: Any) -> bool:
    """Whether an event concerns a kernel of this package."""
    module: str = happened.data["dispatcher"].__module__
    return module.partition(".")[0] == __package__


def working_time() -> float:
    """Seconds on a clock that stands still while kernels are compiled or loaded."""
    return time.monotonic() - compilation.seconds


compilation = _Compilation()
event.register("numba:compile", compilation)
