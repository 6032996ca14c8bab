"""Questions, drawn: a graph, a measure with its options, run options, changed constants."""

import functools
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from sparsebc.testing import adjacency

from . import networks, truth
from .knobs import KNOBS, ON_GPU

BY_PATHS = ("betweenness", "edge_betweenness", "stress", "centralities", "percolation")
BY_DISTANCE = ("closeness", "harmonic", "eccentricity")
OF_PLACES = ("accessibility", "nearest")
NAMES = ("betweenness", "edge_betweenness", "stress", *BY_DISTANCE)
# Each as often as it is asked, of a hundred.
MEASURES = [
    *(["betweenness"] * 28 + ["edge_betweenness"] * 10 + ["stress"] * 8 + ["centralities"] * 10),
    *(["percolation"] * 4 + ["closeness"] * 6 + ["harmonic"] * 5 + ["eccentricity"] * 5),
    *(["accessibility"] * 4 + ["nearest"] * 2 + ["shortest_paths"] * 5),
    *(["group_betweenness"] * 5 + ["prominent_group"] * 2),
]
FORMATS = ("csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix", "coo_matrix")
DEMAND_FORMS = ("csr_array", "coo_matrix", "csc_array")
REDUCTIONS = ("trees", "blocks", "chains", "twins", "prune")
OF_DISTANCES = ("trees", "blocks", "prune")
# Knobs of reductions by measure, for half of the questions, which have few other options.
_OF_PATHS = (*[None] * 4, "blocks", "chains", "twins", "twins of one hash")
_OF_DISTANCES = (None, None, "blocks of distances", "trees of distances")
REDUCING = dict.fromkeys(BY_PATHS, _OF_PATHS) | dict.fromkeys(BY_DISTANCE, _OF_DISTANCES)


@dataclass(frozen=True, repr=False)
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

    def __repr__(self):
        """Without fields at their defaults."""
        plain = vars(Question(-1, None, ""))
        given = (f"{name}={value!r}" for name, value in vars(self).items() if value != plain[name])
        return f"Question({', '.join(given)})"

    def _repr_pretty_(self, printer, cycle):  # of Hypothesis
        printer.text(repr(self))

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
        row, column, lengths = np.array(self.entries, dtype=np.int64).reshape(-1, 3).T
        form = "csr_array" if self.form == "tuple" else self.form
        A = adjacency(
            self.n,
            np.stack((row, column), axis=1),
            lengths * self.scale,
            **{"form": form, "dtype": self.dtype, "index_dtype": self.index},
        )
        return (A.indptr, A.indices, self.n) if self.form == "tuple" else A

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
        return truth.by_distance(decay, d)

    def _decay(self, first, second):
        """The option ``decay`` for stored lengths."""
        scale = self.scale if self.weighted else 1.0
        if first == "power":
            return first, second
        if not isinstance(first, str):
            return np.multiply(first, scale), second
        return first, second / scale if first == "exponential" else second * scale


SIZES = (12,) * 7 + (40,) * 11 + (130,) * 11 + (300,) * 5  # most nodes, as often


@functools.cache
def likely(percent):
    """Booleans, so often true."""
    return st.integers(1, 100).map(lambda at: at > 100 - percent)


