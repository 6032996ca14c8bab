"""Kernels of the host that serve the graphs of every engine: what they compute, and no file."""

from .cpu.double_edge_swaps.double_edge_swaps import rewired as rewired
from .cpu.sssp.near import near as near
