"""Every option of every function: a value that it takes, and those that it refuses by its name."""

import inspect
import itertools
import shutil
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import get_args, get_origin

import numpy as np
import pytest
import scipy.sparse as sp

import sparsebc
from sparsebc import communities, io, temporal
from sparsebc.errors import SparsebcError
from sparsebc.sweep import options

PATH = sp.csr_array(np.eye(5, k=1))  # 0 -> 1 -> 2 -> 3 -> 4
CONTACTS = temporal.Contacts(range(4), range(1, 5), range(4))
SOME = np.arange(1.0, 6)
FUNCTIONS = {
    f"{place.__name__}.{name}".removeprefix("sparsebc."): getattr(place, name)
    for place in (sparsebc, communities, temporal)
    for name in place.__all__
    if inspect.isfunction(getattr(place, name))
    and next(iter(inspect.signature(getattr(place, name)).parameters)) in ("A", "contacts")
}
# Arguments that a function needs besides its network.
NEEDED = {
    "bfs": {"sources": [0]},
    "shortest_paths": {"sources": [0]},
    "centralities": {"names": ["betweenness", "stress"]},
    "percolation": {"states": SOME},
    "group_betweenness": {"groups": [[0]]},
    "prominent_group": {"size": 2},
    "nearest": {"places": SOME > 2},
    "adaptive_betweenness": {"nodes": [1]},
    "approximate_betweenness": {"epsilon": 0.3},
    "null_model": {"samples": 2},
    "communities.modularity": {"labels": [0, 0, 1, 1, 1]},
    "temporal.arrival": {"sources": [0], "start": 0},
}
NAN, INF, EMPTY = float("nan"), float("inf"), np.array([])
MASKED = np.ma.masked_equal([1, 2, 3, 4, 0], 3)

# Values of the options that are no flags, each other than the default, and what some need beside.
VALUES = {
    "W": (SOME,),
    "by": ("edge_betweenness",),
    "c": (3.0,),
    "candidates": ([0, 1],),
    "checkpoint": ("kept",),
    "checkpoint_every": (0,),
    "connection": ("strong",),
    "cutoff": (2,),
    "decay": (("power", 1),),
    "delta": (0.2,),
    "demand": (PATH,),
    "device": ("cpu",),
    "direction": ("out", "in"),
    "dtype": (np.float32,),
    "epsilon": (np.float32(0.2),),
    "executor": (ThreadPoolExecutor,),
    "how": (np.sqrt,),
    "interval": (np.float16(0.5),),
    "k": (2,),
    "kind": ("fastest", "foremost", "shortest"),
    "measure": ("harmonic",),
    "memory_budget": (1 << 30,),
    "model": ("degree",),
    "parts": (2,),
    "probability": (PATH / 2,),
    "progress": (lambda done, total: None,),
    "retries": (1,),
    "rng": (1,),
    "samples": ("paths", 3),
    "seconds": (0.1,),
    "source_weights": (SOME,),
    "sources": ([0, 1],),
    "start": (1,),
    "steps": (1,),
    "strengths": (PATH,),
    "swaps": (3,),
    "tail": ("two-sided",),
    "target_weights": (SOME, SOME[:, np.newaxis]),
    "targets": ([0, 1],),
    "threshold": (0.5,),
    "tie_rtol": (0,),
    "top": (2,),
    "wait": (1,),
    "weights": ("shuffled",),
    "width": (np.float32(2),),
    "workers": (2,),
}
BESIDE = {
    "checkpoint_every": {"checkpoint": "kept"},
    "probability": {"model": "edge-probability"},
    "retries": {"executor": ThreadPoolExecutor},
    "rng": {"k": 2},
    "tie_rtol": {"weighted": True},
    "weights": {"weighted": True},
    "width": {"weighted": True},
}


