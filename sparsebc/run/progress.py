"""Progress: the caller's function, a bar, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .options import Progress

# Seconds before a bar is drawn: a short run needs none.
BAR_DELAY = 1.0

# What to call with the sources done, those in all as far as is known, and a remark.
Report = Callable[[int, int, str], object]


@contextmanager
def reporting(progress: bool | Progress, total: int | None = None) -> Iterator[Report]:
    """What to call with (done, total, remark); the caller's function does without the remark."""
    if callable(progress):
        yield lambda done, total, _: progress(done, total)
    elif progress:
        from tqdm.auto import tqdm  # in a notebook its own bar

        with tqdm(total=total, unit="source", file=sys.stderr, delay=BAR_DELAY) as bar:
            yield lambda *state: _show(bar, *state)
    else:
        yield lambda *_: None


@contextmanager
def counting(progress: bool | Progress, total: int) -> Iterator[Callable[[int], None]]:
    """What to call with the number of sources done since the last call."""
    done = 0
    with reporting(progress, total) as report:

        def advance(count: int) -> None:
            nonlocal done
            done += count
            report(done, total, "")

        yield advance


def _show(bar: Any, done: int, total: int, remark: str) -> None:
    if bar.total != total:
        bar.total = total
        container = getattr(bar, "container", None)
        if container is not None:  # a notebook's widget: label, bar, text
            container.children[1].max = total
    if remark:
        bar.set_postfix_str(remark, refresh=False)
    bar.update(done - bar.n)
