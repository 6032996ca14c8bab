"""What `path_samples.cu` is called with, and the constants that its launcher knows too."""

from __future__ import annotations

from ...cpu.common import random
from ...cpu.path_samples.path_samples import EACH, LARGEST, MANY, PER_TRY, SEARCH
from ..common.layout import WARP
from ..runtime.structs import Field, Struct, constants

THREADS = 256  # of a block, a pair to each of its warps

PATH_SAMPLES = Struct(
    Field("const Pointer *", "out_indptr"),
    Field("const int *", "out_indices"),
    Field("const Pointer *", "in_indptr"),
    Field("const int *", "in_indices"),
    Field("const int *", "sources", "rows, component by component"),
    Field("const int *", "targets"),
    Field("const long long *", "source_start", "(components + 1,)"),
    Field("const long long *", "target_start"),
    Field("const double *", "source_ends", "(sources,) weights so far; null: each counts one"),
    Field("const double *", "target_ends"),
    Field("const double *", "weight", "(components,) of the pairs of one and of those before"),
    Field("double *", "dependency", "(n,) paths through each node"),
    Field("double *", "sigma", "(workers, capacity) path counts of the nodes of a table"),
    Field("long long *", "ends", "(workers, room) edges of the nodes of a frontier up to each"),
    Field("int *", "keys", "(workers, capacity) node in each slot, -1 for none; null: on the chip"),
    Field("int *", "mark", "(workers, capacity) 1 + level from s, -1 - level from t"),
    Field("int *", "queue", "(workers, room) slots found from s from the front, from t the back"),
    Field("const int *", "again", "(count,) samples that a smaller table did not hold; null: all"),
    Field("int *", "left", "those that this one does not"),
    Field("int *", "counters", "samples that are taken, and those that are left"),
    Field("unsigned long long", "seed"),
    Field("long long", "first", "sample"),
    Field("double", "growth", "of the largest path count, from level to level, at most"),
    Field("int", "components"),
    Field("int", "count", "samples"),
    Field("int", "capacity", "slots of a table: a power of two, or all nodes"),
    Field("int", "room", "nodes of a table"),
    Field("int", "shift", "of a hash; 0 where each node has the slot of its number"),
)

HEADERS = {
    "state": PATH_SAMPLES.text,
    "constants": constants("int", THREADS=THREADS, WARPS=THREADS // WARP, SEARCH=SEARCH)
    + constants("int", MANY=MANY, EACH=EACH, PER_TRY=PER_TRY)
    + constants("double", LARGEST=LARGEST, ULP=random.ULP)
    + "".join(
        f"constexpr unsigned long long {name} = {int(value)}ull;\n"
        for name, value in (
            ("GOLDEN", random.GOLDEN),
            ("FIRST_FACTOR", random.FIRST),
            ("SECOND_FACTOR", random.SECOND),
        )
    ),
}
