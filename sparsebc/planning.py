"""Results of `explain`: reductions, work and time of a call, as fields and as text."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any


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
    cutoff : bool
        Whether searches end at a cutoff.
    seconds : float
        About how long the call takes, from the matrix on, with kernels loaded; without a cutoff,
        which makes it shorter.
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
    cutoff: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The plan as a dict of dicts, tuples, strings and numbers, for JSON."""
        return dataclasses.asdict(self)

    def _repr_html_(self) -> str:
        """The text, preformatted, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        """Text of the plan: graph, reductions, kernels, batches, workers and time."""
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
        most = "at most " if self.cutoff else ""
        yield f"time          {most}about {float(f'{self.seconds:.1g}'):g} s"