def run_options(function):
    """Type of the run options of a function; None if it has none."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            return getattr(options, parameter.annotation.removeprefix("Unpack[").removesuffix("]"))
    return None


def names_of(function):
    """All arguments of a function, those of a run included; the network is the first."""
    names = [*inspect.signature(function).parameters]
    run = run_options(function)
    return names if run is None else [*names[:-1], *run.__annotations__]


def call(name, **given):
    """The result of a call, an iterator to its end."""
    function, given = FUNCTIONS[name], {**NEEDED.get(name, {}), **given}
    first = names_of(function)[0]
    found = function(given.pop(first, CONTACTS if first == "contacts" else PATH), **given)
    return [*found] if inspect.isgenerator(found) else found


def refusals(name, option, values):
    """Errors of each of some values, alone and with what it needs, until one is taken."""
    found, beside = [], BESIDE.get(option, {})
    for value, also in itertools.product(values, ({}, beside, {**beside, "rng": 1})):
        shutil.rmtree("kept", ignore_errors=True)
        try:
            call(name, **{**also, option: value})
        except (TypeError, ValueError) as error:
            found.append(error)
        else:
            return []
    return found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_option_is_refused_whatever_its_value(name):
    """By a value other than the default at least."""
    own = inspect.signature(FUNCTIONS[name]).parameters
    for option in names_of(FUNCTIONS[name])[1:]:
        if option in NEEDED.get(name, {}) or option == "reduce":
            continue
        default = own[option].default if option in own else None
        values = [not default] if isinstance(default, bool) else VALUES[option]
        assert not refusals(name, option, values), option


def words_of(alias):
    """Strings of a union of literals."""
    if get_origin(alias) is not None and all(isinstance(one, str) for one in get_args(alias)):
        return {*get_args(alias)}
    return set().union(*map(words_of, get_args(alias)))


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if "reduce" in names_of(FUNCTIONS[name])]
)
def test_a_signature_names_the_reductions_that_it_has(name):
    """And no others: a type checker and the call itself refuse those."""
    of_distances = run_options(FUNCTIONS[name]) is options.DistanceOptions
    named = words_of(options.DistanceReduction if of_distances else options.AnyReduction)
    for one in named:
        call(name, reduce={"all", one} if one.startswith("-") else {one})
    for one in words_of(options.AnyReduction) - named:
        with pytest.raises(ValueError, match="reduce must hold some of") as caught:
            call(name, reduce={"all", one} if one.startswith("-") else {one})
        assert one in str(caught.value)


# What is refused.

T, V = TypeError, ValueError
FLAG = {T: (1, "no", None, EMPTY)}
NODES = {
    T: (1.5, [0, 1.0], [True, False], "01", ["a"]),
    V: (3, [[0, 1]], [[0], [1, 2]], [0, 5], [-1], MASKED),
}
CHOICE = {**NODES, V: (*NODES[V], [], EMPTY.astype(int), [2, 0, 2])}
WEIGHTS = {
    T: (list("abcde"), [True] * 5),
    V: (
        [1, 2],
        [1, 2, -3, 4, 5],
        [1, 2, NAN, 4, 5],
        [1, INF, 0, 4, 5],
        [0] * 5,
        MASKED,
        [[1], [1, 2]],
    ),
}
COUNT = {T: (2.0, True, "3"), V: (0, -1)}
SHARE = {T: ("0.1", True), V: (0, 1, -0.5, 1.5, NAN)}
ABOVE_0 = {T: ("5",), V: (0, INF, 10**400)}
PLACES = {
    T: (["a"] * 5,),
    V: (
        [1, 2],
        MASKED,
        np.ones((5, 0)),
        np.ones((5, 1, 1)),
        [1, -2, 0, 1, 1],
        [[1], [1], [NAN], [1], [1]],
    ),
}
NO_LENGTHS = [lambda x: x[:2], lambda x: x + 0j, lambda x: [*x], lambda x: x.astype(str)]
WRONG = {
    "A": {T: ("edges.csv", [[0, 1], [1, 0]], None), V: (PATH[:2], np.array(5))},
    "contacts": {T: (PATH, None)},
    **dict.fromkeys(["directed", "weighted", "normalized", "endpoints", "wf_improved"], FLAG),
    **dict.fromkeys(["reachable_only", "reciprocal", "recompute", "keep", "min_only"], FLAG),
    **dict.fromkeys(["isolated", "largest_component"], FLAG),
    **dict.fromkeys(["sources", "targets", "candidates"], CHOICE),
    **dict.fromkeys(["source_weights", "target_weights", "states"], WEIGHTS),
    **dict.fromkeys(["workers", "memory_budget", "steps", "swaps"], COUNT),
    **{key: {T: COUNT[T], V: (0, -2, 6)} for key in ["k", "size", "top", "parts"]},
    **dict.fromkeys(["W", "places"], PLACES),
    **dict.fromkeys(["epsilon", "delta", "interval"], SHARE),
    **dict.fromkeys(["c", "seconds"], ABOVE_0),
    "nodes": {**NODES, V: (*NODES[V], [])},
    "decay": {
        T: ("exponential", "linear", ("power", "2")),
        V: (
            ("exp", 1),
            ("linear", 0),
            ("gaussian", INF),
            ([], []),
            ([2, 2], [1, 1]),
            ([1, 2], [1, -1]),
            ([1, NAN], [1, 1]),
            ([[1]], [1]),
            ([1], [1e60]),
        ),
    },
    "demand": {
        T: ("trips", PATH * 1j),
        V: (
            sp.csr_array((4, 5)),
            sp.csr_array((5, 5)),
            sp.csr_array(np.eye(5)),
            -PATH,
            PATH * INF,
            PATH * 1e-60,
            io.Network(PATH, tuple("abcde")),
        ),
    },
    "samples": {V: ("pairs",)},
    "rng": {T: (1.5,), V: (-1,)},
    "device": {T: (0, {"cuda:0"}), V: ("gpu", "cuda:", [], ["cpu"]), RuntimeError: ("cuda:99",)},
    "dtype": {V: (np.int64, "half", "real", None)},
    "progress": {T: ("yes", 1)},
    "executor": {T: (4, "processes:4")},
    "retries": {T: (1.5, True), V: (-1, 2)},
    "checkpoint": {T: (3,), V: ("a\ud800", "a\0", __file__)},
    "checkpoint_every": {T: ("9",), V: (-1, NAN)},
    "connection": {V: ("both",)},
    "how": {T: (None,), V: ("log", *NO_LENGTHS)},
    "threshold": {T: ("7",), V: (NAN, np.float32(INF), 2**64, -(10**400), 3)},
    "model": {V: ("configuration",)},
    "tail": {V: ("less",)},
    "weights": {V: ("kept",)},
    "tie_rtol": {T: ("0", True, None), V: (1e-3, -1, NAN)},
    "reduce": {
        T: (None, True),
        V: ("some", "trees", {"tree"}, [["trees"]], {"-trees"}, "all,-some"),
    },
    "direction": {V: ("up", EMPTY)},
    "cutoff": {
        T: ("5", True, Fraction(5, 2), [1, None]),
        V: (-1, [1, NAN], [], [[1, 2]], [[1], [1, 2]]),
    },
    "names": {T: ("stress", 3, [1]), V: ([], ["fame"], ["stress"] * 2)},
    "measure": {T: (3,), V: ("rank",)},
    "groups": {
        T: ([0, 1], "ab", 3, np.array(3), itertools.repeat([0]), [[0.5]]),
        V: ([], [[0], []], [[7]], [[1, 1]], [[0], [1, 2, 3, 4]]),
    },
    "by": {V: ("degree",)},
    "kind": {V: ("foremost", "fastest", "longest", EMPTY)},
    "wait": {T: ("1",), V: (-1, NAN)},
    "start": {T: ("1",), V: (NAN,)},
}

# For one function alone.
NODES_OR_NONE = {**NODES, V: NODES[V][1:]}  # a number stands for itself
OF_ONE = {
    **{(name, "sources"): NODES_OR_NONE for name in ("bfs", "shortest_paths")},
    **{(name, "targets"): NODES for name in ("bfs", "shortest_paths")},
    ("temporal.arrival", "sources"): NODES,
    ("nearest", "k"): COUNT,
    ("connected_components", "device"): {T: (0, []), V: ("gpu",), RuntimeError: ("cuda:99",)},
    ("null_model", "samples"): {T: (1.5,), V: (1,)},
    ("null_model", "measure"): {V: ("edge_betweenness", "pagerank", [])},
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_values_are_refused_by_the_name_of_the_option(name):
    """By an error of ours, and no directory is made."""
    for option in names_of(FUNCTIONS[name]):
        wrong = OF_ONE.get((name, option), WRONG.get(option, {}))
        beside = {"rng": {"k": 2}, "checkpoint_every": BESIDE["checkpoint_every"]}.get(option, {})
        beside = {key: value for key, value in beside.items() if key in names_of(FUNCTIONS[name])}
        for error, values in wrong.items():
            for value in values:
                with pytest.raises(error, match=rf"\b{option}\b") as caught:
                    call(name, **{**beside, option: value})
                assert isinstance(caught.value, SparsebcError), (option, value)
                assert caught.value.option in ("", option), (option, value)
    assert not Path("kept").exists()
    if run_options(FUNCTIONS[name]):
        with pytest.raises(TypeError, match=r"'worker'.* \(did you mean 'workers'\?\)"):
            call(name, worker=2)


def test_options_are_keywords():
    """A second positional argument has no meaning of its own."""
    with pytest.raises(TypeError, match="positional"):
        sparsebc.betweenness(PATH, False)