@st.composite
def questions(draw, *, weighted=None, most=300, on_gpu=False):
    """Strategy for questions, by length or not, of ``most`` nodes at most.

    Single edges, lengths and weights are drawn one by one for up to 40 nodes. Those of larger
    graphs are too many: they come from a seed, and the graph becomes small by that of its parts.
    """
    of_edges = [] if weighted else ["bfs"] * 4 + ["connected_components"] * 2
    measure = draw(st.sampled_from([*MEASURES, *of_edges]))
    most = min(most, 40 if measure == "prominent_group" else draw(st.sampled_from(SIZES)))
    random = draw(st.randoms(use_true_random=most > 40))
    if weighted is None:
        weighted = measure not in of_edges and draw(likely(45))
    directed = draw(st.booleans())
    length, longest = draw(_lengths(random))
    n, pairs = draw(networks.patterns(random, most))
    entries = draw(_stored(random, n, pairs, directed, length, 3 * longest * weighted))
    scale = draw(st.sampled_from([1.0] * 6 + [0.5, 0.1, 1 / 3, 1e-3, 7e-120, 3e80]))
    scale = scale if weighted else 1.0
    plain = Question(
        n,
        entries,
        measure,
        scale=scale,
        dtype=draw(st.sampled_from(_dtypes(weighted, scale, longest * 3))),
        index=draw(st.sampled_from(["int32", "int64"])),
        form=draw(st.sampled_from([*FORMATS, "tuple"] if not weighted else FORMATS)),
        options={"directed": directed, **({"weighted": True} if weighted else {})},
    )
    reducing = draw(st.sampled_from(REDUCING[measure])) if measure in REDUCING else None
    options = draw(_options(random, plain, reducing is not None))
    names = sorted(KNOBS if on_gpu else KNOBS.keys() - ON_GPU)
    turned, again = draw(st.sets(st.sampled_from(names), max_size=12)), draw(likely(30))
    turned |= {reducing} if reducing else set()
    if on_gpu:
        turned |= {"graphs on the GPU"} if draw(likely(40)) else set()
        turned |= {"few workers"} if again and draw(st.booleans()) else set()
    if measure == "connected_components":  # the CPU finds strong ones by SciPy, the algebra all
        turned -= {"no searches of SciPy"}
    return replace(
        plain,
        options=options,
        run=draw(_run(measure)),
        knobs=tuple(sorted(turned)),
        least_memory=measure != "connected_components" and draw(likely(10)),
        again=again,
        is_on_device=on_gpu and draw(likely(40)),
    )


@st.composite
def _lengths(draw, random):
    """Function that gives the length of an edge, and the longest."""
    kind, most = draw(st.integers(0, 5)), draw(st.sampled_from([1, 2, 3, 30, 1000]))
    if kind == 4:
        return lambda: most, most
    if kind == 5:  # of several magnitudes
        return lambda: random.choice((1, 2, 50, 10**5)), 10**5
    return lambda: random.randint(1, most), most


@st.composite
def _stored(draw, random, n, pairs, directed, length, longest):
    """Entries of a pattern: in one or both directions, with loops, repeats, zeros, in any order."""
    both = draw(st.sampled_from([100, 0, 50] if directed else [100, 0, 20, 50, 80]))
    backward, is_alike = draw(st.sampled_from([0, 0, 50])), draw(st.booleans())
    entries = []
    for i, j in pairs:
        there = length()
        if random.randrange(100) < both:
            entries += [(i, j, there), (j, i, there if is_alike else length())]
        else:
            entries.append((j, i, there) if random.randrange(100) < backward else (i, j, there))
    if directed and longest and draw(likely(30)):
        entries += _detours(random, entries, longest)
    if entries and draw(likely(30)):  # repeated entries, which are summed
        entries += [random.choice(entries) for _ in range(3)]
    if n and draw(likely(30)):  # self loops, some of length 0
        entries += [(v, v, random.randrange(4)) for v in (random.randrange(n) for _ in range(3))]
    if entries and draw(likely(3 if longest else 30)):  # zeros: edges, few of them as lengths
        for at in [random.randrange(len(entries)) for _ in range(3)]:
            entries[at] = (*entries[at][:2], 0)
    if draw(st.booleans()):
        random.shuffle(entries)
    label = list(range(n))
    if draw(st.booleans()):
        random.shuffle(label)
    return [(label[i], label[j], length) for i, j, length in entries]


def _detours(random, entries, length):
    """Arcs longer than a path of two: once they are pruned, trees may be left."""
    known, found = {(i, j) for i, j, _ in entries}, []
    for i, j, _ in [random.choice(entries) for _ in range(6)] if entries else ():
        ends = [k for h, k, _ in entries if h == j and k != i and (i, k) not in known]
        if ends:
            found.append((i, random.choice(ends), length))
            known.add(found[-1][:2])
    return found


def _dtypes(weighted, scale, most):
    """Types that hold all lengths exactly, or float64."""
    types = ["float64", *(["float32"] if most < 2**24 and scale in (1.0, 0.5) else [])]
    if scale == 1.0:
        types += ["int64", *(["int8"] if most < 128 else []), *(["uint16"] if most < 65536 else [])]
    return types if weighted else [*types, "bool"]


