"""Constants that select kernels and reductions, with values that make small graphs meet all.

A question names some of them; they are set while it is asked.
"""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np
from changed_kernels import with_width

from sparsebc.engines.common.base import EXTENDED, Profile

NEVER = 10**9
LEVELS = 400  # more than any drawn graph has; a GPU launches this many


def few_paths(dtype, seeded=False):
    """In place of `counts.count_limit`: three paths are beyond floats."""
    return float("inf") if dtype == EXTENDED else 2.0


def few_in_32_bits(dtype, seeded=False):
    """Three paths are beyond floats of 32 bits."""
    return 2.0 if dtype.itemsize == 4 else 2.0**1000


def long_pointers(arcs):
    """In place of `pointer_type`: as of 2**31 arcs."""
    return np.dtype(np.int64)


def at(place, **constants):
    """Full names and new values of constants in a module, or in a class."""
    return {f"sparsebc.{place}.{name}": value for name, value in constants.items()}


def batching(**limits):
    return at("engines.common.batching", **limits)


def on_gpu(place, **constants):
    return at(f"engines.cuda.{place}", **constants)


def table(**constants):
    return on_gpu("kernel_table", **constants)


_TWINS = at("reduce.twins", LEAST_SAVED=-1) | at("reduce.reduce", LEAST_TWINS=0)
_EVERY_GRAPH_APART = at(
    "reduce.distances",
    **{"ENOUGH_ALONE": -(10**6), "ENOUGH_TOGETHER": -(10**6), "LEAST_SAVED": -9},
    REACH_SHARE=1e9,
)
_ON_GPU = {
    "graphs on the GPU": at("matrix.read_matrix", SMALL=0),
    "in step": table(AT_ONCE=-1, SPARSE=-1),
    "in step unless thin": table(AT_ONCE=-1),
    "in one order": batching(ORDER_BY_LENGTH=0, ORDER_BY_EDGES=0, ORDER_OF_DISTANCES=0)
    | batching(ORDER_FILLED=0),
    "small blocks": table(BLOCK_ELEMENTS=1, BLOCK_SLOTS=1, BUSY_SLOTS=1, SOURCES_ALONE=1)
    | table(SOURCES_IN_ORDER=1, SOURCES_WITHIN=1),
    "small launches": on_gpu("high_diameter.shared_order", LAUNCH_NODES=1, BALL_LAUNCH_NODES=1)
    | on_gpu("common.per_source", LAUNCH_ARCS=1, BALL_LAUNCH=1),
    "hubs": on_gpu("brandes_batch.brandes_batch", HUB=2, HUB_OF_FEW=2)
    | on_gpu("msbfs.msbfs", HUB=2),
    "bit slices": on_gpu("brandes_batch.brandes_batch", SLICED_DEGREE=0),
    "no bit slices": on_gpu("brandes_batch.brandes_batch", SLICED_DEGREE=NEVER),
    "short lists": on_gpu("brandes_batch.brandes_batch", SPREAD=1),
    "local searches": table(LOCAL=0),
    "searches by source": table(SCATTERED=0),
    "blocks by the host": on_gpu("prepare.biconnected", DEEPEST=0),
    "no ring": on_gpu("sssp.sssp", RING=0),
    "lengths in 64 bits": on_gpu("sssp.sssp", UNREACHED=0),
    "no marks on the chip": on_gpu("brandes_source.brandes_source", STATIC_BYTES=1 << 30),
    "few workers": on_gpu("common.per_source", MOST_WORKERS=3),
    "no small balls": on_gpu("layout", BALL=0),
    "copies in pieces": on_gpu("runtime.copies", PIECE=1 << 6),
    "narrow searches": on_gpu(
        "engine.CUDA", kernels=with_width(128, "MS-BFS", "distances by length")
    ),
    "long pointers": on_gpu("brandes_batch.brandes_batch", pointer_type=long_pointers)
    | on_gpu("brandes_source.brandes_source", pointer_type=long_pointers)
    | on_gpu("common.per_source", pointer_type=long_pointers),
}
KNOBS = {
    "deep": at("matrix.graph", HIGH_DIAMETER=0),
    "not deep": at("matrix.graph", HIGH_DIAMETER=LEVELS),
    "few sources of large graphs": batching(BRIEF_ARCS=1, BRIEF_SOURCES_HIGH_DIAMETER=NEVER)
    | at("matrix.csr", PIECE=1, ROW_PIECE=0),
    "sources alone": batching(SINGLE_SOURCES=NEVER),
    "sources together": batching(SINGLE_SOURCES=1, SHARED_BATCHES=1, SINGLE_ARCS_PER_NODE=0)
    | batching(WITHIN_SHARE=0, WITHIN_SOURCES=0, WITHIN_OF_BATCH=NEVER),
    "small balls": at("engines.common.balls", VISITS=1),
    "eight": batching(EIGHT_SHARE=1, SINGLE_SOURCES=1, WITHIN_SHARE=0, WITHIN_SOURCES=0),
    "shifted starts": at(
        "engines.common.shifted",
        **{"LEAST": 1 / 64, "LEAST_HIGH_DIAMETER": 1 / 64, "COLUMNS": 1, "RATIO": 0, "ONE_IN": 1},
    )
    | batching(SINGLE_SOURCES=1),
    "chains": at("reduce.chains", ENDS=4, END=0.5, OTHER=0.1, CHAIN=0.0, MOST=1.0)
    | at("reduce.reduce", LEAST_CHAINS=0),
    "twins": _TWINS,
    "twins of one hash": _TWINS | at("matrix.reduction_loops", scrambled=np.zeros_like),
    "blocks": at("reduce.reduce", LEAST_BLOCKS=1, LEAST_BLOCKS_ON_GPU=1)
    | at("reduce.reduce", LEAST_BLOCKS_OF_HIGH_DIAMETER=1)
    | at("reduce.blocks", LEAST_OTHERS=0, LEAST_SAVED=-9, REACH_SHARE=1e9),
    "blocks of distances": _EVERY_GRAPH_APART,
    "trees of distances": _EVERY_GRAPH_APART
    | at("engines.cpu.engine.CPU", profile=Profile(of_distances=frozenset({"trees"}))),
    "reductions of the algebra": at("engines.reference.engine.Reference", profile=Profile()),
    "components apart": at("reduce.reduce", APART=1),
    "masks of searches": at("engines.cpu.msbfs.workspace", VISIT=0),
    "queues of searches": at("engines.cpu.msbfs.workspace", VISIT=NEVER),
    "paths beyond floats": at("sweep.sum_by_range", count_limit=few_paths),
    "paths beyond float32": at("sweep.sum_by_range", count_limit=few_in_32_bits),
    "other threads": at("jit", BRIEF=-1),
    "matrix in slices": at("matrix.read_matrix", SLICE=8, PIECE=20),
    "few blocks": at("engines.cpu.engine", MAX_BLOCKS=2),
    "lengths in a heap": at("engines.cpu.sssp.sssp", MAGNITUDE=1),
    "short lengths": at("engines.cpu.sssp.sssp", SHORT=0.5),
    "entries of 64 bits": at("engines.cpu.sssp.sssp", SMALL=100),
    "long levels": at("engines.cpu.brandes.brandes_batch", SPREAD=0),
    "no searches of SciPy": at("matrix.csr", CSGRAPH_ENTRIES=0)
    | at("matrix.graph", CSGRAPH_ENTRIES=0),
    **_ON_GPU,
}
ON_GPU = _ON_GPU.keys()
# GPU knobs on which no bit depends with few workers: where state is kept, how levels are found.
NEUTRAL = {
    *("bit slices", "no bit slices", "short lists", "small launches", "no ring"),
    *("lengths in 64 bits", "no marks on the chip", "no small balls"),
    *("copies in pieces", "long pointers"),
}


@contextmanager
def turned(names, on_gpu):
    """Context with the constants of the named knobs set; GPU knobs only ``on_gpu``."""
    with ExitStack() as stack:
        for name in names:
            if name not in ON_GPU or on_gpu:
                for target, value in KNOBS[name].items():
                    stack.enter_context(mock.patch(target, value))
        yield
