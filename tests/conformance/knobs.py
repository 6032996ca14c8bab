"""Constants of the package that decide what runs, with values that small graphs decide by.

A question names some of them; they are set while it is asked.
"""

import importlib
from contextlib import ExitStack, contextmanager
from unittest import mock

from sparsebc.brandes import EXTENDED
from sparsebc.reduce.chains import Costs

NEVER = 10**9
LEVELS = 400  # more than any graph that is drawn has; a GPU launches so many


def few_paths(dtype, seeded=False):
    """In place of `brandes.count_limit`: three paths are beyond floats."""
    return float("inf") if dtype == EXTENDED else 2.0


def few_in_32_bits(dtype, seeded=False):
    """Three paths are beyond floats of 32 bits."""
    return 2.0 if dtype.itemsize == 4 else 2.0**1000


_BATCHING, _BLOCKS = "engines.common.batching", "reduce.biconnected"
_APART = "reduce.distance_blocks"
_ON_GPU = {
    "graphs on the GPU": [("engine", "SMALL", 0)],
    "in step": [("kernel_table", "AT_ONCE", -1), ("kernel_table", "SPARSE", -1)],
    "in step unless thin": [("kernel_table", "AT_ONCE", -1)],
    "in one order": [
        (f"/{_BATCHING}", name, 0)
        for name in ("ORDERS", "ORDERS_BY_EDGES", "ORDERS_OF_DISTANCES", "FILLED")
    ],
    "small launches": [
        *(("kernel_table", name, 1) for name in ("BLOCK_ELEMENTS", "BLOCK_SLOTS", "BUSY_SLOTS")),
        *(
            ("kernel_table", name, 1)
            for name in ("SOURCES_ALONE", "SOURCES_IN_ORDER", "PATHS_IN_ORDER", "SOURCES_WITHIN")
        ),
        *(("high_diameter.shared_order", f"{name}LAUNCH_NODES", 1) for name in ("", "BALL_")),
        *(("sssp.sssp", f"{name}LAUNCH_ARCS", 1) for name in ("", "BALL_")),
    ],
    "hubs": [
        *(("brandes_batch.brandes_batch", name, 2) for name in ("HUB", "HUB_OF_FEW")),
        ("msbfs.msbfs", "HUB", 2),
    ],
    "bit slices": [("brandes_batch.brandes_batch", "SLICED_DEGREE", 0)],
    "no bit slices": [("brandes_batch.brandes_batch", "SLICED_DEGREE", NEVER)],
    "short lists": [("brandes_batch.brandes_batch", "SPREAD", 1)],
    "local searches": [("kernel_table", "LOCAL", 0)],
    "searches by source": [("kernel_table", "SCATTERED", 0)],
    "blocks by the host": [("prepare.biconnected", "DEEPEST", 0)],
    "no clock": [("sssp.sssp", "TICKS", 0)],
    "no ring": [("sssp.sssp", "RING", 0)],
    "lengths in 64 bits": [("sssp.sssp", "UNREACHED", 0)],
    "no distances on the chip": [("sssp.sssp", "STATIC_BYTES", 200_000)],
    "no marks on the chip": [("brandes_source.brandes_source", "STATIC_BYTES", 1 << 30)],
    "few workers": [("common.per_source", "MOST_WORKERS", 3)],
    "no small balls": [("common.layout", "BALL", 0)],
    "copies in pieces": [("runtime.copies", "PIECE", 1 << 6)],
}
KNOBS = {
    "deep": [("graph.graph", "HIGH_DIAMETER", 0)],
    "not deep": [("graph.graph", "HIGH_DIAMETER", LEVELS)],
    "few sources of large graphs": [
        *(
            (_BATCHING, name, value)
            for name, value in (("BRIEF_ARCS", 0), ("BRIEF_HIGH_DIAMETER", NEVER))
        ),
        *(("graph.csr_kernels", name, value) for name, value in (("PIECE", 1), ("ROW_PIECE", 0))),
    ],
    "sources alone": [(_BATCHING, "ALONE", NEVER)],
    "sources together": [(_BATCHING, name, 1) for name in ("ALONE", "SHARED_BATCHES")]
    + [(_BATCHING, name, 0) for name in ("SPARSE", "MOST", "MANY_LOOKS")]
    + [(_BATCHING, "WITHIN", NEVER)],
    "small balls": [(_BATCHING, "VISITS", 1)],
    "eight": [
        *((_BATCHING, name, 1) for name in ("SHARE", "ALONE")),
        *((_BATCHING, name, 0) for name in ("MOST", "MANY_LOOKS")),
    ],
    "shifted starts": [
        *((_BATCHING, name, 1 / 64) for name in ("ENOUGH_HIGH_DIAMETER", "ENOUGH")),
        *((_BATCHING, name, 0) for name in ("TOGETHER", "MORE")),
        *((_BATCHING, name, 1) for name in ("ALONE", "ONE_IN")),
        ("engines.common.batch_overlap", "ENOUGH", 1),
    ],
    "chains": [
        ("reduce.chains", "ENOUGH_SOURCES", 0),
        ("reduce.chains", "CPU", Costs(4, 0.5, 0.1, 0.0, 1.0)),
        ("reduce.chains", "GPU", Costs(64, 0.5, 0.1, 0.0, 1.0)),
    ],
    "twins": [("reduce.twins", "ENOUGH_SOURCES", 0), ("reduce.twins", "LEAST_SAVED", -1)],
    "blocks": [
        *((_BLOCKS, name, 1) for name in ("ENOUGH_SOURCES", "ENOUGH_HIGH_DIAMETER", "ENOUGH")),
        (_BLOCKS, "LEAST_OTHERS", 0),
        (_BLOCKS, "LEAST_SAVED", -9),
        (_BLOCKS, "REACH_SHARE", 1e9),
    ],
    "blocks of distances": [
        *((_APART, name, -(10**6)) for name in ("ENOUGH_ALONE", "ENOUGH_TOGETHER")),
        (_APART, "LEAST_SAVED", -9),
        (_APART, "REACH_SHARE", 1e9),
    ],
    "components apart": [("reduce.reduce", "APART", 1)],
    "masks of searches": [("engines.cpu.msbfs.workspace", "VISIT", 0)],
    "queues of searches": [("engines.cpu.msbfs.workspace", "VISIT", NEVER)],
    "paths beyond floats": [("run.sweep", "count_limit", few_paths)],
    "paths beyond float32": [("run.sweep", "count_limit", few_in_32_bits)],
    "other threads": [("jit", "BRIEF", -1)],
    "matrix in slices": [("graph.read_matrix", "SLICE", 8), ("graph.read_matrix", "PIECE", 20)],
    "few blocks": [("engines.cpu.kernel_table", "MAX_BLOCKS", 2)],
    "no batch of lengths": [("engines.cpu.sssp.radix_sort", "MAX_BUCKETS", 0)],
    "lengths in a heap": [("engines.cpu.sssp.sssp", "MAGNITUDE", 1)],
    "short lengths": [("engines.cpu.sssp.sssp", "SHORT", 0.5)],
    "long levels": [("engines.cpu.brandes.brandes_batch", "SPREAD", 0)],
    **{
        name: [
            (one[1:] if one.startswith("/") else f"engines.cuda.{one}", constant, value)
            for one, constant, value in changes
        ]
        for name, changes in _ON_GPU.items()
    },
}
ON_GPU = _ON_GPU.keys()


@contextmanager
def turned(names, on_gpu):
    """Constants set as the names say; those of a GPU where there is one."""
    with ExitStack() as stack:
        for name in names:
            if name in ON_GPU and not on_gpu:
                continue
            for module, constant, value in KNOBS[name]:
                home = importlib.import_module(f"sparsebc.{module}")
                stack.enter_context(mock.patch.object(home, constant, value))
        yield
