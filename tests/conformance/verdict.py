"""Check of a device's answer to a question."""

import inspect
import itertools
import re
from dataclasses import replace

import numpy as np

import sparsebc
from sparsebc.engines import devices

from . import knobs, truth
from .drawing import BY_DISTANCE, OF_PLACES

NO_NODE = -9999
OF_DISTANCES = {*BY_DISTANCE, *OF_PLACES, "shortest_paths"}
NEEDED = re.compile(r"needs (\d+) bytes(?: \(.*\))?, and memory_budget is \d+")


class Refused(Exception):
    """The library must refuse the question, for any of these reasons."""


def complaints(question, device, want=None):
    """Errors in a device's answer, as texts; ``want``: `expected` of the question."""
    on_gpu = device.startswith("cuda")
    want = expected(question, on_gpu) if want is None else want
    A = _handed_over(question.matrix(), question.is_on_device and on_gpu)
    before = [part.tobytes() for part in _arrays(A)]
    try:
        with knobs.turned(question.knobs, on_gpu):
            found = ask(question, A, device)
    except Exception as error:
        if isinstance(want, Exception):
            return _of_refusal(error, want)
        return [f"{type(error).__name__}: {error}"]
    if isinstance(want, Exception):
        return [f"was not refused: {want}"]
    wrong = _of_values(question, found, want)
    if before != [part.tobytes() for part in _arrays(A)]:
        wrong.append("the matrix was changed")
    if question.again and question.measure != "connected_components":
        again = _once_more(question, A, device)
        if not all(map(_same_bits, parts(found), parts(again))):
            wrong.append("other bits the second time")
    return wrong


def expected(question, on_gpu):
    """The right answer, or `Refused` with the documented reasons to refuse the question."""
    reasons = refusals(question, on_gpu)
    return Refused(*reasons) if reasons else truth.answer(question)


def refusals(question, on_gpu=False):
    """Parts of the messages with which a question must be refused, by the documentation."""
    options, n, measure = question.options, question.n, question.measure
    names, groups = options.get("names", [measure]), options.get("groups", [])
    least = min((n - len(group) * (not options.get("endpoints")) for group in groups), default=2)
    weights = options.keys() & truth.WEIGHTS
    of_pairs = options.keys() & {"source_weights", "targets", "demand", "decay"}
    of_pairs |= options.keys() & {"target_weights"} if "eccentricity" in names else set()
    seeded = options.keys() & {"demand", "decay"}
    reasons = {
        "no effect on": of_pairs and set(names) & set(BY_DISTANCE),
        "endpoints=True has an effect only on 'betweenness'": measure == "centralities"
        and options.get("endpoints")
        and "betweenness" not in names,
        "tie_rtol": "tie_rtol" in options and not question.weighted,
        "samples its own sources": "k" in options and options.keys() & {"sources", "targets"},
        "samples pairs that count 1 each": "k" in options and weights,
        "no nodes to sample": "k" in options and n == 0 and measure != "nearest",
        "too small a range": seeded and question.run.get("dtype") == "float32",
        "demand is zero": "demand" in options
        and not any(value for i, j, value in options["demand"] if i != j),
        "is 0": question.weighted
        and 0 in truth.merged(question.entries, directed=True).values()
        and (on_gpu or bool({*names} - OF_DISTANCES)),
        "A has no nodes": measure in ("bfs", "shortest_paths") and n == 0,
        "size must lie in": options.get("size", 0) > n,
        "groups[0] is empty": groups and n == 0,
        "no pair to divide by": options.get("normalized", True) and least < 2,
    }
    return [words for words, is_so in reasons.items() if is_so]


def ask(question, A, device):
    """The answer; if ``least_memory``, in the least memory that a refusal names."""
    run = dict(question.run)
    if not question.least_memory:
        return _call(question, A, device, run)
    run["memory_budget"] = 1
    for _ in range(6):  # a range of path counts may need more than the one before
        try:
            return _call(question, A, device, run)
        except MemoryError as error:
            needed = NEEDED.search(str(error))
            if needed is None or int(needed[1]) <= run["memory_budget"]:
                raise
            run["memory_budget"] = int(needed[1])
    return _call(question, A, device, run)


