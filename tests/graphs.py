"""Named graphs of every structure that an engine might treat differently, as csr_arrays.

`MEDIUM` graphs are small enough for NetworkX in many combinations of options. `LARGE` ones have
more nodes than two batches of 64 sources; they have a high diameter, are dense, or have many trees
and leaves. `LARGEST` ones have more nodes than two batches of 512, too many for NetworkX.
"""

import networkx as nx
import numpy as np
import scipy.sparse as sp


def matrix(graph):
    """Adjacency matrix of a NetworkX graph in its node order, rows sorted."""
    A = nx.to_scipy_sparse_array(graph, dtype="int8", format="csr")
    A.sort_indices()
    return A


def layered(width, layers):
    """Layers of ``width`` nodes, with arcs from every node to every node of the next layer."""
    return sp.csr_array(sp.kron(sp.eye_array(layers, k=1), np.ones((width, width))))


def diamonds(count):
    """Two paths between successive nodes of 0 to count: 2**count shortest paths from 0 to count."""
    joints = np.arange(count)
    upper, lower = count + 1 + joints, 2 * count + 1 + joints
    tails = np.concatenate([joints, joints, upper, lower])
    heads = np.concatenate([upper, lower, joints + 1, joints + 1])
    n = 3 * count + 1
    return sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n))


def square(side):
    """Square grid in row-major order: high diameter, small frontiers."""
    line = sp.eye_array(side, k=1) + sp.eye_array(side, k=-1)
    return sp.csr_array(sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line))


def close(got, want):
    """Assert equality up to the order of float additions."""
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def peer(A, *, directed):
    """Return the NetworkX graph that sparsebc sees in A."""
    return nx.from_scipy_sparse_array(A, create_using=nx.DiGraph if directed else nx.Graph)


def with_lengths(A, lengths, seed=0):
    """Matrix with a random length for each edge of a pattern, equal in both directions."""
    coo = sp.coo_array(A)
    ends = np.sort(np.stack([coo.row, coo.col]), axis=0)
    _, edge = np.unique(ends, axis=1, return_inverse=True)
    drawn = np.random.default_rng(seed).choice(lengths, edge.max() + 1)[edge.ravel()]
    return sp.csr_array((drawn, (coo.row, coo.col)), shape=A.shape)


def spider(legs, length):
    """Paths that meet in node 0."""
    graph = nx.Graph()
    for leg in range(legs):
        nx.add_path(graph, [0, *range(1 + leg * length, 1 + (leg + 1) * length)])
    return graph


def one_way(graph, share, seed):
    """Digraph of both arcs of each edge, without a random share of all arcs."""
    rng = nx.utils.create_random_state(seed)
    arcs = graph.to_directed()
    arcs.remove_edges_from([arc for arc in list(arcs.edges) if rng.random() < share])
    return arcs


def with_trees(core, seed, nodes=50):
    """Matrix of a graph with trees: each of ``nodes`` new nodes joins a random earlier one."""
    graph = nx.convert_node_labels_to_integers(core)
    rng = np.random.default_rng(seed)
    for v in range(graph.number_of_nodes(), graph.number_of_nodes() + nodes):
        graph.add_edge(int(rng.integers(v)), v)
    return matrix(graph)


def tree(n, seed):
    """Uniformly random labelled tree."""
    return nx.random_labeled_tree(n, seed=seed)


def stretched(graph, seed, most=6):
    """A graph whose edges are chains of up to so many nodes, loops at some, and cycles apart."""
    rng = np.random.default_rng(seed)
    graph = nx.convert_node_labels_to_integers(graph)
    long = nx.Graph()
    n = len(graph)
    ends = [*graph.edges, *((v, v) for v in rng.integers(n, size=5))]
    for u, v in ends:
        size = int(rng.integers(2 * (u == v), most + 1))
        nx.add_path(long, [u, *range(n, n + size), v])
        n += size
    return matrix(nx.disjoint_union(long, nx.disjoint_union(nx.cycle_graph(7), nx.cycle_graph(3))))


def strange_parts():
    """Components of one node, of two, a tree, a cycle, a clique and a grid."""
    parts = [nx.path_graph(1), nx.path_graph(2), nx.random_labeled_tree(9, seed=1)]
    parts += [nx.cycle_graph(7), nx.complete_graph(5), nx.grid_2d_graph(4, 5)]
    return matrix(nx.disjoint_union_all([nx.convert_node_labels_to_integers(g) for g in parts]))


def joined_layers(layers, width, share, seed):
    """Layers of nodes that are joined to a share of the next: path counts that are rounded."""
    rng = np.random.default_rng(seed)
    tails, heads = np.divmod(np.arange(width**2), width)
    kept = [np.flatnonzero(rng.random(width**2) < share) for _ in range(layers)]
    rows = np.concatenate([i * width + tails[each] for i, each in enumerate(kept)])
    columns = np.concatenate([(i + 1) * width + heads[each] for i, each in enumerate(kept)])
    n = (layers + 1) * width
    return sp.csr_array((np.ones(rows.size), (rows, columns)), shape=(n, n))


