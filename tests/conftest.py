"""Settings shared by all tests: Hypothesis profiles and the list of engines."""

import gc
import json
import math
import os
import re
import sys
from pathlib import Path

import hypothesis
import pytest
from conformance.meter import Meter

from sparsebc.cli import main as cli
from sparsebc.engines import devices
from sparsebc.sweep import progress

gc.disable()  # during collection, of which it took a third of the time; enabled below

# Children of tests import the package of the tests from any folder, and share its cache.
ROOT = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))

GPU = pytest.param("cuda", marks=pytest.mark.gpu)
SLOW = hypothesis.HealthCheck.too_slow
DEVICES = ("cpu", "reference", GPU)  # an engine joins every test by one more line here

# The first call of an engine compiles it, so a deadline would not test the example. Every run draws
# anew; that of a machine which keeps no database prints what reproduces a failure. Only long runs
# are steered to rare kernels.
profile = hypothesis.settings.register_profile
STEPS = tuple(step for step in hypothesis.Phase if step != hypothesis.Phase.target)
profile("dev", deadline=None, derandomize=False, max_examples=50, phases=STEPS)
profile("ci", hypothesis.settings.get_profile("dev"), print_blob=True, suppress_health_check=[SLOW])
profile("few", hypothesis.settings.get_profile("ci"), max_examples=10)
for name in ("nightly", "device"):  # 100,000 questions of `-m conformance`
    profile(name, hypothesis.settings.get_profile("ci"), max_examples=1000, phases=hypothesis.Phase)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.hookimpl(trylast=True)  # once Hypothesis has loaded the profile
def pytest_configure(config):
    """In long runs each kernel must be met by a question of the conformance suite."""
    if hypothesis.settings.get_current_profile_name() in ("nightly", "device"):
        config.pluginmanager.register(Meter(), "meter")


def pytest_collection_modifyitems(config, items):
    """Deselect tests of more GPUs than there are."""
    there = len(devices.gpus())
    left_out = {item for item in items for mark in item.iter_markers("gpu") if there < _gpus(mark)}
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def _gpus(mark):
    """How many GPUs a mark asks for: ``gpu`` one, ``gpu(2)`` two."""
    return mark.args[0] if mark.args else 1


def pytest_collection_finish():
    """Exempt collected objects from garbage collection, and make it rare.

    It took a tenth of the time.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Collect tests only: doctests would import every module of this folder."""
    collectors = yield
    return [one for one in collectors if type(one) is pytest.Module]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Assign files to processes: one of them compiles a file's kernels and fills its caches."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            """The file; a slice of many questions."""
            return nodeid if "test_many_answers" in nodeid else super()._split_scope(nodeid)

    return Scheduling(config, log)


@pytest.fixture(autouse=True, scope="session")
def graphs_on_the_device():
    """Prepare graphs from 8,192 entries on in the GPU, as graphs of tests are small."""
    with pytest.MonkeyPatch.context() as patch:
        if devices.gpus():
            patch.setattr("sparsebc.matrix.read_matrix.SMALL", 1 << 13)
        yield


@pytest.fixture(params=DEVICES, scope="session")
def device(request):
    """Name of the engine under test; session-wide, so that Hypothesis may use it."""
    return request.param


@pytest.fixture(params=[device for device in DEVICES if device != "reference"], scope="session")
def fast_device(request):
    """Engines for the few problems on which the reference engine takes half a minute."""
    return request.param


@pytest.fixture
def run(capsys, monkeypatch):
    """Run one command in this process; exit status, standard output, standard error.

    Standard error has no progress line, even if the run compiles kernels first.
    """
    monkeypatch.setattr(progress, "LINE_SECONDS", math.inf)

    def call(*argv):
        try:
            status = cli.main([str(arg) for arg in argv])
        except SystemExit as stop:
            status = stop.code
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def done(run):
    """Run a command that must succeed, with notes at most on standard error; its output."""

    def call(*argv):
        status, out, err = run(*argv)
        assert (status, re.sub(r"^note: .*\n", "", err, flags=re.MULTILINE)) == (0, "")
        return out

    return call


@pytest.fixture
def terminal(capsys, monkeypatch):
    """Standard output is a terminal to a command."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: self is sys.stdout, raising=False)


@pytest.fixture
def told(done):
    """Run a command that must succeed on the CPU; its JSON output."""
    return lambda *argv: json.loads(done(*argv, "--device", "cpu", "--json"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
