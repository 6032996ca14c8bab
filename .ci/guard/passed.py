"""Tests that passed in an environment of CI, not run again in the next, which has more libraries.

``PYTEST_ADDOPTS="-p passed"`` loads it, and the file ``PASSED`` has the names.
"""

import os
from pathlib import Path

FILE = Path(os.environ["PASSED"])


def pytest_collection_modifyitems(config, items):
    """Leave out what has passed."""
    names = set(FILE.read_text().splitlines()) if FILE.exists() else set()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in names])
    items[:] = [item for item in items if item.nodeid not in names]


def pytest_runtest_logreport(report):
    """Note what passes; workers of xdist leave that to the process that started them."""
    if report.when == "call" and report.passed and "PYTEST_XDIST_WORKER" not in os.environ:
        with FILE.open("a") as file:
            file.write(f"{report.nodeid}\n")
