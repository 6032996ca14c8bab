"""Imports of children of tests, and a first compilation, for a server that forks them."""

import sys
from pathlib import Path

import numba

sys.path.insert(0, str(Path(__file__).parents[1]))

from sparsebc import betweenness, datasets, io  # noqa: F401
from sparsebc.cli import commands, main  # noqa: F401
from sparsebc.engines.cpu import engine  # noqa: F401

numba.njit(lambda: 0)()
