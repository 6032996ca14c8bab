"""Results of `explain`: reductions, work and time of a call, as fields and as text."""

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
        "given" for the graph as given, "prune", "trees", "blocks", "chains" or "twins".
    nodes, arcs, sources : int
        Size of the problem; a cut node counts in each of its blocks.
    work : int
        Sources times arcs; after a reduction, of each source the arcs of its component or block.
    left_out : str or None
        Reason why the reduction is not used; None if it is.
    """

    name: str
    nodes: int
    arcs: int
    sources: int
    work: int
    left_out: str | None = None


@dataclass(frozen=True)
class Estimate:
    """Estimate of the sources, or sampled paths, of a call, and of its time.

    Attributes
    ----------
    what : str
        "as asked", "k=1000" or "epsilon=0.01".
    sources : int
        Sources that the call sweeps; for epsilon the samples that a pilot sample predicts.
    seconds : Seconds or None
        Time of a call that starts from the matrix: `likely`, between `low` and `high`. None if a
        single block takes longer than 10 s.
    samples : str
        Unit of `sources`: "sources", or for epsilon also "paths".
    """

    what: str
    sources: int
    seconds: Seconds | None
    samples: str = "sources"


@dataclass(frozen=True)
class Plan:
    """Plan of a call; its text is a table.

    Attributes
    ----------
    measure, device : str
        Name of the measure, and of the device.
    nodes, arcs, components, levels : int
        Nodes, arcs (an undirected edge is two), weakly connected components, and the eccentricity
        in edges of the node of the largest out-degree.
    directed, by_length : bool
        Whether the matrix is not symmetric; whether lengths of edges differ.
    steps : tuple of Step
        The graph as given, and the reductions in their order.
    kernels : tuple of str
        Kernel files below ``engines/``; which of several sweeps a batch is decided at run time.
    sources, groups, blocks, width : int
        Sources that are swept, their batches, blocks of batches, and columns of the widest batch:
        its sources, and the far ends of its chains.
    workers, memory : int
        Threads or GPUs, and bytes that they take, the graph included.
    compiling : float
        Seconds in which kernels were compiled, once on a machine, or loaded, once in a process; not
        part of the estimates. 0 if this process had loaded all of them.
    estimates : tuple of Estimate
        Time of the call, and of sampling estimates of the same scores.
    advice : tuple of str
        Ways to a shorter call, if it takes a minute or more.
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
        """The plan as a dict of dicts, tuples, strings and numbers, for JSON."""
        plain = dataclasses.asdict(self)
        for estimate, given in zip(plain["estimates"], self.estimates, strict=True):
            estimate["seconds"] = given.seconds and given.seconds._asdict()
        return plain

    def _repr_html_(self) -> str:
        """The text, preformatted, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        """Text of the plan: graph, reductions, kernels, batches, workers, times and advice."""
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
            f"batches       {self.groups} of at most {self.width} of {self.sources} sources, in "
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
    low, likely, high = (f"{value:.2g}" if value < 100 else f"{value:.0f}" for value in seconds)
    return f"{likely} s ({low} to {high} s)"
