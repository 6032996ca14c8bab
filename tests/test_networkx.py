"""The NetworkX backend: what is dispatched, converted, refused and left to NetworkX."""

import copy
import inspect
import math
import pickle
import subprocess
import sys

import networkx as nx
import pytest
import scipy.sparse
from children import python

import sparsebc
from sparsebc.networkx import SparseGraph, from_matrix, from_networkx
from sparsebc.networkx.backend import CALL, NOT_COMPILED, backend
from sparsebc.networkx.functions import BARYCENTER, DEFAULTS, FUNCTIONS, backend_info

HOMES = {name: home for home in (nx.community, nx) for name in FUNCTIONS if hasattr(home, name)}


@pytest.fixture(autouse=True)
def _no_cache():
    with nx.config(cache_converted_graphs=False):
        yield


def triangle(*lengths, kind=nx.Graph):
    G = kind()
    G.add_weighted_edges_from(zip("abc", "bca", lengths, strict=True), weight="w")
    return G


def test_networkx_finds_the_backend_by_its_entry_points():
    """By its entry points; without them the package has to be installed again."""
    assert "sparsebc" in nx.utils.backends.backends, "install the package: pip install -e ."
    assert set(nx.config.backends.sparsebc) == set(DEFAULTS)
    assert set(backend_info()["functions"]) == set(FUNCTIONS)
    assert "sparsebc" in nx.betweenness_centrality.__doc__


@pytest.mark.parametrize("name", [name for name in HOMES if FUNCTIONS[name].left])
def test_an_argument_left_to_networkx_is_refused_with_its_reason(name):
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


ASKED = """
import sys
import networkx as nx
from sparsebc.networkx.backend import backend

G = nx.gnm_random_graph(200, 1000, seed=1)  # 240,000 nodes and edges looked at
ask = lambda: backend.should_run("closeness_centrality", (G,), {})
print(ask(), "numba" in sys.modules)
nx.closeness_centrality(G, backend="sparsebc")
print(ask())
"""


@pytest.mark.long
def test_equal_calls_of_a_process_are_answered_alike(tmp_path):
    """Whatever has been compiled and converted since; the next process finds the kernels."""
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    answers = [python("-c", ASKED, **place)[0].splitlines() for _ in range(2)]
    assert answers == [[f"{NOT_COMPILED} True", NOT_COMPILED], ["True True", "True"]]


def test_an_unknown_function_is_no_attribute_of_the_backend():
    with pytest.raises(AttributeError, match="no function 'pagerank'"):
        backend.pagerank  # noqa: B018


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
    found, _ = python("-c", code, NETWORKX_BACKEND_PRIORITY="sparsebc")
    assert found.split() == ["set()", "True", "False", "True"]


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
        ("harmonic_centrality", (), {"sources": iter(range(400))}, False),
        ("betweenness_centrality", (math.inf,), {}, False),
        ("betweenness_centrality", (), {"k": "a"}, False),
        ("edge_betweenness_partition", (1,), {}, False),
        ("edge_betweenness_partition", ("a",), {}, True),  # the call raises
    ],
)
def test_the_backend_runs_calls_of_many_searches_alone(
    name, arguments, keywords, expected, monkeypatch
):
    """Many searches of many edges; a reason where not."""
    G = nx.gnm_random_graph(400, 4 * CALL // 400, seed=1)
    monkeypatch.setattr("sparsebc.networkx.backend._is_compiled", lambda *_: True)
    for first, named in (((G, *arguments), keywords), ((), {**keywords, "G": G})):
        if arguments and not first:
            continue  # what comes after G by position needs G there
        answer = backend.should_run(name, first, named)
        assert answer is True if expected else isinstance(answer, str)
    T = nx.random_labeled_tree(1000, seed=1)  # its middle is found in one pass, but by length
    for middle in ("center", BARYCENTER):
        assert isinstance(backend.should_run(middle, (T,), {}), str)
        assert backend.should_run(middle, (T,), {"weight": "w"}) is True


@pytest.mark.parametrize("length", [5, 0, -1.0, math.inf, None, "1", 2**60, [1]])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_converted_graph_converts_back_to_an_equal_one(kind, length):
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
    if not G.is_directed():  # else NetworkX itself has them in the order of the edges
        assert [list(again.adj[node]) for node in G] == [list(G.adj[node]) for node in G]
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


@pytest.fixture
def cached():
    """NetworkX keeps conversions (`test_networkx_cache` changes their graphs)."""
    with nx.config(cache_converted_graphs=True, warnings_to_ignore={"cache"}):
        yield


WITHOUT = """
import pickle, sys
sys.modules["sparsebc"] = None  # as if it were not installed
G = pickle.load(sys.stdin.buffer)
import networkx as nx
assert nx.diameter(G, weight="w", backend="networkx") == 3
"""


def test_a_graph_that_was_converted_is_pickled_without_the_conversion(cached):
    """It loads where sparsebc is not installed, and is converted again where it is."""
    G = triangle(1, 2, 5)
    nx.diameter(G, weight="w", backend="sparsebc")
    nx.diameter(G, weight=lambda u, v, data: 1, backend="sparsebc")
    pickled = pickle.dumps(G)
    subprocess.run([sys.executable, "-c", WITHOUT], input=pickled, check=True)
    for again in (pickle.loads(pickled), copy.deepcopy(G)):
        assert nx.diameter(again, weight="w", backend="sparsebc") == 3
    H = pickle.loads(pickle.dumps(from_networkx(G, "w")))  # that of a caller is kept
    assert nx.diameter(H, weight="w") == 3


def test_a_call_overrides_the_run_options_of_the_configuration():
    """Of the configuration and of the call, which comes first; those that are wrong are errors."""
    G = nx.karate_club_graph()
    expected = nx.betweenness_centrality(G)
    run = {"device": "reference", "workers": 1, "dtype": "float32", "memory_budget": 10**9}
    with nx.config.backends.sparsebc(**run):
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


def test_functions_of_networkx_take_graphs_of_the_backend():
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


def test_a_matrix_becomes_a_graph_with_its_entries_for_edges():
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
    assert dict(nx.all_pairs_dijkstra_path_length(G))[0][2] == 7
    assert (before.data[:4] == A.data[:4]).all()
    scores = sparsebc.betweenness(G.matrix("weight"), directed=False, weighted=True)
    assert scores.tolist() == list(nx.betweenness_centrality(G, weight="weight").values())
    assert from_matrix(A, weight=None).is_directed()


def test_progress_of_partitions_counts_steps():
    """Of a path of five nodes, two of four edges go until it is in three parts."""
    seen = []
    how = {"backend": "sparsebc", "progress": lambda *step: seen.append(step)}
    parts = nx.community.edge_betweenness_partition(nx.path_graph(5), 3, **how)
    assert parts == [{0, 1}, {2}, {3, 4}]
    assert seen == [(1, 4), (2, 4)]
