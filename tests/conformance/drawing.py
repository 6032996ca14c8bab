"""Questions by integer seed: a graph, a measure with its options, and run options."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import oracle
import scipy.sparse as sp

from . import networks, truth
from .knobs import KNOBS, ON_GPU

BY_PATHS = ("betweenness", "edge_betweenness", "stress", "centralities", "percolation")
BY_DISTANCE = ("closeness", "harmonic", "eccentricity")
OF_PLACES = ("accessibility", "nearest")
NAMES = ("betweenness", "edge_betweenness", "stress", *BY_DISTANCE)
# Percentage of each measure.
MEASURES = {
    "betweenness": 28,
    "edge_betweenness": 10,
    "stress": 8,
    "centralities": 10,
    "percolation": 4,
    "closeness": 6,
    "harmonic": 5,
    "eccentricity": 5,
    "accessibility": 4,
    "nearest": 2,
    "bfs": 4,
    "shortest_paths": 5,
    "connected_components": 2,
    "group_betweenness": 5,
    "prominent_group": 2,
}
FORMATS = ("csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix", "coo_matrix")
DEMAND_FORMS = ("csr_array", "coo_matrix", "csc_array")
REDUCTIONS = ("trees", "blocks", "chains", "twins", "prune")
OF_DISTANCES = ("trees", "blocks", "prune")
# Knobs of reductions by measure, for half of the questions, which have few other options.
REDUCING = {name: ("blocks", "chains", "twins", "twins of one hash") for name in BY_PATHS} | {
    name: ("blocks of distances", "trees of distances") for name in BY_DISTANCE
}


@dataclass(frozen=True)
class Question:
    """A graph and a call about it. Lengths and cutoffs are in units of ``scale``."""

    n: int
    entries: list  # (i, j, length) as stored; lengths are nonnegative integers
    measure: str
    options: dict = field(default_factory=dict)  # of the measure; cutoffs in units
    run: dict = field(default_factory=dict)  # run options
    knobs: tuple = ()  # names of changed constants
    scale: float = 1.0
    form: str = "csr_array"
    dtype: str = "float64"
    index: str = "int32"
    least_memory: bool = False  # run in the least memory that a refusal names
    again: bool = False  # run once more with one worker, for equal bits
    is_on_device: bool = False  # the matrix is on the GPU that is asked

    @property
    def directed(self):
        """Whether an entry is an edge in one direction only."""
        return self.options.get("directed", True)

    @property
    def weighted(self):
        """Whether the stored values are lengths."""
        return self.options.get("weighted", False)

    def matrix(self):
        """The matrix as drawn, with the order, repeats and zeros of its entries."""
        index = np.dtype(self.index)
        row, column, data = np.array(self.entries, dtype=np.int64).reshape(-1, 3).T
        data = (data * self.scale).astype(self.dtype)
        row, column = row.astype(index), column.astype(index)
        if self.form == "tuple":
            order = np.argsort(row, kind="stable")
            start = np.searchsorted(row[order], np.arange(self.n + 1))
            return start.astype(index), column[order], self.n
        cls, shape = getattr(sp, self.form), (self.n, self.n)
        if self.form.startswith("coo"):
            A = cls((data, (row, column)), shape=shape)
            A.coords = (row, column)
            return A
        major, minor = (row, column) if self.form.startswith("csr") else (column, row)
        order = np.argsort(major, kind="stable")
        start = np.searchsorted(major[order], np.arange(self.n + 1)).astype(index)
        A = cls((data[order], minor[order], start), shape=shape)
        A.indices, A.indptr = minor[order], start  # 64 bits stay 64
        return A

    def arguments(self):
        """Keyword arguments of the measure."""
        given = {**self.options, **self.run}
        if "cutoff" in given:
            given["cutoff"] = np.multiply(given["cutoff"], self.scale if self.weighted else 1.0)
        if "demand" in given:
            given["demand"] = self.demand()
        if "decay" in given:
            given["decay"] = self._decay(*given["decay"])
        if "dtype" in given:
            given["dtype"] = np.dtype(given["dtype"])
        return given

    def demand(self):
        """The origin-destination matrix as drawn, with repeats, zeros and diagonal entries."""
        row, column, data = np.array(self.options["demand"], dtype=float).reshape(-1, 3).T
        ends = row.astype(self.index), column.astype(self.index)
        if (data == np.floor(data)).all():
            data = data.astype(np.int64)
        return getattr(sp, DEMAND_FORMS[len(data) % 3])((data, ends), shape=(self.n, self.n))

    def by_distance(self, d):
        """Decay of a distance in units of ``scale``, as a fraction."""
        decay = self.options["decay"]
        if decay[0] == "power" and self.weighted:  # a power law has no unit
            d *= Fraction(self.scale)
        return oracle.by_distance(decay, d)

    def _decay(self, first, second):
        """The option ``decay`` for stored lengths."""
        scale = self.scale if self.weighted else 1.0
        if first == "power":
            return first, second
        if not isinstance(first, str):
            return np.multiply(first, scale), second
        return first, second / scale if first == "exponential" else second * scale


def begun(seed, small=False):
    """What is drawn first: the generator, the measure, about how many nodes, and if by length."""
    rng = np.random.default_rng(seed)
    measure = str(rng.choice(list(MEASURES), p=np.array(list(MEASURES.values())) / 100))
    n = _size(rng, small or measure == "prominent_group")
    return rng, measure, n, measure not in ("bfs", "connected_components") and rng.random() < 0.45


def question(seed, small=False, on_gpu=False):
    """The question of a seed; ``small``: of fewer than 40 nodes."""
    rng, measure, n, weighted = begun(seed, small)
    n, pairs = networks.draw(rng, n)
    directed = bool(rng.random() < 0.5)
    lengths, most = _lengths(rng)
    entries = _stored(rng, n, pairs, directed, lengths, 3 * most if weighted else 0)
    is_whole = not weighted or rng.random() < 0.5
    scale = 1.0 if is_whole else float(rng.choice([0.5, 0.1, 1 / 3, 1e-3, 7e-120, 3e80]))
    plain = Question(
        n,
        entries,
        measure,
        scale=scale,
        dtype=_dtype(rng, weighted, scale, most * 3),
        index=str(rng.choice(["int32", "int64"])),
        form=str(rng.choice([*FORMATS, "tuple"] if not weighted else FORMATS)),
        options={"directed": directed, **({"weighted": True} if weighted else {})},
    )
    reduces = measure in REDUCING and rng.random() < 0.5
    options, run = _options(rng, plain, reduces), _run(rng, measure)
    knobs, again = set(_some(rng, KNOBS.keys() - ON_GPU)), bool(rng.random() < 0.3)
    knobs |= {str(rng.choice(REDUCING[measure]))} if reduces else set()
    if on_gpu:
        knobs |= {*_some(rng, ON_GPU), *(["graphs on the GPU"] if rng.random() < 0.4 else [])}
        knobs |= {"few workers"} if again and rng.random() < 0.5 else set()
    if options.get("connection") == "strong":  # found by SciPy alone
        knobs -= {"no searches of SciPy"}
    return Question(
        **{
            **vars(plain),
            "options": options,
            "run": run,
            "knobs": tuple(sorted(knobs)),
            "least_memory": bool(rng.random() < 0.1) and measure != "connected_components",
            "again": again,
            "is_on_device": bool(on_gpu and rng.random() < 0.4),
        }
    )


def _some(rng, names):
    """Random sample of 0, 1, 3, 6 or 10 of the names."""
    count = int(rng.choice([0, 1, 3, 6, 10]))
    return rng.choice(sorted(names), count, replace=False).tolist()


def _size(rng, small):
    """Number of nodes: mostly small, sometimes that of several batches of sources."""
    kind = rng.random()
    if kind < 0.03:
        return int(rng.integers(0, 3))
    if kind < 0.4:
        return int(rng.integers(2, 13))
    if small or kind < 0.7:
        return int(rng.integers(13, 40))
    return int(rng.integers(40, 130)) if kind < 0.94 else int(rng.integers(130, 300))


def _lengths(rng):
    """Generator function of an edge length, and its maximum."""
    kind = rng.integers(6)
    most = int(rng.choice([2, 3, 30, 1000]))
    if kind == 0:
        return lambda: most, most
    if kind == 1:  # of several magnitudes
        return lambda: int(rng.choice([1, 2, 50, 10**5])), 10**5
    return lambda: int(rng.integers(1, most + 1)), most


def _stored(rng, n, pairs, directed, lengths, longest):
    """Entries of a pattern: in one or both directions, with loops, repeats, zeros, in any order."""
    weighted = longest > 0
    label = rng.permutation(n) if rng.random() < 0.7 else np.arange(n)
    both = rng.choice([0.0, 0.5, 1.0], p=[0.35, 0.2, 0.45]) if directed else rng.random()
    acyclic, alike = rng.random() < 0.3, rng.random() < 0.7
    entries = []
    for i, j in pairs:
        there = lengths()
        back = there if alike else lengths()
        if rng.random() < both:
            entries += [(i, j, there), (j, i, back)]
        else:
            entries.append((i, j, there) if acyclic or rng.random() < 0.5 else (j, i, there))
    if directed and weighted and rng.random() < 0.3:
        entries += _detours(rng, entries, longest)
    if entries and rng.random() < 0.3:  # repeated entries, which are summed
        entries += [entries[int(at)] for at in rng.integers(0, len(entries), 3)]
    if n and rng.random() < 0.3:  # self loops, some of length 0
        entries += [(v, v, int(rng.integers(0, 4))) for v in rng.integers(0, n, 3).tolist()]
    if entries and rng.random() < 0.3:  # explicit zeros: edges, but invalid as lengths
        for at in rng.integers(0, len(entries), 3).tolist():
            i, j, length = entries[at]
            entries[at] = (i, j, length if weighted and rng.random() < 0.98 else 0)
    if rng.random() < 0.5:
        entries = [entries[at] for at in rng.permutation(len(entries))]
    return [(int(label[i]), int(label[j]), int(length)) for i, j, length in entries]


def _detours(rng, entries, length):
    """Arcs longer than a path of two: once they are pruned, trees may be left."""
    known, found = {(i, j) for i, j, _ in entries}, []
    for at in rng.integers(0, max(len(entries), 1), 6 * bool(entries)).tolist():
        i, j, _ = entries[at]
        ends = [k for h, k, _ in entries if h == j and k != i and (i, k) not in known]
        if ends:
            found.append((i, int(rng.choice(ends)), length))
            known.add(found[-1][:2])
    return found


def _dtype(rng, weighted, scale, most):
    """A dtype that holds all lengths exactly, or float64."""
    if weighted and scale not in (1.0, 0.5):
        return "float64"
    types = ["float64", *(["float32"] if most < 2**24 else [])]
    if scale == 1.0:
        types += ["int64", *(["int8"] if most < 128 else []), *(["uint16"] if most < 65536 else [])]
    return str(rng.choice([*types, "bool"] if not weighted else types))


def _options(rng, plain, reduces):
    """Options of the measure, drawn one by one."""
    n, measure, options = plain.n, plain.measure, dict(plain.options)

    def some(most=n):
        """Distinct nodes, in any order."""
        return rng.permutation(n)[: int(rng.integers(1, most + 1))].tolist()

    def likely(share):
        return rng.random() < share

    if measure in ("bfs", "shortest_paths"):
        if n == 0:
            return {**options, "sources": [0]}  # refused
        return {**options, "sources": rng.integers(0, n, int(rng.integers(1, 2 * n + 2))).tolist()}
    if measure == "connected_components":
        return {**options, "connection": str(rng.choice(["weak", "strong"]))}
    if plain.weighted and likely(0.2):
        # Lengths differ by units, and are five times as long as tau or more.
        total = sum(length for *_, length in plain.entries)
        rtols = [rtol for rtol in (1e-12, 1e-9, 1e-7) if 2 * 5 * rtol * total < 1]
        rtol = float(rng.choice([*rtols, 0.0] if plain.scale in (1.0, 0.5) else rtols))
        if measure not in (*BY_DISTANCE, *OF_PLACES):
            options["tie_rtol"] = rtol
    if measure in ("betweenness", "edge_betweenness", "centralities", "group_betweenness"):
        options |= {"normalized": False} if likely(0.5) else {}
    if measure in ("betweenness", "centralities", "group_betweenness"):
        options |= {"endpoints": True} if likely(0.4) else {}
    if measure == "group_betweenness":
        return {**options, "groups": [some(max(1, n // 3)) for _ in range(rng.integers(1, 4))]}
    if measure == "prominent_group":
        return {**options, "size": int(rng.integers(1, max(2, min(n, 4))))}
    if measure == "percolation":
        return {**options, "states": _weights(rng, n)}
    if measure in OF_PLACES:
        return options | _of_places(rng, plain, likely)
    if measure == "centralities":
        options["names"] = rng.permutation(NAMES)[: int(rng.integers(1, 7))].tolist()
    elif measure in BY_DISTANCE:
        options |= {"direction": str(rng.choice(["in", "out"]))} if likely(0.5) else {}
        if measure == "closeness":
            options |= {"wf_improved": False} if likely(0.3) else {}
        if measure == "eccentricity":
            flags = ("reachable_only", "reciprocal")
            options |= {flag: True for flag in flags if likely(0.5)}
    if likely(0.2) and n:
        options |= {"k": int(rng.integers(1, n + 1)), "rng": int(rng.integers(1000))}
    by_pairs, few = measure not in BY_DISTANCE, 0.1 if reduces else 1.0
    rare = few * (0.04 if "k" in options or not _looks_at_pairs(measure, options) else 1.0)
    if likely(0.35 * rare) and n:
        options["sources"] = some()
    if by_pairs and likely(0.3 * rare) and n:
        options["targets"] = some()
    for name in ("source_weights", "target_weights"):
        if by_pairs and likely(0.25 * rare):
            options[name] = _weights(rng, n)
    if "source_weights" in options and likely(0.3):
        options["target_weights"] = options["source_weights"]
    if measure in BY_DISTANCE[:2] and likely(0.04 if "k" in options else 0.3 * few):
        options["target_weights"] = _weights(rng, n)
    if likely(0.4 * few):
        options["cutoff"] = _cutoff(rng, plain)
    if by_pairs and measure != "percolation" and likely(0.2 * rare) and n > 1:
        options["demand"] = _demand(rng, n)
    if by_pairs and measure != "percolation" and likely(0.25 * rare):
        options["decay"] = _decay(rng, plain)
    elif by_pairs and measure != "percolation" and reduces and likely(0.15):
        options["decay"] = _decay(rng, plain, ["exponential"])  # with which trees are folded
    return options


def _of_places(rng, plain, likely):
    """Options of accessibility and nearest: points of interest of one kind or several."""
    n, options = plain.n, {"direction": str(rng.choice(["in", "out"]))}
    kinds = [_weights(rng, n) for _ in range(int(rng.integers(1, 4)))]
    places = kinds[0] if likely(0.4) else np.array(kinds).T.reshape(n, len(kinds)).tolist()
    if plain.measure == "nearest":
        return options | {"places": places, "k": int(rng.integers(1, 5))}
    options |= {"W": None if likely(0.1) or not n else places}
    options |= {"decay": _decay(rng, plain)} if likely(0.7) else {}
    return options | ({"cutoff": _cutoff(rng, plain)} if likely(0.5) else {})


def _looks_at_pairs(measure, options):
    """Whether the measures allow targets and pair weights."""
    return not set(options.get("names", ())) & set(BY_DISTANCE)


def _weights(rng, n):
    """Weights of nodes: small, large or fractional; some of them zero."""
    kind = rng.integers(6)
    if kind == 0:
        values = rng.integers(0, 4, n)
    elif kind == 1:
        values = rng.integers(0, 10**6, n)
    elif kind == 2:
        values = rng.choice([0.0, 0.25, 0.1, 1.5], n)
    elif kind == 3:
        values = 10.0 ** rng.uniform(-4, 4, n)
    elif kind == 4:  # one that dominates all others
        values = rng.uniform(0.5, 1.0, n)
        values[: n > 0] = 1e12
    else:
        values = np.where(rng.random(n) < 0.2, rng.random(n), 0.0)
    if n and not values.any():
        values[rng.integers(n)] = 1
    return values.tolist()


def _demand(rng, n):
    """Pairs with weights of `_weights`: few or many, some repeated, some diagonal."""
    pairs = rng.integers(0, n, (int(rng.choice([1, 3, 2 * n, n * n])), 2)).tolist()
    return [(i, j, value) for (i, j), value in zip(pairs, _weights(rng, len(pairs)), strict=True)]


def _decay(rng, plain, kinds=("exponential", "linear", "gaussian", "table", "short")):
    """A decay on the scale of the distances; none has a jump or its end exactly at a distance."""
    distance = truth.network(plain).distance
    last = int(distance[distance < truth.FAR].max(initial=1))
    wide = float(rng.integers(0, 2 * last + 2)) + 0.5
    if len(kinds) > 1 and (not plain.weighted or 1e-3 <= plain.scale <= 1):
        kinds = (*kinds, "power")
    kind = str(rng.choice(kinds))
    if kind == "exponential":
        return kind, float(rng.choice([1, 3, 400])) / wide
    if kind == "power":
        return kind, float(rng.choice([1, 2, 0.5, 1.7]))
    if kind == "short":
        return [wide], [2]
    if kind == "table":
        knots = np.unique([0.25, 1.25, wide / 2 + 0.125, wide])
        return knots.tolist(), rng.choice([0.0, 0.5, 1.0, 3.0], knots.size).tolist()
    return kind, wide


def _cutoff(rng, plain):
    """One cutoff or several, mostly near the largest distance, or exactly at a distance."""
    network = truth.network(plain)
    finite = network.distance[network.distance < truth.FAR]
    last = int(finite.max()) if finite.size else 0

    def one():
        kind = rng.integers(6)
        if kind == 0:
            return float(rng.choice([0, np.inf, 1e18]))
        if kind in (1, 2):
            return float(max(0, last + int(rng.integers(-1, 4))))
        if kind == 3:
            return float(rng.integers(0, last + 2))
        there = float(rng.choice(finite)) if finite.size else 1.0
        return there + 0.5 if kind == 4 else there

    several = [one() for _ in range(int(rng.integers(1, 5)))]
    return several[0] if rng.random() < 0.6 else several


def _run(rng, measure):
    """Run options."""
    run = {"workers": int(rng.integers(1, 4))} if rng.random() < 0.5 else {}
    if measure == "connected_components":
        return {}
    reduces = measure in (*BY_PATHS, *BY_DISTANCE, "accessibility")
    if reduces and rng.random() < 0.5:
        names = REDUCTIONS if measure in BY_PATHS else OF_DISTANCES
        some = [name for name in REDUCTIONS if rng.random() < 0.5 and name in names]
        run["reduce"] = [some, "none", "all"][int(rng.integers(3))] or "none"
    if measure in BY_PATHS and rng.random() < 0.3:
        run["dtype"] = "float32"
    return run
