"""What `brandes_weighted.cu` is called with."""

from __future__ import annotations

from ....graph.edge_weights import MIN_GAIN
from ..common.layout import PATHS, SEEDS
from ..runtime.structs import Field, Struct, constants
from ..sssp.layout import SSSP

WEIGHTED = Struct(
    Field("const Pointer *", "in_indptr"),
    Field("const Arc<Length> *", "in_arcs"),
    Field("const void *", "in_inline"),
    *PATHS,
    Field("Real *", "h", "(workers, n) unless it takes sigma's place"),
    Field("double *", "shares", "(workers, columns, arcs) of alpha * sigma(u) g(v)"),
    Field(
        "unsigned long long *", "fault", "least tail << 32 | head of the edges that are too short"
    ),
    Field("unsigned long long *", "too_far"),
    Field("double", "rtol"),
    Field("double", "farthest"),
    Field("double", "safe_distance"),
    Field("long long", "arcs", "of the graph"),
    *SEEDS,
    base=SSSP,
)

HEADERS = {"constants": constants("double", MIN_GAIN=MIN_GAIN), "state": WEIGHTED.text}
