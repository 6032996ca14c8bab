"""Compilation of the sweep kernel in a second process, parallel to that of other kernels in this.

On a machine's first call compilation takes seconds, and Numba compiles on one core. The process
starts when the first other kernel has to be compiled; its machine code is passed through Numba's
disk cache. Without a cache, a second CPU or the process, this process compiles all kernels.
"""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def compiling_ahead(dtype: str) -> Iterator[None]:
    """Compile the kernel of unweighted sweeps in a second process, within this context."""
    from ..engines.cpu.brandes import brandes_batch
    from ..kernel_cache import compilation
    from ..process import usable_cpus

    ahead = _Precompilation(brandes_batch.run, dtype)
    if usable_cpus() > 1:
        compilation.ahead = ahead
    try:
        yield
    finally:
        compilation.ahead = None
        if ahead.process is not None:  # if it still runs, its kernel was not needed
            ahead.process.terminate()
            ahead.process.wait()


class _Precompilation:
    """The second process; `kernel_cache.compilation` calls `begin` and `wait`."""

    def __init__(self, kernel: Any, dtype: str) -> None:
        self._kernel, self._dtype = kernel, dtype
        self._asked = False
        self.process: subprocess.Popen[bytes] | None = None

    def begin(self, compiled: Any) -> None:
        """Start the process when a first kernel is compiled, unless that is the sweep kernel."""
        kernel, is_first = self._kernel, not self._asked
        self._asked = True
        is_late = compiled is kernel or kernel.signatures
        if not is_first or is_late or not sys.executable or kernel.stats.cache_path is None:
            return
        # The sys.path of this process; -P keeps the working directory off it.
        path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)
        nothing = subprocess.DEVNULL
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, self._dtype],
                env={**os.environ, "PYTHONPATH": path},
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
            )
        except OSError:  # this process compiles it
            return

    def wait(self, function: Any) -> None:
        """Wait for the process to end, if `function` is that of the sweep kernel."""
        if self.process is not None and function is self._kernel.py_func:
            self.process.wait()


def compile_all() -> str:
    """Run every measure on karate, by edges and by length; where the machine code is, in words."""
    from .. import accessibility, betweenness, nearest
    from ..datasets import load
    from ..engines.cpu.brandes import brandes_batch
    from ..kernel_cache import compilation
    from ..measures import centralities, distances

    matrix = load("karate").matrix
    every: Any = (*centralities.BY_PATHS, *distances.MEASURES)
    how: dict[str, Any] = {"device": "cpu"}
    with compiling_ahead("float64"):
        for weighted in (False, True):
            betweenness(matrix, weighted=weighted, **how)
            centralities.centralities(matrix, every, weighted=weighted, **how)
            for call in (accessibility, nearest):
                call(matrix, [1] * matrix.shape[0], weighted=weighted, **how)
    folder = brandes_batch.run.stats.cache_path
    return f"compiled or loaded in {compilation.seconds:.3g} s: {folder or 'not kept on disk'}"


def _compile(dtype: str) -> None:
    """Compile the sweep kernel on a graph of one edge; types are those of any unweighted graph."""
    import numpy as np

    from ..engines.common.base import Sweep
    from ..engines.common.sums import Batch
    from ..engines.cpu.brandes.workspace import BrandesWorkspace
    from ..matrix.csr import CSR
    from ..matrix.graph import Graph
    from ..matrix.ops import GraphOps

    edge = CSR(np.arange(3), np.array([1, 0], dtype=np.int32))
    graph, stop = Graph(2, edge, edge, GraphOps()), np.zeros(1, dtype=np.uint8)
    sums = frozenset({"dependency"})
    sweep = Sweep("brandes by edges", 2, False, np.ones(2), sums, np.dtype(dtype))
    workspace = BrandesWorkspace(graph, sweep, stop)
    workspace.compile([Batch(np.arange(2, dtype=np.int32), np.ones(2), clustered=True)])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this process with the command
    gc.disable()  # with the freeze, a fifth of the time of this process
    _compile(sys.argv[1])
    gc.freeze()
