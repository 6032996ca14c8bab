"""The NetworkX backend: what is dispatched, converted, refused and left to NetworkX."""

import importlib
import inspect
import math
import os
import random
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import sparsebc
from sparsebc.networkx import SparseGraph, from_matrix, from_networkx
from sparsebc.networkx.backend import CALL, NOT_COMPILED, NOT_LOADED, backend
from sparsebc.networkx.functions import BARYCENTER, DEFAULTS, FUNCTIONS, backend_info

HOMES = {name: home for home in (nx.community, nx) for name in FUNCTIONS if hasattr(home, name)}


@pytest.fixture(autouse=True)
def _no_cache():
    with nx.config(cache_converted_graphs=False):
        yield


@pytest.fixture
def preferred():
    """NetworkX asks this backend first."""
    with nx.config(backend_priority=["sparsebc"]):
        yield


def triangle(*lengths, kind=nx.Graph):
    G = kind()
    G.add_weighted_edges_from(zip("abc", "bca", lengths, strict=True), weight="w")
    return G


def test_networkx_finds_it():
    """By its entry points; without them the package has to be installed again."""
    assert "sparsebc" in nx.utils.backends.backends, "install the package: pip install -e ."
    assert set(nx.config.backends.sparsebc) == set(DEFAULTS)
    assert set(backend_info()["functions"]) == set(FUNCTIONS)
    assert "sparsebc" in nx.betweenness_centrality.__doc__


@pytest.mark.parametrize("name", HOMES)  # NetworkX 3.5 has one less
def test_arguments_are_those_of_networkx(name):
    """A function takes each of NetworkX's that is not left to it, the graph with its lengths."""
    module = importlib.import_module(f"sparsebc.networkx.{FUNCTIONS[name].module}")
    ours = inspect.signature(getattr(module, name)).parameters
    theirs = inspect.signature(inspect.unwrap(getattr(HOMES[name], name))).parameters
    needed = {one for one, parameter in ours.items() if parameter.default is parameter.empty}
    asked = {*theirs} - {"G", FUNCTIONS[name].weight} - {*FUNCTIONS[name].left}
    assert needed <= {"call", *asked} <= {*ours}


@pytest.mark.parametrize("name", [name for name in HOMES if FUNCTIONS[name].left])
def test_arguments_left_to_networkx(name):
    """By name and by position, whatever is in them; NetworkX's default asks for nothing."""
    theirs = inspect.signature(inspect.unwrap(getattr(HOMES[name], name))).parameters
    defaults = [parameter.default for parameter in theirs.values()]
    served = getattr(backend, name)
    G = from_networkx(nx.path_graph(3))
    for argument, reason in FUNCTIONS[name].left.items():
        if argument in theirs:
            place = list(theirs).index(argument)
            for asked, named in (((), {argument: "x"}), ((*defaults[1:place], "x"), {})):
                with pytest.raises(NotImplementedError, match=f"^{reason}; .* leave backend="):
                    served(G, *asked, **named)
            served(G, **{argument: defaults[place]})


COLD = """
import networkx as nx
from sparsebc.networkx import backend

backend.LOAD, backend.COMPILE = 700_000, 1_100_000
G = nx.gnm_random_graph(200, 1000, seed=1)  # 240,000 nodes and edges looked at
for _ in range(5):
    print(backend.Backend.should_run("closeness_centrality", (G,), {}))
"""


