"""Questions that are drawn, answered by each engine and from the definitions."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import warm
from conformance import drawing, runner, truth, verdict

from sparsebc.reduce import chains

QUESTIONS = 2000
SLICES = 10  # of the questions of the default run
REFERENCE_ONE_IN = 5
# Knobs of another type of counts, or of places.
BEYOND = {"paths beyond floats", "paths beyond float32", "entries of 64 bits"}


def drawn(seed, device):
    """The question of a number, as a device is asked it."""
    return drawing.question(seed, on_gpu=device == "cuda")


def is_rare(question):
    """Whether kernels of lengths, chains or groups are compiled for it anew, for another type."""
    other_type = "dtype" in question.run or not BEYOND.isdisjoint(question.knobs)
    has_chains = "chains" in {*question.knobs, *question.run.get("reduce", ())}
    has_chains |= question.n >= chains.ENOUGH_SOURCES  # that are looked for by default
    has_groups = question.measure in ("group_betweenness", "prominent_group")
    return other_type and (question.weighted or has_chains or has_groups)


def in_common_types(question):
    """The same in float64, if it is rare: kernels of the CPU take seconds each to compile."""
    if not is_rare(question):
        return question
    run = {name: value for name, value in question.run.items() if name != "dtype"}
    return replace(question, run=run, knobs=tuple(sorted({*question.knobs} - BEYOND)))


def ask(questions, device):
    """Put questions to a device; a wrong answer is shown with the question that it is of."""
    for question in questions:
        wrong = verdict.complaints(question, device)
        if wrong:
            small = verdict.smaller(question, device)
            again = "\n".join(map(runner.spelled, (question, small)))
            pytest.fail(f"{device}: {wrong}\n{again}\n{verdict.complaints(small, device)}")


@pytest.mark.parametrize("part", range(SLICES))
@pytest.mark.parametrize("by", ["edges", "lengths"])
def test_answers_are_right(by, part, fast_device):
    """Each half needs kernels that the other does not: two workers of pytest compile them."""
    seeds = range(part, QUESTIONS, SLICES)
    seeds = (seed for seed in seeds if drawing.begun(seed)[-1] == (by == "lengths"))
    questions = (drawn(seed, fast_device) for seed in seeds)
    ask(map(in_common_types, questions) if fast_device == "cpu" else questions, fast_device)


@pytest.mark.long
@pytest.mark.parametrize("part", range(SLICES))
def test_answers_of_rare_types_are_right(part):
    """The questions that were changed, as they are drawn."""
    ask(filter(is_rare, (drawn(seed, "cpu") for seed in range(part, QUESTIONS, SLICES))), "cpu")


@pytest.mark.parametrize("part", range(4))
def test_the_algebra_is_right(part):
    """Of fewer questions, and of graphs that are not too large for dense arrays of all sources."""
    seeds = range(part * REFERENCE_ONE_IN, QUESTIONS, 4 * REFERENCE_ONE_IN)
    ask((one for one in map(drawing.question, seeds) if one.n <= 100), "reference")


@pytest.mark.conformance
@pytest.mark.parametrize("part", range(100))
def test_many_answers_are_right(part, fast_device):
    ask((drawn(s, fast_device) for s in range(QUESTIONS + part, 100_000, 100)), fast_device)


def test_the_runner_asks_and_counts_kernels():
    """From its command line, in processes of its own."""
    command = "-m tests.conformance --count 4 --sizes small --some-kernels --processes 1"
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [*warm.python(), *command.split()], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 answers, 0 wrong" in done.stdout
    assert "  cpu  engines.cpu." in done.stdout


def test_both_definitions_agree():
    """What the oracle writes down path by path, and sums of sigma(s, v) sigma(v, t)."""
    compared = 0
    for seed in range(800):
        question = drawing.question(seed, small=True)
        if question.measure not in truth.MEASURES or verdict.refusals(question):
            continue
        network = truth.network(question)
        if not truth.are_few(network):
            continue
        cutoff = question.options.get("cutoff", np.inf)
        sums = truth.Sums(question, network, min(np.atleast_1d(cutoff)))
        written = sums.of_nodes(True), sums.of_nodes(False), sums.of_edges(), sums.of_paths()
        sums.is_written = False
        counted = sums.of_nodes(True), sums.of_nodes(False), sums.of_edges(), sums.of_paths()
        for one, other in zip(written, counted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        compared += 1
    assert compared > 80


@pytest.mark.parametrize("seed", range(40))
def test_a_wrong_answer_is_told(seed, monkeypatch):
    """Every number a thousandth off, of whatever measure."""
    question, call, changed = in_common_types(drawing.question(seed)), verdict._call, []

    def off(*args):
        found = call(*args)
        for array in verdict.parts(found):
            if array.dtype.kind == "f" and np.isfinite(array).any():
                array[...] = np.where(np.isfinite(array), 1.001 * array + 1e-3, array)
                changed.append(array)
        return found

    assert not verdict.complaints(question, "cpu")
    monkeypatch.setattr(verdict, "_call", off)
    assert bool(verdict.complaints(question, "cpu")) == bool(changed)


def test_a_failure_becomes_small(monkeypatch):
    """Scores are wrong where a node has three edges: a star of three remains, and no option."""
    call = verdict._call

    def off(question, *rest):
        found = call(question, *rest)
        if question.measure == "betweenness":
            degree = np.bincount([i for i, _ in truth.network(question).edges], minlength=1)
            found[:] += degree.max(initial=0) > 2
        return found

    monkeypatch.setattr(verdict, "_call", off)
    question = next(
        one
        for one in map(in_common_types, map(drawing.question, range(10_000)))
        if one.measure == "betweenness" and one.n in range(10, 20) and len(one.options) > 3
        if verdict.complaints(one, "cpu")
    )
    small = verdict.smaller(question, "cpu")
    assert small.n == 4
    assert len(small.entries) == 3
    assert (small.knobs, small.run) == ((), {})