def trips(n, seed=0):
    """A demand of few pairs."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 3 * n))
    return sp.coo_array((rng.integers(1, 9, 3 * n), tuple(ends)), shape=(n, n))


def assembled(seed, parts=70, size=None):
    """Some hundred nodes: random blocks, cycles and edges joined at random nodes; and a forest."""
    rng = np.random.default_rng(seed)
    graph = nx.empty_graph(1)
    kinds = nx.path_graph, nx.cycle_graph, nx.complete_graph, lambda n: nx.wheel_graph(3 * n)
    for _ in range(parts):
        part = kinds[rng.integers(4)](int(rng.integers(2, 7)))
        n, at = graph.number_of_nodes(), int(rng.integers(graph.number_of_nodes()))
        names = {v: n + v - 1 if v else at for v in part}
        graph.update(nx.relabel_nodes(part, names))
    if size:  # one block that holds most of the work
        graph = nx.disjoint_union(graph, nx.barabasi_albert_graph(size, 3, seed=seed))
        graph.add_edges_from([(0, len(graph) - 1), (1, len(graph) - 1)])
    return nx.disjoint_union(graph, nx.random_labeled_tree(20, seed=seed))


MEDIUM = {
    "sparse digraph": nx.gnp_random_graph(60, 0.02, seed=811, directed=True),
    "digraph": nx.gnp_random_graph(50, 0.08, seed=812, directed=True),
    "dense digraph": nx.gnp_random_graph(30, 0.5, seed=813, directed=True),
    "tournament": nx.tournament.random_tournament(31, seed=814),
    "disconnected": nx.gnp_random_graph(80, 0.022, seed=815),
    "graph": nx.gnp_random_graph(60, 0.07, seed=816),
    "dense graph": nx.gnp_random_graph(35, 0.6, seed=817),
    "hubs": nx.barabasi_albert_graph(70, 2, seed=818),
    "small world": nx.connected_watts_strogatz_graph(64, 4, 0.2, seed=819),
    "communities": nx.disjoint_union(nx.barbell_graph(12, 5), nx.lollipop_graph(9, 6)),
}
LARGE = {
    "tree": tree(300, seed=821),
    "caterpillar": nx.corona_product(nx.path_graph(60), nx.empty_graph(2)),
    "spider": spider(legs=12, length=20),
    "unicyclic": nx.compose(nx.cycle_graph(40), nx.relabel_nodes(tree(200, 822), lambda v: v + 39)),
    "forest": nx.disjoint_union_all(
        [tree(90, 823), nx.empty_graph(7), nx.path_graph(2), tree(80, 824), nx.star_graph(9)]
    ),
    "leaves on hubs": nx.corona_product(
        nx.barabasi_albert_graph(80, 3, seed=825), nx.empty_graph(2)
    ),
    "sparse": nx.gnp_random_graph(300, 0.005, seed=826),
    "large hubs": nx.barabasi_albert_graph(250, 3, seed=827),
    "dense": nx.gnp_random_graph(150, 0.4, seed=828),
    "path": nx.path_graph(200),
    "cycle": nx.cycle_graph(151),
    "grid": nx.grid_2d_graph(6, 40),
    "one-way path": nx.path_graph(200, create_using=nx.DiGraph).reverse(),
    "directed cycle": nx.cycle_graph(150, create_using=nx.DiGraph),
    "acyclic": nx.DiGraph(
        [arc for arc in nx.gnp_random_graph(200, 0.05, 829, directed=True).edges if arc[0] < arc[1]]
    ),
    "arborescence": nx.bfs_tree(tree(200, 830), 0),
    "large digraph": nx.gnp_random_graph(250, 0.012, seed=831, directed=True),
    "streets": one_way(nx.grid_2d_graph(15, 15), share=0.2, seed=832),
}
LARGEST = {
    "hubs": nx.barabasi_albert_graph(1200, 3, seed=833),
    "streets": one_way(nx.grid_2d_graph(35, 35), share=0.2, seed=834),
    "components": nx.disjoint_union(
        nx.grid_2d_graph(10, 60), nx.gnp_random_graph(700, 0.004, seed=835)
    ),
}
MEDIUM = {name: matrix(graph) for name, graph in MEDIUM.items()}
LARGE = {name: matrix(graph) for name, graph in LARGE.items()}
LARGEST = {name: matrix(graph) for name, graph in LARGEST.items()}
ASSEMBLED = {
    "many blocks": matrix(assembled(911)),
    "one large block": matrix(assembled(911, size=200)),
    "chain": matrix(assembled(911, parts=120)),
}
# Large graphs of each shape, for laws and slow peers: the conformance suite draws many more.
SELECTED = ("leaves on hubs", "forest", "grid", "streets", "dense", "large digraph")