def test_a_process_gets_warm(tmp_path):
    """Once the calls refused would have paid for loading, and for kernels that are not kept yet."""
    found = subprocess.run(
        [sys.executable, "-c", COLD],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    want = [*[NOT_LOADED] * 2, *[NOT_COMPILED] * 2, "True"]
    assert found.stdout.splitlines() == want


def test_unknown_names():
    with pytest.raises(AttributeError, match="no function 'pagerank'"):
        backend.pagerank  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sparsebc.networkx.nothing  # noqa: B018
    assert dir(sparsebc.networkx) == ["SparseGraph", "from_matrix", "from_networkx"]


def test_small_graphs_stay_with_networkx_and_import_nothing():
    """Of what is slow to import, neither what NetworkX asks at first nor a small graph needs any.

    With priority, too.
    """
    code = """if True:
        import sys, networkx as nx
        print({"numpy", "scipy", "numba"} & set(sys.modules), "sparsebc" in nx.config.backends)
        nx.betweenness_centrality(nx.path_graph(30))
        nx.edge_betweenness_centrality_subset(nx.path_graph(3), [0], [2])
        print("numba" in sys.modules, "sparsebc.networkx.backend" in sys.modules)
    """
    env = os.environ | {"NETWORKX_BACKEND_PRIORITY": "sparsebc"}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert found.stdout.split() == ["set()", "True", "False", "True"]


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "expected"),
    [
        ("betweenness_centrality", (), {}, True),
        ("betweenness_centrality", (2,), {}, False),
        ("betweenness_centrality", (), {"k": 2}, False),
        ("betweenness_centrality_subset", ([1, 2], [3]), {}, False),
        ("betweenness_centrality_subset", (range(400), [3]), {}, True),
        ("edge_betweenness_centrality_subset", (range(400), [3]), {}, False),
        ("closeness_centrality", (), {"u": 0}, False),
        ("closeness_centrality", (0,), {}, False),
        ("eccentricity", (0,), {}, False),
        ("eccentricity", (), {"weight": "w"}, True),
        ("diameter", (), {"usebounds": True}, False),
        ("diameter", (), {"usebounds": False}, True),
        (BARYCENTER, (None, "score"), {}, False),
        ("all_pairs_shortest_path_length", (), {"cutoff": 0}, False),
        ("is_connected", (), {}, False),
        ("single_source_shortest_path_length", (0,), {}, False),
    ],
)
def test_when_it_should_run(name, arguments, keywords, expected):
    """Many searches of many edges; a reason where not."""
    G = nx.gnm_random_graph(400, 4 * CALL // 400, seed=1)
    for function in FUNCTIONS.values():
        importlib.import_module(f"sparsebc.networkx.{function.module}")
    for first, named in (((G, *arguments), keywords), ((), {**keywords, "G": G})):
        if arguments and not first:
            continue  # what comes after G by position needs G there
        answer = backend.should_run(name, first, named)
        assert answer is True if expected else isinstance(answer, str)


@pytest.mark.parametrize("name", ["closeness_centrality", "eccentricity"])
def test_a_function_named_alone_is_asked_for_once(name, monkeypatch):
    """Of a small graph; with priority before all functions, at each call in the call too."""
    asked, ours = [], backend.should_run
    monkeypatch.setattr(backend, "should_run", lambda *call: asked.append(call[0]) or ours(*call))
    G, function, priority = nx.path_graph(5), getattr(nx, name), nx.config.backend_priority
    want = function(G)
    monkeypatch.setitem(priority, name, ["sparsebc"])
    assert (function(G), asked) == (want, [name])
    monkeypatch.setattr(priority, "algos", ["sparsebc"])
    assert function(G) == want
    assert len(asked) > 1 + len(G)


def test_a_conversion_that_is_there_is_used(preferred):
    """Whatever the size; the cache of NetworkX holds it."""
    G = nx.path_graph(4)
    with nx.config(cache_converted_graphs=True, warnings_to_ignore={"cache"}):
        assert isinstance(backend.should_run("is_connected", (G,), {}), str)
        nx.is_connected(G, backend="sparsebc")
        assert backend.should_run("is_connected", (G,), {}) is True
        assert nx.is_connected(G)
        G.add_edge(0, 3)
        assert isinstance(backend.should_run("is_connected", (G,), {}), str)


@pytest.mark.parametrize("length", [5, 0, -1.0, math.inf, None, "1", 2**60, [1]])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_there_and_back(kind, length):
    """A graph becomes the one that it was, whatever its lengths are to NetworkX."""
    G = triangle(1, 2, length, kind=kind)
    G.add_edge("a", "b", w=4)
    G.add_edge("c", "c", w=1)
    G.add_node("alone")
    again = backend.convert_to_nx(from_networkx(G, "w"))
    assert type(again) is kind
    assert nx.utils.graphs_equal(again, G)
    types = [[type(w) for *_, w in each.edges(data="w")] for each in (again, G)]
    assert types[0] == types[1]
    assert backend.convert_to_nx(3) == 3
    kept = backend.convert_from_nx(G, preserve_edge_attrs=True)
    assert backend.convert_to_nx(kept) is G


@pytest.mark.parametrize("directed", [True, False])
def test_a_matrix_of_no_lengths_falls_back_with_its_values(directed):
    """A stored zero is a length in NetworkX."""
    A = scipy.sparse.coo_array(([0.0, 5.0, 0.0], ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    with nx.config(fallback_to_nx=True):
        H = from_matrix(A, directed=directed)
        assert nx.shortest_path_length(H, 0, 2, weight="weight") == 0


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_callables(kind):
    """They get the data of the edge, of all parallel ones at once in a multigraph."""
    G = triangle(1, 2, 5, kind=kind)
    G.add_edge("a", "b", w=7)

    def doubled(u, v, data):
        return 2 * (min(one["w"] for one in data.values()) if G.is_multigraph() else data["w"])

    for function in (nx.betweenness_centrality, nx.edge_betweenness_centrality):
        ours = function(G, weight=doubled, backend="sparsebc")
        assert ours == pytest.approx(function(G, weight=doubled))
    H = from_networkx(G, doubled)
    assert H.matrix(doubled).sum() == 2 * from_networkx(G, "w").matrix("w").sum()


@pytest.mark.parametrize("weight", [None, "w"])
def test_views_of_parallel_edges(weight):
    """A neighbour all of whose edges are filtered out counts in the length of a row."""
    G = triangle(1, 2, 3, kind=nx.MultiGraph)
    G.add_edge("a", "d", w=1)
    G.add_edge("a", "b", w=5)
    view = nx.restricted_view(G, [], [("b", "c", 0), ("a", "b", 0)])
    found = [
        nx.closeness_centrality(view, distance=weight, backend=name)
        for name in ("networkx", "sparsebc")
    ]
    assert found[0] == pytest.approx(found[1])


def test_lengths_that_differ_with_the_direction_of_an_undirected_view():
    """NetworkX looks them up by direction, and computes what is neither the one nor the other."""
    G = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    view = G.to_undirected(as_view=True)
    want = nx.closeness_centrality(view, distance="w", backend="networkx")
    assert nx.closeness_centrality(view, distance="w", backend="sparsebc") == want
    G["a"]["b"]["w"] = 5
    with pytest.raises(NotImplementedError) as caught:
        nx.closeness_centrality(view, distance="w", backend="sparsebc")
    assert "lengths that differ with an edge's direction" in str(caught.value.__cause__)


def test_seeds_of_all_kinds():
    G = nx.gnp_random_graph(30, 0.2, seed=3)
    for seed in (7, random.Random(7), np.random.RandomState(7)):
        again = random.Random(7) if isinstance(seed, random.Random) else seed
        if not isinstance(seed, int | random.Random):
            again = np.random.RandomState(7)
        ours = nx.betweenness_centrality(G, k=5, seed=seed, backend="sparsebc")
        assert ours == pytest.approx(nx.betweenness_centrality(G, k=5, seed=again))


def uneven(u, v, data):
    """Fine along the edges of a digraph; where they are reversed, NetworkX takes over."""
    return 1 if u < v else 2


C, D = nx.cycle_graph(4), triangle(1, 1, 1, kind=nx.DiGraph)
LEFT = [
    *(
        (nx.betweenness_centrality, triangle(1, 1.5, length), {"weight": "w"})
        for length in (0, -1, math.inf, math.nan, None, "1", np.float32(1), 2**60, 1j, 1e-310)
    ),
    (nx.betweenness_centrality, triangle(1e-20, 1.5, 1.0), {"weight": "w"}),  # lost beside others
    (nx.closeness_centrality, triangle(1, 1, 1), {"distance": uneven}),
    (nx.closeness_centrality, D, {"distance": uneven}),
    (nx.harmonic_centrality, D, {"distance": uneven, "nbunch": "a"}),
    (nx.shortest_path_length, D, {"target": "a", "weight": uneven}),
    (nx.eccentricity, C, {"sp": {}}),
    (nx.barycenter, C, {"attr": "score"}),
    (nx.barycenter, C, {"weight": lambda u, v, data: 0.5 + u + v}),
    (nx.global_reaching_centrality, C, {"weight": "w"}),
    (
        nx.shortest_path_length,
        C,
        {"source": 0, "weight": "w", "method": "bellman-ford"},
    ),
    (nx.betweenness_centrality_subset, C, {"sources": [0], "targets": iter([2])}),
]


@pytest.mark.parametrize(("function", "G", "given"), LEFT)
def test_left_to_networkx(function, G, given):
    """By name this raises; where NetworkX chooses, it computes, or says itself what is wrong."""
    with pytest.raises(NotImplementedError) as refused:
        function(G, backend="sparsebc", **given)
    assert "leave backend='sparsebc' out" in f"{refused.value} {refused.value.__cause__}"
    if function is nx.betweenness_centrality:
        with pytest.raises(NotImplementedError, match=r"sparsebc|1e-300"):
            function(from_networkx(G, "w"), **given)


def test_networkx_computes_where_it_chooses(preferred):
    assert nx.betweenness_centrality(triangle(1e-20, 1.5, 1.0), weight="w") is not None


def test_arguments_of_networkx_alone():
    G = nx.cycle_graph(4)
    assert nx.diameter(G, e={0: 3, 1: 5}, backend="sparsebc") == 5
    for function in (nx.average_shortest_path_length, nx.shortest_path_length):
        with pytest.raises(ValueError, match="method not supported: guess"):
            function(G, method="guess", backend="sparsebc")


def test_run_options():
    """Of the configuration and of the call, which comes first; those that are wrong are errors."""
    G = nx.karate_club_graph()
    expected = nx.betweenness_centrality(G)
    with nx.config.backends.sparsebc(device="cpu", workers=1, dtype="float32", memory_budget=10**9):
        ours = nx.betweenness_centrality(G, backend="sparsebc")
        assert ours == pytest.approx(expected, rel=1e-4)
        assert ours != pytest.approx(expected, rel=1e-12)
        exact = nx.betweenness_centrality(G, backend="sparsebc", dtype="float64")
        assert exact == pytest.approx(expected, rel=1e-12)
        assert nx.diameter(G, backend="sparsebc") == 5  # a search has no dtype
    for call, error in (
        ({"weight": "w", "device": "abacus"}, ValueError),
        ({"workers": 0}, ValueError),
        ({"wrkers": 2}, TypeError),
    ):
        with pytest.raises(error):
            nx.betweenness_centrality(G, backend="sparsebc", **call)


def test_graphs_of_the_backend():
    """NetworkX's functions take them, named lengths and all, and nothing else is guessed."""
    G = triangle(1, 2, 5)
    G.name, H = "three", None
    H = from_networkx(G, weight="w")
    assert str(H) == str(G)
    assert H.order() == H.number_of_nodes() == 3
    assert list(H) == list(G)
    assert "a" in H
    assert ["a"] not in H
    assert isinstance(H, SparseGraph)
    assert nx.betweenness_centrality(H, weight="w") == nx.betweenness_centrality(G, weight="w")
    with pytest.raises(ValueError, match=r"weight='v' is not among .* \('w'\)"):
        nx.betweenness_centrality(H, weight="v")
    with pytest.raises(NotImplementedError):
        nx.pagerank(H)
    with nx.config(fallback_to_nx=True):
        assert nx.pagerank(H, weight="w") == pytest.approx(nx.pagerank(G, weight="w"))


@pytest.mark.parametrize("nbunch", [5, [["a"]], "q"])
def test_nodes_named_wrongly(nbunch):
    """NetworkX's own words."""
    G = triangle(1, 2, 5)
    with pytest.raises(nx.NetworkXError) as theirs:
        list(G.nbunch_iter(nbunch)) or (_ for _ in ()).throw(nx.NetworkXError(""))
    try:
        assert list(from_networkx(G).nbunch_iter(nbunch)) == []
        ours = ""
    except nx.NetworkXError as error:
        ours = str(error)
    assert ours == str(theirs.value)


def test_from_a_matrix():
    """Directions, names, repeated entries, loops and stored zeros."""
    rows, columns = [0, 0, 1, 2, 2], [1, 1, 0, 2, 1]
    A = scipy.sparse.coo_array(([1.0, 2.0, 5.0, 1.0, 0.0], (rows, columns)), shape=(3, 3))
    before = A.copy()
    D = from_matrix(A, "abc")
    assert D.matrix().toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 1]]
    assert D.number_of_edges() == 4
    with pytest.raises(NotImplementedError, match="zero"):
        D.matrix("weight")
    A.data[-1] = 4
    G = from_matrix(A, directed=False)
    assert G.matrix("weight").toarray().tolist() == [[0, 3, 0], [3, 0, 4], [0, 4, 1]]
    assert G.number_of_edges() == 3
    assert nx.shortest_path_length(G, 0, 2, weight="weight") == 7
    assert (before.data[:4] == A.data[:4]).all()
    scores = sparsebc.betweenness(G.matrix("weight"), directed=False, weighted=True)
    assert scores.tolist() == list(nx.betweenness_centrality(G, weight="weight").values())
    assert from_matrix(A, weight=None).is_directed()


def test_what_is_no_graph():
    eye = scipy.sparse.eye_array(3)
    for wrong, error in (
        (lambda: from_networkx(eye), TypeError),
        (lambda: from_matrix([[0, 1], [0, 0]]), TypeError),
        (lambda: from_matrix(eye, directed=1), TypeError),
        (lambda: from_matrix(scipy.sparse.csr_array((2, 3))), ValueError),
        (lambda: from_matrix(eye, "aab"), ValueError),
        (lambda: from_matrix(eye, "ab"), ValueError),
    ):
        with pytest.raises(error):
            wrong()
