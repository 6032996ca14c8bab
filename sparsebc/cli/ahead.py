"""A second process compiles the kernel that sweeps, while this one compiles those that prepare.

On the first call of a machine that takes seconds, and Numba compiles on one core. The process is
started once another kernel has to be compiled, and its machine code comes by way of the folder that
kernels are kept in. Without that folder, a second CPU or a process, this one compiles all of them.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def compiling_ahead(dtype: str) -> Iterator[None]:
    """Have the kernel of sweeps by edges compiled ahead within this context."""
    from ..engines.cpu.brandes import brandes_batch
    from ..jit import compilation
    from ..run.cpus import usable_cpus

    ahead = _Ahead(brandes_batch.run, dtype)
    if usable_cpus() > 1:
        compilation.ahead = ahead
    try:
        yield
    finally:
        compilation.ahead = None
        ahead.end()


class _Ahead:
    """The process, as `jit.compilation` knows it."""

    def __init__(self, kernel: Any, dtype: str) -> None:
        self._kernel, self._dtype = kernel, dtype
        self._asked = False
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, compiled: Any) -> None:
        """Start the process as the first kernel is compiled, unless it is this one."""
        kernel, is_first = self._kernel, not self._asked
        self._asked = True
        is_late = compiled is kernel or kernel.signatures
        if not is_first or is_late or not sys.executable or kernel.stats.cache_path is None:
            return
        # As this process imports, and nothing from the current folder unless this one does.
        path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)
        nothing = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, self._dtype],
                env={**os.environ, "PYTHONPATH": path},
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
            )
        except OSError:  # this process compiles it
            return

    def wait(self, function: Any) -> None:
        """Wait for the process to end, before the kernel of this function is loaded."""
        if self._process is not None and function is self._kernel.py_func:
            self._process.wait()

    def end(self) -> None:
        """Stop the process, whose kernel was not needed if it still runs."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


def _compile(dtype: str) -> None:
    """Compile the kernel for graphs without lengths: its types are those of any such graph."""
    import numpy as np

    from ..engines.common.base import Sweep
    from ..engines.common.batch import Batch
    from ..engines.cpu.brandes.workspace import BrandesWorkspace
    from ..graph.csr import CSR
    from ..graph.graph import Graph
    from ..graph.ops import GraphOps

    edge = CSR(np.arange(3), np.array([1, 0], dtype=np.int32))
    graph, stop = Graph(2, edge, edge, GraphOps()), np.zeros(1, dtype=np.uint8)
    sums = frozenset({"dependency"})
    sweep = Sweep("brandes by edges", 2, False, np.ones(2), sums, np.dtype(dtype))
    workspace = BrandesWorkspace(graph, sweep, stop)
    workspace.compile([Batch(np.arange(2, dtype=np.int32), np.ones(2), clustered=True)])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # at once, with the command
    _compile(sys.argv[1])
