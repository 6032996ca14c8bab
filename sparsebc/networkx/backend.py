"""The module that NetworkX dispatches to: conversions, the decision to run, functions by name.

NetworkX imports this module on the first dispatched call, however small its graph. Numba and SciPy
are therefore imported later, by the first call that is served.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .functions import BARYCENTER, DEFAULTS, FUNCTIONS

if TYPE_CHECKING:
    from .graph import SparseGraph

PARTITIONS = ("edge_betweenness_partition", "girvan_newman")
# Arguments with which a function does few searches, or an unknown number of them.
FEW_SEARCHES = ("cutoff", "nbunch", "u", "usebounds", "v")

# Work, sources x (nodes + edges), of NetworkX in the time that sparsebc needs for a call with all
# loaded (2.2 ms and more), and for compiling kernels, once on a machine (some 10 s). On one core,
# betweenness breaks even at 10,000, closeness at 50,000.
CALL = 60_000
COMPILE = 60_000_000
FASTER_THERE = "NetworkX is faster on a small graph or for few nodes"
NOT_COMPILED = (
    "sparsebc was not compiled on this machine when this process first asked, which takes longer "
    "than NetworkX does for this call"
)
# A kernel that is compiled where the others are, by module, and whether by length.
KERNELS = {
    ("paths", False): ("brandes.brandes_batch", "run"),
    ("paths", True): ("brandes_weighted.brandes_weighted", "run"),
    ("distances", False): ("msbfs.msbfs", "accumulate"),
    ("distances", True): ("sssp.distance_sums", "accumulate"),
}

XFAIL = {
    "TestEdgeSubsetBetweennessCentrality.test_diamond_multi_path": (
        "NetworkX splits the dependency of a node that is no target equally between its "
        "predecessors; by definition 3 of the 5 shortest paths take the edge (6, 8): .3, not .2"
    )
}


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in FUNCTIONS:
        raise AttributeError(f"backend 'sparsebc' has no function {name!r}")
    return functools.partial(_serve, name)


def convert_from_nx(
    G: Any,
    *,
    edge_attrs: Mapping[Any, Any] | None = None,
    node_attrs: Mapping[Any, Any] | None = None,
    preserve_edge_attrs: bool | Mapping[Any, Any] = False,
    **_: Any,
) -> SparseGraph:
    """`SparseGraph` with the lengths ``edge_attrs``; keeps G if callables or nodes need it."""
    from .convert import Kept, converted
    from .graph import handed_back

    if list(G) != list(G.adj):  # a subclass sorts them: NetworkX takes now these, now those
        raise handed_back("sparsebc takes graphs whose nodes and rows come in the same order")
    if hasattr(G, "_graph"):  # a view: NetworkX does not clear its cache with that of its graph
        G.__networkx_cache__ = None
    original = G if preserve_edge_attrs or node_attrs else None
    return converted(G, edge_attrs or (), kind=Kept, original=original)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """The NetworkX graph of a `SparseGraph`; any other result unchanged."""
    if getattr(result, "__networkx_backend__", None) != "sparsebc":
        return result
    from .convert import to_networkx

    return to_networkx(result)


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """True if conversion and computation here are faster than NetworkX, else the reason.

    Equal calls of a process get the same answer, whatever ran before.
    """
    G = args[0] if args else kwargs["G"]
    function = FUNCTIONS[name]
    if function.by_name:
        return "its results differ from NetworkX's: ask for it with backend='sparsebc'"
    if len(G) ** 3 < CALL:  # at most n^2 edges: no need to count
        return FASTER_THERE
    asked, _ = _arguments(name, args, kwargs)
    work = _work(name, G, asked)
    if work < CALL:
        return FASTER_THERE
    if reason := _refusal(name, G, asked):
        return reason
    by_length = asked.get(function.weight) is not None
    is_worth = work >= COMPILE or _is_compiled(function.module, by_length)
    return is_worth or NOT_COMPILED


def on_start_tests(items: Iterable[Any]) -> None:
    """Mark as xfail NetworkX's own tests that contradict the definition."""
    import pytest

    for item in items:
        reason = XFAIL.get(".".join(item.nodeid.split("::")[1:]))
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@functools.cache
def _signature(name: str) -> inspect.Signature:
    """NetworkX's own signature of a function."""
    from networkx.utils.backends import _registered_algorithms

    return inspect.signature(_registered_algorithms[name].orig_func)