def _once_more(question, A, device):
    """The answer of one worker, or of all GPUs, for comparison of bits.

    Memory is not limited, unless it may decide about chains. Unweighted distance measures, whose
    sums are exact, run without reductions.
    """
    on_gpu = device.startswith("cuda")
    alone = replace(question, run={**question.run, "workers": 1})
    if question.measure in BY_DISTANCE and not question.weighted:
        alone.run["reduce"] = "none"
    if on_gpu and len(devices.gpus()) > 1:
        device = [f"cuda:{number}" for number in range(len(devices.gpus()))]
    if on_gpu and "few workers" in question.knobs:
        left = (name for name in question.knobs if name not in knobs.NEUTRAL)
        alone = replace(alone, knobs=tuple(left))
    if "chains" not in question.knobs:
        alone = replace(alone, least_memory=False)
    with knobs.turned(alone.knobs, on_gpu):
        return ask(alone, A, device)


def _call(question, A, device, run):
    function = getattr(sparsebc, question.measure)
    given = replace(question, run=run).arguments()
    names = inspect.signature(function).parameters
    first = [given.pop(name) for name in list(names)[1:] if _is_positional(names[name])]
    return function(A, *first, device=device, **given)


def _is_positional(parameter):
    return parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


def _handed_over(A, to_gpu):
    """The matrix, or a copy of it on the GPU."""
    if not to_gpu:
        return A
    import cupy
    import cupyx.scipy.sparse as there

    if isinstance(A, tuple):
        return cupy.asarray(A[0]), cupy.asarray(A[1]), A[2]
    cls = getattr(there, f"{A.format}_matrix")
    data = cupy.asarray(A.data if A.dtype.char in "?fd" else A.data.astype(float))
    if A.format == "coo":
        return cls((data, tuple(map(cupy.asarray, A.coords))), shape=A.shape)
    return cls((data, cupy.asarray(A.indices), cupy.asarray(A.indptr)), shape=A.shape)


def _arrays(A):
    """Arrays of a matrix."""
    if isinstance(A, tuple):
        return A[:2]
    return (A.data, A.row, A.col) if A.format == "coo" else (A.data, A.indices, A.indptr)


def parts(found):
    """Arrays of an answer of any kind, on the host."""
    if isinstance(found, dict):
        return list(itertools.chain.from_iterable(map(parts, found.values())))
    if isinstance(found, (list, tuple)):
        return list(itertools.chain.from_iterable(map(parts, found)))
    if hasattr(found, "indptr"):
        return [_on_host(found.data), _on_host(found.indices), _on_host(found.indptr)]
    return [_on_host(found)]


def _on_host(array):
    return array.get() if hasattr(array, "get") else np.asarray(array)


def _same_bits(one, other):
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _of_refusal(error, want):
    """Errors in a refusal that was expected."""
    words = str(error)
    if isinstance(error, (ValueError, TypeError)) and any(part in words for part in want.args):
        return []
    return [f"{type(error).__name__} in place of {want.args}: {words}"]


def _of_values(question, found, want):
    """Errors in the values of an answer."""
    measure = question.measure
    if measure in SPECIAL:
        return SPECIAL[measure](question, found, want[measure])
    found = found if measure == "centralities" else {measure: found}
    if list(found) != list(want):
        return [f"answers to {list(found)}"]
    wrong = []
    for name, right in want.items():
        got, several = found[name], isinstance(question.options.get("cutoff"), list)
        if name == "edge_betweenness":
            columns = zip(got if several else [got], right if several else [right], strict=True)
            for matrix, values in columns:
                wrong += _of_edges(question, matrix, values)
        else:
            right = np.stack(right, axis=-1) if several else right
            wrong += _of_array(question, name, _on_host(got), right)
    return wrong


def _of_edges(question, matrix, values):
    """Errors in scores of edges: in the pattern, or in the values in its order."""
    edges = sorted(truth.network(question).edges)
    data, indices, indptr = parts(matrix)
    rows = np.repeat(np.arange(question.n), np.diff(indptr))
    if list(zip(rows.tolist(), indices.tolist(), strict=True)) != edges:
        return ["edge_betweenness: another pattern"]
    return _of_array(question, "edge_betweenness", data, values)


