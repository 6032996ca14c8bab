"""Random patterns with the structures that engines treat specially.

A pattern is a number of nodes and a list of node pairs, each once and in one direction.
"""

from itertools import pairwise


def draw(rng, n):
    """Pattern of about n nodes: a decorated core, or a disjoint union with isolated nodes."""
    if n < 2:
        return n, []
    if n >= 6 and rng.random() < 0.2:  # several components, and isolated nodes
        part = int(rng.integers(1, n - 1))
        lone = int(rng.integers(0, 3))
        (n1, first), (n2, second) = draw(rng, part), draw(rng, n - part)
        return n1 + n2 + lone, first + [(i + n1, j + n1) for i, j in second]
    core = max(2, int(n * rng.uniform(0.3, 1.0)))
    n1, pairs = CORES[rng.choice(list(CORES))](rng, core)
    pairs = {(min(i, j), max(i, j)) for i, j in pairs if i != j}
    while n1 < n:
        n1, pairs = DECORATIONS[int(rng.integers(len(DECORATIONS)))](rng, n1, pairs, n)
    return n1, sorted(pairs)


def _random(rng, n, mean=None):
    mean = rng.choice([1.0, 2.0, 4.0, n / 3]) if mean is None else mean
    count = int(mean * n / 2) + 1
    ends = rng.integers(0, n, (count, 2))
    return n, [tuple(pair) for pair in ends.tolist()]


def _tree(rng, n):
    return n, [(int(rng.integers(max(0, v - 6), v)), v) for v in range(1, n)]


def _path(rng, n):
    return n, list(pairwise(range(n)))


def _cycle(rng, n):
    return n, [*pairwise(range(n)), (n - 1, 0)]


def _star(rng, n):
    return n, [(0, v) for v in range(1, n)]


def _complete(rng, n):
    n = min(n, 14)
    return n, [(i, j) for i in range(n) for j in range(i)]


def _grid(rng, n):
    width = int(rng.integers(1, max(2, int(n**0.5)) + 1))
    height = max(1, n // width)
    right = [(r * width + c, r * width + c + 1) for r in range(height) for c in range(width - 1)]
    down = [(r * width + c, (r + 1) * width + c) for r in range(height - 1) for c in range(width)]
    return width * height, right + down


def _layers(rng, n):
    """Layers with an edge from every node to every node of the next: huge path counts."""
    width = int(rng.integers(2, 6))
    layers = max(1, n // width)
    return width * layers, [
        (d * width + i, (d + 1) * width + j)
        for d in range(layers - 1)
        for i in range(width)
        for j in range(width)
    ]


def _hubs(rng, n):
    """Preferential attachment: each new node has edges to ends of random edges."""
    ends, each = [0, 1], int(rng.integers(1, 4))
    pairs = [(0, 1)]
    for v in range(2, n):
        for u in {ends[int(at)] for at in rng.integers(0, len(ends), each)}:
            pairs.append((u, v))
            ends += [u, v]
    return n, pairs


def _cliques(rng, n):
    """Chain of complete graphs, two successive ones with one common node: blocks."""
    pairs, top = [], 0
    while top < n - 1:
        size = int(rng.integers(2, 7))
        nodes = range(top, min(n, top + size))
        pairs += [(i, j) for i in nodes for j in nodes if i < j]
        top = nodes[-1]
    return n, pairs


def _ring(rng, n):
    """A ring with edges to the next two nodes, and some shortcuts."""
    pairs = [(v, (v + step) % n) for v in range(n) for step in (1, 2)]
    cuts = rng.integers(0, n, (int(rng.integers(0, 3)), 2)).tolist()
    return n, pairs + [tuple(pair) for pair in cuts]


def _sides(rng, n):
    """Complete bipartite graph: twins."""
    one = min(int(rng.integers(1, n)), 8)
    return n, [(i, j) for i in range(one) for j in range(one, n)]


CORES = {
    "random": _random,
    "tree": _tree,
    "path": _path,
    "cycle": _cycle,
    "star": _star,
    "complete": _complete,
    "grid": _grid,
    "layers": _layers,
    "hubs": _hubs,
    "cliques": _cliques,
    "ring": _ring,
    "sides": _sides,
}


def _with_tree(rng, n, pairs, most):
    """Attach a few nodes, each to a random earlier one."""
    for _ in range(min(most - n, int(rng.integers(1, 9)))):
        pairs.add((int(rng.integers(n)), n))
        n += 1
    return n, pairs


def _with_tail(rng, n, pairs, most):
    """Attach a path to a node."""
    end = int(rng.integers(n))
    for _ in range(min(most - n, int(rng.integers(1, 30)))):
        pairs.add((end, n))
        end, n = n, n + 1
    return n, pairs


def _with_chain(rng, n, pairs, most):
    """Add a path between two nodes, or an ear at one node."""
    start, end = rng.integers(0, n, 2).tolist()
    last = start
    for _ in range(min(most - n, int(rng.integers(1, 12)))):
        pairs.add((last, n))
        last, n = n, n + 1
    if last != end:
        pairs.add((min(last, end), max(last, end)))
    return n, pairs


def _with_twins(rng, n, pairs, most):
    """Add copies of a node, open or closed twins."""
    v, is_closed = int(rng.integers(n)), rng.random() < 0.3
    around = [i + j - v for i, j in pairs if v in (i, j)]
    for _ in range(min(most - n, int(rng.integers(1, 6)))):
        pairs |= {(u, n) for u in around}
        if is_closed:
            pairs.add((v, n))
        n += 1
    return n, pairs


DECORATIONS = (_with_tree, _with_tail, _with_chain, _with_twins)
