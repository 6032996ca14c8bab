"""NetworkX's own tests, unchanged, with the installed sparsebc as their backend.

1. Its two files on betweenness, where nothing falls back: no failure; each test that is expected
   to fail is named by the backend with its reason.
2. The other files that touch what is served, the rest falling back: the failures are those of
   NetworkX without a backend.

A count of the calls that each function served shows that it was ours that ran.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from sparsebc.networkx.backend import XFAIL, backend
from sparsebc.networkx.functions import FUNCTIONS

BETWEENNESS = (
    "centrality.tests.test_betweenness_centrality",
    "centrality.tests.test_betweenness_centrality_subset",
)
TOUCHED = (
    "bipartite.tests.test_centrality",
    "centrality.tests.test_closeness_centrality",
    "centrality.tests.test_group",
    "centrality.tests.test_harmonic_centrality",
    "centrality.tests.test_percolation_centrality",
    "community.tests.test_centrality",
    "community.tests.test_divisive",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_weighted",
    "tests.test_dag",
    "tests.test_distance_measures",
    "tests.test_distance_regular",
    "tests.test_efficiency",
    "tests.test_threshold",
    "tests.test_wiener",
    "tree.tests.test_distance_measures",
)
# Random graphs on which two ways of NetworkX's own are compared: but one seed in ten.
MORE_SEEDS = re.compile(r"^test_use_bounds_on_off_consistency\[.*-[1-9]\]$")


class Watch:
    """Counts calls of the functions served, and keeps the names of the tests that fail."""

    def __init__(self):
        self.calls, self.outcomes, self.failed, self.xfailed = Counter(), Counter(), [], {}

    def pytest_sessionstart(self, session):
        """Count from the first test on."""
        for name in FUNCTIONS:
            setattr(backend, name, self._counted(name, getattr(backend, name)))

    def pytest_collection_modifyitems(self, config, items):
        """Leave out tests that differ from others by the seed alone."""
        left_out = [item for item in items if MORE_SEEDS.search(item.name)]
        items[:] = [item for item in items if not MORE_SEEDS.search(item.name)]
        config.hook.pytest_deselected(items=left_out)

    def _counted(self, name, function):
        def counted(*args, **kwargs):
            self.calls[name] += 1
            return function(*args, **kwargs)

        return counted

    def pytest_runtest_logreport(self, report):
        """Note the outcome of each test, an error on the way to it or from it too."""
        if report.when == "call" or report.outcome == "failed":
            self.outcomes[report.outcome] += 1
        if report.failed:
            self.failed.append(report.nodeid)
        if hasattr(report, "wasxfail") and report.skipped:
            self.xfailed[".".join(report.nodeid.split("::")[1:])] = report.wasxfail


def watched(words):
    """Run pytest here, and write what was seen to the file named first."""
    output, *arguments = words
    watch = Watch()
    status = pytest.main(arguments, plugins=[watch])
    Path(output).write_text(json.dumps({"status": int(status), **vars(watch)}))


def run(files, folder, **settings):
    """Run files of tests in a process of their own."""
    output, ini = folder / "outcomes.json", folder / "pytest.ini"
    ini.write_text("[pytest]\n")
    names = [f"networkx.algorithms.{name}" for name in files]
    quiet = ["-q", "-W", "ignore", "-p", "no:cacheprovider", "-c", ini, "--rootdir", folder]
    command = [sys.executable, __file__, output, *quiet, "--pyargs", *names]
    names = ("NETWORKX_", "PYTEST_ADDOPTS")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    subprocess.run(command, check=True, env=clean | settings, cwd=folder)
    seen = json.loads(output.read_text())
    if seen["status"] not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"pytest ended with status {seen['status']}")
    return seen


def main():
    """Both runs: what they show that is not as it should be, a line each, or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        alone = run(BETWEENNESS, folder, NETWORKX_TEST_BACKEND="sparsebc")
        both = run(TOUCHED, folder, NETWORKX_TEST_BACKEND="sparsebc", NETWORKX_FALLBACK_TO_NX="1")
        plain = run(TOUCHED, folder)["failed"] if both["failed"] else []
    print("tests without fallback:", alone["outcomes"], "with:", both["outcomes"])
    calls = Counter(alone["calls"]) + Counter(both["calls"])
    print("calls that ours served:", dict(sorted(calls.items())))
    faults = [f"fails without fallback: {test}" for test in alone["failed"]]
    faults += [
        f"expected to fail, but not by name: {one}" for one in alone["xfailed"].keys() - XFAIL
    ]
    faults += [f"expected to fail, but did not: {one}" for one in XFAIL.keys() - alone["xfailed"]]
    faults += [f"fails with sparsebc alone: {one}" for one in both["failed"] if one not in plain]
    faults += [f"never ran: {one}" for one in FUNCTIONS if not calls[one]]
    return "\n".join(faults) or None


if __name__ == "__main__":
    if sys.argv[1:]:
        watched(sys.argv[1:])
    else:
        sys.exit(main())
