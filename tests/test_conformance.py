"""Questions that are drawn, answered by each engine and from the definitions."""

import numpy as np
import pytest
from conformance import drawing, truth, verdict

QUESTIONS = 2000
SLICES = 20  # of the questions of the default run, so that workers of pytest share them
REFERENCE_ONE_IN = 10


def ask(seeds, device):
    """Put questions to a device; a wrong answer is shown with the question that it is of."""
    for seed in seeds:
        question = drawing.question(seed, on_gpu=device == "cuda")
        wrong = verdict.complaints(question, device)
        if wrong:
            again = f"python -m tests.conformance {seed} --device {device}"
            small = verdict.smaller(question, device)
            pytest.fail(f"{again}: {wrong}\n{small}\n{verdict.complaints(small, device)}")


@pytest.mark.parametrize("part", range(SLICES))
def test_answers_are_right(part, fast_device):
    ask(range(part, QUESTIONS, SLICES), fast_device)


@pytest.mark.parametrize("part", range(4))
def test_the_algebra_is_right(part):
    """Of fewer questions, and of graphs that are not too large for dense arrays of all sources."""
    for seed in range(part * REFERENCE_ONE_IN, QUESTIONS, 4 * REFERENCE_ONE_IN):
        if drawing.question(seed).n <= 100:
            ask([seed], "reference")


@pytest.mark.conformance
@pytest.mark.parametrize("part", range(100))
def test_many_answers_are_right(part, fast_device):
    ask(range(QUESTIONS + part, 100_000, 100), fast_device)


def test_both_definitions_agree():
    """What the oracle writes down path by path, and sums of sigma(s, v) sigma(v, t)."""
    compared = 0
    for seed in range(600):
        question = drawing.question(seed, small=True)
        if question.measure not in truth.MEASURES or isinstance(
            verdict.expected(question), Exception
        ):
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
    assert compared > 100


@pytest.mark.parametrize("seed", range(40))
def test_a_wrong_answer_is_told(seed, monkeypatch):
    """Scores that are a millionth off, of whatever measure."""
    question = drawing.question(seed)
    call = verdict._call

    def off(*args):
        found = call(*args)
        for array in verdict._parts(found):
            if array.dtype.kind == "f" and array.size:
                array[...] = np.where(np.isfinite(array), array * 1.001 + 1e-3, array)
        return found

    plain = verdict.complaints(question, "cpu")
    assert not plain
    monkeypatch.setattr(verdict, "_call", off)
    told = verdict.complaints(question, "cpu")
    numbers = question.n and question.measure not in ("bfs", "connected_components")
    if numbers and not isinstance(verdict.expected(question), Exception):
        assert told or not question.entries
