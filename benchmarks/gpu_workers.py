"""One process a GPU: workers of Dask on one host, as dask-cuda starts them, to measure and to kill.

Each has a GPU in ``CUDA_VISIBLE_DEVICES`` and one thread. A worker that is killed is started again
by the process that watches over it, as on a cluster.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

START_SECONDS = 120


@contextlib.contextmanager
def workers(gpus):
    """Client of so many workers, ended with them."""
    import distributed

    options = {"n_workers": 0, "dashboard_address": None, "silence_logs": "ERROR"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        line = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        line += ["--nthreads", "1", "--no-dashboard", "--resources", "GPU=1"]
        started = [
            subprocess.Popen(
                line,
                env={**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for gpu in range(gpus)
        ]
        try:
            client.wait_for_workers(gpus, timeout=START_SECONDS)
            yield client
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait(timeout=30)


class Killed:
    """While it lasts, a worker that is killed after so many seconds; ``done`` says if it was."""

    def __init__(self, client, seconds):
        self._process = min(client.run(os.getpid).values())
        self._timer = threading.Timer(seconds, self._kill)
        self.done = False

    def _kill(self):
        os.kill(self._process, signal.SIGKILL)
        self.done = True

    def __enter__(self):
        self._timer.start()
        return self

    def __exit__(self, *_):
        self._timer.cancel()
        self._timer.join()
