"""Progress reports: the caller's function, a bar on a terminal, lines in a log, or nothing."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from ..kernel_cache import compilation
from .options import Progress

# Seconds before a bar is drawn: a short run needs none.
BAR_DELAY = 1.0
# Least time between two lines: in seconds, and as a share of the elapsed time.
LINE_SECONDS, LINE_SHARE = 10.0, 0.05

# Called with the sources done, their expected total, and a remark.
Report = Callable[[int, int, str], object]


@contextmanager
def reporting(
    progress: bool | Progress, total: int | None = None, initial: int = 0, unit: str = "source"
) -> Iterator[Report]:
    """The function to call with (done, total, remark); a user's callable gets no remark.

    ``initial`` units were done by an earlier run, and do not count in the speed of this one.
    """
    if callable(progress):
        yield lambda done, total, _: progress(done, total)
    elif not progress:
        yield lambda *_: None
    # In a Jupyter cell, too, a bar can be drawn.
    elif sys.stderr.isatty() or type(sys.stderr).__module__.partition(".")[0] == "ipykernel":
        from tqdm.auto import tqdm  # in a notebook its own bar

        with tqdm(total=total, initial=initial, unit=unit, file=sys.stderr, delay=BAR_DELAY) as bar:
            yield partial(_draw, bar, getattr(bar, "start_t", 0.0) - compilation.seconds)
    else:  # lines, as for the log of a job; less frequent as it runs on
        begun = time.monotonic() - compilation.seconds
        due = time.monotonic() + LINE_SECONDS

        def show(done: int, total: int, remark: str) -> None:
            """Write count, speed and time left, if a line is due."""
            nonlocal due
            now = time.monotonic()
            if now < due:
                return
            passed = max(now - compilation.seconds - begun, 1e-9)
            due = now + max(LINE_SECONDS, LINE_SHARE * passed)
            speed = (done - initial) / passed
            facts = [f"{done} of {total} {unit}s ({done / max(total, 1):.1%})", remark]
            if speed > 0:
                left = timedelta(seconds=round((total - done) / speed))
                facts += [f"{speed:.4g} a second", f"{left} left"]
            told = ", ".join(filter(None, facts))
            stamp = time.strftime("%Y-%m-%d %H:%M:%S")
            print(f"{stamp} sparsebc: {told}", file=sys.stderr, flush=True)

        yield show


@contextmanager
def counting(
    progress: bool | Progress, total: int, initial: int = 0, unit: str = "source"
) -> Iterator[Callable[[int], None]]:
    """The function to call with the number of units done since its last call."""
    if progress is False:  # a callable may be falsy, too
        yield lambda _: None
        return
    done = initial
    with reporting(progress, total, initial, unit) as report:

        def advance(count: int) -> None:
            nonlocal done
            done += count
            report(done, total, "")

        if initial:
            advance(0)
        yield advance


def _draw(bar: Any, begun: float, done: int, total: int, remark: str) -> None:
    """Draw a tqdm bar, its begin moved from ``begun`` by the time spent on compilation."""
    if not bar.disable:
        seconds = begun + compilation.seconds - bar.start_t
        bar.start_t += seconds
        bar.last_print_t += seconds
    if bar.total != total:
        bar.total = total
        container = getattr(bar, "container", None)
        if container is not None:  # a notebook's widget: label, bar, text
            container.children[1].max = total
    if remark:
        bar.set_postfix_str(remark, refresh=False)
    bar.update(done - bar.n)
