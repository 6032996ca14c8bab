"""Results of `explain`: reductions, work and time of a call, and their text."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from .runtime_estimate import AT_MOST, Seconds


@dataclass(frozen=True)
class Step:
    """A reduction, and the size of the problem after it.

    Attributes
    ----------
    name : str
        "given" for the graph as it is, "prune", "trees", "blocks", "chains" or "twins".
    nodes, arcs, sources, work : int
        What is left; work is sources times arcs, of blocks each within its own.
    left_out : str or None
        Why it is not used; None if it is.
    """

    name: str
    nodes: int
    arcs: int
    sources: int
    work: int
    left_out: str | None = None


@dataclass(frozen=True)
class Estimate:
    """Samples and time of a run.

    Attributes
    ----------
    what : str
        "as asked", "k=1000" or "epsilon=0.01".
    sources : int
        Sources that it sweeps, of as many nodes; for epsilon as far as a small sample tells.
    seconds : Seconds or None
        Time to expect of a call from the matrix on: `likely`, and from `low` to `high`. None where
        a single block takes longer than `explain` waits for.
    samples : str
        "sources"; or "paths", if for epsilon so many of these are sampled.
    """

    what: str
    sources: int
    seconds: Seconds | None
    samples: str = "sources"


@dataclass(frozen=True)
class Plan:
    """Plan of a call; printed, a table.

    Attributes
    ----------
    measure, device : str
        What is computed, and on which device.
    nodes, arcs, components, levels : int
        Of the graph: nodes, edges with each direction counted, weakly connected components, and
        edges from the busiest node to the farthest that it reaches.
    directed, by_length : bool
        Whether some edge has one direction alone; whether edges have lengths that differ.
    steps : tuple of Step
        The graph as given, and the reductions in their order.
    kernels : tuple of str
        Files below ``engines/`` that sweep it; which of them a group takes is seen as it goes.
    sources, groups, blocks, width : int
        Sources that are left, in groups of at most `width`, the groups in blocks.
    workers, memory : int
        Threads or GPUs, and bytes that they take together with the graph.
    compiling : float
        Seconds that kernels took to be compiled, once on a machine, or loaded, once in a process:
        no part of the estimates. 0 where this process had them all.
    estimates : tuple of Estimate
        How long it will take, and how long estimates of the same scores would.
    advice : tuple of str
        What to do if that is too long.
    """

    measure: str
    device: str
    nodes: int
    arcs: int
    components: int
    levels: int
    directed: bool
    by_length: bool
    steps: tuple[Step, ...]
    kernels: tuple[str, ...]
    sources: int
    groups: int
    blocks: int
    width: int
    workers: int
    memory: int
    compiling: float
    estimates: tuple[Estimate, ...]
    advice: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The plan as dicts, lists and numbers, for JSON."""
        plain = dataclasses.asdict(self)
        for estimate, given in zip(plain["estimates"], self.estimates, strict=True):
            estimate["seconds"] = given.seconds and given.seconds._asdict()
        return plain

    def _repr_html_(self) -> str:
        """The text as it stands, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        """Text of the plan, a line for each of its parts."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        kind = ("directed" if self.directed else "undirected") + (
            ", by length" if self.by_length else ""
        )
        yield f"{self.measure} on {self.device}"
        yield (
            f"graph         {self.nodes} nodes, {self.arcs} arcs, {kind}; {self.components} "
            f"component{'s' * (self.components > 1)}, {self.levels} levels"
        )
        yield f"{'reduction':<14}{'nodes':>10}{'arcs':>12}{'sources':>10}{'sources x arcs':>18}"
        for step in self.steps:
            numbers = f"{step.nodes:>10}{step.arcs:>12}{step.sources:>10}{step.work:>18.3g}"
            yield f"{step.name:<14}" + (numbers if step.left_out is None else step.left_out)
        yield f"kernels       {', '.join(self.kernels)}"
        yield (
            f"groups        {self.groups} of at most {self.width} of {self.sources} sources, in "
            f"{self.blocks} blocks"
        )
        yield f"workers       {self.workers}, {self.memory / 2**20:.0f} MiB"
        if self.compiling:
            yield (
                f"compiling     about {self.compiling:.2g} s, once on a machine, or loading once "
                "in a process; then"
            )
        for estimate in self.estimates:
            count = f"{estimate.sources} {estimate.samples}"
            yield f"{estimate.what:<14}{count}: {spelt(estimate.seconds)}"
        for line in self.advice:
            yield f"advice        {line}"


def spelt(seconds: Seconds | None) -> str:
    """Text of a time and its range."""
    if seconds is None:
        return f"more than {AT_MOST:g} s for a single block of sources"
    low, likely, high = (f"{part:.2g}" if part < 100 else f"{part:.0f}" for part in seconds)
    return f"{likely} s ({low} to {high} s)"
