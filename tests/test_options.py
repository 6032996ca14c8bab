"""Every option that a signature shows does something: no option is refused whatever its value."""

import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import get_args, get_origin

import networkx as nx
import numpy as np
import pytest
from graphs import matrix

import sparsebc
from sparsebc import communities, temporal
from sparsebc.sweep import options

A = matrix(nx.barbell_graph(4, 3)).astype(float)
N = A.shape[0]
ALL, SOME = np.arange(N), np.arange(1.0, 1 + N)
CONTACTS = temporal.Contacts(ALL[:-1], ALL[1:], ALL[:-1])
# Arguments that a function needs besides its network.
NEEDED = {
    "bfs": {"sources": [0]},
    "shortest_paths": {"sources": [0]},
    "centralities": {"names": ["betweenness"]},
    "percolation": {"states": SOME},
    "group_betweenness": {"groups": [[0]]},
    "prominent_group": {"size": 2},
    "nearest": {"places": SOME > 2},
    "adaptive_betweenness": {"nodes": [1]},
    "approximate_betweenness": {"epsilon": 0.3},
    "null_model": {"samples": 2},
    "arrival": {"sources": [0], "start": 0},
}
# Values of an option, each with the options that it needs beside it.
VALUES = {
    "W": [(SOME, {})],
    "by": [("edge_betweenness", {})],
    "c": [(3.0, {})],
    "candidates": [([0, 1], {})],
    "checkpoint": [("kept", {}), ("kept", {"rng": 1})],
    "checkpoint_every": [(0, {"checkpoint": "kept"}), (0, {"checkpoint": "kept", "rng": 1})],
    "cutoff": [(2, {})],
    "decay": [(("power", 1), {})],
    "delta": [(0.2, {})],
    "demand": [(A, {})],
    "device": [("cpu", {})],
    "directed": [(False, {})],
    "direction": [("out", {}), ("in", {})],
    "dtype": [(np.float32, {})],
    "endpoints": [(True, {})],
    "epsilon": [(0.2, {})],
    "executor": [(ThreadPoolExecutor, {})],
    "interval": [(0.5, {})],
    "k": [(2, {})],
    "keep": [(True, {})],
    "kind": [("fastest", {}), ("foremost", {}), ("shortest", {})],
    "measure": [("harmonic", {})],
    "memory_budget": [(1 << 30, {})],
    "min_only": [(True, {})],
    "model": [("degree", {})],
    "normalized": [(False, {})],
    "parts": [(2, {})],
    "probability": [(A / 2, {"model": "edge-probability"})],
    "progress": [(lambda done, total: None, {})],
    "reachable_only": [(True, {})],
    "reciprocal": [(True, {})],
    "recompute": [(False, {})],
    "retries": [(1, {"executor": ThreadPoolExecutor})],
    "rng": [(1, {"k": 2})],
    "samples": [("paths", {}), (3, {})],
    "seconds": [(0.1, {})],
    "source_weights": [(SOME, {})],
    "sources": [([0, 1], {})],
    "start": [(1, {})],
    "steps": [(1, {})],
    "strengths": [(A, {})],
    "swaps": [(3, {})],
    "tail": [("two-sided", {})],
    "target_weights": [(SOME, {}), (SOME[:, np.newaxis], {})],
    "targets": [([0, 1], {})],
    "tie_rtol": [(0, {"weighted": True})],
    "top": [(2, {})],
    "wait": [(1, {})],
    "weighted": [(True, {})],
    "weights": [("shuffled", {"weighted": True})],
    "wf_improved": [(False, {})],
    "width": [(2.0, {"weighted": True})],
    "workers": [(2, {})],
}


def run_options(function):
    """Type of the run options of a function; None if it has none."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD and "Unpack[" in str(parameter.annotation):
            return getattr(options, parameter.annotation.removeprefix("Unpack[").removesuffix("]"))
    return None


FUNCTIONS = {
    f"{place.__name__}.{name}": getattr(place, name)
    for place in (sparsebc, communities, temporal)
    for name in place.__all__
    if inspect.isfunction(getattr(place, name)) and run_options(getattr(place, name))
}


def taken(function):
    """Names of all options of a function."""
    own = inspect.signature(function).parameters.values()
    names = {one.name for one in own if one.default is not one.empty}
    return names | run_options(function).__annotations__.keys()


def call(function, **given):
    """The result of a call, an iterator to its end."""
    network = CONTACTS if function.__module__.startswith("sparsebc.temporal") else A
    found = function(network, **{**NEEDED.get(function.__name__, {}), **given})
    return [*found] if inspect.isgenerator(found) else found


def words_of(alias):
    """Strings of a union of literals."""
    if get_origin(alias) is not None and all(isinstance(one, str) for one in get_args(alias)):
        return {*get_args(alias)}
    return set().union(*map(words_of, get_args(alias)))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name in FUNCTIONS
        for option in sorted(taken(FUNCTIONS[name]) - {"reduce"})
    ],
)
def test_no_option_is_refused_whatever_its_value(name, option, folder):
    """By one of its values at least, alone or with what it needs."""
    function, refusals = FUNCTIONS[name], []
    for value, beside in VALUES[option]:
        also = {key: one for key, one in beside.items() if key in taken(function)}
        try:
            call(function, **{**also, option: value})
        except (TypeError, ValueError) as error:
            refusals.append(error)
        else:
            return
    raise AssertionError(refusals)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "reduce" in taken(FUNCTIONS[name])])
def test_a_signature_names_the_reductions_that_it_has(name):
    """And no others: a type checker and the call itself refuse those."""
    function = FUNCTIONS[name]
    of_distances = run_options(function) is options.DistanceOptions
    named = words_of(options.DistanceReduction if of_distances else options.AnyReduction)
    for one in named:
        call(function, reduce={"all", one} if one.startswith("-") else {one})
    for one in words_of(options.AnyReduction) - named:
        with pytest.raises(ValueError, match="reduce must hold some of") as caught:
            call(function, reduce={"all", one} if one.startswith("-") else {one})
        assert one in str(caught.value)
