"""Progress: the caller's function, a bar, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .options import Progress

# Seconds before a bar is drawn: a short run needs none.
BAR_DELAY = 1.0


@contextmanager
def reporting(progress: bool | Progress, total: int) -> Iterator[Progress]:
    """What to call with (done, total): the caller's function, a bar, or nothing."""
    if callable(progress):
        yield progress
    elif progress:
        from tqdm import tqdm

        with tqdm(total=total, unit="source", file=sys.stderr, delay=BAR_DELAY) as bar:
            yield lambda done, _: bar.update(done - bar.n)
    else:
        yield lambda *_: None
