"""Questions that are drawn, answered by each engine and from the definitions."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from conformance import drawing, meter, verdict
from hypothesis import HealthCheck, Phase, event, given, settings, target
from hypothesis import strategies as st

from sparsebc.reduce.reduce import LEAST_CHAINS

SLICES = 100  # of the questions of a long run, each of as many as the profile has examples
# Knobs of another type of counts, or of places.
BEYOND = {"paths beyond floats", "entries of 64 bits"}
# Of questions one in ten is rare.
UNHEALTHY = HealthCheck.data_too_large, HealthCheck.too_slow, HealthCheck.filter_too_much
LARGE = settings(suppress_health_check=UNHEALTHY)


def is_rare(question):
    """Whether kernels of lengths, chains or groups are compiled for it anew, for another type."""
    other_type = not BEYOND.isdisjoint(question.knobs)
    has_chains = "chains" in {*question.knobs, *question.run.get("reduce", ())}
    has_chains |= question.n >= LEAST_CHAINS  # that are looked for by default
    has_groups = question.measure in ("group_betweenness", "prominent_group")
    return other_type and (question.weighted or has_chains or has_groups)


def in_common_types(question):
    """The same in common types, if it is rare: kernels of the CPU take seconds to compile."""
    if not is_rare(question):
        return question
    return replace(question, knobs=tuple(sorted({*question.knobs} - BEYOND)))


@pytest.fixture(scope="module", autouse=True)
def kernels():
    """Kernels note that they run."""
    with meter.noting():
        yield


def check(question, device):
    """Put a question to a device; kernels that it runs are events, the rarer the better.

    Only long runs look for rare ones: what Hypothesis keeps for it takes half the time.
    """
    wrong = verdict.complaints(question, device)
    met = meter.met(device)
    for name in met:
        event(name)
    if Phase.target in settings.default.phases:
        target(sum(1.0 / meter.runs[device, name] for name in met))
    assert not wrong


@pytest.mark.parametrize("by", ["edges", "lengths"])
@given(data=st.data())
@settings(LARGE, max_examples=200)
def test_answers_are_right(by, data, fast_device):
    """Each half needs kernels that the other does not: two workers of pytest compile them."""
    some = drawing.questions(weighted=by == "lengths", on_gpu=fast_device == "cuda")
    question = data.draw(some.map(in_common_types) if fast_device == "cpu" else some)
    check(question, fast_device)


@pytest.mark.slow
@given(drawing.questions().filter(is_rare))
@settings(LARGE, max_examples=300)
def test_answers_of_rare_types_are_right(question):
    """The questions that are changed above, as they are drawn; `.ci/run bounds` asks for it."""
    check(question, "cpu")


@given(drawing.questions(most=40))
@settings(LARGE, max_examples=60)
def test_the_algebra_is_right(question):
    """Of fewer questions, and of graphs that are not too large for dense arrays of all sources."""
    check(question, "reference")


@pytest.mark.conformance
@pytest.mark.parametrize("part", range(SLICES))
@given(data=st.data())
@settings(LARGE)
def test_many_answers_are_right(part, data, fast_device):
    """Of all types; profiles nightly and device ask 1,000 each."""
    check(data.draw(drawing.questions(on_gpu=fast_device == "cuda")), fast_device)


@pytest.mark.conformance
@pytest.mark.parametrize("part", range(SLICES // 8))
@given(question=drawing.questions(most=40))
@settings(LARGE)
def test_many_answers_of_the_algebra_are_right(part, question):
    check(question, "reference")


def test_kernels_that_no_question_met_are_told_without_cupy(monkeypatch):
    monkeypatch.setattr(meter, "runs", {("cpu", "another"): 1})
    assert "cpu  engines.cpu.brandes.brandes_batch.run" in meter.Meter().never_met()


@given(drawing.questions(most=40).map(in_common_types))
@settings(max_examples=40)
def test_a_wrong_answer_is_told(question):
    """Every number a thousandth off, of whatever measure."""
    call, changed = verdict._call, []

    def off(*args):
        found = call(*args)
        for array in verdict.parts(found):
            if array.dtype.kind == "f" and np.isfinite(array).any():
                array[...] = np.where(np.isfinite(array), 1.001 * array + 1e-3, array)
                changed.append(array)
        return found

    with mock.patch.object(verdict, "_call", off):
        assert bool(verdict.complaints(question, "cpu")) == bool(changed)