@st.composite
def _options(draw, random, plain, reduces):
    """Options of the measure, drawn one by one."""
    n, measure, options = plain.n, plain.measure, dict(plain.options)

    def some(most=n):
        """Distinct nodes, in any order."""
        return random.sample(range(n), draw(st.integers(1, most)))

    def maybe(percent, **values):
        """Add an option, so often."""
        if draw(likely(percent)):
            options.update(values)

    if measure in ("bfs", "shortest_paths"):
        count = draw(st.integers(1, 2 * n + 1)) if n else 0  # no nodes: refused
        return {**options, "sources": [random.randrange(n) for _ in range(count)] or [0]}
    if measure == "connected_components":
        return {**options, "connection": draw(st.sampled_from(["weak", "strong"]))}
    by_distance, by_pairs = measure in BY_DISTANCE, measure not in BY_DISTANCE
    if plain.weighted and not by_distance and measure not in OF_PLACES:
        # Lengths differ by units, and are five times as long as tau or more.
        total = sum(length for *_, length in plain.entries)
        rtols = [rtol for rtol in (1e-12, 1e-9, 1e-7) if 2 * 5 * rtol * total < 1]
        rtols += [0.0] if plain.scale in (1.0, 0.5) else []
        maybe(20, tie_rtol=draw(st.sampled_from(rtols)))
    if measure in ("betweenness", "edge_betweenness", "centralities", "group_betweenness"):
        maybe(50, normalized=False)
    if measure in ("betweenness", "centralities", "group_betweenness"):
        maybe(40, endpoints=True)
    if measure == "group_betweenness":
        return {
            **options,
            "groups": [some(max(1, n // 3)) for _ in range(draw(st.integers(1, 3)))] if n else [[]],
        }
    if measure == "prominent_group":
        return {**options, "size": draw(st.integers(1, max(1, min(n, 3))))}
    if measure == "percolation":
        return {**options, "states": draw(_weights(random, n))}
    if measure in OF_PLACES:
        return {**options, **draw(_of_places(random, plain))}
    if measure == "centralities":
        options["names"] = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
        by_pairs = not {*options["names"]} & {*BY_DISTANCE}
    elif by_distance:
        maybe(50, direction=draw(st.sampled_from(["in", "out"])))
        if measure == "closeness":
            maybe(30, wf_improved=False)
        if measure == "eccentricity":
            maybe(50, reachable_only=True)
            maybe(50, reciprocal=True)
    if n and draw(likely(20)):
        options |= {"k": draw(st.integers(1, n)), "rng": draw(st.integers(0, 1000))}
    few = 0.1 if reduces else 1.0
    rare = few * (1.0 if by_pairs and "k" not in options else 0.04)
    if n and draw(likely(35 * rare)):
        options["sources"] = some()
    if not by_distance:
        if n and draw(likely(30 * rare)):
            options["targets"] = some()
        for name in ("source_weights", "target_weights"):
            if draw(likely(25 * rare)):
                options[name] = draw(_weights(random, n))
        if "source_weights" in options:
            maybe(30, target_weights=options["source_weights"])
        if n > 1 and draw(likely(20 * rare)):
            options["demand"] = draw(_demand(random, n))
        if draw(likely(25 * rare)):
            options["decay"] = draw(_decay(plain))
        elif reduces and draw(likely(15)):  # with which trees are folded
            options["decay"] = draw(_decay(plain, ["exponential"]))
    elif measure != "eccentricity" and draw(likely(4 if "k" in options else 30 * few)):
        options["target_weights"] = draw(_weights(random, n))
    if draw(likely(40 * few)):
        options["cutoff"] = draw(_cutoff(plain))
    return options


@st.composite
def _of_places(draw, random, plain):
    """Options of accessibility and nearest: points of interest of one kind or several."""
    n, options = plain.n, {"direction": draw(st.sampled_from(["in", "out"]))}
    kinds = [draw(_weights(random, n)) for _ in range(draw(st.integers(1, 3)))]
    places = kinds[0] if draw(likely(40)) else np.array(kinds).T.reshape(n, len(kinds)).tolist()
    if plain.measure == "nearest":
        return options | {"places": places, "k": draw(st.integers(1, 4))}
    options["W"] = None if not n or draw(likely(10)) else places
    options |= {"decay": draw(_decay(plain))} if draw(likely(70)) else {}
    return options | ({"cutoff": draw(_cutoff(plain))} if draw(st.booleans()) else {})


WEIGHTS = (
    lambda random: random.randint(0, 3),
    lambda random: random.randint(0, 10**6),
    lambda random: random.choice((0.0, 0.25, 0.1, 1.5)),
    lambda random: random.randint(1, 10**6) * 10.0 ** random.randint(-10, -2),
    lambda random: random.randint(1, 10**6) / 10**6 * (random.randrange(5) == 4),
    lambda random: random.randint(5, 10) / 10,
)


@st.composite
def _weights(draw, random, n):
    """Weights of nodes: small, large or fractional; some of them zero, and not all."""
    kind = draw(st.sampled_from(WEIGHTS))
    values = [kind(random) for _ in range(n)]
    if n and not any(values):
        values[random.randrange(n)] = 1
    if n and kind is WEIGHTS[-1]:  # one that dominates all others
        values[random.randrange(n)] = 1e12
    return values


@st.composite
def _demand(draw, random, n):
    """Pairs with weights of `_weights`: few or many, some repeated, some diagonal."""
    count = draw(st.sampled_from([1, 3, 2 * n, min(n * n, 1000)]))
    weights = draw(_weights(random, count))
    return [(random.randrange(n), random.randrange(n), value) for value in weights]


@st.composite
def _decay(draw, plain, kinds=("exponential", "linear", "gaussian", "table", "short")):
    """A decay on the scale of the distances; none has a jump or its end exactly at a distance."""
    distance = truth.network(plain).distance
    last = int(distance[distance < truth.FAR].max(initial=1))
    wide = draw(st.integers(0, 2 * last + 1)) + 0.5
    if len(kinds) > 1 and (not plain.weighted or 1e-3 <= plain.scale <= 1):
        kinds = (*kinds, "power")
    kind = draw(st.sampled_from(kinds))
    if kind == "exponential":
        return kind, draw(st.sampled_from([1.0, 3.0, 400.0])) / wide
    if kind == "power":
        return kind, draw(st.sampled_from([1.0, 2.0, 0.5, 1.7]))
    if kind == "short":
        return [wide], [2]
    if kind == "table":
        knots = sorted({0.25, 1.25, wide / 2 + 0.125, wide})
        return knots, [draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) for _ in knots]
    return kind, wide


@st.composite
def _cutoff(draw, plain):
    """One cutoff or several, mostly near the largest distance, or exactly at a distance."""
    distance = truth.network(plain).distance
    finite = np.unique(distance[distance < truth.FAR])
    finite = finite.tolist() or [0]
    one = (
        st.sampled_from([0.0, np.inf, 1e18])
        | st.integers(-1, 3).map(lambda more: float(max(0, finite[-1] + more)))
        | st.integers(0, finite[-1] + 1).map(float)
        | st.sampled_from(finite).map(float)
        | st.sampled_from(finite).map(lambda there: there + 0.5)
    )
    return draw(one | st.lists(one, min_size=1, max_size=4))


@st.composite
def _run(draw, measure):
    """Run options."""
    run = {"workers": draw(st.integers(1, 3))} if draw(st.booleans()) else {}
    if measure == "connected_components":
        return {}
    if measure in (*BY_PATHS, *BY_DISTANCE, "accessibility") and draw(st.booleans()):
        names = REDUCTIONS if measure in BY_PATHS else OF_DISTANCES
        some = st.lists(st.sampled_from(names), min_size=1, unique=True)
        run["reduce"] = draw(st.sampled_from(["none", "all"]) | some)
    if measure in BY_PATHS and draw(likely(30)):
        run["dtype"] = "float32"
    return run


def small_questions():
    """A matrix, whether it has lengths, and options: small questions of the conformance suite."""

    def asked(question):
        entries = [(i, j, max(length, 1)) for i, j, length in question.entries]
        names = [name for name in ("directed", "sources", "targets") if name in question.options]
        options = {name: question.options[name] for name in names}
        if "sources" in options:  # of searches, which may come again
            options["sources"] = list(dict.fromkeys(options["sources"]))
        question = replace(question, form="csr_array", entries=entries)
        return question.matrix(), question.weighted, options

    return questions(most=40).map(asked).filter(lambda one: one[0].nnz)