def _of_array(question, name, got, want):
    """Errors in shape, dtype or values of an array."""
    if got.shape != want.shape or got.dtype != np.float64:
        return [f"{name}: {got.dtype} of shape {got.shape}, not {want.shape}"]
    real = question.run.get("dtype") == "float32" and name not in BY_DISTANCE
    # Small scores are as accurate as large ones, except in float32; decays end below 1e-150.
    rtol, largest = (
        2e-4 if real else 1e-11,
        np.max(np.abs(want), initial=0, where=np.isfinite(want)),
    )
    atol = largest * rtol * 1e-3 if real else 1e-140
    is_close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if is_close.all():
        return []
    at = tuple(int(place[0]) for place in np.nonzero(~is_close))
    return [f"{name}{list(at)} is {got[at]!r}, not {want[at]!r} ({(~is_close).sum()} differ)"]


def _of_levels(question, found, want):
    got = _on_host(found)
    if got.dtype != np.int32 or not np.array_equal(got, want):
        return ["bfs: other levels"]
    return []


def _of_paths(question, found, want):
    """Errors in distances, and in predecessors, which must be on a shortest path."""
    got, before = map(_on_host, found)
    if got.shape != want.shape or not np.allclose(got, want, rtol=1e-12, atol=0):
        return ["shortest_paths: other distances"]
    if before.dtype != np.int32 or before.shape != want.shape:
        return ["shortest_paths: predecessors of another type or shape"]
    network, nodes = truth.network(question), np.arange(question.n)
    for s, row in zip(question.options["sources"], before, strict=True):
        d = network.distance[s]
        is_tight = d[network.tails] + network.lengths == d[network.heads]
        tails, heads = network.tails[is_tight], network.heads[is_tight]
        has_one = (d < truth.FAR) & (nodes != s)
        if ((row != NO_NODE) != has_one).any() or (row[has_one] < 0).any():
            return [f"shortest_paths: nodes with a predecessor from {s}"]
        right = np.zeros((question.n, question.n), dtype=bool)
        right[tails, heads] = True
        if not question.weighted:  # the predecessor of least number
            right &= np.cumsum(right, axis=0) == 1
        if not right[row[has_one], nodes[has_one]].all():
            return [f"shortest_paths: a predecessor that leads from {s} by no shortest path"]
        parent = np.where(has_one, row, nodes)
        for _ in range(question.n.bit_length()):  # twice as far each time
            parent = parent[parent]
        if (parent[has_one] != s).any():
            return [f"shortest_paths: predecessors that do not end at {s}"]
    return []


def _of_components(question, found, want):
    """Errors in components: the sets of nodes, labelled from 0 on."""
    count, labels = found
    labels = _on_host(labels)
    sets = {frozenset(np.flatnonzero(labels == label).tolist()) for label in range(count)}
    return [] if sets == want and labels.dtype == np.int32 else ["components: other sets"]


def _of_prominent(question, found, network):
    """Errors in a prominent group: each node must gain as much as any, and have the right score."""
    n, chosen, wrong = question.n, [], []
    pairs = n * (n - 1) if question.options.get("normalized", True) else 2 - question.directed
    pairs = max(pairs, 1)
    for v, score in zip(found.nodes.tolist(), found.scores.tolist(), strict=True):
        gains = {
            u: truth.group_pairs(question, network, [*chosen, u], True) / pairs
            for u in set(range(n)) - set(chosen)
        }
        chosen.append(v)
        if not np.isclose(gains[v], max(gains.values()), rtol=1e-8, atol=1e-12):
            wrong.append(f"prominent_group: {chosen} meets {gains[v]}, not {max(gains.values())}")
        if not np.isclose(gains[v], score, rtol=1e-9, atol=1e-12):
            wrong.append(f"prominent_group: {chosen} scores {score}, not {gains[v]}")
    if found.bound < found.scores[-1]:
        wrong.append("prominent_group: a bound below the score")
    return wrong


SPECIAL = {
    "bfs": _of_levels,
    "shortest_paths": _of_paths,
    "connected_components": _of_components,
    "prominent_group": _of_prominent,
}
