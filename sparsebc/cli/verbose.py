"""Log of the library on standard error, for ``--verbose``."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from .table import show


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        show(self.format(record).splitlines(), aside=True)


@contextmanager
def telling(given: argparse.Namespace) -> Iterator[None]:
    """With ``--verbose``, print the log of the library to standard error, within this context."""
    if not given.verbose:
        yield
        return
    logger, handler = logging.getLogger("sparsebc"), _Handler()
    form = "%(asctime)s %(name)s: %(message)s"
    handler.setFormatter(logging.Formatter(form, "%Y-%m-%d %H:%M:%S"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
