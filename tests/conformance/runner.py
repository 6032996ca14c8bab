"""Ask many questions in many processes: ``python -m tests.conformance --count 100000``.

``python -m tests.conformance 12345 --device cuda`` asks one again, and prints it.
"""

import argparse
import faulthandler
import logging
import multiprocessing
import os
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from pathlib import Path

from . import drawing, meter, verdict

SLICE = 50  # questions of a task
FOREVER = threading.TIMEOUT_MAX
LATE = 60  # seconds for running tasks after the time limit
LITERAL = 150  # most nodes of questions to the reference engine
_asking = Path()


def main():
    """Command: ask questions; exit status 1 if an answer is wrong or a kernel never ran."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("question", nargs="?", type=int, help="ask this one alone")
    parser.add_argument("--count", type=int, default=2000, help="how many to ask")
    parser.add_argument("--start", type=int, default=0, help="number of the first")
    parser.add_argument("--device", action="append", help="cpu, reference, cuda; more than once")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--sizes", choices=("all", "small"), default="all", help="small: n < 40")
    parser.add_argument("--reference-share", type=int, default=8, help="one in so many asks it")
    parser.add_argument("--seconds", type=float, default=FOREVER, help="then begin no more")
    parser.add_argument("--some-kernels", action="store_true", help="not all need to be met")
    given = parser.parse_args()
    given.device = given.device or ["cpu"]
    if given.question is not None:
        return _explain(given)
    total, begun = meter.Meter(), time.monotonic()
    for counts, lines in _answers(given):
        total.add(counts)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    print(*total.table(), sep="\n")
    missing = [name for device in given.device for name in total.never_met(device)]
    for name in missing:
        print(f"never met: {name}")
    took = time.monotonic() - begun
    print(f"{total.questions} answers, {total.failures} wrong, {took:.0f} s")
    return int(total.failures > 0 or (bool(missing) and not given.some_kernels))


def _answers(given):
    """Yield the results of `_ask` for each slice, from this process or from a pool."""
    end = given.start + given.count
    slices = [range(i, min(i + SLICE, end)) for i in range(given.start, end, SLICE)]
    with tempfile.TemporaryDirectory() as folder:
        if given.processes == 1:
            _begin(folder)
            over = time.monotonic() + given.seconds
            yield from (_ask(given, seeds) for seeds in slices if time.monotonic() < over)
            return
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(given.processes, context, _begin, (folder,))
        tasks = {pool.submit(_ask, given, seeds) for seeds in slices}
        try:
            for task in as_completed(set(tasks), given.seconds):
                tasks.remove(task)
                yield task.result()
        except BrokenProcessPool:
            yield _fault("a process died at one of the questions", folder)
        except TimeoutError:
            done, late = wait([task for task in tasks if not task.cancel()], LATE)
            yield from (task.result() for task in done)
            if late:
                yield _fault(f"after {LATE} s there is no answer to some of the questions", folder)
                for process in multiprocessing.active_children():
                    process.kill()
        finally:
            pool.shutdown(cancel_futures=True)


def _fault(what, folder):
    """Counts of a failure without an answer, and a line with the pending questions."""
    counts = meter.Meter()
    counts.failures = 1
    asked = sorted(file.read_text() for file in (Path(folder) / "asking").iterdir())
    return counts, [f"{what}: {', '.join(asked)}"]


def _begin(folder):
    """Initialize a process that asks, and writes its pending question to a file."""
    global _asking
    asking, locks = (Path(folder) / name for name in ("asking", "locks"))
    for path in (asking, locks):
        path.mkdir(exist_ok=True)
    _asking = asking / str(os.getpid())
    faulthandler.enable()
    logging.getLogger("sparsebc").setLevel(logging.ERROR)
    meter.start(locks)


def _ask(given, seeds):
    """Counts of the questions of some seeds, and lines about failures."""
    counts, lines = meter.Meter(), []
    for seed in seeds:
        question = _drawn(given, seed)
        want = verdict.expected(question)
        _asking.write_text(str(seed))
        for device in given.device:
            if device.startswith("reference") and (
                seed % given.reference_share or question.n > LITERAL
            ):
                continue
            wrong = verdict.complaints(question, device, want)
            counts.note(device)
            if wrong:
                counts.failures += 1
                lines += _told(seed, question, device, wrong)
    return counts, lines


def _drawn(given, seed):
    on_gpu = any(device.startswith("cuda") for device in given.device)
    return drawing.question(seed, small=given.sizes == "small", on_gpu=on_gpu)


def _told(seed, question, device, wrong):
    """Lines about a failure, with a shrunk question."""
    small = verdict.smaller(question, device)
    return [
        f"python -m tests.conformance {seed} --device {device}: {'; '.join(wrong)[:300]}",
        f"    {spelled(small)}",
        f"    {'; '.join(verdict.complaints(small, device))[:300]}",
    ]


def spelled(question):
    """Python expression of a question, without fields at their defaults."""
    plain = drawing.Question(0, [], "")
    given = [
        f"{one.name}={value!r}"
        for one in fields(question)
        if (value := getattr(question, one.name)) != getattr(plain, one.name)
        or one.name in ("n", "entries", "measure")
    ]
    return f"Question({', '.join(given)})"


def _explain(given):
    """Ask one question, and print it with the complaints; exit status."""
    status = 0
    question = _drawn(given, given.question)
    print(spelled(question))
    want = verdict.expected(question)
    for device in given.device:
        wrong = verdict.complaints(question, device, want)
        print(f"{device}: {'; '.join(wrong) or 'right'}")
        if wrong:
            status = 1
            print(*_told(given.question, question, device, wrong), sep="\n")
    return status
