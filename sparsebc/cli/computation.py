"""A computation of a command: its network, where and how long it ran, what to tell of it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from .. import io
from . import outputs, provenance
from .ahead import compiling_ahead
from .common import use_of_weights
from .inputs import calling, counted, lengths, on_weights, summary


class Computation:
    """The network of a command, read, and what its files and its report say of the computation.

    Attributes
    ----------
    network : Input
    use : str or None
        What weights are taken for, as of `use_of_weights`.
    notes : list of str
        What to know of the scores, beside the notes on the network.
    provenance : dict
        How the scores came about, for the files.
    device, seconds
        Where it ran and how long, once it did.
    """

    def __init__(self, args: argparse.Namespace, formats: Sequence[str] = outputs.TABLES) -> None:
        self.args = args
        self.network, self.provenance = provenance.load(args, formats)
        self.use = use_of_weights(args)
        self.names = self.network.names
        self.notes: list[str] = []
        self.device, self.seconds = "", 0.0

    @property
    def all_notes(self) -> list[str]:
        """What to know of the network, then of the scores."""
        return [*self.network.notes, *self.notes]

    @property
    def graph(self) -> dict[str, Any]:
        """What each function is told of the graph beside its matrix."""
        return {"directed": self.network.directed, "weighted": self.use is not None}

    @contextmanager
    def running(self, *, of_paths: bool = False) -> Iterator[Any]:
        """Time what is done with the matrix; its errors are told in words of the command.

        A kernel that counts paths by edges is compiled ahead; with an executor, workers compile.
        """
        from ..engines import devices  # once the network is read

        with calling(self.network, self.use):
            self.device = self.provenance["device"] = devices.select(self.args.device).name
            A = lengths(self.network, self.use)
            by_edges = of_paths and self.use is None and self.device == "cpu"
            is_here = by_edges and self.args.executor is None
            begun = time.perf_counter()
            with compiling_ahead(self.args.dtype) if is_here else nullcontext():
                yield A
            self.seconds = time.perf_counter() - begun
        self.notes += on_weights(self.network, self.use)

    def network_writer(self, **scores: Any) -> outputs.Writer:
        """Writer of the network with scores of its ``nodes`` or ``edges``."""

        def write(path: Any, **how: Any) -> None:
            matrix, directed = counted(self.network, self.use), self.network.directed
            io.write_network(path, matrix, self.names, directed=directed, **scores, **how)

        return write

    def write(self, table: outputs.Writer, *others: outputs.Writer) -> None:
        """Write the output, by that of the writers whose format it has."""
        outputs.write(self.args, self.provenance, table, *others)

    def tell(
        self,
        lines: Sequence[str],
        written: Mapping[str, str | None],
        record: Callable[[], Mapping[str, Any]],
        *heads: str,
        **counts: int,
    ) -> None:
        """Print a summary, further ``heads`` and the lines; or as JSON what the record holds."""
        head, facts = summary(self.network, self.use, self.seconds, self.device, **counts)
        outputs.tell(
            self.args,
            [head, *heads, "", *lines],
            self.all_notes,
            written,
            lambda: {**facts, **record(), "provenance": self.provenance},
        )
