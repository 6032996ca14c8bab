"""Settings shared by all tests: Hypothesis profiles and the list of engines."""

import os

import hypothesis
import pytest

from sparsebc import engines

NEEDS_GPU = (pytest.mark.gpu, pytest.mark.skipif(not engines.devices(), reason="no GPU"))
GPU = pytest.param("cuda", marks=NEEDS_GPU)
DEVICES = ("cpu", "reference", GPU)  # an engine joins every test by one more line here

# What the CUDA engine does not know yet: it says so, and these skip it.
NOT_ON_GPU = ("test_weighted", "test_weighted_measures", "test_weighted_traps")

# The first call of an engine compiles it, so a deadline would say nothing about the example.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_modifyitems(items):
    """Skip on GPUs what they refuse."""
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        if item.path.stem in NOT_ON_GPU and "cuda" in (
            params.get("device"),
            params.get("fast_device"),
        ):
            item.add_marker(pytest.mark.skip(reason="the CUDA engine does not know this measure"))


@pytest.fixture(params=DEVICES, scope="session")
def device(request):
    """Name of the engine under test; session-wide, so that Hypothesis may use it."""
    return request.param


@pytest.fixture(params=[device for device in DEVICES if device != "reference"], scope="session")
def fast_device(request):
    """Engines for the few problems on which the literal algebra takes half a minute."""
    return request.param