def _arguments(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of NetworkX's signature, with its defaults, and the rest, which are run options."""
    names = _signature(name).parameters
    asked = _signature(name).bind(*args, **{key: kwargs[key] for key in kwargs if key in names})
    asked.apply_defaults()
    return asked.arguments, {key: kwargs[key] for key in kwargs if key not in names}


def _refusal(name: str, G: Any, asked: Mapping[str, Any]) -> str:
    """Why the arguments and the class of the graph leave the call to NetworkX; else empty."""
    parameters = _signature(name).parameters
    for argument, reason in FUNCTIONS[name].left.items():
        if argument in asked and asked[argument] is not parameters[argument].default:
            return reason
    if isinstance(asked.get("targets"), Iterator):  # NetworkX exhausts it at the first source
        return "sparsebc takes targets in a list or set, not an iterator"
    if not asked.get("greedy", True):
        return "sparsebc has no exact search for a group: use greedy=True"
    if name in PARTITIONS and (G.is_directed() or G.is_multigraph()):  # order of edges decides
        return "sparsebc partitions undirected graphs without parallel edges only"
    reverses = G.is_directed() and ("u" in asked or asked.get("nbunch") is not None)
    if reverses and callable(asked.get("distance")):
        return "sparsebc does not reverse the edges that a callable is given"
    return ""


def _serve(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Call the function of that name in its module, unless NetworkX is to answer.

    Whatever may be refused is refused here, before a sample is drawn, an iterator read or a
    generator returned: NetworkX then gets the arguments as they were. The function gets graph,
    lengths and run options as a `Call`, and every other argument by name, except for those that the
    table leaves to NetworkX (``Function.left``).
    """
    import networkx as nx

    from ..sweep.options import RunOptions, SearchOptions
    from .call import Call
    from .graph import SparseGraph, handed_back

    function = FUNCTIONS[name]
    asked, run = _arguments(name, args, kwargs)
    G = asked.pop("G")
    if not isinstance(G, SparseGraph):
        raise handed_back(f"sparsebc does not take graphs of type {type(G).__name__}")
    if reason := _refusal(name, G, asked):
        raise handed_back(reason)
    known = RunOptions if function.takes_dtype else SearchOptions
    for option in DEFAULTS.keys() & known.__annotations__.keys():
        run.setdefault(option, getattr(nx.config.backends.sparsebc, option))
    run = {option: value for option, value in run.items() if value is not None}
    kept = {argument: asked[argument] for argument in asked if argument not in function.left}
    call = Call(name, G, kept.pop(function.weight, None), run, known)
    if len(G) < 3 and not function.by_name:
        return call.by_networkx(**asked)
    if function.module == "paths" and call.lengths is not None and call.lengths.uncounted:
        raise handed_back(call.lengths.uncounted)
    module = importlib.import_module(f"{__package__}.{function.module}")
    return getattr(module, name)(call, **kept)


def _work(name: str, G: Any, asked: Mapping[str, Any]) -> int:
    """Work of the call, sources x (nodes + edges); 0 where it visits little, or nobody knows."""
    n, edges = len(G), G.number_of_edges()
    if any(asked.get(name) is not None and asked[name] is not False for name in FEW_SEARCHES):
        return 0
    if name in (BARYCENTER, "center") and edges < n and asked["weight"] is None:
        return 0  # of a tree NetworkX finds them in one pass
    searches, sources = asked.get("k"), asked.get("sources")
    if sources is not None:
        searches = len(sources) if isinstance(sources, Sized) else 0
    sets = asked.get("number_of_sets")
    if isinstance(sets, Integral) and not 1 < int(sets) < n:
        searches = 0
    searches = n if searches is None else searches
    return int(searches) * (n + edges) if isinstance(searches, Integral) else 0


@functools.cache
def _is_compiled(module: str, by_length: bool) -> bool:
    """Whether Numba's cache has the kernels of such a function; asked once in a process."""
    file, kernel = KERNELS[module, by_length]
    compiled = getattr(importlib.import_module(f"sparsebc.engines.cpu.{file}"), kernel)
    folder = compiled.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"{file.partition('.')[2]}.{kernel}-*.nbi"))


backend = sys.modules[__name__]  # which the entry point ``networkx.backends`` names
