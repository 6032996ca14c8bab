"""Run options of a call: those of ``nx.config.backends.sparsebc``, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx

from ..engines import devices
from ..run import options
from ..run.options import RunOptions, SearchOptions
from .backend_info import DEFAULTS


def for_paths(own: Mapping[str, Any]) -> RunOptions:
    """Run options of a measure that counts paths, checked."""
    merged: RunOptions = _merged(own, RunOptions)
    return merged


def for_searches(own: Mapping[str, Any]) -> SearchOptions:
    """Run options of a search, checked."""
    merged: SearchOptions = _merged(own, SearchOptions)
    return merged


def for_components(own: Mapping[str, Any]) -> str | None:
    """The one device on which components are found: the first of a list in the configuration."""
    device = _merged(own, SearchOptions).get("device")
    return device if device is None or isinstance(device, str) else device[0]


def _merged(own: Mapping[str, Any], known: type) -> Any:
    """Options of the call before those of the configuration; None leaves one to sparsebc."""
    configured = {name: getattr(nx.config.backends.sparsebc, name) for name in DEFAULTS}
    merged = {
        **{name: value for name, value in configured.items() if name in known.__annotations__},
        **own,
    }
    given = {name: value for name, value in merged.items() if value is not None}
    devices.select(options.parse(given, known).device)  # what is wrong with it is said here
    return given
