"""Host kernels that every engine uses, re-exported so that callers do not know their files."""

from .cpu.double_edge_swaps.double_edge_swaps import rewired as rewired
from .cpu.sssp.near import near as near
