"""Cache of compiled kernels on disk, and the announcement and time of compiling.

Numba's cache compares the time stamp of the file of a kernel's entry point, not those of the files
that it calls into. Here cached code is valid as long as none of `SOURCES` has changed. Where no
folder is writable, kernels are compiled in memory.
"""

import errno
import functools
import gc
import hashlib
import inspect
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.caching import FunctionCache

from .private_files import is_private, take_if_empty

logger = logging.getLogger("sparsebc")

# Files and folders of all kernels, of the functions that they call and of their constants.
SOURCES = (
    "jit.py",
    *(f"matrix/{name}.py" for name in ("blocks", "components", "csr", "reduction_loops")),
    "engines/common",
    "reduce/chains.py",
    *(f"engines/cpu/{name}" for name in ("brandes", "brandes_weighted", "chains", "common")),
    *(f"engines/cpu/{name}" for name in ("msbfs", "node_sets.py", "path_samples.py")),
    *(f"engines/cpu/{name}" for name in ("path_samples_weighted.py", "sssp")),
    # Applications, which may be left out.
    *("null_models/double_edge_swaps.py", "streets/near.py", "temporal/kernels"),
    *("temporal/events.py", "temporal/timeline.py"),
)
# Seconds without compilation after which the next one is announced anew.
LULL = 10.0


@functools.cache
def source_stamp() -> str:
    """Hash of all kernel sources."""
    stamp, package = hashlib.sha256(), Path(__file__).parent
    for source in SOURCES:
        for file in sorted(package.glob(f"{source}/*.py")) or package.glob(source):
            text = file.read_bytes()
            stamp.update(b"%s %d " % (file.name.encode(), len(text)) + text)
    return stamp.hexdigest()


def _files_of(function: Callable[..., Any]) -> Any:
    """Cache files in the folder that Numba chooses, valid for one stamp of all sources.

    Cached code is a pickle. Beside the sources it is as safe as these; any other folder must be
    writable by this user alone.
    """
    files = FunctionCache._impl_class(function)
    files.locator.get_source_stamp = source_stamp
    folder = Path(files.locator.get_cache_path())
    if folder.parent != Path(inspect.getfile(function)).parent:
        take_if_empty(folder)
        if not is_private(folder):
            raise PermissionError(errno.EPERM, "others may write to it", str(folder))
    return files


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of one kernel."""

    _impl_class = staticmethod(_files_of)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Cached code for a signature, or None."""
        try:
            with compilation.timed():
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


def tell_not_kept(reason: str) -> None:
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
        tell_not_kept(error.strerror or str(error))


class _Compilation(event.Listener):  # type: ignore[misc]
    """Announces compilation, and measures the seconds of compiling and loading kernels.

    Meanwhile garbage collection is off: Numba keeps most of its objects, and scanning them takes a
    tenth of the time.
    """

    def __init__(self) -> None:
        self._last_end = -LULL  # end of the last compilation, on the monotonic clock
        self.depth = 0  # nested compilations and loads; Numba's lock admits one thread at a time
        self._begun = self._before = 0.0
        self._collects = False  # whether garbage collection was on

    @property
    def seconds(self) -> float:
        """Seconds that this process has spent on compiling and loading kernels."""
        return self._before + (time.monotonic() - self._begun if self.depth else 0.0)

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
        if self.depth == 0 and time.monotonic() - self._last_end >= LULL:
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
        if self.depth == 0:
            self._begun = time.monotonic()
            self._collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def _leave(self) -> None:
        if self.depth == 1:
            self._before = self.seconds
        if self.depth <= 1 and self._collects:
            gc.enable()
        self.depth = max(self.depth - 1, 0)  # Ctrl-C may come before `_enter` counts


def _is_ours(numba_event: Any) -> bool:
    """Whether an event concerns a kernel of this package."""
    module: str = numba_event.data["dispatcher"].__module__
    return module.partition(".")[0] == __package__


def working_time() -> float:
    """Monotonic seconds without those of compiling or loading kernels."""
    return time.monotonic() - compilation.seconds


compilation = _Compilation()
event.register("numba:compile", compilation)
