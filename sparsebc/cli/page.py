"""The page of a command: its scores as `sparsebc.report` shows them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import report
from .common import use_of_weights
from .errors import Refusal
from .inputs import Input, counted
from .rows import rows

# Titles of the columns of --positions, in lower case; others are of a plane.
LONGITUDE = ("lon", "long", "lng", "longitude")
LATITUDE = ("lat", "latitude")


class Positions(NamedTuple):
    """Where the nodes are."""

    places: NDArray[np.float64]
    geographic: bool


def check(args: argparse.Namespace) -> None:
    """Refuse positions that nothing shows."""
    if args.positions is not None and not str(args.output).lower().endswith(".html"):
        args.usage_error("--positions has an effect only with --output FILE.html")


def positions(path: str | None, names: Sequence[str]) -> Positions | None:
    """Places of the nodes, by the first three columns of a table."""
    if path is None:
        return None
    found: dict[str, tuple[float, float]] = {}
    geographic = turned = False
    for number, row in rows(path, "UTF-8 text"):
        try:
            name, x, y = row[0], float(row[1]), float(row[2])
        except (IndexError, ValueError):
            titles = [title.strip().lower() for title in row[1:3]]
            if found or len(titles) < 2:
                raise Refusal(
                    f"{path}:{number}: expected a node and two numbers, got {','.join(row)!r}"
                ) from None
            geographic = {*titles} <= {*LONGITUDE, *LATITUDE}
            turned = titles[0] in LATITUDE
            continue
        if found.setdefault(name, (x, y)) != (x, y):
            raise Refusal(f"{path}:{number}: {name!r} has another place above")
    lost = [name for name in names if name not in found]
    if lost:
        raise Refusal(
            f"{path}: {len(lost)} of {len(names)} nodes have no place, such as {lost[0]!r}; give "
            "one to each"
        )
    places = np.array([found[name] for name in names], dtype=np.float64).reshape(-1, 2)
    return Positions(places[:, ::-1] if turned else places, geographic)


def write(
    args: argparse.Namespace,
    path: str,
    network: Input,
    places: Positions | None,
    scores: Mapping[str, Any],
    notes: Sequence[str],
    *,
    provenance: Mapping[str, Any],
    half_widths: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Write the page to a file."""
    use = use_of_weights(args)
    of_edges = next(iter(scores)).startswith("edge_betweenness")
    where = places or Positions(None, False)  # type: ignore[arg-type]
    measures = ", ".join(scores).replace("_", " ")
    report(
        path,
        counted(network, use),
        network.names,
        nodes=None if of_edges else scores,
        edges=scores if of_edges else None,
        directed=network.directed,
        positions=where.places,
        geographic=where.geographic,
        half_widths=half_widths,
        units=_units(scores, raw=getattr(args, "raw", False), by_length=use is not None),
        title=f"{measures[:1].upper()}{measures[1:]} of {_label(network.label)}",
        notes=notes,
        provenance=provenance,
    )


def _label(label: str) -> str:
    """A file by its own name, without what says how it is kept."""
    return re.sub(r"\.(gz|bz2|xz|zip)$", "", Path(label).name)


def _units(scores: Mapping[str, Any], *, raw: bool, by_length: bool) -> dict[str, str]:
    """Units of the scores by title, a measure or one within a cutoff, as ``betweenness_400``.

    A distance is a number of edges, or a length.
    """
    pairs = "pairs" if raw else "share of all pairs"
    length = "length" if by_length else "edges"
    one = "1 / length" if by_length else "1 / edges"
    units = {
        "betweenness": pairs,
        "edge_betweenness": pairs,
        "stress": "paths",
        "closeness": one,
        "harmonic": one,
        "eccentricity": length,
    }
    return {
        title: unit for title in scores for name, unit in units.items() if title.startswith(name)
    }
