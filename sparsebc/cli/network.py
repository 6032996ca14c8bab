"""The network of a command, and messages on its invalid edges."""

import argparse
from typing import Any, NamedTuple

import numpy as np

from ..errors import EdgeError
from ..matrix.edge_weights import MIN_LENGTH
from ..plain_text import quoted
from .errors import in_options

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}
LENGTHS = {"length": lambda x: x, "reciprocal": lambda x: 1 / x, "log": lambda x: -np.log(x)}


class Network(NamedTuple):
    """The network of a command.

    Attributes
    ----------
    given : argparse.Namespace
        The arguments of the command.
    label : str
        Name of the network in output.
    matrix : sparse array, shape (n, n)
    names : tuple of str, length n
    directed : bool
    notes : list of str
        Notes on how the input was interpreted.
    probability : sparse array, shape (n, n), or None
        Probabilities of the edges, if ``--probability`` names a column.
    contacts : temporal.Contacts or None
        Contacts of a temporal network, whose matrix has their number by source and target.
    positions : Positions or None
        Positions of the nodes, if the input has them.
    """

    given: argparse.Namespace
    label: str
    matrix: Any
    names: tuple[str, ...]
    directed: bool
    notes: list[str]
    probability: Any = None
    contacts: Any = None
    positions: Any = None

    @property
    def use(self) -> str | None:
        """Use of the weights, a key of `LENGTHS`; None if they are ignored."""
        return self.given.strength or ("length" if self.given.weighted else None)

    def lengths(self) -> Any:
        """Input of the public functions: the matrix, strengths as lengths, or the contacts."""
        if self.contacts is not None:
            return self.contacts
        if self.use not in STRENGTHS:
            return self.matrix
        from .. import strength_to_distance

        return strength_to_distance(self.matrix, STRENGTHS[self.use])

    def counted(self) -> Any:
        """Matrix of weights; of two strengths of an undirected edge, the greater."""
        strong = self.use in STRENGTHS and not self.directed
        return self.matrix.maximum(self.matrix.T) if strong else self.matrix

    def on_weights(self) -> list[str]:
        """Note on weights that differ but are ignored."""
        data = self.matrix.data
        are_probabilities = self.given.model == "edge-probability" and self.probability is None
        looked_at = self.use is not None or self.contacts is not None
        if looked_at or are_probabilities or data.size == 0 or data.min() == data.max():
            return []
        return ["weights are ignored; --weighted takes them for lengths, --strength for strengths"]

    def on_cutoffs(self) -> list[str]:
        """Notes on cutoffs below 1 in an unweighted network, within which there is no pair."""
        return [
            f"--cutoff {cutoff} leaves no pair of nodes, as each edge has length 1; "
            "--threshold keeps the edges of at least a given weight"
            for cutoff in self.given.cutoff or ()
            if self.use is None and float(cutoff) < 1
        ]

    def in_words(self, error: BaseException) -> str:
        """Message of an error, with options for arguments and node names for an edge."""
        return self._of_edge(error.at) if isinstance(error, EdgeError) else in_options(error)

    def _of_edge(self, at: tuple[int, int] | int) -> str:
        """Message on an invalid edge, by row and column, or by index in the data of the matrix."""
        coo = self.matrix.tocoo()
        if isinstance(at, tuple):  # an undirected edge may be stored in either direction
            ends = (coo.row == at[0]) & (coo.col == at[1])
            turned = (coo.row == at[1]) & (coo.col == at[0])
            at = int(np.flatnonzero(ends if ends.any() else turned)[0])
        tail, head = self.names[coo.row[at]], self.names[coo.col[at]]
        reason = self._reason(float(coo.data[at]))
        edge = f"{quoted(tail)} - {quoted(head)}"
        return f"{self.label}: the edge {edge} has weight {coo.data[at]}: {reason}"

    def _reason(self, value: float) -> str:
        """Reason why a weight is invalid, and the remedy."""
        use, longest = self.use, np.finfo(np.float64).max / max(len(self.names), 1)
        if use is None:
            return "a weight must not be negative; remove the edge or the sign from the file"
        if value <= 0 and use == "length":
            return (
                "a length must be positive; remove such edges from the file, or use --strength if "
                "larger weights mean closer"
            )
        if value <= 0:
            return "a strength must be positive; remove such edges from the file"
        if use == "log" and value == 1:
            return (
                "a strength of 1 has length 0; use --strength reciprocal, or --scale 1.001, which "
                "divides all strengths"
            )
        if use == "log" and value > 1:
            return (
                "--strength log takes weights below 1; --scale divides them all, STRING's by 1000"
            )
        if not MIN_LENGTH <= LENGTHS[use](value) <= longest:
            return (
                f"lengths must lie from {MIN_LENGTH} to {longest:.1e}; --scale divides the weights"
            )
        return (
            "its length is lost beside the distances, of which those tie that differ by 1e-11 of "
            "their scale; merge nodes that are that close"
        )
